// The text at the beginning of each generated kernel's file: imports, and functions that the kernels call.
#pragma once

namespace tegula::fuzz {

constexpr const char *kPrelude = R"(import triton
import triton.language as tl


@triton.jit
def whole(x, LIMIT: tl.constexpr):
    # Sums of few bits are exact in any order.
    return tl.floor(tl.minimum(tl.maximum(x, -LIMIT), LIMIT))


@triton.jit
def ordered(x):
    return tl.where(x == x, x, tl.zeros_like(x))


@triton.jit
def larger(a, b):
    return tl.maximum(a, b).to(a.dtype)


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def differ(a, b):
    return a ^ b


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def last(a, set_a, b, set_b):
    return tl.where((set_b & 1) != 0, b, a), set_a | set_b


@triton.jit
def first(key_a, a, key_b, b):
    # Of equal keys the left one stays.
    stays = (key_a & 3) >= (key_b & 3)
    return tl.where(stays, key_a, key_b), tl.where(stays, a, b)


@triton.jit
def extent(low_a, high_a, low_b, high_b):
    return tl.minimum(low_a, low_b).to(low_a.dtype), tl.maximum(high_a, high_b).to(high_a.dtype)


)";

} // namespace tegula::fuzz
