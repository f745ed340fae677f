# Kernels of the command-line tests, each small and for one kind of argument.
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=inside) + tl.load(y_ptr + i, mask=inside), mask=inside)


@triton.jit
def unmasked(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


@triton.jit
def gather(pointers, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = tl.load(pointers + tl.program_id(0))
    tl.store(out_ptr + tl.program_id(0) * BLOCK + i, tl.load(source + i))


@triton.jit
def negate_block(source, target):
    target.store([0, 0], -source.load([0, 0]))


@triton.jit
def widen(x_ptr, out_ptr, factor: tl.float32, BLOCK: tl.constexpr = 4):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.float32) * factor)


@triton.autotune(configs=[triton.Config({'BLOCK': 16}, num_warps=2), triton.Config({'BLOCK': 32})], key=['n'])
@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0})
@triton.jit
def tuned(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + i, 1)
    else:
        tl.store(out_ptr + i, 2, mask=i < n)


@triton.jit
def below(out_ptr, n):
    tl.device_assert(n < 3, "too large")
    tl.store(out_ptr, n)


@triton.jit
def count(counter_ptr):
    tl.atomic_add(counter_ptr, 1)


@triton.jit
def broken(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), unknown_name)
