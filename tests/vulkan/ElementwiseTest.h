// Runs one op on many elements on a device.
#pragma once

#include "core/support/FloatFormats.h"
#include "tests/vulkan/CodegenFixture.h"

#include <cmath>
#include <span>

namespace tegula::vulkan::test {

using Bits = std::vector<uint64_t>;

struct Number {
  const char *mlir;
  ScalarType type;
};
inline const Number kFloats[] = {
    {"f16", ScalarType::F16},
    {"bf16", ScalarType::BF16},
    {"f32", ScalarType::F32},
    {"f64", ScalarType::F64},
    {"f8E4M3FN", ScalarType::F8E4M3},
    {"f8E5M2", ScalarType::F8E5M2},
    {"f8E4M3FNUZ", ScalarType::F8E4M3FNUZ},
    {"f8E5M2FNUZ", ScalarType::F8E5M2FNUZ},
};
/// The floats that have arithmetic; tile-widen-fp8 leaves none of 8-bit floats.
inline const std::span<const Number> kComputed(kFloats, 4);
inline const Number kIntegers[] = {
    {"i8", ScalarType::I8}, {"i16", ScalarType::I16}, {"i32", ScalarType::I32}, {"i64", ScalarType::I64}};

Bytes packBits(const Bits &bits, ScalarType type);
Bits unpackBits(const Bytes &bytes, ScalarType type);
/// Floats of all magnitudes, including zeros, infinities and NaN.
Bits someFloats(ScalarType type, size_t count, uint32_t seed);
/// Integers of all magnitudes, including the extremes.
Bits someIntegers(ScalarType type, size_t count, uint32_t seed);
std::string hex(uint64_t bits);

class ElementwiseTest : public CodegenTest {
protected:
  /// r = op(x, y, z) for all elements of x, whose number is a multiple of 512. `op` is the text after `%r = `, with IN
  /// and OUT for the vector types; `before` holds the ops before it.
  Bits evaluate(const std::string &op, const Number &in, const Number &out, const std::array<Bits, 3> &inputs,
                const std::string &before = "");
  /// Like evaluate, in the simt executor.
  Bits execute(const std::string &op, const Number &in, const Number &out, const std::array<Bits, 3> &inputs,
               const std::string &before = "");
  /// The device's results equal the executor's bit for bit, except that all NaNs are equal.
  void expectAsExecuted(const std::string &op, const Number &in, const Number &out, const std::array<Bits, 3> &inputs,
                        const std::string &before = "");

private:
  std::string kernel(std::string op, const Number &in, const Number &out, const std::string &before) const;
};

/// Whether the bits are equal or both NaN.
bool isSame(ScalarType type, uint64_t found, uint64_t expected);

} // namespace tegula::vulkan::test
