// Declarations shared by the files of builtin families. A family is a table of Builtin entries: a name, a signature in
// Python's form, and a function that emits IR. Semantics are Triton's (its semantic.py and standard.py define the
// types); the implementations use the operations of the Emitter, or the language itself (prelude/*.py).
#pragma once

#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula::lang {

// --- the families: entries for triton.language and for tensor methods ---
std::span<const Builtin> creationBuiltins();
std::span<const Builtin> shapeBuiltins();
std::span<const Builtin> indexBuiltins();
std::span<const Builtin> memoryBuiltins();
std::span<const Builtin> descriptorBuiltins(); // methods are named "descriptor.load"
std::span<const Builtin> atomicBuiltins();
std::span<const Builtin> mathBuiltins();
std::span<const Builtin> operatorBuiltins();
std::span<const Builtin> reduceBuiltins();
std::span<const Builtin> scanBuiltins();
std::span<const Builtin> assemblyBuiltins();
std::span<const Builtin> externBuiltins();
std::span<const Builtin> controlBuiltins();
std::span<const Builtin> debugBuiltins();
std::span<const Builtin> typeBuiltins();
std::span<const Builtin> targetBuiltins();    // tl.target_info
std::span<const Builtin> libdeviceBuiltins(); // of tl.extra.libdevice and tl.math alone
/// Python's own functions, and those of its module `math`, named "math.sqrt".
std::span<const Builtin> pythonBuiltins();

/// A text as a template argument, so that entries that differ in one op and one name share one function.
template <size_t N> struct FixedName {
  char text[N];
  consteval FixedName(const char (&s)[N]) { std::copy_n(s, N, text); }
  std::string str() const { return std::string(text, N - 1); }
};

// --- arguments ---
/// The argument as a tensor; a number becomes a scalar of the type that Triton gives it. `what` names it in messages.
Tensor tensorArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// The same numbers in a signed type, as ops read them that count or index: i32 or i64 in place of an unsigned type or
/// of truth values.
Tensor asSigned(Emitter &e, Loc loc, const Tensor &numbers);
/// Like tensorArgument; nothing where the argument is None.
std::optional<Tensor> optionalTensor(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// A tensor of floats, or an error that names the function.
Tensor floatArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &function);
/// The first two arguments promoted to one float type.
std::pair<Tensor, Tensor> floatPair(Emitter &e, const Builtin::Args &args, const std::string &function);
bool flagArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// A string argument; empty where it is None.
std::string textArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// The values of a '*' parameter: `f(x, 2, 4)` and `f(x, (2, 4))` give the same tuple.
Value variadicArgument(const Builtin::Args &args, size_t i);
/// An axis from -rank to rank - 1, made non-negative; nothing where the argument is None.
std::optional<int64_t> axisArgument(Emitter &e, const Builtin::Args &args, size_t i, size_t rank,
                                    const std::string &what);
/// Like axisArgument; None is an error.
int64_t requiredAxis(Emitter &e, const Builtin::Args &args, size_t i, size_t rank, const std::string &what);
/// `tl.PropagateNan.ALL` gives true, NONE false.
bool propagateNanArgument(Emitter &e, const Builtin::Args &args, size_t i);

// --- results ---
inline Value none() { return Const(None{}); }
Value tupleOf(std::vector<Tensor> tensors);

// --- operations shared by families ---
/// Splits a tensor into `pack` tensors of rank 1: tensor i has the elements at positions i, i + pack, ... of the
/// flattened tensor.
std::vector<Tensor> unpacked(Emitter &e, Loc loc, const Tensor &t, int64_t pack);
/// The inverse of `unpacked`.
Tensor packed(Emitter &e, Loc loc, std::vector<Tensor> parts, const Shape &shape);
/// An i32 tensor of `shape` whose elements are their index along `axis`.
Tensor indicesAlong(Emitter &e, Loc loc, const Shape &shape, int64_t axis);
/// Broadcasts all tensors to their common shape.
void broadcastAll(Emitter &e, Loc loc, std::vector<Tensor> &tensors);

/// The elementwise maximum or minimum. As in Triton, bf16 gives f32, and a bare number has a type of its own: the
/// maximum of an f16 and 1.5 is f32.
Tensor elementwiseExtremum(Emitter &e, Loc loc, bool isMax, const Value &x, const Value &y, bool propagateNan);
/// The maximum or minimum of two constants, by Python's `max` and `min`.
Const constantExtremum(Emitter &e, Loc loc, bool isMax, const Const &x, const Const &y);

/// Combines two scalars of one type inside the region of a reduce or scan.
using ScalarCombine = std::function<Tensor(Tensor accumulator, Tensor element)>;
/// Reduces along `axis`, or over all elements without an axis; `keepDims` keeps reduced axes with extent 1.
Tensor reduceTensor(Emitter &e, Loc loc, const Tensor &input, std::optional<int64_t> axis, bool keepDims,
                    const ScalarCombine &combine);
/// Like reduceTensor for several operands, with a function of the language: (accumulators..., elements...) ->
/// accumulators.
std::vector<Tensor> reduceTensors(Emitter &e, Loc loc, const std::vector<Tensor> &inputs, std::optional<int64_t> axis,
                                  bool keepDims, const Value &function);
/// The body of the reduce's region: calls `function` on scalars and converts its results to the operands' types.
mlir::SmallVector<mlir::Value> combineWithFunction(Emitter &e, Loc loc, const std::vector<Tensor> &inputs,
                                                   const Value &function, mlir::ValueRange accumulators,
                                                   mlir::ValueRange elements);
/// The IR values of the tensors.
mlir::SmallVector<mlir::Value> valuesOf(const std::vector<Tensor> &tensors);
/// The operands of a reduce or scan: one tensor or a tuple of tensors of one shape.
std::vector<Tensor> combineOperands(Emitter &e, const Builtin::Args &args, const char *function);
/// The type in which a sum of `type` is computed: 32 bits of the same sign for narrower integers, else unchanged.
ElementType sumType(ElementType type);
/// The type of the maximum of a tensor of `type`: f32 or i32 for narrower types (i32 for u8, too), else unchanged.
ElementType extremumType(ElementType type);
/// A list of integers and integer scalars as scalars of `type` (i32 or i64): shapes, strides, offsets.
std::vector<Tensor> extentScalars(Emitter &e, Loc loc, const Value &list, ScalarType type, const std::string &what);

/// Pointers to the elements of a block pointer's block, and the mask of those within the parent tensor along
/// `checkedAxes`.
struct BlockAddresses {
  Tensor pointers;
  std::optional<Tensor> mask;
};
BlockAddresses blockAddresses(Emitter &e, Loc loc, const BlockPointer &pointer,
                              const std::vector<int64_t> &checkedAxes);
/// An error in the function of a reduction, scan or map_elementwise: how often, and in which threads, it runs is not
/// defined. `function` is what is called there.
void needKernel(Emitter &e, Loc loc, const std::string &function);
/// Emits a device_print; `values` become tensors.
void emitPrint(Emitter &e, Loc loc, std::string prefix, const std::vector<Tensor> &values, bool hex);

} // namespace tegula::lang
