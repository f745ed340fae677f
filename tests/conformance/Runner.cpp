#include "tests/conformance/Runner.h"
#include "core/contracts/Compiler.h"
#include "core/runtime/Session.h"
#include "core/support/Hash.h"
#include "tests/conformance/Fills.h"

#include <chrono>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

namespace tegula::conformance {

namespace {

namespace fs = std::filesystem;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A case's buffers on the device, and its arguments made of them.
class Uploaded {
public:
  Uploaded(const Case &made, const HostCase &host, Stream &stream) : stream_(stream) {
    for (const HostBuffer &buffer : host.buffers) {
      Buffer &whole = whole_.emplace_back(stream.device(), buffer.spec->type, std::vector<int64_t>{buffer.allocated});
      stream.write(whole, buffer.bytes.data());
      elements_.push_back(whole.view({buffer.spec->count}, {1}, buffer.spec->lead));
    }
    size_t next = 0;
    for (const ArgumentSpec &argument : made.arguments)
      arguments_.push_back(convert(argument, next));
  }

  const std::vector<Argument> &arguments() const { return arguments_; }

  std::vector<std::vector<uint8_t>> readBack() {
    std::vector<std::vector<uint8_t>> result;
    for (const Buffer &whole : whole_)
      stream_.read(whole, result.emplace_back(whole.bytes()).data());
    return result;
  }

private:
  Argument convert(const ArgumentSpec &argument, size_t &next) {
    if (std::holds_alternative<BufferSpec>(argument))
      return elements_.at(next++);
    if (auto *same = std::get_if<SameBuffer>(&argument))
      return elements_.at(same->buffer);
    if (auto *descriptor = std::get_if<DescriptorSpec>(&argument)) {
      Buffer tensor = whole_.at(next++).view(descriptor->shape, descriptor->strides, descriptor->buffer.lead);
      return TensorDescriptor(tensor, descriptor->block, descriptor->paddingNaN);
    }
    if (auto *pointers = std::get_if<PointersSpec>(&argument)) {
      std::vector<Buffer> targets;
      for (size_t i = 0; i < pointers->targets.size(); ++i)
        targets.push_back(elements_.at(next++));
      return PointerArray(stream_, targets);
    }
    if (auto *integer = std::get_if<int64_t>(&argument))
      return *integer;
    if (auto *real = std::get_if<double>(&argument))
      return *real;
    return std::get<bool>(argument);
  }

  Stream &stream_;
  std::vector<Buffer> whole_, elements_;
  std::vector<Argument> arguments_;
};

/// Checksum of the runtime library without its build id, which every change of the compiler changes too.
std::string runtimeLibrary() {
  Dl_info found{};
  if (!dladdr(reinterpret_cast<void *>(&parseDType), &found) || !found.dli_fname)
    return buildId();
  std::ifstream file(found.dli_fname, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::string_view id = buildId();
  for (size_t at = bytes.find(id); at != std::string::npos; at = bytes.find(id, at))
    bytes.replace(at, id.size(), id.size(), '0');
  return bytes.empty() ? buildId() : toHex(hash128(bytes));
}

std::string identityOf(const Device::Info &device) {
  static const std::string library = runtimeLibrary();
  std::string text = library + "\n" + device.name + "\n" + device.description + "\n" + device.target;
  for (const auto &[property, value] : device.properties)
    text += "\n" + property + "=" + value;
  return text;
}

std::string listed(const std::vector<int64_t> &numbers) {
  std::string text = "(";
  for (int64_t number : numbers)
    text += std::to_string(number) + ",";
  return text + ")";
}

std::string describe(const Policy &policy) {
  std::string text = std::to_string(static_cast<int>(policy.kind)) + (policy.anyZero ? "z" : "");
  for (double bound : {policy.ulps, policy.relative, policy.absolute})
    text += " " + textOf(Constant(bound));
  return text + (policy.through ? " " + std::string(name(*policy.through)) : "");
}

} // namespace

Folders Folders::standard() {
  std::error_code ignored;
  fs::path root = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path().parent_path();
  if (!fs::exists(root / "tests/conformance/kernels", ignored))
    root = TEGULA_SOURCE_DIR;
  return {(root / "tests/conformance/kernels").string(), (root / "samples").string(), ""};
}

std::string Folders::path(const Case &made) const {
  const std::string &folder = made.folder == Folder::Suite ? suite : made.folder == Folder::Samples ? samples : seeds;
  return (fs::path(folder) / made.file).string();
}

Runner::Runner(Device device, Folders folders, bool checked)
    : device_(std::move(device)), stream_(device_), folders_(std::move(folders)), checked_(checked),
      driver_(identityOf(device_.info())) {}

const Kernel &Runner::kernel(const Case &made) {
  std::string path = folders_.path(made), key = path + "::" + made.kernel;
  auto found = kernels_.find(key);
  if (found == kernels_.end())
    found = kernels_.emplace(key, Kernel::load(path, made.kernel)).first;
  return found->second;
}

std::string Runner::keyOf(const Case &made, const HostCase &host, Artifact artifact) const {
  artifact.sourceHash.clear();
  artifact.sourcePath.clear();
  std::string text = driver_ + "\n" + toHex(hash128(session::artifactBytes(artifact))) + (checked_ ? " checked" : "");
  for (int64_t extent : made.programs)
    text += " " + std::to_string(extent);
  for (const ArgumentSpec &argument : made.arguments)
    if (auto *integer = std::get_if<int64_t>(&argument))
      text += " " + std::to_string(*integer);
    else if (auto *real = std::get_if<double>(&argument))
      text += " " + conformance::textOf(Constant(*real));
    else if (auto *descriptor = std::get_if<DescriptorSpec>(&argument))
      text += " " + listed(descriptor->shape) + listed(descriptor->strides) + (descriptor->paddingNaN ? "nan" : "");
    else if (auto *same = std::get_if<SameBuffer>(&argument))
      text += " same " + std::to_string(same->buffer);
    else
      text += std::holds_alternative<bool>(argument) ? (std::get<bool>(argument) ? " true" : " false") : " buffer";
  for (const HostBuffer &buffer : host.buffers)
    text += "\n" + toHex(hash128(buffer.bytes)) + " " + std::to_string(buffer.spec->lead) + " " +
            describe(buffer.spec->policy);
  return toHex(hash128(text + "\n" + made.fault.value_or("") + "\n" + made.checkedFault.value_or("")));
}

void Runner::launch(const Case &made, const HostCase &host, const std::function<bool(const std::string &key)> &isKnown,
                    Outcome &outcome) {
  Uploaded uploaded(made, host, stream_);
  std::mutex mutex;
  LaunchOptions options;
  options.constants = made.constants;
  if (made.numWarps > 0)
    options.numWarps = made.numWarps;
  options.checked = checked_;
  options.autotune = false; // the first configuration: the oracle's grid and results are for that one
  options.print = [&](std::string_view text) {
    std::lock_guard lock(mutex);
    outcome.printed += text;
  };
  // A kernel of its own where the execution may become known: another case's variant, whose guards hold here too, would
  // run in place of the artifact that the key is made of.
  std::optional<Kernel> own;
  if (isKnown)
    own = Kernel::load(folders_.path(made), made.kernel);
  const Kernel &loaded = own ? *own : kernel(made);
  double start = seconds();
  if (isKnown) {
    Artifact artifact = session::compileFor(loaded, device_, uploaded.arguments(), options);
    outcome.compileSeconds = seconds() - start;
    outcome.products = artifact.products;
    outcome.key = keyOf(made, host, std::move(artifact));
    outcome.known = isKnown(outcome.key);
    if (outcome.known)
      return;
  }
  loaded.launch(stream_, Grid(0), uploaded.arguments(), options); // compiles, and launches nothing
  if (!isKnown)
    outcome.compileSeconds = seconds() - start;
  loaded.launch(stream_, Grid(made.programs[0], made.programs[1], made.programs[2]), uploaded.arguments(), options);
  outcome.products = session::lastLaunch(loaded).products;
  stream_.synchronize();
  outcome.buffers = uploaded.readBack();
}

Outcome Runner::run(const Case &made, const HostCase &host,
                    const std::function<bool(const std::string &key)> &isKnown) {
  Outcome outcome;
  try {
    launch(made, host, isKnown, outcome);
  } catch (const ApiError &error) {
    outcome.error = error;
  }
  return outcome;
}

Denormals Runner::findFlushed() {
  Denormals flushed;
  for (DType type : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    Number denormal = decode(type, 4);
    Case probe;
    probe.file = "arithmetic.py";
    probe.kernel = "add";
    probe.in(type, 32, constant(denormal)).in(type, 32, constant(denormal)).out(type, 32).value(32).with("BLOCK", 32);
    HostCase host = materialise(probe);
    Outcome outcome = run(probe, host);
    if (outcome.error)
      continue;
    host.buffers[2].bytes = outcome.buffers[2];
    if (host.buffers[2].at(0) == 0)
      flushed.insert(type);
  }
  return flushed;
}

} // namespace tegula::conformance
