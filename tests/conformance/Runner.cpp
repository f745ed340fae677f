#include "tests/conformance/Runner.h"
#include "core/runtime/Session.h"
#include "tests/conformance/Fills.h"

#include <chrono>
#include <filesystem>
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
    : device_(std::move(device)), stream_(device_), folders_(std::move(folders)), checked_(checked) {}

const Kernel &Runner::kernel(const Case &made) {
  std::string path = folders_.path(made), key = path + "::" + made.kernel;
  auto found = kernels_.find(key);
  if (found == kernels_.end())
    found = kernels_.emplace(key, Kernel::load(path, made.kernel)).first;
  return found->second;
}

void Runner::launch(const Case &made, const HostCase &host, Outcome &outcome) {
  Uploaded uploaded(made, host, stream_);
  std::mutex mutex;
  LaunchOptions options;
  options.constants = made.constants;
  if (made.numWarps > 0)
    options.numWarps = made.numWarps;
  options.checked = checked_;
  options.print = [&](std::string_view text) {
    std::lock_guard lock(mutex);
    outcome.printed += text;
  };
  const Kernel &loaded = kernel(made);
  double start = seconds();
  loaded.launch(stream_, Grid(0), uploaded.arguments(), options); // compiles, and launches nothing
  outcome.compileSeconds = seconds() - start;
  loaded.launch(stream_, Grid(made.programs[0], made.programs[1], made.programs[2]), uploaded.arguments(), options);
  outcome.products = session::lastLaunch(loaded).products;
  stream_.synchronize();
  outcome.buffers = uploaded.readBack();
}

Outcome Runner::run(const Case &made, const HostCase &host) {
  Outcome outcome;
  try {
    launch(made, host, outcome);
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
