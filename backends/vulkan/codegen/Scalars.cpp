#include "backends/vulkan/codegen/Scalars.h"
#include "core/support/Diagnostic.h"
#include "core/support/FloatFormats.h"

namespace tegula::vulkan {

using spirv::Id;

bool Scalars::isHeld(ScalarType type) const {
  uint32_t bits = bitWidth(type);
  return bits == 8 ? profile_.features.has(Feature::Int8) : bits != 16 || profile_.features.has(Feature::Int16);
}

bool Scalars::isSoft(ScalarType type) const {
  switch (type) {
  case ScalarType::F16: return !hasHalf();
  case ScalarType::BF16:
  case ScalarType::F8E4M3:
  case ScalarType::F8E5M2:
  case ScalarType::F8E4M3FNUZ:
  case ScalarType::F8E5M2FNUZ: return true;
  default: return false;
  }
}

Id Scalars::type(ScalarType type) {
  switch (type) {
  case ScalarType::I1: return m.boolType();
  case ScalarType::F16: return hasHalf() ? m.floatType(16) : bitsType(type);
  case ScalarType::F32:
  case ScalarType::F64: return m.floatType(bitWidth(type));
  default: return bitsType(type);
  }
}

Id Scalars::bitsType(ScalarType type) {
  return type == ScalarType::I1 ? m.boolType() : m.intType(isHeld(type) ? bitWidth(type) : 32);
}

Id Scalars::bits(ScalarType type, Id value) {
  return type == ScalarType::I1 ? value : b.bitcast(value, bitsType(type));
}
Id Scalars::fromBits(ScalarType type, Id bits) {
  return type == ScalarType::I1 ? bits : b.bitcast(bits, this->type(type));
}

Id Scalars::toWord(ScalarType type, Id value) {
  if (type == ScalarType::I1)
    return b.select(value, u32(1), u32(0));
  Id raw = bits(type, value);
  return isHeld(type) ? b.cast(spv::Op::OpUConvert, raw, m.intType(32)) : raw;
}

Id Scalars::fromWord(ScalarType type, Id word) {
  if (type == ScalarType::I1)
    return b.compare(spv::Op::OpINotEqual, both(word, u32(1)), u32(0));
  return fromBits(type, narrow(type, word));
}

Id Scalars::constant(ScalarType type, uint64_t bits) {
  if (type == ScalarType::I1)
    return m.constantBool(bits != 0);
  return m.constant(this->type(type), isHeld(type) ? bits : bits & ((uint64_t(1) << bitWidth(type)) - 1));
}

Id Scalars::number(ScalarType type, double value) { return constant(type, encodeFloat(floatFormat(type), value)); }

Id Scalars::extended(uint32_t instruction, std::initializer_list<Id> operands) {
  return b.extended(instruction, m.typeOf(*operands.begin()), operands);
}

} // namespace tegula::vulkan
