"""What the tests of tests/structure share: the files of a source tree, violations that name a file and a line, and the
tables of Markdown pages.

A rule is a script beside this file that takes the folder of a source tree, prints a line `file:line: message` for each
violation and ends with status 1 if there is one. What a rule allows stands in the tree itself (the table of rooms in
docs/architecture.md, *.toml beside this file), so that self_test.py can run every rule on small trees of its own.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tomllib


class Tree:
    """The files of a source tree: those that git tracks, or in a folder that is no checkout all of them."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        if not self.root.is_dir():
            sys.exit(f"there is no folder '{root}'")
        self.files = [file for file in self._tracked() or self._walked() if (self.root / file).is_file()]
        if not self.files:
            sys.exit(f"there are no files in '{root}'")
        self._violations = set()

    def _tracked(self):
        if not (self.root / ".git").exists() or not shutil.which("git"):
            return []
        listing = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(self.root), "ls-files", "-z"],
                                 capture_output=True, check=True, text=True)
        return sorted(listing.stdout.split("\0")[:-1])

    def _walked(self):
        found = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "build"]
            found += [str((pathlib.Path(folder) / file).relative_to(self.root)) for file in files]
        return sorted(found)

    def lines(self, file):
        """The lines of a text file without their ends; none of a file that is no text."""
        try:
            return (self.root / file).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            return []

    def data(self, file):
        """A TOML file of the tree; and the line that each text value begins on, by value."""
        text = (self.root / file).read_text(encoding="utf-8")
        return tomllib.loads(text), Places(text)

    def violation(self, file, line, message):
        self._violations.add((file, line, message))

    def finish(self, checked):
        """Prints the violations, in order, or `checked`: one line on what was looked at. Ends the program."""
        for file, line, message in sorted(self._violations):
            print(f"{file}:{line}: {message}")
        if self._violations:
            sys.exit(1)
        print(checked)
        sys.exit(0)


class Places:
    """Where values stand in a text file."""

    def __init__(self, text):
        self._lines = text.splitlines()

    def of(self, value, after=0):
        """The first line with `value`, counted from 1, behind line `after`; 1 where there is none."""
        for number, line in enumerate(self._lines, 1):
            if number > after and value in line:
                return number
        return 1


def table_rows(lines, column):
    """The rows of the first Markdown table with a column of that name: (line number, {column: cell}) each."""
    header = None
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("|"):
            if header:
                return
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if header is None:
            header = cells if column in cells else None
        elif set("".join(cells)) - set("-: "):
            yield number, dict(zip(header, cells))


def source_tree(usage):
    """The tree that the first argument names."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} {usage}")
    return Tree(sys.argv[1])
