#include "backends/vulkan/codegen/Scalars.h"
#include "core/support/Diagnostic.h"
#include "core/support/FloatFormats.h"

namespace tegula::vulkan {

using spirv::Id;

bool Scalars::isSoft(ScalarType type) {
  switch (type) {
  case ScalarType::BF16:
  case ScalarType::F8E4M3:
  case ScalarType::F8E5M2:
  case ScalarType::F8E4M3FNUZ:
  case ScalarType::F8E5M2FNUZ:
    return true;
  default:
    return false;
  }
}

Id Scalars::type(ScalarType type) {
  switch (type) {
  case ScalarType::I1:
    return m.boolType();
  case ScalarType::F16:
  case ScalarType::F32:
  case ScalarType::F64:
    return m.floatType(bitWidth(type));
  default:
    return m.intType(bitWidth(type));
  }
}

Id Scalars::bitsType(ScalarType type) { return type == ScalarType::I1 ? m.boolType() : m.intType(bitWidth(type)); }

Id Scalars::bits(ScalarType type, Id value) {
  return type == ScalarType::I1 ? value : b.bitcast(value, bitsType(type));
}
Id Scalars::fromBits(ScalarType type, Id bits) {
  return type == ScalarType::I1 ? bits : b.bitcast(bits, this->type(type));
}

Id Scalars::constant(ScalarType type, uint64_t bits) {
  return type == ScalarType::I1 ? m.constantBool(bits != 0) : m.constant(this->type(type), bits);
}

Id Scalars::number(ScalarType type, double value) { return constant(type, encodeFloat(floatFormat(type), value)); }

Id Scalars::extended(uint32_t instruction, std::initializer_list<Id> operands) {
  return b.extended(instruction, m.typeOf(*operands.begin()), operands);
}

} // namespace tegula::vulkan
