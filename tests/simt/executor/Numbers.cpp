#include "Numbers.h"

#include "core/ir/Numbers.h"
#include "core/ir/tile/Tile.h"
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
  if (std::optional<ScalarType> number = tile::scalarType(type))
    return *number;
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type)))
    throw Error("expected integers of 1, 8, 16, 32 or 64 bits, found " + std::to_string(integer.getWidth()));
  return ScalarType::I64; // an address, or an object's number
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
