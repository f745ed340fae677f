# Bits and truth values.
import triton
import triton.language as tl


@triton.jit
def bit_and(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) & tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def bit_or(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) | tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def bit_xor(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) ^ tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def bit_not(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, ~tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def shift_left(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) << tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def shift_right(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Of a signed number, its sign comes in from the left.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) >> tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def rotate(x_ptr, z_ptr, n, BY: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, (x << BY) | (x >> (32 - BY)), mask=i < n)


@triton.jit
def truth(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # All sixteen functions of two truth values come from these.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    z = (x & y).to(tl.int32) + (x | y).to(tl.int32) * 2 + (x ^ y).to(tl.int32) * 4 + (not x).to(tl.int32) * 8
    tl.store(z_ptr + i, z, mask=i < n)
