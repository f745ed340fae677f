# Changes of shape. `tile` reads an M x N tile of consecutive elements; results are stored row by row.
import triton
import triton.language as tl


@triton.jit
def index(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def tile(x_ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x_ptr + index(M, N))


@triton.jit
def flat_store(y_ptr, value):
    tl.store(y_ptr + tl.arange(0, value.numel), tl.reshape(value, [value.numel]))


@triton.jit
def broadcast(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.load(x_ptr + tl.arange(0, M))[:, None]
    columns = tl.load(y_ptr + tl.arange(0, N))[None, :]
    a, b = tl.broadcast(rows, columns)
    tl.static_assert(a.shape[0] == M and a.shape[1] == N)
    flat_store(z_ptr, a * 100 + b)


@triton.jit
def broadcast_to(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    row = tl.load(x_ptr + tl.arange(0, N))
    flat_store(y_ptr, tl.broadcast_to(row[None, :], (M, N)) + row.expand_dims(0).broadcast_to(M, N))


@triton.jit
def expand_dims(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.expand_dims(x, (0, 2))
    tl.static_assert(y.shape[0] == 1 and y.shape[1] == N and y.shape[2] == 1)
    z = tl.expand_dims(x, -1)
    tl.static_assert(z.shape[0] == N and z.shape[1] == 1)
    flat_store(y_ptr, tl.reshape(y, [N]) + tl.reshape(z, [N]))


@triton.jit
def squeeze_unsqueeze(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.unsqueeze(x, 0)
    tl.static_assert(len(y.shape) == 2)
    z = tl.squeeze(y, 0)
    tl.static_assert(len(z.shape) == 1)
    flat_store(y_ptr, z)


@triton.jit
def reshape(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    flat_store(y_ptr, tl.trans(tl.reshape(x, (N, M))) + x.reshape(M, N))


@triton.jit
def view(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    # A view may reorder its elements, so only sums over all elements are defined.
    tl.store(y_ptr, tl.sum(tl.sum(tl.view(x, [N // 4, 4]), 1), 0))


@triton.jit
def ravel(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, M * N), tl.ravel(tile(x_ptr, M, N)))


@triton.jit
def permute(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, A * B * C)), [A, B, C])
    flat_store(y_ptr, tl.permute(x, (2, 0, 1)))


@triton.jit
def trans(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    flat_store(y_ptr, tl.trans(x))
    flat_store(z_ptr, tl.trans(x, 0, 1) + tl.trans(x.T, (1, 0)))


@triton.jit
def transpose_attribute(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    flat_store(y_ptr, tile(x_ptr, M, N).T)


@triton.jit
def join(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    flat_store(z_ptr, tl.join(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@triton.jit
def join_scalars(x_ptr, z_ptr):
    flat_store(z_ptr, tl.join(tl.load(x_ptr), tl.load(x_ptr + 1)))


@triton.jit
def split(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    pairs = tl.reshape(tl.load(x_ptr + tl.arange(0, 2 * N)), [N, 2])
    first, second = tl.split(pairs)
    flat_store(y_ptr, first)
    flat_store(z_ptr, second)


@triton.jit
def split_to_scalars(x_ptr, y_ptr):
    a, b = tl.split(tl.load(x_ptr + tl.arange(0, 2)))
    tl.store(y_ptr, a - b)


@triton.jit
def interleave(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    flat_store(z_ptr, tl.interleave(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@triton.jit
def reshape_to_scalar(x_ptr, y_ptr):
    x = tl.load(x_ptr + tl.arange(0, 1))
    tl.store(y_ptr, tl.reshape(x, ()) + 1)


@triton.jit
def subscripts(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    y = x[:, :, None] + x[None, :, :].reshape(M, N, 1)
    flat_store(y_ptr, y[:, :, None, :].reshape(M, N))
