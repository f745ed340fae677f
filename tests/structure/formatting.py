#!/usr/bin/env python3
"""C++ is formatted as .clang-format says, and no line of text is longer than its limit.
usage: formatting.py SOURCE_DIR [CLANG_FORMAT]

Files, the limit and the exceptions are in formatting.toml.
"""

import concurrent.futures
import fnmatch
import os
import re
import subprocess
import sys

from tree import source_tree

DATA = "tests/structure/formatting.toml"
DIAGNOSTIC = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: error: ", re.MULTILINE)


def check_format(tree, program, files):
    """Runs clang-format on a few files at a time, a process for each processor."""
    def run(some):
        return subprocess.run([program, "--dry-run", "--Werror", "--style=file", *some], cwd=tree.root,
                              capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run, [files[i:i + 20] for i in range(0, len(files), 20)]):
            found = list(DIAGNOSTIC.finditer(result.stderr))
            if result.returncode and not found:
                sys.exit(f"{program} ended with status {result.returncode}: {result.stderr}")
            for match in found:
                tree.violation(match["file"], int(match["line"]),
                               f"not as {program} formats it; run {program} -i on it")


def matches(file, patterns):
    """`*.md` holds in every folder; a pattern with a folder is matched whole."""
    return any(fnmatch.fnmatch(file if "/" in pattern else os.path.basename(file), pattern) for pattern in patterns)


def check_lines(tree, data, places):
    limit, checked, used = data["limit"], 0, set()
    exceptions = [(row, re.compile(row["line"])) for row in data["exceptions"]]
    for file in tree.files:
        if not matches(file, data["files"]):
            continue
        checked += 1
        for number, line in enumerate(tree.lines(file), 1):
            if len(line) <= limit:
                continue
            excuse = next((row["line"] for row, pattern in exceptions
                           if matches(file, row["files"]) and pattern.search(line)), None)
            if excuse is None:
                tree.violation(file, number, f"the line has {len(line)} columns; {limit} at most")
            used.add(excuse)
    for row, _ in exceptions:
        if row["line"] not in used:
            tree.violation(DATA, places.of(row["line"]), f"the exception '{row['line']}' is not needed; remove it")
        if not row.get("reason"):
            tree.violation(DATA, places.of(row["line"]), f"the exception '{row['line']}' has no reason")
    return checked


def main():
    tree = source_tree("SOURCE_DIR [CLANG_FORMAT]")
    program = sys.argv[2] if len(sys.argv) > 2 else "clang-format-22"
    data, places = tree.data(DATA)
    formatted = [file for file in tree.files if file.endswith((".cpp", ".h", ".hpp"))]
    check_format(tree, program, formatted)
    checked = check_lines(tree, data, places)
    tree.finish(f"{len(formatted)} files are formatted, {checked} have no line of more than {data['limit']} columns")


main()
