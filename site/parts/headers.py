"""The reference of the C and of the C++ interface: Markdown pages from the public headers, a page for each header.

Declarations that follow each other without an empty line or a comment between them share a heading and the comment
above the first. Where the header has rules such as `/* ---- Devices ---- */` they are the sections.
"""

import posixpath
import re

from . import doxygen

LANGUAGES = {"reference/c/": ("c", ["tegula.h", "types.h", "tuning.h"]),
             "reference/cpp/": ("cpp", ["tegula.hpp", "types.hpp"])}
HIDDEN = ("TEGULA_EXPORT", "TEGULA_API")  # how the library exports names
RULE = re.compile(r"/\* -{4,} (.*?) -{4,} \*/")


def escaped(text):
    return re.sub(r"([*_\[\]])", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")


def head_comment(lines):
    """The comment at the head of a header, as Markdown. Lines that are indented further are code."""
    text = []
    for line in lines:
        match = re.match(r"(?:/\*| \*|//)( ?)(.*?)( ?\*/)?$", line)
        if not match:
            break
        if not line.startswith(" */"):
            text.append(match[2])
        if "*/" in line:
            break
    return text


def as_markdown(text, language, linked):
    """Lines of a comment: `Word.  text` is a term and its text, indented lines are a block of code. `linked` makes
    links of the names in prose."""
    lines, block = [], []

    def flush():
        while block and not block[-1].strip():
            block.pop()
        if block:
            lines.extend([f"```{language}", *block, "```", ""])
        block.clear()

    for line in text:
        if line.startswith("  ") or block and not line.strip():
            block.append(line.removeprefix("  "))
        else:
            flush()
            parts = re.split(r"(`[^`]*`)", line)
            line = "".join(part if part.startswith("`") else linked(part) for part in parts)
            lines.append(re.sub(r"^(\w+)\.  ", r"**\1.** ", line))
    flush()
    return "\n".join(lines)


class Reference:
    """The pages: `pages()` gives (name, Markdown)."""

    def __init__(self, folder):
        self.headers = doxygen.Headers(folder)
        self.anchors = {}  # Doxygen's name: (page, anchor)
        self.of_name = {}  # the same for names of the C interface
        self.taken = set()
        self.names = {header: prefix + header.replace(".", "-") + ".md"
                      for prefix, (_, headers) in LANGUAGES.items() for header in headers}
        missing = set(self.headers.lines) - set(self.names)
        if missing:
            raise RuntimeError(f"site/parts/headers.py does not name the header {', '.join(sorted(missing))}")
        for header in self.names:
            for entity in self.headers.entities[header]:
                self._name(entity, header, "")

    def _name(self, entity, header, prefix):
        anchor = prefix + (entity.name or f"line-{entity.line}")
        self.of_name[entity.name] = self.names[header], anchor
        for name in entity.ids:
            self.anchors.setdefault(name, (self.names[header], anchor))
        for member in entity.members:
            for name in member.ids:
                self.anchors[name] = (self.names[header], f"{anchor}-{member.name}")

    def pages(self):
        for prefix, (language, headers) in LANGUAGES.items():
            for header in headers:
                self.taken = set()
                yield self.names[header], "\n".join(self._page(prefix, language, header)) + "\n"

    def _page(self, prefix, language, header):
        lines = self.headers.lines[header]
        yield f"# {prefix.split('/')[1].replace('cpp', 'C++').upper()}: `tegula/{header}`\n"
        yield as_markdown(head_comment(lines), language, lambda text: self._linked(text, self.names[header])) + "\n"
        section, shown = None, [entity for entity in self.headers.entities[header] if entity.name not in HIDDEN]
        for group in self._groups(shown, lines):
            above = [match[1] for line in lines[:group[0].line] if (match := RULE.match(line))]
            if above and above[-1] != section:
                section = above[-1]
                yield f"## {section}\n"
            yield from self._group(group, language, 3 if above else 2, "")

    def _groups(self, entities, lines):
        groups = []
        for entity in entities:
            if groups:
                between = lines[groups[-1][-1].end:entity.line - 1]
                if entity.line <= groups[-1][-1].end or not between:
                    if not any(entity.line <= other.end and other.line < entity.line for other in groups[-1]):
                        groups[-1].append(entity)
                    continue
            groups.append([entity])
        return groups

    def _group(self, group, language, level, prefix):
        names = list(dict.fromkeys(entity.name for entity in group if entity.name)) or ["constants"]
        shown = [name for name in names if not re.fullmatch(r"TEGULA_\w+_INIT", name)] or names
        anchors = [prefix + (entity.name or f"line-{entity.line}") for entity in group]
        fresh = [anchor for anchor in dict.fromkeys(anchors) if anchor not in self.taken]
        self.taken.update(fresh)
        own = f" {{#{fresh[0]}}}" if fresh else ""
        yield f"{'#' * level} {', '.join(f'`{name}`' for name in shown)}{own}\n"
        if len(fresh) > 1:
            yield "".join(f'<a id="{anchor}"></a>' for anchor in fresh[1:]) + "\n"
        code = "\n".join(self._code(entity) for entity in group)
        yield f"```{language}\n{code}\n```\n"
        for entity in group:
            for doc in entity.docs:
                is_in_code = " ".join("".join(doc.itertext()).split()) in code  # a comment behind the declaration
                if text := not is_in_code and self._text(doc, self.names[entity.header]):
                    yield text + "\n"
        for entity in group:
            for members in self._groups(entity.members, self.headers.lines[entity.header]):
                yield from self._group(members, language, level + 1, f"{prefix}{entity.name}-")

    def _code(self, entity):
        lines = self.headers.lines[entity.header][entity.line - 1:entity.end]
        if entity.members:
            lines = [lines[0].split("{")[0].rstrip() + ";"]
        indent = len(lines[0]) - len(lines[0].lstrip())
        text = "\n".join(line[indent:] if not line[:indent].strip() else line.lstrip() for line in lines)
        if mark := re.match(r"TEGULA_(EXPORT|API) ", text):
            text = text.replace("\n" + " " * mark.end(), "\n")
        text = re.sub(r"\bTEGULA_(EXPORT|API) ", "", text)
        text = re.sub(r" +\\\n", r" \\\n", text)
        if entity.kind == "function":
            text = without_body(text)
        return text

    def _text(self, element, page):
        """Markdown of a comment."""
        paragraphs = []
        for child in element:
            if child.tag == "para":
                paragraphs.append(self._inline(child, page).strip())
        return "\n\n".join(text for text in paragraphs if text)

    def _linked(self, text, page):
        """Plain text, in which names of the C interface are links."""
        parts = re.split(r"\b((?:tegula|TEGULA)_\w+)\b", text)
        for place in range(1, len(parts), 2):
            if parts[place] in self.of_name:
                parts[place] = self._link(f"`{parts[place]}`", self.of_name[parts[place]], page)
            else:
                parts[place] = escaped(parts[place])
        parts[::2] = [escaped(part) for part in parts[::2]]
        return "".join(parts)

    def _link(self, words, place, page):
        target, anchor = place
        if target == page:
            return f"[{words}](#{anchor})"
        return f"[{words}]({posixpath.relpath(target, posixpath.dirname(page))}#{anchor})"

    def _inline(self, element, page, is_linked=True):
        plain = (lambda text: self._linked(text, page)) if is_linked else escaped
        text = plain(element.text or "")
        for child in element:
            inside = self._inline(child, page, is_linked and child.tag not in ("ref", "ulink"))
            if child.tag == "computeroutput":
                inside = "`" + "".join(child.itertext()) + "`"
            elif child.tag == "ref" and child.get("refid") in self.anchors:
                inside = self._link(f"`{''.join(child.itertext())}`", self.anchors[child.get("refid")], page)
            elif child.tag == "itemizedlist":
                items = ["- " + self._text(item, page).replace("\n", "\n  ") for item in child.iter("listitem")]
                inside = "\n\n" + "\n".join(items) + "\n\n"
            elif child.tag in ("emphasis", "bold"):
                inside = f"*{inside}*"
            text += inside + plain(child.tail or "")
        return text


def without_body(text):
    """A function's declaration: what stands before its body or its members' initialisers."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "(") - (character in ")")
        is_colon = character == ":" and "::" not in text[place - 1:place + 2]
        if depth == 0 and place and text[:place].count("(") and (character == "{" or is_colon):
            return text[:place].rstrip() + ";"
    return text
