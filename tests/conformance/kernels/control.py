# Control flow at compile time and at run time.
import triton
import triton.language as tl


@triton.jit
def if_scalar(x_ptr, y_ptr, N: tl.constexpr):
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
def if_without_else(x_ptr, y_ptr, limit, N: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * N + tl.arange(0, N))
    if pid < limit:
        x += 100
    tl.store(y_ptr + pid * N + tl.arange(0, N), x)


@triton.jit
def around_exchanges(x_ptr, on_ptr, y_ptr):
    # Accesses of single elements under one mask, between ops in which all threads take part: a compiler that joins the
    # branches of two accesses must not take these ops into a branch.
    i = tl.arange(0, 256)
    on = tl.load(on_ptr + i) != 0
    x = tl.load(x_ptr + i, mask=on, other=1.0)
    total = tl.sum(x, axis=0)
    y = tl.load(x_ptr + 256 + i, mask=on, other=2.0)
    ends = tl.cumsum(y, axis=0)
    z = tl.reshape(tl.load(x_ptr + 512 + i, mask=on, other=3.0), (16, 16)).to(tl.float16)
    product = tl.reshape(tl.dot(z, tl.trans(z)), (256,))
    tl.store(y_ptr + i, total + ends + product, mask=on)


@triton.jit
def if_of_scalars(y_ptr, a, b, n):
    # A number that costs nothing to compute, equal in all lanes, is a branch's result.
    i = tl.arange(0, 64)
    p = a * b
    if n > 5:
        tl.store(y_ptr + i, p)
        r = tl.abs(p)
    else:
        tl.store(y_ptr + 64 + i, p)
        r = a
    tl.store(y_ptr + 128 + i, r)


@triton.jit
def if_nested(x_ptr, y_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if pid % 2 == 0:
        if pid % 4 == 0:
            x = x + 1
        else:
            if pid > 4:
                x = x * 3
    else:
        x = x - pid
    tl.store(y_ptr + i, x)


@triton.jit
def if_on_loaded(x_ptr, flag_ptr, y_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * N + tl.arange(0, N)
    if tl.load(flag_ptr + pid) > 0:
        tl.store(y_ptr + i, tl.load(x_ptr + i) + 1)


@triton.jit
def if_on_reduction(x_ptr, y_ptr, N: tl.constexpr):
    # A decision that needs all lanes first, and a reduction inside the branch.
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if tl.max(x, axis=0) > 50:
        x = (x - tl.min(x, axis=0)).to(x.dtype)
    tl.store(y_ptr + i, x)


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
def conditions(y_ptr, n):
    score = 0
    if 0 < n < 10 and n != 5:
        score += 1
    if n < 0 or n > 3:
        score += 10
    if not n == 7:
        score += 100
    tl.store(y_ptr, score + (1000 if n > 5 else 2000))


@triton.jit
def for_range(y_ptr, n):
    total = 0
    for i in range(n):
        total += i
    for i in range(1, n, num_stages=2, flatten=True):
        total += i * 100
    tl.store(y_ptr, total)


@triton.jit
def for_step(y_ptr, start, stop, STEP: tl.constexpr):
    total = 0
    for i in range(start, stop, STEP):
        total = total * 3 + i
    tl.store(y_ptr, total)


@triton.jit
def for_down(y_ptr, n):
    total = 0
    for i in range(n, 0, -1):
        total = total * 2 + i
    for i in range(10, n, -3):
        total += i * 1000
    tl.store(y_ptr, total)


@triton.jit
def for_nested(y_ptr, n, m):
    total = 0
    for i in range(n):
        for j in range(i, m):
            if (i + j) % 3 != 1:
                total += i * 10 + j
    tl.store(y_ptr, total)


@triton.jit
def for_bounds_from_memory(x_ptr, bounds_ptr, y_ptr):
    # A ragged row for each program.
    pid = tl.program_id(0)
    total = 0
    for i in range(tl.load(bounds_ptr + pid), tl.load(bounds_ptr + pid + 1)):
        total += tl.load(x_ptr + i)
    tl.store(y_ptr + pid, total)


@triton.jit
def for_tensors(x_ptr, y_ptr, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    largest = tl.full((N,), -1000, tl.int32)
    for k in range(steps):
        x = tl.load(x_ptr + k * N + i)
        total += x * (k + 1)
        largest = tl.maximum(largest, x)
    tl.store(y_ptr + i, total)
    tl.store(y_ptr + N + i, largest)


@triton.jit
def for_pointers(x_ptr, y_ptr, rows, stride, N: tl.constexpr):
    source = x_ptr + tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    for _ in tl.range(rows, num_stages=2):
        total += tl.load(source)
        source += stride
    tl.store(y_ptr + tl.arange(0, N), total)


@triton.jit
def for_rotating(x_ptr, y_ptr, steps, N: tl.constexpr):
    # Three carried values change places in every round.
    i = tl.arange(0, N)
    a = tl.load(x_ptr + i)
    b = a + 1
    c = a * 2
    for k in range(steps):
        a, b, c = b, c, a + k
    tl.store(y_ptr + i, a * 10000 + b * 100 + c)


@triton.jit
def for_run_time_step(y_ptr, start, stop, step):
    rounds = 0
    for i in range(start, stop, step):
        rounds += 1
    tl.store(y_ptr, rounds)


@triton.jit
def for_hints(y_ptr, start, stop, step):
    total = 0
    for i in tl.range(start, stop, step, flatten=True):
        for j in tl.range(i, loop_unroll_factor=2, warp_specialize=True):
            total += j
    for i in tl.range(0, stop, 2, num_stages=3, loop_unroll_factor=2):
        total += i * 100
    for i in tl.range(0, stop, disallow_acc_multi_buffer=True, disable_licm=True):
        total += 1
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
    # The index is known, so that a shape may depend on it.
    total = 0
    for k in tl.static_range(3):
        total += tl.full((2 ** (k + 1),), k, tl.int32).shape[0]
    tl.store(y_ptr, total)


@triton.jit
def while_condition(y_ptr, n):
    total = 0
    i = 0
    while tl.condition(i < n, disable_licm=True):
        total += i
        i += 1
    tl.store(y_ptr, total)


@triton.jit
def while_collatz(x_ptr, y_ptr):
    n = tl.load(x_ptr + tl.program_id(0))
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(y_ptr + tl.program_id(0), steps)


@triton.jit
def while_gcd(a_ptr, b_ptr, y_ptr):
    a = tl.load(a_ptr + tl.program_id(0))
    b = tl.load(b_ptr + tl.program_id(0))
    while b != 0:
        a, b = b, a % b
    tl.store(y_ptr + tl.program_id(0), a)


@triton.jit
def while_any(x_ptr, y_ptr, N: tl.constexpr):
    # Lanes finish at different times; the loop ends with the last of them.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    steps = tl.zeros((N,), tl.int32)
    while tl.max(x, axis=0) > 1:
        active = x > 1
        x = tl.where(active, tl.where(x % 2 == 0, x // 2, 3 * x + 1), x)
        steps += active.to(tl.int32)
    tl.store(y_ptr + i, steps)


@triton.jit
def while_mandelbrot(y_ptr, N: tl.constexpr):
    # Coordinates are multiples of 1/8 and the few rounds stay exact enough to agree everywhere.
    cx = tl.arange(0, N)[None, :].to(tl.float32) / 8 - 2
    cy = tl.arange(0, N)[:, None].to(tl.float32) / 8 - 1
    x = tl.zeros((N, N), tl.float32)
    y = tl.zeros((N, N), tl.float32)
    inside = tl.zeros((N, N), tl.int32)
    k = 0
    while k < 3:
        inside += (x * x + y * y <= 4).to(tl.int32)
        x, y = x * x - y * y + cx, 2 * x * y + cy
        k += 1
    tl.store(y_ptr + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :], inside)


@triton.jit
def binary_search(table_ptr, x_ptr, y_ptr, n, N: tl.constexpr):
    # How many entries of the table are smaller, by halving.
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    low = tl.zeros((N,), tl.int32)
    high = tl.zeros((N,), tl.int32) + n
    while tl.max(high - low, axis=0) > 0:
        middle = (low + high) // 2
        smaller = tl.load(table_ptr + middle, mask=low < high, other=0) < x
        active = low < high
        low = tl.where(active & smaller, middle + 1, low)
        high = tl.where(active & (smaller == 0), middle, high)
    tl.store(y_ptr + tl.program_id(0) * N + tl.arange(0, N), low)


@triton.jit
def early_return(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    if start >= n:
        return
    i = start + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def nested_returns(y_ptr):
    n = tl.program_id(0) * 7
    if n > 0:
        if n > 10:
            tl.store(y_ptr + tl.program_id(0), 2)
            return
        tl.store(y_ptr + tl.program_id(0), 1)
        return
    tl.store(y_ptr + tl.program_id(0), 0)


NEVER = tl.constexpr(0)


@triton.jit
def first_above(x_ptr, limit, N: tl.constexpr):
    for i in tl.static_range(N):
        x = tl.load(x_ptr + i)
        if x > limit - 1:
            if NEVER or x.dtype == tl.float32:
                return 0
        for _ in range(2):
            if N == 0:
                N = 3
            past: tl.constexpr = x - i
        if x > limit:
            return i
        elif x == limit:
            if i % 2 == 0:
                return 100 + i
    return -1


@triton.jit
def until(x, STEPS: tl.constexpr):
    for word in ("add", "double", "add", "stop", "add"):
        for i in tl.static_range(STEPS):
            if word == "stop":
                return x
            x = x * 2 if word == "double" else x + i
    return -x


@triton.jit
def unrolled_returns(x_ptr, y_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(y_ptr + pid * 3, first_above(x_ptr + pid * N, 5, N))
    tl.store(y_ptr + pid * 3 + 1, until(pid, 3))
    for i in tl.static_range(N):
        if tl.load(x_ptr + pid * N + i) < 0:
            tl.store(y_ptr + pid * 3 + 2, i)
            return
    tl.store(y_ptr + pid * 3 + 2, N)


@triton.constexpr_function
def fewest_lanes(x, most):
    # Its argument is a tensor, so it is code of the kernel, whose loops run in the compiler.
    lanes = 1
    while True:
        lanes += lanes
        if lanes * x.dtype.primitive_bitwidth >= 128:
            break
    for i in range(most):
        if i % 3 == 0:
            continue
        if i > 5:
            return lanes * 10 + i
        if i == 4 and x.dtype.is_floating():
            break
    return lanes


@triton.jit
def constexpr_loops(y_ptr):
    wide = tl.full((8,), 0, tl.int64)
    tl.store(y_ptr, fewest_lanes(wide, 5))
    tl.store(y_ptr + 1, fewest_lanes(wide, 99))
    tl.store(y_ptr + 2, fewest_lanes(wide.to(tl.float16), 99))


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
def reduction_in_loop_in_branch(x_ptr, y_ptr, N: tl.constexpr):
    # Programs take different paths, each with its own exchanges between lanes.
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * N + tl.arange(0, N))
    if pid % 2 == 0:
        total = 0
        for k in range(pid + 1):
            total += tl.sum(x * k, axis=0)
    else:
        total = tl.max(tl.cumsum(x, axis=0), axis=0)
    tl.store(y_ptr + pid, total)


@triton.jit
def persistent(y_ptr, tiles, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    for t in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        i = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + i, i * 2)


@triton.jit
def fibonacci(y_ptr):
    a = 0
    b = 1
    for _ in range(tl.program_id(0)):
        a, b = b, a + b
    tl.store(y_ptr + tl.program_id(0), a)


@triton.jit
def newton(x_ptr, y_ptr, N: tl.constexpr):
    # Integer square roots by Newton's iteration, until no lane changes.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    root = x
    moving = 1
    while moving > 0:
        better = (root + x // tl.maximum(root, 1)) // 2
        moving = tl.sum((better < root).to(tl.int32), axis=0)
        root = tl.minimum(root, better)
    tl.store(y_ptr + i, root)


@triton.jit
def for_splat_onto_itself(y_ptr, n, step, N: tl.constexpr):
    # The tensor that the loop carries starts as the very splat that each round adds, with the splat on the left.
    steps = tl.full((N,), step, tl.int32)
    total = steps
    for _ in range(n):
        total = steps + total
    tl.store(y_ptr + tl.arange(0, N), total)


@triton.jit
def wide_conditions(y_ptr, n):
    # An i32 that became 64 bits wide meets constants.
    wide = n.to(tl.int64)
    score = 0
    if wide > 15:
        score += 1
    if wide < 15:
        score += 10
    if wide >= -2:
        score += 100
    if wide <= 0:
        score += 1000
    tl.store(y_ptr, score)


@triton.jit
def while_reduction(x_ptr, y_ptr, n, M: tl.constexpr, N: tl.constexpr):
    # Threads meet inside of a loop that carries pointers.
    x_ptrs = x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    total = tl.zeros((N,), tl.int32)
    k = 0
    while k < n:
        total += tl.min(tl.load(x_ptrs), axis=0)
        x_ptrs += M * N
        k += 1
    tl.store(y_ptr + tl.arange(0, N), total)


@triton.jit
def if_forgotten_result(x_ptr, y_ptr, flag, N: tl.constexpr):
    # Of what the branch gives, one tensor is not needed once its axis of one element is gone; threads meet inside.
    x = tl.load(x_ptr + tl.arange(0, N))
    rows, total = x[None, :], flag
    if flag > 3:
        rows, total = x[None, :] + 1, tl.sum(x, axis=0)
    tl.store(y_ptr + tl.arange(0, N), total + tl.argmax(rows, axis=0))


@triton.jit
def merged_constants(y_ptr, n):
    # A constant of one branch may need a wider type, or another kind, than that of the other; a step that a variable
    # holds is known; >> goes by its left operand's sign.
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


@triton.constexpr_function
def root(n):
    # Not a body that kernels can have: it is found out by calling it.
    for i in range(10):
        if i * i >= n:
            return i
    return -1


ROOT = tl.constexpr(root(9))


@triton.jit
def known_operands(y_ptr, x, HAS_BIAS: tl.constexpr, bias_ptr: tl.constexpr = None):
    # What is known at compile time decides wherever it stands, or is left out.
    value = x
    if tl.program_id(0) == 0 and HAS_BIAS:
        value += tl.load(bias_ptr)
    tl.store(y_ptr, value)
    tl.store(y_ptr + 1, x and True)
    tl.store(y_ptr + 2, x or False)
    tl.store(y_ptr + 3, tl.where(x > 3 or True, 7, 9))
    tl.store(y_ptr + 4, tl.where(x > 30 and True and x < 50, 7, 9))
    tl.store(y_ptr + 5, ROOT)


@triton.jit
def single_element(y_ptr, x):
    # A tensor of one element is a condition: of an `if` as in Triton, and wherever there are conditions.
    one = tl.full((1, 1), 0, tl.int32) + x
    if one > 3:
        tl.store(y_ptr, 1)
    else:
        tl.store(y_ptr, 2)
    steps = 0
    while one > 0:
        one -= 2
        steps += 1
    tl.store(y_ptr + 1, steps)
    tl.store(y_ptr + 2, 5 if one < 0 else 6)
    row = tl.arange(0, 8) + x
    either = (row > 8).logical_or(row == 7).logical_and(row != 9)
    tl.store(y_ptr + 3, tl.reduce(tl.where(either, row, 0), 0, tl.standard._sum_combine))


@triton.jit
def for_sum(x_ptr, y_ptr, steps, N: tl.constexpr):
    # The sum has the elements' type, so each addition rounds.
    total = tl.full((N,), 1, x_ptr.dtype.element_ty)
    for k in range(steps):
        total += tl.load(x_ptr + k * N + tl.arange(0, N))
    tl.store(y_ptr + tl.arange(0, N), total)
