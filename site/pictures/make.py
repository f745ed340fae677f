#!/usr/bin/env python3
"""Makes the pictures of the documentation.
usage: make.py --tegula PROGRAM FOLDER [NAME...]
       make.py --names

Writes FOLDER/NAME.svg for each picture, or for those named. Without a FOLDER that exists, it is made. --names prints
the names of all pictures.
"""

import argparse
import importlib
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import draw  # noqa: E402


class Tools:
    """The command line, for pictures of what it prints."""

    root = HERE.parent.parent

    def __init__(self, tegula):
        self.tegula = tegula

    def run(self, *words):
        """The standard output of `tegula WORDS...`, run in the root of the tree."""
        command = [self.tegula, *words]
        return subprocess.run(command, cwd=self.root, check=True, text=True, stdout=subprocess.PIPE).stdout


def known():
    """The names of all pictures."""
    for file in sorted(HERE.glob("*.py")):
        if file.stem not in ("draw", "make"):
            importlib.import_module(file.stem)
    return sorted(draw.PICTURES)


def pictures(tegula, names=()):
    """(name, SVG) of each picture."""
    known()
    unknown = set(names) - set(draw.PICTURES)
    if unknown:
        sys.exit(f"make.py: no picture is named {', '.join(sorted(unknown))}")
    tools = Tools(tegula)
    for name in names or sorted(draw.PICTURES):
        yield name, draw.PICTURES[name](tools).svg()


def main():
    parser = argparse.ArgumentParser(description="Makes the pictures of the documentation.")
    parser.add_argument("--names", action="store_true", dest="list", help="print the names of all pictures")
    parser.add_argument("--tegula", help="the command line program, build/all/bin/tegula")
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="where NAME.svg is written")
    parser.add_argument("names", nargs="*", help="names of pictures; none: all")
    options = parser.parse_args()
    if options.list:
        print("\n".join(known()))
        return
    if not options.tegula or not options.folder:
        parser.error("--tegula and a folder are needed; --help shows the options")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures(options.tegula, options.names):
        (options.folder / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
