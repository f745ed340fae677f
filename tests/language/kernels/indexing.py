# Selection and ordering of elements.
import triton
import triton.language as tl


@triton.jit
def index(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def where(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(z_ptr + i, tl.where(x > y, x, -1.0) + tl.where(tl.load(x_ptr) > 100, y, 0))


@triton.jit
def where_broadcast(x_ptr, z_ptr, m, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    z = tl.where(tl.arange(0, M)[:, None] < m, x[None, :], 0.0)
    tl.store(z_ptr + index(M, N), z)


@triton.jit
def gather(x_ptr, i_ptr, y_ptr, N: tl.constexpr, COUNT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    i = tl.load(i_ptr + tl.arange(0, COUNT))
    tl.store(y_ptr + tl.arange(0, COUNT), tl.gather(x, i, 0))


@triton.jit
def gather_columns(x_ptr, i_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, COUNT: tl.constexpr):
    x = tl.load(x_ptr + index(M, N))
    i = tl.load(i_ptr + index(M, COUNT))
    tl.store(y_ptr + index(M, COUNT), tl.gather(x, i, axis=1))


@triton.jit
def flip(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + index(M, N))
    tl.store(y_ptr + index(M, N), tl.flip(x))
    tl.store(z_ptr + index(M, N), tl.flip(x, dim=0))


@triton.jit
def swizzle2d(y_ptr, rows, columns, group):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), rows, columns, group)
    tl.store(y_ptr + tl.program_id(0) * columns + tl.program_id(1), i * columns + j)


@triton.jit
def sort(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + index(M, N))
    tl.store(y_ptr + index(M, N), tl.sort(x))
    tl.store(z_ptr + index(M, N), tl.sort(x, dim=1, descending=True))


@triton.jit
def topk(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tl.store(y_ptr + index(M, K), tl.topk(tl.load(x_ptr + index(M, N)), K))


@triton.jit
def bitonic_merge(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + index(M, N))
    tl.store(y_ptr + index(M, N), tl.bitonic_merge(x))
    tl.store(z_ptr + index(M, N), tl.bitonic_merge(x, descending=True))
