"""Functions, classes and constants of another module, which kernels of names_test.py and aggregates_test.py use."""
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


def library():
    raise FileNotFoundError("no kernel reads it")


@tl.core.extern
def exponential(v, _semantic=None):
    return tl.core.extern_elementwise("", library(), [v], {
        (tl.core.dtype("fp32"), ): ("__nv_expf", tl.core.dtype("fp32")),
        (tl.core.dtype("fp64"), ): ("__nv_exp", tl.core.dtype("fp64")),
    }, is_pure=True, _semantic=_semantic)


@tl.core._aggregate
class Pair:
    value: tl.tensor
    SCALE: tl.constexpr

    def __init__(self, value, SCALE):
        self.value = value
        self.SCALE = tl.constexpr(SCALE)

    @tegula.jit
    def scaled(self):
        return self.value * self.SCALE * FACTOR
