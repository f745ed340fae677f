// What the builtins say about bad calls: each message names the function, what it found and what to do.
#include "EmitKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::lang {

namespace {

struct BadRow {
  const char *body, *message;
};

class BadCall : public testing::TestWithParam<BadRow> {};

/// A kernel whose body is the row's, with x (a tile of f32 [64]), i (a tile of i32 [64]), p (a pointer to f32) and n
/// (i32).
TEST_P(BadCall, says) {
  std::string source =
      "import triton\nimport triton.language as tl\n\n@triton.jit\ndef add(a, b):\n    return a + b\n\n"
      "@triton.jit\ndef kernel(p, n):\n    i = tl.arange(0, 64)\n    x = tl.load(p + i)\n    ";
  TileContext tile;
  try {
    emitKernel(tile.context, source + GetParam().body + "\n", {pointerTo(ScalarType::F32), scalarOf(ScalarType::I32)});
    FAIL() << "no message for " << GetParam().body;
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(GetParam().message));
    EXPECT_EQ(error.diagnostic().location.file, "test.py");
    EXPECT_EQ(error.diagnostic().location.line, 12u) << "the message is not at the call: " << error.what();
  }
}

constexpr BadRow kBadRows[] = {
    // binding
    {"tl.load(p, maks=i < n)", "load has no parameter 'maks'; did you mean 'mask'?"},
    {"tl.sum(x, axis=0, foo=1)", "sum has no parameter 'foo'; it takes input, axis, keep_dims and dtype"},
    {"tl.store(p + i)", "store needs the argument value"},
    {"tl.make_block_ptr(p)", "make_block_ptr needs the arguments shape, strides, offsets, block_shape and order"},
    {"tl.exp(x, x)", "exp takes at most 1 positional argument, found 2"},
    {"tl.sum(x, 0, axis=0)", "sum got 'axis' twice"},
    {"tl.debug_barrier(1)", "debug_barrier takes no positional arguments, found 1"},
    // names
    {"tl.laod(p)", "tl has no 'laod'; did you mean 'load'?"},
    {"x.summ(0)", "a tensor has no attribute 'summ'; did you mean 'sum'?"},
    {"tl.dot_scaled(x[:, None], None, 'e3m2', x[None, :], None, 'bf16')",
     "dot_scaled takes the formats e2m1, e4m3, e5m2, bf16 and fp16"},
    {"x.to(tl.float8e4b15)", "the type float8e4b15 is not available"},
    // inline assembly
    {"tl.inline_asm_elementwise('foo.b32 $0, $1;', '=r,r', [x], tl.float32, True, 1)",
     "inline assembly 'foo.b32 $0, $1': the instruction 'foo' is not among those that can be translated"},
    {"tl.inline_asm_elementwise('mov.u64 $0, %globaltimer;', '=l', [], tl.int64, False, 1)",
     "the special register '%globaltimer' exists on one vendor's devices"},
    {"tl.inline_asm_elementwise('ld.global.f32 $0, [$1];', '=r,l', [x], tl.float32, True, 1)",
     "inline assembly 'ld.global.f32 $0, [$1]': accesses to memory cannot be translated; use tl.load and tl.store"},
    {"tl.inline_asm_elementwise('again: bra again;', '=r,r', [x], tl.float32, True, 1)",
     "labels and jumps cannot be translated"},
    {"tl.inline_asm_elementwise('cvt.rn.relu.tf32.f32 $0, $1;', '=r,r', [x], tl.float32, True, 1)",
     "relu and satfinite of tf32 cannot be translated; use tl.where"},
    {"tl.inline_asm_elementwise('mov.b32 $0, t;', '=r,r', [x], tl.float32, True, 1)",
     "inline assembly reads 't', which is no register that it declares"},
    {"tl.inline_asm_elementwise('{.reg .b32 t; mov.b32 $0, t;}', '=r,r', [x], tl.float32, True, 1)",
     "inline assembly reads 't', to which nothing was written"},
    {"tl.inline_asm_elementwise('mov.b32 $0, $1', '=r', [x], tl.float32, True, 1)",
     "the constraints name 1 registers, fewer than the results and arguments take with this pack"},
    {"tl.inline_asm_elementwise('mov.b32 $0, $1', '=r,x', [x], tl.float32, True, 1)",
     "the constraint 'x' is not known; expected r, l, h, f or d, with = for results"},
    {"tl.inline_asm_elementwise('add.q32 $0, $1, $1;', '=r,r', [x], tl.float32, True, 1)",
     "the type 'q32' is not known"},
    {"tl.inline_asm_elementwise('add.u32 $0, $1, 0x1g;', '=r,r', [x], tl.float32, True, 1)",
     "'0x1g' is no number; floats are written by their bits, as 0f3F800000"},
    {"tl.inline_asm_elementwise('add.s32 $0, $1, 1.5;', '=r,r', [x], tl.int32, True, 1)",
     "inline assembly has the float 1.5"},
    {"tl.inline_asm_elementwise('{.reg .b64 t; add.f64 t, 0f3F800000, 0f3F800000;}', '=r,r', [x], tl.int32, True, 1)",
     "inline assembly has a float of 32 bits where 64 should stand"},
    {"tl.inline_asm_elementwise('{.reg .b32 t; {.reg .b32 t;}}', '=r,r', [x], tl.int32, True, 1)",
     "'t' is declared twice; give each register a name of its own"},
    {"tl.inline_asm_elementwise('{.reg .b32 t;} {.reg .b16 t;}', '=r,r', [x], tl.int32, True, 1)",
     "'t' is declared twice; give each register a name of its own"},
    {"tl.inline_asm_elementwise('add.relu.s32 $0, $1, $1;', '=r,r', [x], tl.int32, True, 1)",
     "relu of this instruction cannot be translated; use tl.maximum"},
    {"tl.inline_asm_elementwise('cvt.satfinite.f32.f64 $0, $1;', '=r,l', [x], tl.float32, True, 1)",
     "satfinite of this type cannot be translated; use tl.minimum"},
    {"tl.inline_asm_elementwise('setp.xx.u32 $0, $1, 1;', '=r,r', [x], tl.float32, True, 1)",
     "the comparison 'xx' is not known"},
    {"tl.inline_asm_elementwise('setp $0, $1, 1;', '=r,r', [x], tl.float32, True, 1)",
     "expected setp.lt.f32 p, a, b, or setp.lt.and.f32 p, a, b, q"},
    {"tl.inline_asm_elementwise('{.reg .pred p, q; setp.lt.u32 p|q, $1, 1;}', '=r,r', [x], tl.float32, True, 1)",
     "found '|' where ';' should stand"},
    {"tl.inline_asm_elementwise('{.reg .pred p; not.pred p;}', '=r,r', [x], tl.float32, True, 1)",
     "the instruction 'not' is not among those that can be translated"},
    {"tl.inline_asm_elementwise('add.s32 $0;', '=r,r', [x], tl.float32, True, 1)",
     "the instruction 'add' is not among those that can be translated"},
    {"tl.inline_asm_elementwise('add.sat.s32 $0, $1, 1;', '=r,r', [x], tl.float32, True, 1)",
     "integers that saturate cannot be translated"},
    {"tl.inline_asm_elementwise('prmt.b32.f4e $0, $1, $1, 1;', '=r,r', [x], tl.float32, True, 1)",
     "the type 'f4e' is not known"},
    {"tl.inline_asm_elementwise('min.xorsign.abs.f32 $0, $1, $1;', '=r,r', [x], tl.float32, True, 1)",
     "the modifier 'xorsign' is not among those that can be translated"},
    {"tl.inline_asm_elementwise('cvt.rz.f32.s32 $0, $1;', '=r,r', [x], tl.float32, True, 1)",
     "this rounding cannot be translated; use rn"},
    {"tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], tl.float32, True, 3)",
     "pack must be 1, 2, 4 or 8, found 3"},
    // constants and shapes
    {"[0, 1] * 4096", "4096 times 2 elements make a list that is too long; at most 4096 are possible"},
    {"tl.arange(0, tl.program_id(0))", "must be known when the kernel is compiled"},
    {"tl.arange(0, 48)", "must be a power of 2, found 48"},
    {"tl.zeros((3, 4), tl.float32)", "which is not a power of 2"},
    {"tl.full((4,), x, tl.float32)", "full's value must be a scalar, found a tensor of f32 [64]"},
    {"tl.full((4,), 1)", "full needs a dtype where its value is a constant"},
    {"tl.program_id(3)", "program_id's axis must be 0, 1 or 2, found 3"},
    {"tl.num_programs(-1)", "num_programs's axis must be 0, 1 or 2, found -1"},
    {"x.to(tl.float16, fp_downcast_rounding='up')", "must be 'rtne' or 'rtz', found 'up'"},
    {"x.to(tl.float64, fp_downcast_rounding='rtz')", "is for conversions to a narrower float, found f32 to f64"},
    {"x.to(tl.float16, bitcast=True)", "cannot bitcast f32 (32 bits) to f16 (16 bits)"},
    {"tl.broadcast_to(x, (4, 64))", "broadcast_to keeps the rank"},
    {"tl.expand_dims(x, 3)", "expand_dims' axis must be between -2 and 1, found 3"},
    {"tl.expand_dims(x, (0, 0))", "expand_dims names an axis twice"},
    {"tl.unsqueeze(x, None)", "unsqueeze's axis must be an integer, found None"},
    {"tl.squeeze(x, 0)", "squeeze removes an axis of extent 1, found extent 64"},
    {"tl.reshape(x, (4, 8))", "cannot reshape [64] (64 elements) to [4, 8] (32)"},
    {"tl.trans(x)", "trans without an order needs a tensor of rank 2"},
    {"tl.permute(tl.reshape(x, (8, 8)), (0, 0))", "names axis 0 twice"},
    {"tl.join(x, i)", "join needs two tensors of one type, found f32 and i32"},
    {"tl.split(x)", "split needs a last axis of extent 2"},
    {"tl.cat(x, tl.zeros((32,), tl.float32), can_reorder=True)", "shape"},
    {"x.item()", "item needs a tensor of one element, found a tensor of f32 [64]"},
    {"tl.device_print(f'n is {n}')", "an f-string holds values that are known when the kernel is compiled, found a "
                                     "scalar of i32; print run-time values "
                                     "with tl.device_print('text', value)"},
    {"tl.device_assert(n > 0, f'{x} is bad')", "found a tensor of f32 [64]; print run-time values"},
    {"tl.static_assert(False, f'{n}')", "an f-string holds values that are known when the kernel is compiled"},
    {"tl.static_print(f'{(1, n)}')", "an f-string holds values that are known when the kernel is compiled"},
    {"tl.static_print(f'{tl.make_block_ptr(p, (n,), (1,), (0,), (64,), (0,))}')",
     "an f-string holds values that are known when the kernel is compiled, found a block pointer"},
    // memory
    {"tl.load(x)", "load needs a pointer"},
    {"tl.load(p + i, other=0.0)", "no 'mask'"},
    {"tl.load(p, mask=i < n)",
     "the mask of a load through a scalar pointer must be a scalar, found a tensor of i1 [64]; "
     "add offsets such as tl.arange to the pointer"},
    {"tl.load(p, mask=n > 0, other=x)", "the 'other' of a load through a scalar pointer must be a scalar"},
    {"tl.load(p + i, mask=tl.arange(0, 32) < n)",
     "the shapes of the pointers and of the mask, [64] and [32] do not broadcast: axis 0 is 64 and 32"},
    {"tl.store(p + i[None, :], x[None, :], mask=(i[:, None] < n) & (i[None, :] < n))",
     "the mask of shape [64, 64] cannot be broadcast to [1, 64]"},
    {"tl.store(p, x + 0.0, mask=i < n)", "cannot store a tensor of f32 [64] through a scalar pointer"},
    {"tl.load(p + i, boundary_check=(0,))", "boundary_check and padding_option belong to block pointers"},
    {"tl.load(p + i, cache_modifier='.xx')", "unknown cache modifier '.xx'"},
    {"tl.store(p, x)", "cannot store a tensor of f32 [64] through a scalar pointer"},
    {"tl.store(p + i, x, boundary_check=(0,))", "boundary_check belongs to block pointers"},
    {"tl.make_block_ptr(p, (n,), (1,), (0,), (64,), (1,))", "order must name each axis"},
    {"tl.make_block_ptr(p, (n, n), (1,), (0,), (64,), (0,))", "shape has 2 entries, but block_shape has 1"},
    {"tl.load(tl.make_block_ptr(p, (n,), (1,), (0,), (64,), (0,)), mask=i < n)", "takes no mask and no other"},
    {"tl.load(tl.make_block_ptr(p, (n,), (1,), (0,), (64,), (0,)), boundary_check=(1,))",
     "boundary_check names axis 1 of a block of rank 1"},
    {"tl.advance(p, (1,))", "advance needs a block pointer"},
    {"tl.make_tensor_descriptor(p, [n, n], [n, 2], [8, 8])",
     "the last stride of a tensor descriptor must be 1, found 2"},
    {"tl.make_tensor_descriptor(p, [n, n], [n, 1], [8, 2])", "must hold at least 16 bytes, found 2 x f32 (8 bytes)"},
    {"tl.make_tensor_descriptor(p, [n], [n, 1], [8, 8])", "must have one length"},
    {"tl.make_tensor_descriptor(p, [n, n], [n, 1], [8, 8]).load([0])",
     "a descriptor of rank 2 needs as many offsets, found 1"},
    {"tl.make_tensor_descriptor(p, [n, n], [n, 1], [8, 8]).store([0, 0], x)", "store needs a value of shape [8, 8]"},
    // atomics
    {"tl.atomic_add(x, 1.0)", "atomic_add needs a pointer to numbers, found a tensor of f32 [64]"},
    {"tl.atomic_and(p + i, 1)", "atomic_and is not defined for elements of f32"},
    {"tl.atomic_add(p + i, 1.0, sem='strong')",
     "sem must be 'relaxed', 'acquire', 'release' or 'acq_rel', found 'strong'"},
    {"tl.atomic_add(p + i, 1.0, scope='all')", "scope must be 'cta', 'gpu' or 'sys', found 'all'"},
    {"tl.atomic_add(p, x)", "must be a scalar as the pointer is"},
    // mathematics
    {"tl.exp(i)", "exp expects a floating-point tensor, found i32; convert with .to(tl.float32)"},
    {"i.sqrt()", "sqrt expects a floating-point tensor, found i32"},
    {"tl.fdiv(i, i)", "fdiv expects floating-point operands, found i32"},
    {"tl.umulhi(x, x)", "umulhi expects integers of 32 or 64 bits, found f32"},
    {"tl.maximum(x, 0.0, propagate_nan=3)", "propagate_nan must be tl.PropagateNan.ALL or tl.PropagateNan.NONE"},
    {"tl.dot(x, x)", "dot needs two tensors of rank 2"},
    {"tl.dot(x[:, None], x[None, :], input_precision='tf32', allow_tf32=True)",
     "dot takes input_precision or allow_tf32, not both"},
    {"tl.dot(x[:, None], x[None, :], input_precision='fp4')", "unknown input precision 'fp4'"},
    // reductions, scans, indexing
    {"tl.sum(x, axis=1)", "sum's axis must be between -1 and 0, found 1"},
    {"tl.sum(n, axis=0)", "sum needs a tensor of numbers, found a scalar of i32"},
    {"tl.xor_sum(x, 0)", "xor_sum needs integers, found a tensor of f32 [64]"},
    {"tl.reduce((x, i[:, None]), 0, add)", "operands must have one shape"},
    {"tl.reduce((x, i), 0, add)", "add takes 2 positional arguments, found 4"},
    {"tl.histogram(x, 16)", "histogram needs a rank-1 tensor of integers"},
    {"tl.associative_scan(x, None, add)", "associative_scan's axis must be an integer, found None"},
    {"tl.gather(x, x, 0)", "gather's index must be a tensor of integers"},
    {"tl.gather(tl.reshape(x, (8, 8)), i, 0)", "must have the source's shape"},
    {"tl.topk(x, 3)", "topk's k must be a power of 2 up to 64, found 3"},
    // control and debugging
    {"tl.static_assert(tl.program_id(0) == 0)",
     "static_assert needs a condition that is known when the kernel is compiled"},
    {"tl.static_assert(1 > 2, 'one is not more')", "static assertion failed: one is not more"},
    {"for k in tl.static_range(tl.num_programs(0)): pass", "must be known when the kernel is compiled"},
    {"for k in tl.range(0, 8, 0): pass", "step must not be zero"},
    {"tl.multiple_of(x, 8)", "multiple_of speaks of integers and pointers"},
    {"tl.max_contiguous(i, (1, 2))", "max_contiguous needs one value for each axis (1), found 2"},
    {"tl.device_print(x)", "device_print's prefix must be known when the kernel is compiled"},
    {"tl.tensor(x)", "tl.tensor is a type and cannot be called in a kernel"},
    // types, and what there is not
    {"tl.store(p.to(tl.pointer_type(tl.float32, 1, True)) + 1, 2.0)",
     "cannot store through a pointer to constant elements"},
    {"tl.aggregate_replace(p, x=1)", "construct a new instance"},
    {"tl.core.extern_elementwise('', '', [x], {(tl.float32,): ('__nv_tanhff', tl.float32)}, True)",
     "'__nv_tanhff' is none of libdevice's functions, which every target has by names such as __nv_tanhf and "
     "__ocml_tanh_f32; did you mean '__nv_tanhf'?"},
    {"tl.core.extern_elementwise('', '', [x], {(tl.float32,): ('my_own', tl.float32)}, True)",
     "no library is linked, and 'my_own' is none of libdevice's functions, which every target has by names such as "
     "__nv_tanhf and __ocml_tanh_f32; write it with tl functions in a @triton.jit function"},
    {"tl.core.extern_elementwise('', '', [i], {(tl.float32,): ('__nv_expf', tl.float32), (tl.float64,): ('__nv_exp', "
     "tl.float64)}, True)",
     "extern_elementwise has arguments of the types (i32), but its dictionary has (f32) and (f64); convert them with "
     ".to(...)"},
    {"tl.core.extern_elementwise('', '', [x, x], {(tl.float32,): ('__nv_expf', tl.float32)}, True)",
     "extern_elementwise has 2 arguments, but the keys of its dictionary have 1 type"},
    {"tl.core.extern_elementwise('', '', [i], {(tl.int32,): ('__nv_expf', tl.float32)}, True)",
     "'__nv_expf' takes (f32) and returns f32, but the dictionary has (i32) and f32"},
    {"tl.core.extern_elementwise('', '', [x], {(tl.float32,): ('__nv_isnanf', tl.int1)}, True)",
     "'__nv_isnanf' takes (f32) and returns i32, but the dictionary has (f32) and i1"},
    {"tl.core.extern_elementwise('', '', [x], {}, True)",
     "extern_elementwise needs a dictionary such as {(tl.float32,): (\"__nv_tanhf\", tl.float32)}, found an empty one"},
    {"tl.core.extern_elementwise('', '', [x], 3, True)", "tl.float32)}, found the constant 3"},
    {"tl.core.extern_elementwise('', '', [x], {(tl.float32,): '__nv_expf'}, True)",
     "a value of extern_elementwise's dictionary is a symbol and a type, such as (\"__nv_tanhf\", tl.float32); found "
     "the constant '__nv_expf'"},
    {"tl.core.extern_elementwise('', '', x, {(tl.float32,): ('__nv_expf', tl.float32)}, True)",
     "extern_elementwise's args must be a list, found a tensor of f32 [64]"},
    {"tl.exp({'a': 1})", "found a dictionary"},
    {"add({'a': 1}['a'], x)", "dictionaries are not part of the kernel language; use a tuple"},
    {"tl.extra.libdevice.nope(x)", "tl.libdevice has no 'nope'"},
    {"tl.rand(1.5, i)", "the seed of random numbers is an integer"},
    // Python
    {"max(x)", "max needs two arguments; to reduce a tensor use tl.max"},
    {"float('many')", "float cannot read 'many'"},
    {"len(n)", "len needs a tuple, a string or a tensor"},
};

/// The call itself, its punctuation as underscores.
std::string nameOf(const testing::TestParamInfo<BadRow> &info) {
  std::string name;
  for (char c : std::string(info.param.body))
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Messages, BadCall, testing::ValuesIn(kBadRows), nameOf);

} // namespace

} // namespace tegula::lang
