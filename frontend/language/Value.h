// What a name stands for while a kernel is being emitted: a constant known now, a tensor known only when the kernel
// runs, or something that exists only in the language (a tuple, a function, a namespace, a block pointer).
#pragma once

#include "core/ir/Pch.h"
#include "core/support/ScalarType.h"
#include "frontend/language/Ast.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tegula::lang {

/// The type of a tensor's elements as the language sees it: a scalar type (with sign, which the IR has not), or a
/// pointer.
struct ElementType {
  ScalarType scalar = ScalarType::I32; // of the element, or what the innermost pointer points to
  uint8_t pointerDepth = 0;            // 0 scalar, 1 pointer to scalar, 2 pointer to pointer to scalar
  bool isConst = false;                // of a pointer: stores through it are refused

  ElementType() = default;
  ElementType(ScalarType scalar, uint8_t pointerDepth = 0) : scalar(scalar), pointerDepth(pointerDepth) {}
  bool operator==(const ElementType &other) const {
    return scalar == other.scalar && pointerDepth == other.pointerDepth;
  }

  bool isPointer() const { return pointerDepth > 0; }
  bool isFloat() const { return !isPointer() && tegula::isFloat(scalar); }
  bool isInteger() const { return !isPointer() && tegula::isInteger(scalar); } // i1 too
  bool isBool() const { return !isPointer() && scalar == ScalarType::I1; }
  bool isUnsigned() const { return isInteger() && !isBool() && tegula::isUnsigned(scalar); }
  unsigned bits() const { return isPointer() ? 64 : bitWidth(scalar); }
  ElementType pointee() const; // of a pointer
  ElementType pointerTo() const;
  std::string str() const; // `f32`, `*f32`
};

/// Smallest and largest value of an integer type.
std::pair<Int, Int> rangeOf(ElementType type);

using Shape = std::vector<int64_t>;
std::string str(const Shape &shape); // `[64, 32]`
std::string str(Int value);          // decimal

struct None {};
struct EllipsisValue {};
/// A dtype as a value: `tl.float32`, `x.dtype`, `tl.pointer_type(tl.int8)`.
struct TypeValue {
  ElementType type;
  bool isConstexprMarker = false; // `tl.constexpr` itself, for annotations
  bool isVoid = false;
};

/// What is known while compiling.
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
  /// Set where the variable was assigned a constant: it is typed and computed as a tensor, as Triton does, but may
  /// still stand where a constant is needed.
  std::optional<Const> known;
  bool isScalar() const { return shape.empty(); }
  std::string str() const; // `f32`, `tensor of f32 [64, 32]`
};

struct Value;

/// A tuple, a list, or an instance of a class with named fields.
struct Tuple {
  std::vector<Value> elements;
  std::vector<std::string> names; // of an aggregate's fields; empty for a plain tuple
  const ClassStmt *aggregate = nullptr;
};

/// A tensor descriptor: `desc.load([m, n])`.
struct Descriptor {
  mlir::Value value; // !tile.desc
  ElementType type;
  Shape block;
  /// Known where the kernel made it: extents and strides (i64 scalars).
  std::vector<Tensor> shape, strides;
};

/// `tl.make_block_ptr`: decomposed; `advance` changes the offsets, so they are what a loop carries.
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
  const struct ModuleScope *scope = nullptr; // the module it stands in
  std::shared_ptr<Value> self;               // of a method of an aggregate
};
struct ClassValue {
  const ClassStmt *aggregate = nullptr;
  const struct ModuleScope *scope = nullptr;
};
struct Builtin;
struct BuiltinValue {
  const Builtin *builtin = nullptr;
  std::shared_ptr<Value> self; // of a method: `x.to`
};
/// `tl`, `tl.math`, `triton`: the dotted path, "triton.language".
struct Namespace {
  std::string path;
};
/// A name that cannot be used, and why: host code, an import that is not read, a variable assigned in one branch only.
struct Unusable {
  std::string why;
  Loc where;
};
struct SliceValue {
  std::shared_ptr<Value> lower, upper, step;
};

struct Value {
  std::variant<Const, Tensor, Tuple, Descriptor, BlockPointer, std::shared_ptr<RangeValue>, FunctionValue, ClassValue,
               BuiltinValue, Namespace, Unusable, SliceValue>
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

struct RangeValue {
  Value start, stop, step;
  bool isStatic = false;
  // hints of tl.range, kept as loop attributes
  std::optional<int64_t> numStages, unrollFactor;
  bool flatten = false, warpSpecialize = false, disallowAccMultiBuffer = false, disableLicm = false;
};

} // namespace tegula::lang
