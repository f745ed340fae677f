# Loops whose loads for products may be issued ahead of their iteration, and loops where they may not.
import triton
import triton.language as tl


@triton.jit
def at(N: tl.constexpr):
    return tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def trips(a_ptr, b_ptr, c_ptr, lower, upper, step, N: tl.constexpr, STAGES: tl.constexpr):
    total = tl.zeros((N, N), tl.float32)
    for i in tl.range(lower, upper, step, num_stages=STAGES):
        place = (i - lower) // step * (N * N)
        total = tl.dot(tl.load(a_ptr + place + at(N)), tl.load(b_ptr + place + at(N)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def converted(a_ptr, b_ptr, scale_ptr, c_ptr, n, N: tl.constexpr):
    # Values that reach the product through casts, transposes and factors; a mask that only the last iteration needs.
    total = tl.zeros((N, N), tl.float32)
    p = tl.arange(0, N)
    for start in range(0, n, N):
        inside = p < n - start
        a = tl.load(a_ptr + tl.arange(0, N)[:, None] * n + (start + p)[None, :], mask=inside[None, :], other=0)
        b = tl.load(b_ptr + tl.arange(0, N)[:, None] * n + (start + p)[None, :], mask=inside[None, :], other=0)
        scale = tl.load(scale_ptr + start // N)
        total = tl.dot(a.to(tl.float16) * scale, tl.trans(b.to(tl.float16)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def changing_places(a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # Each iteration uses what the one before had as the other's pointers.
    total = tl.zeros((N, N), tl.float32)
    first = a_ptr + at(N)
    second = b_ptr + at(N)
    for i in range(n):
        total = tl.dot(tl.load(first), tl.load(second), total)
        first, second = second + N * N, first
    tl.store(c_ptr + at(N), total)


@triton.jit
def nested(a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # The inner loop runs never, once, twice ...
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        for j in range(i):
            total = tl.dot(tl.load(a_ptr + (i - j) * N + at(N)), tl.load(b_ptr + j * N + at(N)), total)
        total -= i
    tl.store(c_ptr + at(N), total)


@triton.jit
def stores_elsewhere(a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    for i in range(n):
        place = i * (N * N) + at(N)
        tl.store(c_ptr + place, tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + at(N))))


@triton.jit
def chain(x_ptr, b_ptr, y_ptr, n, N: tl.constexpr):
    # Each iteration reads what the one before wrote.
    tl.store(y_ptr + at(N), tl.load(x_ptr + at(N)))
    for i in range(n):
        y = tl.load(y_ptr + i * (N * N) + at(N))
        tl.store(y_ptr + (i + 1) * (N * N) + at(N), tl.dot(y, tl.load(b_ptr + at(N))).to(y.dtype))


@triton.jit
def paged(pages_ptr, a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # Where to read is read.
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        page = tl.load(pages_ptr + i)
        total = tl.dot(tl.load(a_ptr + page * (N * N) + at(N)), tl.load(b_ptr + i * (N * N) + at(N)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def branch(a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        place = i * (N * N) + at(N)
        a = tl.load(a_ptr + place)
        if i % 3 != 1:
            total = tl.dot(a, tl.load(b_ptr + place), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def in_place(x_ptr, b_ptr, y_ptr, n, N: tl.constexpr):
    # x and y are one array.
    for i in range(n):
        y = tl.dot(tl.load(x_ptr + at(N)), tl.load(b_ptr + at(N)))
        tl.store(y_ptr + at(N), y.to(y_ptr.dtype.element_ty))


@triton.jit
def written_around(x_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # What the loop with the product reads is written right before it, and again right after it.
    for i in range(n):
        tl.store(x_ptr + i * (N * N) + at(N), tl.load(b_ptr + i * (N * N) + at(N)))
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        place = i * (N * N) + at(N)
        total = tl.dot(tl.load(x_ptr + place), tl.load(b_ptr + place), total)
    for i in range(n):
        tl.store(x_ptr + i * (N * N) + tl.trans(at(N)), tl.full((N, N), -1, tl.float16))
    tl.store(c_ptr + at(N), total)


@triton.jit
def one_after_the_other(a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        place = i * (N * N) + at(N)
        total = tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), total)
    for i in range(n):
        place = i * (N * N) + at(N)
        total = tl.dot(tl.load(b_ptr + place), tl.load(a_ptr + place), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def divided(a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # Where the loop does not run, its divisor is zero.
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        place = i * 2 // n * (N * N) + at(N)
        total = tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), total)
    if n == 0:
        total += 7
    tl.store(c_ptr + at(N), total)


@triton.jit
def paged_both(pages_ptr, a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # One number that is read says where both operands are.
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        place = tl.load(pages_ptr + i) * (N * N) + at(N)
        total = tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def linked(next_ptr, a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # Each page of A says which one is the next; B is read in order.
    total = tl.zeros((N, N), tl.float32)
    page = 0
    for i in range(n):
        total = tl.dot(tl.load(a_ptr + page * (N * N) + at(N)), tl.load(b_ptr + i * (N * N) + at(N)), total)
        page = tl.load(next_ptr + page)
    tl.store(c_ptr + at(N), total)


@triton.jit
def gathered(rows_ptr, a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # Rows of A by numbers that are read, a row of which none is meant (-1) is zero.
    total = tl.zeros((N, N), tl.float32)
    p = tl.arange(0, N)
    for i in range(n):
        row = tl.load(rows_ptr + i * N + p)
        a = tl.load(a_ptr + row[:, None] * N + p[None, :], mask=(row >= 0)[:, None], other=0)
        total = tl.dot(a, tl.load(b_ptr + i * (N * N) + at(N)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def gathered_chosen(rows_ptr, a_ptr, b_ptr, c_ptr, log_ptr, n, N: tl.constexpr):
    # Pointers to the rows are computed before they are spread over columns, the rows' numbers choose, and the loop
    # stores.
    total = tl.zeros((N, N), tl.float32)
    p = tl.arange(0, N)
    for i in range(n):
        row = tl.load(rows_ptr + i * N + p)
        starts = a_ptr + row * N
        a = tl.load(starts[:, None] + p[None, :])
        a = tl.where(row[:, None] < 2 * N, a, 0)
        total = tl.dot(a, tl.load(b_ptr + i * (N * N) + at(N)), total)
        tl.store(log_ptr + i, i * 0.5)
    tl.store(c_ptr + at(N), total)


@triton.jit
def two_steps(experts_ptr, pages_ptr, a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # Where to read is read where it is read; the pages of both operands are divided.
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        page = tl.load(pages_ptr + tl.load(experts_ptr + i))
        other = 12 // (page + 1)
        total = tl.dot(tl.load(a_ptr + page * (N * N) + at(N)), tl.load(b_ptr + other % 4 * (N * N) + at(N)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def cast_and_summed(a_ptr, b_ptr, c_ptr, s_ptr, n, N: tl.constexpr):
    # A reaches the product through a cast and a choice, and is summed, too.
    total = tl.zeros((N, N), tl.float32)
    sums = tl.zeros((N,), tl.float32)
    for i in range(n):
        a = tl.load(a_ptr + i * (N * N) + at(N)).to(tl.float32)
        sums += tl.sum(a, axis=1)
        kept = tl.where(a > 0, a * 2, a).to(tl.float16)
        total = tl.dot(kept, tl.load(b_ptr + i * (N * N) + at(N)), total)
    tl.store(c_ptr + at(N), total)
    tl.store(s_ptr + tl.arange(0, N), sums)


@triton.jit
def scaled_blocks(a_ptr, scale_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # A is loaded as blocks of 4x8 rows and columns, and has one scale for each eight columns, loaded for each element.
    total = tl.zeros((N, N), tl.float32)
    p = tl.arange(0, N)
    upper, lower = tl.arange(0, N // 4), tl.arange(0, 4)
    left, right = tl.arange(0, N // 8), tl.arange(0, 8)
    row = (upper[:, None, None, None] * 4 + lower[None, :, None, None]) * N
    column = left[None, None, :, None] * 8 + right[None, None, None, :]
    for i in range(n):
        a = tl.reshape(tl.load(a_ptr + i * (N * N) + row + column) * 2, (N, N))
        scale = tl.load(scale_ptr + i * (N // 8) + (p // 8)[None, :] + (p * 0)[:, None])
        total = tl.dot(a * scale, tl.load(b_ptr + i * (N * N) + at(N)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def paged_by_sixteens(pages_ptr, a_ptr, b_ptr, c_ptr, n, N: tl.constexpr):
    # A page's number counts sixteen elements, of which the kernel tells the compiler.
    total = tl.zeros((N, N), tl.float32)
    for i in range(n):
        page = tl.load(pages_ptr + i)
        tl.assume(page % 16 == 0)
        total = tl.dot(tl.load(a_ptr + page + at(N)), tl.load(b_ptr + i * (N * N) + at(N)), total)
    tl.store(c_ptr + at(N), total)


@triton.jit
def flattened(a_ptr, b_ptr, c_ptr, rows, columns, depth, N: tl.constexpr):
    # One loop over all steps of all tiles of C, in groups of two rows of tiles. Where a tile begins, its place is
    # divided out; behind the last tile, a group may have no row left to divide by.
    total = tl.zeros((N, N), tl.float32)
    k = -1
    tile = -1
    row = 0
    column = 0
    for _ in range(rows * columns * depth):
        k = tl.where(k == depth - 1, 0, k + 1)
        if k == 0:
            tile += 1
            first = tile // (2 * columns) * 2
            height = min(rows - first, 2)
            row = first + tile % (2 * columns) % height
            column = tile % (2 * columns) // height
        a = tl.load(a_ptr + (row * depth + k) * (N * N) + at(N))
        b = tl.load(b_ptr + (column * depth + k) * (N * N) + at(N))
        total = tl.dot(a, b, total)
        if k == depth - 1:
            tl.store(c_ptr + (row * columns + column) * (N * N) + at(N), total)
            total = tl.zeros((N, N), tl.float32)


@triton.jit
def gathered_depth(a_ptr, b_ptr, places_ptr, c_ptr, n, wide, N: tl.constexpr):
    # The places along the depth are loaded: they are columns of one operand and rows of the other.
    i = tl.arange(0, N)
    places = places_ptr + i
    total = tl.zeros((N, N), tl.float32)
    for _ in range(n):
        place = tl.load(places)
        a = tl.load(a_ptr + i[:, None] * wide + place[None, :])
        b = tl.load(b_ptr + place[:, None] * N + i[None, :])
        total = tl.dot(a, b, total)
        places += N
    tl.store(c_ptr + at(N), total)


@triton.jit
def decayed(a_ptr, b_ptr, factors_ptr, c_ptr, n, N: tl.constexpr):
    # Each step multiplies the rows of the sum by numbers that it loads, and adds a product of a product.
    i = tl.arange(0, N)
    a = tl.load(a_ptr + at(N))
    total = tl.zeros((N, N), tl.float32)
    for k in range(n):
        b = tl.load(b_ptr + k * (N * N) + at(N))
        scores = tl.dot(a, b)
        factors = tl.load(factors_ptr + k * N + i)
        total = total * factors[:, None] + tl.dot(scores.to(tl.float16), b)
    tl.store(c_ptr + at(N), total)
