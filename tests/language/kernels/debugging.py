# Prints, assertions and assumptions.
import triton
import triton.language as tl


@triton.jit
def device_print(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("value", x)
    print("again: ", tl.max(x, 0))
    tl.device_print("done")


@triton.jit
def device_print_hex(x_ptr, N: tl.constexpr):
    tl.device_print("bits", tl.load(x_ptr + tl.arange(0, N)), hex=True)


@triton.jit
def device_assert(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.device_assert(x > 0, "x must be positive")
    tl.device_assert(x < 100)
    tl.store(y_ptr + i, x)


@triton.jit
def assert_statement(x_ptr, y_ptr):
    x = tl.load(x_ptr)
    assert x != 13, "thirteen is not wanted"
    tl.store(y_ptr, x)


@triton.jit
def hints(x_ptr, y_ptr, n, N: tl.constexpr):
    n = tl.multiple_of(n, 8)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, N), N), N)
    group = tl.max_constancy(tl.arange(0, N) // 4, 4)
    tl.assume(n >= 0)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.debug_barrier()
    tl.store(y_ptr + i, x + group)


@triton.jit
def hints_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    offsets = tl.max_contiguous(tl.multiple_of(offsets, (1, N)), (1, N))
    pointers = tl.multiple_of(x_ptr + offsets, (4, 4))
    tl.store(y_ptr + offsets, tl.load(pointers))


@triton.jit
def expect_zero(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tl.expect_zero(x, i < N // 2) + 1)
