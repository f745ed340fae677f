#include "core/support/ScalarType.h"

#include <array>
#include <utility>

namespace tegula {
namespace {

struct Row {
  std::string_view name;
  uint8_t bits;
  bool isFloat, isUnsigned;
};

constexpr std::array<Row, kScalarTypeCount> kRows = {{
    {"i1", 1, false, true},
    {"i8", 8, false, false},
    {"i16", 16, false, false},
    {"i32", 32, false, false},
    {"i64", 64, false, false},
    {"u8", 8, false, true},
    {"u16", 16, false, true},
    {"u32", 32, false, true},
    {"u64", 64, false, true},
    {"f16", 16, true, false},
    {"bf16", 16, true, false},
    {"f32", 32, true, false},
    {"f64", 64, true, false},
    {"f8e4m3", 8, true, false},
    {"f8e5m2", 8, true, false},
    {"f8e4m3fnuz", 8, true, false},
    {"f8e5m2fnuz", 8, true, false},
}};

constexpr std::pair<std::string_view, ScalarType> kOtherSpellings[] = {
    {"int1", ScalarType::I1},
    {"bool", ScalarType::I1},
    {"int8", ScalarType::I8},
    {"int16", ScalarType::I16},
    {"int32", ScalarType::I32},
    {"int64", ScalarType::I64},
    {"uint8", ScalarType::U8},
    {"uint16", ScalarType::U16},
    {"uint32", ScalarType::U32},
    {"uint64", ScalarType::U64},
    {"u1", ScalarType::I1},
    {"fp16", ScalarType::F16},
    {"float16", ScalarType::F16},
    {"bfloat16", ScalarType::BF16},
    {"fp32", ScalarType::F32},
    {"float32", ScalarType::F32},
    {"fp64", ScalarType::F64},
    {"float64", ScalarType::F64},
    {"fp8e4nv", ScalarType::F8E4M3},
    {"float8e4nv", ScalarType::F8E4M3},
    {"fp8e5", ScalarType::F8E5M2},
    {"float8e5", ScalarType::F8E5M2},
    {"fp8e4b8", ScalarType::F8E4M3FNUZ},
    {"float8e4b8", ScalarType::F8E4M3FNUZ},
    {"fp8e5b16", ScalarType::F8E5M2FNUZ},
    {"float8e5b16", ScalarType::F8E5M2FNUZ},
};

const Row &row(ScalarType type) { return kRows[static_cast<unsigned>(type)]; }

} // namespace

std::string_view name(ScalarType type) { return row(type).name; }

std::optional<ScalarType> parseScalarType(std::string_view text) {
  for (unsigned i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == text)
      return static_cast<ScalarType>(i);
  for (auto &[spelling, type] : kOtherSpellings)
    if (spelling == text)
      return type;
  return std::nullopt;
}

unsigned bitWidth(ScalarType type) { return row(type).bits; }
unsigned byteSize(ScalarType type) { return (row(type).bits + 7) / 8; }
bool isFloat(ScalarType type) { return row(type).isFloat; }
bool isInteger(ScalarType type) { return !row(type).isFloat; }
bool isUnsigned(ScalarType type) { return row(type).isUnsigned; }
bool isFp8(ScalarType type) { return row(type).isFloat && row(type).bits == 8; }

} // namespace tegula
