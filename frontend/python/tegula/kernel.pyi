"""Kernels: functions that are compiled from their source and launched as `kernel[grid](...)`."""

import inspect
from types import GenericAlias, SimpleNamespace
from typing import Any, Callable, Generic, ParamSpec, Sequence, TypeVar, overload

from . import _launch
from .compiled import CompiledKernel

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Grid = int | Sequence[int] | Callable[[dict[str, Any]], int | Sequence[int]]

class SourceFunction:
    """A function that kernels may use."""

    decorator: str
    fn: Callable[..., Any]
    signature: inspect.Signature
    __name__: str
    __qualname__: str
    def __init__(self, fn: Callable[..., Any]) -> None: ...
    @property
    def definition(self) -> Any: ...
    def parts(self) -> list[tuple[Any, Callable[..., Any]]]: ...
    def place(self, name: str) -> tuple[Any, str | None]: ...
    def marks(self) -> dict[Any, str]: ...

class ConstexprFunction(SourceFunction, Generic[_P, _R]):
    """A function of constants, for Python and for kernels."""

    def __init__(self, fn: Callable[_P, _R]) -> None: ...
    def __call__(self, *arguments: _P.args, **named: _P.kwargs) -> _R: ...

class ExternFunction(SourceFunction):
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...

class Launchable:
    """What is launched as kernel[grid](...)."""

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...  # KernelInterface[T] in annotations
    def __getitem__(self, grid: _Grid) -> Callable[..., CompiledKernel | None]: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...  # inside of kernels, and of a helper of a kernel

class Loaded(_launch.Program):
    source: Any
    handle: Any
    constexprs: frozenset[str]
    def __init__(self, function: JITFunction, arguments: Any = ()) -> None: ...

class JITFunction(_launch.Kernel, SourceFunction, Launchable):
    """A kernel, or a function that kernels call."""

    launch_metadata: Callable[..., dict[str, Any]] | None
    module: str
    do_not_specialize: Sequence[int | str]
    noinline: bool
    debug: bool
    arg_names: list[str]
    def __init__(self, fn: Callable[..., Any], launch_metadata: Callable[..., dict[str, Any]] | None = None,
                 do_not_specialize: Sequence[int | str] = (), noinline: bool = False, debug: bool = False,
                 **_: Any) -> None: ...
    def __getitem__(self, grid: _Grid) -> Callable[..., CompiledKernel | None]: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    def run(self, *arguments: Any, grid: _Grid, **named: Any) -> CompiledKernel | None: ...
    def warmup(self, *arguments: Any, grid: _Grid, **named: Any) -> CompiledKernel: ...
    def bind(self, arguments: Sequence[Any], named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]: ...
    def explain_repeats(self, restored: Sequence[str]) -> str | None: ...
    @property
    def src(self) -> str: ...
    @property
    def params(self) -> list[SimpleNamespace]: ...
    @property
    def cache_key(self) -> str: ...
    @property
    def cache(self) -> dict[bytes, Any]: ...

@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(fn: None = None, *, launch_metadata: Callable[..., dict[str, Any]] | None = None,
        **options: Any) -> Callable[[Callable[..., Any]], JITFunction]: ...
def constexpr_function(fn: Callable[_P, _R]) -> ConstexprFunction[_P, _R]: ...
