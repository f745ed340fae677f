# Products that are large enough for instructions of several warps, in loops whose blocks lie side by side in memory.
import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def block(pointer, M: tl.constexpr, N: tl.constexpr, TRANSPOSED: tl.constexpr):
    # M x N, stored as it is or N x M.
    if TRANSPOSED:
        return tl.trans(tl.load(pointer + at(N, M)))
    else:
        return tl.load(pointer + at(M, N))


@triton.jit
def sums(a_ptr, b_ptr, c_ptr, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TA: tl.constexpr,
         TB: tl.constexpr, STAGES: tl.constexpr):
    total = tl.zeros((M, N), tl.float32)
    for i in tl.range(0, trips, num_stages=STAGES):
        total = tl.dot(block(a_ptr + i * (M * K), M, K, TA), block(b_ptr + i * (K * N), K, N, TB), total)
    tl.store(c_ptr + at(M, N), total)


@triton.jit
def two_sums(a_ptr, b_ptr, c_ptr, d_ptr, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # Two products of an iteration, one of them with an operand that does not change; then one more, without a loop.
    first = tl.load(a_ptr + at(M, K))
    c = tl.zeros((M, N), tl.float32)
    d = tl.zeros((M, N), tl.float32)
    for i in range(trips):
        b = tl.load(b_ptr + i * (K * N) + at(K, N))
        c = tl.dot(tl.load(a_ptr + i * (M * K) + at(M, K)), b, c)
        d = tl.dot(first, b, d)
    tl.store(c_ptr + at(M, N), c)
    tl.store(d_ptr + at(M, N), tl.dot(first, tl.load(b_ptr + at(K, N)), d))


@triton.jit
def scaled(a_ptr, b_ptr, c_ptr, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # A result that is used in its iteration.
    total = tl.zeros((M, N), tl.float32)
    for i in range(trips):
        d = tl.dot(tl.load(a_ptr + i * (M * K) + at(M, K)), tl.load(b_ptr + i * (K * N) + at(K, N)))
        total += d * (i + 1)
    tl.store(c_ptr + at(M, N), total)


@triton.jit
def chain(q_ptr, k_ptr, v_ptr, c_ptr, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SCALES: tl.constexpr,
          STAGES: tl.constexpr):
    # As in an attention: a product's result becomes the left operand of another one, whose sum is scaled before.
    q = tl.load(q_ptr + at(M, K))
    total = tl.zeros((M, K), tl.float32)
    for i in tl.range(0, trips, num_stages=STAGES):
        s = tl.dot(q, tl.trans(tl.load(k_ptr + i * (N * K) + at(N, K))))
        p = tl.where(s > 3, 2.0, tl.where(s > 0, 1.0, 0.0)).to(tl.float16)
        if SCALES:
            total *= tl.where(tl.max(s, axis=1) > 9, 2.0, 1.0)[:, None]
        total = tl.dot(p, tl.load(v_ptr + i * (N * K) + at(N, K)), total)
    tl.store(c_ptr + at(M, K), total)


@triton.jit
def two_chains(q_ptr, k_ptr, v_ptr, c_ptr, d_ptr, trips, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # Two products of one left operand; the second's right one is a block that the iteration has read transposed.
    q = tl.load(q_ptr + at(M, K))
    c = tl.zeros((M, K), tl.float32)
    d = tl.zeros((M, K), tl.float32)
    for i in range(trips):
        k = tl.load(k_ptr + i * (N * K) + at(N, K))
        s = tl.dot(q, tl.trans(k))
        p = tl.where(s > 0, 1.0, 0.0).to(tl.float16)
        c = tl.dot(p, tl.load(v_ptr + i * (N * K) + at(N, K)), c)
        d = tl.dot(p, k, d * tl.where(tl.min(s, axis=1) < -9, 2.0, 1.0)[:, None])
    tl.store(c_ptr + at(M, K), c)
    tl.store(d_ptr + at(M, K), d)


@triton.jit
def reset(q_ptr, k_ptr, v_ptr, first_ptr, c_ptr, trips, at_trip, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # One iteration drops the sum and begins with another one.
    q = tl.load(q_ptr + at(M, K))
    total = tl.zeros((M, K), tl.float32)
    for i in range(trips):
        s = tl.dot(q, tl.trans(tl.load(k_ptr + i * (N * K) + at(N, K))))
        p = tl.where(s > 0, 1.0, 0.0).to(tl.float16)
        more = tl.dot(p, tl.load(v_ptr + i * (N * K) + at(N, K)), total)
        if i == at_trip:
            total = tl.load(first_ptr + at(M, K))
        else:
            total = more
    tl.store(c_ptr + at(M, K), total)


@triton.jit
def squares(x_ptr, y_ptr, c_ptr, trips, N: tl.constexpr, K: tl.constexpr):
    # One operand twice: as it is and transposed, and transposed twice.
    total = tl.zeros((N, N), tl.float32)
    for i in range(trips):
        x = tl.load(x_ptr + i * (N * K) + at(N, K))
        total = tl.dot(x, tl.trans(x), total)
    y = tl.trans(tl.load(y_ptr + at(N, N)))
    tl.store(c_ptr + at(N, N), tl.dot(y, y, total))
