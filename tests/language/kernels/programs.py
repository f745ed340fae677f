# Programs, and calls between a file's functions.
import triton
import triton.language as tl


@triton.jit
def ids(y_ptr):
    x = tl.program_id(0)
    y = tl.program_id(axis=1)
    z = tl.program_id(2)
    linear = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(y_ptr + linear, x + 100 * y + 10000 * z)


@triton.jit
def casts_by_name(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, int(x))
    tl.store(z_ptr + i, float(i) / 4)


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
