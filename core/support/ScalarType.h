// Element types: their names, sizes and classes. No MLIR here, shared by runtime and compiler.
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

/// `i32`, `bf16`, `f8e4m3`, ...
std::string_view name(ScalarType type);

/// Accepts our names and Triton's spellings: `fp32`, `float32`, `int32`, `uint8`, `bfloat16`, `fp8e4nv`, `fp8e5`,
/// `fp8e4b8`, `fp8e5b16`, `int1`, ...
std::optional<ScalarType> parseScalarType(std::string_view text);

/// Width of a value in bits: 1 for `i1`.
unsigned bitWidth(ScalarType type);

/// Bytes of one element in memory: 1 for `i1`.
unsigned byteSize(ScalarType type);

bool isFloat(ScalarType type);
bool isInteger(ScalarType type);  // signed, unsigned and i1
bool isUnsigned(ScalarType type); // u8..u64 and i1
bool isFp8(ScalarType type);

} // namespace tegula
