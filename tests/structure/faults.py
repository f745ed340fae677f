#!/usr/bin/env python3
"""The planted faults of tests/faults/faults.toml can still be planted: the text that each changes occurs exactly once
in its file, and the command that must find it runs on devices that ci/test names. usage: faults.py SOURCE_DIR
"""

import re

from tree import source_tree

DATA = "tests/faults/faults.toml"
TESTS = "ci/test"
MOST_SEEDS = 8
NEEDS = ("", "verifier", "validated", "generic", "minimal")


def problems(tree, fault, names, tests):
    """What is wrong with an entry."""
    if names.count(fault["name"]) > 1:
        yield "has a name that another one has"
    if fault["file"] not in tree.files:
        yield f"changes {fault['file']}, which does not exist"
    elif (count := (tree.root / fault["file"]).read_text(encoding="utf-8").count(fault["old"])) != 1:
        yield f"changes a text that occurs {count} times in {fault['file']}; expected once"
    if fault["new"] == fault["old"]:
        yield "changes nothing"
    if fault.get("needs", "") not in NEEDS:
        yield f"needs '{fault['needs']}'; expected one of {', '.join(filter(None, NEEDS))}"
    if not 1 <= fault.get("seeds", 1) <= MOST_SEEDS:
        yield f"takes {fault['seeds']} seeds; expected 1 to {MOST_SEEDS}"
    command = fault["command"]
    devices = re.findall(r"--device=([^\s']+)", command)
    if not command.startswith("ctest ") and not devices:
        yield "names neither ctest nor a device in its command"
    for device in devices:
        if device not in tests:
            yield f"runs on {device}, which {TESTS} does not run"


def main():
    tree = source_tree("SOURCE_DIR")
    data, places = tree.data(DATA)
    tests = set(re.findall(r"[\w:/@.=+-]+", "\n".join(tree.lines(TESTS))))
    names = [fault["name"] for fault in data["faults"]]
    for fault in data["faults"]:
        for problem in problems(tree, fault, names, tests):
            tree.violation(DATA, places.of(f'name = "{fault["name"]}"'), f"the fault '{fault['name']}' {problem}")
    tree.finish(f"{len(names)} faults can be planted")


main()
