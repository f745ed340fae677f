#include "tests/conformance/Host.h"
#include "tests/conformance/Fills.h"

#include <cstring>

namespace tegula::conformance {

namespace {

constexpr int64_t kGuard = 16;

void put(std::vector<uint8_t> &bytes, DType type, int64_t i, Number value) {
  size_t size = byteSize(type);
  uint64_t bits = encode(type, value);
  std::memcpy(&bytes[static_cast<size_t>(i) * size], &bits, size);
}

bool isDenormal(DType type, Number value) {
  if (!isFloat(type) || value == 0 || std::isnan(value))
    return false;
  Number smallest = decode(type, uint64_t(1) << (precisionOf(type) - 1));
  return std::abs(value) < smallest;
}

HostBuffer fill(const BufferSpec &spec, const std::string &seed, bool flushed) {
  HostBuffer made{&spec, {}, spec.lead + spec.count + (spec.output ? kGuard : 0)};
  made.bytes.resize(static_cast<size_t>(made.allocated) * byteSize(spec.type));
  Random random(hashOf(seed)), unused;
  Fill outside = blank();
  for (int64_t i = 0; i < made.allocated; ++i) {
    int64_t index = i - spec.lead;
    bool inside = index >= 0 && index < spec.count;
    Number value = inside ? spec.fill(spec.type, index, random) : outside(spec.type, i, unused);
    if (flushed && isDenormal(spec.type, rounded(spec.type, value)))
      value = 0;
    put(made.bytes, spec.type, i, value);
  }
  return made;
}

std::string divisibilityOf(uint64_t value) {
  uint64_t divisor = value == 0 ? 16 : std::min<uint64_t>(16, value & -value);
  return divisor == 1 ? "" : ":" + std::to_string(divisor);
}

std::string pointerTo(const BufferSpec &buffer) {
  return "*" + std::string(name(buffer.type)) +
         divisibilityOf(static_cast<uint64_t>(buffer.lead) * byteSize(buffer.type));
}

std::string typeOf(const Case &made, const ArgumentSpec &argument) {
  if (auto *buffer = std::get_if<BufferSpec>(&argument))
    return pointerTo(*buffer);
  if (auto *same = std::get_if<SameBuffer>(&argument))
    return pointerTo(*made.buffers().at(same->buffer));
  if (auto *pointers = std::get_if<PointersSpec>(&argument))
    return "**" + std::string(name(pointers->targets.at(0).type)) + ":16";
  if (auto *descriptor = std::get_if<DescriptorSpec>(&argument)) {
    std::string text = "desc<";
    for (int64_t extent : descriptor->block)
      text += std::to_string(extent) + "x";
    return text + std::string(name(descriptor->buffer.type)) + ">";
  }
  if (auto *integer = std::get_if<int64_t>(&argument)) {
    bool small = *integer == static_cast<int32_t>(*integer);
    return (small ? "i32" : "i64") + divisibilityOf(static_cast<uint64_t>(*integer));
  }
  return std::holds_alternative<double>(argument) ? "f32" : "i1";
}

} // namespace

uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

Number HostBuffer::at(int64_t i) const {
  size_t size = byteSize(spec->type);
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[static_cast<size_t>(i) * size], size);
  return decode(spec->type, bits);
}

Inputs HostCase::inputs() const {
  std::vector<std::vector<Number>> values;
  for (const HostBuffer &buffer : buffers) {
    std::vector<Number> &all = values.emplace_back();
    for (int64_t i = 0; i < buffer.spec->count; ++i)
      all.push_back(buffer.at(buffer.spec->lead + i));
  }
  return Inputs(std::move(values));
}

HostCase materialise(const Case &made, const Denormals &flushed) {
  HostCase host;
  for (const BufferSpec *spec : made.buffers()) {
    // Cases of one kernel that differ in size or warps only start with the same data.
    std::string seed = made.kernel + "#" + std::to_string(host.buffers.size());
    host.buffers.push_back(fill(*spec, seed, flushed.contains(spec->type)));
  }
  return host;
}

std::vector<std::optional<std::vector<uint8_t>>> referenceOf(const Case &made, const HostCase &host) {
  std::vector<std::optional<std::vector<uint8_t>>> result;
  std::vector<const BufferSpec *> specs = made.buffers();
  std::optional<Inputs> inputs;
  for (size_t k = 0; k < specs.size(); ++k) {
    std::optional<std::vector<uint8_t>> &bytes = result.emplace_back();
    const BufferSpec &spec = *specs[k];
    if (!spec.output || !spec.expected)
      continue;
    if (!inputs)
      inputs = host.inputs();
    Expected expected = spec.expected(*inputs, spec.count);
    bytes = host.buffers[k].bytes;
    for (int64_t i = 0; i < static_cast<int64_t>(expected.size()); ++i)
      if (expected[static_cast<size_t>(i)])
        put(*bytes, spec.type, spec.lead + i, *expected[static_cast<size_t>(i)]);
  }
  return result;
}

std::string signatureOf(const Case &made) {
  std::string text;
  for (const ArgumentSpec &argument : made.arguments)
    text += (text.empty() ? "" : ", ") + typeOf(made, argument);
  return text;
}

std::string textOf(const Constant &constant) {
  struct Text {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", value);
      return text;
    }
    std::string operator()(const std::string &value) const { return "'" + value + "'"; }
    std::string operator()(DType value) const { return std::string(name(value)); }
  };
  return std::visit(Text(), constant.value());
}

bool uses(const Case &made, DType type) {
  for (const BufferSpec *buffer : made.buffers())
    if (buffer->type == type)
      return true;
  for (const auto &[unused, constant] : made.constants)
    if (auto *dtype = std::get_if<DType>(&constant.value()); dtype && *dtype == type)
      return true;
  return false;
}

} // namespace tegula::conformance
