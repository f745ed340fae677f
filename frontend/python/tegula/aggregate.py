"""Classes that kernels use as values of several fields: Triton's `_aggregate`."""

import ast
import functools
import inspect
import linecache
import sys

from . import errors
from .kernel import SourceFunction
from .source import Definition, path_of


def _unwrapped(member):
    """A member of a class without `staticmethod` or `classmethod`."""
    return member.__func__ if isinstance(member, (staticmethod, classmethod)) else member


def _function_of(member):
    """The function of Python that a member of a class was defined as; None for a property, a constant and others."""
    member = _unwrapped(member)
    function = member.fn if isinstance(member, SourceFunction) else member
    return inspect.unwrap(function) if inspect.isfunction(function) else None


def _node_of(cls, lines):
    """The class' node in the syntax tree of its file's lines. Python finds classes by name, but a file may define one
    several times; the class' own functions tell them apart, or its fields."""
    nodes = [node for node in ast.walk(ast.parse("".join(lines)))
             if isinstance(node, ast.ClassDef) and node.name == cls.__name__]
    if len(nodes) == 1:
        return nodes[0]
    own = [function.__code__.co_firstlineno for name, member in vars(cls).items()
           if (function := _function_of(member)) and function.__qualname__ == f"{cls.__qualname__}.{name}"]
    fields = list(inspect.get_annotations(cls))
    chosen = [node for node in nodes if all(node.lineno <= line <= node.end_lineno for line in own) and
              [part.target.id for part in node.body if isinstance(part, ast.AnnAssign) and part.simple] == fields]
    if not nodes:
        raise OSError("source code not available")
    if not chosen or any(ast.dump(node) != ast.dump(chosen[0]) for node in chosen):
        raise OSError(f"its file has {len(nodes)} classes of this name, and it cannot be told which is meant")
    return chosen[0]


def _files_of(cls, definer):
    """The files in which a class may stand: that of the code that marks it, or that of its module, where other code
    marked it. The module of notebooks has no file, or that of the program that runs them."""
    yield definer
    try:
        if file := inspect.getsourcefile(cls):
            yield file
    except (OSError, TypeError):
        pass


def _text_of(cls, definer):
    """(file, lines, number of the first one) of a class from `class` on, or why they are not known."""
    problem = None
    for file in _files_of(cls, definer):
        linecache.checkcache(file)
        lines = linecache.getlines(file)
        try:
            node = _node_of(cls, lines)
            return path_of(file), lines[node.lineno - 1:node.end_lineno], node.lineno
        except (OSError, SyntaxError) as error:
            problem = problem or error
    return problem


class Aggregate:
    """A class marked by `_aggregate`, with its definition and the namespaces of its names. To KernelSource it is like a
    SourceFunction."""

    decorator = "language.core._aggregate"

    def __init__(self, cls, definer):
        self.fn = cls
        self.__name__ = cls.__name__
        self._text = _text_of(cls, definer)

    @functools.cached_property
    def definition(self):
        return Definition(self.fn, self._text)

    def _member(self, name):
        """What the class has now for a name of its text."""
        is_private = name.startswith("__") and not name.endswith("__")
        return vars(self.fn).get(f"_{self.__name__.lstrip('_')}{name}" if is_private else name)

    def parts(self):
        """The class' functions: (node of the syntax tree, function of Python)."""
        definition, found = self.definition, []
        before = definition.line - definition.node.lineno  # lines of the file before the text that was parsed
        for node in definition.node.body:
            function = _function_of(self._member(node.name)) if isinstance(node, ast.FunctionDef) else None
            if not function:
                continue
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if not first <= function.__code__.co_firstlineno - before <= node.end_lineno:
                raise errors.UseError(f"{definition.file}:{before + node.lineno}: '{node.name}' of aggregate "
                                      f"'{self.__name__}' was replaced; kernels know a class by its text, so write the "
                                      "method there")
            found.append((node, function))
        return found

    def place(self, name):
        """Where the value of a name that is not local to the class' functions is found: (dict, name), or (cell of a
        closure, None)."""
        for _, function in self.parts():
            if name in function.__code__.co_freevars:
                return function.__closure__[function.__code__.co_freevars.index(name)], None
        return vars(sys.modules[self.fn.__module__]), name

    def marks(self):
        """The decorators inside of the definition, as the compiler knows them: {expression's node: text}."""
        marks = {}
        for node, _ in self.parts():
            member = _unwrapped(self._member(node.name))
            if isinstance(member, SourceFunction) and node.decorator_list:  # its mark is the innermost decorator
                decorator = node.decorator_list[-1]
                called = isinstance(decorator, ast.Call)
                marks[decorator.func if called else decorator] = "triton." + member.decorator
        return marks
