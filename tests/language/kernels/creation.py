# Creation of tiles, and conversions.
import triton
import triton.language as tl


@triton.jit
def arange(y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, i)


@triton.jit
def arange_from(y_ptr, START: tl.constexpr, END: tl.constexpr):
    i = tl.arange(START, END)
    tl.store(y_ptr + i - START, i)


@triton.jit
def arange_one_argument(y_ptr, N: tl.constexpr):
    i = tl.arange(N)
    tl.store(y_ptr + i, i)


@triton.jit
def full(y_ptr, M: tl.constexpr, N: tl.constexpr):
    value = tl.full([M, N], 2.5, tl.float32)
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + i, value)


@triton.jit
def full_of_scalar(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.full((N,), tl.load(x_ptr), tl.int32))


@triton.jit
def zeros(y_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + i, tl.zeros((M, N), dtype=tl.float32))


@triton.jit
def zeros_like(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.zeros_like(tl.load(x_ptr + i)))


@triton.jit
def cast_bits(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.cast(tl.load(x_ptr + i), tl.int32, bitcast=True))


@triton.jit
def to_bits(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i).to(tl.uint16, bitcast=True))


@triton.jit
def cast_rounding(x_ptr, even_ptr, zero_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(even_ptr + i, x.to(tl.float16, fp_downcast_rounding="rtne"))
    tl.store(zero_ptr + i, tl.cast(x, tl.float16, fp_downcast_rounding="rtz"))


@triton.jit
def cat(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), can_reorder=True)
    tl.store(z_ptr + tl.arange(0, 2 * N), tl.sort(both))


@triton.jit
def cat_in_order(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    rows = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), dim=0)
    tl.store(z_ptr + tl.arange(0, 2 * M)[:, None] * N + tl.arange(0, N)[None, :], rows)
