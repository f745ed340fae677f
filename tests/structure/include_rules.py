#!/usr/bin/env python3
"""Each file of a room includes only what the table of rooms in docs/architecture.md lets that room include, and the
rooms depend on each other in one direction. usage: include_rules.py SOURCE_DIR

A room is a folder; a file belongs to the deepest room that holds it. A room may always include itself and the headers
of C, C++ and POSIX. The column "may include" has, between commas, rooms, headers such as `<vulkan/>` and `<png.h>`, and
the words MLIR (headers of LLVM and MLIR), anything, and nothing. What it has and nothing uses is a violation too.
"""

import os
import re

from tree import source_tree, table_rows

PAGE = "docs/architecture.md"
SUFFIXES = (".cpp", ".h", ".hpp", ".c", ".inc", ".td", ".in")
# Where the build looks for headers, from the root; then a file's own folder.
INCLUDE_ROOTS = ("", "core/runtime/include", "samples/common")
POSIX = {"dirent.h", "dlfcn.h", "elf.h", "fcntl.h", "pthread.h", "pwd.h", "sched.h", "spawn.h", "strings.h",
         "sys/mman.h", "sys/resource.h", "sys/stat.h", "sys/types.h", "sys/wait.h", "unistd.h"}
PROCESSOR = {"immintrin.h", "xmmintrin.h"}
INCLUDE = re.compile(r'\s*#?\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


class Room:
    def __init__(self, line, folder, allowed):
        self.line, self.folder, self.allowed = line, folder, allowed
        self.pattern = re.compile(re.escape(folder).replace(r"\*", "[^/]+") + "/")
        self.used = set()

    def may_include(self, what):
        self.used.add(what)
        return what in self.allowed or "anything" in self.allowed


def read_rooms(tree):
    """The table; where it is malformed, the test ends with that."""
    rooms = {}
    malformed = False
    for line, row in table_rows(tree.lines(PAGE), "may include"):
        allowed = [word.strip().strip("`") for word in row["may include"].split(",")]
        folders = re.findall(r"`([^`]+)`", row["folder"])
        if len(folders) != 1 or not all(allowed):
            tree.violation(PAGE, line, "expected one folder in `backticks`, and what it may include or 'nothing'")
            malformed = True
            continue
        rooms[folders[0]] = Room(line, folders[0], {word for word in allowed if word != "nothing"})
    if not rooms:
        tree.violation(PAGE, 1, 'expected a table of rooms with the columns "folder" and "may include"')
    if malformed or not rooms:
        tree.finish("")
    return rooms


def room_of(rooms, file):
    holding = [room for room in rooms.values() if room.pattern.match(file)]
    return max(holding, key=lambda room: room.folder.count("/"), default=None)


def is_standard(header):
    """<vector>, <cstdint>, <math.h>; no folder but sys."""
    c_headers = {"math.h", "stdint.h", "stddef.h", "stdbool.h", "stdio.h", "stdlib.h", "string.h"}
    return re.fullmatch(r"[a-z_]+", header) or header in c_headers | POSIX | PROCESSOR


class Rules:
    def __init__(self, tree):
        self.tree, self.rooms = tree, read_rooms(tree)
        self.known = set(tree.files)
        self.checked = 0

    def target(self, file, header):
        """The file of the tree that an include means; a generated one counts as one of the folder that it names."""
        for root in (*INCLUDE_ROOTS, os.path.dirname(file)):
            path = os.path.normpath(os.path.join(root, header))
            if path in self.known:
                return path
        return header if room_of(self.rooms, header) else None

    def check(self, file, number, quoted, angled):
        room = room_of(self.rooms, file)
        header = quoted or angled
        if header.startswith(("mlir/", "llvm/", "mlir-c/", "llvm-c/")):
            if not room.may_include("MLIR"):
                self.tree.violation(file, number, f"the room {room.folder} may not include MLIR: '{header}'")
            return
        target = self.target(file, header)
        if target is None:
            self.check_foreign(room, file, number, header)
            return
        other = room_of(self.rooms, target)
        if other is not room and not room.may_include(other.folder):
            self.tree.violation(file, number, f"the room {room.folder} may not include {other.folder}: '{header}'")

    def check_foreign(self, room, file, number, header):
        if is_standard(header):
            return
        named = f"<{header}>" if "/" not in header else f"<{header.split('/')[0]}/>"
        if not room.may_include(named):
            self.tree.violation(file, number, f"the room {room.folder} may not include {named}: '{header}'")

    def check_files(self):
        for file in self.tree.files:
            if not file.endswith(SUFFIXES):
                continue
            self.checked += 1
            if room_of(self.rooms, file) is None:
                self.tree.violation(file, 1, f"this file is in no room; {PAGE} has the table of rooms")
                continue
            for number, line in enumerate(self.tree.lines(file), 1):
                if match := INCLUDE.match(line):
                    self.check(file, number, *match.groups())

    def check_table(self):
        for room in self.rooms.values():
            if not any(room.pattern.match(file) for file in self.tree.files):
                self.tree.violation(PAGE, room.line, f"there is no folder {room.folder}")
            for word in sorted(room.allowed - {"anything"}):
                if word != "MLIR" and not word.startswith("<") and word not in self.rooms:
                    self.tree.violation(PAGE, room.line, f"{room.folder} may include {word}, which is no room")
                elif word not in room.used:
                    self.tree.violation(PAGE, room.line, f"{room.folder} may include {word}, but nothing in it does")

    def check_circles(self):
        """A depth-first search; a room met again on the way down closes a circle, which is told once."""
        done = set()

        def visit(room, way):
            if room.folder in way:
                circle = way[way.index(room.folder):] + [room.folder]
                self.tree.violation(PAGE, self.rooms[circle[-2]].line,
                                    "rooms may include each other in a circle: " + " -> ".join(circle))
            elif room.folder not in done:
                for word in sorted(room.allowed & self.rooms.keys()):
                    visit(self.rooms[word], way + [room.folder])
                done.add(room.folder)

        for room in self.rooms.values():
            visit(room, [])


def main():
    rules = Rules(source_tree("SOURCE_DIR"))
    rules.check_files()
    rules.check_table()
    rules.check_circles()
    rules.tree.finish(f"{rules.checked} files of {len(rules.rooms)} rooms include only what {PAGE} lets them")


main()
