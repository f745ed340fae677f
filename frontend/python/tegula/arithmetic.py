"""Arithmetic for hosts of kernels."""

import operator

from .language.types import unwrapped


def cdiv(x, y):
    """x / y, rounded up."""
    x, y = unwrapped(x), unwrapped(y)
    return (x + y - 1) // y


def next_power_of_2(n):
    """The smallest power of two that is not below n; 0 gives 0."""
    n = operator.index(n)
    return 1 << (n - 1).bit_length() if n > 0 else 0
