# === arange of a run-time value
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:25: error: arange's end must be known when the kernel is compiled, found a scalar of i32; take a tl.constexpr, a power of two, as in i = tl.arange(0, BLOCK), and mask what is beyond the end: tl.load(p + i, mask=i < n)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, n)


# === arange not a power of two
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:12: error: arange's extent must be a power of 2, found 100 (from 0 to 100); use the next power of 2 and a mask: i = tl.arange(0, 128), tl.load(p + i, mask=i < 100)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, 100)


# === arange backwards
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:12: error: arange's end must be greater than its start, found 8 and 4
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(8, 4)


# === arange too large
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:12: error: arange from 0 to 4194304 is too large; at most 1048576 elements in 32 bits
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, 4194304)


# === shape not a power of two
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:18: error: zeros' shape [3, 64] has the extent 3, which is not a power of 2
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    z = tl.zeros((3, BLOCK), dtype=tl.float32)


# === shape of a run-time value
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:18: error: zeros' shape must be known when the kernel is compiled, found a scalar of i32; make it a tl.constexpr parameter
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    z = tl.zeros((n, BLOCK), dtype=tl.float32)


# === too many elements
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:18: error: zeros' shape [2048, 2048] has more than 1048576 elements; use smaller blocks and a larger grid
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    z = tl.zeros((2048, 2048), dtype=tl.float32)


# === dtype expected
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:28: error: zeros' dtype must be a type such as tl.float32, found the constant 3
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    z = tl.zeros((BLOCK,), dtype=3)


# === division by zero
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:15: error: division of constants by zero
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = BLOCK // 0


# === constant out of range
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: the constant 300 is out of range for i8 (-128 to 127); convert the tensor with .to() first
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK).to(tl.int8)
    y = x + 300


# === overflow of constants
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:11: error: a constant leaves the range of 128-bit integers
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = 1 << 200


# === axis of program_id
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:23: error: program_id's axis must be 0, 1 or 2, found 3
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    p = tl.program_id(3)


# === static_assert fails
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:5: error: static assertion failed: BLOCK is too small
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK > 100, "BLOCK is too small")


# === static_range needs constants
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:30: error: a bound of static_range must be known when the kernel is compiled, found a scalar of i32; make it a tl.constexpr parameter
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in tl.static_range(n):
        pass


# === range step zero
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:26: error: range's step must not be zero
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(0, n, 0):
        pass


# === constexpr parameter of a helper
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:25: error: arange's end must be known when the kernel is compiled, found a scalar of i32; take a tl.constexpr, a power of two, as in i = tl.arange(0, BLOCK), and mask what is beyond the end: tl.load(p + i, mask=i < n)
# expect: 17:9: note: in scaled, called from here
import triton
import triton.language as tl


@triton.jit
def scaled(K: tl.constexpr):
    return tl.arange(0, K)


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = scaled(n)


# === integer beyond 64 bits
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:5: error: the integer 1180591620717411303424 does not fit 64 bits
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = 2 ** 70
