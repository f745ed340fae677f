// One op on many elements, on a device.
#pragma once

#include "core/support/FloatFormats.h"
#include "tests/vulkan/CodegenFixture.h"

#include <cmath>

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
inline const Number kIntegers[] = {
    {"i8", ScalarType::I8}, {"i16", ScalarType::I16}, {"i32", ScalarType::I32}, {"i64", ScalarType::I64}};

Bytes packBits(const Bits &bits, ScalarType type);
Bits unpackBits(const Bytes &bytes, ScalarType type);
/// Numbers of all sizes, zeros, infinities and NaN among them.
Bits someFloats(ScalarType type, size_t count, uint32_t seed);
/// Numbers of all sizes, the extremes among them.
Bits someIntegers(ScalarType type, size_t count, uint32_t seed);
std::string hex(uint64_t bits);

class ElementwiseTest : public CodegenTest {
protected:
  /// r = op(x, y, z) for as many elements as x has, a multiple of 512. `op` is the text right of `%r = `, with IN and
  /// OUT for the vector types; `before` are the ops before it.
  Bits evaluate(const std::string &op, const Number &in, const Number &out, const std::array<Bits, 3> &inputs,
                const std::string &before = "");
  /// The same in the simt executor.
  Bits execute(const std::string &op, const Number &in, const Number &out, const std::array<Bits, 3> &inputs,
               const std::string &before = "");
  /// Bit for bit as the executor; NaNs are alike.
  void expectAsExecuted(const std::string &op, const Number &in, const Number &out, const std::array<Bits, 3> &inputs,
                        const std::string &before = "");

private:
  std::string kernel(std::string op, const Number &in, const Number &out, const std::string &before) const;
};

/// The same bits, or both NaN.
bool isSame(ScalarType type, uint64_t found, uint64_t expected);

} // namespace tegula::vulkan::test
