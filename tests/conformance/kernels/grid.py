# Programs and how they share work.
import triton
import triton.language as tl


@triton.jit
def ids(y_ptr):
    x = tl.program_id(0)
    y = tl.program_id(axis=1)
    z = tl.program_id(2)
    linear = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(y_ptr + linear, x + 1000 * y + 1000000 * z)


@triton.jit
def counts(y_ptr):
    if tl.program_id(0) + tl.program_id(1) + tl.program_id(2) == 0:
        tl.store(y_ptr, tl.num_programs(0))
        tl.store(y_ptr + 1, tl.num_programs(axis=1))
        tl.store(y_ptr + 2, tl.num_programs(2))


@triton.jit
def swizzle2d(y_ptr, rows, columns, group):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), rows, columns, group)
    tl.store(y_ptr + tl.program_id(0) * columns + tl.program_id(1), i * columns + j)


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
def transposed_grid(x_ptr, y_ptr, m, n, BLOCK: tl.constexpr):
    # A block of the transpose by each program.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (i < m) & (j < n)
    tl.store(y_ptr + j * m + i, tl.load(x_ptr + i * n + j, mask=inside), mask=inside)


@triton.jit
def many(y_ptr, n):
    # More programs than a device's processors.
    if tl.program_id(0) < n:
        tl.store(y_ptr + tl.program_id(0), tl.program_id(0) * 3)
