"""What the site adds to MkDocs: pages made from the code, pictures, the navigation, links for references to sections.

MkDocs calls the functions `on_...`. Options come by the environment, from ci/site: TEGULA_SITE_PROGRAMS is the folder
of the built programs, build/all/bin.
"""

import logging
import os
import pathlib
import posixpath
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "pictures")]

import make  # noqa: E402
from mkdocs.exceptions import PluginError  # noqa: E402
from mkdocs.structure.files import File  # noqa: E402
from parts import commands, headers, lessons, mlir_lexer, navigation, pages, python_api  # noqa: E402

make.known()  # now: MkDocs takes these folders from the path again
log = logging.getLogger("mkdocs.hooks.tegula")

# In prose: links and code, which stay; `docs/page.md` in code; docs/page.md, "Section"; docs/page.md.
MENTION = re.compile(
    r'(?P<link>!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^()]*\))'
    r'|(?P<quote>`?)docs/(?P<page>[\w/-]+\.md)(?P=quote)(?P<section>,\s+"[^"]+")?'
    r'|(?P<code>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)*?(?<!`)(?P=ticks)(?!`))', re.DOTALL)

# A code span, or a link outside of code.
CODE_OR_LINK = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)*?(?<!`)(?P=ticks)(?!`)"
                          r"|\[(?P<words>[^\[\]]*)\]\((?P<target>[^()\s]*)\)", re.DOTALL)
# In HTML: docs/page.md, perhaps with a section.
MENTION_IN_HTML = re.compile(r'docs/(?P<page>[\w/-]+\.md)(?:,\s+(?:"|&quot;)(?P<section>[^"&<>]+)(?:"|&quot;))?')


class Site:
    """Of one build: the pages as text, by name."""

    sources = {}
    edited = {}


def programs():
    folder = pathlib.Path(os.environ.get("TEGULA_SITE_PROGRAMS", ROOT / "build" / "all" / "bin"))
    if not (folder / "tegula").is_file():
        raise PluginError(f"there is no program {folder / 'tegula'}; build the preset 'all', or name the folder of the "
                          "programs: ci/site --programs FOLDER")
    return folder


def contributing():
    """CONTRIBUTING.md as a page: links into docs/ are links of the site, others are words."""
    def replace(match):
        if match["ticks"]:
            return match[0]
        target = match["target"].removeprefix("docs/")
        return f"[{match['words']}]({target})" if re.match(r"https?:|#|[\w/-]+\.md(#|$)", target) else match["words"]

    return CODE_OR_LINK.sub(replace, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def made_pages():
    """(name, text or bytes) of all files that the build makes; pages in the order of the navigation."""
    yield "contributing.md", contributing()
    samples = lessons.Lessons(ROOT, programs())
    yield from samples.pages()
    yield from samples.pictures.items()
    yield commands.page(programs() / "tegula")
    yield from headers.Reference(ROOT / "core" / "runtime" / "include" / "tegula").pages()
    yield from python_api.pages(ROOT / "frontend" / "python")
    for name, svg in make.pictures(str(programs() / "tegula")):
        yield f"pictures/{name}.svg", svg
    yield "assets/tegula.css", (HERE / "tegula.css").read_text(encoding="utf-8")


def on_config(config):
    mlir_lexer.register()
    return config


def on_files(files, config):
    for file in list(files):
        if file.src_uri in ("readme.svg",):  # README's; the site has the one that it makes
            files.remove(file)
    made = []
    try:
        contents = list(made_pages())
    except (RuntimeError, subprocess.CalledProcessError) as error:
        raise PluginError(str(error)) from error
    for name, content in contents:
        files.append(File.generated(config, name, content=content))
        if name.endswith(".md"):
            made.append(name)
    written = {}
    Site.sources = {}
    for file in files.documentation_pages():
        page = pages.Page(file.src_uri, file.content_string)
        Site.sources[file.src_uri] = page
        if file.src_uri not in made:
            written[file.src_uri] = page
    order = navigation.Navigation(HERE / "nav.toml", written, made)
    for file, line, message in order.problems:
        log.warning("%s:%s: %s", file, line, message)
    for name in sorted(set(made) - order.named - set(re.findall(r'"([^"]+\.md)"', "\n".join(order.lines)))):
        log.warning("site/nav.toml:1: the navigation leaves out the page %s, which is made from the code", name)
    config.nav = order.tree
    return files


def linked(text, source):
    """Prose in which mentions of pages are links; `source` is the name of the page that the prose is of."""
    def replace(match):
        if not match["page"] or match["page"].startswith("NAME"):  # docs/NAME.md: any page
            return match[0]
        target = Site.sources.get(match["page"])
        if target is None:
            log.warning("%s: there is no page docs/%s", source, match["page"])
            return match[0]
        url = posixpath.relpath(target.name, posixpath.dirname(source) or ".")
        if not match["section"]:
            return f"[{target.title}]({url})"
        section = re.search(r'"([^"]+)"', match["section"])[1]
        anchor = target.anchor_of(section)
        if anchor is None:
            log.warning("%s: docs/%s has no section \"%s\"", source, match["page"], section)
            return match[0]
        return f"[{target.title}, \"{' '.join(section.split())}\"]({url}#{anchor})"

    return MENTION.sub(replace, text)


def on_page_markdown(markdown, page, config, files):
    """Links for mentions, outside of fenced blocks."""
    name = page.file.src_uri
    is_prose = {number for number, _ in pages.Page(name, markdown).prose}
    parts, current, kind = [], [], True
    for number, line in enumerate(markdown.splitlines(), 1):
        if (number in is_prose) != kind:
            parts.append((kind, current))
            current, kind = [], not kind
        current.append(line)
    parts.append((kind, current))
    return "\n".join(linked("\n".join(lines), name) if kind else "\n".join(lines) for kind, lines in parts if lines)


def on_page_content(html, page, config, files):
    """Links for the mentions that are no Markdown: on pages of the reference, in docstrings, in help texts and in the
    comments of code."""
    if not page.file.src_uri.startswith("reference/"):
        return html
    parts, links, blocks = re.split(r"(<[^<>]+>)", html), 0, 0

    def replace(match):
        target = Site.sources.get(match["page"])
        if target is None:
            log.warning("%s: there is no page docs/%s", page.file.src_uri, match["page"])
            return match[0]
        anchor = target.anchor_of(match["section"]) if match["section"] else None
        url = files.get_file_from_path(target.name).url_relative_to(page.file) + (f"#{anchor}" if anchor else "")
        return f'<a href="{url}">{match[0] if blocks or match["section"] else target.title}</a>'

    for place, part in enumerate(parts):
        if place % 2:
            links += bool(re.match(r"<a\b", part)) - (part == "</a>")
            blocks += bool(re.match(r"<pre\b", part)) - (part == "</pre>")
        elif not links:
            parts[place] = MENTION_IN_HTML.sub(replace, part)
    return "".join(parts)
