// Registers, types, constants and instructions of the function that is being written.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/tile/Tile.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;

namespace tegula::cpu {
namespace {

double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Appends the little-endian bytes of one element.
void appendElement(std::vector<uint8_t> &data, const llvm::APInt &bits) {
  uint64_t value = bits.getZExtValue();
  for (unsigned byte = 0; byte < std::max(1u, bits.getBitWidth() / 8); ++byte)
    data.push_back(uint8_t(value >> (8 * byte)));
}

/// Appends the elements of a non-splat constant in row-major order.
void appendElements(std::vector<uint8_t> &data, DenseElementsAttr constant) {
  if (isa<FloatType>(constant.getElementType())) {
    for (const llvm::APFloat &value : constant.getValues<llvm::APFloat>())
      appendElement(data, value.bitcastToAPInt());
    return;
  }
  for (const llvm::APInt &value : constant.getValues<llvm::APInt>())
    appendElement(data, value);
}

} // namespace

ElementKind elementKind(Type element, mlir::Location location) {
  if (auto integer = dyn_cast<IntegerType>(element); integer && tile::isIntScalar(element)) {
    switch (integer.getWidth()) {
    case 1: return ElementKind::I1;
    case 8: return ElementKind::I8;
    case 16: return ElementKind::I16;
    case 32: return ElementKind::I32;
    default: return ElementKind::I64;
    }
  }
  if (element.isF16())
    return ElementKind::F16;
  if (element.isBF16())
    return ElementKind::BF16;
  if (element.isF32())
    return ElementKind::F32;
  if (element.isF64())
    return ElementKind::F64;
  if (isa<Float8E4M3FNType>(element))
    return ElementKind::F8E4M3;
  if (isa<Float8E5M2Type>(element))
    return ElementKind::F8E5M2;
  if (isa<Float8E4M3FNUZType>(element))
    return ElementKind::F8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(element))
    return ElementKind::F8E5M2FNUZ;
  if (isa<tile::PtrType>(element))
    return ElementKind::Pointer;
  fail(location,
       "expected i1 to i64, a float, a pointer or a descriptor, found a value of type " + debugString(element));
}

TileType tileType(Type type, mlir::Location location) {
  TileType result;
  if (auto desc = dyn_cast<tile::DescType>(type)) {
    result.element = ElementKind::Descriptor;
    result.pointee = elementKind(desc.getElementType(), location);
    result.shape = desc.getShape().vec();
    return result;
  }
  Type element = getElementTypeOrSelf(type);
  result.element = elementKind(element, location);
  if (auto ptr = dyn_cast<tile::PtrType>(element))
    result.pointee = elementKind(ptr.getPointee(), location);
  result.shape = tile::shapeOf(type).vec();
  if (result.shape.size() > kMaxRank)
    fail(location, "expected at most " + std::to_string(kMaxRank) + " axes, found " + debugString(type));
  return result;
}

FunctionWriter::FunctionWriter(ModuleWriter &module, std::string name) : module(module) {
  code_.name = std::move(name);
}

uint32_t FunctionWriter::typeIndex(const TileType &type) {
  auto found = std::find(code_.types.begin(), code_.types.end(), type);
  if (found == code_.types.end())
    found = code_.types.insert(found, type);
  return uint32_t(found - code_.types.begin());
}

Register FunctionWriter::fresh(Type type, mlir::Location location) {
  code_.registers.push_back(typeIndex(tileType(type, location)));
  auto reg = Register(code_.registers.size() - 1);
  mlirTypes_[reg] = type;
  return reg;
}

Register FunctionWriter::define(Value value) { return registers_[value] = fresh(value.getType(), value.getLoc()); }

Register FunctionWriter::operator[](Value value) const {
  auto found = registers_.find(value);
  if (found == registers_.end())
    throw InternalError("a value is used before it was flattened");
  return found->second;
}

SmallVector<Register> FunctionWriter::all(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return (*this)[value]; });
}

void FunctionWriter::addParam(Value argument) { code_.params.push_back(define(argument)); }

size_t FunctionWriter::emitTo(Function &code, Opcode opcode, ArrayRef<Register> results, ArrayRef<Register> operands,
                              ArrayRef<int64_t> attributes, uint32_t location) {
  Instruction instruction{opcode};
  instruction.resultCount = uint8_t(results.size());
  instruction.operandCount = uint8_t(operands.size());
  instruction.results = uint32_t(code.registersUsed.size());
  llvm::append_range(code.registersUsed, results);
  instruction.operands = uint32_t(code.registersUsed.size());
  llvm::append_range(code.registersUsed, operands);
  instruction.attributes = uint32_t(code.integers.size());
  llvm::append_range(code.integers, attributes);
  instruction.location = location;
  code.code.push_back(instruction);
  return code.code.size() - 1;
}

size_t FunctionWriter::emit(Opcode opcode, ArrayRef<Register> results, ArrayRef<Register> operands,
                            ArrayRef<int64_t> attributes, mlir::Location location) {
  constexpr size_t kMaxOperands = 255;
  if (operands.size() > kMaxOperands || results.size() > kMaxOperands)
    fail(location, "expected at most 255 operands and results, found " +
                       std::to_string(std::max(operands.size(), results.size())));
  return emitTo(code_, opcode, results, operands, attributes, module.location(location));
}

void FunctionWriter::emit(Opcode opcode, Operation *op, ArrayRef<int64_t> attributes) {
  SmallVector<Register> operands = all(op->getOperands());
  SmallVector<Register> results = llvm::map_to_vector(op->getResults(), [&](Value value) { return define(value); });
  emit(opcode, results, operands, attributes, op->getLoc());
}

void FunctionWriter::setTarget(size_t instruction, size_t target) {
  code_.integers[code_.code[instruction].attributes] = int64_t(target);
}

void FunctionWriter::moveAll(ArrayRef<Register> to, ArrayRef<Register> from, mlir::Location location) {
  SmallVector<std::pair<Register, Register>> pending; // (to, from)
  for (auto [target, source] : llvm::zip_equal(to, from))
    if (target != source)
      pending.emplace_back(target, source);
  while (!pending.empty()) {
    auto isRead = [&](Register reg) { return llvm::any_of(pending, [&](auto move) { return move.second == reg; }); };
    auto ready = llvm::find_if(pending, [&](auto move) { return !isRead(move.first); });
    if (ready != pending.end()) {
      emit(Opcode::Move, ready->first, ready->second, {}, location);
      pending.erase(ready);
      continue;
    }
    // All pending moves form cycles, such as a swap: each target is still read by another move. One target is copied to
    // a new register, and the moves that read this target read the copy instead, which breaks the cycle.
    Register saved = pending.front().first, copy = fresh(mlirTypes_[saved], location);
    emit(Opcode::Move, copy, saved, {}, location);
    for (auto &move : pending)
      if (move.second == saved)
        move.second = copy;
  }
}

void FunctionWriter::constant(Attribute value, Value result) {
  mlir::Location location = result.getLoc();
  auto [found, isNew] = constantRegisters_.try_emplace(
      {value.getAsOpaquePointer(), typeIndex(tileType(result.getType(), location))}, kNoRegister);
  if (!isNew)
    return alias(result, found->second);
  Register reg = found->second = define(result);
  uint32_t where = module.location(location);
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    llvm::APInt bits = integer.getValue();
    emitTo(constants_, Opcode::ConstInt, reg, {}, bits.getBitWidth() == 1 ? bits.getZExtValue() : bits.getSExtValue(),
           where);
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    emitTo(constants_, Opcode::ConstFloat, reg, {}, llvm::bit_cast<int64_t>(toDouble(number.getValue())), where);
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    std::vector<uint8_t> &data = module.module.data;
    size_t first = data.size();
    appendElements(data, dense);
    emitTo(constants_, Opcode::ConstDense, reg, {}, {int64_t(data.size() - first), int64_t(first)}, where);
  } else {
    fail(location, "expected an integer or float constant, found another kind");
  }
}

Function FunctionWriter::finish() {
  Function result = std::move(code_);
  size_t shift = constants_.code.size();
  auto registersBefore = uint32_t(result.registersUsed.size()), integersBefore = uint32_t(result.integers.size());
  for (const Instruction &instruction : result.code)
    if (instruction.opcode == Opcode::Jump || instruction.opcode == Opcode::BranchIfFalse ||
        instruction.opcode == Opcode::ForTest)
      result.integers[instruction.attributes] += int64_t(shift);
  for (Instruction &instruction : constants_.code) {
    instruction.results += registersBefore;
    instruction.operands += registersBefore;
    instruction.attributes += integersBefore;
  }
  llvm::append_range(result.registersUsed, constants_.registersUsed);
  llvm::append_range(result.integers, constants_.integers);
  result.code.insert(result.code.begin(), constants_.code.begin(), constants_.code.end());
  markLastUses(result);
  return result;
}

} // namespace tegula::cpu
