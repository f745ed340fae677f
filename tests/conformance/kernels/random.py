# Random numbers by counters: Philox 4x32-10 (Salmon et al., 'Parallel random numbers: as easy as 1, 2, 3', SC 2011),
# with unsigned 32-bit products whose high halves matter.
import triton
import triton.language as tl


@triton.jit
def philox(c0, c1, c2, c3, k0, k1, ROUNDS: tl.constexpr):
    for _ in tl.static_range(ROUNDS):
        low0 = c0 * 0xD2511F53
        high0 = tl.umulhi(c0, tl.full(c0.shape, 0xD2511F53, tl.uint32))
        low1 = c2 * 0xCD9E8D57
        high1 = tl.umulhi(c2, tl.full(c2.shape, 0xCD9E8D57, tl.uint32))
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 += 0x9E3779B9
        k1 += 0xBB67AE85
    return c0, c1, c2, c3


@triton.jit
def draw(k0, k1, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = (tl.program_id(0) * N + tl.arange(0, N)).to(tl.uint32)
    zero = tl.zeros((N,), tl.uint32)
    return philox(i, zero, zero, zero, zero + k0.to(tl.uint32), zero + k1.to(tl.uint32), ROUNDS)


@triton.jit
def words(y_ptr, k0, k1, N: tl.constexpr, ROUNDS: tl.constexpr):
    a, b, c, d = draw(k0, k1, N, ROUNDS)
    i = (tl.program_id(0) * N + tl.arange(0, N)) * 4
    tl.store(y_ptr + i, a)
    tl.store(y_ptr + i + 1, b)
    tl.store(y_ptr + i + 2, c)
    tl.store(y_ptr + i + 3, d)


@triton.jit
def uniform(y_ptr, k0, k1, N: tl.constexpr, ROUNDS: tl.constexpr):
    # The upper 24 bits, which f32 holds exactly.
    a, _, _, _ = draw(k0, k1, N, ROUNDS)
    tl.store(y_ptr + tl.program_id(0) * N + tl.arange(0, N), (a >> 8).to(tl.float32) * 5.9604644775390625e-08)


@triton.jit
def normal(y_ptr, k0, k1, N: tl.constexpr, ROUNDS: tl.constexpr):
    # Box and Muller's pair from two uniform numbers; the first is never zero.
    a, b, _, _ = draw(k0, k1, N, ROUNDS)
    u = ((a >> 8).to(tl.float32) + 1.0) * 5.9604644775390625e-08
    angle = (b >> 8).to(tl.float32) * 3.7450704e-07
    radius = tl.sqrt(-2.0 * tl.log(u))
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y_ptr + i, radius * tl.cos(angle))


@triton.jit
def word_loop(y_ptr, k0, k1, n, N: tl.constexpr, ROUNDS: tl.constexpr):
    # A generator that steps: each round's counter is the last round's result.
    i = tl.arange(0, N).to(tl.uint32)
    zero = tl.zeros((N,), tl.uint32)
    a, b, c, d = i, zero, zero, zero
    for _ in range(n):
        a, b, c, d = philox(a, b, c, d, zero + k0.to(tl.uint32), zero + k1.to(tl.uint32), ROUNDS)
    tl.store(y_ptr + tl.arange(0, N), a ^ b ^ c ^ d)


@triton.jit
def tl_philox(z_ptr, seed, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a, b, c, d = tl.philox(seed, i, 7, i * 0, 0, ROUNDS)
    tl.store(z_ptr + 4 * i, a)
    tl.store(z_ptr + 4 * i + 1, b)
    tl.store(z_ptr + 4 * i + 2, c)
    tl.store(z_ptr + 4 * i + 3, d)


@triton.jit
def philox_wide(z_ptr, k0, k1, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = (tl.program_id(0) * N + tl.arange(0, N)).to(tl.uint64)
    zero = i * 0
    a, b, c, d = tl.random.philox_impl(i, zero, zero, zero, zero + k0, zero + k1, ROUNDS)
    tl.store(z_ptr + 4 * i, a)
    tl.store(z_ptr + 4 * i + 1, b)
    tl.store(z_ptr + 4 * i + 2, c)
    tl.store(z_ptr + 4 * i + 3, d)


@triton.jit
def functions(i_ptr, u_ptr, n_ptr, seed, N: tl.constexpr, FAR: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    far = i.to(tl.int64) + FAR
    tl.store(i_ptr + i, tl.randint(seed, i))
    first, second, third, fourth = tl.randint4x(seed, far)
    tl.store(i_ptr + N * tl.num_programs(0) + i, second ^ third ^ fourth)
    tl.store(u_ptr + i, tl.rand(seed, i))
    u0, u1, u2, u3 = tl.rand4x(seed, i)
    tl.store(u_ptr + N * tl.num_programs(0) + i, u3)
    tl.store(n_ptr + i, tl.randn(seed, i))
    n0, n1, n2, n3 = tl.randn4x(seed, i)
    tl.store(n_ptr + N * tl.num_programs(0) + i, n3)
