# Loops whose iterations several programs share (the option depth_splits). C = A B, row-major, unless it says otherwise.
import triton
import triton.language as tl


@triton.jit
def plain(a_ptr, b_ptr, c_ptr, m, n, k, bk, bn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SUM: tl.constexpr):
    # Pointers that the loop moves, and masks of what is left of the depth.
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + p[:, None] * bk + j[None, :] * bn
    total = tl.zeros((M, N), SUM)
    for step in range(0, tl.cdiv(k, K)):
        a = tl.load(a_ptrs, mask=(i[:, None] < m) & (p[None, :] < k - step * K), other=0)
        b = tl.load(b_ptrs, mask=(p[:, None] < k - step * K) & (j[None, :] < n), other=0)
        total = tl.dot(a, b, total)
        a_ptrs += K
        b_ptrs += K * bk
    tl.store(c_ptr + i[:, None] * n + j[None, :], total.to(c_ptr.dtype.element_ty),
             mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    # The order of programs that tutorials have; rows and columns wrap.
    program = tl.program_id(0)
    rows, columns = tl.cdiv(m, M), tl.cdiv(n, N)
    first = program // (GROUP * columns) * GROUP
    height = tl.minimum(rows - first, GROUP)
    row = first + program % (GROUP * columns) % height
    column = program % (GROUP * columns) // height
    i = (row * M + tl.arange(0, M)) % m
    j = (column * N + tl.arange(0, N)) % n
    p = tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + p[:, None] * n + j[None, :]
    total = tl.zeros((M, N), tl.float32)
    for step in range(0, tl.cdiv(k, K)):
        a = tl.load(a_ptrs, mask=p[None, :] < k - step * K, other=0.0)
        b = tl.load(b_ptrs, mask=p[:, None] < k - step * K, other=0.0)
        total += tl.dot(a, b)
        a_ptrs += K
        b_ptrs += K * n
    i = row * M + tl.arange(0, M)
    j = column * N + tl.arange(0, N)
    tl.store(c_ptr + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def gated(a_ptr, b_ptr, d_ptr, bias_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # Two sums: C = max(bias + A B, 0) * (A D). Entries of a batch along axis 2.
    entry = tl.program_id(2)
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    inside = (i[:, None] < m) & (j[None, :] < n)
    bias = tl.load(bias_ptr + j, mask=j < n, other=0.0)
    first = tl.broadcast_to(bias[None, :], (M, N))
    second = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        p = start + tl.arange(0, K)
        inside_a, inside_b = (i[:, None] < m) & (p[None, :] < k), (p[:, None] < k) & (j[None, :] < n)
        a = tl.load(a_ptr + (entry * m + i[:, None]) * k + p[None, :], mask=inside_a, other=0)
        at = (entry * k + p[:, None]) * n + j[None, :]
        first = tl.dot(a, tl.load(b_ptr + at, mask=inside_b, other=0), first)
        second = tl.dot(a, tl.load(d_ptr + at, mask=inside_b, other=0), second)
    tl.store(c_ptr + (entry * m + i[:, None]) * n + j[None, :], tl.maximum(first, 0.0) * second, mask=inside)


@triton.jit
def sums(x_ptr, y_ptr, ends_ptr, n, low, high, B: tl.constexpr):
    # Of row r: sums of the lanes, of all elements and of their numbers, and where the loop ends. It counts from a
    # number that is not known, below zero too, and carries a scalar, a tensor and a pointer.
    row = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    lanes = tl.zeros((B,), tl.float32)
    total = 0
    left = high - low
    offsets = tl.arange(0, B)
    ptr = x_ptr + row * n
    for k in range(low, high, 3):
        x = tl.load(ptr + offsets, mask=offsets < left, other=0)
        lanes += x.to(tl.float32) * (k - low + 1)
        total += tl.sum(x.to(tl.int32), axis=0)
        left -= 3
        offsets += 1
        ptr += 2
    tl.store(y_ptr + row * B + tl.arange(0, B), lanes)
    tl.store(ends_ptr + row * 3, total)
    tl.store(ends_ptr + row * 3 + 1, left)
    tl.store(ends_ptr + row * 3 + 2, tl.load(ptr + 1))


@triton.jit
def narrow_sums(x_ptr, y_ptr, n, B: tl.constexpr):
    # The sum has the elements' type: parts of it are rounded, stored and added in that type.
    row = tl.program_id(0)
    total = tl.full((B,), 1, x_ptr.dtype.element_ty)
    for start in range(0, n, B):
        total += tl.load(x_ptr + row * n + start + tl.arange(0, B))
    tl.store(y_ptr + row * B + tl.arange(0, B), total)


@triton.jit
def in_place(x_ptr, n, B: tl.constexpr):
    # Each program replaces the start of its row by the row's sums.
    row = x_ptr + tl.program_id(0) * n
    total = tl.zeros((B,), tl.int32)
    for start in range(0, n, B):
        at = start + tl.arange(0, B)
        total += tl.load(row + at, mask=at < n, other=0)
    tl.store(row + tl.arange(0, B), total, mask=tl.arange(0, B) < n)


@triton.jit
def described(a_desc, b_desc, c_desc, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # B is stored n x k.
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        total = tl.dot(a_desc.load([row, start]), b_desc.load([column, start]).T, total)
    c_desc.store([row, column], total.to(c_desc.dtype))
