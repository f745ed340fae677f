#!/usr/bin/env python3
"""What CONTRIBUTING.md and the other pages name exists: files, folders, ctest tests and ops.
usage: named_things.py SOURCE_DIR

Looked at are words in `backticks` of Markdown pages, and words of their fenced blocks that are paths of the tree:

  `core/ir/tile/TileOps.td`, `ci/test`     a file or a folder of the tree; * stands for anything, and so does <name>
  `executor/Value.h`, `prelude/`      the end of such a path
  `invalid.mlir`                      a file of that name in some folder, but for .py: pages speak of users' kernels
  `conformance_cases_test`            a test or a program that some CMakeLists.txt defines; so are names that begin with
                                      the label of a folder of tests, such as `ir_roundtrip`
  `tile.histogram`, `simt.load`       an op of core/ir/*.td, or another name of the dialects in quotes there
"""

import fnmatch
import os
import re

from tree import source_tree

REQUIRED_PAGE = "CONTRIBUTING.md"
FILE_SUFFIXES = (".cpp", ".h", ".hpp", ".td", ".sh", ".mlir", ".md", ".txt", ".cmake", ".json", ".toml", ".in")
# Made by the build or by the user, not part of the tree.
MADE = ("build/",)
DEFINITION = re.compile(r"(?:add_test\s*\(\s*NAME|tegula_\w+\s*\(\s*NAME|add_executable\s*\(|add_library\s*\("
                        r"|vulkan_\w*test\s*\(|\bcuda_test\s*\()\s*([^\s)]+)")
TEXT_TESTS = re.compile(r"tegula_text_tests\(LABEL (\w+)\s([^)]*)\)")
NOT_OURS = {"ir_override"}  # an option of Triton's
OP = re.compile(r'\bdef (Tile|Simt)_\w+Op\s*:\s*\w+<"([\w.]+)"')


class Names:
    """What there is to be named."""

    def __init__(self, tree):
        self.files = set(tree.files)
        self.folders = {"/".join(file.split("/")[:depth])
                        for file in tree.files for depth in range(1, file.count("/") + 1)}
        self.roots = {file.split("/")[0] for file in tree.files if "/" in file}
        self.basenames = {os.path.basename(file) for file in tree.files}
        self.labels = {file.split("/")[1] for file in tree.files if re.fullmatch(r"tests/[^/]+/CMakeLists\.txt", file)}
        self.defined = []  # patterns: ${variables} stand for anything
        self.dialects = ""
        self.ops = set()
        for file in tree.files:
            if os.path.basename(file) == "CMakeLists.txt":
                text = "\n".join(tree.lines(file))
                self.defined += [re.sub(r"\$\{[^}]*\}", "*", name) for name in DEFINITION.findall(text)]
                self.defined += [f"{label}_{os.path.basename(name)}" for label, given in TEXT_TESTS.findall(text)
                                 for name in given.split()]
            elif file.startswith("core/ir/") and file.endswith((".td", ".h")):
                text = "\n".join(tree.lines(file))
                self.ops |= {f"{dialect.lower()}.{name}" for dialect, name in OP.findall(text)}
                self.dialects += text

    def has_path(self, path):
        pattern = re.sub(r"<[^>]*>", "*", path).rstrip("/")
        known = self.files | self.folders
        if pattern.split("/")[0] not in self.roots:
            return any(fnmatch.fnmatch(name, "*/" + pattern) for name in known)
        return any(fnmatch.fnmatch(name, pattern) for name in known) if "*" in pattern else pattern in known

    def has_basename(self, name):
        return any(fnmatch.fnmatch(known, re.sub(r"<[^>]*>", "*", name)) for known in self.basenames)

    def has_test(self, name):
        # A pattern of variables alone, such as ${name}, would match everything.
        patterns = [pattern for pattern in self.defined if pattern.strip("*")]
        if "*" in name and any(pattern.startswith(name.split("*")[0]) for pattern in patterns):
            return True
        return any(fnmatch.fnmatch(name.replace("*", "any"), pattern) for pattern in patterns)

    def has_op(self, name):
        return name in self.ops or re.search(rf"[`\"]{re.escape(name)}\b", self.dialects)


def problem(names, word):
    """Why the word names nothing; none where it names something or is no name of these kinds."""
    word = word.removeprefix("./")
    if word.startswith(MADE):
        return None
    if "/" in word:
        is_path = word.split("/")[0] in names.roots or word.endswith(("/", ".py", *FILE_SUFFIXES))
        if not is_path or not re.fullmatch(r"\w[\w.*<>/+-]*", word):
            return None
        return None if names.has_path(word) else f"there is no file or folder '{word}'"
    if word.endswith(FILE_SUFFIXES) and re.fullmatch(r"[\w.*<>+-]+", word) and not word.startswith("."):
        return None if names.has_basename(word) else f"there is no file '{word}' in any folder"
    if re.fullmatch(r"(tile|simt)\.[a-z]\w*", word):
        return None if names.has_op(word) else f"there is no op '{word}' in core/ir"
    is_test = word.endswith("_test") or word.split("_")[0] in names.labels
    if is_test and word not in NOT_OURS and re.fullmatch(r"[a-z0-9]+(_[a-z0-9*-]+)+", word):
        return None if names.has_test(word) else f"there is no test '{word}'"
    return None


def words_of(lines, names):
    """(line number, word) of everything that may be a name."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced:
            for word in line.split("#")[0].split():
                if "/" in word and word.removeprefix("./").split("/")[0] in names.roots:
                    yield number, word
        else:
            for quoted in re.findall(r"`([^`]+)`", line):
                yield number, quoted.split()[0]


def main():
    tree = source_tree("SOURCE_DIR")
    names = Names(tree)
    checked, pages = 0, [file for file in tree.files if file.endswith(".md")]
    if REQUIRED_PAGE not in pages:
        tree.violation(REQUIRED_PAGE, 1, "there is no such page")
    for page in pages:
        for number, word in words_of(tree.lines(page), names):
            checked += 1
            if why := problem(names, word):
                tree.violation(page, number, why)
    tree.finish(f"{checked} names in {len(pages)} pages; all of them exist")


main()
