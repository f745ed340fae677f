"""Fenced blocks of pages: which languages there are, and what a block of each must satisfy. A block that leaves
something out says `...`: Python and shell read that as a word, blocks of the other languages are then not parsed. Needs
Python's library only."""

import ast
import json
import re
import subprocess
import textwrap
import tomllib


def python_problem(text):
    try:
        ast.parse(textwrap.dedent(text))
    except SyntaxError as error:
        return error.lineno or 1, f"this is not Python: {error.msg}"
    return None


def shell_problem(text):
    result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    if result.returncode == 0:
        return None
    match = re.search(r"line (\d+): (.*)", result.stderr)
    return (int(match[1]), f"this is not shell: {match[2]}") if match else (1, "this is not shell")


def json_problem(text):
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, f"this is not JSON: {error.msg}"
    return None


def toml_problem(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return 1, f"this is not TOML: {error}"
    return None


def brackets_problem(text):
    """Of MLIR, of which pages show parts that no parser would take."""
    opened = []
    for number, line in enumerate(text.splitlines(), 1):
        for mark in re.findall(r"[()\[\]{}]", re.sub(r'"[^"]*"|//.*', "", line)):
            if mark in "([{":
                opened.append((number, mark))
            elif not opened or opened.pop()[1] + mark not in ("()", "[]", "{}"):
                return number, f"'{mark}' closes nothing"
    return (opened[-1][0], f"nothing closes '{opened[-1][1]}'") if opened else None


# The parser of each language; None: not parsed.
LANGUAGES = {
    "text": None,
    "bash": shell_problem,
    "python": python_problem,
    "json": json_problem,
    "toml": toml_problem,
    "mlir": brackets_problem,
    **dict.fromkeys(["asm", "c", "cmake", "cpp", "diff", "llvm", "ptx", "spirv", "tablegen", "yaml"]),
}


def problems(page):
    """(line, message) for the blocks of a page."""
    if page.unclosed:
        yield page.unclosed, "nothing closes this block"
    for block in page.blocks:
        if block.language not in LANGUAGES:
            named = f"the block's language '{block.language}' is unknown" if block.language else \
                "the block has no language"
            yield block.line, f"{named}; there are {', '.join(LANGUAGES)}"
            continue
        parser = LANGUAGES[block.language]
        if parser and not ("..." in block.text and block.language not in ("bash", "python")):
            if found := parser(block.text):
                yield block.line + found[0], found[1]
