# Control flow, at compile time and at run time.
import triton
import triton.language as tl


@triton.jit
def for_step(y_ptr, k, BLOCK_K: tl.constexpr):
    total = 0
    for start in range(0, k, BLOCK_K):
        total += start
    for down in range(10, 0, -3):
        total += down * 1000
    tl.store(y_ptr, total)


@triton.jit
def for_tl_range(y_ptr, n):
    total = 0
    for i in tl.range(n):
        total += i
    for i in tl.range(0, n, 2, num_stages=3, loop_unroll_factor=2):
        total += i * 100
    for i in tl.range(0, n, disallow_acc_multi_buffer=True, disable_licm=True):
        total += 1
    tl.store(y_ptr, total)


@triton.jit
def for_hints(y_ptr, start, stop, step):
    total = 0
    for i in tl.range(start, stop, step, flatten=True):
        for j in tl.range(i, warp_specialize=True):
            total += j
    tl.store(y_ptr, total)


@triton.jit
def static_range_constants(y_ptr):
    total = 0
    for k in tl.static_range(3):
        total += tl.full((2 ** (k + 1),), k, tl.int32).shape[0]
    tl.store(y_ptr, total)


@triton.jit
def while_loop(y_ptr, n):
    # The Collatz steps of n.
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(y_ptr, steps)


@triton.jit
def while_condition(y_ptr, n):
    total = 0
    i = 0
    while tl.condition(i < n, disable_licm=True):
        total += i
        i += 1
    tl.store(y_ptr, total)


@triton.jit
def conditional_expression(y_ptr, n):
    value = 10 if n > 5 else 20
    tl.store(y_ptr, value)


@triton.jit
def nested_returns(y_ptr, n):
    if n > 0:
        if n > 10:
            tl.store(y_ptr, 2)
            return
        tl.store(y_ptr, 1)
        return
    tl.store(y_ptr, 0)


@triton.jit
def choose(n):
    if n > 3:
        return n * 2
    return n - 1


@triton.jit
def runtime_return_value(y_ptr, n):
    tl.store(y_ptr, choose(n))


@triton.jit
def static_assert(y_ptr, N: tl.constexpr):
    tl.static_assert(N % 4 == 0, f"N must be a multiple of 4, found {N}")
    assert N > 0, "N must be positive"
    tl.store(y_ptr, N)


@triton.jit
def static_print(y_ptr, N: tl.constexpr):
    tl.static_print("N is", N, (1, 2), sep="|")
    tl.store(y_ptr, N)


@triton.jit
def carried_tuple(y_ptr, n):
    a = 0
    b = 1
    for _ in range(n):
        a, b = b, a + b
    tl.store(y_ptr, a)


@triton.jit
def for_near_the_limit(y_ptr, start, stop, step):
    total = 0
    for i in range(start, stop, step):
        total += 1
    tl.store(y_ptr, total)


@triton.jit
def merged_constants(y_ptr, n):
    if n > 0:
        wide = 1099511627776
    else:
        wide = 1
    fraction = 0
    if n > 0:
        fraction = 1.5
    step = -1
    down = 0
    for i in range(8, 0, step):
        down += i
    shifted = (n - 9) >> (n.to(tl.uint32))
    tl.store(y_ptr, (wide >> 38) + (fraction * 2).to(tl.int64) + down * 1000 + shifted)
