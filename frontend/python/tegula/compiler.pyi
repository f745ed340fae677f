"""Compilation ahead of a launch, for any target and without a device."""

from typing import Any, Container, Mapping, Sequence

from .compiled import Code as Code
from .kernel import JITFunction

class ASTSource:
    """A kernel with the types of its parameters: {"x": "*fp32:16", "n": "i32"}."""

    fn: JITFunction
    signature: dict[str, str]
    constexprs: dict[str, Any]
    attrs: dict[str, dict[str, Any]]
    def __init__(self, fn: JITFunction, signature: Mapping[str, str],
                 constexprs: Mapping[str | tuple[int, ...], Any] | None = None,
                 attrs: Mapping[tuple[int, ...], Sequence[Any]] | None = None) -> None: ...
    def types(self, constants: Container[str] | None = None) -> str: ...

class CompiledSource(Code):
    """The code of one kernel for one target."""

    def __init__(self, handle: Any) -> None: ...

def compile(src: ASTSource, target: Any = None, options: Mapping[str, Any] | None = None) -> CompiledSource: ...
