#include "tests/fuzz/Execute.h"

#include <cmath>
#include <cstring>

namespace tegula::fuzz {

namespace {

struct FloatForm {
  int bits, significand; // stored bits of the significand
  uint64_t bias;
  uint64_t last; // the greatest number or infinity, as bits; greater ones without sign are no numbers
};
FloatForm formOf(DType type) {
  switch (type) {
  case DType::F16: return {16, 10, 15, 0x7c00};
  case DType::BF16: return {16, 7, 127, 0x7f80};
  case DType::F32: return {32, 23, 127, 0x7f800000};
  case DType::F8E4M3: return {8, 3, 7, 0x7e};
  case DType::F8E5M2: return {8, 2, 15, 0x7c};
  case DType::F8E4M3FNUZ: return {8, 3, 8, 0x7f};
  case DType::F8E5M2FNUZ: return {8, 2, 16, 0x7f};
  default: return {64, 52, 1023, 0x7ff0000000000000};
  }
}

/// The bits of a number in the type's range, cut off to its precision.
uint64_t encode(DType type, double value) {
  auto [bits, significand, bias, last] = formOf(type);
  if (value == 0)
    return 0;
  int exponent = 0;
  double fraction = std::frexp(std::abs(value), &exponent);
  uint64_t whole = uint64_t(std::ldexp(fraction, significand + 1)) - (uint64_t(1) << significand);
  return uint64_t(value < 0) << (bits - 1) | (uint64_t(exponent - 1) + bias) << significand | whole;
}

uint64_t mixed(uint64_t x) { // the finaliser of SplitMix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint64_t element(uint64_t seed, DType type, int64_t i) {
  uint64_t bits = mixed(seed ^ mixed(uint64_t(i)));
  bool wild = seed % 3 == 0 && bits % 16 == 0;
  bits >>= 8;
  if (!isFloat(type)) {
    int64_t small = int64_t(bits % 41) - 20;
    return wild ? mixed(bits) : uint64_t(isUnsigned(type) ? small + 20 : small);
  }
  if (wild && isFp8(type)) // any code: the formats differ in those that are no numbers
    return mixed(bits) & 0xff;
  auto [width, significand, bias, infinity] = formOf(type);
  if (wild && bits % 4 < 2)
    return infinity | (bits % 4 ? uint64_t(1) << (significand - 1) : bits >> 2 & 1 ? uint64_t(1) << (width - 1) : 0);
  return encode(type, wild ? double(bits % 255) - 127 : (double(bits % 41) - 20) / 2);
}

bool isNaN(DType type, uint64_t bits) {
  FloatForm form = formOf(type);
  uint64_t sign = uint64_t(1) << (form.bits - 1);
  bool hasOneZero = type == DType::F8E4M3FNUZ || type == DType::F8E5M2FNUZ; // a lone sign bit is no number
  return (bits & ~sign) > form.last || (hasOneZero && bits == sign);
}
bool isZero(DType type, uint64_t bits) {
  return !isNaN(type, bits) && (bits & ~(uint64_t(1) << (formOf(type).bits - 1))) == 0;
}

std::string shown(DType type, uint64_t bits) {
  char text[64];
  if (!isFloat(type)) {
    int shift = 64 - 8 * int(byteSize(type));
    return isUnsigned(type) ? std::to_string(bits) : std::to_string(int64_t(bits << shift) >> shift);
  }
  std::snprintf(text, sizeof text, "0x%0*llx", formOf(type).bits / 4, static_cast<unsigned long long>(bits));
  if (type == DType::F32) {
    uint32_t narrow = uint32_t(bits);
    float value;
    std::memcpy(&value, &narrow, 4);
    std::snprintf(text, sizeof text, "%.9g", double(value));
  }
  return text;
}

std::string compare(const BufferPlan &plan, const std::vector<uint8_t> &expected, const std::vector<uint8_t> &actual,
                    bool zeroSignsMayDiffer) {
  size_t size = byteSize(plan.type);
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < plan.elements; ++i) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, &expected[i * size], size);
    std::memcpy(&b, &actual[i * size], size);
    if (a == b)
      continue;
    if (isFloat(plan.type) && ((isNaN(plan.type, a) && isNaN(plan.type, b)) ||
                               (zeroSignsMayDiffer && isZero(plan.type, a) && isZero(plan.type, b))))
      continue;
    if (++wrong <= 3)
      first += (wrong > 1 ? "; [" : ": [") + std::to_string(i) + "] is " + shown(plan.type, b) +
               ", the reference has " + shown(plan.type, a);
  }
  if (!wrong)
    return "";
  return plan.name + " (" + std::string(name(plan.type)) + "): " + std::to_string(wrong) + " of " +
         std::to_string(plan.elements) + " elements differ" + first;
}

/// The message without digits, so that positions do not matter.
std::string gist(const std::string &message) {
  std::string result;
  for (char c : message)
    if (c < '0' || c > '9')
      result += c;
  return result.substr(0, 120);
}

} // namespace

std::vector<uint8_t> inputBytes(uint64_t seed, int64_t buffer, DType type, int64_t elements) {
  size_t size = byteSize(type);
  std::vector<uint8_t> bytes(elements * size);
  uint64_t own = mixed(seed + uint64_t(buffer));
  for (int64_t i = 0; i < elements; ++i) {
    uint64_t value = element(own, type, i);
    std::memcpy(&bytes[i * size], &value, size);
  }
  return bytes;
}

bool Outcome::sameAs(const Outcome &other) const {
  return kind == other.kind && (kind != Kind::Refused || gist(message) == gist(other.message));
}

Pair::Pair(const std::string &reference, const std::string &device)
    : reference_(Device::open(reference)), device_(Device::open(device)), referenceStream_(reference_),
      deviceStream_(device_) {}

std::vector<uint8_t> initialBytes(const Model &model, const BufferPlan &plan) {
  if (!plan.output)
    return inputBytes(model.data, std::stoll(plan.name.substr(1)), plan.type, plan.elements);
  size_t size = byteSize(plan.type);
  uint64_t value = isFloat(plan.type) ? encode(plan.type, double(plan.first)) : uint64_t(plan.first);
  std::vector<uint8_t> bytes(plan.elements * size);
  for (int64_t i = 0; i < plan.elements; ++i)
    std::memcpy(&bytes[i * size], &value, size);
  return bytes;
}

std::vector<std::vector<uint8_t>> runOn(Stream &stream, const Model &model, const Rendered &rendered) {
  Kernel kernel = Kernel::fromSource(rendered.source, "kernel");
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  for (const BufferPlan &plan : rendered.buffers) {
    Buffer &buffer = buffers.emplace_back(stream.device(), plan.type, std::vector<int64_t>{plan.elements});
    stream.write(buffer, initialBytes(model, plan).data());
    arguments.push_back(buffer);
  }
  for (int64_t value : model.parameters)
    arguments.push_back(value);
  kernel.launch(stream, Grid(model.grid[0], model.grid[1]), arguments, {.numWarps = model.warps});
  std::vector<std::vector<uint8_t>> result;
  for (const Buffer &buffer : buffers)
    stream.read(buffer, result.emplace_back(buffer.bytes()).data());
  return result;
}

Outcome Pair::run(const Model &model) {
  Rendered rendered = render(model);
  const char *where = "reference";
  try {
    auto expected = runOn(referenceStream_, model, rendered);
    where = "device";
    auto actual = runOn(deviceStream_, model, rendered);
    for (size_t i = 0; i < rendered.buffers.size(); ++i) {
      std::string text = compare(rendered.buffers[i], expected[i], actual[i], rendered.zeroSignsMayDiffer);
      if (!text.empty())
        return {Outcome::Kind::Differ, text};
    }
  } catch (const ApiError &error) {
    std::string message = error.what();
    // A device may lack a type or enough shared memory; then its message says so.
    bool lacks = where[0] == 'd' && (message.find("which the device lacks") != message.npos ||
                                     message.find("of shared memory") != message.npos);
    return {lacks ? Outcome::Kind::Unsupported : Outcome::Kind::Refused, std::string(where) + ": " + message};
  }
  return {};
}

} // namespace tegula::fuzz
