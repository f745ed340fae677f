"""Functions of `tl.math`."""

from .types import KernelOnly

for _name in """
abs ceil clamp copysign cos cosh div_rn erf exp exp2 expm1 fast_dividef fast_expf
fdiv floor fma log log1p log2 max min pow rint round rsqrt sigmoid sin sinh softmax sqrt sqrt_rn tan tanh trunc umulhi
""".split():
    globals()[_name] = KernelOnly(__name__, _name)
