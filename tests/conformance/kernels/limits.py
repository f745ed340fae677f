# Loops whose bounds are near the limits of their type: the last index plus the step may exceed it.
import triton
import triton.language as tl


@triton.jit
def up(y_ptr, start, stop, step):
    # Rounds, and the last index, in the type of y.
    T: tl.constexpr = y_ptr.dtype.element_ty
    first = start.to(T)
    rounds = 0
    last = first
    for i in range(first, stop.to(T), step.to(T)):
        rounds += 1
        last = i
    tl.store(y_ptr, rounds)
    tl.store(y_ptr + 1, last)


@triton.jit
def by_constant(y_ptr, start, stop, STEP: tl.constexpr):
    # The step may be negative.
    T: tl.constexpr = y_ptr.dtype.element_ty
    first = start.to(T)
    rounds = 0
    last = first
    for i in range(first, stop.to(T), STEP):
        rounds += 1
        last = i
    tl.store(y_ptr, rounds)
    tl.store(y_ptr + 1, last)


@triton.jit
def step_of_u64(y_ptr, start, stop, step, IS_CONSTANT: tl.constexpr):
    # A step that may be beyond signed integers: constant, or known when the kernel runs.
    T: tl.constexpr = y_ptr.dtype.element_ty
    first = start.to(T)
    rounds = 0
    last = first
    for i in range(first, stop.to(T), 1 << 63 if IS_CONSTANT else step.to(tl.uint64)):
        rounds += 1
        last = i
    tl.store(y_ptr, rounds)
    tl.store(y_ptr + 1, last)


@triton.jit
def constants(y_ptr, START: tl.constexpr, STOP: tl.constexpr, STEP: tl.constexpr):
    rounds = 0
    last = tl.full((), 0, tl.int64)
    for i in range(START, STOP, STEP):
        rounds += 1
        last = tl.cast(i, tl.int64)
    tl.store(y_ptr, rounds)
    tl.store(y_ptr + 1, last)


@triton.jit
def constant_bounds(y_ptr, step, START: tl.constexpr, STOP: tl.constexpr):
    rounds = 0
    last = tl.full((), 0, tl.int64)
    for i in range(START, STOP, step):
        rounds += 1
        last = tl.cast(i, tl.int64)
    tl.store(y_ptr, rounds)
    tl.store(y_ptr + 1, last)


@triton.jit
def rows(x_ptr, y_ptr, start, stop, step, N: tl.constexpr):
    # Loads that are issued ahead of their iteration.
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for k in tl.range(start, stop, step, num_stages=3):
        total += tl.load(x_ptr + (k - start) // step * N + i)
    tl.store(y_ptr + i, total)


@triton.jit
def products(a_ptr, b_ptr, c_ptr, start, stop, step, N: tl.constexpr):
    # Loads for products, copied ahead of their iteration on some devices.
    block = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    a, b = a_ptr + block, b_ptr + block
    for k in tl.range(start, stop, step, num_stages=3):
        total = tl.dot(tl.load(a), tl.load(b), total)
        a += N * N
        b += N * N
    tl.store(c_ptr + block, total)


@triton.jit
def no_stages(x_ptr, y_ptr, n, N: tl.constexpr):
    # Hints of 0: no pipelining, and nothing said about unrolling.
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for k in tl.range(0, n, num_stages=0, loop_unroll_factor=0):
        total += tl.load(x_ptr + k * N + i)
    tl.store(y_ptr + i, total)
