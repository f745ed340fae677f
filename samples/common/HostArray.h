// Arrays in host memory: random numbers from fixed seeds, conversion to and from the 16-bit types, and the way to and
// from a device.
#pragma once

#include "tegula/tegula.hpp"

#include <cstdint>
#include <vector>

namespace samples {

/// Normal random numbers, mean 0, variance 1. The same on every machine: the standard library's own distributions are
/// not.
std::vector<float> normal(size_t count, uint64_t seed);
/// Uniform in [low, high).
std::vector<float> uniform(size_t count, uint64_t seed, float low, float high);

/// IEEE binary16 and bfloat16 by bits. `to` rounds to nearest, ties to even.
uint16_t toF16(float value);
float fromF16(uint16_t bits);
uint16_t toBF16(float value);
float fromBF16(uint16_t bits);

/// Rounds each value to what `type` (f16, bf16 or f32) can hold, so that a reference sees what the device sees.
void roundTo(tegula::DType type, std::vector<float> &values);

/// A new dense buffer of `type` (f16, bf16 or f32) with these values in it.
tegula::Buffer upload(tegula::Stream &stream, tegula::DType type, std::vector<int64_t> shape,
                      const std::vector<float> &values);
/// The values of a dense buffer of f16, bf16 or f32.
std::vector<float> download(tegula::Stream &stream, const tegula::Buffer &buffer);

} // namespace samples
