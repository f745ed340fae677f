"""Markdown pages as the site's checks and hooks see them: lines with what they are, headings with their anchors, fenced
blocks, links. Needs Python's library only."""

import collections
import functools
import re
import unicodedata

FENCE = re.compile(r"( *)(```+|~~~+)\s*([\w+#.-]*)(.*)$")
HEADING = re.compile(r"(#{1,6}) +(.*?)(?: +#+)?(?: *\{ *#([\w-]+) *\})? *$")
# [text](target), ![text](target); the text may have brackets in pairs.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]"
                  r"\(<?([^()\s<>]*(?:\([^()\s]*\))?[^()\s<>]*)>?(?: +\"[^\"]*\")?\)")
CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\1(?!`)", re.DOTALL)
# docs/NAME.md, "Section": how pages and comments of the code refer to a section.
REFERENCE = re.compile(r'docs/([\w/.-]+?\.md)(`?),((?:\s|//|#|\*|;)+)"([^"]+)"')

Block = collections.namedtuple("Block", "line language text")  # line: of the opening fence
Heading = collections.namedtuple("Heading", "line level text anchor")
Link = collections.namedtuple("Link", "line is_picture text target")


def slug(text):
    """The anchor that MkDocs gives a heading, as the extension `toc` of Python-Markdown makes it."""
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def plain(text):
    """A heading without its marks: backticks, emphasis, links."""
    text = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(part.strip("`") if part.startswith("`") else re.sub(r"\*+|(?<!\w)_|_(?!\w)", "", part)
                   for part in parts)


class Page:
    """One page: `name` is its path below docs/, or in the tree for pages that stand elsewhere."""

    def __init__(self, name, text):
        self.name, self.lines = name, text.splitlines()
        self.blocks, self.prose, self.unclosed = [], [], 0
        self._split()

    def _split(self):
        """Fills `blocks`, and `prose`: the lines outside of them, by number."""
        begin, mark, language, inside = 0, "", "", []
        for number, line in enumerate(self.lines, 1):
            match = FENCE.match(line)
            if mark:
                if match and match[2].startswith(mark) and not match[3] and not match[4].strip():
                    self.blocks.append(Block(begin, language, "\n".join(inside) + "\n"))
                    mark = ""
                else:
                    inside.append(line)
            elif match:
                begin, mark, language, inside = number, match[2], match[3], []
            else:
                self.prose.append((number, line))
        self.unclosed = begin if mark else 0

    @functools.cached_property
    def headings(self):
        found, used = [], collections.Counter()
        for number, line in self.prose:
            if match := HEADING.match(line):
                text = plain(match[2])
                anchor = match[3] or slug(text)
                base, count = anchor, 0
                while anchor in used:  # the extension's way: name, name_1, name_2
                    count += 1
                    anchor = f"{base}_{count}"
                used[anchor] += 1
                found.append(Heading(number, len(match[1]), text, anchor))
        return found

    @property
    def title(self):
        return next((heading.text for heading in self.headings if heading.level == 1), self.name)

    @property
    def anchors(self):
        explicit = re.findall(r'<a (?:id|name)="([\w-]+)"', "\n".join(line for _, line in self.prose))
        return {heading.anchor for heading in self.headings} | set(explicit)

    def anchor_of(self, section):
        """The anchor of the section with this heading, however it is cased; none where there is no such section."""
        wanted = plain(" ".join(section.split())).lower()
        return next((heading.anchor for heading in self.headings if heading.text.lower() == wanted), None)

    @property
    def links(self):
        """The links and pictures outside of code. The words of a link may be broken over lines."""
        lines = dict(self.prose)
        text = "\n".join(lines.get(number, "") for number in range(1, len(self.lines) + 1))
        text = CODE.sub(lambda code: re.sub(r"[^\n]", "x", code[0]), text)
        for match in LINK.finditer(text):
            yield Link(text.count("\n", 0, match.start()) + 1, match[1] == "!", match[2], match[3])


def references(text):
    """(line, page below docs/, section) of each reference to a section in the text of a file. It may be broken over
    lines of a comment."""
    for match in REFERENCE.finditer(text):
        if match[1] == "NAME.md":  # in texts on such references
            continue
        section = re.sub(r"\s*\n\s*(?://+|#|\*|;)?\s*", " ", match[4])
        yield text.count("\n", 0, match.start()) + 1, match[1], section
