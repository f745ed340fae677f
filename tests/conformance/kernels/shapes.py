# Changes of shape: no element changes its value.
import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def at3(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]


@triton.jit
def expand_rows(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M))
    tl.store(y_ptr + at(M, N), tl.broadcast_to(tl.expand_dims(x, 1), (M, N)))


@triton.jit
def expand_columns(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr + at(M, N), tl.broadcast_to(tl.expand_dims(x, 0), (M, N)))


@triton.jit
def expand_both_ends(x_ptr, y_ptr, N: tl.constexpr):
    # Several axes at once, and one counted from the end.
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.expand_dims(x, (0, 2))
    tl.static_assert(y.shape[0] == 1 and y.shape[1] == N and y.shape[2] == 1)
    z = tl.expand_dims(x, -1)
    tl.static_assert(z.shape[0] == N and z.shape[1] == 1)
    tl.store(y_ptr + tl.arange(0, N), tl.reshape(y, [N]) + tl.reshape(z, [N]))


@triton.jit
def expand_middle(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.load(x_ptr + at(A, C))
    tl.store(y_ptr + at3(A, B, C), tl.broadcast_to(x[:, None, :], (A, B, C)))


@triton.jit
def broadcast_pair(x_ptr, y_ptr, z_ptr, w_ptr, M: tl.constexpr, N: tl.constexpr):
    a, b = tl.broadcast(tl.load(x_ptr + tl.arange(0, M))[:, None], tl.load(y_ptr + tl.arange(0, N))[None, :])
    tl.static_assert(a.shape[0] == M and a.shape[1] == N)
    tl.store(z_ptr + at(M, N), a)
    tl.store(w_ptr + at(M, N), b)


@triton.jit
def outer_sum(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    z = tl.load(x_ptr + tl.arange(0, M))[:, None] * 3 + tl.load(y_ptr + tl.arange(0, N))[None, :]
    tl.store(z_ptr + at(M, N), z)


@triton.jit
def where_rows(x_ptr, y_ptr, m, M: tl.constexpr, N: tl.constexpr):
    # The condition is a column, one side a row, the other a constant.
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr + at(M, N), tl.where(tl.arange(0, M)[:, None] < m, x[None, :], 0))


@triton.jit
def transpose(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + at(N, M), tl.trans(tl.load(x_ptr + at(M, N))))


@triton.jit
def transpose_twice(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + at(M, N)).T + 1
    tl.store(y_ptr + at(M, N), x.T)


@triton.jit
def transpose_orders(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # The order as arguments and as a tuple; the first leaves the tile as it is.
    x = tl.load(x_ptr + at(M, N))
    tl.store(y_ptr + at(M, N), tl.trans(x, 0, 1) + tl.trans(x.T, (1, 0)))


@triton.jit
def permute_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, I: tl.constexpr, J: tl.constexpr,
               K: tl.constexpr):
    y = tl.permute(tl.load(x_ptr + at3(A, B, C)), (I, J, K))
    tl.store(y_ptr + at3(y.shape[0], y.shape[1], y.shape[2]), y)


@triton.jit
def permute_4d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, A * B * C * D)), (A, B, C, D))
    tl.store(y_ptr + tl.arange(0, A * B * C * D), tl.ravel(tl.permute(x, (2, 0, 3, 1))))


@triton.jit
def reshape_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, P: tl.constexpr, Q: tl.constexpr):
    tl.store(y_ptr + at(P, Q), tl.reshape(tl.load(x_ptr + at(M, N)), (P, Q)) + 1)


@triton.jit
def reshape_columns(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, P: tl.constexpr, Q: tl.constexpr):
    # The tile is read along its columns, so that the order of elements in registers is not that of the shape.
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] + tl.arange(0, N)[None, :] * M)
    tl.store(y_ptr + at(P, Q), tl.reshape(x, (P, Q)))


@triton.jit
def ravel(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, M * N), tl.ravel(tl.load(x_ptr + at(M, N))))


@triton.jit
def view_any_order(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # A view may order its elements as it likes.
    tl.store(y_ptr + at(M, N), tl.view(tl.load(x_ptr + tl.arange(0, M * N)), [M, N]))


@triton.jit
def fold(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, A * B * C)), (A, B, C))
    tl.store(y_ptr + at3(A, B, C), x)


@triton.jit
def join(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + at(N, 2), tl.join(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@triton.jit
def join_2d(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(z_ptr + at3(M, N, 2), tl.join(tl.load(x_ptr + at(M, N)), tl.load(y_ptr + at(M, N))))


@triton.jit
def split(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    a, b = tl.split(tl.load(x_ptr + at(N, 2)))
    tl.store(y_ptr + tl.arange(0, N), a)
    tl.store(z_ptr + tl.arange(0, N), b)


@triton.jit
def split_3d(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    a, b = tl.split(tl.load(x_ptr + at3(M, N, 2)))
    tl.store(y_ptr + at(M, N), a)
    tl.store(z_ptr + at(M, N), b)


@triton.jit
def swap_halves(x_ptr, y_ptr, N: tl.constexpr):
    # First and second half change places: the pairs are made by a transposition.
    a, b = tl.split(tl.trans(tl.reshape(tl.load(x_ptr + tl.arange(0, 2 * N)), (2, N))))
    tl.store(y_ptr + tl.arange(0, 2 * N), tl.reshape(tl.trans(tl.join(b, a)), (2 * N,)))


@triton.jit
def cat(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.cat(tl.load(x_ptr + at(M, N)), tl.load(y_ptr + at(M, N)), dim=0)
    tl.store(z_ptr + at(2 * M, N), rows)


@triton.jit
def cat_any_order(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), can_reorder=True)
    tl.store(z_ptr + tl.arange(0, 2 * N), both)


@triton.jit
def interleave(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + tl.arange(0, 2 * N), tl.interleave(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@triton.jit
def squeeze(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.unsqueeze(tl.load(x_ptr + tl.arange(0, N)), 0) + 1
    tl.static_assert(len(x.shape) == 2)
    y = tl.squeeze(x, 0)
    tl.static_assert(len(y.shape) == 1)
    tl.store(y_ptr + tl.arange(0, N), y)


@triton.jit
def subscripts(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + at(M, N))
    y = x[:, :, None] + x[None, :, :].reshape(M, N, 1)
    tl.store(y_ptr + at(M, N), y[:, :, None, :].reshape(M, N))


@triton.jit
def arange_from(y_ptr, START: tl.constexpr, END: tl.constexpr):
    i = tl.arange(START, END)
    tl.store(y_ptr + i - START, i)


@triton.jit
def full(y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + at(M, N), tl.full((M, N), 42, y_ptr.dtype.element_ty))


@triton.jit
def full_of_loaded(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # The value is converted to the tile's type.
    tl.store(y_ptr + at(M, N), tl.full([M, N], tl.load(x_ptr), y_ptr.dtype.element_ty))


@triton.jit
def zeros(y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + at(M, N), tl.zeros((M, N), dtype=y_ptr.dtype.element_ty))


@triton.jit
def zeros_like(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + at(M, N), tl.zeros_like(tl.load(x_ptr + at(M, N))))


@triton.jit
def to_scalar(x_ptr, y_ptr):
    x = tl.load(x_ptr + tl.program_id(0) + tl.arange(0, 1))
    tl.store(y_ptr + tl.program_id(0), tl.reshape(x, ()) + 1)


@triton.jit
def scalar_pair(x_ptr, y_ptr, z_ptr):
    # Two scalars become a tile, and a tile two scalars.
    pair = tl.join(tl.load(x_ptr), tl.load(x_ptr + 1))
    tl.store(y_ptr + tl.arange(0, 2), pair)
    a, b = tl.split(tl.load(x_ptr + tl.arange(0, 2)))
    tl.store(z_ptr, a - b)


# Tiles of pointers change shape as any others.
@triton.jit
def join_pointers(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + at(N, 2), tl.load(tl.join(x_ptr + i, y_ptr + i)))


@triton.jit
def split_pointers(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    even, odd = tl.split(x_ptr + at(N, 2))
    tl.store(y_ptr + tl.arange(0, N), tl.load(even))
    tl.store(z_ptr + tl.arange(0, N), tl.load(odd))


@triton.jit
def cat_pointers(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.cat((x_ptr + i)[:, None], (y_ptr + i)[:, None], dim=0)
    tl.store(z_ptr + tl.arange(0, 2 * N)[:, None], tl.load(both))


@triton.jit
def gather_pointers(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(tl.gather(x_ptr + i, N - 1 - i, 0)))


@triton.jit
def pointer_of_two(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    first, second = tl.split(tl.join(x_ptr, y_ptr))
    i = tl.arange(0, N)
    tl.store(z_ptr + i, tl.load(first + i))
    tl.store(z_ptr + N + i, tl.load(second + i))
