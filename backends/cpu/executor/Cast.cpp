// Conversions between element types. Arithmetic on the small float formats converts to f32, computes, and converts
// back.
#include "backends/cpu/executor/Symbolic.h"
#include "backends/cpu/kernels/Functions.h"

namespace tegula::cpu {

namespace {

size_t index(ElementKind kind) { return static_cast<size_t>(kind); }
unsigned floatIndex(ElementKind kind) { return kind == ElementKind::F64 ? 1 : 0; }

/// Sets the element size of the operation's first `inputs` inputs to that of `kind`. If `kind` is a float type without
/// arithmetic kernels (f16, bf16, fp8), these inputs are converted to f32 before the kernel runs.
void widenInputs(RowOperation &operation, const KernelTable &table, ElementKind kind, unsigned inputs) {
  for (unsigned k = 0; k < inputs; ++k) {
    operation.inputBytes[k] = byteSize(kind);
    if (isSmallFloat(kind))
      operation.before[k] = table.toF32[index(kind)];
  }
}

/// Makes the operation convert the kernel's result from `computed` (f32 or f64) to `to` after the kernel: no step, one,
/// or two (f64 to f32 to a smaller format).
void narrowResult(RowOperation &operation, const KernelTable &table, ElementKind computed, ElementKind to,
                  RoundingMode mode) {
  operation.outputBytes = byteSize(to);
  if (computed == to)
    return;
  const auto m = static_cast<size_t>(mode);
  unsigned stage = 0;
  if (computed == ElementKind::F64)
    operation.after[stage++] = to == ElementKind::F32             ? table.f64ToF32[m]
                               : mode == RoundingMode::TowardZero ? table.f64ToF32[m]
                                                                  : table.f64ToF32Odd;
  if (isSmallFloat(to))
    operation.after[stage] = table.fromF32[m][index(to)];
}

/// Returns the row kernel that copies elements of type `computed`. A RowOperation that only converts, and computes
/// nothing, uses it as its kernel, between the conversions `before` and `after`.
RowKernel copyKernel(const KernelTable &table, ElementKind computed) {
  return table.resize[0][widthIndex(computed)][widthIndex(computed)];
}

} // namespace

Value Machine::floatOperation(const Context &c) {
  const ElementKind kind = c.resultType().element;
  const unsigned inputs = c.instruction.operandCount;
  const bool isOdd = c.instruction.opcode == Opcode::Fma && isSmallFloat(kind); // rounded once, to the small type
  RowOperation operation;
  operation.kernel =
      c.instruction.opcode == Opcode::Function
          ? functionKernel(kernels_, static_cast<FunctionKind>(c.attribute(0)), kind == ElementKind::F64)
          : kernels_.elementwise[static_cast<size_t>(c.instruction.opcode)][isOdd ? 2 : floatIndex(kind)];
  widenInputs(operation, kernels_, kind, inputs);
  narrowResult(operation, kernels_, kind == ElementKind::F64 ? kind : ElementKind::F32, kind,
               RoundingMode::NearestEven);
  return elementwise(operation, kind, c.operands);
}

Value Machine::compareFloat(const Context &c) {
  const ElementKind kind = c.operand(0)->element;
  RowOperation operation;
  operation.kernel = kernels_.compareFloat[c.attribute(0)][floatIndex(kind)];
  widenInputs(operation, kernels_, kind, 2);
  operation.outputBytes = 1;
  return uniformToBox(elementwise(operation, ElementKind::I1, c.operands));
}

Value Machine::convertFloat(Operand x, ElementKind to, RoundingMode mode) {
  const ElementKind from = x->element;
  if (from == to)
    return x.take();
  RowOperation operation;
  if (from == ElementKind::F64 || to == ElementKind::F64) {
    const bool down = from == ElementKind::F64;
    operation.kernel = copyKernel(kernels_, ElementKind::F64);
    if (!down)
      operation.kernel = kernels_.f32ToF64;
    widenInputs(operation, kernels_, from, 1);
    narrowResult(operation, kernels_, ElementKind::F64, to, mode);
  } else if (from == ElementKind::F32) {
    operation.kernel = kernels_.fromF32[static_cast<size_t>(mode)][index(to)];
    operation.inputBytes[0] = 4;
    operation.outputBytes = byteSize(to);
  } else if (to == ElementKind::F32) {
    operation.kernel = kernels_.toF32[index(from)];
    operation.inputBytes[0] = byteSize(from);
    operation.outputBytes = 4;
  } else {
    operation.kernel = kernels_.fromF32[static_cast<size_t>(mode)][index(to)];
    widenInputs(operation, kernels_, from, 1);
    operation.outputBytes = byteSize(to);
  }
  Operand operands[1] = {x};
  return elementwise(operation, to, operands);
}

Value Machine::resizeInteger(Operand x, ElementKind to, bool isSigned) {
  const ElementKind from = x->element;
  const unsigned toBits = bitWidth(to);
  if (x->form == Value::Form::Affine && to != ElementKind::I1) {
    // An Affine value stays Affine if no element changes its value: all elements fit `to`, and if it is zero-extended,
    // none is negative.
    const std::optional<Range> range = affineRange(*x);
    const bool keeps = range && fitsSigned(*range, toBits) && (isSigned || range->low >= 0 || toBits <= bitWidth(from));
    if (keeps || x->isUniform()) {
      Value r = x.take();
      r.element = to;
      if (!keeps) {
        const bool zeroExtends = !isSigned && toBits > bitWidth(from);
        const uint64_t low = static_cast<uint64_t>(r.scalar) &
                             (bitWidth(from) >= 64 ? ~uint64_t{0} : (uint64_t{1} << bitWidth(from)) - 1);
        r.scalar = wrapToWidth(zeroExtends ? static_cast<int64_t>(low) : r.scalar, toBits);
      }
      return r;
    }
  }
  if (from == ElementKind::I1 && x->isUniform()) {
    const int64_t bit = x->integer();
    if (to == ElementKind::I1)
      return x.take();
    return Value::affine(to, x->shape, isSigned ? -bit : bit);
  }
  RowOperation operation;
  operation.inputBytes[0] = byteSize(from);
  operation.outputBytes = byteSize(to);
  if (to == ElementKind::I1) {
    operation.kernel = kernels_.lowBit[widthIndex(from)];
  } else {
    operation.kernel = kernels_.resize[isSigned && from != ElementKind::I1][widthIndex(from)][widthIndex(to)];
    if (isSigned && from == ElementKind::I1)
      operation.after[0] = kernels_.negate[widthIndex(to)];
  }
  Operand operands[1] = {x};
  Value result = elementwise(operation, to, operands);
  return to == ElementKind::I1 ? uniformToBox(std::move(result)) : uniformToAffine(std::move(result));
}

Value Machine::toPointer(Operand x) {
  Value r = x->element == ElementKind::I64 ? x.take() : resizeInteger(x, ElementKind::I64, false);
  if (checked()) { // the integer is a real address, but a register must hold a tagged pointer
    r = r.isUniform() ? uniformToAffine(std::move(r)) : toRowMajor(r);
    if (r.form == Value::Form::Affine) {
      r.scalar = static_cast<int64_t>(launch_.buffers->fromAddress(static_cast<uint64_t>(r.scalar)));
    } else {
      Value translated = Value::dense(ElementKind::Pointer, r.shape);
      for (int64_t i = 0, n = r.shape.count(); i < n; ++i)
        translated.as<uint64_t>()[i] = launch_.buffers->fromAddress(std::as_const(r).as<uint64_t>()[i]);
      r = std::move(translated);
    }
  }
  r.element = ElementKind::Pointer;
  return r;
}

Value Machine::fromPointer(Operand x, ElementKind to) {
  Value r = x.take();
  if (checked()) {
    r = r.isUniform() ? uniformToAffine(std::move(r)) : toRowMajor(r);
    if (r.form == Value::Form::Affine) {
      r.scalar = static_cast<int64_t>(launch_.buffers->toAddress(static_cast<uint64_t>(r.scalar)));
    } else {
      Value translated = Value::dense(ElementKind::I64, r.shape);
      for (int64_t i = 0, n = r.shape.count(); i < n; ++i)
        translated.as<uint64_t>()[i] = launch_.buffers->toAddress(std::as_const(r).as<uint64_t>()[i]);
      r = std::move(translated);
    }
  }
  r.element = ElementKind::I64;
  return to == ElementKind::I64 ? r : resizeInteger({&r, true}, to, false);
}

namespace {

Value intToFloat(const KernelTable &table, const Value &x, ElementKind to, bool isSigned, RowOperation &operation) {
  Value source = x;
  const unsigned from = widthIndex(source.element);
  operation.inputBytes[0] = byteSize(source.element);
  if (to == ElementKind::F32 || to == ElementKind::F64) {
    operation.kernel = table.intToFloat[isSigned][from][floatIndex(to)];
    operation.outputBytes = byteSize(to);
    return source;
  }
  // For f16, bf16 and fp8 the integer is converted to f64 first. f64 holds integers of up to 32 bits exactly; 64-bit
  // integers are rounded to odd (an inexact result gets a last bit of 1), so that the rounding from f64 to the small
  // format gives the correctly rounded result.
  operation.kernel = from == 3 ? table.intToF64Odd[isSigned] : table.intToFloat[isSigned][from][1];
  narrowResult(operation, table, ElementKind::F64, to, RoundingMode::NearestEven);
  return source;
}

} // namespace

Value Machine::cast(const Context &c) {
  const Operand x = c.operand(0);
  const ElementKind from = x->element;
  const ElementKind to = c.resultType().element;
  RowOperation operation;
  switch (c.instruction.opcode) {
  case Opcode::ExtS:
  case Opcode::TruncI: return resizeInteger(x, to, true);
  case Opcode::ExtU: return resizeInteger(x, to, false);
  case Opcode::SIToF:
  case Opcode::UIToF: {
    const bool isSigned = c.instruction.opcode == Opcode::SIToF;
    Value source = from == ElementKind::I1 ? resizeInteger(x, ElementKind::I8, isSigned) : x.take();
    source = intToFloat(kernels_, source, to, isSigned, operation);
    Operand operands[1] = {{&source, true}};
    return elementwise(operation, to, operands);
  }
  case Opcode::FToSI:
  case Opcode::FToUI: {
    const bool isSigned = c.instruction.opcode == Opcode::FToSI;
    const ElementKind whole = to == ElementKind::I1 ? ElementKind::I8 : to;
    operation.kernel = kernels_.floatToInt[floatIndex(from)][isSigned][widthIndex(whole)];
    widenInputs(operation, kernels_, from, 1);
    operation.outputBytes = byteSize(whole);
    Operand operands[1] = {x};
    Value result = elementwise(operation, whole, operands);
    if (to != ElementKind::I1)
      return uniformToAffine(std::move(result));
    // Conversion to i1: numbers outside of its range (unsigned: 0 to 1; signed: -1 to 0) saturate. The float has been
    // converted to an i8 x; the i1 is true if x != 0 (unsigned) or x < 0 (signed).
    Value zero = Value::affine(ElementKind::I8, result.shape, 0);
    RowOperation compare;
    compare.kernel = kernels_.compareInt[static_cast<size_t>(isSigned ? IntPredicate::LtS : IntPredicate::Ne)][0];
    compare.inputBytes[0] = compare.inputBytes[1] = compare.outputBytes = 1;
    Operand both[2] = {{&result, true}, {&zero, true}};
    return uniformToBox(elementwise(compare, ElementKind::I1, both));
  }
  case Opcode::ConvertF: return convertFloat(x, to, static_cast<RoundingMode>(c.attribute(0)));
  case Opcode::PtrToInt: return fromPointer(x, to);
  case Opcode::IntToPtr: return toPointer(x);
  case Opcode::PtrCast: return x.take();
  default: // Bitcast
    if (from == ElementKind::Pointer && to != ElementKind::Pointer)
      return fromPointer(x, to);
    if (to == ElementKind::Pointer && from != ElementKind::Pointer)
      return toPointer(x);
    if (from == to)
      return x.take();
    Value r = toStrided(*x);
    r.element = to;
    if (from == ElementKind::I1 || to == ElementKind::I1) { // a conversion from or to i1 keeps only bit 0
      operation.kernel = kernels_.lowBit[0];
      operation.inputBytes[0] = operation.outputBytes = 1;
      Operand operands[1] = {{&r, true}};
      r = elementwise(operation, to, operands);
    }
    return isAffineKind(to) ? uniformToAffine(std::move(r)) : r;
  }
}

} // namespace tegula::cpu
