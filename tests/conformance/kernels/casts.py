# Conversions between element types.
import triton
import triton.language as tl


@triton.jit
def convert(x_ptr, y_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(TYPE), mask=i < n)


@triton.jit
def convert_widened(x_ptr, y_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    # By way of 64 bits: drivers know then that the upper half is all signs.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(tl.int64).to(TYPE), mask=i < n)


@triton.jit
def times_converted_constant(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # A product with zero keeps the sign, and infinity times zero is not a number, also where the zero was an integer.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[None, :]
    zero = tl.broadcast_to(tl.arange(0, 1)[:, None], (1, BLOCK))
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * zero.to(x.dtype), mask=i < n)


@triton.jit
def store_converts(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # The store converts to the pointer's type.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def bitcast(x_ptr, y_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(TYPE, bitcast=True), mask=i < n)


@triton.jit
def downcast(x_ptr, y_ptr, n, TYPE: tl.constexpr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.cast(tl.load(x_ptr + i, mask=i < n), TYPE, fp_downcast_rounding=ROUNDING), mask=i < n)


@triton.jit
def there_and_back(x_ptr, y_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    # To another type and back again: what is lost is the rounding or the high bits.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x.to(TYPE).to(x.dtype), mask=i < n)


@triton.jit
def reinterpret_pointer(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # The bytes of memory read as another type.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bits = x_ptr.to(tl.pointer_type(tl.int32))
    tl.store(y_ptr + i, tl.load(bits + i, mask=i < n), mask=i < n)


@triton.jit
def by_name(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, int(x), mask=i < n)
    tl.store(z_ptr + i, float(i) / 4, mask=i < n)


@triton.jit
def split_bytes(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # The four bytes of each word, in the order of memory on a little-endian machine.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    word = tl.load(x_ptr + i, mask=i < n)
    for k in tl.static_range(4):
        tl.store(y_ptr + i * 4 + k, ((word >> (8 * k)) & 255).to(tl.uint8), mask=i < n)


@triton.jit
def widen_scalar(x_ptr, y_ptr, TYPE: tl.constexpr):
    tl.store(y_ptr + tl.program_id(0), tl.load(x_ptr + tl.program_id(0)).to(TYPE))


@triton.jit
def constants(y_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    # Constants that a compiler converts, and computes with: they saturate like other numbers.
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.full((N,), float("inf"), TYPE))
    tl.store(y_ptr + N + i, tl.full((N,), float("-inf"), tl.float32).to(TYPE))
    tl.store(y_ptr + 2 * N + i, tl.full((N,), float("nan"), TYPE))
    tl.store(y_ptr + 3 * N + i, tl.full((N,), 1000000, tl.int32).to(TYPE))
    tl.store(y_ptr + 4 * N + i, tl.full((N,), -1e30, tl.float32).to(TYPE))
    tl.store(y_ptr + 5 * N + i, tl.full((N,), 0.7, TYPE))
    tl.store(y_ptr + 6 * N + i, tl.zeros((N,), TYPE) + 1e6)
    tl.store(y_ptr + 7 * N + i, tl.full((N,), 200, TYPE) + tl.full((N,), 200.0, TYPE))


@triton.jit
def bits_of_constants(y_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    # The codes from 120 on: the largest numbers, infinity and what is not a number stay what they are.
    i = tl.arange(0, N)
    for code in tl.static_range(120, 128):
        x = tl.full((N,), code, tl.uint8).to(TYPE, bitcast=True)
        tl.store(y_ptr + (code - 120) * N + i, x)
