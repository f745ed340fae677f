"""Types for checkers; docs/python/types.md."""

from typing import Any, Callable

from . import errors as errors, knobs as knobs, language as language, testing as testing
from ._devices import DeviceInfo
from .arithmetic import cdiv as cdiv, next_power_of_2 as next_power_of_2
from .buffers import Buffer as Buffer, empty as empty, to_device as to_device, zeros as zeros
from .compiler import ASTSource as ASTSource, compile as compile
from .descriptor import TensorDescriptor as TensorDescriptor
from .errors import CompilationError as CompilationError, OutOfResources as OutOfResources, TritonError as TritonError
from .kernel import ConstexprFunction as ConstexprFunction, JITFunction as JITFunction
from .kernel import constexpr_function as constexpr_function, jit as jit
from .tensors import MockTensor as MockTensor, TensorWrapper as TensorWrapper, reinterpret as reinterpret
from .tuning import Autotuner as Autotuner, Config as Config, Heuristics as Heuristics
from .tuning import autotune as autotune, heuristics as heuristics

__version__: str

def devices() -> list[DeviceInfo]: ...
def synchronize() -> None: ...
def set_allocator(allocator: Callable[..., Any] | None) -> None: ...
