"""The order of the site's pages: nav.toml, with its short forms written out. Needs Python's library only.

    "page.md"                                    the page; with a folder page/, a group: the page and then its parts, in
                                                 the order in which the page links to them
    "folder/*"                                   the folder's pages: index.md first, dated pages from the newest on,
                                                 others by name; pages made from the code in the order of their making
    {title = "Words", pages = [...]}             a group
"""

import pathlib
import re
import tomllib

DATED = re.compile(r"\d{4}-\d\d-\d\d-")


class Navigation:
    """`pages` are the pages below docs/ by name, as pages.Page; `made` the names of pages made from the code, or their
    folders, `reference/`, where they are not known."""

    def __init__(self, file, pages, made):
        self.file = pathlib.Path(file)
        self.pages, self.made = pages, list(made)
        self.problems = []  # (file or page, line, message)
        self.named = set()
        self.lines = self.file.read_text(encoding="utf-8").splitlines()
        sections = tomllib.loads("\n".join(self.lines))["sections"]
        self.tree = [{section["title"]: self._group(section["pages"])} for section in sections]
        for name in sorted(set(pages) - self.named):
            self.problems.append((f"docs/{name}", 1, "the page is not in the navigation; name it in site/nav.toml, or "
                                                     "link to it from the page above its folder"))

    def _problem(self, entry, message):
        line = next((number for number, text in enumerate(self.lines, 1) if f'"{entry}"' in text), 1)
        self.problems.append(("site/nav.toml", line, message))

    def _group(self, entries):
        """The entries as MkDocs takes them."""
        return [item for entry in entries for item in self._entry(entry)]

    def _entry(self, entry):
        if isinstance(entry, dict):
            return [{entry["title"]: self._group(entry["pages"])}]
        if entry.endswith("/*"):
            return self._folder(entry)
        if entry not in self.pages and not self._is_made(entry):
            self._problem(entry, f"there is no page docs/{entry}")
            return []
        parts = self._parts(entry)
        self._name(entry, entry)
        return [{self.pages[entry].title: [{"Overview": entry}, *parts]}] if parts else [entry]

    def _name(self, entry, name):
        if name in self.named:
            self._problem(entry, f"the page docs/{name} is named twice")
        self.named.add(name)

    def _is_made(self, name):
        return any(name == made or made.endswith("/") and name.startswith(made) for made in self.made)

    def _folder(self, entry):
        folder = entry.removesuffix("*")

        def order(name):
            rest = name.removeprefix(folder)
            newest = [-int(digits) for digits in re.findall(r"\d+", rest)[:3]] if DATED.match(rest) else []
            return rest != "index.md", newest, rest

        names = [name for name in self.made if name.startswith(folder) and name.endswith(".md")]
        names += sorted((name for name in self.pages if name.startswith(folder)), key=order)
        if not names and not self._is_made(folder):
            self._problem(entry, f"there are no pages in docs/{folder}")
        for name in names:
            self._name(entry, name)
        return names

    def _parts(self, entry):
        """The pages of the folder beside the page, in the order of the page's links."""
        folder = entry.removesuffix(".md") + "/"
        if entry not in self.pages or not any(name.startswith(folder) for name in self.pages):
            return []
        parts = []
        for link in self.pages[entry].links:
            base = entry.rpartition("/")[0]
            name = link.target.split("#")[0]
            name = f"{base}/{name}" if base else name
            if name.startswith(folder) and name in self.pages and name not in parts:
                parts.append(name)
        for name in parts:
            self._name(entry, name)
        return parts
