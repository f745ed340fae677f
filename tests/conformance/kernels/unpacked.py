# Integers of few bits that are unpacked from bytes and words; products whose operands are computed; butterflies.
import triton
import triton.language as tl


@triton.jit
def fields(x_ptr, y_ptr, n, SHIFT: tl.constexpr, BITS: tl.constexpr, SIGNED: tl.constexpr, TYPE: tl.constexpr,
           BLOCK: tl.constexpr):
    # The field of BITS bits from bit SHIFT on, as a float.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    WIDTH: tl.constexpr = x.dtype.primitive_bitwidth
    if SIGNED:
        x = (x << (WIDTH - SHIFT - BITS)) >> (WIDTH - BITS)
    else:
        x = (x >> SHIFT) & ((1 << BITS) - 1)
    tl.store(y_ptr + i, x.to(TYPE), mask=i < n)


@triton.jit
def differences(x_ptr, z_ptr, y_ptr, n, SHIFT: tl.constexpr, OTHER: tl.constexpr, BITS: tl.constexpr,
                SIGNED: tl.constexpr, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    # A field of one integer minus a field of another, as a float.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    z = tl.load(z_ptr + i, mask=i < n, other=0)
    WIDTH: tl.constexpr = x.dtype.primitive_bitwidth
    x = (x << (WIDTH - SHIFT - BITS)) >> (WIDTH - BITS) if SIGNED else (x >> SHIFT) & ((1 << BITS) - 1)
    z = (z >> OTHER) & ((1 << BITS) - 1)
    tl.store(y_ptr + i, (x - z).to(TYPE), mask=i < n)


@triton.jit
def carried(x_ptr, y_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    # Integers that a loop changes, and its own number, as floats: they have more bits in later iterations.
    i = tl.arange(0, BLOCK)
    c = tl.load(x_ptr + i) * 0 + 1 + i % 2
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, n, 3):
        total += c.to(TYPE).to(tl.float32) + (i + k).to(TYPE).to(tl.float32) * 2
        c = c * 5 + 1
    k = 0
    while k < n:
        total += (i % 2 + k).to(TYPE).to(tl.float32)
        k += 4
    tl.store(y_ptr + i, total)


@triton.jit
def carried_constants(y_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    # Small floats that a loop carries and that are constants at first: assemblers compute with them.
    step = tl.full((N, N), 1.5, TYPE)
    total = step
    for _ in range(3):
        total = step + total
    tl.store(y_ptr + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :], total.to(tl.float32))


@triton.jit
def nibbles(a_ptr, b_ptr, c_ptr, k, stride_k, stride_n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # B has two rows of 4-bit integers in each row of bytes.
    i, j, p, q = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K), tl.arange(0, K // 2)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + q[:, None] * stride_k + j[None, :] * stride_n
    total = tl.zeros((M, N), tl.float32)
    for _ in range(0, k, K):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        low, high = (b << 4).to(tl.int8, bitcast=True) >> 4, b >> 4
        both = tl.join(low.to(a.dtype), high.to(a.dtype)).permute(0, 2, 1).reshape(K, N)
        total += tl.dot(a, both)
        a_ptrs += K
        b_ptrs += K // 2 * stride_k
    tl.store(c_ptr + i[:, None] * N + j[None, :], total)


@triton.jit
def computed(a_ptr, b_ptr, c_ptr, sums_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
             LEFT: tl.constexpr, RIGHT: tl.constexpr):
    # C = f(A) g(B), where f and g clamp, cast or are left out; the sums of A's rows.
    i, j, p = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + p[:, None] * N + j[None, :]
    total = tl.zeros((M, N), tl.float32)
    sums = tl.zeros((M,), tl.float32)
    for _ in range(0, k, K):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        if LEFT == "clamped":
            a = tl.maximum(a, 0)
        if LEFT == "summed":
            sums += tl.sum(a.to(tl.float32), axis=1)
        if RIGHT == "clamped":
            b = tl.maximum(b, 0)
        if RIGHT == "cast":
            b = b.to(a.dtype)
        total = tl.dot(a, b, total)
        a_ptrs += K
        b_ptrs += K * N
    tl.store(c_ptr + i[:, None] * N + j[None, :], total)
    tl.store(sums_ptr + i, sums)


@triton.jit
def stage(x, N: tl.constexpr, STRIDE: tl.constexpr):
    pairs = tl.permute(tl.reshape(x, (N // (2 * STRIDE), 2, STRIDE)), (0, 2, 1))
    a, b = tl.split(pairs)
    return tl.reshape(tl.permute(tl.join(a + b, a - b), (0, 2, 1)), (N,))


@triton.jit
def butterfly(x_ptr, y_ptr, N: tl.constexpr, STAGES: tl.constexpr, DOWN: tl.constexpr, TYPE: tl.constexpr):
    # Sums and differences of elements that are 1, 2, 4 ... apart (Hadamard transform), or in the other order.
    row, i = tl.program_id(0) * N, tl.arange(0, N)
    x = tl.load(x_ptr + row + i)
    for s in tl.static_range(STAGES):
        x = stage(x, N, 1 << (STAGES - 1 - s if DOWN else s))
    tl.store(y_ptr + row + i, (x * 0.5).to(TYPE))


@triton.jit
def window(x_ptr, w_ptr, y_ptr, height, width, channels, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    # A convolution, 3 x 3, with zeros around the image: masks and addresses of rows, in any order between columns.
    pixel, c, j = tl.program_id(0) * P + tl.arange(0, P), tl.arange(0, C), tl.arange(0, N)
    y, x = pixel // width, pixel % width
    total = tl.zeros((P, N), tl.float32)
    image = (x_ptr + 0 * pixel)[:, None]
    for tap in range(9):
        h, w = y + tap // 3 - 1, x + tap % 3 - 1
        at = image + (c * height * width)[None, :] + (h * width)[:, None] + w[:, None]
        inside = (y < height)[:, None] & (c < channels)[None, :] & (0 <= h)[:, None] & (h < height)[:, None]
        inside = inside & (0 <= w)[:, None] & (w < width)[:, None]
        weights = tl.load(w_ptr + (c * 9)[:, None] + tap + (j * channels * 9)[None, :], mask=(c < channels)[:, None],
                          other=0.0)
        total += tl.dot(tl.load(at, mask=inside, other=0.0), weights)
    tl.store(y_ptr + pixel[:, None] + (j * height * width)[None, :], total, mask=(y < height)[:, None])
