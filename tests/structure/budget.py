#!/usr/bin/env python3
"""The passes plan with one budget: no file of core/passes and of backends' passes but Budget.h reads how much shared
memory or how many registers the target has. usage: budget.py SOURCE_DIR
"""

import re

from tree import source_tree

ROOM = "core/passes/Budget.h"
FOLDER = re.compile(r"core/passes/|backends/\w+/passes/")
READ = re.compile(r"\bfeatures_?\s*\.\s*(sharedBytes|registerBytes|threadRegisterBytes)\b")


def main():
    tree = source_tree("SOURCE_DIR")
    files = [file for file in tree.files if FOLDER.match(file) and file.endswith((".cpp", ".h"))]
    if not any(READ.search(line) for line in tree.lines(ROOM)):
        tree.violation(ROOM, 1, "the budget reads nothing of the target")
    for file in files:
        for number, line in enumerate(tree.lines(file), 1):
            if file != ROOM and (read := READ.search(line)):
                tree.violation(file, number, f"reads '{read[1]}' of the target; ask a Budget ({ROOM})")
    tree.finish(f"{len(files)} files of passes plan with one budget")


main()
