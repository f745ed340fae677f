// `rand:` arrays. The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014); normal numbers come from pairs of uniform ones by the transform of Box and Muller (1958).
#include "core/support/FloatFormats.h"
#include "frontend/cli/Values.h"

#include <cmath>
#include <cstring>
#include <numbers>

namespace tegula::cli {
namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  double normal() {
    if (hasSpare_) {
      hasSpare_ = false;
      return spare_;
    }
    double radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    hasSpare_ = true;
    return radius * std::cos(angle);
  }

private:
  double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; } // in (0, 1]

  uint64_t state_;
  double spare_ = 0;
  bool hasSpare_ = false;
};

} // namespace

std::vector<uint8_t> randomBytes(ScalarType type, uint64_t elements, uint64_t seed) {
  unsigned size = byteSize(type);
  std::vector<uint8_t> bytes(elements * size);
  Generator generator(seed);
  for (uint64_t i = 0; i < elements; ++i) {
    uint64_t bits = 0;
    if (isFloat(type))
      bits = encodeFloat(floatFormat(type), generator.normal());
    else if (type == ScalarType::I1)
      bits = generator.next() >> 63;
    else
      bits = (generator.next() >> 60) - (isUnsigned(type) ? 0 : 8); // 0..15, or -8..7
    std::memcpy(bytes.data() + i * size, &bits, size);              // little-endian, like every supported host
  }
  return bytes;
}

} // namespace tegula::cli
