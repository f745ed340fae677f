# Atomics: many programs update the same elements.
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(y_ptr + i, tl.load(x_ptr + tl.program_id(0) * N + i))


@triton.jit
def add_one_cell(y_ptr, N: tl.constexpr):
    tl.atomic_add(y_ptr + tl.zeros((N,), tl.int32), 1)


@triton.jit
def add_masked(y_ptr, old_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_add(y_ptr + i, 10, mask=i < n, sem="relaxed", scope="cta")
    tl.store(old_ptr + i, old, mask=i < n)


@triton.jit
def extremes(x_ptr, min_ptr, max_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * N + i)
    tl.atomic_min(min_ptr + i, x, sem="acquire")
    tl.atomic_max(max_ptr + i, x, sem="release", scope="sys")


@triton.jit
def bits(x_ptr, and_ptr, or_ptr, xor_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * N + i)
    tl.atomic_and(and_ptr + i, x)
    tl.atomic_or(or_ptr + i, x)
    tl.atomic_xor(xor_ptr + i, x, sem="acq_rel", scope="gpu")


@triton.jit
def exchange(y_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_xchg(y_ptr + i, i * 2))


@triton.jit
def compare_and_swap(y_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_cas(y_ptr + i, 3, i + 100))


@triton.jit
def spin_lock(lock_ptr, total_ptr):
    # A spin lock: only one program at a time is between the two atomics.
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(total_ptr, tl.load(total_ptr, volatile=True) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def ticket(counter_ptr, seen_ptr):
    mine = tl.atomic_add(counter_ptr, 1)
    tl.store(seen_ptr + mine, tl.program_id(0))
