"""The names of the language. Kernels are compiled from their source: here each name exists, so that files import and
annotations evaluate; what kernels call explains itself when Python calls it."""

from . import types as _types
from .types import constexpr, dtype  # noqa: F401

_FUNCTIONS = """
abs add advance arange argmax argmin assume associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min
atomic_or atomic_xchg atomic_xor bitonic_merge broadcast broadcast_to cast cat cdiv ceil clamp condition cos cumprod
cumsum debug_barrier device_assert device_print div_rn dot dot_scaled erf exp exp2 expand_dims expect_zero fdiv flip
floor fma full gather histogram inline_asm_elementwise interleave join load load_tensor_descriptor log log2
make_block_ptr make_tensor_descriptor map_elementwise max max_constancy max_contiguous maximum min minimum mul
multiple_of num_programs pair_uniform_to_normal permute philox philox_impl program_id rand rand4x randint randint4x
randn randn4x range ravel reduce reduce_or reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn squeeze
static_assert static_print static_range store store_tensor_descriptor sub sum swizzle2d to_tensor topk trans
uint_to_uniform_float umulhi unsqueeze view where xor_sum zeros zeros_like
"""
_TYPES = """
PropagateNan block_type const constexpr_type float8e4b15 pi32_t pointer_type slice tensor tensor_descriptor
tensor_descriptor_type tuple tuple_type void
"""
for _name in _FUNCTIONS.split():
    globals()[_name] = _types.KernelOnly(__name__, _name)
for _name in _TYPES.split():
    globals()[_name] = _types.KernelType(__name__, _name)
globals().update(_types.DTYPES)
TRITON_MAX_TENSOR_NUMEL = 1048576

from . import core, extra, math, random, standard, target_info  # noqa: E402,F401  they use the names above
