"""The names of the language by their other path: `triton.language.standard`."""

from . import *
