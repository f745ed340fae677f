// Random arrays that device and reference share, without a generator's cost: each element is one of 65536 normal
// numbers, picked by a hash of its index.
#pragma once

#include "tegula/tegula.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gpubench {

/// `count` numbers, mean 0, variance 1; as f32, and as f16 bits. The same seed gives the same numbers on every machine.
std::vector<float> normalFloats(size_t count, uint64_t seed);
std::vector<uint16_t> normalHalves(size_t count, uint64_t seed);

/// The value of f16 bits, by a table.
double fromHalf(uint16_t bits);

/// Well mixed bits of `index` and `seed`.
uint64_t mix(uint64_t index, uint64_t seed);

/// body(begin, end) over [0, count) on all cores.
void inParallel(size_t count, const std::function<void(size_t begin, size_t end)> &body);

/// A dense buffer with these elements.
template <class T>
tegula::Buffer upload(tegula::Stream &stream, tegula::DType type, std::vector<int64_t> shape,
                      const std::vector<T> &host) {
  tegula::Buffer buffer(stream.device(), type, std::move(shape));
  stream.write(buffer, host.data());
  return buffer;
}

template <class T> std::vector<T> download(tegula::Stream &stream, const tegula::Buffer &buffer) {
  std::vector<T> host(static_cast<size_t>(buffer.elements()));
  stream.read(buffer, host.data());
  return host;
}

} // namespace gpubench
