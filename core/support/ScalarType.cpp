#include "core/support/ScalarType.h"

#include <array>
#include <utility>

namespace tegula {
namespace {

constexpr std::array<std::string_view, kScalarTypeCount> kNames = {
    "i1",  "i8",   "i16", "i32", "i64",    "u8",     "u16",        "u32",       "u64",
    "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"};

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

} // namespace

std::string_view name(ScalarType type) { return kNames[static_cast<unsigned>(type)]; }

std::optional<ScalarType> parseScalarType(std::string_view text) {
  for (unsigned i = 0; i < kNames.size(); ++i)
    if (kNames[i] == text)
      return static_cast<ScalarType>(i);
  for (auto &[spelling, type] : kOtherSpellings)
    if (spelling == text)
      return type;
  return std::nullopt;
}

} // namespace tegula
