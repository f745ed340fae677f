// Arrays in host memory: random numbers from fixed seeds, conversion to and from the 16-bit types, copies to and from a
// device.
#pragma once

#include "tegula/tegula.hpp"

#include <cstdint>
#include <vector>

namespace samples {

/// Normal random numbers of mean 0 and variance 1, equal on every machine (those of the standard library are not).
std::vector<float> normal(size_t count, uint64_t seed);
/// Uniform random numbers in [low, high).
std::vector<float> uniform(size_t count, uint64_t seed, float low, float high);

/// Conversions from and to the bits of IEEE binary16 and bfloat16. `to` rounds to nearest, ties to even.
uint16_t toF16(float value);
float fromF16(uint16_t bits);
uint16_t toBF16(float value);
float fromBF16(uint16_t bits);

/// Rounds each value to `type` (f16, bf16 or f32), so that a reference uses the same values as the device.
void roundTo(tegula::DType type, std::vector<float> &values);

/// A new dense buffer of `type` (f16, bf16 or f32) that holds `values`.
tegula::Buffer upload(tegula::Stream &stream, tegula::DType type, std::vector<int64_t> shape,
                      const std::vector<float> &values);
/// The values of a dense buffer of f16, bf16 or f32.
std::vector<float> download(tegula::Stream &stream, const tegula::Buffer &buffer);

} // namespace samples
