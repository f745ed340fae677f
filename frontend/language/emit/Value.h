// The value of a name while a kernel is being emitted: a constant known at compile time, a tensor known only at run
// time, or an entity of the language alone (a tuple, a function, a namespace, a block pointer).
#pragma once

#include "core/ir/Pch.h"
#include "core/support/ScalarType.h"
#include "frontend/language/syntax/Ast.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tegula::lang {

/// The type of a tensor's elements in the language: a scalar type with signedness, which the IR lacks, or a pointer.
struct ElementType {
  ScalarType scalar = ScalarType::I32; // the element's type, or the innermost pointer's pointee
  uint8_t pointerDepth = 0;            // 0 scalar, 1 pointer to scalar, 2 pointer to pointer to scalar
  bool isConst = false;                // of a pointer: stores through it are errors

  ElementType() = default;
  ElementType(ScalarType scalar, uint8_t pointerDepth = 0) : scalar(scalar), pointerDepth(pointerDepth) {}
  bool operator==(const ElementType &other) const {
    return scalar == other.scalar && pointerDepth == other.pointerDepth;
  }

  bool isPointer() const { return pointerDepth > 0; }
  bool isFloat() const { return !isPointer() && tegula::isFloat(scalar); }
  bool isInteger() const { return !isPointer() && tegula::isInteger(scalar); } // includes i1
  bool isBool() const { return !isPointer() && scalar == ScalarType::I1; }
  bool isUnsigned() const { return isInteger() && !isBool() && tegula::isUnsigned(scalar); }
  unsigned bits() const { return isPointer() ? 64 : bitWidth(scalar); }
  ElementType pointee() const; // of a pointer
  ElementType pointerTo() const;
  std::string str() const; // `f32`, `*f32`
};

/// Smallest and largest value of an integer type.
std::pair<Int, Int> rangeOf(ElementType type);
/// Whether `type` is an integer type whose range includes `value`.
bool holds(ElementType type, Int value);

using Shape = std::vector<int64_t>;
std::string str(const Shape &shape); // `[64, 32]`
int64_t elementCount(const Shape &shape);
std::string str(Int value); // decimal

struct None {};
struct EllipsisValue {};
/// A type as a value: `tl.float32`, `x.dtype`, `tl.pointer_type(tl.int8)`; with extents that of a tile, `x.type`.
struct TypeValue {
  ElementType type;
  bool isConstexprMarker = false; // `tl.constexpr` itself, for annotations
  bool isVoid = false;
  std::vector<int64_t> block = {}; // empty: of a scalar
  bool operator==(const TypeValue &other) const = default;
};

/// A value known at compile time.
struct Const {
  std::variant<None, EllipsisValue, bool, Int, double, std::string, TypeValue> value;
  Const() = default;
  template <class T> Const(T v) : value(std::move(v)) {}
  bool isNone() const { return std::holds_alternative<None>(value); }
  bool isNumber() const { return value.index() >= 2 && value.index() <= 4; }
  std::string repr() const; // as Python prints it
};

/// A value of the kernel: a scalar (empty shape) or a tile.
struct Tensor {
  mlir::Value value;
  ElementType type;
  Shape shape;
  /// The value, if the compiler knows it: a constant that was assigned to a variable or returned by a function, or
  /// arithmetic on such constants. The tensor has a type and operations in the IR, as in Triton; where the language
  /// requires a constant, `known` is that constant.
  std::optional<Const> known;
  bool isScalar() const { return shape.empty(); }
  std::string str() const; // `f32`, `tensor of f32 [64, 32]`
};

struct Value;

/// Limits of tuples, so that a kernel that doubles one in a loop ends with a message.
inline constexpr size_t kMaxTupleElements = 1 << 17; // at all depths, inner tuples included
inline constexpr unsigned kMaxTupleDepth = 100;

/// A tuple, a list, or an instance of a class with named fields.
struct Tuple {
  std::vector<Value> elements;
  std::vector<std::string> names; // field names of an aggregate; empty for a plain tuple
  const ClassStmt *aggregate = nullptr;
  const struct ModuleScope *scope = nullptr; // of the aggregate's definition
  std::vector<bool> isConstant = {};         // of each field of an aggregate, whether it is annotated as tl.constexpr

  bool isConstantField(size_t i) const { return aggregate && isConstant[i]; }
};

/// A dictionary that is an argument of a call: `{(tl.float32,): ("__nv_tanhf", tl.float32)}`.
struct Dictionary {
  std::vector<Value> keys, values;
};

/// A tensor descriptor: `desc.load([m, n])`.
struct Descriptor {
  mlir::Value value; // !tile.desc
  ElementType type;
  Shape block;
  /// Extents and strides (i64 scalars) of a descriptor made in the kernel; empty for a parameter.
  std::vector<Tensor> shape, strides;
};

/// `tl.make_block_ptr`, in parts. `advance` changes only the offsets, so a loop carries these.
struct BlockPointer {
  Tensor base;                 // scalar pointer
  std::vector<Tensor> shape;   // i64 scalars
  std::vector<Tensor> strides; // i64 scalars
  std::vector<Tensor> offsets; // i32 scalars
  Shape block;
  std::vector<int64_t> order;
};

/// `range(...)`, `tl.range(...)`, `tl.static_range(...)` as the iterable of a for.
struct RangeValue;

struct FunctionValue {
  const FunctionStmt *function = nullptr;
  const struct ModuleScope *scope = nullptr; // the module of the definition
  std::shared_ptr<Value> self;               // the instance, for a method of an aggregate
};
struct ClassValue {
  const ClassStmt *aggregate = nullptr;
  const struct ModuleScope *scope = nullptr;
};
struct Builtin;
struct BuiltinValue {
  const Builtin *builtin = nullptr;
  std::shared_ptr<Value> self; // the tensor, for a method such as `x.to`
};
/// `tl`, `tl.math`, `triton`: the dotted path, "triton.language".
struct Namespace {
  std::string path;
};
/// A module whose file is read; after `import package.utils as u`, the value of `u`.
struct ModuleValue {
  const struct ModuleScope *scope = nullptr;
};
/// A name that cannot be used, and the reason: host code, an import that is not read, a variable assigned in one branch
/// only.
struct Unusable {
  std::string why;
  Loc where;
};
struct SliceValue {
  std::shared_ptr<Value> lower, upper, step;
};

struct Value {
  std::variant<Const, Tensor, Tuple, Dictionary, Descriptor, BlockPointer, std::shared_ptr<RangeValue>, FunctionValue,
               ClassValue, BuiltinValue, Namespace, ModuleValue, Unusable, SliceValue>
      v;
  Value() = default;
  template <class T>
    requires(!std::is_same_v<std::decay_t<T>, Value>)
  Value(T &&x) : v(std::forward<T>(x)) {}

  template <class T> const T *as() const { return std::get_if<T>(&v); }
  template <class T> T *as() { return std::get_if<T>(&v); }
  bool isNone() const {
    auto *c = as<Const>();
    return c && c->isNone();
  }
  /// "the constant 3", "a tensor of f32 [64]", "a tuple of 2": for messages.
  std::string describe() const;
};

/// The text of a value as Python's str() gives it. Where the value or a part of it is known only at run time, its
/// description stands there, and `isKnown` becomes false.
std::string shown(const Value &value, bool &isKnown);

struct RangeValue {
  Value start, stop, step;
  bool isStatic = false;
  // hints of tl.range, kept as attributes of the loop
  std::optional<int64_t> numStages, unrollFactor;
  bool flatten = false, warpSpecialize = false, disallowAccMultiBuffer = false, disableLicm = false;
};

} // namespace tegula::lang
