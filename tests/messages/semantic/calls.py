# === unknown keyword
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:24: error: load has no parameter 'masc'; did you mean 'mask'?
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr, masc=None)


# === too many arguments
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:21: error: exp takes at most 1 positional argument, found 2
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.exp(1.0, 2.0)


# === missing argument
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: where needs the argument y
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.where(n > 3, 1.0)


# === argument twice
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:24: error: load got 'pointer' twice
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr, pointer=x_ptr)


# === calling a number
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: the constant 64 cannot be called
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = BLOCK(3)


# === missing argument of a helper
# signature: *f32, i32
# const: BLOCK=64
# expect: 16:9: error: scaled needs a value for its parameter 'factor'
import triton
import triton.language as tl


@triton.jit
def scaled(x, factor):
    return x * factor


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = scaled(n)


# === unknown keyword of a helper
# signature: *f32, i32
# const: BLOCK=64
# expect: 16:19: error: scaled has no parameter 'facter'; did you mean 'factor'?
import triton
import triton.language as tl


@triton.jit
def scaled(x, factor):
    return x * factor


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = scaled(n, facter=2)


# === error inside a helper
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:25: error: arange's end must be known when the kernel is compiled, found a scalar of i32; take a tl.constexpr, a power of two, as in i = tl.arange(0, BLOCK), and mask what is beyond the end: tl.load(p + i, mask=i < n)
# expect: 17:9: note: in pick, called from here
import triton
import triton.language as tl


@triton.jit
def pick(x):
    return tl.arange(0, x)


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = pick(n)


# === unpack the wrong count
# signature: *f32, i32
# const: BLOCK=64
# expect: 16:5: error: cannot unpack a tuple of 2 into 3 names
import triton
import triton.language as tl


@triton.jit
def pair(x):
    return x, x


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a, b, c = pair(n)


# === assign to memory
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:5: error: a kernel can assign to names only; to write memory use tl.store
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x_ptr[0] = 1.0


# === unknown cache modifier
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: unknown cache modifier '.xx'; known: .ca, .cg, .cs, .cv, .wb, .wt
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr, cache_modifier=".xx")


# === unknown memory order
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:35: error: sem must be 'relaxed', 'acquire', 'release' or 'acq_rel', found 'strong'
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.atomic_add(x_ptr, 1.0, sem="strong")


# === lambda
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: lambdas are not part of the kernel language; write a @triton.jit function
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    f = lambda a: a


# === dictionary
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: dictionaries are not part of the kernel language; use a tuple
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    d = {"a": 1}


# === float atomics on bits
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:23: error: atomic_and is not defined for elements of f32; use integers
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.atomic_and(x_ptr, 1)


# === signature too short
# signature: *f32, i32
# expect: 9:22: error: the signature has 2 types, but 'm' and what follows have none; give each parameter that is not a constant a type
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, m):
    pass


# === signature too long
# signature: *f32, i32
# expect: 9:5: error: the signature has 2 types, but kernel has 1 parameters that are not constants
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    pass


# === print in the function of a reduction
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:5: error: device_print cannot be called in the function of a reduction, scan or map_elementwise; call it before or after, on the tensors
# expect: 18:9: note: in noisy, called from here
import triton
import triton.language as tl


@triton.jit
def noisy(a, b):
    tl.device_print("a", a)
    return a + b


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = tl.reduce(tl.arange(0, BLOCK), 0, noisy)


# === barrier in a branch of a mapped function
# signature: *f32, i32
# const: BLOCK=64
# expect: 13:9: error: debug_barrier cannot be called in the function of a reduction, scan or map_elementwise; call it before or after, on the tensors
# expect: 19:9: note: in waiting, called from here
import triton
import triton.language as tl


@triton.jit
def waiting(a):
    if a > 3:
        tl.debug_barrier()
    return a


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = tl.map_elementwise(waiting, tl.arange(0, BLOCK))
