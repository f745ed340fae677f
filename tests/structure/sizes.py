#!/usr/bin/env python3
"""Files, folders, functions and pages stay small enough to be read.
usage: sizes.py SOURCE_DIR

The limits are in sizes.toml.
"""

import collections
import fnmatch
import os
import re
import statistics
import sys

from tree import source_tree

DATA = "tests/structure/sizes.toml"
# The text before a body that is no function's: of a type, a statement, a variable with a value.
NO_FUNCTION = re.compile(
    r"(namespace|class|struct|union|enum|extern|if|for|while|switch|do)\b|[^(]*[^=!<>]=[^=]")


def functions(lines):
    """(line, number of lines) of each function. As clang-format writes them, a definition begins at the margin or, in a
    class, two columns from it; its first line or a later one ends with `{`, and `}` closes it where it began."""
    head, begin, close = "", 0, ""
    for number, line in enumerate(lines, 1):
        if close:
            if line == close:
                yield begin, number - begin + 1
                close = ""
            continue
        code = re.sub(r"\s*//.*", "", line)
        if not head:
            begin, indent = number, code[:len(code) - len(code.lstrip())]
            if len(indent) > 2 or not re.match(r"[\w~]", code.lstrip()):
                continue
        head += " " + code.strip()
        if code.endswith("{"):
            text = re.sub(r"^template <[^()]*?> (?=[\w:])", "", head.strip())
            close = indent + "}" if "(" in text and not NO_FUNCTION.match(text) else ""
            head = ""
        elif code.endswith((";", "}", ":")) or not code.strip():
            head = ""


def sections(lines):
    """(line, heading, number of lines) of each section of a Markdown page, the text above its first heading included.
    A line of a fenced block is no heading."""
    begin, heading, fence = 1, "", ""
    for number, line in enumerate(lines, 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and re.match(r"#{1,6} ", line):
            if number > begin:
                yield begin, heading, number - begin
            begin, heading = number, line.lstrip("# ")
    yield begin, heading, len(lines) - begin + 1


def check_page(tree, data, file):
    lines = tree.lines(file)
    if len(lines) > data["page_lines"]:
        tree.violation(file, len(lines), f"the page has {len(lines)} lines; {data['page_lines']} at most")
    for line, heading, count in sections(lines):
        if count > data["section_lines"]:
            tree.violation(file, line, f"the section '{heading}' has {count} lines; {data['section_lines']} at most")


def main():
    tree = source_tree("SOURCE_DIR")
    data, places = tree.data(DATA)
    lengths, folders, long = {}, collections.Counter(), []

    def is_of(file, patterns):
        return any(fnmatch.fnmatch(os.path.basename(file), pattern) for pattern in data[patterns])

    for file in tree.files:
        if is_of(file, "pages"):
            check_page(tree, data, file)
        if is_of(file, "other_sources") and (count := len(tree.lines(file))) > data["file_lines"]:
            tree.violation(file, count, f"the file has {count} lines; {data['file_lines']} at most")
        if not is_of(file, "sources"):
            continue
        lines = tree.lines(file)
        lengths[file] = len(lines)
        if len(lines) > data["file_lines"]:
            tree.violation(file, len(lines), f"the file has {len(lines)} lines; {data['file_lines']} at most")
        if file.split("/")[0] in data["product"]:
            folders[os.path.dirname(file)] += 1
            long += [(count, file, line) for line, count in functions(lines) if count > data["function_lines"]]
    for folder, count in folders.items():
        if count > data["folder_files"]:
            tree.violation(folder, 1, f"the folder has {count} source files; {data['folder_files']} at most")
    for count, file, line in sorted(long)[:max(0, len(long) - data["long_functions"])]:
        tree.violation(file, line, f"the function has {count} lines, and {len(long)} have more than "
                                   f"{data['function_lines']}; {data['long_functions']} may")
    median = statistics.median(lengths.values()) if lengths else 0
    if median > data["median_lines"]:
        tree.violation(DATA, places.of("median_lines"),
                       f"half of all files have more than {median:g} lines; {data['median_lines']} is the limit")
    tree.finish(f"{len(lengths)} files, half of them with at most {median:g} lines, the longest with "
                f"{max(lengths.values(), default=0)}; {len(long)} functions have more than {data['function_lines']}")


main()
