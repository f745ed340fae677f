# What kernels print and assert, and the order of a program's own accesses to memory.
import triton
import triton.language as tl


@triton.jit
def print_tile(x_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.device_print("x", tl.load(x_ptr + i))


@triton.jit
def print_hex(x_ptr, N: tl.constexpr):
    tl.device_print("bits", tl.load(x_ptr + tl.arange(0, N)), hex=True)


@triton.jit
def print_plane(x_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    tl.device_print("plane", tl.load(x_ptr + i[:, None] * N + j[None, :]))


@triton.jit
def print_scalars(x_ptr, n, f):
    tl.device_print("here")
    tl.device_print("n", n)
    tl.device_print("f", f)
    tl.device_print("program", tl.program_id(0), tl.program_id(1), tl.program_id(2))
    tl.device_print("first", tl.load(x_ptr))
    tl.device_print("positive", n > 0)


@triton.jit
def print_loop(x_ptr, n, N: tl.constexpr):
    total = tl.zeros((N,), tl.int32)
    for k in range(n):
        x = tl.load(x_ptr + k * N + tl.arange(0, N))
        total += x
        if k % 2 == 1:
            tl.device_print("odd", k)
        tl.device_print("total", total)
    tl.device_print("sum and maximum", tl.sum(total, axis=0), tl.max(total, axis=0))


@triton.jit
def print_and_store(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    s = tl.sum(x, axis=0)
    tl.device_print("sum", s)
    tl.store(y_ptr + i, x + s)


@triton.jit
def assert_tile(x_ptr, y_ptr, least, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.device_assert(x >= least, "too small")
    tl.store(y_ptr + i, x)


@triton.jit
def assert_plane(x_ptr, least, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    tl.device_assert(tl.load(x_ptr + i[:, None] * N + j[None, :]) >= least, "too small")


@triton.jit
def assert_scalar(x_ptr, n):
    tl.device_assert(n > tl.program_id(0), "too many programs")
    tl.store(x_ptr + tl.program_id(0), n)


@triton.jit
def check(x, least):
    tl.device_assert(x >= least, "called")


@triton.jit
def assert_in_order(x_ptr, n, N: tl.constexpr):
    # In the second round elements fail the second check, before elements of the third round fail the first one.
    i = tl.arange(0, N)
    for k in range(n):
        x = tl.load(x_ptr + k * N + i)
        tl.device_assert(x < 2000, "first")
        tl.device_assert(x % 1000 != 500, "second")
    check(n, 100)


@triton.jit
def reversed_in_place(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + (N - 1 - i), x)


@triton.jit
def read_back_reversed(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))
    tl.store(z_ptr + i, tl.load(y_ptr + (N - 1 - i)))


@triton.jit
def counter(x_ptr, y_ptr, n, N: tl.constexpr):
    # All threads read the number that one writes, again and again.
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    for _ in range(n):
        v = tl.load(x_ptr)
        tl.store(x_ptr, v + 1)
        total += v
    tl.store(y_ptr + i, total + tl.load(x_ptr))


@triton.jit
def copies_in_place(x_ptr, y_ptr, N: tl.constexpr, M: tl.constexpr):
    # A tile smaller than the program's threads: several hold the same elements, one writes them.
    i = tl.arange(0, N)
    j = tl.arange(0, M)
    for _ in range(8):
        x = tl.load(x_ptr + i)
        tl.store(x_ptr + i, x + 1)
        tl.store(y_ptr + j, tl.sum(x, axis=0) + tl.zeros((M,), tl.int32))


@triton.jit
def shifted_rounds(x_ptr, n, N: tl.constexpr):
    # Each round reads what the one before wrote, one place further.
    i = tl.arange(0, N)
    for _ in range(n):
        x = tl.load(x_ptr + (i + 1) % N)
        tl.store(x_ptr + i, x)


@triton.jit
def branch_between(x_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if n > 0:
        tl.store(x_ptr + (N - 1 - i), x)
    tl.store(x_ptr + i, tl.load(x_ptr + (i ^ 1)) * 2)


@triton.jit
def atomic_then_load(x_ptr, y_ptr, N: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(x_ptr + i % M, 1)
    tl.store(y_ptr + i, tl.load(x_ptr + (N - 1 - i) % M))


@triton.jit
def through_table(table_ptr, y_ptr, k, N: tl.constexpr):
    # Pointers that come from memory may be any: here both are the same one.
    i = tl.arange(0, N)
    a = tl.load(table_ptr).to(tl.pi32_t)
    b = tl.load(table_ptr + k).to(tl.pi32_t)
    tl.store(a + i, i * 3)
    tl.store(y_ptr + i, tl.load(b + (N - 1 - i)))


@triton.jit
def moving(x_ptr, last_ptr, n, inner, STEP: tl.constexpr, N: tl.constexpr):
    # In place through a pointer that a loop moves by STEP: other threads' elements, unless STEP is 0.
    i = tl.arange(0, N)
    p = x_ptr + i
    before = i * 0
    for _ in range(n):
        now = tl.load(p)
        for _ in range(inner):
            tl.store(p, before + tl.load(p))
        tl.store(p, before + 2 * tl.load(p))
        before = now - before
        p += STEP
    tl.store(last_ptr + i, before)


@triton.jit
def moving_counts(x_ptr, y_ptr, n, M: tl.constexpr, N: tl.constexpr):
    # Several threads count in one place, and load it in the same step.
    i = tl.arange(0, N)
    total = i * 0
    for k in range(n):
        p = x_ptr + (i + k) % M
        tl.atomic_add(p, 1)
        total += tl.load(p)
    tl.store(y_ptr + i, total)
