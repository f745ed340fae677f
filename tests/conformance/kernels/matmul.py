# Matrix products of whole problems: any shape, any strides, and what is done with the sums at the end.
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, m, n, k, am, ak, bk, bn, first, last, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            SUM: tl.constexpr):
    # This program's tile of A B, over the depth from `first` to `last`.
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    total = tl.zeros((M, N), SUM)
    for start in range(first, last, K):
        q = start + p
        a = tl.load(a_ptr + i[:, None] * am + q[None, :] * ak, mask=(i[:, None] < m) & (q[None, :] < k), other=0)
        b = tl.load(b_ptr + q[:, None] * bk + j[None, :] * bn, mask=(q[:, None] < k) & (j[None, :] < n), other=0)
        total = tl.dot(a, b, total)
    return total


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k, am, ak, bk, bn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           SUM: tl.constexpr):
    total = product(a_ptr, b_ptr, m, n, k, am, ak, bk, bn, 0, k, M, N, K, SUM)
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    out = total.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + i[:, None] * n + j[None, :], out, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def epilogue(a_ptr, b_ptr, bias_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
             ACTIVATION: tl.constexpr):
    total = product(a_ptr, b_ptr, m, n, k, k, 1, n, 1, 0, k, M, N, K, tl.float32)
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    total = total + tl.load(bias_ptr + j, mask=j < n, other=0.0)[None, :]
    if ACTIVATION == "relu":
        total = tl.maximum(total, 0.0)
    if ACTIVATION == "leaky":
        total = tl.where(total < 0.0, total * 0.5, total)
    out = total.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + i[:, None] * n + j[None, :], out, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def scaled(a_ptr, b_ptr, rows_ptr, columns_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # The accumulator is scaled in the loop: by a number for each row, for each column, and for all.
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    rows = tl.load(rows_ptr + i, mask=i < m, other=0.0)
    columns = tl.load(columns_ptr + j, mask=j < n, other=0.0)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        q = start + p
        a = tl.load(a_ptr + i[:, None] * k + q[None, :], mask=(i[:, None] < m) & (q[None, :] < k), other=0)
        b = tl.load(b_ptr + q[:, None] * n + j[None, :], mask=(q[:, None] < k) & (j[None, :] < n), other=0)
        total = tl.dot(a, b, (total * rows[:, None] + columns[None, :]) * 0.5)
        if start == 0:
            total = total - 1.0
    tl.store(c_ptr + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SUM: tl.constexpr):
    entry = tl.program_id(2)
    total = product(a_ptr + entry * m * k, b_ptr + entry * k * n, m, n, k, k, 1, n, 1, 0, k, M, N, K, SUM)
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    tl.store(c_ptr + entry * m * n + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def split_k(a_ptr, b_ptr, c_ptr, m, n, k, share, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    first = tl.program_id(2) * share
    total = product(a_ptr, b_ptr, m, n, k, k, 1, n, 1, first, tl.minimum(first + share, k), M, N, K, tl.float32)
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    tl.atomic_add(c_ptr + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def described(a_desc, b_desc, c_desc, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BT: tl.constexpr):
    # Programs take tiles in turns. B is stored n x k if BT.
    rows = tl.cdiv(m, M)
    for tile in range(tl.program_id(0), rows * tl.cdiv(n, N), tl.num_programs(0)):
        row = tile % rows * M
        column = tile // rows * N
        total = tl.zeros((M, N), tl.float32)
        for start in range(0, k, K):
            a = a_desc.load([row, start])
            if BT:
                total = tl.dot(a, b_desc.load([column, start]).T, total)
            else:
                total = tl.dot(a, b_desc.load([start, column]), total)
        c_desc.store([row, column], total)


@triton.jit
def described_once(
    a_desc, b_desc, c_desc, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr,
    SUM: tl.constexpr
):
    # One tile a program. The loop carries the position along the depth. B is stored n x k.
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    total = tl.zeros((M, N), SUM)
    at = 0
    for step in tl.range(0, tl.cdiv(k, K), num_stages=STAGES):
        total = tl.dot(a_desc.load([row, at]), b_desc.load([column, at]).T, total)
        at += K
    c_desc.store([row, column], total)


@triton.jit
def attended(q, k_desc, v_desc, first, last, unseen, scale, largest, total, out, BLOCK: tl.constexpr):
    # Continues the softmax over keys from `first` to `last`, of which queries see those before `unseen`; None: all.
    for start in range(first, last, BLOCK):
        k = k_desc.load([start, 0])
        score = tl.dot(q, k.T) * scale
        if unseen is not None:
            score = tl.where(start + tl.arange(0, BLOCK)[None, :] < unseen, score, -1.0e6)
        new = tl.maximum(largest, tl.max(score, axis=1))
        shrink = tl.exp(largest - new)
        weight = tl.exp(score - new[:, None])
        total = total * shrink + tl.sum(weight, axis=1)
        v = v_desc.load([start, 0])
        out = tl.dot(weight.to(v.dtype), v, out * shrink[:, None])
        largest = new
    return largest, total, out


@triton.jit
def described_attention(q_desc, k_desc, v_desc, o_desc, n, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK
    q = q_desc.load([at, 0])
    largest = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    out = tl.zeros((BLOCK, D), tl.float32)
    largest, total, out = attended(q, k_desc, v_desc, 0, n, n, scale, largest, total, out, BLOCK)
    o_desc.store([at, 0], out / total[:, None])


@triton.jit
def described_causal(q_desc, k_desc, v_desc, o_desc, scale, D: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    # One loop for the keys that all queries of the block see, one for those at the diagonal.
    at = tl.program_id(0) * QUERIES
    q = q_desc.load([at, 0])
    unseen = (at + 1 + tl.arange(0, QUERIES))[:, None]
    largest = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    out = tl.zeros((QUERIES, D), tl.float32)
    largest, total, out = attended(q, k_desc, v_desc, 0, at, None, scale, largest, total, out, KEYS)
    largest, total, out = attended(q, k_desc, v_desc, at, at + QUERIES, unseen, scale, largest, total, out, KEYS)
    o_desc.store([at, 0], out / total[:, None])


@triton.jit
def described_first(a_desc, b_desc, s_ptr, c_desc, N: tl.constexpr):
    # Blocks that are loaded once, beside a sum for which threads exchange elements; the second store is the one to see.
    at = tl.arange(0, N)
    s = tl.load(s_ptr + at[:, None] * N + at[None, :])
    s += tl.trans(s)
    total = tl.dot(a_desc.load([0, 0]), b_desc.load([0, 0]), s)
    c_desc.store([0, 0], s)
    c_desc.store([0, 0], total)


@triton.jit
def loaded_behind(a_desc, b_desc, c_ptr, N: tl.constexpr):
    # Blocks that are loaded behind a store, and one descriptor for both operands.
    at = tl.arange(0, N)
    c = c_ptr + at[:, None] * N + at[None, :]
    total = tl.dot(a_desc.load([0, 0]), b_desc.load([0, 0]))
    tl.store(c, total)
    total += tl.dot(a_desc.load([N, 0]), a_desc.load([0, N]).T)
    tl.store(c, total)


@triton.jit
def described_twice(a_desc, d_desc, c_ptr, n, N: tl.constexpr):
    # A A and D D^T: in both loops one descriptor for both operands.
    row = tl.program_id(0) * N
    column = tl.program_id(1) * N
    total = tl.zeros((N, N), tl.float32)
    for k in range(0, n, N):
        total = tl.dot(a_desc.load([row, k]), a_desc.load([k, column]), total)
    for k in range(0, n, N):
        total = tl.dot(d_desc.load([row, k]), d_desc.load([column, k]).T, total)
    at = column + tl.arange(0, N)
    c = c_ptr + (row + tl.arange(0, N))[:, None] * n + at[None, :]
    tl.store(c, total)


@triton.jit
def described_beside(a_ptr, b_desc, c_desc, n, N: tl.constexpr):
    # A through pointers, B through a descriptor, twice.
    row = tl.program_id(0) * N
    column = tl.program_id(1) * N
    i = tl.arange(0, N)
    total = tl.zeros((N, N), tl.float32)
    for turn in range(0, 2):
        for k in range(0, n, N):
            a = tl.load(a_ptr + (row + i)[:, None] * n + (k + i)[None, :])
            total = tl.dot(a, b_desc.load([k, column]), total)
    c_desc.store([row, column], total)
