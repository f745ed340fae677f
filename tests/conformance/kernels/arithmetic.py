# One operation on elements, of any type: x, y and the result are vectors of n elements, in blocks of BLOCK.
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def sub(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) - tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def mul(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) * tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def named_operators(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Operators by their names; the results stand one behind the other.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.add(x, y), mask=i < n)
    tl.store(z_ptr + n + i, tl.sub(x, y), mask=i < n)
    tl.store(z_ptr + 2 * n + i, tl.mul(x, y), mask=i < n)


@triton.jit
def div(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) / tl.load(y_ptr + i, mask=i < n, other=1), mask=i < n)


@triton.jit
def floordiv(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) // tl.load(y_ptr + i, mask=i < n, other=1), mask=i < n)


@triton.jit
def mod(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) % tl.load(y_ptr + i, mask=i < n, other=1), mask=i < n)


@triton.jit
def mod_of_bits(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # A divisor of the dividend's bits, and a sum with the remainder.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, x % ((x & 15) + 1) - 37, mask=i < n)


@triton.jit
def cdiv(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.cdiv(tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n, other=1))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def div_rn(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.div_rn(tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n, other=1.0))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def fdiv(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.fdiv(tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n, other=1.0))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def maximum(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.maximum(tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def minimum(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.minimum(tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def maximum_all(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    z = tl.maximum(x, tl.load(y_ptr + i, mask=i < n), propagate_nan=tl.PropagateNan.ALL)
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def minimum_all(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    z = tl.minimum(x, tl.load(y_ptr + i, mask=i < n), propagate_nan=tl.PropagateNan.ALL)
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def umulhi(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.umulhi(tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def fma(x_ptr, y_ptr, z_ptr, w_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(w_ptr + i, tl.fma(x, tl.load(y_ptr + i, mask=i < n), tl.load(z_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def mul_add(x_ptr, y_ptr, z_ptr, w_ptr, n, BLOCK: tl.constexpr):
    # A product and a sum, which a device may fuse.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(w_ptr + i, x * tl.load(y_ptr + i, mask=i < n) + tl.load(z_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def negate(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, -tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def absolute(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.abs(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def known_sign(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # If x is not a number, the maximum is the negative number and the minimum the positive one.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.abs(tl.load(x_ptr + i, mask=i < n))
    z = tl.abs(tl.maximum(x, -2.0)) + tl.abs(tl.minimum(-x, 2.0))
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def clamp(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.clamp(tl.load(x_ptr + i, mask=i < n), -1.0, 1.5), mask=i < n)


@triton.jit
def clamp_all(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.clamp(x, -1.0, 1.5, propagate_nan=tl.PropagateNan.ALL), mask=i < n)


@triton.jit
def clamp_between(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Between bounds of the same type, which are equal: what is not a number loses against them.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bound = tl.abs(tl.load(y_ptr + i, mask=i < n))
    tl.store(z_ptr + i, tl.clamp(tl.load(x_ptr + i, mask=i < n), bound, bound), mask=i < n)


@triton.jit
def where(c_ptr, x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.load(c_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.where(c, tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def where_scalars(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # A constant on one side; a scalar condition, which takes all elements from one side.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.where(x > y, x, -1.0) + tl.where(n > 500, y, 0), mask=i < n)


@triton.jit
def scalar_right(x_ptr, z_ptr, n, s, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) * s - 3, mask=i < n)


@triton.jit
def scalar_left(x_ptr, z_ptr, n, s, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, s - 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def reciprocal(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, 1.0 / tl.load(x_ptr + i, mask=i < n, other=1.0), mask=i < n)


@triton.jit
def mixed_add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # The operands have different types; the sum has the type that the language promotes them to.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n)
    tl.static_assert(z.dtype == z_ptr.dtype.element_ty)
    tl.store(z_ptr + i, z, mask=i < n)


@triton.jit
def promotion(h_ptr, b_ptr, f_ptr, s_ptr, y_ptr):
    # What tensors of f16, bf16, f32 and i8 become with constants and with each other.
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
    tl.store(y_ptr, h + b + f + s)


@triton.jit
def chain(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Several operations whose results feed one another, on whole numbers: exact in every order and when fused.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    a = x * 3 + y
    b = tl.where(a > x + 2, a - x, a + y)
    tl.store(z_ptr + i, tl.maximum(b, x) * 2 - tl.abs(y), mask=i < n)


@triton.jit
def unsigned_of_signed(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Signed numbers that were widened, divided as unsigned ones: copies of the sign are no leading zeros.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(z_ptr.dtype.element_ty)
    divisor = ((tl.load(y_ptr + i, mask=i < n, other=0) & 15) + 1).to(z_ptr.dtype.element_ty)
    tl.store(z_ptr + i, x // divisor, mask=i < n)
    tl.store(z_ptr + n + i, x % divisor, mask=i < n)
    tl.store(z_ptr + 2 * n + i, divisor // (x | 1), mask=i < n)
    tl.store(z_ptr + 3 * n + i, tl.full((BLOCK,), -3, tl.int32).to(z_ptr.dtype.element_ty) % divisor, mask=i < n)


@triton.jit
def known_zeros(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Arithmetic with zeros that a compiler knows: what it leaves out must not change signs, infinities and NaN.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    counted = (tl.arange(0, BLOCK) * 0).to(x.dtype)
    total = tl.zeros([BLOCK], x.dtype)
    for _ in range(2):
        total += x
    tl.store(z_ptr + i, x + 0.0, mask=i < n)
    tl.store(z_ptr + n + i, 0.0 - x, mask=i < n)
    tl.store(z_ptr + 2 * n + i, x - 0.0, mask=i < n)
    tl.store(z_ptr + 3 * n + i, x * 0.0, mask=i < n)
    tl.store(z_ptr + 4 * n + i, x * counted, mask=i < n)
    tl.store(z_ptr + 5 * n + i, x / 0.0, mask=i < n)
    tl.store(z_ptr + 6 * n + i, 0.0 / x, mask=i < n)
    tl.store(z_ptr + 7 * n + i, total, mask=i < n)


@triton.jit
def literals_beside_floats(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Neither number is one of 16 bits: the results are f32, or they would be rounded.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.maximum(tl.clamp(x, -0.7, 5.3), 0.1), mask=i < n)


@triton.jit
def literals_beside_integers(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # 200 is no i8: the result is i32.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(z_ptr + i, tl.maximum(x, 200) - x + tl.where(x < 1000, 1000, 0), mask=i < n)


# Each program divides its block by one number.
@triton.jit
def quotients_by_one(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.div_rn(tl.load(x_ptr + i), tl.load(y_ptr + program)))


@triton.jit
def relaxed_quotients_by_one(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i) / tl.load(y_ptr + program))


@triton.jit
def narrowed_quotients_by_one(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.div_rn(tl.load(x_ptr + i), tl.load(y_ptr + program)).to(tl.float16))


@triton.jit
def quotients_of_programs(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    number = ((200 + tl.program_id(0)) % 101).to(x.dtype)
    tl.store(y_ptr + tl.program_id(0) * N + i, number // ((x & 15) + 1))
