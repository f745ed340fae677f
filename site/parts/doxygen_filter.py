#!/usr/bin/env python3
"""Doxygen's input filter: gives the comments of the public headers the form that Doxygen reads.
usage: doxygen_filter.py HEADER

    /// text            as it is
    /* text */          before a declaration: /** text */
    int a; // text      behind one: ///< text
    int a; /* text */   /**< text */

Other comments are left. Lines keep their numbers. Characters that Doxygen would read as commands are escaped.
"""

import re
import sys

# Code, then a comment that ends the line.
BEHIND = re.compile(r"^(\s*[^\s/*].*?)\s+(?:// ?(.*)|/\* (.*) \*/)$")


def escaped(text):
    """Comment text in which nothing but `code` and names has a meaning."""
    parts = re.split(r"(`[^`]*`)", text.replace("\\", "\\\\"))
    return "".join(part if part.startswith("`") else re.sub(r"([@<>#&%])", r"\\\1", part) for part in parts)


def converted(text):
    lines, in_comment, is_documented = [], False, False
    for number, line in enumerate(text.splitlines()):
        if in_comment:
            in_comment = "*/" not in line
            lines.append(escaped_inside(line) if is_documented else line)
        elif re.match(r"\s*/\* ----", line):
            lines.append("")
        elif match := re.match(r"(\s*)/\* ?(.*)$", line):
            in_comment = "*/" not in line
            is_documented = number > 0  # the first comment is the file's: the converter takes it from the header itself
            lines.append(f"{match[1]}/** {escaped_inside(match[2])}" if is_documented else line)
        elif match := re.match(r"(\s*)/// ?(.*)$", line):
            lines.append(f"{match[1]}/// {escaped(match[2])}")
        elif match := BEHIND.match(line):
            lines.append(f"{match[1]} ///< {escaped(match[2] or match[3])}")
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def escaped_inside(line):
    """A line of a comment /* ... */."""
    match = re.match(r"(\s*\* ?|\s*)(.*?)(\s*\*/)?$", line)
    return match[1] + escaped(match[2]) + (match[3] or "")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(converted(file.read()))
