"""The names of the language by their other path: `triton.language.random`."""

from . import *
