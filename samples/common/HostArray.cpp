#include "HostArray.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace samples {

namespace {

// SplitMix64: Steele, Lea and Flood, 'Fast splittable pseudorandom number generators', OOPSLA 2014.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  /// A multiple of 2^-24 in [0, 1): exact in f32.
  float next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
  }

private:
  uint64_t state_;
};

uint16_t encode(tegula::DType type, float value) { return type == tegula::DType::F16 ? toF16(value) : toBF16(value); }

float decode(tegula::DType type, uint16_t bits) { return type == tegula::DType::F16 ? fromF16(bits) : fromBF16(bits); }

void expectFloat(tegula::DType type) {
  if (type != tegula::DType::F16 && type != tegula::DType::BF16 && type != tegula::DType::F32)
    throw std::invalid_argument("host arrays hold f16, bf16 or f32, not " + std::string(tegula::name(type)));
}

} // namespace

std::vector<float> normal(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  // Box-Muller transform: two independent normal numbers from two uniform ones.
  for (size_t i = 0; i < count; i += 2) {
    float radius = std::sqrt(-2 * std::log(1 - random.next()));
    float angle = 2 * std::numbers::pi_v<float> * random.next();
    values[i] = radius * std::cos(angle);
    if (i + 1 < count)
      values[i + 1] = radius * std::sin(angle);
  }
  return values;
}

std::vector<float> uniform(size_t count, uint64_t seed, float low, float high) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = low + (high - low) * random.next();
  return values;
}

uint16_t toF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  float magnitude = std::abs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520) // halfway between the largest finite number and the next step
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f) {
    // Subnormal results are multiples of 2^-24: adding 0.5, whose last place in f32 is 2^-24, rounds to them.
    return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(magnitude + 0.5f) - std::bit_cast<uint32_t>(0.5f));
  }
  uint32_t rest = bits & 0x7fffffff;
  rest += 0xfff + (rest >> 13 & 1); // rounds off 13 bits to nearest, ties to even
  return sign | static_cast<uint16_t>((rest >> 13) - ((127 - 15) << 10));
}

float fromF16(uint16_t bits) {
  int exponent = bits >> 10 & 0x1f;
  int fraction = bits & 0x3ff;
  float magnitude;
  if (exponent == 0x1f)
    magnitude = fraction == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  else
    magnitude =
        std::bit_cast<float>(static_cast<uint32_t>(exponent + 127 - 15) << 23 | static_cast<uint32_t>(fraction) << 13);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float fromBF16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

void roundTo(tegula::DType type, std::vector<float> &values) {
  expectFloat(type);
  if (type == tegula::DType::F32)
    return;
  for (float &value : values)
    value = decode(type, encode(type, value));
}

tegula::Buffer upload(tegula::Stream &stream, tegula::DType type, std::vector<int64_t> shape,
                      const std::vector<float> &values) {
  expectFloat(type);
  tegula::Buffer buffer(stream.device(), type, std::move(shape));
  if (buffer.elements() != static_cast<int64_t>(values.size()))
    throw std::invalid_argument("upload of " + std::to_string(values.size()) + " values into a buffer of " +
                                std::to_string(buffer.elements()));
  if (type == tegula::DType::F32) {
    stream.write(buffer, values.data());
  } else {
    std::vector<uint16_t> encoded(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      encoded[i] = encode(type, values[i]);
    stream.write(buffer, encoded.data());
  }
  // `values` in host memory must live until the copy has read them.
  stream.synchronize();
  return buffer;
}

std::vector<float> download(tegula::Stream &stream, const tegula::Buffer &buffer) {
  expectFloat(buffer.type());
  std::vector<float> values(static_cast<size_t>(buffer.elements()));
  if (buffer.type() == tegula::DType::F32) {
    stream.read(buffer, values.data());
    stream.synchronize();
    return values;
  }
  std::vector<uint16_t> encoded(values.size());
  stream.read(buffer, encoded.data());
  stream.synchronize();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = decode(buffer.type(), encoded[i]);
  return values;
}

} // namespace samples
