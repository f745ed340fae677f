#!/usr/bin/env python3
"""Each decision of the middle is taken at one place. usage: decisions.py SOURCE_DIR

docs/planned.md, "The order of decisions", names for a decision the function that takes it and the one file that calls
this function. Besides that file only the function's declaration and definition, two files of one name, may have it.
"""

import re

from tree import source_tree, table_rows

PAGE = "docs/planned.md"
COLUMN = "called in"
FOLDERS = ("core/", "frontend/", "backends/")
CELL = re.compile(r"`(\w+)` in `([\w/.]+)`")


def main():
    tree = source_tree("SOURCE_DIR")
    sources = [file for file in tree.files if file.startswith(FOLDERS) and file.endswith((".cpp", ".h"))]
    count = 0
    for number, row in table_rows(tree.lines(PAGE), COLUMN):
        for function, caller in CELL.findall(row[COLUMN]):
            count += 1
            call = re.compile(rf"\b{function}\(")
            found = {}
            for file in sources:
                lines = [line for line, text in enumerate(tree.lines(file), 1) if call.search(text)]
                if lines:
                    found[file] = lines[0]
            if caller not in found:
                tree.violation(PAGE, number, f"{caller} does not call {function}")
            stems = {file.rsplit(".", 1)[0] for file in found if file.endswith(".h")}
            for file, line in found.items():
                if file != caller and file.rsplit(".", 1)[0] not in stems:
                    tree.violation(file, line, f"{function} decides in {caller} alone ({PAGE}:{number})")
    if not count:
        tree.violation(PAGE, 1, f"there is no table with a column '{COLUMN}'")
    tree.finish(f"{count} decisions are taken at one place each")


main()
