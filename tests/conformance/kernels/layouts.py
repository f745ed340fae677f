# Elements change hands: a tile is read along one axis and written along another, or its parts meet in another
# arrangement than they were read in. What is computed is trivial; who holds which element is not.
import triton
import triton.language as tl


@triton.jit
def rows(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def columns(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] + tl.arange(0, N)[None, :] * M


@triton.jit
def rows_to_columns(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + columns(M, N), tl.load(x_ptr + rows(M, N)))


@triton.jit
def columns_to_rows(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + rows(M, N), tl.load(x_ptr + columns(M, N)))


@triton.jit
def rows_plus_columns(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(z_ptr + rows(M, N), tl.load(x_ptr + rows(M, N)) + tl.load(y_ptr + columns(M, N)) * 2)


@triton.jit
def both_ways(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + rows(M, N))
    tl.store(y_ptr + columns(M, N), x)
    tl.store(z_ptr + rows(M, N), x + 1)


@triton.jit
def reduce_and_spread(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # What a reduction leaves is spread over the tile again.
    x = tl.load(x_ptr + rows(M, N))
    top = tl.max(x, axis=1)
    side = tl.max(x, axis=0)
    tl.store(y_ptr + rows(M, N), x + top[:, None] * 2 + side[None, :] * 4)


@triton.jit
def row_becomes_column(x_ptr, y_ptr, N: tl.constexpr):
    # A vector stands along one axis and then along the other.
    side = tl.max(tl.load(x_ptr + rows(N, N)), axis=0)
    tl.store(y_ptr + rows(N, N), side[:, None] * 100 + side[None, :])


@triton.jit
def vector_to_tile(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, M * N)), (M, N))
    tl.store(y_ptr + columns(M, N), x)


@triton.jit
def tile_to_vector(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, M * N), tl.reshape(tl.load(x_ptr + columns(M, N)), (M * N,)))


@triton.jit
def carried(x_ptr, y_ptr, steps, M: tl.constexpr, N: tl.constexpr):
    # Each step adds a tile read along its rows and one read along its columns.
    total = tl.zeros((M, N), tl.int32)
    for k in range(steps):
        total += tl.load(x_ptr + k * M * N + rows(M, N)).to(tl.int32)
        total += tl.load(x_ptr + k * M * N + columns(M, N)).to(tl.int32) * 3
    tl.store(y_ptr + columns(M, N), total)


@triton.jit
def branches(x_ptr, y_ptr, flip, M: tl.constexpr, N: tl.constexpr):
    if flip > 0:
        x = tl.load(x_ptr + columns(M, N))
    else:
        x = tl.load(x_ptr + rows(M, N))
    tl.store(y_ptr + rows(M, N), x)


@triton.jit
def middle_axis(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    # Read with the last axis fastest, written with the first.
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (a * B + b) * C + c)
    tl.store(y_ptr + a + (b + c * B) * A, x)


@triton.jit
def slices(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    # Two sums of one tile, each the slice of another layout, stored as vectors.
    x = tl.load(x_ptr + columns(M, N)).to(tl.int32)
    tl.store(y_ptr + tl.arange(0, M), tl.sum(x, axis=1))
    tl.store(z_ptr + tl.arange(0, N), tl.sum(x, axis=0))


@triton.jit
def exchange_by_join(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + rows(M, N))
    pairs = tl.reshape(x, (M, N // 2, 2))
    a, b = tl.split(pairs)
    tl.store(y_ptr + rows(M, N), tl.reshape(tl.join(b, a), (M, N)))


@triton.jit
def masked_rows(x_ptr, limit_ptr, y_ptr, N: tl.constexpr):
    # One mask of rows, which was loaded, for a square read along its rows and written along its columns.
    down = tl.arange(0, N)
    inside = (tl.load(limit_ptr + down) > 0)[:, None]
    x = tl.load(x_ptr + rows(N, N), mask=inside & (down[None, :] < N - 1), other=7)
    tl.store(y_ptr + columns(N, N), x, mask=inside & (down[None, :] > 0))


@triton.jit
def scales_of_groups(x_ptr, scale_ptr, y_ptr, bound, M: tl.constexpr, N: tl.constexpr, GROUP: tl.constexpr):
    # GROUP columns share a scale; groups from `bound` on have the scale 3, and so has the last row.
    group = tl.arange(0, N) // GROUP
    scale = tl.load(scale_ptr + group, mask=group < bound, other=3)
    of_rows = tl.load(scale_ptr + (group[None, :] + tl.arange(0, M)[:, None] * 0),
                      mask=(group < bound)[None, :] & (tl.arange(0, M) < M - 1)[:, None], other=3)
    tl.store(y_ptr + rows(M, N), tl.load(x_ptr + rows(M, N)) * scale[None, :] + of_rows)
