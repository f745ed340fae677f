#include "tests/bench/gpu/Data.h"

#include "core/support/FloatFormats.h"
#include "core/support/ThreadPool.h"

#include <array>
#include <cmath>
#include <numbers>

namespace gpubench {
namespace {

constexpr size_t kNumbers = 65536;

struct Normals {
  std::vector<float> floats;
  std::vector<uint16_t> halves;
};

/// Normal numbers by the Box-Muller method on a grid of radii with mixed angles.
const Normals &normals() {
  static const Normals made = [] {
    Normals table;
    const tegula::FloatFormat &half = tegula::floatFormat(tegula::ScalarType::F16);
    for (size_t i = 0; i < kNumbers; ++i) {
      double radius = std::sqrt(-2 * std::log((static_cast<double>(i) + 0.5) / kNumbers));
      double angle = 2 * std::numbers::pi * static_cast<double>(mix(i, 1) >> 11) * 0x1p-53;
      auto value = static_cast<float>(radius * std::cos(angle));
      table.floats.push_back(value);
      table.halves.push_back(static_cast<uint16_t>(tegula::encodeFloat(half, value)));
    }
    return table;
  }();
  return made;
}

template <class T> std::vector<T> pick(const std::vector<T> &table, size_t count, uint64_t seed) {
  std::vector<T> values(count);
  inParallel((count + 3) / 4, [&](size_t begin, size_t end) {
    for (size_t group = begin; group < end; ++group) {
      uint64_t bits = mix(group, seed);
      for (size_t i = group * 4; i < std::min(count, group * 4 + 4); ++i, bits >>= 16)
        values[i] = table[bits & 0xffff];
    }
  });
  return values;
}

std::vector<float> floatsOf(const std::vector<uint16_t> &halves) {
  std::vector<float> floats(halves.size());
  inParallel(halves.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      floats[i] = static_cast<float>(fromHalf(halves[i]));
  });
  return floats;
}

} // namespace

// The finaliser of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
uint64_t mix(uint64_t index, uint64_t seed) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15 + seed * 0xd1342543de82ef95;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<float> normalFloats(size_t count, uint64_t seed) { return pick(normals().floats, count, seed); }
std::vector<uint16_t> normalHalves(size_t count, uint64_t seed) { return pick(normals().halves, count, seed); }

double fromHalf(uint16_t bits) {
  static const std::vector<double> table = [] {
    const tegula::FloatFormat &half = tegula::floatFormat(tegula::ScalarType::F16);
    std::vector<double> values(kNumbers);
    for (size_t i = 0; i < kNumbers; ++i)
      values[i] = tegula::decodeFloat(half, i);
    return values;
  }();
  return table[bits];
}

Numbers normalNumbers(tegula::Stream &stream, tegula::DType type, std::vector<int64_t> shape, uint64_t seed) {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= static_cast<size_t>(extent);
  if (type == tegula::DType::F32) {
    std::vector<float> host = normalFloats(count, seed);
    tegula::Buffer buffer = upload(stream, type, std::move(shape), host);
    return {std::move(host), std::move(buffer)};
  }
  std::vector<uint16_t> bits = normalHalves(count, seed);
  return {floatsOf(bits), upload(stream, type, std::move(shape), bits)};
}

std::vector<float> downloadFloats(tegula::Stream &stream, const tegula::Buffer &buffer) {
  return buffer.type() == tegula::DType::F32 ? download<float>(stream, buffer)
                                             : floatsOf(download<uint16_t>(stream, buffer));
}

void inParallel(size_t count, const std::function<void(size_t begin, size_t end)> &body) {
  tegula::ThreadPool::shared().parallelFor(count, 0, body);
}

} // namespace gpubench
