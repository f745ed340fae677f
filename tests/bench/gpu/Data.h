// Random arrays, computed alike for device and reference, without the cost of a generator: each element is one of 65536
// normal numbers, selected by a hash of its index.
#pragma once

#include "tegula/tegula.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gpubench {

/// `count` numbers of mean 0 and variance 1 as f32, and as f16 bits. Equal seeds give equal numbers on every machine.
std::vector<float> normalFloats(size_t count, uint64_t seed);
std::vector<uint16_t> normalHalves(size_t count, uint64_t seed);

/// The value of f16 bits, by a table.
double fromHalf(uint16_t bits);

/// A hash of `index` and `seed`.
uint64_t mix(uint64_t index, uint64_t seed);

/// Calls body(begin, end) for ranges that cover [0, count), on all cores.
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

/// Normal numbers of a type, f32 or f16: in memory of a device, and their values on the host.
struct Numbers {
  std::vector<float> host;
  tegula::Buffer buffer;
};
Numbers normalNumbers(tegula::Stream &stream, tegula::DType type, std::vector<int64_t> shape, uint64_t seed);

/// The values of a buffer of f32 or f16.
std::vector<float> downloadFloats(tegula::Stream &stream, const tegula::Buffer &buffer);

} // namespace gpubench
