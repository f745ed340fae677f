# === broadcast mismatch
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:26: error: shapes [64] and [32] do not broadcast: axis 0 is 64 and 32
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, 64) + tl.arange(0, 32)


# === mask of the wrong shape
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: the shapes of the pointers and of the mask, [64] and [32] do not broadcast: axis 0 is 64 and 32
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=tl.arange(0, 32) < n)


# === store's mask with an axis too many
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:5: error: the mask of shape [64, 1] cannot be broadcast to [64]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(x_ptr + offs, offs, mask=(offs < n)[:, None])


# === other without mask
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: load has an 'other' but no 'mask'; 'other' is what masked-off elements read
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK), other=0.0)


# === value too large for the pointers
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:5: error: the value of shape [64] cannot be broadcast to [32]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, 32), tl.arange(0, 64))


# === dot of shapes that do not fit
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: dot's operands do not fit: [16, 32] and [16, 32]; the columns of the first must be the rows of the second
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((16, 32), dtype=tl.float16)
    c = tl.dot(a, a)


# === dot of vectors
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: dot needs two tensors of rank 2, or of rank 3 for a batch, found shapes [16] and [16]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((16,), dtype=tl.float16)
    c = tl.dot(a, a)


# === accumulator of another shape
# signature: *f32, i32
# const: BLOCK=64
# expect: 13:9: error: dot's accumulator has shape [32, 32], expected [16, 16]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((16, 16), dtype=tl.float16)
    acc = tl.zeros((32, 32), dtype=tl.float32)
    c = tl.dot(a, a, acc)


# === reshape to another count
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: cannot reshape [64] (64 elements) to [8, 4] (32)
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.reshape(tl.arange(0, 64), (8, 4))


# === permute twice the same
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:9: error: the order [0, 0] names axis 0 twice
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.permute(tl.zeros((8, 4), dtype=tl.float32), (0, 0))


# === transpose of a vector
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:26: error: .T needs a tensor of rank 2, found a tensor of i32 [64]; use tl.permute
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, 64).T


# === axis out of range
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:34: error: sum's axis must be between -1 and 0, found 1
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.sum(tl.arange(0, 64), axis=1)


# === index a tile
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: a tile can be indexed with ':', None and '...' only, found the constant 3; to take single elements use tl.gather or a reduction with tl.where
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, 64)
    y = x[3]


# === slice a tile
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: a tile can be indexed with ':', None and '...' only; to take a part of it use tl.gather, tl.split or a mask
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, 64)
    y = x[0:32]


# === broadcast to too many elements
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:20: error: a tile of shape [4096, 4096] has more than 1048576 elements; use smaller blocks and a larger grid
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, 4096)
    y = x[:, None] + x[None, :]


# === product of too many elements
# signature: *f32, i32
# const: BLOCK=64
# expect: 13:9: error: a tile of shape [2048, 2048] has more than 1048576 elements; use smaller blocks and a larger grid
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    a = tl.zeros((2048, 16), dtype=tl.float16)
    b = tl.zeros((16, 2048), dtype=tl.float16)
    c = tl.dot(a, b)


# === too many indices around an ellipsis
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: too many indices for a tensor of i32 [64]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, 64)
    y = x[..., None, :, :]
