# Matrix products of one program's tiles.
import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def at3(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]


@triton.jit
def dot(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tl.store(c_ptr + at(M, N), tl.dot(tl.load(a_ptr + at(M, K)), tl.load(b_ptr + at(K, N))))


@triton.jit
def dot_ieee(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + at(M, K))
    tl.store(c_ptr + at(M, N), tl.dot(a, tl.load(b_ptr + at(K, N)), input_precision="ieee"))


@triton.jit
def dot_precision(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    a = tl.load(a_ptr + at(M, K))
    tl.store(c_ptr + at(M, N), tl.dot(a, tl.load(b_ptr + at(K, N)), input_precision=PRECISION))


@triton.jit
def precision_loop(a_ptr, b_ptr, c_ptr, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                   PRECISION: tl.constexpr):
    total = tl.zeros((M, N), tl.float32)
    for i in tl.range(trips, num_stages=3):
        a = tl.load(a_ptr + i * (M * K) + at(M, K))
        b = tl.load(b_ptr + i * (K * N) + at(K, N))
        total = tl.dot(a, b, total, input_precision=PRECISION)
    tl.store(c_ptr + at(M, N), total)


@triton.jit
def allow_tf32(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # The older name of two precisions.
    a = tl.load(a_ptr + at(M, K))
    b = tl.load(b_ptr + at(K, N))
    tl.store(c_ptr + at(M, N), tl.dot(a, b, allow_tf32=True))
    tl.store(d_ptr + at(M, N), tl.dot(a, b, allow_tf32=False, max_num_imprecise_acc=0))


@triton.jit
def accumulate(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + at(M, K))
    b = tl.load(b_ptr + at(K, N))
    d = tl.dot(a, b, tl.load(c_ptr + at(M, N)))
    d += tl.dot(a, b)
    tl.store(d_ptr + at(M, N), d)


@triton.jit
def transposed(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TA: tl.constexpr,
               TB: tl.constexpr):
    # Stored K x M and N x K where so wanted, and transposed in the kernel.
    if TA:
        a = tl.trans(tl.load(a_ptr + at(K, M)))
    else:
        a = tl.load(a_ptr + at(M, K))
    if TB:
        b = tl.load(b_ptr + at(N, K)).T
    else:
        b = tl.load(b_ptr + at(K, N))
    tl.store(c_ptr + at(M, N), tl.dot(a, b))


@triton.jit
def column_major(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # The same by the pointers alone.
    a = tl.load(a_ptr + tl.arange(0, M)[:, None] + tl.arange(0, K)[None, :] * M)
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] + tl.arange(0, N)[None, :] * K)
    tl.store(c_ptr + at(M, N), tl.dot(a, b))


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tl.store(c_ptr + at3(B, M, N), tl.dot(tl.load(a_ptr + at3(B, M, K)), tl.load(b_ptr + at3(B, K, N))))


@triton.jit
def out_half(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    c = tl.dot(tl.load(a_ptr + at(M, K)), tl.load(b_ptr + at(K, N)), out_dtype=tl.float16)
    tl.static_assert(c.dtype == tl.float16)
    tl.store(c_ptr + at(M, N), c)


@triton.jit
def chained(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # A product is an operand of the next.
    p = tl.dot(tl.load(a_ptr + at(M, K)), tl.load(b_ptr + at(K, N)))
    tl.store(d_ptr + at(M, K), tl.dot(p.to(c_ptr.dtype.element_ty), tl.load(c_ptr + at(N, K))))


@triton.jit
def epilogue(a_ptr, b_ptr, bias_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    c = tl.dot(tl.load(a_ptr + at(M, K)), tl.load(b_ptr + at(K, N)))
    c = tl.maximum(c + tl.load(bias_ptr + tl.arange(0, N))[None, :], 0)
    tl.store(c_ptr + at(M, N), c - tl.max(c, axis=1)[:, None])


@triton.jit
def few(a_ptr, b_ptr, rows_ptr, columns_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # A result with fewer rows or columns than a matrix instruction: each element counts once.
    c = tl.dot(tl.load(a_ptr + at(M, K)), tl.load(b_ptr + at(K, N)))
    tl.store(rows_ptr + tl.arange(0, M), tl.sum(c, axis=1))
    tl.store(columns_ptr + tl.arange(0, N), tl.sum(c, axis=0))
    tl.store(c_ptr + at(M, N), tl.zeros((M, N), dtype=c.dtype))
    tl.debug_barrier()
    tl.atomic_add(c_ptr + at(M, N), c)


@triton.jit
def computed_operand(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # An operand that was not simply loaded.
    a = tl.load(a_ptr + at(M, K))
    a = tl.where(a > 0, a, a * 2)
    tl.store(c_ptr + at(M, N), tl.dot(a, tl.load(b_ptr + at(K, N)) + 1))


@triton.jit
def k_loop(a_ptr, b_ptr, c_ptr, m, n, k, am, ak, bk, bn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * am + p[None, :] * ak
    b_ptrs = b_ptr + p[:, None] * bk + j[None, :] * bn
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        a = tl.load(a_ptrs, mask=(i[:, None] < m) & (p[None, :] < k - start), other=0.0)
        b = tl.load(b_ptrs, mask=(p[:, None] < k - start) & (j[None, :] < n), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += K * ak
        b_ptrs += K * bk
    tl.store(c_ptr + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def rows(a_ptr, b_ptr, c_ptr, bias_ptr, first_ptr, top_ptr, total_ptr, d_ptr, p_ptr, columns,
         M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, D: tl.constexpr, KEEP: tl.constexpr):
    # What rows of products lead to, N columns at a time: a maximum, a sum and a second product, which the loop carries;
    # masks made of places; a row and a column that come from memory.
    i = tl.arange(0, M)
    a = tl.load(a_ptr + at(M, K))
    top = tl.load(first_ptr + i)
    total = tl.zeros((M,), tl.float32)
    d = tl.zeros((M, D), tl.float32)
    for start in range(0, columns, N):
        j = start + tl.arange(0, N)
        inside = j < columns
        b = tl.load(b_ptr + tl.arange(0, K)[:, None] * columns + j[None, :], mask=inside[None, :], other=0.0)
        s = tl.dot(a, b) + tl.load(bias_ptr + j, mask=inside, other=0.0)[None, :]
        s = tl.where(inside[None, :] & ((i[:, None] + j[None, :]) % 3 != 0), s, -64.0)
        higher = tl.maximum(top, tl.max(s, axis=1))
        scale = tl.where(higher > top, 2.0, 1.0)
        p = tl.where(s == higher[:, None], 2.0, tl.where(s > tl.min(s, axis=1)[:, None], 1.0, 0.0))
        p = p.to(c_ptr.dtype.element_ty)
        if KEEP:
            tl.store(p_ptr + i[:, None] * columns + j[None, :], p, mask=inside[None, :])
        total = total * scale + tl.sum(p.to(tl.float32), axis=1)
        c = tl.load(c_ptr + j[:, None] * D + tl.arange(0, D)[None, :], mask=inside[:, None], other=0.0)
        d = tl.dot(p, c, d * scale[:, None])
        top = higher
    tl.store(top_ptr + i, top)
    tl.store(total_ptr + i, total)
    tl.store(d_ptr + at(M, D), d)
