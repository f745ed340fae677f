"""The text that the compiler gets for a kernel, and the values of the names that it uses.

The text stands for the kernel's file: the kernel and the functions and aggregates of the same file that it uses are at
their own lines and columns, so that messages point there; all other lines are blank, because the running program knows
better than the text what imports, decorators and assignments gave. Names are passed beside the text (tegula_global),
names of the language as imports in the first line, or behind the text where that line is taken. Functions of other
files are read from those files. A notebook's cell, or text that was executed, is a file that is not on the disk: its
functions are passed as a text of the same kind (tegula_source_text)."""

import ast
import builtins
import inspect
import math
import numbers
import operator
import os
import textwrap
import types

from . import errors
from .language.types import KernelOnly, constexpr, dtype

_IMPORTS = "import triton, triton.language as tl"


def path_of(file):
    """The absolute path of a file; the name of a text that is none, such as `<ipython-input-1>`, as it is."""
    if not file:
        raise OSError("source code not available")
    return file if file.startswith("<") else os.path.abspath(file)


def text_of(fn):
    """(file, lines, number of the first one) of a function, or why they are not known. Asked when the function is
    defined: its file may change later."""
    try:
        return (path_of(inspect.getsourcefile(fn)), *inspect.getsourcelines(fn))
    except (OSError, TypeError) as error:
        return error


class Definition:
    """Where a kernel's function or an aggregate stands: lines from `def` or `class` on, numbered from 1, as they are in
    the file."""

    def __init__(self, fn, text):
        """`text`: what text_of says of the function, or the same of a class."""
        noun, kind, statement, node = ("an aggregate", "class", "class", ast.ClassDef) if isinstance(fn, type) else (
            "a kernel", "function", "def", ast.FunctionDef)
        if isinstance(text, Exception):
            raise errors.UseError(f"the source of '{fn.__name__}' is not known ({text}); {noun} has to stand in a "
                                  "file, in a notebook's cell or in a text that linecache knows")
        self.file, lines, first = text
        self.node = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(self.node, node):
            raise errors.UseError(f"{self.file}:{first}: {noun} is a {kind} that is defined by '{statement}'")
        self.line = first + self.node.lineno - 1
        self.lines = [line.rstrip("\r\n") for line in lines[self.node.lineno - 1:]]
        self.indentation = self.lines[0][:len(self.lines[0]) - len(self.lines[0].lstrip())]

    def with_texts(self, texts):
        """The lines, with the texts in `texts` instead of the expressions that are its keys."""
        lines = [line.encode() for line in self.lines]
        indentation, first = len(self.indentation), self.node.lineno
        for node in sorted(texts, key=lambda node: (node.lineno, node.col_offset), reverse=True):
            start, end = node.lineno - first, node.end_lineno - first
            behind = lines[end][indentation + node.end_col_offset:]
            lines[start] = lines[start][:indentation + node.col_offset] + texts[node].encode()
            lines[start + 1:end + 1] = [b""] * (end - start)
            lines[end] += behind
        return [line.decode() for line in lines]


class _Chains(ast.NodeVisitor):
    """Collects `a.b.c` as ("a", "b", "c"), of all names that are read outside of the expressions `ignored`."""

    def __init__(self, ignored):
        self.found, self._ignored = {}, ignored

    def visit(self, node):
        if node not in self._ignored:
            super().visit(node)

    def visit_Attribute(self, node):
        path, base = [], node
        while isinstance(base, ast.Attribute):
            path.insert(0, base.attr)
            base = base.value
        if isinstance(base, ast.Name):
            self.found[(base.id, *path)] = None
        else:
            self.visit(base)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.found[(node.id,)] = None


def _chains(function, ignored):
    """What the function or aggregate reads (_Chains) of names that are not local."""
    found = {}
    for node, fn in function.parts():
        chains = _Chains(ignored)
        for part in (*node.body, node.args):
            chains.visit(part)
        found.update({chain: None for chain in chains.found if chain[0] not in fn.__code__.co_varnames})
    if isinstance(function.definition.node, ast.ClassDef):
        fields = _Chains(ignored)
        for part in function.definition.node.body:
            if isinstance(part, ast.AnnAssign):
                fields.visit(part)
        found.update(fields.found)
    return found


def _defaults(node):
    """The expressions of the defaults of a function's parameters by name."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [*zip(reversed(positional), reversed(given.defaults)), *zip(given.kwonlyargs, given.kw_defaults)]
    return {parameter.arg: default for parameter, default in pairs if default}


def literal(value):
    """The value as an expression of the language; None where it has none."""
    if isinstance(value, constexpr):
        return literal(value.value)
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return repr(str.__str__(value))  # of an Enum's member, too
    if isinstance(value, dtype):
        return f"tl.{value.attribute}"
    if isinstance(value, tuple):
        parts = [literal(part) for part in value]
        return None if None in parts else "(" + "".join(part + ", " for part in parts) + ")"
    if isinstance(value, numbers.Integral):
        return repr(operator.index(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return repr(number) if math.isfinite(number) else f"float('{number}')"
    return None


def _language_import(name, value):
    """The import that binds `name` to what `value` stands for in the language; None for other values."""
    if isinstance(value, types.ModuleType):
        path = "triton" + value.__name__[len("tegula"):] if value.__name__.split(".")[0] == "tegula" else value.__name__
        path = "triton" if path == "triton.triton" else path
        is_language = path == "math" or path.split(".")[0] == "triton"
        return f"import {path} as {name}" if is_language else None
    if value is constexpr or value is dtype:
        return f"from triton.language import {value.__name__} as {name}"
    if isinstance(value, KernelOnly):
        return f"from {value.__module__.replace('tegula', 'triton', 1)} import {value.__name__} as {name}"
    return None


def _defined(value):
    """What has the `definition` of a value that kernels use by its source: the function, or of a class the Aggregate
    (aggregate.py). None for other values. `tl.constexpr(function)` stands for a constexpr function."""
    if isinstance(value, constexpr) and isinstance(value.value, types.FunctionType):
        from .kernel import ConstexprFunction  # which needs this module's names

        return vars(value).setdefault("_function", ConstexprFunction(value.value))
    if isinstance(value, type):
        return vars(value).get("__tegula_aggregate__")
    return value if hasattr(value, "definition") else None


def is_given(value):
    """Whether an argument becomes a part of the kernel's source: a function, an aggregate's class, or a tuple of these
    and of constants."""
    if isinstance(value, constexpr):
        return is_given(value.value)
    if isinstance(value, tuple):
        return all(is_given(part) or literal(part) is not None for part in value)
    return isinstance(value, KernelOnly) or _defined(value) is not None


def tagged(value):
    """A key for a value that is given: 1, 1.0 and True differ, and 0.0 and -0.0."""
    if isinstance(value, constexpr):
        return tagged(value.value)
    if isinstance(value, float):
        return type(value), float.__repr__(value)
    return tuple(map(tagged, value)) if isinstance(value, tuple) else (type(value), value)


ABSENT = object()


def value_at(container, name):
    """The present value at a place (SourceFunction.place), or ABSENT."""
    if name is not None:
        return container.get(name, ABSENT)
    try:
        return container.cell_contents
    except ValueError:  # not assigned yet
        return ABSENT


class _FileText:
    """A file of which the compiler gets some functions and aggregates: those, in their lines."""

    def __init__(self, path):
        self.path, self.functions, self.imports = path, {}, {_IMPORTS: None}

    def render(self, defaults):
        """`defaults`: texts in place of expressions of defaults."""
        placed = sorted(self.functions.values(), key=lambda function: function.definition.line)
        lines = [""] * (placed[-1].definition.line + len(placed[-1].definition.lines))
        imports = "; ".join(self.imports)
        first = placed[0]
        # Defaults may name what is imported, so that imports come first, unless there is no line for them.
        comes_first = first.definition.line - 1 > (first.decorator != "jit") + bool(first.definition.indentation)
        if comes_first:
            lines[0] = imports
        behind = [mark for function in placed if (mark := self._place(lines, function, defaults))]
        return "\n".join([*lines, *([] if comes_first else [imports]), *behind]) + "\n"

    def _place(self, lines, function, defaults):
        """Fills in the lines of the function. What marks it as the language's stands in the line above. Where that is
        taken, it is the statement that is returned, for behind all lines."""
        definition = function.definition
        at = definition.line - 1
        own = function.marks()
        for node, _ in function.parts():
            own.update({node: defaults[node] for node in _defaults(node).values() if node in defaults})
        lines[at:at + len(definition.lines)] = definition.with_texts(own)
        headers = [definition.indentation + "@triton." + function.decorator]
        if definition.indentation and not lines[at - 2].startswith(definition.indentation):
            headers.insert(0, "if True:")
        if function.decorator == "jit" and not self._are_free(lines, at - len(headers), at):
            headers.pop()
        if not self._are_free(lines, at - len(headers), at):
            raise errors.UseError(f"{self.path}:{definition.line}: '{function.__name__}' has to stand below a "
                                  "decorator or an empty line")
        lines[at - len(headers):at] = headers
        is_marked = bool(headers) and headers[-1].lstrip().startswith("@")
        return None if is_marked else f"{function.__name__} = triton.jit({function.__name__})"

    @staticmethod
    def _are_free(lines, start, end):
        return start >= 0 and not any(lines[start:end])


class KernelSource:
    """`text`, `path`, `globals` and `texts` are what tegula_kernel_load_source takes, globals as (file, name, value,
    from) with None for the kernel's own file, texts as (path, text). `watched`: (container, name, value) of each name
    that was passed or is not bound yet. `given`: arguments of the kernel by name that its source gets, for which
    is_given holds."""

    def __init__(self, kernel, given=()):
        self.path, self.name = kernel.definition.file, kernel.__name__
        self._globals = {}
        self._placed = {}  # by file, of the kernel's and of those that are not on the disk: a _FileText
        self._seen = set()
        self._defaults = {}  # texts of expressions
        self.watched = []
        self._refused = {}  # what names stand for that have no meaning in the language
        self._function(kernel)
        for name, value in dict(given).items():
            self._give(self.path, f"{self.name}.{name}", self._expression(value), None)
        self.text = self._placed[self.path].render(self._defaults)
        self.texts = [(file, placed.render(self._defaults)) for file, placed in self._placed.items()
                      if file != self.path]
        self.globals = [(file, name, value, origin) for (file, name), (value, origin) in self._globals.items()]

    def explained(self, error):
        """The error, with the reason where a name is not defined for the compiler but for Python."""
        for name, kind in self._refused.items():
            if f"'{name}' is not defined" in str(error):
                error.args = (f"{error}\nnote: in the program '{name}' is of type '{kind}', which has no meaning in a "
                              "kernel; assign the value that is meant to a global variable",)
        return error

    def _function(self, function):
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        definition = function.definition
        if self._is_placed(definition.file):
            placed = self._placed.setdefault(definition.file, _FileText(definition.file))
            other = placed.functions.setdefault(function.__name__, function)
            if other is not function:
                raise errors.UseError(f"{definition.file}:{definition.line}: kernel '{self.name}' uses two functions "
                                      f"that are called '{function.__name__}'; the other is in line "
                                      f"{other.definition.line}; give them different names")
            self._set_defaults(function)
        elif "<locals>" in function.fn.__qualname__:
            raise errors.UseError(f"{definition.file}:{definition.line}: '{function.__name__}', which kernel "
                                  f"'{self.name}' of {self.path} uses, is defined inside of another function; "
                                  "functions of other files have to stand at the level of their module")
        for chain in _chains(function, self._defaults):
            self._name(function, chain)

    def _is_placed(self, file):
        """Whether the compiler gets functions of the file by a text, because it is the kernel's or not on the disk."""
        return file == self.path or file in self._placed or not os.path.isfile(file)

    def _set_defaults(self, function):
        """Names in defaults had their values when Python came to the function; others may have been bound since."""
        for node, fn in function.parts():
            parameters = inspect.signature(fn).parameters
            for name, default in _defaults(node).items():
                value = parameters[name].default
                if not any(isinstance(part, ast.Name) for part in ast.walk(default)):
                    continue
                text = repr(value) if isinstance(value, KernelOnly) else literal(value)
                if text is None and isinstance(function.fn, type) and is_given(value):
                    text = self._expression(value)
                if text is not None:
                    self._defaults[default] = text

    def _expression(self, value):
        """The expression of the kernel's file for a value for which is_given or literal holds."""
        if isinstance(value, constexpr):
            return self._expression(value.value)
        if isinstance(value, tuple):
            return "(" + "".join(self._expression(part) + ", " for part in value) + ")"
        if isinstance(value, KernelOnly):
            return repr(value)
        defined = _defined(value)
        if not defined:
            return literal(value)
        self._function(defined)
        if defined.definition.file == self.path:
            return value.__name__
        name = f"given_function_{len(self._globals)}"
        self._give(self.path, name, value.__name__, defined.definition.file)
        return name

    def _name(self, function, chain):
        place = function.place(chain[0])
        if value_at(*place) is not ABSENT:
            self._bind(function.definition.file, place, chain)
        elif not hasattr(builtins, chain[0]):  # a name that nothing has bound yet: the compiler refuses it
            self.watched.append((*place, ABSENT))

    def _bind(self, file, place, chain):
        """Passes what the first name of the chain stands for in `file`; of a module the name behind it, too."""
        name, value = chain[0], value_at(*place)
        self.watched.append((*place, value))
        statement = _language_import(name, value)
        if statement:
            if file in self._placed:
                self._placed[file].imports[statement] = None
        elif defined := _defined(value):
            if (file, name) != (defined.definition.file, defined.__name__):
                self._give(file, name, defined.__name__, defined.definition.file)
            self._function(defined)
        elif isinstance(value, types.ModuleType):
            origin = getattr(value, "__file__", None) or ""
            if len(chain) > 1 and origin.endswith(".py") and chain[1] in vars(value):
                origin = os.path.abspath(origin)
                self._give(file, name, None, origin)
                self._bind(origin, (vars(value), chain[1]), chain[1:])
        elif (text := literal(value)) is not None:
            self._give(file, name, text, None)
        else:
            self._refused[name] = type(value).__name__

    def _give(self, file, name, value, origin):
        key = (None if file == self.path else file, name)
        known = self._globals.setdefault(key, (value, origin))
        if known != (value, origin):
            raise errors.UseError(f"{self.path}: functions that kernel '{self.name}' uses see different values of "
                                  f"'{name}', {known[0]} and {value}; give one of them another name")
