# What types are called and say about themselves: names, queries, instances, annotations, tuples of values.
import triton
import triton.language as tl


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
def tuple_slices(y_ptr):
    numbers = (10, 20, 30, 40)
    total = 0
    for number in numbers[1:]:
        total += number
    tl.store(y_ptr, total + numbers[-1] + numbers[:2][1])
    inner = numbers[tl.slice(1, 3, None)]
    tl.store(y_ptr + 1, inner[0] + inner[1])


@triton.jit
def annotated_locals(x_ptr, y_ptr, N: tl.constexpr):
    # A value of the run time may be annotated like a constant.
    TWICE: tl.constexpr = N * 2
    scale: tl.float32 = 0.5
    first: tl.constexpr = tl.load(x_ptr)
    i = tl.arange(0, TWICE)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * scale + first)


@triton.jit
def type_as_constant(y_ptr, N: tl.constexpr, TYPE: tl.constexpr):
    # A type that the caller gives is compared and used.
    if TYPE == tl.int8:
        value = 1
    else:
        value = 2
    tl.store(y_ptr + tl.arange(0, N), tl.full((), value, TYPE))


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
