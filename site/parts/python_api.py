"""The reference of the Python package: which names stand on which page. mkdocstrings writes them out from their
docstrings. Needs Python's library only."""

import ast
import pathlib

# The modules of the package that programs use, in the order of their pages.
MODULES = ["tegula", "tegula.testing", "tegula.knobs", "tegula.compiler", "tegula.triton"]


def source(package, module):
    path = pathlib.Path(package, *module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def public_names(tree, is_package):
    """The functions and classes that a module defines with a docstring; of a package also what it imports from its own
    modules, but for modules."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if not node.name.startswith("_") and ast.get_docstring(node):
                yield node.name
        elif is_package and isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            yield from (alias.asname or alias.name for alias in node.names
                        if not (alias.asname or alias.name).startswith("_"))


def pages(package):
    """(name, Markdown) of each page."""
    for module in MODULES:
        file = source(package, module)
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        head, _, rest = (ast.get_docstring(tree, clean=False) or "").partition("\n\n")
        parts = [f"# `{module}`\n", head + "\n", fenced(rest)]
        for name in public_names(tree, file.name == "__init__.py"):
            parts.append(f"::: {module}.{name}\n")
        yield f"reference/python/{module.replace('.', '-')}.md", "\n".join(parts)


def fenced(text):
    """Indented parts of a docstring as blocks of Python."""
    lines, block = [], []
    for line in [*text.splitlines(), "end"]:
        if line.startswith("    ") or block and not line.strip():
            block.append(line[4:])
            continue
        if block:
            lines += [f"```{language_of(block)}", *"\n".join(block).rstrip().splitlines(), "```", ""]
            block = []
        lines.append(line)
    return "\n".join(lines[:-1]) + "\n"


def language_of(block):
    try:
        ast.parse("\n".join(block))
    except SyntaxError:
        return "text"
    return "python"
