# While loops whose number of iterations is known when they begin.
import triton
import triton.language as tl


@triton.jit
def numbers(y_ptr, n, first, STEP: tl.constexpr):
    # A number falls from n to 5 or less, and one rises from `first` to n or more: how often, what is added, the last.
    left = n
    falls = 0
    total = 0
    while left > 5:
        falls += 1
        total += left // STEP
        left -= STEP
    tl.store(y_ptr, falls)
    tl.store(y_ptr + 1, total)
    tl.store(y_ptr + 2, left)
    i = first
    rises = 0
    total = 0
    while n > i:
        rises += 1
        total += i // STEP
        i += STEP
    tl.store(y_ptr + 3, rises)
    tl.store(y_ptr + 4, total)
    tl.store(y_ptr + 5, i)


@triton.jit
def others(x_ptr, y_ptr, n, flag):
    # Not counted: the distance of the constants is no number of 32 bits; the test has a branch; 8 bits wrap.
    i = -2000000000
    rounds = 0
    while i < 2000000000:
        i += 500000000
        rounds += 1
    tl.store(y_ptr, rounds)
    i = 0
    limit = n
    while i < (n if flag > 0 else limit + 1):
        i += 1
        limit -= 1
    tl.store(y_ptr + 1, i)
    x = tl.load(x_ptr)
    rounds = 0
    while x < 127:
        x += 100
        rounds += 1
    tl.store(y_ptr + 2, rounds)


# Each program adds the columns of its tiles, which the grid's programs share out.
@triton.jit
def tiles(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    while tile < tl.cdiv(columns, BLOCK):
        j = tile * BLOCK + tl.arange(0, BLOCK)
        total = tl.zeros((BLOCK,), tl.int32)
        row = 0
        while row < rows:
            total += tl.load(x_ptr + row * columns + j, mask=j < columns, other=0)
            row += 1
        tl.store(y_ptr + j, total, mask=j < columns)
        tile += tl.num_programs(0)


# c = a b; the loop counts what is left of the depth.
@triton.jit
def product(a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    p = tl.arange(0, K)
    a_ptrs = a_ptr + i[:, None] * k + p[None, :]
    b_ptrs = b_ptr + p[:, None] * n + j[None, :]
    total = tl.zeros((M, N), tl.float32)
    left = k
    while left > 0:
        a = tl.load(a_ptrs, mask=(i[:, None] < m) & (p[None, :] < left), other=0)
        b = tl.load(b_ptrs, mask=(p[:, None] < left) & (j[None, :] < n), other=0)
        total = tl.dot(a, b, total)
        a_ptrs += K
        b_ptrs += K * n
        left -= K
    inside = (i[:, None] < m) & (j[None, :] < n)
    tl.store(c_ptr + i[:, None] * n + j[None, :], total.to(c_ptr.dtype.element_ty), mask=inside)
