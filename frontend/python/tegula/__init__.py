"""Tegula: compiles kernels of the Triton language and launches them on any device that is there.

    import numpy as np, tegula, tegula.language as tl

    @tegula.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)

    add[(tegula.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
"""

from ._abi import version as _version  # first: it says what is missing where the package is not built
from . import errors, knobs, language, testing  # noqa: F401
from .descriptor import TensorDescriptor  # noqa: F401
from .errors import CompilationError, OutOfResources, TritonError  # noqa: F401
from ._devices import listing as devices, synchronize  # noqa: F401
from .buffers import Buffer, empty, to_device, zeros  # noqa: F401
from .compiler import ASTSource, compile  # noqa: F401
from .kernel import ConstexprFunction, JITFunction, constexpr_function, jit  # noqa: F401
from .arithmetic import cdiv, next_power_of_2  # noqa: F401
from .tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401
from .tuning import Autotuner, Config, Heuristics, autotune, heuristics  # noqa: F401

__version__ = _version()


def set_allocator(allocator):
    """Triton's way to give kernels global memory of their own, for descriptors that they make. The library allocates
    that memory itself, so the function is checked and never called."""
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator is a function of size, alignment and stream, not {allocator!r}")
