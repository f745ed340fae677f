# Products through plain pointers, in the forms from which a launch can derive descriptors of the tensors.
import triton
import triton.language as tl


# c = a b. SHIFTED: rows of a begin at FIRST + shift; ROWS says what happens to rows and columns beyond m and n. GROUP:
# programs take the tiles of this many rows of tiles, one column of tiles after the other. EVICTION: of b's lines.
@triton.jit
def product(a_ptr, b_ptr, c_ptr, m, n, k, am, ak, bk, bn, shift, batch, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr, SHIFTED: tl.constexpr, FIRST: tl.constexpr, ROWS: tl.constexpr, MOVES: tl.constexpr,
            GROUP: tl.constexpr, SUM: tl.constexpr, EVICTION: tl.constexpr):
    tile_i = tl.program_id(0)
    tile_j = tl.program_id(1)
    if GROUP > 0:
        tiles = GROUP * tl.cdiv(n, N)
        first = tile_i // tiles * GROUP
        height = min(tl.cdiv(m, M) - first, GROUP)
        place = tile_i % tiles
        tile_i = first + place % height
        tile_j = place // height
    i = tile_i * M + tl.arange(0, M)
    j = tile_j * N + tl.arange(0, N)
    entry = tl.program_id(2)
    p = tl.arange(0, K)
    row = i
    column = j
    if SHIFTED:
        row = FIRST + i + shift
    if ROWS == "wrapped":
        row = i % m
        column = j % n
    a_ptrs = a_ptr + entry * batch + (row[:, None] * am + p[None, :] * ak)
    b_ptrs = b_ptr + (p[:, None] * bk + column[None, :] * bn)
    total = tl.zeros((M, N), SUM)
    for step in range(0, tl.cdiv(k, K)):
        inside_a = p[None, :] < k - step * K
        inside_b = p[:, None] < k - step * K
        if ROWS == "masked":
            inside_a = inside_a & (i[:, None] < m)
            inside_b = inside_b & (j[None, :] < n)
        if MOVES:
            a = tl.load(a_ptrs, mask=inside_a, other=0)
            b = tl.load(b_ptrs, mask=inside_b, other=0, eviction_policy=EVICTION)
            a_ptrs += K * ak
            b_ptrs += K * bk
        else:
            a = tl.load(a_ptrs + step * K * ak, mask=inside_a, other=0)
            b = tl.load(b_ptrs + step * K * bk, mask=inside_b, other=0, eviction_policy=EVICTION)
        total = tl.dot(a, b, total)
    place = entry * m * n + i[:, None] * n + j[None, :]
    tl.store(c_ptr + place, total, mask=(i[:, None] < m) & (j[None, :] < n))


# c = a b without masks, of sizes that blocks divide: the loop counts the elements of the depth from `first` on, and
# moves pointers.
@triton.jit
def stepped(a_ptr, b_ptr, c_ptr, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FIRST: tl.constexpr,
            STEP: tl.constexpr):
    i = tl.program_id(1) * M + tl.arange(0, M)
    j = tl.program_id(0) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + p[:, None] * n + j[None, :]
    total = tl.zeros((M, N), tl.float32)
    for _ in range(FIRST, FIRST + k // K * STEP, STEP):
        total = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), total)
        a_ptrs += K
        b_ptrs += K * n
    tl.store(c_ptr + i[:, None] * n + j[None, :], total.to(c_ptr.dtype.element_ty))


# total + a b, of rows i and columns j.
@triton.jit
def summed(total, a_ptr, b_ptr, i, j, m, n, k, K: tl.constexpr, STAGES: tl.constexpr):
    p = tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + p[:, None] * n + j[None, :]
    for step in tl.range(0, tl.cdiv(k, K), num_stages=STAGES):
        a = tl.load(a_ptrs, mask=(i[:, None] < m) & (p[None, :] < k - step * K), other=0)
        b = tl.load(b_ptrs, mask=(p[:, None] < k - step * K) & (j[None, :] < n), other=0)
        total = tl.dot(a, b, total)
        a_ptrs += K
        b_ptrs += K * n
    return total


# c = a b, or twice that by two loops, joined with a block of r, whose element (i, j) is at i rm + j rn.
@triton.jit
def joined(a_ptr, b_ptr, r_ptr, c_ptr, m, n, k, rm, rn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           FORM: tl.constexpr, STAGES: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    total = summed(tl.zeros((M, N), tl.float32), a_ptr, b_ptr, i, j, m, n, k, K, STAGES)
    if FORM == "twice":
        total = summed(total, a_ptr, b_ptr, i, j, m, n, k, K, STAGES)
    inside = (i[:, None] < m) & (j[None, :] < n)
    r = tl.load(r_ptr + i[:, None] * rm + j[None, :] * rn, mask=inside, other=0)
    if FORM == "gate":
        total = tl.where(r > 0, total, 0.0)
    else:
        total += r
    if FORM == "two sums":
        total += tl.load(r_ptr + (m - 1 - i[:, None]) * rm + j[None, :] * rn, mask=inside, other=0)
    if FORM == "transposed":
        total += tl.trans(tl.load(r_ptr + i[:, None] * rm + j[None, :] * rn, mask=inside, other=0))
    tl.store(c_ptr + i[:, None] * n + j[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)
