#include "Numbers.h"

#include "core/ir/Tile.h"
#include "core/support/Diagnostic.h"
#include "core/support/FloatFormats.h"

#include <bit>
#include <vector>

namespace tegula::simt_test {
namespace {

/// All values of a format of at most 16 bits.
std::vector<double> decodeAll(ScalarType type) {
  std::vector<double> values(size_t(1) << bitWidth(type));
  for (size_t bits = 0; bits < values.size(); ++bits)
    values[bits] = decodeFloat(floatFormat(type), bits);
  return values;
}

} // namespace

ScalarType numberType(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1: return ScalarType::I1;
    case 8: return ScalarType::I8;
    case 16: return ScalarType::I16;
    case 32: return ScalarType::I32;
    case 64: return ScalarType::I64;
    default: throw Error("expected integers of 1, 8, 16, 32 or 64 bits, found " + std::to_string(integer.getWidth()));
    }
  }
  if (type.isF16()) return ScalarType::F16;
  if (type.isBF16()) return ScalarType::BF16;
  if (type.isF32()) return ScalarType::F32;
  if (type.isF64()) return ScalarType::F64;
  if (type.isFloat8E4M3FN()) return ScalarType::F8E4M3;
  if (type.isFloat8E5M2()) return ScalarType::F8E5M2;
  if (type.isFloat8E4M3FNUZ()) return ScalarType::F8E4M3FNUZ;
  if (type.isFloat8E5M2FNUZ()) return ScalarType::F8E5M2FNUZ;
  return ScalarType::I64;
}

double toDouble(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::F32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case ScalarType::F64: return std::bit_cast<double>(bits);
  case ScalarType::BF16: return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  case ScalarType::F16: {
    static const std::vector<double> values = decodeAll(ScalarType::F16);
    return values[bits];
  }
  default: return decodeFloat(floatFormat(type), bits);
  }
}

uint64_t fromDouble(ScalarType type, double value) {
  switch (type) {
  case ScalarType::F32: return std::bit_cast<uint32_t>(static_cast<float>(value));
  case ScalarType::F64: return std::bit_cast<uint64_t>(value);
  default: return encodeFloat(floatFormat(type), value);
  }
}

int64_t toSigned(ScalarType type, uint64_t bits) {
  unsigned unused = 64 - bitWidth(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}

uint64_t truncated(ScalarType type, uint64_t bits) {
  unsigned width = bitWidth(type);
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

} // namespace tegula::simt_test
