// What the files of the builtin families share. A family is a table of Builtin rows: a name, a signature as Python
// writes it, and a function that emits. What a name means is Triton's (its semantic.py and standard.py say the types);
// how it is computed is written with the operations of the Emitter, or in the language itself (prelude/*.py).
#pragma once

#include "core/ir/Tile.h"
#include "frontend/language/Emitter.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula::lang {

// --- the families: rows of triton.language, and of tensor methods
// -------------------------------------------------------
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
std::span<const Builtin> controlBuiltins();
std::span<const Builtin> debugBuiltins();
std::span<const Builtin> typeBuiltins();
std::span<const Builtin> targetBuiltins(); // of tl.target_info
/// Python's own, and those of its module `math` as "math.sqrt".
std::span<const Builtin> pythonBuiltins();

/// A text as a template argument: rows that differ in one op and one name share one function.
template <size_t N> struct FixedName {
  char text[N];
  consteval FixedName(const char (&s)[N]) { std::copy_n(s, N, text); }
  std::string str() const { return std::string(text, N - 1); }
};

// --- arguments
// ----------------------------------------------------------------------------------------------------------
/// The argument as a tensor; numbers become scalars typed as Triton does. `what` names it in messages.
Tensor tensorArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// The same, or nothing where the argument is None.
std::optional<Tensor> optionalTensor(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
bool flagArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// A string; empty where the argument is None.
std::string textArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what);
/// What a '*' parameter took: `f(x, 2, 4)` and `f(x, (2, 4))` give the same tuple.
Value variadicArgument(const Builtin::Args &args, size_t i);
/// An axis, from -rank to rank - 1, made non-negative; nothing where the argument is None.
std::optional<int64_t> axisArgument(Emitter &e, const Builtin::Args &args, size_t i, size_t rank,
                                    const std::string &what);
/// The same where None is refused.
int64_t requiredAxis(Emitter &e, const Builtin::Args &args, size_t i, size_t rank, const std::string &what);
/// `tl.PropagateNan.ALL` is true, NONE false.
bool propagateNanArgument(Emitter &e, const Builtin::Args &args, size_t i);

// --- results
// ------------------------------------------------------------------------------------------------------------
inline Value none() { return Const(None{}); }
Value tupleOf(std::vector<Tensor> tensors);

// --- what several families compute
// --------------------------------------------------------------------------------------
int64_t elementCount(const Shape &shape);
/// The scalar in a tensor of one element (any rank).
Tensor unsplat(Emitter &e, Loc loc, const Tensor &value);
/// 0, 1, .. along `axis` of `shape`, equal along the others: i32.
Tensor indicesAlong(Emitter &e, Loc loc, const Shape &shape, int64_t axis);
/// All to one shape.
void broadcastAll(Emitter &e, Loc loc, std::vector<Tensor> &tensors);

/// The greater or smaller of two values, element by element. As in Triton bf16 comes out as f32.
Value elementwiseExtremum(Emitter &e, Loc loc, bool isMax, const Value &x, const Value &y, bool propagateNan);

/// Combines two scalars of one type inside the region of a reduce or scan.
using ScalarCombine = std::function<Tensor(Tensor accumulator, Tensor element)>;
/// Reduces along `axis`, or over all elements where there is none; `keepDims` leaves extents of 1.
Tensor reduceTensor(Emitter &e, Loc loc, const Tensor &input, std::optional<int64_t> axis, bool keepDims,
                    const ScalarCombine &combine);
/// The same with several operands and a function of the language: (accumulators..., elements...) -> accumulators.
std::vector<Tensor> reduceTensors(Emitter &e, Loc loc, const std::vector<Tensor> &inputs, std::optional<int64_t> axis,
                                  bool keepDims, const Value &function);
/// The body of such a region: calls `function` on the scalars and brings its results to the operands' types.
mlir::SmallVector<mlir::Value> combineWithFunction(Emitter &e, Loc loc, const std::vector<Tensor> &inputs,
                                                   const Value &function, mlir::ValueRange accumulators,
                                                   mlir::ValueRange elements);
/// The IR values of the tensors.
mlir::SmallVector<mlir::Value> valuesOf(const std::vector<Tensor> &tensors);
/// The operands of a reduce or scan: one tensor or a tuple of tensors of one shape.
std::vector<Tensor> combineOperands(Emitter &e, const Builtin::Args &args, const char *function);
/// Which type a sum over small integers is taken in: 32 bits of the same sign below that, else unchanged.
ElementType sumType(ElementType type);
/// Integers and integer scalars as scalars of `type` (i32 or i64): shapes, strides, offsets.
std::vector<Tensor> extentScalars(Emitter &e, Loc loc, const Value &list, ScalarType type, const std::string &what);

/// A pointer tile to the elements of a block pointer's block, and the mask of those inside along `checkedAxes`.
struct BlockAddresses {
  Tensor pointers;
  std::optional<Tensor> mask;
};
BlockAddresses blockAddresses(Emitter &e, Loc loc, const BlockPointer &pointer,
                              const std::vector<int64_t> &checkedAxes);
/// Prints to the device; `values` as tensors.
void emitPrint(Emitter &e, Loc loc, std::string prefix, const std::vector<Tensor> &values, bool hex);

} // namespace tegula::lang
