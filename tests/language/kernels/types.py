# Element types: each is loaded, computed with, converted and stored.
import triton
import triton.language as tl


@triton.jit
def round_trip(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


@triton.jit
def convert(x_ptr, y_ptr, N: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i).to(TYPE))


@triton.jit
def through(x_ptr, y_ptr, N: tl.constexpr, NARROW: tl.constexpr):
    # To a narrow type and back: the difference is the rounding.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tl.cast(x, NARROW).to(tl.float32))


@triton.jit
def every_type(y_ptr, N: tl.constexpr):
    # The names of all scalar types, by their widths.
    i = tl.arange(0, N)
    total = 0
    total += tl.int1.primitive_bitwidth + tl.int8.primitive_bitwidth + tl.int16.primitive_bitwidth
    total += tl.int32.primitive_bitwidth + tl.int64.primitive_bitwidth
    total += tl.uint8.primitive_bitwidth + tl.uint16.primitive_bitwidth + tl.uint32.primitive_bitwidth
    total += tl.uint64.primitive_bitwidth + tl.float16.primitive_bitwidth + tl.float32.primitive_bitwidth
    total += tl.float64.primitive_bitwidth + tl.bfloat16.primitive_bitwidth
    total += tl.float8e4nv.primitive_bitwidth + tl.float8e5.primitive_bitwidth
    total += tl.float8e4b8.primitive_bitwidth + tl.float8e5b16.primitive_bitwidth
    tl.store(y_ptr + i, i + total)


@triton.jit
def type_queries(x_ptr, y_ptr):
    x = tl.load(x_ptr)
    score = 0
    if x.dtype == tl.float16:
        score += 1
    if x.dtype.is_floating() and not x.dtype.is_int():
        score += 10
    if x_ptr.dtype.is_ptr() and x_ptr.dtype.element_ty == tl.float16:
        score += 100
    if x.type.scalar == tl.float16:
        score += 1000
    tl.store(y_ptr, score)


@triton.jit
def pointer_cast(x_ptr, y_ptr, N: tl.constexpr):
    # The same bytes read as another type.
    i = tl.arange(0, N)
    bits = x_ptr.to(tl.pointer_type(tl.int32))
    tl.store(y_ptr + i, tl.load(bits + i))


@triton.jit
def pointer_table(table_ptr, out_ptr, COUNT: tl.constexpr, N: tl.constexpr):
    # An array of addresses as input data: one array for each program.
    source = tl.load(table_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, N)
    tl.store(out_ptr + tl.program_id(0) * N + i, tl.load(source + i))


@triton.jit
def pointer_tile(table_ptr, out_ptr, COUNT: tl.constexpr):
    # A tile of pointers, each to another array.
    i = tl.arange(0, COUNT)
    sources = tl.load(table_ptr + i).to(tl.pi32_t)
    tl.store(out_ptr + i, tl.load(sources))


@triton.jit
def tuples(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    pair = (tl.load(x_ptr + i), 3)
    first, second = pair
    more = pair + (tl.tuple((1, 2))[1],)
    tl.store(y_ptr + i, first * second + more[2] + len(more))


@triton.jit
def tuple_slices(y_ptr):
    numbers = (10, 20, 30, 40)
    tail = numbers[1:]
    total = 0
    for number in tail:
        total += number
    tl.store(y_ptr, total + numbers[-1] + numbers[:2][1])


@triton.jit
def slice_objects(y_ptr):
    numbers = (1, 20, 300, 4000)
    inner = numbers[tl.slice(1, 3, None)]
    tl.store(y_ptr, inner[0] + inner[1])


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


@triton.jit
def annotated_locals(x_ptr, y_ptr, N: tl.constexpr):
    TWICE: tl.constexpr = N * 2
    scale: tl.float32 = 0.5
    i = tl.arange(0, TWICE)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * scale)


@triton.jit
def type_of_parameter(y_ptr, TYPE: tl.constexpr):
    # A dtype passed as a constant, compared and used.
    if TYPE == tl.int8:
        value = 1
    else:
        value = 2
    tl.store(y_ptr, tl.full((), value, TYPE))


@triton.jit
def limits(y_ptr):
    tl.static_assert(tl.TRITON_MAX_TENSOR_NUMEL == 1048576)
    tl.store(y_ptr, tl.TRITON_MAX_TENSOR_NUMEL)


@triton.jit
def instances(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    score = 0
    if isinstance(x, tl.tensor):
        score += 1
    if isinstance(N, tl.constexpr) and isinstance(N, int):
        score += 10
    if isinstance((x, 1), tl.tuple) and not isinstance(x, tuple):
        score += 100
    if isinstance(tl.float32, tl.dtype):
        score += 1000
    tl.store(y_ptr, score)


@triton.jit
def names_of_types(x_ptr, y_ptr, N: tl.constexpr):
    kinds = (tl.block_type, tl.tuple_type, tl.tensor_descriptor_type, tl.const, tl.constexpr_type)
    x = tl.load(x_ptr + tl.arange(0, N))
    score = len(kinds)
    if isinstance(x, (tl.tensor_descriptor, tl.tensor)) and not isinstance(x, tl.tensor_descriptor):
        score += 10
    tl.static_assert(tl.void != tl.int32 and tl.void == tl.void)
    tl.store(y_ptr, score)


@triton.jit
def target(y_ptr):
    kinds = 0
    if tl.target_info.is_cuda():
        kinds += 1
        tl.static_assert(tl.target_info.cuda_capability_geq(7, 5))
    if tl.target_info.is_hip():
        kinds += 1
    tl.static_assert(not tl.target_info.cuda_capability_geq(99))
    tl.store(y_ptr, kinds)
