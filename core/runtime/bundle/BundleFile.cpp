#include "core/runtime/bundle/BundleFile.h"
#include "core/runtime/KernelEncoding.h"
#include "core/support/ByteStream.h"
#include "core/support/Hash.h"

#include <algorithm>

namespace tegula {
namespace {

constexpr std::string_view kMagic = "TGULABND";
constexpr size_t kHeaderBytes = 8 + 4 + 16; // magic, version, checksum of all bytes after the header

size_t runtimeParams(const KernelInfo &info) {
  return static_cast<size_t>(std::ranges::count_if(info.params, [](const auto &param) { return !param.isConstexpr; }));
}

BundleFile::Instance decodeInstance(ByteReader &in, const BundleFile &bundle) {
  BundleFile::Instance instance;
  instance.kernel = in.get<uint32_t>();
  if (instance.kernel >= bundle.kernels.size())
    throw Error("damaged: an instance of kernel " + std::to_string(instance.kernel) + " of " +
                std::to_string(bundle.kernels.size()));
  const KernelInfo &info = bundle.kernels[instance.kernel].info;
  for (uint32_t n = in.getCount(12); n; --n)
    instance.types.push_back(decodeParamType(in));
  if (instance.types.size() != runtimeParams(info))
    throw Error("damaged: an instance of '" + info.name + "' with " + std::to_string(instance.types.size()) +
                " types for " + std::to_string(runtimeParams(info)) + " parameters");
  instance.constants = decodeConstants(in);
  instance.numWarps = in.get<int32_t>();
  instance.numStages = in.get<int32_t>();
  instance.tile = in.getString();
  return instance;
}

BundleFile::TuningRow decodeTuningRow(ByteReader &in) {
  BundleFile::TuningRow row;
  for (uint32_t n = in.getCount(20); n; --n) {
    auto &[name, range] = row.ranges.emplace_back();
    name = in.getString();
    for (int64_t &end : range)
      end = in.get<int64_t>();
  }
  row.source = in.getString();
  return row;
}

void encode(ByteWriter &out, const BundleFile::TuningRow &row) {
  out.put(static_cast<uint32_t>(row.ranges.size()));
  for (const auto &[name, range] : row.ranges) {
    out.put(name);
    for (int64_t end : range)
      out.put(end);
  }
  out.put(row.source);
}

BundleFile::Code decodeCode(ByteReader &in, const BundleFile &bundle) {
  BundleFile::Code code;
  code.instance = in.get<uint32_t>();
  if (code.instance >= bundle.instances.size())
    throw Error("damaged: code of instance " + std::to_string(code.instance) + " of " +
                std::to_string(bundle.instances.size()));
  code.target = in.getString();
  for (uint32_t n = in.getCount(8); n; --n)
    code.artifacts.push_back(in.getBytes());
  if (code.artifacts.empty())
    throw Error("damaged: no artifact for target " + code.target);
  for (uint32_t n = in.getCount(8); n; --n)
    code.tuning.push_back(decodeTuningRow(in));
  return code;
}

BundleFile decode(ByteReader &in) {
  BundleFile bundle;
  for (uint32_t n = in.getCount(32); n; --n) {
    BundleFile::Kernel &kernel = bundle.kernels.emplace_back();
    kernel.info = decodeKernel(in);
    kernel.path = in.getString();
    kernel.sourceHash = in.getString();
  }
  for (uint32_t n = in.getCount(24); n; --n)
    bundle.instances.push_back(decodeInstance(in, bundle));
  for (uint32_t n = in.getCount(16); n; --n)
    bundle.code.push_back(decodeCode(in, bundle));
  if (in.left())
    throw Error("damaged: " + std::to_string(in.left()) + " bytes after the code");
  return bundle;
}

} // namespace

std::vector<uint8_t> serialize(const BundleFile &bundle) {
  ByteWriter body;
  body.put(static_cast<uint32_t>(bundle.kernels.size()));
  for (const BundleFile::Kernel &kernel : bundle.kernels) {
    encode(body, kernel.info);
    body.put(kernel.path);
    body.put(kernel.sourceHash);
  }
  body.put(static_cast<uint32_t>(bundle.instances.size()));
  for (const BundleFile::Instance &instance : bundle.instances) {
    body.put(instance.kernel);
    body.put(static_cast<uint32_t>(instance.types.size()));
    for (const ParamType &type : instance.types)
      encode(body, type);
    encode(body, instance.constants);
    body.put(static_cast<int32_t>(instance.numWarps));
    body.put(static_cast<int32_t>(instance.numStages));
    body.put(instance.tile);
  }
  body.put(static_cast<uint32_t>(bundle.code.size()));
  for (const BundleFile::Code &code : bundle.code) {
    body.put(code.instance);
    body.put(code.target);
    body.put(static_cast<uint32_t>(code.artifacts.size()));
    for (std::span<const uint8_t> artifact : code.artifacts)
      body.putBytes(artifact);
    body.put(static_cast<uint32_t>(code.tuning.size()));
    for (const BundleFile::TuningRow &row : code.tuning)
      encode(body, row);
  }
  ByteWriter out;
  out.putRaw(std::span(reinterpret_cast<const uint8_t *>(kMagic.data()), kMagic.size()));
  out.put(kBundleVersion);
  out.putRaw(hash128(body.bytes()));
  out.putRaw(body.bytes());
  return out.take();
}

BundleFile parseBundle(std::span<const uint8_t> bytes, const std::string &path) {
  auto fail = [&](const std::string &why) -> Error { return Error("bundle '" + path + "': " + why); };
  if (bytes.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    throw fail("not a bundle: it does not start with '" + std::string(kMagic) + "'");
  if (bytes.size() < kHeaderBytes)
    throw fail("truncated: " + std::to_string(bytes.size()) + " bytes, the header alone takes " +
               std::to_string(kHeaderBytes));
  ByteReader header(bytes.subspan(kMagic.size()));
  auto version = header.get<uint32_t>();
  if (version != kBundleVersion)
    throw fail("it has version " + std::to_string(version) + ", this library reads version " +
               std::to_string(kBundleVersion) + "; build it again with the library's own tegula");
  std::span<const uint8_t> body = bytes.subspan(kHeaderBytes);
  Hash128 sum = hash128(body);
  if (!std::equal(sum.begin(), sum.end(), header.getRaw(sum.size()).begin()))
    throw fail("damaged or truncated: its checksum does not agree");
  try {
    ByteReader in(body);
    BundleFile bundle = decode(in);
    bundle.path = path;
    return bundle;
  } catch (const Error &error) {
    throw fail(error.diagnostic().message);
  }
}

} // namespace tegula
