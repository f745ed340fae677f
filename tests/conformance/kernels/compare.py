# Comparisons: the result is a truth value for each element.
import triton
import triton.language as tl


@triton.jit
def equal(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    one: tl.constexpr = 1
    tl.static_assert(one == True and (one is True) == False and (one is not 1.0) and one is 1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) == tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def not_equal(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) != tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def less(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) < tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def less_equal(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) <= tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def greater(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) > tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def greater_equal(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) >= tl.load(y_ptr + i, mask=i < n), mask=i < n)
