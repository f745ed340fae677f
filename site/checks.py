#!/usr/bin/env python3
"""Checks the pages as they are written, without building the site.
usage: checks.py SOURCE_DIR

  - a link leads to a page, and its anchor to a heading of that page; a link out of docs/ is an error
  - docs/NAME.md, "Section": the page has that section, wherever in the tree it is referred to
  - a fenced block has a known language, and is a text of it (site/parts/blocks.py)
  - a picture of a page is made by a function of site/pictures, and each of these is on a page
  - every page is in the navigation (site/nav.toml)

Prints a line `file:line: message` for each violation, as the rules of tests/structure do.
"""

import pathlib
import posixpath
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "structure")]

from parts import blocks, navigation, pages  # noqa: E402
from tree import source_tree  # noqa: E402

MADE = ("contributing.md", "lessons/", "reference/")  # pages that the site's build makes: MkDocs checks links to them
TEXTS = (".c", ".cpp", ".h", ".hpp", ".inc", ".md", ".mlir", ".py", ".sh", ".td", ".toml", ".txt", ".cmake")


def made_pictures(root):
    """The names of the pictures that site/pictures makes."""
    make = root / "site" / "pictures" / "make.py"
    result = subprocess.run([sys.executable, str(make), "--names"], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{make}: {result.stderr}")
    return set(result.stdout.split())


class Checks:
    def __init__(self, tree):
        self.tree = tree
        self.made = made_pictures(tree.root)
        self.pages = {}  # by path in the tree
        for file in tree.files:
            if file.endswith(".md"):
                self.pages[file] = pages.Page(file, "\n".join(tree.lines(file)) + "\n")
        self.used = set()
        self.counts = dict.fromkeys(("links", "blocks", "references"), 0)

    def check_link(self, file, link):
        """A link of the page `file` of the tree."""
        self.counts["links"] += 1
        target, _, anchor = link.target.partition("#")
        if target.startswith(("https:", "http:", "mailto:")):
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target)) if target else file
        if link.is_picture:
            return self.picture_problem(path, link)
        if file.startswith("docs/") and path.removeprefix("docs/").startswith(MADE):
            return None
        if file.startswith("docs/") and not path.startswith("docs/"):
            return f"the link '{link.target}' leads out of docs/; write the path as `code`"
        if path not in self.pages:
            if not file.startswith("docs/") and self.is_in_tree(path):
                return None
            return f"the link '{link.target}' leads to no page"
        if anchor and anchor not in self.pages[path].anchors:
            return f"the link '{link.target}' leads to no heading of {path}"
        return None

    def is_in_tree(self, path):
        return any(file == path or file.startswith(path + "/") for file in self.tree.files)

    def picture_problem(self, path, link):
        if not link.text.strip():
            return f"the picture '{link.target}' has no text that says what it shows"
        name = path.removeprefix("docs/pictures/").removesuffix(".svg")
        if path != f"docs/pictures/{name}.svg":
            # README's is committed.
            name = path.removeprefix("docs/").removesuffix(".svg")
            if path != f"docs/{name}.svg" or path not in self.tree.files:
                return f"the picture '{link.target}' is not one of docs/pictures/NAME.svg"
        self.used.add(name)
        return None if name in self.made else f"no function of site/pictures makes the picture '{name}'"

    def check_pages(self):
        for file, page in self.pages.items():
            for link in page.links:
                if why := self.check_link(file, link):
                    self.tree.violation(file, link.line, why)
            self.counts["blocks"] += len(page.blocks)
            for line, why in blocks.problems(page):
                self.tree.violation(file, line, why)
        for name in self.made - self.used:
            self.tree.violation(self.place_of(name), 1, f"the picture '{name}' is on no page")

    def place_of(self, picture):
        for file in self.tree.files:
            if file.startswith("site/pictures/") and f'picture("{picture}")' in "\n".join(self.tree.lines(file)):
                return file
        return "site/pictures"

    def check_references(self):
        for file in self.tree.files:
            if not file.endswith(TEXTS) and not file.startswith("ci/") or file.startswith(("site/", "tests/site/")):
                continue
            for line, name, section in pages.references("\n".join(self.tree.lines(file))):
                self.counts["references"] += 1
                page = self.pages.get(f"docs/{name}")
                if page is None:
                    self.tree.violation(file, line, f"there is no page docs/{name}")
                elif page.anchor_of(section) is None:
                    self.tree.violation(file, line, f"docs/{name} has no section \"{section}\"")

    def check_navigation(self):
        of_docs = {file.removeprefix("docs/"): page for file, page in self.pages.items() if file.startswith("docs/")}
        order = navigation.Navigation(self.tree.root / "site" / "nav.toml", of_docs, MADE)
        for file, line, why in order.problems:
            self.tree.violation(file, line, why)


def main():
    checks = Checks(source_tree("SOURCE_DIR"))
    checks.check_pages()
    checks.check_references()
    checks.check_navigation()
    counts = checks.counts
    checks.tree.finish(f"{len(checks.pages)} pages: {counts['links']} links, {counts['blocks']} fenced blocks, "
                       f"{counts['references']} references to sections, {len(checks.used)} pictures; all in order")


if __name__ == "__main__":
    main()
