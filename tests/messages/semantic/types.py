# === load of a number
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: load needs a pointer or a tensor of pointers, found a scalar of i32
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = tl.load(n)


# === store of a tile through a scalar pointer
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:5: error: cannot store a tensor of i32 [64] through a scalar pointer; add offsets such as tl.arange to it
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr, tl.arange(0, BLOCK))


# === pointer plus float
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:15: error: a pointer's offset must be an integer, found a scalar of f32; convert it with .to(tl.int32)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    p = x_ptr + 1.5


# === pointer plus pointer
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:15: error: the operator + does not take a scalar of *f32 and a scalar of *f32; only an integer may be added to or subtracted from a pointer
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    p = x_ptr + x_ptr


# === pointer times two
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:15: error: the operator * does not take a scalar of *f32 and the constant 2; only an integer may be added to or subtracted from a pointer
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    p = x_ptr * 2


# === float bit operation
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:24: error: the operator & takes integers or booleans, found a scalar of f32 and the constant 1
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr) & 1


# === floor division of floats
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:24: error: the operator // takes integers, found f32; use tl.floor(a / b)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr) // 2.0


# === exp of an integer
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:16: error: exp expects a floating-point tensor, found i32; convert with .to(tl.float32)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = tl.exp(n)


# === bitcast of other width
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: cannot bitcast f32 (32 bits) to i64 (64 bits)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = tl.load(x_ptr).to(tl.int64, bitcast=True)


# === pointer to float
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: a pointer converts to i64, u64 or i1, not to f32
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = x_ptr.to(tl.float32)


# === power of tensors
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:11: error: the operator ** takes constants only, found a scalar of i32 and the constant 2; multiply, or use tl.exp2 and tl.log2
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = n ** 2


# === matmul operator
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: the operator @ is not part of the kernel language; use tl.dot(a, b)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.zeros((16, 16), dtype=tl.float32)
    y = x @ x


# === signed with unsigned division
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: cannot divide u32 and i32 because one is signed and the other is not; convert one of them with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = n.to(tl.uint32)
    y = a // n


# === unsigned with negative
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: the constant -1 is out of range for u32 (0 to 4294967295); convert the tensor with .to() first
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = n.to(tl.uint32)
    y = a + -1


# === comparison with a string
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:11: error: the operator < does not take a scalar of i32 and the constant 'a'
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = n < "a"


# === dot of different types
# signature: *f32, i32
# const: BLOCK=64
# expect: 13:9: error: dot's operands must have one type, found f16 and f32; convert one with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((16, 16), dtype=tl.float16)
    b = tl.zeros((16, 16), dtype=tl.float32)
    c = tl.dot(a, b)


# === dot of int32
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: dot takes i8 or floating-point operands, found i32; convert them with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((16, 16), dtype=tl.int32)
    c = tl.dot(a, a)


# === dot precision
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: unknown input precision 'fp4'; known: tf32, ieee, tf32x3, bf16x3, bf16x6
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((16, 16), dtype=tl.float32)
    c = tl.dot(a, a, input_precision="fp4")


# === pointer compared with a number
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:15: error: cannot compare a scalar of *f32 and a scalar of i32; load the value that the pointer points to
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = x_ptr < n
