# Kernels whose machine code FaultTest.cpp changes: between them they have loops, LDS, barriers, exchanges of lanes,
# matrix instructions, masked accesses and atomics.
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, rows, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """c = a @ b: a is rows x depth, b is depth x SIDE, both f16; c is SIDE x SIDE, f32, zero from row `rows` on."""
    i = tl.arange(0, SIDE)
    k = tl.arange(0, STEP)
    sums = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for at in range(0, depth, STEP):
        x = tl.load(a + i[:, None] * depth + (at + k)[None, :], mask=i[:, None] < rows, other=0.0)
        y = tl.load(b + (at + k)[:, None] * SIDE + i[None, :])
        sums += tl.dot(x, y)
    tl.store(c + i[:, None] * SIDE + i[None, :], sums)


@triton.jit
def total(a, out, n, BLOCK: tl.constexpr):
    """out[0] = the sum of n floats."""
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(a + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def transpose(a, out, SIDE: tl.constexpr):
    """out = a transposed, of SIDE x SIDE floats."""
    i = tl.arange(0, SIDE)
    tile = tl.load(a + i[:, None] * SIDE + i[None, :])
    tl.store(out + i[:, None] * SIDE + i[None, :], tl.trans(tile))


@triton.jit
def count(a, out, n, BLOCK: tl.constexpr):
    """out[v] grows by the number of elements v among the n of a."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(a + i, mask=i < n, other=0)
    tl.atomic_add(out + value, 1, mask=i < n)


@triton.jit
def backwards(a, b, c, rows, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """c = the rows of a, the last one first, times b: offsets from the last row are negative (masked_loads.py)."""
    i = tl.arange(0, SIDE)
    k = tl.arange(0, STEP)
    sums = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    last = a + (rows - 1) * depth
    for at in range(0, depth, STEP):
        inside = at + k < depth
        x = tl.load(last - i[:, None].to(tl.int64) * depth + (at + k)[None, :],
                    mask=(i[:, None] < rows) & inside[None, :], other=0.0)
        y = tl.load(b + (at + k)[:, None] * SIDE + i[None, :], mask=inside[:, None], other=0.0)
        sums = tl.dot(x, y, sums)
    tl.store(c + i[:, None] * SIDE + i[None, :], sums)


@triton.jit
def powers(a, out, steps, end, BLOCK: tl.constexpr):
    """out = 2^a, of `steps` rows of BLOCK floats; 0 where the column is at or behind end - row, or before row - 4."""
    i = tl.arange(0, BLOCK)
    for row in range(0, steps):
        x = tl.load(a + row * BLOCK + i)
        x = tl.where((i < end - row) & (row - 4 <= i), x, -float("inf"))
        tl.store(out + row * BLOCK + i, tl.exp2(x))


@triton.jit
def tiles(a, out, SIDE: tl.constexpr):
    """out[program] = a @ a plus the program's number, of SIDE x SIDE elements."""
    program = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    i = tl.arange(0, SIDE)
    at = i[:, None] * SIDE + i[None, :]
    x = tl.load(a + at)
    tl.store(out + program * SIDE * SIDE + at, tl.dot(x, x) + program)
