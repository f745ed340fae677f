# Elementwise functions and operators.
import triton
import triton.language as tl
from triton.language import math as tlm


@triton.jit
def unary(x_ptr, y_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if NAME == "exp":
        y = tl.exp(x)
    elif NAME == "exp2":
        y = tl.exp2(x)
    elif NAME == "log":
        y = tl.log(x)
    elif NAME == "log2":
        y = tl.log2(x)
    elif NAME == "sin":
        y = tl.sin(x)
    elif NAME == "cos":
        y = tl.cos(x)
    elif NAME == "sqrt":
        y = tl.sqrt(x)
    elif NAME == "sqrt_rn":
        y = tl.sqrt_rn(x)
    elif NAME == "rsqrt":
        y = tl.rsqrt(x)
    elif NAME == "erf":
        y = tl.erf(x)
    elif NAME == "floor":
        y = tl.floor(x)
    elif NAME == "ceil":
        y = tl.ceil(x)
    elif NAME == "abs":
        y = tl.abs(x)
    else:
        tl.static_assert(NAME == "sigmoid", f"unknown function {NAME}")
        y = tl.sigmoid(x)
    tl.static_assert(y.dtype == x.dtype)
    tl.store(y_ptr + i, y)


@triton.jit
def math_namespace(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.math.exp2(tl.math.log2(x)) + tl.math.rsqrt(x) + tl.math.sqrt(x) + tl.math.abs(-x) + tl.math.floor(x)
    tl.store(y_ptr + i, y + tlm.exp(-x))


@triton.jit
def softmax(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tl.softmax(x))
    tl.store(z_ptr + i, tl.softmax(x, dim=1, keep_dims=True))


@triton.jit
def binary(x_ptr, y_ptr, z_ptr, NAME: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    if NAME == "add":
        z = tl.add(x, y)
    elif NAME == "sub":
        z = tl.sub(x, y)
    elif NAME == "mul":
        z = tl.mul(x, y)
    elif NAME == "fdiv":
        z = tl.fdiv(x, y)
    elif NAME == "div_rn":
        z = tl.div_rn(x, y)
    elif NAME == "maximum":
        z = tl.maximum(x, y)
    elif NAME == "minimum":
        z = tl.minimum(x, y)
    elif NAME == "maximum_nan":
        z = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif NAME == "minimum_nan":
        z = tl.minimum(x, y, tl.PropagateNan.ALL)
    elif NAME == "umulhi":
        z = tl.umulhi(x, y)
    else:
        tl.static_assert(NAME == "cdiv")
        z = tl.cdiv(x, y)
    tl.store(z_ptr + i, z)


@triton.jit
def fma(x_ptr, y_ptr, z_ptr, w_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(w_ptr + i, tl.fma(tl.load(x_ptr + i), tl.load(y_ptr + i), tl.load(z_ptr + i)))


@triton.jit
def clamp(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tl.clamp(x, -1.0, 1.5))
    tl.store(z_ptr + i, tl.clamp(x, -1.0, 1.5, propagate_nan=tl.PropagateNan.ALL))


@triton.jit
def float_operators(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(z_ptr + i, (x + y) * 2 - x / y + 1.0 / x + (-x) - 3 + x * y)


@triton.jit
def float_modulo(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + i, tl.load(x_ptr + i) % tl.load(y_ptr + i))


@triton.jit
def integer_operators(x_ptr, y_ptr, q_ptr, r_ptr, b_ptr, s_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(q_ptr + i, x // y)
    tl.store(r_ptr + i, x % y)
    tl.store(b_ptr + i, (x & y) + (x | 5) * (x ^ y) + ~x)
    tl.store(s_ptr + i, (x << 3) + (x >> 1))


@triton.jit
def comparisons(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    z = (x < y).to(tl.int32) + (x <= y).to(tl.int32) * 10 + (x > y).to(tl.int32) * 100
    z += (x >= y).to(tl.int32) * 1000 + (x == y).to(tl.int32) * 10000 + (x != y).to(tl.int32) * 100000
    tl.store(z_ptr + i, z)


@triton.jit
def logic(x_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    both = (x > 0) & (x < 2)
    either = (x < -2) | (x > 2)
    z = both.to(tl.int32) + either.to(tl.int32) * 2 + (not both).to(tl.int32) * 4 + (both ^ either).to(tl.int32) * 8
    tl.store(z_ptr + i, z)


@triton.jit
def integer_division_by_true_divide(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + i, tl.load(x_ptr + i) / tl.load(y_ptr + i))


@triton.jit
def promotion(h_ptr, b_ptr, f_ptr, s_ptr, y_ptr):
    h = tl.load(h_ptr)
    b = tl.load(b_ptr)
    f = tl.load(f_ptr)
    s = tl.load(s_ptr)
    tl.static_assert((h + 1).dtype == tl.float16)
    tl.static_assert((h + 1.5).dtype == tl.float16)
    tl.static_assert((h / 2).dtype == tl.float32)
    tl.static_assert((h + b).dtype == tl.float16)
    tl.static_assert((b + b).dtype == tl.bfloat16)
    tl.static_assert((b * f).dtype == tl.float32)
    tl.static_assert((s + 1).dtype == tl.int8)
    tl.static_assert((s + 1.0).dtype == tl.float32)
    tl.static_assert((s * h).dtype == tl.float16)
    tl.static_assert((s < h).dtype == tl.int1)
    tl.static_assert((s.to(tl.uint8) + s.to(tl.int8)).dtype == tl.uint8)
    tl.static_assert((s.to(tl.uint8) + s.to(tl.int16)).dtype == tl.int16)
    tl.static_assert((s.to(tl.int64) + s).dtype == tl.int64)
    tl.store(y_ptr, 1)


@triton.jit
def dot(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + m * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + n)
    tl.store(c_ptr + m * N + n, tl.dot(a, b))


@triton.jit
def dot_accumulator(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + m * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + n)
    c = tl.load(c_ptr + m * N + n)
    d = tl.dot(a, b, c)
    d += tl.dot(a, b)
    tl.store(d_ptr + m * N + n, d)


@triton.jit
def dot_precisions(a_ptr, b_ptr, c_ptr, M: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]
    tl.store(c_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i), input_precision=PRECISION))


@triton.jit
def dot_allow_tf32(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr):
    i = tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(c_ptr + i, tl.dot(a, b, allow_tf32=True))
    tl.store(d_ptr + i, tl.dot(a, b, allow_tf32=False, max_num_imprecise_acc=0))


@triton.jit
def dot_out_dtype(a_ptr, b_ptr, c_ptr, M: tl.constexpr):
    i = tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]
    c = tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i), out_dtype=tl.float16)
    tl.static_assert(c.dtype == tl.float16)
    tl.store(c_ptr + i, c)


@triton.jit
def dot_batched(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, B)[:, None, None] * M * M + tl.arange(0, M)[None, :, None] * M + tl.arange(0, M)[None, None, :]
    tl.store(c_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i)))
