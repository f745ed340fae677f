"""The names of the language by their other path: `triton.language.core`."""

import sys

from . import *  # noqa: F401,F403
from . import _types
from .types import constexpr, dtype  # noqa: F401

extern_elementwise = _types.KernelOnly(__name__, "extern_elementwise")
get_int_dtype = _types.OnHost(__name__, "get_int_dtype", _types.int_dtype)
CONSTEXPR_0 = constexpr(0)
base_value, base_type, _unwrap_if_constexpr = _types.base_value, _types.base_type, _types.unwrapped


def builtin(fn):
    """Triton's mark of functions that its compiler calls. Kernels that call one get its text, like that of a jit
    function."""
    from ..kernel import ExternFunction  # which needs this module's names

    return ExternFunction(fn)


def is_builtin(fn):
    return getattr(fn, "__triton_builtin__", False)


def _aggregate(cls):
    """Triton's mark of classes that kernels use as values of several fields (docs/language/types.md)."""
    from ..aggregate import Aggregate  # which needs this module's names

    cls.__tegula_aggregate__ = Aggregate(cls, sys._getframe(1).f_code.co_filename)
    return cls


extern = builtin
