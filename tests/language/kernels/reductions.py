# Reductions and scans.
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def sum_rows(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, M), tl.sum(tile(x_ptr, M, N), axis=1))


@triton.jit
def sum_columns(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, N), tl.sum(tile(x_ptr, M, N), axis=0))


@triton.jit
def sum_all(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(tile(x_ptr, M, N)))


@triton.jit
def sum_keep_dims(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    centred = x - tl.sum(x, 1, keep_dims=True) / N + tl.sum(x, keep_dims=True) * 0
    tl.store(y_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], centred)


@triton.jit
def sum_types(x_ptr, y_ptr, N: tl.constexpr, EXPECTED: tl.constexpr):
    total = tl.sum(tl.load(x_ptr + tl.arange(0, N)), 0)
    tl.static_assert(total.dtype == EXPECTED)
    tl.store(y_ptr, total)


@triton.jit
def sum_dtype(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), 0, dtype=tl.int64))


@triton.jit
def sum_booleans(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)) > 0, 0))


@triton.jit
def extremes(x_ptr, max_ptr, min_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    tl.store(max_ptr + tl.arange(0, M), tl.max(x, axis=1))
    tl.store(min_ptr + tl.arange(0, M), tl.min(x, axis=1))


@triton.jit
def extremes_of_all(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    tl.store(y_ptr, tl.max(x))
    tl.store(y_ptr + 1, tl.min(x))


@triton.jit
def extreme_types(x_ptr, y_ptr, N: tl.constexpr, EXPECTED: tl.constexpr):
    greatest = tl.max(tl.load(x_ptr + tl.arange(0, N)), 0)
    tl.static_assert(greatest.dtype == EXPECTED)
    tl.store(y_ptr, greatest)


@triton.jit
def extremes_with_indices(x_ptr, v_ptr, i_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    rows = tl.arange(0, M)
    value, index = tl.max(x, axis=1, return_indices=True)
    tl.store(v_ptr + rows, value)
    tl.store(i_ptr + rows, index)
    value, index = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=True)
    tl.store(v_ptr + M + rows, value)
    tl.store(i_ptr + M + rows, index)


@triton.jit
def arg_extremes(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    columns = tl.arange(0, N)
    tl.store(y_ptr + columns, tl.argmax(x, axis=0))
    tl.store(y_ptr + N + columns, tl.argmin(x, 0))


@triton.jit
def arg_extreme_fast(x_ptr, y_ptr, N: tl.constexpr):
    # Without ties the fast variant gives the same index.
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr, tl.argmax(x, 0, tie_break_left=False))
    tl.store(y_ptr + 1, tl.argmin(x, 0, tie_break_left=False, keep_dims=True).item())


@triton.jit
def bitwise(x_ptr, xor_ptr, or_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    tl.store(xor_ptr + tl.arange(0, M), tl.xor_sum(x, axis=1))
    tl.store(or_ptr + tl.arange(0, M), tl.reduce_or(x, 1))


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def product(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    tl.store(y_ptr + tl.arange(0, N), tl.reduce(x, 0, multiply))


@triton.jit
def product_of_all(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    y = tl.reduce(tile(x_ptr, M, N), None, multiply, keep_dims=True)
    tl.static_assert(len(y.shape) == 2)
    tl.store(y_ptr, tl.reshape(y, ()))


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    share = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * share, m2_a + m2_b + delta * delta * weight_a * share, weight


@triton.jit
def variance(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.full((M, N), 1.0, tl.float32)), axis=1, combine_fn=welford)
    rows = tl.arange(0, M)
    tl.store(y_ptr + rows, mean)
    tl.store(y_ptr + M + rows, m2 / weight)


@triton.jit
def branching_max(a, b):
    if a > b:
        result = a
    else:
        result = b
    return result


@triton.jit
def reduce_with_branch(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, N)), 0, branching_max))


@triton.jit
def cumsum(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tile(x_ptr, M, N)
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y_ptr + i, tl.cumsum(x, axis=1))
    tl.store(z_ptr + i, tl.cumsum(x, 0, reverse=True))


@triton.jit
def cumsum_types(x_ptr, y_ptr, N: tl.constexpr, EXPECTED: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.cumsum(tl.load(x_ptr + i))
    tl.static_assert(total.dtype == EXPECTED)
    tl.store(y_ptr + i, total)


@triton.jit
def cumprod(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tl.cumprod(x, 0))
    tl.store(z_ptr + i, x.cumprod(0, reverse=True))


@triton.jit
def linear_recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def associative_scan(a_ptr, b_ptr, y_ptr, N: tl.constexpr):
    # y[i] = a[i] * y[i - 1] + b[i].
    i = tl.arange(0, N)
    _, y = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, linear_recurrence)
    tl.store(y_ptr + i, y)


@triton.jit
def maximum_of(a, b):
    return tl.maximum(a, b)


@triton.jit
def running_max(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.associative_scan(tl.load(x_ptr + i), axis=0, combine_fn=maximum_of, reverse=True))


@triton.jit
def histogram(x_ptr, y_ptr, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BINS), tl.histogram(tl.load(x_ptr + tl.arange(0, N)), BINS))


@triton.jit
def histogram_masked(x_ptr, y_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    counts = tl.load(x_ptr + i).histogram(BINS, mask=i < n)
    tl.store(y_ptr + tl.arange(0, BINS), counts)
