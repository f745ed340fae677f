# Functions that call functions, tuples, and what a file's names mean.
import math

import triton
import triton.language as tl

GLOBAL_BLOCK = 32
SCALE, SHIFT = 3, 0.5
NAMES = ["relu", "square"]


@triton.jit
def activate(x, NAME: tl.constexpr = "relu"):
    """A helper with a default argument and several returns."""
    if NAME == "relu":
        return tl.where(x > 0, x, 0.0)
    if NAME == "square":
        return x * x
    return x


@triton.jit
def scale_and_shift(x, scale, *, shift=0.0):
    return x * scale + shift


@triton.jit
def pair(x):
    return x + 1, x - 1


@triton.jit
def add_all(first, *rest):
    total = first
    for value in rest:
        total += value
    return total


@triton.jit
def choose(n):
    if n > 3:
        return n * 2
    return n - 1


@triton.jit
def helpers(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    up, down = pair(activate(tl.load(x_ptr + i)))
    tl.store(y_ptr + i, scale_and_shift(up, scale=2.0, shift=1.0) + activate(down, NAME="square"))


@triton.jit
def variadic(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    parts = (x, x * x)
    tl.store(y_ptr + i, add_all(x, 1, *parts))


@triton.jit
def tuples(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    both = (tl.load(x_ptr + i), 3)
    first, second = both
    more = both + (tl.tuple((1, 2))[1],)
    total = 0
    for number in (10, 20, 30, 40)[1:]:
        total += number
    tl.store(y_ptr + i, first * second + more[2] + len(more) + total)


@triton.jit
def run_time_return(y_ptr):
    tl.store(y_ptr + tl.program_id(0), choose(tl.program_id(0)))


@triton.jit
def globals_are_constants(x_ptr, y_ptr):
    i = tl.arange(0, GLOBAL_BLOCK)
    x = tl.load(x_ptr + i)
    if "relu" in NAMES:
        x = tl.maximum(x, 0)
    tl.store(y_ptr + i, x * SCALE + SHIFT)


@triton.jit
def unannotated_block(x_ptr, y_ptr, BLOCK):
    """A constant by use: arange needs one."""
    i = tl.arange(BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


@triton.jit
def scalar_arguments(y_ptr, i, f, b, big):
    tl.store(y_ptr, i + f)
    tl.store(y_ptr + 1, tl.where(b, 1.0, 2.0))
    tl.store(y_ptr + 2, (big >> 32).to(tl.float32))


@triton.jit
def optional_pointer(x_ptr, bias_ptr, y_ptr, N: tl.constexpr, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if HAS_BIAS:
        x += tl.load(bias_ptr + i)
    tl.store(y_ptr + i, x)


@triton.jit
def python_functions(y_ptr):
    numbers = (4, 9, 2)
    total = min(numbers[0], numbers[1]) + max(3, 5, 7) + abs(-6) + len(numbers)
    total += int(3.9) + int(float("2.5") * 2) + triton.cdiv(10, 4) + triton.next_power_of_2(33)
    total += int(math.sqrt(16.0)) + math.ceil(2.1) + bool(3)
    tl.store(y_ptr, total)


@triton.jit
def map_scalar(x, y):
    if x > y:
        return x - y
    else:
        return (x + y) * 2


@triton.jit
def map_elementwise(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + i, tl.map_elementwise(map_scalar, tl.load(x_ptr + i), tl.load(y_ptr + i)))


@triton.jit
def map_two(x):
    return x + 1, (x * 2).to(tl.float32)


@triton.jit
def map_to_two(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    more, twice = tl.map_elementwise(map_two, tl.load(x_ptr + i))
    tl.store(y_ptr + i, more)
    tl.store(z_ptr + i, twice)


@triton.jit
def swap_pair(a, b):
    return b, a


@triton.jit
def map_packed(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.map_elementwise(swap_pair, tl.load(x_ptr + i), pack=2))


@triton.aggregate
class Point:
    x: tl.tensor
    y: tl.tensor

    @triton.jit
    def norm(self):
        return self.x * self.x + self.y * self.y


@triton.jit
def aggregates(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    p = Point(tl.load(x_ptr + i), y=2.0)
    tl.store(y_ptr + i, p.norm() + p.x)


@triton.aggregate
class Row:
    start: tl.tensor
    columns: tl.tensor
    N: tl.constexpr

    def __init__(self, start, N, *, _semantic):
        self.start: tl.tensor = start
        self.N = tl.constexpr(N)
        self.columns = start + tl.arange(0, N)

    @triton.jit
    def first(N: tl.constexpr):
        return Row(0, N)

    @triton.jit
    def load(self, x_ptr):
        return tl.load(x_ptr + self.columns)


@triton.aggregate
class Window:
    row: Row
    limit: tl.tensor
    WEIGHT: tl.constexpr

    def __init__(self, row, limit, doublings=0):
        self.row = row
        self.limit = limit
        self.WEIGHT = 1
        for _ in range(10):
            if self.WEIGHT == 2**doublings:
                break
            self.WEIGHT *= 2

    @triton.jit
    def below(self, x_ptr):
        x = self.row.load(x_ptr)
        return tl.where(x < self.limit, x * self.WEIGHT, 0)


@triton.jit
def constructors(x_ptr, y_ptr, N: tl.constexpr):
    # Fields that a constructor computes; a loop carries instances, whose constants stay constants.
    i = tl.arange(0, N)
    total = Window(Row.first(N), 50, 3).below(x_ptr)
    quarter = N // 4
    window = Window(Row(0, quarter), 50)
    for step in range(4):
        total += tl.sum(window.below(x_ptr))
        window = Window(Row(window.row.start + window.row.N, N // 4), window.limit - window.WEIGHT)
    tl.store(y_ptr + i, total)


def unwrapped(x):
    return x.value if isinstance(x, tl.constexpr) else x


def also_unwrapped(x):
    return x if not isinstance(x, tl.constexpr) else x.value


@tl.constexpr
def integer_of(bits: tl.constexpr, signed: tl.constexpr) -> tl.dtype:
    return tl.core.get_int_dtype(unwrapped(bits), tl.core._unwrap_if_constexpr(also_unwrapped(signed)))


@triton.jit
def halved(x):
    # Names of a function that is called in a loop; one is a constant, one is not.
    one: tl.constexpr = 127 << 23
    factor: tl.constexpr = tl.cast(one, tl.float32, bitcast=True) / 2
    bits = x.to(integer_of(x.dtype.primitive_bitwidth, False), bitcast=True)
    sign: tl.constexpr = bits >> 31
    return tl.where(sign == 1, tl.full(bits.type.get_block_shapes(), 0, x.dtype), x * factor)


@triton.jit
def host_functions(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for _ in range(3):
        x = halved(x)
    tl.store(y_ptr + i, x)


@triton.jit
def item(x_ptr, y_ptr, N: tl.constexpr):
    scalar = tl.sum(tl.load(x_ptr + tl.arange(0, N)), 0, keep_dims=True).item()
    if scalar > 0:
        tl.store(y_ptr, scalar)


@triton.jit
def methods(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = x.abs().reshape(N // 4, 4).trans().ravel()
    tl.store(y_ptr + i, y + x.sum() + x.max(axis=0) + x.numel + x.shape[0])


@triton.jit
def more_methods(x_ptr, bin_ptr, root_ptr, product_ptr, rows_ptr, count_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    # Functions with several arguments, as methods of their first.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(root_ptr + i, x.abs().sqrt())
    tl.store(product_ptr + i, x.cumprod(0, reverse=True))
    tl.store(rows_ptr + tl.arange(0, 4)[:, None] * N + i[None, :], x.expand_dims(0).broadcast_to(4, N))
    tl.store(count_ptr + tl.arange(0, BINS), tl.load(bin_ptr + i).histogram(BINS, mask=i < n))


@triton.jit
def to_tensor(y_ptr):
    one = tl.to_tensor(1)
    half = tl.to_tensor(0.5)
    tl.store(y_ptr, one.dtype.primitive_bitwidth + half.dtype.primitive_bitwidth + one + half)


@triton.jit
def type_of_parameter(x_ptr, y_ptr, N: tl.constexpr, TYPE: tl.constexpr):
    # The type decides at compile time.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if x.dtype.is_floating():
        x = x * 2
    else:
        x = x + 1
    tl.store(y_ptr + i, x.to(TYPE))


@triton.jit
def hints(x_ptr, y_ptr, n, N: tl.constexpr):
    n = tl.multiple_of(n, 8)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, N), N), N)
    group = tl.max_constancy(tl.arange(0, N) // 4, 4)
    tl.assume(n >= 0)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.debug_barrier()
    tl.store(y_ptr + i, x + group)


@triton.jit
def hints_2d(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    # One number for each axis; of offsets and of pointers.
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    offsets = tl.max_contiguous(tl.multiple_of(offsets, (1, N)), (1, N))
    pointers = tl.multiple_of(x_ptr + offsets, (4, 4))
    tl.store(y_ptr + offsets, tl.load(pointers))


@triton.jit
def expect_zero(x_ptr, y_ptr, N: tl.constexpr):
    # The promise, which the data keeps, is that the first half is zero.
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.expect_zero(tl.load(x_ptr + i), i < N // 2) + 1)


# What a name means where it is defined more than once: Python's order, as far as the conditions can be read.
if GLOBAL_BLOCK > 64:

    @triton.jit
    def step(x):
        return x + 100

else:

    @triton.jit
    def step(x):
        return x + 1


if False:

    @triton.jit
    def step(x):
        return x + 1000


try:
    from triton.language import no_such_function as twice
except ImportError:

    @triton.jit
    def twice(x):
        return x * 2


COUNT = 4
EIGHT = COUNT * 2


@triton.jit
def counted(x, by: tl.constexpr = COUNT):
    return x + by * 100


COUNT = 5


@triton.jit
def definitions(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    # Another kernel of this name, with other parameters, follows.
    tl.store(y_ptr + tl.arange(0, N), 0)


@triton.jit
def definitions(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, counted(twice(step(tl.load(x_ptr + i)))) + EIGHT * 10 + COUNT)


@triton.jit
def quoted_annotations(x_ptr, u: "tl.uint8", y_ptr: "*i32", N: "tl.constexpr", ADD: 'constexpr'):
    # ADD is a constant and takes u's type: the sum wraps in 8 bits.
    i = tl.arange(0, N)
    tl.store(y_ptr + i, (u + ADD).to(tl.int32) + (tl.load(x_ptr + i) + ADD).to(tl.int32))


def spread(n):
    return [n, 2 * n]


OFFSETS = spread(3)


@triton.jit
def add_number(x, by: tl.constexpr):
    return x + by


@triton.jit
def liberties(x_ptr, y_ptr, n, N: tl.constexpr, TYPE: tl.constexpr):
    # A value of host code, a list of constants, and a run-time value for a parameter that is declared constant.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(TYPE.value, fp_downcast_rounding="rtne")
    tl.static_assert(tl.core.get_int_dtype(16, signed=False) == tl.uint16)
    parts = [add_number(x, by) for by in OFFSETS]
    x = add_number(parts[0] + parts[1], n)
    pid = tl.program_id(0)
    x += pid[:, None]
    N = N // 2
    tl.static_assert(tl.standard._log2(i.shape[0] * 2) > 5)
    block = tl.make_block_ptr(y_ptr - 4, (100000, ), (1, ), (0, ), (i.shape[0], ), (0, ))
    tl.store(block.advance((4, )), x + N)


def _thrice(x_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z_ptr + i, tl.load(x_ptr + i) * 3)


jit_by_call = triton.jit(_thrice)
tuned_by_call = triton.autotune(configs=[triton.Config({"N": 64}, num_warps=2)],
                                key=[])(triton.jit(_thrice, debug=False))
