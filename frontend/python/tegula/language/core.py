"""The names of the language by their other path: `triton.language.core`."""

from . import *  # noqa: F401,F403
from . import _types
from .types import constexpr, dtype  # noqa: F401

extern_elementwise = _types.KernelOnly(__name__, "extern_elementwise")
CONSTEXPR_0 = constexpr(0)
