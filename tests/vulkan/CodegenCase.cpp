#include "tests/vulkan/CodegenCase.h"

#include "core/support/ByteStream.h"
#include "core/support/Files.h"

namespace tegula::vulkan::test {

void writeCases(const std::string &path, const std::vector<CodegenCase> &cases) {
  ByteWriter out;
  out.put(static_cast<uint32_t>(cases.size()));
  for (const CodegenCase &each : cases) {
    out.put(each.name);
    out.putBytes(serialize(each.artifact));
    out.put(static_cast<uint32_t>(each.buffers.size()));
    for (const auto &buffer : each.buffers)
      out.putBytes({reinterpret_cast<const uint8_t *>(buffer.data()), buffer.size()});
    out.put(static_cast<uint32_t>(each.scalars.size()));
    for (uint64_t scalar : each.scalars)
      out.put(scalar);
    for (uint32_t extent : each.grid)
      out.put(extent);
    out.put(each.result);
    out.put(static_cast<uint32_t>(each.expected.size()));
    for (double value : each.expected)
      out.put(value);
    out.put(each.tolerance);
  }
  writeFile(path, out.bytes());
}

std::vector<CodegenCase> readCases(const std::string &path) {
  std::vector<uint8_t> bytes = readFile(path);
  ByteReader in(bytes);
  std::vector<CodegenCase> cases(in.getCount(1));
  for (CodegenCase &each : cases) {
    each.name = in.getString();
    each.artifact = deserializeArtifact(in.getBytes());
    each.buffers.resize(in.getCount(8));
    for (auto &buffer : each.buffers) {
      std::span<const uint8_t> raw = in.getBytes();
      const auto *begin = reinterpret_cast<const std::byte *>(raw.data());
      buffer.assign(begin, begin + raw.size());
    }
    each.scalars.resize(in.getCount(8));
    for (uint64_t &scalar : each.scalars)
      scalar = in.get<uint64_t>();
    for (uint32_t &extent : each.grid)
      extent = in.get<uint32_t>();
    each.result = in.get<uint32_t>();
    each.expected.resize(in.getCount(8));
    for (double &value : each.expected)
      value = in.getDouble();
    each.tolerance = in.getDouble();
  }
  return cases;
}

} // namespace tegula::vulkan::test
