// Integer arithmetic and comparison. Index arithmetic stays symbolic: sums and constant multiples of ranges are Affine,
// their comparisons are Boxes. All other operands are converted to elements and passed to the kernels. Symbolic results
// are exact: if an element of an Affine result would exceed the type, the elements are computed one by one and wrap.
#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>

namespace tegula::cpu {

namespace {

using Table = RowKernel[4];

RowOperation integerOperation(RowKernel kernel, ElementKind operand, ElementKind result, unsigned inputs) {
  RowOperation operation;
  operation.kernel = kernel;
  for (unsigned k = 0; k < inputs; ++k)
    operation.inputBytes[k] = byteSize(operand);
  operation.outputBytes = byteSize(result);
  return operation;
}

/// Returns the opcode that, applied to bytes 0 and 1, computes `opcode` of i1: Add becomes Xor. For signed opcodes true
/// is -1, less than false: MinS becomes Or.
Opcode bitOpcode(Opcode opcode) {
  switch (opcode) {
  case Opcode::Add:
  case Opcode::Sub: return Opcode::Xor;
  case Opcode::Mul:
  case Opcode::MinU:
  case Opcode::MaxS: return Opcode::And;
  case Opcode::MaxU:
  case Opcode::MinS: return Opcode::Or;
  default: return opcode;
  }
}

IntPredicate bitPredicate(IntPredicate predicate) {
  switch (predicate) {
  case IntPredicate::LtS: return IntPredicate::GtU;
  case IntPredicate::LeS: return IntPredicate::GeU;
  case IntPredicate::GtS: return IntPredicate::LtU;
  case IntPredicate::GeS: return IntPredicate::LeU;
  default: return predicate;
  }
}

} // namespace

Value Machine::binaryInteger(const Context &c) {
  const Opcode opcode = c.instruction.opcode;
  const ElementKind kind = c.resultType().element;
  if (kind == ElementKind::I1) {
    const Opcode bit = bitOpcode(opcode);
    if (opcode != Opcode::AbsI)
      if (std::optional<Value> box = combineBoxes(bit, *c.operand(0), *c.operand(1), commonShape(c.operands)))
        return std::move(*box);
    RowKernel kernel = kernels_.elementwise[static_cast<size_t>(bit)][0];
    Value result = elementwise(integerOperation(kernel, kind, kind, c.instruction.operandCount), kind, c.operands);
    // Clears all bits but bit 0 of each result byte: shifts and divisions of bytes 0 and 1 may set others.
    Operand bits[1] = {{&result, true}};
    return elementwise(integerOperation(kernels_.lowBit[0], kind, kind, 1), kind, bits);
  }
  if (c.instruction.operandCount == 2)
    if (std::optional<Value> affine = combineAffine(opcode, *c.operand(0), *c.operand(1), commonShape(c.operands)))
      return std::move(*affine);
  RowKernel kernel = kernels_.elementwise[static_cast<size_t>(opcode)][widthIndex(kind)];
  Value result = elementwise(integerOperation(kernel, kind, kind, c.instruction.operandCount), kind, c.operands);
  return uniformToAffine(std::move(result));
}

Value Machine::compareInteger(const Context &c) {
  const ElementKind kind = c.operand(0)->element;
  auto predicate = static_cast<IntPredicate>(c.attribute(0));
  if (kind == ElementKind::I1)
    predicate = bitPredicate(predicate);
  else if (std::optional<Value> box = compareAffine(predicate, *c.operand(0), *c.operand(1), commonShape(c.operands)))
    return std::move(*box);
  RowKernel kernel = kernels_.compareInt[static_cast<size_t>(predicate)][widthIndex(kind)];
  return uniformToBox(elementwise(integerOperation(kernel, kind, ElementKind::I1, 2), ElementKind::I1, c.operands));
}

Value Machine::select(const Context &c) {
  const Operand condition = c.operand(0);
  const Shape shape = commonShape(c.operands);
  if (condition->isUniform()) {
    const Operand chosen = c.operand(condition->integer() ? 1 : 2);
    Value result = chosen.take();
    if (result.shape.rank < shape.rank)
      result.splatTo(shape);
    return result;
  }
  const ElementKind kind = c.resultType().element;
  RowOperation operation = integerOperation(kernels_.select[widthIndex(kind)], kind, kind, 3);
  operation.inputBytes[0] = 1;
  Value result = elementwise(operation, kind, c.operands);
  result.pointee = c.resultType().pointee;
  return result;
}

} // namespace tegula::cpu
