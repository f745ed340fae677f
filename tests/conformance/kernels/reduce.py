# Reductions along each axis of one, two and three, over all elements, and with the axis kept.
import triton
import triton.language as tl


@triton.jit
def load2(x_ptr, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def load3(x_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    return tl.load(x_ptr + i)


@triton.jit
def store2(y_ptr, y):
    tl.store(y_ptr + tl.arange(0, y.shape[0])[:, None] * y.shape[1] + tl.arange(0, y.shape[1])[None, :], y)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def larger_magnitude(a, b):
    # Keeps the number that is farther from zero; of two as far, the greater.
    return tl.where(tl.abs(a) > tl.abs(b), a, tl.where(tl.abs(a) == tl.abs(b), tl.maximum(a, b), b))


@triton.jit
def branching_min(a, b):
    if a < b:
        result = a
    else:
        result = b
    return result


@triton.jit
def sum_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def sum_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.sum(x, axis=AXIS)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def sum_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.sum(x, axis=AXIS))


@triton.jit
def max_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.max(x, axis=0))


@triton.jit
def max_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.max(x, axis=AXIS)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def max_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.max(x, axis=AXIS))


@triton.jit
def min_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.min(x, axis=0))


@triton.jit
def min_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.min(x, axis=AXIS)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def min_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.min(x, axis=AXIS))


@triton.jit
def argmax_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.argmax(x, axis=0))


@triton.jit
def argmax_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.argmax(x, axis=AXIS)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def argmax_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.argmax(x, axis=AXIS))


@triton.jit
def argmin_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.argmin(x, axis=0))


@triton.jit
def argmin_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.argmin(x, axis=AXIS)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def argmin_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.argmin(x, axis=AXIS))


@triton.jit
def xor_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.xor_sum(x, axis=0))


@triton.jit
def xor_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.xor_sum(x, axis=AXIS)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def xor_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.xor_sum(x, axis=AXIS))


@triton.jit
def product_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.reduce(x, 0, multiply))


@triton.jit
def product_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.reduce(x, AXIS, multiply)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def product_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.reduce(x, AXIS, multiply))


@triton.jit
def custom_1d(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y_ptr + tl.program_id(0), tl.reduce(x, axis=0, combine_fn=larger_magnitude))


@triton.jit
def custom_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    y = tl.reduce(x, axis=AXIS, combine_fn=larger_magnitude)
    tl.store(y_ptr + tl.arange(0, y.shape[0]), y)


@triton.jit
def custom_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    x = load3(x_ptr, A, B, C)
    store2(y_ptr, tl.reduce(x, axis=AXIS, combine_fn=larger_magnitude))


@triton.jit
def sum_all(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(load2(x_ptr, M, N)))


@triton.jit
def max_all(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = load2(x_ptr, M, N)
    tl.store(y_ptr, tl.max(x))
    tl.store(y_ptr + 1, tl.min(x))


@triton.jit
def keep_dims(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    x = load2(x_ptr, M, N)
    store2(y_ptr, x - tl.max(x, axis=AXIS, keep_dims=True))


@triton.jit
def all_keeping_dims(x_ptr, y_ptr, product_ptr, M: tl.constexpr, N: tl.constexpr):
    # Over all axes at once; what is left has as many, of one element each.
    x = load2(x_ptr, M, N)
    store2(y_ptr, x - tl.sum(x, keep_dims=True))
    product = tl.reduce(x, None, multiply, keep_dims=True)
    tl.static_assert(len(product.shape) == 2)
    tl.store(product_ptr, tl.reshape(product, ()))


@triton.jit
def types_of_results(x_ptr, sum_ptr, max_ptr, scan_ptr, SUM: tl.constexpr, MAX: tl.constexpr, SCAN: tl.constexpr,
                     N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    total = tl.sum(x, 0)
    largest = tl.max(x, 0)
    running = tl.cumsum(x)
    tl.static_assert(total.dtype == SUM)
    tl.static_assert(largest.dtype == MAX)
    tl.static_assert(running.dtype == SCAN)
    tl.store(sum_ptr, total)
    tl.store(max_ptr, largest)
    tl.store(scan_ptr + i, running)


@triton.jit
def positions_without_ties(x_ptr, y_ptr, N: tl.constexpr):
    # Where all elements differ, no rule for ties changes the result.
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr, tl.argmax(x, 0, tie_break_left=False))
    tl.store(y_ptr + 1, tl.argmin(x, 0, tie_break_left=False, keep_dims=True).item())


@triton.jit
def masked_sum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + tl.program_id(0) * n + i, mask=i < n, other=0), axis=0))


@triton.jit
def masked_max(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    tl.store(y_ptr + tl.program_id(0), tl.max(x, axis=0))


@triton.jit
def sum_of_truths(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)) > 0, axis=0))


@triton.jit
def sum_wide(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), axis=0, dtype=tl.int64))


@triton.jit
def or_rows(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, M), tl.reduce_or(load2(x_ptr, M, N), 1))


@triton.jit
def max_with_index(x_ptr, v_ptr, i_ptr, M: tl.constexpr, N: tl.constexpr):
    value, index = tl.max(load2(x_ptr, M, N), axis=1, return_indices=True)
    tl.store(v_ptr + tl.arange(0, M), value)
    tl.store(i_ptr + tl.arange(0, M), index)


@triton.jit
def min_with_index(x_ptr, v_ptr, i_ptr, M: tl.constexpr, N: tl.constexpr):
    value, index = tl.min(load2(x_ptr, M, N), 0, return_indices=True, return_indices_tie_break_left=True)
    tl.store(v_ptr + tl.arange(0, N), value)
    tl.store(i_ptr + tl.arange(0, N), index)


@triton.jit
def reduce_with_branch(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, M), tl.reduce(load2(x_ptr, M, N), 1, branching_min))


@triton.jit
def extent_of(low_a, high_a, count_a, low_b, high_b, count_b):
    return tl.minimum(low_a, low_b), tl.maximum(high_a, high_b), count_a + count_b


@triton.jit
def three_at_once(x_ptr, low_ptr, high_ptr, count_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    # Three operands of two types in one reduction.
    x = load2(x_ptr, M, N)
    low, high, count = tl.reduce((x, x, tl.full((M, N), 1, tl.int32)), AXIS, extent_of)
    i = tl.arange(0, low.shape[0])
    tl.store(low_ptr + i, low)
    tl.store(high_ptr + i, high)
    tl.store(count_ptr + i, count)


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    share = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * share, m2_a + m2_b + delta * delta * weight_a * share, weight


@triton.jit
def variance(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    x = load2(x_ptr, M, N)
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.full((M, N), 1.0, tl.float32)), axis=1, combine_fn=welford)
    tl.store(y_ptr + tl.arange(0, M), mean)
    tl.store(y_ptr + M + tl.arange(0, M), m2 / weight)


@triton.jit
def twice(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    # A reduction of what a reduction left.
    y = tl.sum(tl.max(load3(x_ptr, A, B, C), axis=1), axis=1)
    tl.store(y_ptr + tl.arange(0, A), y)


@triton.jit
def in_loop(x_ptr, y_ptr, steps, M: tl.constexpr, N: tl.constexpr):
    # The same scratch memory serves every round.
    total = tl.zeros((M,), tl.int32)
    for k in range(steps):
        x = load2(x_ptr + k * M * N, M, N)
        total += tl.max(x, axis=1) * (k + 1) + tl.sum(tl.min(x, axis=0), axis=0)
    tl.store(y_ptr + tl.arange(0, M), total)


@triton.jit
def running_sums(x_ptr, y_ptr, steps, M: tl.constexpr, N: tl.constexpr):
    # Totals of what cannot be negative, from block to block: threads may add their own elements, and each other's only
    # behind the loop.
    squares = tl.exp2((tl.arange(0, M) % 4).to(tl.float32))
    largest = tl.zeros((N,), tl.float32)
    powers = tl.full((N,), 1.0, tl.float32)
    for k in range(steps):
        x = load2(x_ptr + k * M * N, M, N)
        squares += tl.sum(x * x, axis=1)
        new = tl.maximum(largest, tl.max(x, axis=0))
        powers = powers * tl.exp2(largest - new) + tl.sum(tl.exp2(x - new[None, :]), axis=0)
        largest = new
    tl.store(y_ptr + tl.arange(0, M), squares)
    tl.store(y_ptr + M + tl.arange(0, N), powers)


@triton.jit
def negated(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, LARGEST: tl.constexpr):
    x = -tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    y = tl.max(x, axis=1) if LARGEST else tl.min(x, axis=1)
    tl.store(y_ptr + tl.arange(0, M), y)
