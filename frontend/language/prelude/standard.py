# The part of triton.language that is written in the language itself. The builtin of the same name checks its arguments,
# chooses types, and calls the function here; see frontend/language/Builtins*.cpp.
import triton
import triton.language as tl


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, axis: tl.constexpr):
    # Subtracting the maximum keeps exp from overflowing.
    shifted = x - tl.max(x, axis, keep_dims=True)
    numerator = tl.exp(shifted)
    return tl.fdiv(numerator, tl.sum(numerator, axis, keep_dims=True))


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    # Programs are numbered row by row; the result numbers them column by column within groups of size_g rows.
    linear = i * size_j + j
    per_group = size_g * size_j
    first_row = linear // per_group * size_g
    rows = tl.minimum(size_i - first_row, size_g)  # the last group may be smaller
    in_group = linear % per_group
    return first_row + in_group % rows, in_group // rows


# What kernels import from tl.standard to give it to tl.reduce and tl.associative_scan.
@triton.jit
def sum_combine(a, b):
    return a + b


@triton.jit
def prod_combine(a, b):
    return a * b


@triton.jit
def xor_combine(a, b):
    return a ^ b


@triton.jit
def or_combine(a, b):
    return a | b


@triton.jit
def elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def elementwise_min(a, b):
    return tl.minimum(a, b)


# For argmax and argmin: of two equal values the smaller index is taken. A NaN on the left is never taken.
@triton.jit
def argmax_left(value, index, other_value, other_index):
    wins = (value > other_value) | ((value == other_value) & (index < other_index))
    return tl.where(wins, value, other_value), tl.where(wins, index, other_index)


@triton.jit
def argmax_fast(value, index, other_value, other_index):
    wins = value > other_value
    return tl.where(wins, value, other_value), tl.where(wins, index, other_index)


@triton.jit
def argmin_left(value, index, other_value, other_index):
    wins = (value < other_value) | ((value == other_value) & (index < other_index))
    return tl.where(wins, value, other_value), tl.where(wins, index, other_index)


@triton.jit
def argmin_fast(value, index, other_value, other_index):
    wins = value < other_value
    return tl.where(wins, value, other_value), tl.where(wins, index, other_index)


# The last step of a bitonic sort (K. E. Batcher, 'Sorting networks and their applications', 1968): sorts a row that
# first rises and then falls. Each round compares and exchanges elements at the distance `distance`.
@triton.jit
def bitonic_merge(x, rounds: tl.constexpr, descending: tl.constexpr):
    y = x
    for i in tl.static_range(rounds):
        distance: tl.constexpr = x.shape[-1] >> (i + 1)
        pairs = tl.permute(tl.reshape(y, [x.numel // (2 * distance), 2, distance]), [0, 2, 1])
        first, second = tl.split(pairs)
        swap = first < second if descending else first > second
        ordered = tl.join(tl.where(swap, second, first), tl.where(swap, first, second))
        y = tl.reshape(tl.permute(ordered, [0, 2, 1]), x.shape)
    return y
