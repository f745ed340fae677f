# tl.dot_scaled on matrices of M x K and K x N; scales are stored row by row, one for each group of 32.
import triton
import triton.language as tl


@triton.jit
def dot_scaled(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           A_WIDTH: tl.constexpr, B_WIDTH: tl.constexpr, A: tl.constexpr, B: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)
    groups = tl.arange(0, K // 32)[None, :]
    a = tl.load(a_ptr + m * A_WIDTH + tl.arange(0, A_WIDTH)[None, :])
    b = tl.load(b_ptr + n[None, :] * B_WIDTH + tl.arange(0, B_WIDTH)[:, None])
    a_scale = tl.load(a_scale_ptr + m * (K // 32) + groups)
    b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + groups)
    c = tl.dot_scaled(a, a_scale, A, b, b_scale, B)
    tl.store(c_ptr + m * N + n[None, :], c)


# One side has no scale, and there is an accumulator.
@triton.jit
def dot_scaled_one_side(a_ptr, a_scale_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
             A_WIDTH: tl.constexpr, A: tl.constexpr, B: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + m * A_WIDTH + tl.arange(0, A_WIDTH)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + n)
    a_scale = tl.load(a_scale_ptr + m * (K // 32) + tl.arange(0, K // 32)[None, :])
    acc = tl.full((M, N), 3.0, tl.float32)
    acc = tl.dot_scaled(a, a_scale, A, b, None, B, acc=acc, fast_math=True)
    tl.store(c_ptr + m * N + n, acc)
