# Atomic operations: with their results used and not, on cells of their own and on one that all share, from many
# programs.
import triton
import triton.language as tl


@triton.jit
def add_own(x_ptr, y_ptr, old_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_add(y_ptr + i, tl.load(x_ptr + i)))


@triton.jit
def add_shared(x_ptr, y_ptr, N: tl.constexpr):
    # Every program adds to the same cells; nobody looks at the results.
    i = tl.arange(0, N)
    tl.atomic_add(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i))


@triton.jit
def add_one_cell(y_ptr, N: tl.constexpr):
    tl.atomic_add(y_ptr + tl.zeros((N,), tl.int32), 1)


@triton.jit
def tickets(y_ptr, old_ptr, N: tl.constexpr):
    # Each lane draws a number from one cell: all are different.
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_add(y_ptr + tl.zeros((N,), tl.int32), 1))


@triton.jit
def scalar_ticket(counter_ptr, seen_ptr):
    mine = tl.atomic_add(counter_ptr, 1)
    tl.store(seen_ptr + mine, tl.program_id(0))


@triton.jit
def add_masked(y_ptr, old_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_add(y_ptr + i, 10, mask=i < n, sem="relaxed", scope="cta")
    tl.store(old_ptr + i, old, mask=i < n)


@triton.jit
def add_by_index(i_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # A histogram: lanes of one program meet at the same cells.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(i_ptr + i, mask=i < n)
    tl.atomic_add(y_ptr + index, 1, mask=i < n, sem="relaxed")


@triton.jit
def add_tile(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # All rows add to one row.
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.atomic_add(y_ptr + tl.arange(0, M)[:, None] * 0 + tl.arange(0, N)[None, :], x)


@triton.jit
def add_rows(i_ptr, x_ptr, y_ptr, n, M: tl.constexpr, N: tl.constexpr):
    # Rows of all programs meet in few rows of y, as in the gradient of an embedding.
    row, column = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    mask = (row[:, None] >= 0) & (column[None, :] < n)
    x = tl.load(x_ptr + row[:, None] * n + column[None, :], mask=mask)
    to = tl.load(i_ptr + row)
    tl.atomic_add(y_ptr + to[:, None] * n + column[None, :], x, mask=mask, sem="relaxed")


@triton.jit
def add_runs(x_ptr, y_ptr, old_ptr, N: tl.constexpr, RUN: tl.constexpr, SHIFT: tl.constexpr):
    # By turns RUN elements are added and RUN are not; the cells begin SHIFT behind an aligned address.
    i = tl.program_id(0) * N + tl.arange(0, N)
    mask = i // RUN % 2 == 0
    old = tl.atomic_add(y_ptr + SHIFT + i, tl.load(x_ptr + i), mask=mask)
    tl.store(old_ptr + i, old, mask=mask)


@triton.jit
def add_product(a_ptr, b_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # Every program adds the same product.
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    c = tl.dot(tl.load(a_ptr + m * K + k[None, :]), tl.load(b_ptr + k[:, None] * N + n))
    tl.atomic_add(y_ptr + m * N + n, c.to(y_ptr.dtype.element_ty), sem="relaxed")


@triton.jit
def max_shared(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_max(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i), sem="release", scope="sys")


@triton.jit
def min_shared(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_min(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i), sem="acquire")


@triton.jit
def max_own(x_ptr, y_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_max(y_ptr + i, tl.load(x_ptr + i)))


@triton.jit
def min_own(x_ptr, y_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_min(y_ptr + i, tl.load(x_ptr + i)))


@triton.jit
def max_one_cell(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_max(y_ptr + tl.zeros((N,), tl.int32), tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def and_shared(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_and(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i))


@triton.jit
def or_shared(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_or(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i))


@triton.jit
def xor_shared(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_xor(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i), sem="acq_rel", scope="gpu")


@triton.jit
def bits_own(x_ptr, and_ptr, or_ptr, xor_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(old_ptr + i, tl.atomic_and(and_ptr + i, x))
    tl.store(old_ptr + N + i, tl.atomic_or(or_ptr + i, x))
    tl.store(old_ptr + 2 * N + i, tl.atomic_xor(xor_ptr + i, x))


@triton.jit
def exchange_own(x_ptr, y_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_xchg(y_ptr + i, tl.load(x_ptr + i)))


@triton.jit
def exchange_ring(x_ptr, y_ptr, N: tl.constexpr):
    # All lanes put their number into y[0] and take out what was there: the numbers in y are those that were put in.
    i = tl.program_id(0) * N + tl.arange(0, N)
    old = tl.atomic_xchg(y_ptr + tl.zeros((N,), tl.int32), tl.load(x_ptr + i))
    tl.store(y_ptr + 1 + i, old)


@triton.jit
def cas_own(x_ptr, y_ptr, old_ptr, N: tl.constexpr):
    # Only the cells that hold 3 change.
    i = tl.arange(0, N)
    expected = tl.full((N,), 3, y_ptr.dtype.element_ty)
    tl.store(old_ptr + i, tl.atomic_cas(y_ptr + i, expected, tl.load(x_ptr + i)))


@triton.jit
def cas_constants(y_ptr, N: tl.constexpr):
    # The result is not used.
    i = tl.arange(0, N)
    T: tl.constexpr = y_ptr.dtype.element_ty
    tl.atomic_cas(y_ptr + i, tl.full((N,), 0, T), tl.full((N,), 2, T))


@triton.jit
def converted_operands(y_ptr, z_ptr, old_ptr, N: tl.constexpr):
    # The operands are tiles of i32 and a constant, whatever the cells' type is.
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_xchg(y_ptr + i, i * 2))
    tl.store(old_ptr + N + i, tl.atomic_cas(z_ptr + i, 3, i + 100))


@triton.jit
def cas_one_winner(y_ptr, won_ptr):
    # Of all programs, one finds the cell empty.
    old = tl.atomic_cas(y_ptr, 0, 1)
    tl.store(won_ptr + tl.program_id(0), (old == 0).to(tl.int32))


@triton.jit
def spin_lock(lock_ptr, total_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr, volatile=True) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def last_program_sums(x_ptr, part_ptr, counter_ptr, y_ptr, N: tl.constexpr, PROGRAMS: tl.constexpr):
    # Each program leaves its part; whoever comes last adds them up.
    pid = tl.program_id(0)
    tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + pid * N + tl.arange(0, N)), axis=0))
    tl.debug_barrier()
    if tl.atomic_add(counter_ptr, 1) == PROGRAMS - 1:
        parts = tl.load(part_ptr + tl.arange(0, PROGRAMS), volatile=True)
        tl.store(y_ptr, tl.sum(parts, axis=0))
