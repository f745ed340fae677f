# Programs and how a file's functions call each other.
import math

import triton
import triton.language as tl

GLOBAL_BLOCK = 32
SCALE, SHIFT = 3, 0.5
NAMES = ["relu", "square"]


@triton.jit
def ids(y_ptr):
    x = tl.program_id(0)
    y = tl.program_id(axis=1)
    z = tl.program_id(2)
    linear = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(y_ptr + linear, x + 100 * y + 10000 * z)


@triton.jit
def counts(y_ptr):
    if tl.program_id(0) + tl.program_id(1) + tl.program_id(2) == 0:
        tl.store(y_ptr, tl.num_programs(0))
        tl.store(y_ptr + 1, tl.num_programs(axis=1))
        tl.store(y_ptr + 2, tl.num_programs(2))


@triton.jit
def globals_are_constants(x_ptr, y_ptr):
    i = tl.arange(0, GLOBAL_BLOCK)
    x = tl.load(x_ptr + i)
    if "relu" in NAMES:
        x = tl.maximum(x, 0)
    tl.store(y_ptr + i, x * SCALE + SHIFT)


@triton.jit
def unannotated_block(x_ptr, y_ptr, BLOCK):
    """A constant by use: arange needs one."""
    i = tl.arange(BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


@triton.jit
def activate(x, NAME: tl.constexpr = "relu"):
    """A helper with a default argument and several returns."""
    if NAME == "relu":
        return tl.where(x > 0, x, 0.0)
    if NAME == "square":
        return x * x
    return x


@triton.jit
def scale_and_shift(x, scale, *, shift=0.0):
    return x * scale + shift


@triton.jit
def pair(x):
    return x + 1, x - 1


@triton.jit
def calls(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    up, down = pair(activate(x))
    tl.store(y_ptr + i, scale_and_shift(up, scale=2.0, shift=1.0) + activate(down, NAME="square"))


@triton.jit
def add_all(first, *rest):
    total = first
    for value in rest:
        total += value
    return total


@triton.jit
def variadic(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    parts = (x, x * x)
    tl.store(y_ptr + i, add_all(x, 1, *parts))


@triton.jit
def early_return(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start >= n:
        return
    i = start + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def scalar_arguments(y_ptr, i, f, b, big):
    tl.store(y_ptr, i + f)
    tl.store(y_ptr + 1, tl.where(b, 1.0, 2.0))
    tl.store(y_ptr + 2, (big >> 32).to(tl.float32))


@triton.jit
def optional_pointer(x_ptr, bias_ptr, y_ptr, N: tl.constexpr, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if HAS_BIAS:
        x += tl.load(bias_ptr + i)
    tl.store(y_ptr + i, x)


@triton.jit
def python_functions(y_ptr):
    numbers = (4, 9, 2)
    total = min(numbers[0], numbers[1]) + max(3, 5, 7) + abs(-6) + len(numbers)
    total += int(3.9) + int(float("2.5") * 2) + triton.cdiv(10, 4) + triton.next_power_of_2(33)
    total += int(math.sqrt(16.0)) + math.ceil(2.1) + bool(3)
    tl.store(y_ptr, total)


@triton.jit
def casts_by_name(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, int(x))
    tl.store(z_ptr + i, float(i) / 4)


@triton.jit
def map_scalar(x, y):
    if x > y:
        return x - y
    else:
        return (x + y) * 2


@triton.jit
def map_elementwise(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(z_ptr + i, tl.map_elementwise(map_scalar, x, y))


@triton.jit
def map_two(x):
    return x + 1, (x * 2).to(tl.float32)


@triton.jit
def map_elementwise_tuple(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    more, twice = tl.map_elementwise(map_two, tl.load(x_ptr + i))
    tl.store(y_ptr + i, more)
    tl.store(z_ptr + i, twice)


@triton.jit
def swap_pair(a, b):
    return b, a


@triton.jit
def map_elementwise_pack(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    swapped = tl.map_elementwise(swap_pair, tl.load(x_ptr + i), pack=2)
    tl.store(y_ptr + i, swapped)


@triton.jit
def to_tensor(y_ptr):
    one = tl.to_tensor(1)
    half = tl.to_tensor(0.5)
    tl.store(y_ptr, one.dtype.primitive_bitwidth + half.dtype.primitive_bitwidth + one + half)


@triton.jit
def item(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total = tl.sum(x, 0, keep_dims=True)
    scalar = total.item()
    if scalar > 0:
        tl.store(y_ptr, scalar)


@triton.jit
def methods(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = x.abs().sqrt().reshape(N // 4, 4).trans().ravel()
    tl.store(y_ptr + i, y + x.sum() + x.max(axis=0) + x.numel + x.shape[0])
