# Loops that go round for long: loop_rounds.sh.
import triton
import triton.language as tl


@triton.jit
def count(out_ptr):
    s = 0
    for j in range(70000):
        s += 1
    tl.store(out_ptr, s)


@triton.jit
def count_while(out_ptr, n):
    s = 0
    while s < n:
        s += 1
    tl.store(out_ptr, s)


@triton.jit
def sum_of_ones(out_ptr, n, BLOCK: tl.constexpr):
    ones = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        ones += tl.where(start + tl.arange(0, BLOCK) < n, 1, 0)
    tl.store(out_ptr, tl.sum(ones, axis=0))


@triton.jit
def persistent(out_ptr, tiles, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        sums = tl.zeros((BLOCK,), tl.int32)
        for k in range(0, n):
            sums += (i + tile) ^ k
        tl.store(out_ptr + tile * BLOCK + i, sums)


@triton.jit
def rounds(n):
    s = 0
    for j in range(n):
        s += 1
    return s


@triton.jit
def calls(out_ptr, n):
    tl.store(out_ptr, rounds(n) + rounds(n + 1))
