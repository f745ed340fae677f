# Scans along each axis, forwards and backwards.
import triton
import triton.language as tl


@triton.jit
def at(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def at3(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def last_set(value_a, set_a, value_b, set_b):
    NONE: tl.constexpr = 0
    return tl.where(set_b != NONE, value_b, value_a), set_a | set_b


@triton.jit
def cumsum_1d(x_ptr, y_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.cumsum(tl.load(x_ptr + i), axis=0, reverse=REVERSE))


@triton.jit
def cumsum_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = at(M, N)
    tl.store(y_ptr + i, tl.cumsum(tl.load(x_ptr + i), axis=AXIS, reverse=REVERSE))


@triton.jit
def cumsum_3d(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr,
              REVERSE: tl.constexpr):
    i = at3(A, B, C)
    tl.store(y_ptr + i, tl.cumsum(tl.load(x_ptr + i), axis=AXIS, reverse=REVERSE))


@triton.jit
def cumprod_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = at(M, N)
    tl.store(y_ptr + i, tl.cumprod(tl.load(x_ptr + i), axis=AXIS, reverse=REVERSE))


@triton.jit
def running_max_1d(x_ptr, y_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.associative_scan(tl.load(x_ptr + i), 0, larger, reverse=REVERSE))


@triton.jit
def running_max_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = at(M, N)
    tl.store(y_ptr + i, tl.associative_scan(tl.load(x_ptr + i), AXIS, larger, reverse=REVERSE))


@triton.jit
def linear_recurrence(a_ptr, b_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    # y[i] = a[i] * y[i - 1] + b[i]: the combination is not commutative, so the order of its operands shows.
    i = at(M, N)
    _, y = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), AXIS, recurrence, reverse=REVERSE)
    tl.store(y_ptr + i, y)


@triton.jit
def fill_forward(x_ptr, set_ptr, y_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    # Each element takes the last value that was set before it.
    i = tl.arange(0, N)
    y, _ = tl.associative_scan((tl.load(x_ptr + i), tl.load(set_ptr + i)), 0, last_set, reverse=REVERSE)
    tl.store(y_ptr + i, y)


@triton.jit
def masked_cumsum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    tl.store(y_ptr + row + i, tl.cumsum(tl.load(x_ptr + row + i, mask=i < n, other=0), axis=0), mask=i < n)


@triton.jit
def compact(x_ptr, y_ptr, count_ptr, N: tl.constexpr):
    # Keeps the positive elements, in order: a scan says where each goes.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    keep = x > 0
    place = tl.cumsum(keep.to(tl.int32), axis=0) - 1
    tl.store(y_ptr + place, x, mask=keep)
    tl.store(count_ptr, tl.sum(keep.to(tl.int32), axis=0))


@triton.jit
def carried(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # A scan longer than a block.
    before = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0)
        tl.store(y_ptr + i, tl.cumsum(x, axis=0) + before, mask=i < n)
        before += tl.sum(x, axis=0)
