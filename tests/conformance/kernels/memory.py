# Loads and stores: masks, other values, strides, bases that are not aligned, offsets in both directions and beyond
# 2^31.
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


@triton.jit
def copy_masked(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def masked_reads_zero(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n))


@triton.jit
def masked_other(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=5))


@triton.jit
def masked_minus_infinity(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=-float("inf")))


@triton.jit
def masked_other_tensor(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    # Arguments by place; the other values are converted from i32.
    tl.store(y_ptr + i, tl.load(x_ptr + i, i % 3 != 1, i), mask=i < n)


@triton.jit
def mask_from_memory(x_ptr, m_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    m = tl.load(m_ptr + i)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=m, other=9), mask=m | (i % 2 == 0))


@triton.jit
def masked_store(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i), mask=i < n)


@triton.jit
def mask_of_rows(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    # Masks that are broadcast to the pointers' shape.
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + rows * N + columns, mask=rows < m, other=9)
    tl.store(y_ptr + rows * N + columns, x, mask=(rows < M) & (columns < n))


@triton.jit
def mask_widens_pointers(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    # Pointers of one row; the mask, the other values, or both have M rows.
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    z_ptr = y_ptr + M * N
    tl.store(y_ptr + i * N + j, tl.load(x_ptr + j, mask=(i < m) & (j < n), other=9))
    tl.store(z_ptr + i * N + j, tl.load(x_ptr + j, mask=j < n, other=i % 4))
    z_ptr += M * N
    tl.store(z_ptr + i * N + j, tl.load(x_ptr + tl.arange(0, M)[:, None], mask=tl.arange(0, N) < n, other=i + 0 * j))


@triton.jit
def mask_of_nothing(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i + 1000000, mask=i < 0, other=3)
    tl.store(y_ptr + i, x)
    tl.store(y_ptr + i + 1000000, x, mask=i > N)


@triton.jit
def strided_1d(x_ptr, y_ptr, sx, sy, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i * sy, tl.load(x_ptr + i * sx))


@triton.jit
def strided_2d(x_ptr, y_ptr, m, n, xm, xn, ym, yn, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    j = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    inside = (i < m) & (j < n)
    tl.store(y_ptr + i * ym + j * yn, tl.load(x_ptr + i * xm + j * xn, mask=inside), mask=inside)


@triton.jit
def strided_3d(x_ptr, y_ptr, xa, xb, xc, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    tl.store(y_ptr + (a * B + b) * C + c, tl.load(x_ptr + a * xa + b * xb + c * xc))


@triton.jit
def negative_offsets(x_ptr, y_ptr, n, N: tl.constexpr):
    # The base stands behind the last element.
    i = tl.arange(0, N)
    end = x_ptr + n
    tl.store(y_ptr + i, tl.load(end - 1 - i, mask=i < n), mask=i < n)


@triton.jit
def pointer_arithmetic(x_ptr, y_ptr, start, N: tl.constexpr):
    # The parameter itself moves; pointers stand on either side of a sum.
    x_ptr += start
    i = tl.arange(0, N)
    ahead = x_ptr + i + 1
    behind = ahead - 1
    tl.store(y_ptr + i, tl.load(behind) + tl.load(i + x_ptr))


@triton.jit
def far_base_below(x_ptr, y_ptr, far, N: tl.constexpr):
    # The base lies 2^33 bytes and more below the data; only 64-bit offsets reach it.
    i = tl.arange(0, N).to(tl.int64)
    base = x_ptr - far
    tl.store(y_ptr + i, tl.load(base + (i + far)))


@triton.jit
def far_base_above(x_ptr, y_ptr, far, N: tl.constexpr):
    i = tl.arange(0, N).to(tl.int64)
    base = x_ptr + far
    target = y_ptr + far
    tl.store(target + (i - far), tl.load(base + (i - far)))


@triton.jit
def far_product(x_ptr, y_ptr, row, stride, N: tl.constexpr):
    # row * stride passes 2^31.
    i = tl.arange(0, N)
    offset = row.to(tl.int64) * stride
    base = x_ptr - offset
    tl.store(y_ptr + i, tl.load(base + offset + i))


@triton.jit
def far_rows(x_ptr, y_ptr, stride, M: tl.constexpr, N: tl.constexpr):
    # Rows that lie more than 2^32 bytes apart by their offsets, brought back by a bias for each row.
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    far = i.to(tl.int64) * stride
    x = tl.load((x_ptr - far) + (far + i * N + j))
    tl.store(y_ptr + i * N + j, x)


@triton.jit
def scalars(x_ptr, y_ptr, n):
    x = tl.load(x_ptr + tl.program_id(0))
    tl.store(y_ptr + tl.program_id(0), x)
    tl.store(y_ptr + n, x, mask=tl.program_id(0) == 3)


@triton.jit
def scalar_masked(x_ptr, y_ptr, n):
    pid = tl.program_id(0)
    tl.store(y_ptr + pid, tl.load(x_ptr + pid, mask=pid < n, other=5))


@triton.jit
def scalar_broadcast(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr) + tl.zeros((N,), x_ptr.dtype.element_ty))
    tl.store(y_ptr + N + i, 3)


@triton.jit
def gather_load(x_ptr, i_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + tl.load(i_ptr + i)))


@triton.jit
def scatter_store(x_ptr, i_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + tl.load(i_ptr + i), tl.load(x_ptr + i))


@triton.jit
def wrap_around(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i % n))


@triton.jit
def repeated_rows(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # Stride 0 along the rows: all read the same.
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + i, tl.load(x_ptr + tl.arange(0, M)[:, None] * 0 + tl.arange(0, N)[None, :]))


@triton.jit
def advancing(x_ptr, y_ptr, steps, N: tl.constexpr):
    source = x_ptr + tl.arange(0, N)
    target = y_ptr + tl.arange(0, N)
    for _ in range(steps):
        tl.store(target, tl.load(source))
        source += N
        target += N


@triton.jit
def hints(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, N), N), N)
    x = tl.load(x_ptr + i, cache_modifier=".ca", eviction_policy="evict_last")
    x += tl.load(x_ptr + i, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    x += tl.load(x_ptr + i, cache_modifier=".cs") + tl.load(x_ptr + i, cache_modifier=".cv")
    tl.store(y_ptr + i, x, cache_modifier=".wb")
    tl.store(y_ptr + N + i, x, cache_modifier=".wt", eviction_policy="evict_first")


@triton.jit
def in_place(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def aliased(x_ptr, y_ptr, N: tl.constexpr):
    # Both parameters are the same memory: what was stored through one is loaded through the other.
    i = tl.arange(0, N)
    tl.store(x_ptr + i, tl.load(x_ptr + i) + 1)
    tl.store(y_ptr + i, tl.load(y_ptr + i) * 2)


@triton.jit
def pass_through_memory(x_ptr, y_ptr, N: tl.constexpr):
    # Elements change hands through global memory within a program.
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))
    tl.debug_barrier()
    y = tl.load(y_ptr + (N - 1 - i))
    tl.debug_barrier()
    tl.store(y_ptr + i, y)


@triton.jit
def pointer_table(table_ptr, y_ptr, N: tl.constexpr):
    source = tl.load(table_ptr + tl.program_id(0)).to(tl.pointer_type(y_ptr.dtype.element_ty))
    i = tl.arange(0, N)
    tl.store(y_ptr + tl.program_id(0) * N + i, tl.load(source + i))


@triton.jit
def pointer_tile(table_ptr, y_ptr, COUNT: tl.constexpr):
    i = tl.arange(0, COUNT)
    sources = tl.load(table_ptr + i).to(tl.pi32_t)
    tl.store(y_ptr + i, tl.load(sources))


@triton.jit
def block_pointer(x_ptr, y_ptr, m, n, xm, xn, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    source = tl.make_block_ptr(x_ptr, (m, n), (xm, xn), (row, column), (M, N), (1, 0))
    target = tl.make_block_ptr(y_ptr, (m, n), (n, 1), (row, column), (M, N), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def block_pointer_zero(x_ptr, y_ptr, m, n, xm, xn, M: tl.constexpr, N: tl.constexpr):
    # The block begins at row 1, column 2 and may leave the tensor.
    source = tl.make_block_ptr(x_ptr, shape=(m, n), strides=(xm, xn), offsets=(1, 2), block_shape=(M, N), order=(1, 0))
    x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
    target = tl.make_block_ptr(base=y_ptr, shape=(M, N), strides=(N, 1), offsets=(0, 0), block_shape=(M, N),
                               order=(1, 0))
    tl.store(target, x)


@triton.jit
def block_pointer_nan(x_ptr, y_ptr, n, N: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (N,), (0,))
    target = tl.make_block_ptr(y_ptr, (N,), (1,), (0,), (N,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,), padding_option="nan"))


@triton.jit
def block_pointer_advance(x_ptr, y_ptr, k, M: tl.constexpr, K: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (M, k), (k, 1), (0, 0), (M, K), (1, 0))
    total = tl.zeros((M, K), tl.float32)
    for _ in range(0, k, K):
        total += tl.load(block, boundary_check=(1,))
        block = tl.advance(block, (0, K))
    tl.store(tl.make_block_ptr(y_ptr, (M, K), (K, 1), (0, 0), (M, K), (1, 0)), total)


# Columns that wrap around the end of a row of n, for tiles that are taken in groups of rows. In programs beyond the
# last tile, and where there are fewer than 0 rows, columns are negative.
@triton.jit
def wrapped_columns(x_ptr, y_ptr, rows, columns, n, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    program = tl.program_id(0)
    first = program // (columns * GROUP) * GROUP
    column = program % (columns * GROUP) // min(rows - first, GROUP)
    at = (column * BLOCK + tl.arange(0, BLOCK)) % n
    tl.store(y_ptr + program * BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + n + at))


@triton.jit
def narrow_offsets(x_ptr, offset_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + tl.program_id(0) * N + i, tl.load(x_ptr + 64 + tl.load(offset_ptr + tl.program_id(0)) + i))


@triton.jit
def pointer_values(x_ptr, y_ptr, c_ptr, like_ptr, z_ptr, rounds, N: tl.constexpr):
    # Pointers made from integers keep all bits; no access goes through them. Results in rows of N.
    i = tl.arange(0, N)
    c = tl.load(c_ptr + i)
    x = tl.load(x_ptr + i).to(like_ptr.dtype)
    y = tl.load(y_ptr + i).to(like_ptr.dtype)
    p = tl.where(c, x, y)
    tl.store(z_ptr + i, p)
    moved = p + i
    for _ in range(rounds):
        moved += 3
    tl.store(z_ptr + N + i, moved.to(tl.int64))
    # Pointers that are derived from one base meet others in a loop and in a branch.
    met = like_ptr + i
    start = met.to(tl.int64)
    for k in range(rounds):
        met = tl.where(c, met + 1, x)
    tl.store(z_ptr + 2 * N + i, tl.where(c, met.to(tl.int64) - start, met.to(tl.int64)))
    if rounds > 2:
        met = y
    else:
        met = like_ptr + 2 * i
    tl.store(z_ptr + 3 * N + i, tl.where(rounds > 2, met.to(tl.int64), met.to(tl.int64) - start))
    # Changes of shape, of layout and of the pointee; a scalar.
    turned = tl.trans(tl.reshape(p, (N // 4, 4))).to(tl.pointer_type(tl.int8)) + 1
    t = tl.arange(0, 4)[:, None] * (N // 4) + tl.arange(0, N // 4)[None, :]
    tl.store(z_ptr + 4 * N + t, turned.to(tl.int64))
    s = tl.load(x_ptr + 1).to(like_ptr.dtype) + 1
    if rounds > 2:
        s += 1
    tl.store(z_ptr + 5 * N + i, tl.broadcast_to(s, (N,)).to(tl.int64))


@triton.jit
def pointer_round_trip(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # Addresses as integers and back: accesses through them.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = (x_ptr + i).to(tl.int64) + 0 * i
    tl.store((y_ptr + i).to(tl.int64).to(y_ptr.dtype), tl.load(there.to(x_ptr.dtype), mask=i < n), mask=i < n)
