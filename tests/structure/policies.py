#!/usr/bin/env python3
"""A policy of the target description is a choice that several backends make: what one backend alone turns on is a pass
of that backend, at an extension point. usage: policies.py SOURCE_DIR

policies.toml lists the policies for which that does not hold yet.
"""

import re

from tree import source_tree

DESCRIPTION = "core/target/TargetDescription.h"
DATA = "tests/structure/policies.toml"
GENERATOR = re.compile(r"backends/(\w+)/codegen/CodeGenerator\.cpp")
FIELD = re.compile(r"  (?:bool|int64_t) (\w+) = ")
SET = re.compile(r"\bpolicies\.(\w+) = ")


def fields(tree):
    """(line, name) of the policies."""
    inside = False
    for number, line in enumerate(tree.lines(DESCRIPTION), 1):
        inside = line.startswith("struct TargetPolicies") or inside and line != "};"
        if inside and (found := FIELD.match(line)):
            yield number, found[1]


def main():
    tree = source_tree("SOURCE_DIR")
    data, places = tree.data(DATA)
    left = set(data["left"])
    backends = {}  # of each policy that one sets
    for file in tree.files:
        if made := GENERATOR.fullmatch(file):
            for line in tree.lines(file):
                for name in SET.findall(line):
                    backends.setdefault(name, set()).add(made[1])
    names = {name: number for number, name in fields(tree)}
    if not names:
        tree.violation(DESCRIPTION, 1, "there is no policy")
    for name, number in names.items():
        shared = len(backends.get(name, ())) > 1
        if shared and name in left:
            tree.violation(DATA, places.of(name), f"several backends set '{name}': take it off the list")
        elif not shared and name not in left:
            by = next(iter(backends.get(name, {"none"})))
            tree.violation(DESCRIPTION, number, f"of all backends {by} sets '{name}'; what one backend alone turns on "
                                                "is a pass of that backend")
    for name in sorted(left - set(names)):
        tree.violation(DATA, places.of(name), f"there is no policy '{name}'")
    tree.finish(f"{len(names)} policies, {len(left)} of them not of several backends yet")


main()
