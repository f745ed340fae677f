# What kernels print and assert.
import triton
import triton.language as tl


@triton.jit
def print_tensor(x_ptr, N: tl.constexpr):
    tl.device_print("value", tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N)))


@triton.jit
def print_tile(x_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.device_print("tile: ", x)


@triton.jit
def print_scalar(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("largest", tl.max(x, 0), tl.program_id(0))
    tl.device_print("done")


@triton.jit
def print_statement(x_ptr, N: tl.constexpr):
    # Python's own statement.
    x = tl.load(x_ptr + tl.arange(0, N))
    print("value", x)
    print("largest: ", tl.max(x, 0))


@triton.jit
def print_some(x_ptr, N: tl.constexpr):
    if tl.program_id(0) == 2:
        tl.device_print("third", tl.load(x_ptr + tl.arange(0, N)))


@triton.jit
def print_hex(x_ptr, N: tl.constexpr):
    tl.device_print("bits", tl.load(x_ptr + tl.arange(0, N)), hex=True)


@triton.jit
def print_and_store(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for k in range(2):
        tl.device_print("round", k)
        x = x * 2
    tl.store(y_ptr + i, x)


@triton.jit
def assert_true(x_ptr, y_ptr, N: tl.constexpr):
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
