// Element types: their names, sizes and classes. Without MLIR, because runtime and compiler share them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tegula {

/// The type of a tensor's elements, of a scalar parameter, or of a pointer's pointee.
/// The numeric values are part of the artifact format: append, never reorder.
// clang-format off
enum class ScalarType : uint8_t {
  I1, I8, I16, I32, I64,
  U8, U16, U32, U64,
  F16, BF16, F32, F64,
  F8E4M3, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ,
};
// clang-format on
inline constexpr unsigned kScalarTypeCount = 17;

/// Tegula's name of a type: `i32`, `bf16`, `f8e4m3`, ...
std::string_view name(ScalarType type);

/// Parses Tegula's and Triton's names: `fp32`, `float32`, `int32`, `uint8`, `bfloat16`, `fp8e4nv`, `fp8e5`, `fp8e4b8`,
/// `fp8e5b16`, `int1`, ... Nothing for other texts.
std::optional<ScalarType> parseScalarType(std::string_view text);

/// The properties of each ScalarType, indexed by its numeric value. They are in the header so that the functions below
/// are inlined: every launch calls them for every argument.
struct ScalarTypeTraits {
  uint8_t bits;
  bool isFloat, isUnsigned;
};
inline constexpr ScalarTypeTraits kScalarTypeTraits[kScalarTypeCount] = {
    {1, false, true},  {8, false, false}, {16, false, false}, {32, false, false}, {64, false, false}, {8, false, true},
    {16, false, true}, {32, false, true}, {64, false, true},  {16, true, false},  {16, true, false},  {32, true, false},
    {64, true, false}, {8, true, false},  {8, true, false},   {8, true, false},   {8, true, false}};

constexpr const ScalarTypeTraits &traitsOf(ScalarType type) { return kScalarTypeTraits[static_cast<unsigned>(type)]; }

/// The width of a value in bits; 1 for `i1`.
constexpr unsigned bitWidth(ScalarType type) { return traitsOf(type).bits; }

/// The bytes of one element in memory; 1 for `i1`.
constexpr unsigned byteSize(ScalarType type) { return (traitsOf(type).bits + 7u) / 8; }

constexpr bool isFloat(ScalarType type) { return traitsOf(type).isFloat; }
constexpr bool isInteger(ScalarType type) { return !isFloat(type); }             // signed, unsigned, or i1
constexpr bool isUnsigned(ScalarType type) { return traitsOf(type).isUnsigned; } // u8 to u64, and i1
constexpr bool isFp8(ScalarType type) { return isFloat(type) && bitWidth(type) == 8; }

} // namespace tegula
