"""The names of the language by their other path: `triton.language.standard`."""

from . import *  # noqa: F401,F403
from . import _types

_log2 = _types.OnHost(__name__, "_log2", lambda number: number.bit_length() - (number > 0))
