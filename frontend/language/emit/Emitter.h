// Syntax tree + types + constants -> tile IR. One Emitter emits one kernel, once. It walks the statements like Triton's
// own front end: constants are folded, calls of jit functions are inlined, run-time control flow becomes `scf`.
//
//   Emit*.cpp       statements, expressions, calls, control flow: names, scopes and the order of evaluation
//   Ops*.cpp        one operation on values: types, promotion, broadcasting, the IR that it emits
//   Builtins*.cpp   the functions of triton.language by name, implemented by Ops
//   prelude/*.py    functions of triton.language written in the language itself
#pragma once

#include "core/contracts/KernelOptions.h"
#include "core/support/Diagnostic.h"
#include "frontend/language/emit/Value.h"
#include "frontend/language/names/ModuleScope.h"

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tegula::lang {

/// One active call: the function's names and its call site.
struct Frame {
  const FunctionStmt *function = nullptr;
  const ModuleScope *scope = nullptr;
  std::map<std::string, Value> names;
  std::set<std::string> constants; // constexpr parameters that were not assigned so far; no loop can carry them
  Loc callLoc;                     // call site, in the caller's file
  const Frame *caller = nullptr;
  unsigned loopDepth = 0; // run-time loops open in this frame
  /// The names and their values from before the innermost of these loops; null outside of loops.
  const std::map<std::string, Value> *namesBeforeLoop = nullptr;
  /// The body of a constexpr_function or constructor that is emitted into the kernel: assigned numbers stay constants,
  /// and all its loops are unrolled.
  bool isConstexprCode = false;
  bool isConstructor = false; // of an aggregate: its first parameter is the instance, whose fields it assigns
  /// Which names of the module it sees: a kernel those at the end, a default or another name's value those of before.
  unsigned moduleTime = ModuleNames::kEnd;
};

/// The method of this name that the class defines; null where there is none.
const FunctionStmt *methodOf(const ClassStmt &aggregate, std::string_view name);
/// The method that makes an instance of an aggregate.
inline constexpr std::string_view kConstructor = "__init__";

/// The values that the variable of a loop takes, one for each iteration, where the loop is unrolled while compiling.
struct Unrolling {
  std::shared_ptr<const Tuple> elements; // of a loop over a tuple; else start, start + step, ...
  Int start = 0, step = 0, count = 0;
};

/// Counters of emitBody for the two limits in EmitTail.cpp. "Such an `if`": a run-time `if` that may return.
struct TailCounts {
  unsigned statements = 0; // emitted inside the outermost such `if` that is open, copies and callees included
  unsigned depth = 0;      // such ifs that are open
};

/// Collects the names that a statement may assign; without those annotated as tl.constexpr, if the names of the
/// function's module are given, which say what the annotation means.
void addAssigned(const Stmt &statement, std::set<std::string> &names, const ModuleNames *constantsOf = nullptr);

/// Arguments of a call, evaluated; `locs` has an entry for each positional, then for each keyword argument.
struct CallArgs {
  Loc loc; // the call's location
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
  std::vector<Loc> positionalLocs, keywordLocs;
};

/// How operands come to one type. Triton treats a bare number (a literal, a constant) in two ways, depending on the
/// function:
///
///   Adapts   it takes the tensor's type where its kind is not wider (bool < integer < float):   x_f16 + 1.5 is f16
///   Typed    it is a tensor of its own type, i32, f32, ... , and promoted like one:  tl.maximum(x_f16, 1.5) is f32
///
/// Operators, where and the like are of the first kind; comparisons and the functions that make a tensor of each
/// argument first (maximum, minimum, clamp, fma, umulhi, div_rn, fdiv) of the second.
enum class Numbers : uint8_t { Adapts, Typed };
struct Promotion {
  Numbers numbers = Numbers::Adapts;
  bool isDivision = false;    // / and % of 16-bit floats go through f32
  bool allowPointers = false; // both pointers, or a pointer and an integer
};

class Emitter {
public:
  Emitter(mlir::MLIRContext &context, const ModuleScope &scope, const CompileRequest &request);
  /// Emits `request.kernel`. Throws tegula::Error, located.
  mlir::OwningOpRef<mlir::ModuleOp> emit();
  std::string staticOutput; // text printed by static_print
  std::vector<Diagnostic> warnings;
  KernelOptions options; // of the request

  // --- messages ---
  /// Throws a located Error with notes for the active calls. An error inside the prelude is located at the user's call.
  [[noreturn]] void fail(Loc loc, const std::string &message) const;
  /// The same where the message has notes of its own; its place is replaced by `loc`'s.
  [[noreturn]] void fail(Loc loc, const Diagnostic &message) const;
  void warn(Loc loc, const std::string &message);

  // --- EmitTail.cpp, EmitStatements.cpp, EmitControlFlow.cpp ---
  /// Emits the body of a function and returns its value (None where it ends without a return).
  Value emitBody(const Block &body);
  void emitBlock(const Block &block);
  void emitStatement(const Stmt &statement);
  void assign(const Expr &target, Value value);
  void assignName(Loc loc, const std::string &name, Value value);
  /// Gives the name the value as it is, a number as a constant.
  void bindName(Loc loc, const std::string &name, Value value);
  /// The value, with each number in it, also in tuples, replaced by a scalar tensor of the number's type whose `known`
  /// is the number. Fields of aggregates that are annotated as constexpr stay numbers.
  Value withTypes(Loc loc, Value value);
  void emitFor(const ForStmt &loop);
  Value emitIterable(const ForStmt &loop);
  /// Nothing where the loop is to run at run time.
  std::optional<Unrolling> unrolling(const ForStmt &loop, const Value &iterable);
  /// Gives the loop's variable its value of iteration `i`.
  void beginIteration(const ForStmt &loop, const Unrolling &unrolling, Int i);
  void emitRuntimeFor(const ForStmt &loop, const Value &iterable);
  /// Emits the body of a run-time loop, before which the names were `before`.
  void emitLoopBody(const Block &body, const std::map<std::string, Value> &before);
  void emitWhile(const WhileStmt &loop);
  /// Counts an iteration of a loop that is unrolled while compiling; fails beyond the limit.
  void countRepetition(Loc loc);
  /// Emits the condition of a `while` in constexpr code; if it is true, counts an iteration. Fails if it is not known.
  bool beginWhileIteration(const WhileStmt &loop);
  /// Emits the body of a `while` of a constexpr function once for each iteration that Python would execute.
  void repeatWhile(const WhileStmt &loop);
  void emitIf(const IfStmt &statement);
  /// The truth of a run-time value, as a scalar. `of` and `advice` are for the message where it has several elements.
  Tensor runtimeCondition(Loc loc, const Value &value, const std::string &of, const std::string &advice);
  Value emitRuntimeIf(Loc loc, mlir::Value condition, const std::function<Value()> &thenPart,
                      const std::function<Value()> &elsePart);

  // --- EmitAggregates.cpp ---
  /// An instance whose fields are the arguments or, where the class has a constructor, what that assigns to them.
  Value construct(const ClassValue &type, CallArgs args);
  /// Assigns to a field of the instance that the current function constructs.
  void assignField(const AttributeExpr &target, Value value);
  /// Whether the name means the instance that the current function constructs.
  bool isConstructed(const std::string &name) const;

  // --- EmitExpressions.cpp ---
  Value emit(const Expr &expr);
  Value emitComprehension(const ComprehensionExpr &expr);
  /// The elements of a tuple, or the numbers of a range whose bounds are constants.
  std::vector<Value> constantElements(Loc loc, const Value &iterable);
  Value lookup(Loc loc, const std::string &name);
  /// What a name of the module stands for where nothing in the function has the name.
  Value moduleValue(const ModuleScope &scope, Loc loc, const std::string &name);
  /// What an import gave `name`.
  Value importedValue(const ModuleScope &scope, Loc loc, const std::string &name, const ImportStmt::Item &item);
  Value importedValue(Loc loc, const std::string &name, const Imported &imported);
  /// Whether `name` is an imported package such as NumPy.
  bool isHostPackageHere(const std::string &name);
  /// `np.pi`: constants of such packages can be read where their files are there; all else says what to write instead.
  Value hostAttribute(const AttributeExpr &expr, const NameExpr &package);
  /// Of a definition whose object other statements change.
  Value changedValue(const ModuleScope &scope, Loc loc, const std::string &name,
                     const ModuleNames::Definition &definition);
  /// The same where host code computes it; nothing where that cannot be known.
  std::optional<Value> hostValue(const ModuleScope &scope, Loc loc, const std::string &name,
                                 const ModuleNames::Definition &definition);
  /// Evaluates a constexpr_function on the host. Empty if an argument is no constant, or if that fails: `failure` then
  /// holds the error.
  std::optional<Value> hostResult(const FunctionValue &callee, const CallArgs &args, std::exception_ptr &failure);
  /// What a statement at module level gave `name`.
  Value definedValue(const ModuleScope &scope, Loc loc, const std::string &name,
                     const ModuleNames::Definition &definition);
  Value attribute(Loc loc, const Value &base, const std::string &name);
  Value subscript(Loc loc, const Value &base, const Value &index);
  Value compare(Loc loc, CompareOp op, const Value &lhs, const Value &rhs);
  /// The truth of a value known at compile time; nothing for others.
  std::optional<bool> staticTruth(Loc loc, const Value &value);

  // --- EmitCalls.cpp ---
  Value emitCall(const CallExpr &call);
  Value emitArgument(const Expr &expr);
  Value call(const Value &callee, CallArgs args);
  Value callFunction(const FunctionValue &callee, CallArgs args);
  /// Calls a constexpr_function: as Python where that is possible, else as code of the kernel.
  Value callHostCode(const FunctionValue &callee, CallArgs args);
  /// Calls a jit function (or a builtin in its place) on scalars, inside the region of a reduce, scan or
  /// map_elementwise.
  Value callOnScalars(Loc loc, const Value &callee, std::vector<Value> scalars);
  /// Calls a function of the prelude by name.
  Value prelude(Loc loc, const std::string &name, std::vector<Value> args);

  // --- requirements on arguments (OpsConstants.cpp); `what` names the argument in messages ---
  Const constant(Loc loc, const Value &value, const std::string &what);
  Int constantInt(Loc loc, const Value &value, const std::string &what);
  bool constantBool(Loc loc, const Value &value, const std::string &what);
  std::string constantString(Loc loc, const Value &value, const std::string &what);
  ElementType constantType(Loc loc, const Value &value, const std::string &what);
  /// A tuple or list of constant integers, or one constant integer.
  std::vector<int64_t> constantInts(Loc loc, const Value &value, const std::string &what);
  /// Extents that are positive powers of two, with at most 1048576 elements in all.
  Shape constantShape(Loc loc, const Value &value, const std::string &what);
  /// Fails where a tile would have more than 8 axes or 1048576 elements.
  void checkSize(Loc loc, const Shape &shape);
  /// The elements of a tuple or list; any other value alone.
  std::vector<Value> elements(const Value &value) const;
  /// Checks -rank <= axis < rank; returns the axis made non-negative.
  int64_t normalizeAxis(Loc loc, int64_t axis, size_t rank, const std::string &what);

  // --- Ops*.cpp: one operation each. Constants become tensors of the type that Triton's `to_tensor` gives them ---
  Tensor tensor(Loc loc, const Value &value, const std::string &what = "operand");
  Tensor scalarConstant(Loc loc, const Const &value, ElementType type);
  Tensor fullTensor(Loc loc, const Shape &shape, const Tensor &scalar);
  /// Binary operators with promotion, pointer arithmetic, folding of constants.
  Value binary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs);
  /// The same for an operator that the kernel's text has: with the option sanitize_overflow, asserts that +, - and *
  /// of integers below 64 bits do not overflow.
  Value checkedBinary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs);
  /// Whether the next op stands in the function of a reduction, scan or map_elementwise.
  bool isInCombineFunction() const;
  /// The same, for sums, differences and products of floats that are rounded by themselves, never fused with others.
  Value roundedBinary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs);
  /// The tuple; fails if it exceeds kMaxTupleElements or kMaxTupleDepth.
  Tuple checkedSize(Loc loc, Tuple tuple);
  Tuple repeated(Loc loc, const Tuple &tuple, const Value &repetitions);
  Value unary(Loc loc, UnaryOp op, const Value &operand);
  Const foldBinary(Loc loc, BinaryOp op, const Const &lhs, const Const &rhs);
  Tensor compareTensors(Loc loc, CompareOp op, Tensor lhs, Tensor rhs);
  /// The greater or smaller of two tensors of one type and shape.
  Tensor minMax(Loc loc, bool isMax, const Tensor &lhs, const Tensor &rhs, bool propagateNan);
  Tensor where(Loc loc, const Value &condition, const Value &x, const Value &y);
  /// Converts both operands to one type and shape by Triton's promotion. All binary functions and operators use it.
  std::pair<Tensor, Tensor> promote(Loc loc, const Value &lhs, const Value &rhs, Promotion how = {});
  /// The same for three operands, pair by pair: first b with c, then a with b, then a with c.
  std::array<Tensor, 3> promote(Loc loc, const Value &a, const Value &b, const Value &c, Promotion how = {});
  ElementType promotedType(Loc loc, ElementType lhs, bool lhsIsConstant, ElementType rhs, bool rhsIsConstant,
                           bool isDivision);
  Tensor cast(Loc loc, const Tensor &value, ElementType type, bool towardZero = false);
  Tensor bitcast(Loc loc, const Tensor &value, ElementType type);
  Tensor toBool(Loc loc, const Tensor &value); // value != 0
  Tensor logicalNot(Loc loc, const Tensor &value);
  /// `what` names the shapes in the message.
  std::pair<Tensor, Tensor> broadcast(Loc loc, Tensor lhs, Tensor rhs, const std::string &what = "shapes");
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
  /// An upstream elementwise op, `unaryMath<mlir::math::ExpOp>`; 16-bit and 8-bit floats are computed in f32 and
  /// rounded.
  template <class Op> Tensor unaryMath(Loc loc, const Tensor &x) {
    Tensor wide = widenForMath(loc, x);
    Tensor result{Op::create(builder, at(loc), wide.value), wide.type, wide.shape, {}};
    return cast(loc, result, x.type);
  }
  Tensor widenForMath(Loc loc, const Tensor &x);

  // --- IR ---
  mlir::OpBuilder builder;
  mlir::Location at(Loc loc) const; // includes the active calls
  mlir::Type irType(ElementType type);
  mlir::Type irType(ElementType type, const Shape &shape); // a scalar type where the shape is empty
  Tensor wrap(mlir::Value value, ElementType type, Shape shape) { return Tensor{value, type, std::move(shape), {}}; }

  Frame *frame = nullptr;
  const CompileRequest &request;
  const ModuleScope &userScope;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  unsigned callDepth_ = 0;
  Int unrolled_ = 0;             // repetitions of loops over static_range and tuples
  Int constexprRepetitions_ = 0; // of loops of constexpr functions
  TailCounts tails_;
  std::set<const Stmt *> evaluating_; // assignments of modules being evaluated: a repeated one is a cycle
};

/// A constant that the runtime or host code gives, as a value of the kernel.
Value constantValue(const ConstantValue &value);

/// A builtin: a function of triton.language, a method of tensors, or a function of Python.
struct Builtin {
  std::string_view name; // "load"; tensor methods are in the same table: `x.sum(0)` is sum(x, 0)
  /// In Python's form: "pointer, mask=None, other=None"; a '*' parameter takes the remaining ones: "prefix, *args,
  /// hex=False".
  std::string_view signature;
  struct Args {
    Loc loc;                   // the call's location
    std::vector<Value> values; // one for each parameter; a '*' parameter is a Tuple; defaults filled in
    std::vector<Loc> locs;     // the location of each argument; the call's where the argument is missing
    std::vector<bool> given;
    const Value &operator[](size_t i) const { return values[i]; }
  };
  Value (*emit)(Emitter &emitter, const Args &args) = nullptr;
  bool isTensorMethod = false; // may be called as x.name(...)
};

/// Finds a builtin of tl, tl.math or tensor methods; null for an unknown name.
const Builtin *findBuiltin(std::string_view name);
/// Finds one of Python's own functions: min, max, abs, range, len, float, int, bool, print, isinstance...
const Builtin *findPythonBuiltin(std::string_view name);
/// All names of tl, tl.math and tensor methods, for suggestions.
std::vector<std::string_view> builtinNames();
/// The reason why a known name of Triton's API does not exist here; empty for an unknown name.
std::string_view unavailable(std::string_view name);

/// Binds evaluated arguments to a signature; fails, located, on unknown, missing or repeated arguments.
Builtin::Args bindArguments(Emitter &emitter, std::string_view functionName, std::string_view signature, CallArgs args);

/// "; did you mean 'x'?" with the name of `names` closest to `name`, or empty where none is close.
std::string suggestion(std::string_view name, const std::vector<std::string_view> &names);

/// What `name` of a module stands for: `exp` of triton.language, `language` of triton. Nothing where it has none that a
/// kernel could use.
std::optional<Value> memberOf(const Namespace &space, const std::string &name);

/// The element of a tensor of one element (any rank), as a scalar.
Tensor unsplat(Emitter &emitter, Loc loc, const Tensor &value);

/// The functions of triton.language that are written in the language itself.
const ModuleScope &preludeScope();
/// One of those that kernels call by `tl.name`: random numbers.
std::optional<Value> preludeMember(std::string_view name);
/// Whether Triton has a module of this name in triton.language.extra, for one vendor.
bool isVendorModule(std::string_view name);
/// A function of triton.language.extra.libdevice.
std::optional<Value> libdeviceMember(std::string_view name);

} // namespace tegula::lang
