# Functions whose results depend on the order of what they combine, and functions that assert something of it.
import triton
import triton.language as tl


@triton.jit
def affine(a1, b1, a2, b2):
    # x -> a1 * x + b1, and then x -> a2 * x + b2.
    return a1 * a2, b1 * a2 + b2


@triton.jit
def matrices(a, b, c, d, e, f, g, h):
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


@triton.jit
def last(a, b):
    return b


@triton.jit
def first_greatest(value_a, index_a, value_b, index_b):
    # Of equal values the left one stays, whatever its index.
    stays = value_a >= value_b
    return tl.where(stays, value_a, value_b), tl.where(stays, index_a, index_b)


@triton.jit
def adjacent(first_a, last_a, first_b, last_b):
    # Of two runs of numbers the second goes on where the first ends.
    tl.assume(first_a <= last_a)
    tl.device_assert(last_a + 1 == first_b, "runs must be adjacent")
    return first_a, last_b


@triton.jit
def checked_sum(a, b):
    tl.device_assert(a > 0, "numbers must be positive")
    tl.device_assert(a.to(tl.int64) + b <= 1000, "the sum is too large")
    return a + b


@triton.jit
def checked_square(a):
    tl.device_assert(a < 100, "the square is too large")
    return a * a


@triton.jit
def places(M: tl.constexpr, N: tl.constexpr, COLUMNS: tl.constexpr):
    # Offsets in memory that is one row after another, or one column after another.
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    return j * M + i if COLUMNS else i * N + j


@triton.jit
def affine_1d(x_ptr, y_ptr, a_ptr, b_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a, b = tl.reduce((tl.load(x_ptr + i), tl.load(y_ptr + i)), 0, affine)
    tl.store(a_ptr + tl.program_id(0), a)
    tl.store(b_ptr + tl.program_id(0), b)


@triton.jit
def affine_2d(x_ptr, y_ptr, a_ptr, b_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
              COLUMNS: tl.constexpr):
    i = places(M, N, COLUMNS)
    a, b = tl.reduce((tl.load(x_ptr + i), tl.load(y_ptr + i)), AXIS, affine)
    k = tl.arange(0, a.shape[0])
    tl.store(a_ptr + k, a)
    tl.store(b_ptr + k, b)


@triton.jit
def affine_3d(x_ptr, y_ptr, a_ptr, b_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    i = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    a, b = tl.reduce((tl.load(x_ptr + i), tl.load(y_ptr + i)), AXIS, affine)
    k = tl.arange(0, a.shape[0])[:, None] * a.shape[1] + tl.arange(0, a.shape[1])[None, :]
    tl.store(a_ptr + k, a)
    tl.store(b_ptr + k, b)


@triton.jit
def affine_all(x_ptr, y_ptr, a_ptr, b_ptr, M: tl.constexpr, N: tl.constexpr):
    # Over both axes, row by row.
    i = places(M, N, True)
    a, b = tl.reduce((tl.load(x_ptr + i), tl.load(y_ptr + i)), None, affine)
    tl.store(a_ptr, a)
    tl.store(b_ptr, b)


@triton.jit
def matrices_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, COLUMNS: tl.constexpr):
    # Each matrix has determinant 1, so that no factor is lost.
    x = tl.load(x_ptr + places(M, N, COLUMNS))
    a, b, c, d = tl.reduce((tl.full((M, N), 1, tl.int32), x, x, x * x + 1), AXIS, matrices)
    k = tl.arange(0, a.shape[0]) * 4
    tl.store(y_ptr + k, a)
    tl.store(y_ptr + k + 1, b)
    tl.store(y_ptr + k + 2, c)
    tl.store(y_ptr + k + 3, d)


@triton.jit
def affine_of_product(x_ptr, y_ptr, a_ptr, b_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                      AXIS: tl.constexpr):
    # The elements are where a matrix product leaves them.
    c = tl.dot(tl.load(x_ptr + places(M, K, False)), tl.load(y_ptr + places(K, N, False))).to(tl.int32)
    a, b = tl.reduce(((c & 1) * 2 + 1, c >> 1), AXIS, affine)
    k = tl.arange(0, a.shape[0])
    tl.store(a_ptr + k, a)
    tl.store(b_ptr + k, b)


@triton.jit
def last_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, COLUMNS: tl.constexpr):
    y = tl.reduce(tl.load(x_ptr + places(M, N, COLUMNS)), AXIS, last)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def first_greatest_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, COLUMNS: tl.constexpr):
    i = places(M, N, COLUMNS)
    _, y = tl.reduce((tl.load(x_ptr + i), i), AXIS, first_greatest)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def adjacent_reduce(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, COLUMNS: tl.constexpr):
    x = tl.load(x_ptr + places(M, N, COLUMNS))
    first, last = tl.reduce((x, x), AXIS, adjacent)
    tl.store(y_ptr + tl.arange(0, first.shape[0]), last - first)


@triton.jit
def adjacent_scan(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr,
                  COLUMNS: tl.constexpr):
    i = places(M, N, COLUMNS)
    x = tl.load(x_ptr + i)
    first, last = tl.associative_scan((x, x), AXIS, adjacent, reverse=REVERSE)
    tl.store(y_ptr + i, last - first)


@triton.jit
def sum_with_assert(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, N)), 0, checked_sum))


@triton.jit
def scan_with_assert(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.associative_scan(tl.load(x_ptr + i), 0, checked_sum))


@triton.jit
def map_with_assert(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.map_elementwise(checked_square, tl.load(x_ptr + i)))
