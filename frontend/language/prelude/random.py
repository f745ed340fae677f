# Random numbers by counters: Philox (J. K. Salmon et al., 'Parallel random numbers: as easy as 1, 2, 3', 2011) with
# four words, of 32 or 64 bits by the type of the counters. Words, uniform numbers and the default of ten rounds are
# Triton's.
import triton
import triton.language as tl


@triton.jit
def random_philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    tl.static_assert(c0.dtype == tl.uint32 or c0.dtype == tl.uint64, "philox_impl takes counters of uint32 or uint64")
    narrow: tl.constexpr = c0.dtype == tl.uint32
    multiplier0: tl.constexpr = 0xD2511F53 if narrow else 0xD2E7470EE14C6C93
    multiplier1: tl.constexpr = 0xCD9E8D57 if narrow else 0xCA5A826395121157
    raise0: tl.constexpr = 0x9E3779B9 if narrow else 0x9E3779B97F4A7C15
    raise1: tl.constexpr = 0xBB67AE85 if narrow else 0xBB67AE8584CAA73B
    for i in tl.static_range(n_rounds):
        high0 = tl.umulhi(c0, multiplier0)
        high1 = tl.umulhi(c2, multiplier1)
        low0 = c0 * multiplier0
        low1 = c2 * multiplier1
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 = k0 + raise0
        k1 = k1 + raise1
    return c0, c1, c2, c3


# The seed's halves are the key of words of 32 bits; of words of 64 bits it is the first half of the key.
@triton.jit
def random_philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    key = tl.to_tensor(seed)
    tl.static_assert(key.dtype.is_int(), "the seed of random numbers is an integer")
    key = key.to(tl.uint64)
    a = tl.to_tensor(c0)
    b = tl.to_tensor(c1)
    c = tl.to_tensor(c2)
    d = tl.to_tensor(c3)
    if a.dtype.primitive_bitwidth == 32:
        high = (key >> 32).to(tl.uint32)
        low = (key & 0xFFFFFFFF).to(tl.uint32)
        return random_philox_impl(a.to(tl.uint32, bitcast=True), b.to(tl.uint32, bitcast=True),
                                  c.to(tl.uint32, bitcast=True), d.to(tl.uint32, bitcast=True), low, high, n_rounds)
    else:
        tl.static_assert(a.dtype.primitive_bitwidth == 64, "philox takes counters of 32 or 64 bits")
        return random_philox_impl(a.to(tl.uint64, bitcast=True), b.to(tl.uint64, bitcast=True),
                                  c.to(tl.uint64, bitcast=True), d.to(tl.uint64, bitcast=True), key, key * 0, n_rounds)


@triton.jit
def random_randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    counter = tl.to_tensor(offset)
    low = counter.to(tl.uint32)
    zero = low * 0
    if counter.dtype.primitive_bitwidth > 32:
        return random_philox(seed, low, (counter >> 32).to(tl.uint32), zero, zero, n_rounds)
    else:
        return random_philox(seed, low, zero, zero, zero, n_rounds)


@triton.jit
def random_randint(seed, offset, n_rounds: tl.constexpr = 10):
    first, second, third, fourth = random_randint4x(seed, offset, n_rounds)
    return first


# The bits as a signed number, negative ones mirrored to 0 and above, times the largest factor that stays below 1.
@triton.jit
def random_uint_to_uniform_float(x):
    if x.dtype.primitive_bitwidth == 32:
        tl.static_assert(x.dtype.is_int(), "uint_to_uniform_float takes integers")
        word = x.to(tl.int32, bitcast=True)
        return tl.where(word < 0, -word - 1, word) * 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.primitive_bitwidth == 64 and x.dtype.is_int(),
                         "uint_to_uniform_float takes integers of 32 or 64 bits")
        wide = x.to(tl.int64, bitcast=True)
        return tl.where(wide < 0, -wide - 1, wide) * 1.0842020432385337e-19


@triton.jit
def random_rand(seed, offset, n_rounds: tl.constexpr = 10):
    return random_uint_to_uniform_float(random_randint(seed, offset, n_rounds))


@triton.jit
def random_rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    a, b, c, d = random_randint4x(seed, offsets, n_rounds)
    return (random_uint_to_uniform_float(a), random_uint_to_uniform_float(b), random_uint_to_uniform_float(c),
            random_uint_to_uniform_float(d))


# G. E. P. Box and M. E. Muller, 'A note on the generation of random normal deviates', 1958.
@triton.jit
def random_pair_uniform_to_normal(u1, u2):
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def random_randn(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = random_randint4x(seed, offset, n_rounds)
    first, second = random_pair_uniform_to_normal(random_uint_to_uniform_float(a), random_uint_to_uniform_float(b))
    return first


@triton.jit
def random_randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = random_rand4x(seed, offset, n_rounds)
    n0, n1 = random_pair_uniform_to_normal(a, b)
    n2, n3 = random_pair_uniform_to_normal(c, d)
    return n0, n1, n2, n3
