// Syntax tree + types + constants -> tile IR. One Emitter emits one kernel, once. It walks the statements as Triton's
// own front end does: constants fold, jit functions are inlined where they are called, run-time control flow becomes
// `scf`.
//
//   Emit*.cpp       statements, expressions, calls, control flow: who computes what when
//   Ops*.cpp        one operation on values: types, promotion, broadcasting, the IR that it makes
//   Builtins*.cpp   the functions of triton.language by name, each in terms of Ops
//   prelude/*.py    those that are written in the language itself
#pragma once

#include "core/runtime/Compiler.h"
#include "core/support/Diagnostic.h"
#include "frontend/language/Value.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tegula::lang {

/// A parsed file and what its top-level names stand for; evaluated when first used.
struct ModuleScope {
  std::unique_ptr<Module> module;
  bool isPrelude = false;
  std::map<std::string, const Stmt *, std::less<>> bindings; // last binding of a name wins
  std::map<std::string, const ImportStmt::Item *, std::less<>> imports;
  explicit ModuleScope(std::unique_ptr<Module> module, bool isPrelude = false);
};

/// One call in progress: the function's names, and where it was called from.
struct Frame {
  const FunctionStmt *function = nullptr;
  const ModuleScope *scope = nullptr;
  std::map<std::string, Value> names;
  std::set<std::string> constants; // names declared `: tl.constexpr`; they cannot be assigned again
  Loc callLoc;                     // in the caller's file
  const Frame *caller = nullptr;
  unsigned loopDepth = 0; // run-time loops open in this frame
};

/// Arguments of a call, evaluated; `locs` runs along `positional` then `keywords`.
struct CallArgs {
  Loc loc; // of the call
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
  std::vector<Loc> positionalLocs, keywordLocs;
};

class Emitter {
public:
  Emitter(mlir::MLIRContext &context, const ModuleScope &scope, const CompileRequest &request);
  /// Emits `request.kernel`. Throws tegula::Error, located.
  mlir::OwningOpRef<mlir::ModuleOp> emit();
  std::string staticOutput; // of static_print
  std::vector<Diagnostic> warnings;

  // --- messages
  // -------------------------------------------------------------------------------------------------------
  /// Throws a located Error with notes for the calls that lead here. Inside the prelude the place is the user's call.
  [[noreturn]] void fail(Loc loc, const std::string &message) const;
  void warn(Loc loc, const std::string &message);

  // --- EmitStatements.cpp, EmitControlFlow.cpp
  // ------------------------------------------------------------------------
  /// Statements in tail position: emits them and gives what the function returns (None where it falls off the end).
  Value emitTail(std::vector<const Stmt *> statements);
  void emitBlock(const Block &block);
  void emitStatement(const Stmt &statement);
  void assign(const Expr &target, Value value);
  void assignName(Loc loc, const std::string &name, Value value);
  void emitFor(const ForStmt &loop);
  void emitWhile(const WhileStmt &loop);
  void emitIf(const IfStmt &statement);
  Value emitRuntimeIf(Loc loc, mlir::Value condition, const std::function<Value()> &thenPart,
                      const std::function<Value()> &elsePart);

  // --- EmitExpressions.cpp
  // --------------------------------------------------------------------------------------------
  Value emit(const Expr &expr);
  Value lookup(Loc loc, const std::string &name);
  Value moduleValue(const ModuleScope &scope, Loc loc, const std::string &name);
  Value attribute(Loc loc, const Value &base, const std::string &name);
  Value subscript(Loc loc, const Value &base, const Value &index);
  Value compare(Loc loc, CompareOp op, const Value &lhs, const Value &rhs);
  /// True or false where it is known now.
  std::optional<bool> staticTruth(Loc loc, const Value &value);

  // --- EmitCalls.cpp
  // --------------------------------------------------------------------------------------------------
  Value emitCall(const CallExpr &call);
  Value call(const Value &callee, CallArgs args);
  Value callFunction(const FunctionValue &callee, CallArgs args);
  /// Calls a jit function (or a builtin that acts as one) on scalars, inside a region: for reduce, scan,
  /// map_elementwise.
  Value callOnScalars(Loc loc, const Value &callee, std::vector<Value> scalars);
  /// A function of the prelude by name.
  Value prelude(Loc loc, const std::string &name, std::vector<Value> args);

  // --- what arguments must be (OpsConstants.cpp); `what` names the argument in messages
  // ---------------------------------
  Const constant(Loc loc, const Value &value, const std::string &what);
  Int constantInt(Loc loc, const Value &value, const std::string &what);
  bool constantBool(Loc loc, const Value &value, const std::string &what);
  std::string constantString(Loc loc, const Value &value, const std::string &what);
  ElementType constantType(Loc loc, const Value &value, const std::string &what);
  /// A tuple or list of constant ints, or one int.
  std::vector<int64_t> constantInts(Loc loc, const Value &value, const std::string &what);
  /// Positive powers of two, at most 1048576 elements.
  Shape constantShape(Loc loc, const Value &value, const std::string &what);
  /// Fails where a tile would have more than 8 axes or 1048576 elements.
  void checkSize(Loc loc, const Shape &shape);
  /// The elements of a tuple or list, or the value alone.
  std::vector<Value> elements(const Value &value) const;
  /// -rank <= axis < rank, made non-negative.
  int64_t normalizeAxis(Loc loc, int64_t axis, size_t rank, const std::string &what);

  // --- Ops*.cpp: one operation. Constants become tensors as Triton's `to_tensor` types them
  // -----------------------------
  Tensor tensor(Loc loc, const Value &value, const std::string &what = "operand");
  Tensor scalarConstant(Loc loc, const Const &value, ElementType type);
  Tensor fullTensor(Loc loc, const Shape &shape, const Tensor &scalar);
  /// Binary operators with promotion, pointer arithmetic, folding of constants.
  Value binary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs);
  Value unary(Loc loc, UnaryOp op, const Value &operand);
  Const foldBinary(Loc loc, BinaryOp op, const Const &lhs, const Const &rhs);
  Tensor compareTensors(Loc loc, CompareOp op, Tensor lhs, Tensor rhs);
  Value minMax(Loc loc, bool isMax, const Value &lhs, const Value &rhs, bool propagateNan);
  Tensor where(Loc loc, const Value &condition, const Value &x, const Value &y);
  /// Both to one type and shape, as Triton promotes. `isDivision`: / and % of 16-bit floats go through f32.
  std::pair<Tensor, Tensor> promote(Loc loc, const Value &lhs, const Value &rhs, bool isDivision = false,
                                    bool allowPointers = false);
  ElementType promotedType(Loc loc, ElementType lhs, bool lhsIsConstant, ElementType rhs, bool rhsIsConstant,
                           bool isDivision);
  Tensor cast(Loc loc, const Tensor &value, ElementType type, bool towardZero = false);
  Tensor bitcast(Loc loc, const Tensor &value, ElementType type);
  Tensor toBool(Loc loc, const Tensor &value); // != 0
  Tensor logicalNot(Loc loc, const Tensor &value);
  std::pair<Tensor, Tensor> broadcast(Loc loc, Tensor lhs, Tensor rhs);
  Tensor broadcastTo(Loc loc, const Tensor &value, const Shape &shape, const std::string &what = "value");
  Tensor reshape(Loc loc, const Tensor &value, const Shape &shape, bool allowReorder = false);
  Tensor expandDims(Loc loc, const Tensor &value, int64_t axis);
  Tensor permute(Loc loc, const Tensor &value, std::vector<int64_t> order);
  Tensor arange(Loc loc, Int start, Int end);
  Tensor addPointer(Loc loc, const Tensor &pointer, const Tensor &offset);
  Tensor load(Loc loc, const Tensor &pointer, std::optional<Tensor> mask, std::optional<Tensor> other,
              const std::string &cache = "", const std::string &eviction = "", bool isVolatile = false);
  void store(Loc loc, const Tensor &pointer, const Tensor &value, std::optional<Tensor> mask,
             const std::string &cache = "", const std::string &eviction = "");
  Tensor dot(Loc loc, Tensor lhs, Tensor rhs, std::optional<Tensor> acc, const std::string &inputPrecision,
             ElementType outType, int64_t maxImprecise);
  /// One upstream elementwise op with the operand's own type: `unaryMath<mlir::math::ExpOp>`; 16-bit and 8-bit floats
  /// go through f32.
  template <class Op> Tensor unaryMath(Loc loc, const Tensor &x) {
    Tensor wide = widenForMath(loc, x);
    Tensor result{builder.create<Op>(at(loc), wide.value), wide.type, wide.shape, {}};
    return cast(loc, result, x.type);
  }
  Tensor widenForMath(Loc loc, const Tensor &x);

  // --- IR
  // -------------------------------------------------------------------------------------------------------------
  mlir::OpBuilder builder;
  mlir::Location at(Loc loc) const; // with the calls that lead here
  mlir::Type irType(ElementType type);
  mlir::Type irType(ElementType type, const Shape &shape); // scalar where the shape is empty
  Tensor wrap(mlir::Value value, ElementType type, Shape shape) { return Tensor{value, type, std::move(shape), {}}; }

  Frame *frame = nullptr;
  const CompileRequest &request;
  const ModuleScope &userScope;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  unsigned callDepth_ = 0;
  unsigned tailStatements_ = 0;                                      // emitted by emitTail, copies included
  std::set<std::pair<const ModuleScope *, std::string>> evaluating_; // module names whose value is being computed
};

/// A function of triton.language (or a method of tensors, or a Python builtin) that the front end knows.
struct Builtin {
  std::string_view name; // "load"; methods of tensors share the table: `x.sum(0)` is sum(x, 0)
  /// As in Python: "pointer, mask=None, other=None"; a leading '*' takes the rest: "prefix, *args, hex=False".
  std::string_view signature;
  struct Args {
    Loc loc;                   // of the call
    std::vector<Value> values; // along the signature; a '*' parameter is a Tuple; absent ones have their default
    std::vector<Loc> locs;     // of each argument; the call's where it was absent
    std::vector<bool> given;
    const Value &operator[](size_t i) const { return values[i]; }
  };
  Value (*emit)(Emitter &emitter, const Args &args) = nullptr;
  bool isTensorMethod = false; // may be called as x.name(...)
};

/// Looks a builtin up in its table: `language` holds tl.*, tl.math.* and tensor methods.
const Builtin *findBuiltin(std::string_view name);
/// Python's own: min, max, abs, range, len, float, int, bool, print, isinstance...
const Builtin *findPythonBuiltin(std::string_view name);
/// All names of the language table, for suggestions.
std::vector<std::string_view> builtinNames();
/// Why a known name of Triton's API is not available here; empty where the name is not known at all.
std::string_view unavailable(std::string_view name);

/// Binds evaluated arguments to a signature; fails, located, on unknown, missing or repeated ones.
Builtin::Args bindArguments(Emitter &emitter, std::string_view functionName, std::string_view signature, CallArgs args);

/// The closest of `names` to `name` where it is likely meant, as "; did you mean 'x'?", or empty.
std::string suggestion(std::string_view name, const std::vector<std::string_view> &names);

/// The functions that are written in the language itself.
const ModuleScope &preludeScope();

} // namespace tegula::lang
