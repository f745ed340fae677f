"""Classes that kernels use as values of several fields: Triton's `_aggregate`."""

import ast
import functools
import sys

from .kernel import SourceFunction
from .source import Definition, text_of


class Aggregate:
    """A class marked by `_aggregate`, with its definition and the namespaces of its names. To KernelSource it is like a
    SourceFunction."""

    decorator = "language.core._aggregate"

    def __init__(self, cls):
        self.fn = cls
        self.__name__ = cls.__name__
        self._text = text_of(cls)

    @functools.cached_property
    def definition(self):
        return Definition(self.fn, self._text)

    def parts(self):
        """The class' functions: (node of the syntax tree, function of Python)."""
        found = []
        for node in self.definition.node.body:
            member = vars(self.fn).get(node.name) if isinstance(node, ast.FunctionDef) else None
            function = getattr(member, "fn", getattr(member, "__func__", member))
            if hasattr(function, "__code__"):
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
            member = vars(self.fn)[node.name]
            if isinstance(member, SourceFunction) and len(node.decorator_list) == 1:
                decorator = node.decorator_list[0]
                called = isinstance(decorator, ast.Call)
                marks[decorator.func if called else decorator] = "triton." + member.decorator
        return marks
