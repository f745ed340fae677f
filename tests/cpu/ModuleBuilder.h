// Writes bytecode for tests: each result is given with its type, operands and attributes inline.
#pragma once

#include "backends/cpu/executor/Executor.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

namespace tegula::cpu::test {

using Shape = std::vector<int64_t>;

inline TileType tile(ElementKind element, Shape shape = {}) { return {element, ElementKind::I8, std::move(shape)}; }
inline TileType pointerTo(ElementKind pointee, Shape shape = {}) {
  return {ElementKind::Pointer, pointee, std::move(shape)};
}

class FunctionBuilder {
public:
  explicit FunctionBuilder(Module &module, std::string name) : module_(module) { f_.name = std::move(name); }

  Register makeRegister(const TileType &type) {
    auto at = std::find(f_.types.begin(), f_.types.end(), type);
    if (at == f_.types.end())
      at = f_.types.insert(f_.types.end(), type);
    f_.registers.push_back(static_cast<uint32_t>(at - f_.types.begin()));
    return static_cast<Register>(f_.registers.size() - 1);
  }
  Register param(const TileType &type, const std::string &name = {}) {
    const Register r = makeRegister(type);
    f_.params.push_back(r);
    if (!name.empty())
      module_.paramNames.push_back(name);
    return r;
  }
  /// Operands may carry kLastUse.
  size_t emit(Opcode opcode, const std::vector<Register> &results, const std::vector<uint32_t> &operands,
              const std::vector<int64_t> &attributes = {}) {
    Instruction i{};
    i.opcode = opcode;
    i.resultCount = static_cast<uint8_t>(results.size());
    i.operandCount = static_cast<uint8_t>(operands.size());
    i.results = static_cast<uint32_t>(f_.registersUsed.size());
    f_.registersUsed.insert(f_.registersUsed.end(), results.begin(), results.end());
    i.operands = static_cast<uint32_t>(f_.registersUsed.size());
    f_.registersUsed.insert(f_.registersUsed.end(), operands.begin(), operands.end());
    i.attributes = static_cast<uint32_t>(f_.integers.size());
    f_.integers.insert(f_.integers.end(), attributes.begin(), attributes.end());
    i.location = location_;
    f_.code.push_back(i);
    return f_.code.size() - 1;
  }
  Register op(Opcode opcode, const TileType &type, const std::vector<uint32_t> &operands = {},
              const std::vector<int64_t> &attributes = {}) {
    const Register r = makeRegister(type);
    emit(opcode, {r}, operands, attributes);
    return r;
  }
  /// An elementwise operation whose result has its first operand's type.
  Register like(Opcode opcode, const std::vector<uint32_t> &operands, const std::vector<int64_t> &attributes = {}) {
    return op(opcode, typeOf(operands[0]), operands, attributes);
  }
  Register constInt(ElementKind element, int64_t value, Shape shape = {}) {
    return op(Opcode::ConstInt, tile(element, std::move(shape)), {}, {value});
  }
  Register constFloat(ElementKind element, double value, Shape shape = {}) {
    return op(Opcode::ConstFloat, tile(element, std::move(shape)), {}, {std::bit_cast<int64_t>(value)});
  }
  Register range(int64_t count, int64_t start = 0, ElementKind element = ElementKind::I32) {
    return op(Opcode::MakeRange, tile(element, {count}), {}, {start});
  }
  Register splat(Register x, Shape shape) {
    TileType type = typeOf(x);
    type.shape = std::move(shape);
    return op(Opcode::Splat, type, {x});
  }
  /// A range, or another rank-1 tile, repeated along all axes of `shape` but `axis`.
  Register along(Register row, size_t axis, const Shape &shape) {
    TileType type = typeOf(row);
    Register r = row;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d == axis)
        continue;
      type.shape.insert(type.shape.begin() + static_cast<ptrdiff_t>(d), 1);
      r = op(Opcode::ExpandDims, type, {r}, {static_cast<int64_t>(d)});
    }
    type.shape = shape;
    return op(Opcode::Broadcast, type, {r});
  }
  /// base + row-major element number, as a tile of pointers.
  Register rowMajorPointers(Register base, const Shape &shape) {
    int64_t count = 1;
    for (int64_t n : shape)
      count *= n;
    if (shape.empty())
      return base;
    const Register flat = range(count);
    const Register offsets = op(Opcode::Reshape, tile(ElementKind::I32, shape), {flat});
    return addPtr(splat(base, shape), offsets);
  }
  /// base + i * stride0 + j * stride1 + ..
  Register stridedPointers(Register base, const Shape &shape, const std::vector<int64_t> &strides) {
    Register pointers = splat(base, shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      const Register scaled = like(Opcode::Mul, {range(shape[d]), constInt(ElementKind::I32, strides[d], {shape[d]})});
      pointers = addPtr(pointers, along(scaled, d, shape));
    }
    return pointers;
  }
  Register addPtr(Register pointer, Register offset) { return op(Opcode::AddPtr, typeOf(pointer), {pointer, offset}); }
  Register load(Register pointer, const std::vector<uint32_t> &maskAndOther = {}) {
    const TileType &type = typeOf(pointer);
    std::vector<uint32_t> operands = {pointer};
    operands.insert(operands.end(), maskAndOther.begin(), maskAndOther.end());
    return op(Opcode::Load, tile(type.pointee, type.shape), operands);
  }
  void store(Register pointer, Register value, const std::vector<uint32_t> &mask = {}) {
    std::vector<uint32_t> operands = {pointer, value};
    operands.insert(operands.end(), mask.begin(), mask.end());
    emit(Opcode::Store, {}, operands);
  }
  Register compare(IntPredicate p, Register a, Register b) {
    return op(Opcode::CmpI, tile(ElementKind::I1, typeOf(a).shape), {a, b}, {static_cast<int64_t>(p)});
  }
  Register compare(FloatPredicate p, Register a, Register b) {
    return op(Opcode::CmpF, tile(ElementKind::I1, typeOf(a).shape), {a, b}, {static_cast<int64_t>(p)});
  }
  void finish(const std::vector<uint32_t> &results = {}) {
    emit(Opcode::Return, {}, results);
    module_.functions.push_back(f_);
  }
  /// A jump's target is an attribute; this sets it once the target is known.
  void setTarget(size_t instruction, size_t target) {
    f_.integers[f_.code[instruction].attributes] = static_cast<int64_t>(target);
  }
  size_t here() const { return f_.code.size(); }
  void at(uint32_t line, uint32_t column = 1, int32_t caller = -1) {
    module_.locations.push_back({line, column, caller});
    location_ = static_cast<uint32_t>(module_.locations.size() - 1);
  }
  uint32_t location() const { return location_; }
  TileType typeOf(Register r) const { return f_.type(r & ~kLastUse); }
  Function &function() { return f_; }

private:
  Module &module_;
  Function f_;
  uint32_t location_ = 0;
};

inline Module emptyModule() {
  Module m;
  m.file = "kernel.py";
  m.locations.push_back({});
  return m;
}

template <class T> ArgumentValue argument(T *pointer) { return {reinterpret_cast<uint64_t>(pointer), nullptr}; }
inline ArgumentValue argument(int64_t value) { return {static_cast<uint64_t>(value), nullptr}; }
inline ArgumentValue argument(int value) { return argument(static_cast<int64_t>(value)); }

} // namespace tegula::cpu::test
