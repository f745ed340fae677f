#!/usr/bin/env python3
"""The site's checks accept a small tree and a small site, and see every fault that is planted in them, at its place.
usage: self_test.py
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

PICTURE = '''from draw import Drawing, picture


@picture("steps")
def steps(tools):
    return Drawing(10, 10, "steps")
'''
PAGE = """# Page

See [the part](page/part.md#second-section), docs/page/part.md, "Second section", and [the words](#words).

![the steps](pictures/steps.svg)

## Words

```python
x = 1
```

```bash
ci/test --quick
```
"""
NAVIGATION = """[[sections]]
title = "Start"
pages = ["index.md", "page.md", "lab/*"]
"""


class Planted(unittest.TestCase):
    """A folder of a few files that a program accepts; tests plant faults in it."""

    command = []
    tree = {}

    def run_on(self, changes):
        """Exit status and output for the folder with some files changed or added; None removes one."""
        with tempfile.TemporaryDirectory() as folder:
            for file, text in {**self.tree, **changes}.items():
                if text is not None:
                    path = pathlib.Path(folder) / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
            self.prepare(pathlib.Path(folder))
            result = subprocess.run([sys.executable, *self.command, folder], capture_output=True, text=True)
            return result.returncode, result.stdout + result.stderr

    def prepare(self, folder):
        pass

    def accepts(self, changes):
        status, output = self.run_on(changes)
        self.assertEqual(status, 0, output)

    def refuses(self, changes, *violations):
        """Exactly these lines are printed."""
        status, output = self.run_on(changes)
        self.assertEqual((status, output), (1, "".join(line + "\n" for line in violations)))

    def test_accepts_what_is_right(self):
        if self.command:
            self.accepts({})


class Pages(Planted):
    command = [ROOT / "site" / "checks.py"]
    tree = {
        "README.md": "# Tree\n\n[Page](docs/page.md#words), [a folder](core)\n",
        "core/A.h": "// As docs/page.md,\n// \"Words\" says.\n",
        "docs/index.md": "# Home\n\n[lesson](lessons/01.md), [elsewhere](https://example.org), `[no](link.md)`\n",
        "docs/page.md": PAGE,
        "docs/page/part.md": "# Part\n\n## Second section\n\n[up](../page.md)\n",
        "docs/lab/2026-01-02-topic.md": "# Topic\n",
        "docs/lab/index.md": "# Laboratory\n",
        "site/nav.toml": NAVIGATION,
        "site/pictures/some.py": PICTURE,
    }

    def prepare(self, folder):
        for name in ("draw.py", "make.py"):
            shutil.copy(ROOT / "site" / "pictures" / name, folder / "site" / "pictures")

    def with_page(self, old, new):
        self.assertIn(old, PAGE)
        return {"docs/page.md": PAGE.replace(old, new)}

    def test_links(self):
        self.refuses(self.with_page("[the words](#words)", "[no\nwords](gone.md)"),
                     "docs/page.md:3: the link 'gone.md' leads to no page")
        self.refuses(self.with_page("#second-section", "#third-section"),
                     "docs/page.md:3: the link 'page/part.md#third-section' leads to no heading of docs/page/part.md")
        self.refuses(self.with_page("#words", "#word"), "docs/page.md:3: the link '#word' leads to no heading of "
                                                        "docs/page.md")
        self.refuses(self.with_page("#words", "../core/A.h"), "docs/page.md:3: the link '../core/A.h' leads out of "
                                                              "docs/; write the path as `code`")
        self.refuses({"README.md": "[gone](core/gone)\n"}, "README.md:1: the link 'core/gone' leads to no page")

    def test_references(self):
        self.refuses({"core/A.h": "\n// As docs/page.md,\n// \"Other words\" says.\n"},
                     "core/A.h:2: docs/page.md has no section \"Other words\"")
        self.refuses({"core/A.h": "// docs/gone.md, \"Words\"\n"}, "core/A.h:1: there is no page docs/gone.md")

    def test_pictures(self):
        self.refuses(self.with_page("steps.svg", "stages.svg"),
                     "docs/page.md:5: no function of site/pictures makes the picture 'stages'",
                     "site/pictures/some.py:1: the picture 'steps' is on no page")
        self.refuses(self.with_page("pictures/steps.svg", "../levels.png"),
                     "docs/page.md:5: the picture '../levels.png' is not one of docs/pictures/NAME.svg",
                     "site/pictures/some.py:1: the picture 'steps' is on no page")
        self.refuses(self.with_page("[the steps]", "[]"),
                     "docs/page.md:5: the picture 'pictures/steps.svg' has no text that says what it shows",
                     "site/pictures/some.py:1: the picture 'steps' is on no page")

    def test_blocks(self):
        self.refuses(self.with_page("x = 1", "y = 1\nx = = 1"), "docs/page.md:11: this is not Python: invalid syntax")
        self.refuses(self.with_page("ci/test --quick", "if ci/test; then"),
                     "docs/page.md:15: this is not shell: syntax error: unexpected end of file")
        known = ("there are text, bash, python, json, toml, mlir, asm, c, cmake, cpp, diff, llvm, ptx, spirv, "
                 "tablegen, yaml")
        self.refuses(self.with_page("```python", "```"), f"docs/page.md:9: the block has no language; {known}")
        self.refuses(self.with_page("```python", "```pyhton"),
                     f"docs/page.md:9: the block's language 'pyhton' is unknown; {known}")
        self.refuses({"docs/index.md": "# Home\n\n```text\n"}, "docs/index.md:3: nothing closes this block")
        for language, text, why in (("json", '{"a": }', "this is not JSON: Expecting value"),
                                    ("mlir", "scf.for {", "nothing closes '{'"), ("mlir", "a)", "')' closes nothing")):
            self.refuses({"docs/index.md": f"# Home\n\n```{language}\n{text}\n```\n"}, f"docs/index.md:4: {why}")
            self.accepts({"docs/index.md": f"# Home\n\n```{language}\n{text}\n...\n```\n"})

    def test_navigation(self):
        message = ("the page is not in the navigation; name it in site/nav.toml, or link to it from the page above its "
                   "folder")
        self.refuses({"docs/other.md": "# Other\n"}, f"docs/other.md:1: {message}")
        self.refuses({"docs/page/more.md": "# More\n"}, f"docs/page/more.md:1: {message}")
        self.refuses({"site/nav.toml": NAVIGATION.replace('"page.md"', '"page.md",\n"gone.md"')},
                     "site/nav.toml:4: there is no page docs/gone.md")
        self.refuses({"site/nav.toml": NAVIGATION.replace('"page.md"', '"page.md", "index.md"')},
                     "site/nav.toml:3: the page docs/index.md is named twice")


HEAD = '<html><head><link rel="stylesheet" href="style.css"><script src="script.js"></script></head><body>\n'


class Output(Planted):
    command = [ROOT / "site" / "check_output.py"]
    tree = {
        "index.html": HEAD + '<a href="page/#words">words</a> <a href="https://example.org">elsewhere</a>',
        "page/index.html": '<html><body><h2 id="words"></h2><img src="../picture.svg"></body></html>',
        "style.css": "a { background: url(picture.svg) }",
        "script.js": "",
        "picture.svg": "<svg/>",
    }

    def test_other_hosts(self):
        for element in ('<script src="{}"></script>', '<img src="{}">', '<link rel="preconnect" href="{}">',
                        '<iframe src="{}"></iframe>', '<p style="background: url({})">',
                        "<style>a {{b: url('{}')}}</style>"):
            for url in ("https://example.org/a", "//example.org/a"):
                self.refuses({"index.html": HEAD + element.format(url)},
                             f"index.html:2: '{url}' is loaded from another host")
        self.refuses({"style.css": "\n@import 'https://example.org/a.css';"},
                     "style.css:2: 'https://example.org/a.css' is on another host")

    def test_dead_links(self):
        self.refuses({"picture.svg": None}, "page/index.html:1: '../picture.svg' is no file of the site")
        self.refuses({"index.html": HEAD + '<a href="gone/">x</a>'},
                     "index.html:2: the link 'gone/' leads to no file of the site")
        self.refuses({"index.html": HEAD + '<a href="page/#gone">x</a>'},
                     "index.html:2: the link 'page/#gone' leads to no element of its page")


class Browser(unittest.TestCase):
    """What only a browser sees."""

    pages = {
        "right/index.html": "<p>right</p>",
        "console/index.html": "<script>console.error('wrong')</script>",
        "wide/index.html": "<div style='width: 600px'>wide</div>",
        "elsewhere/index.html": "<script>fetch('http://127.0.0.2:9/').catch(() => {})</script>",
        "picture/index.html": "<img src='data:image/png;base64,AAAA'>",
    }

    def test_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            for file, text in self.pages.items():
                path = pathlib.Path(folder) / file
                path.parent.mkdir()
                path.write_text("<!doctype html><html><head><meta name='viewport' content='width=device-width'><link "
                                f"rel='icon' href='data:,'></head><body>{text}</body></html>", encoding="utf-8")
            names = sorted(file.removesuffix("index.html") for file in self.pages)
            visit = browser.visit_pages(browser.serve(folder), names, None)
        wrong = {violation.split("/")[0]: violation for violation in visit.violations}
        self.assertEqual(set(wrong), {"console", "wide", "elsewhere", "picture"}, visit.violations)
        self.assertIn("wrong", wrong["console"])
        self.assertRegex(wrong["wide"], "the page is 6\\d\\d pixels wide, the window 390: DIV : wide")
        asked = [violation for violation in visit.violations if "asks for" in violation]
        self.assertEqual(asked, ["elsewhere/ (network): asks for http://127.0.0.2:9/"])


if __name__ == "__main__":
    unittest.main()
