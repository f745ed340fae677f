# Kernels whose blocks are far larger than what a GPU's program should hold.
import triton
import triton.language as tl


@triton.jit
def large_sort(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.sort(tl.load(x_ptr + i)))


@triton.jit
def large_histogram(x_ptr, y_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))


@triton.jit
def large_product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@triton.jit
def large_block(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * 2 + 1)


@triton.jit
def large_masked(x_ptr, y_ptr, z_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    inside = i < n
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=inside, other=3) + tl.load(y_ptr + i, mask=inside), mask=inside)
