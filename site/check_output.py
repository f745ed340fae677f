#!/usr/bin/env python3
"""Checks the built site.
usage: check_output.py SITE_DIR

  - nothing is loaded from another host: no script, style, picture, font or frame
  - what is loaded, and what links lead to, is a file of the site, and an anchor is an element of its page

Prints a line `file:line: message` for each violation.
"""

import html.parser
import pathlib
import posixpath
import re
import sys
import urllib.parse

# Attributes by which an element loads something, and links that do.
LOADS = {("audio", "src"), ("embed", "src"), ("iframe", "src"), ("img", "src"), ("img", "srcset"), ("input", "src"),
         ("object", "data"), ("script", "src"), ("source", "src"), ("source", "srcset"), ("track", "src"),
         ("video", "poster"), ("video", "src"), ("image", "href"), ("use", "href")}
LOADED_LINKS = {"dns-prefetch", "icon", "manifest", "modulepreload", "preconnect", "prefetch", "preload", "stylesheet"}
IN_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


def is_elsewhere(url):
    return re.match(r"(?:[a-z]+:)?//", url) is not None


class Document(html.parser.HTMLParser):
    """What a page loads, its links and the names of its elements."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.names, self.in_style = [], [], set(), False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        line = self.getpos()[0]
        self.names |= {values[name] for name in ("id", "name") if name in values}
        self.in_style = tag == "style"
        for name, value in values.items():
            if (tag, name) in LOADS:
                urls = [part.split()[0] for part in value.split(",")] if name == "srcset" else [value]
                self.loads += [(line, url) for url in urls]
            elif name == "style":
                self.handle_style(value)
        if tag == "link" and "href" in values:
            is_loaded = LOADED_LINKS & set(values.get("rel", "").split())
            (self.loads if is_loaded else self.links).append((line, values["href"]))
        elif tag == "a" and "href" in values:
            self.links.append((line, values["href"]))

    def handle_data(self, data):
        if self.in_style:
            self.handle_style(data)

    def handle_endtag(self, tag):
        self.in_style = False

    def handle_style(self, text):
        self.loads += [(self.getpos()[0], first or second) for first, second in IN_STYLE.findall(text)]


class Checks:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.violations, self.counts = [], {"pages": 0, "loads": 0, "links": 0}
        self.pages = {file.relative_to(self.folder).as_posix(): Document(file.read_text(encoding="utf-8"))
                      for file in sorted(self.folder.rglob("*.html"))}

    def file_of(self, page, url):
        """(file, anchor) of the site for a URL on the page."""
        parts = urllib.parse.urlsplit(url)
        path = urllib.parse.unquote(parts.path)
        base = "" if page == "404.html" else posixpath.dirname(page)
        path = posixpath.normpath(posixpath.join("/", base, path or posixpath.basename(page))).lstrip("/")
        if (self.folder / path).is_dir():
            path = posixpath.join(path, "index.html") if path else "index.html"
        return path, urllib.parse.unquote(parts.fragment)

    def check(self, page, document):
        self.counts["pages"] += 1
        for line, url in document.loads:
            self.counts["loads"] += 1
            if url.startswith(("data:", "#")):
                continue
            if is_elsewhere(url):
                self.violations.append(f"{page}:{line}: '{url}' is loaded from another host")
            elif not (self.folder / self.file_of(page, url)[0]).is_file():
                self.violations.append(f"{page}:{line}: '{url}' is no file of the site")
        for line, url in document.links:
            self.counts["links"] += 1
            if urllib.parse.urlsplit(url).scheme or is_elsewhere(url):
                continue
            path, anchor = self.file_of(page, url)
            if not (self.folder / path).is_file():
                self.violations.append(f"{page}:{line}: the link '{url}' leads to no file of the site")
            elif anchor and path in self.pages and anchor not in self.pages[path].names:
                self.violations.append(f"{page}:{line}: the link '{url}' leads to no element of its page")

    def check_styles(self):
        for file in [*self.folder.rglob("*.css"), *self.folder.rglob("*.svg")]:
            text = file.read_text(encoding="utf-8")
            for match in re.finditer(IN_STYLE.pattern + r"|\b(?:xlink:)?href=\"([^\"#]+)\"", text):
                url = next(group for group in match.groups() if group)
                if is_elsewhere(url):
                    line = text.count("\n", 0, match.start()) + 1
                    self.violations.append(f"{file.relative_to(self.folder)}:{line}: '{url}' is on another host")


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1], "index.html").is_file():
        sys.exit("usage: check_output.py SITE_DIR; there is no site in that folder, ci/site builds one")
    checks = Checks(sys.argv[1])
    for page, document in checks.pages.items():
        checks.check(page, document)
    checks.check_styles()
    if checks.violations:
        sys.exit("\n".join(checks.violations))
    counts = checks.counts
    print(f"{counts['pages']} pages load {counts['loads']} files, all of the site; {counts['links']} links lead to "
          "what is there")


if __name__ == "__main__":
    main()
