# Operations whose result Triton leaves undefined: docs/language.md has the results here.
import triton
import triton.language as tl


@triton.jit
def divide(x_ptr, y_ptr, q_ptr, r_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(q_ptr + i, x // y, mask=i < n)
    tl.store(r_ptr + i, x % y, mask=i < n)


@triton.jit
def divide_scalar(out_ptr, x, y):
    tl.store(out_ptr, x // y)
    tl.store(out_ptr + 1, x % y)


@triton.jit
def shift(x_ptr, y_ptr, left_ptr, right_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(left_ptr + i, x << y, mask=i < n)
    tl.store(right_ptr + i, x >> y, mask=i < n)


@triton.jit
def constant_shift(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x << 32)
    tl.store(out_ptr + N + i, x >> 32)


@triton.jit
def scalar_quotient(x, y):
    return x // y, y


# What is undefined here is dropped by masks, by a select, by `and` and by a sum over the other elements: no fault.
@triton.jit
def dropped(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    q = x // y
    tl.store(out_ptr + i, q + 1, mask=(i < n) & (y != 0))
    chosen = tl.where(y != 0, tl.expand_dims(q, 1).reshape(BLOCK), -1)
    tl.store(out_ptr + BLOCK + i, chosen, mask=i < n)
    divides = (y != 0) & (x % y == 0)
    tl.store(out_ptr + 2 * BLOCK + i, divides.to(tl.int32), mask=i < n)
    tl.store(out_ptr + 3 * BLOCK, tl.sum(tl.where((i < n) & (y != 0), q, 0), 0))
    mapped, divisor = tl.map_elementwise(scalar_quotient, x, y)
    tl.store(out_ptr + 3 * BLOCK + 1 + i, mapped, mask=(i < n) & (divisor != 0))


@triton.jit
def steps(out_ptr, start, stop, step):
    count = 0
    last = start
    for i in range(start, stop, step):
        count += 1
        last = i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, last)


@triton.jit
def histogram(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(tl.load(x_ptr + tl.arange(0, N)), BINS))


@triton.jit
def gather(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.gather(tl.load(x_ptr + i), tl.load(index_ptr + i), 0))


# A loop of products whose loads are issued before it begins.
@triton.jit
def product_steps(a_ptr, b_ptr, c_ptr, k, blocks, step, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N, N), tl.float32)
    for block in range(0, blocks, step):
        inner = block * N + i
        a = tl.load(a_ptr + i[:, None] * k + inner[None, :], mask=inner[None, :] < k, other=0.0)
        b = tl.load(b_ptr + i[:, None] * k + inner[None, :], mask=inner[None, :] < k, other=0.0)
        total = tl.dot(a, tl.trans(b), total)
    tl.store(c_ptr + i[:, None] * N + i[None, :], total)
