"""Functions and constants of another module, which kernels of names_test.py use."""
import tegula
import tegula.language as tl

from os import getpid

FACTOR = getpid() * 0 + 4  # known only to Python
LIMIT = 2.5


@tegula.jit
def twice(v):
    return v + v


@tegula.jit
def times_factor(v):
    return tl.minimum(twice(v) * FACTOR, 1000.0)
