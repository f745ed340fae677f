# Control flow, at compile time and at run time.
import triton
import triton.language as tl


@triton.jit
def for_range(y_ptr, n):
    total = 0
    for i in range(n):
        total += i
    for i in range(1, n):
        total += i * 100
    tl.store(y_ptr, total)


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
def static_range(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for k in tl.static_range(0, 6, 2):
        power: tl.constexpr = 2**k
        x = x * power + k
    tl.store(y_ptr + i, x)


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
def if_runtime(x_ptr, y_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * N + tl.arange(0, N))
    if pid == 0:
        y = x + 1
    elif pid == 1:
        y = x * 2
    else:
        y = -x
    tl.store(y_ptr + pid * N + tl.arange(0, N), y)


@triton.jit
def if_constexpr(x_ptr, y_ptr, N: tl.constexpr, FLAG: tl.constexpr, NOTHING: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if FLAG and NOTHING is None:
        x = x * 2
    if NOTHING is not None:
        x = undefined_name
    tl.store(y_ptr + i, x if FLAG else -x)


@triton.jit
def conditional_expression(y_ptr, n):
    value = 10 if n > 5 else 20
    tl.store(y_ptr, value)


@triton.jit
def chained_conditions(y_ptr, n):
    score = 0
    if 0 < n < 10 and n != 5:
        score += 1
    if n < 0 or n > 3:
        score += 10
    if not n == 7:
        score += 100
    tl.store(y_ptr, score)


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
def loop_in_branch(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    if n > 2:
        for k in range(n):
            if k % 2 == 1:
                total += tl.load(x_ptr + i) * k
    tl.store(y_ptr + i, total)


@triton.jit
def persistent(y_ptr, tiles, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    for t in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        i = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + i, i * 2)


@triton.jit
def grouped(y_ptr, m, n, GROUP: tl.constexpr):
    # The grouped order of the matrix product: which tile each program takes.
    pid = tl.program_id(0)
    per_group = GROUP * n
    first = pid // per_group * GROUP
    size = min(m - first, GROUP)
    row = first + (pid % per_group) % size
    column = (pid % per_group) // size
    tl.store(y_ptr + row * n + column, pid)


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
