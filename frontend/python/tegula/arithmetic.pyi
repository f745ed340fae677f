"""Arithmetic for hosts of kernels."""

from typing import SupportsIndex

from .language.types import constexpr

def cdiv(x: int | constexpr, y: int | constexpr) -> int: ...
def next_power_of_2(n: SupportsIndex) -> int: ...
