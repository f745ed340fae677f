// Tegula's C++ interface: compile Triton-language kernels and launch them on any device that is there.
//
//   tegula::Device device = tegula::Device::open();              // $TEGULA_DEVICE, else the best one found
//   tegula::Stream stream(device);
//   tegula::Kernel add = tegula::Kernel::load("vector_add.py", "add_kernel");
//   tegula::Buffer x(device, tegula::DType::F32, {n}), y(...), z(...);
//   stream.write(x, host.data());
//   add.launch(stream, {tegula::cdiv(n, 1024)}, {x, y, z, n}, {.constants = {{"BLOCK_SIZE", 1024}}});
//   stream.read(z, out.data());
//
// Every failure is a tegula::ApiError whose text says what was wrong and what to do; nothing aborts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "types.hpp"

namespace tegula {

/// A device that the program opened with the vendor's interface, for Device::adopt; docs/c-api.md says what each
/// backend needs.
struct ForeignDevice {
  std::string backend;
  void *instance = nullptr, *physicalDevice = nullptr, *device = nullptr, *queue = nullptr;
  uint32_t queueFamily = 0, version = 0;
  const void *features = nullptr;               // what the device was opened with; read during the call
  std::vector<std::string> extensions = {};     // that it was opened with
  std::function<void()> lock = {}, unlock = {}; // around each use of the queue, where the program uses it meanwhile
};

/// An open device. Copies share it; it is closed with the last.
class TEGULA_API Device {
public:
  struct Info {
    std::string name, description, target;
    uint64_t memoryBytes = 0;
    bool isRealGpu = false;
    std::vector<std::pair<std::string, std::string>> properties;
  };
  /// All devices of the built backends; backends that have none are listed in `absent` with the reason.
  static std::vector<Info> list(std::vector<std::pair<std::string, std::string>> *absent = nullptr);
  /// A name that list() gives, or a backend's name for its first device, with a variant of the device behind a slash
  /// where the backend has variants (`NAME:0/validated`, as its page in docs/ says); empty: $TEGULA_DEVICE, else the
  /// first of the real GPUs, else the CPU.
  static Device open(std::string_view name = {});
  /// A device of the program's, which must outlive this. Its streams submit to the one queue.
  static Device adopt(const ForeignDevice &device);
  const Info &info() const;

  struct Impl;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Memory that the caller owns, for Buffer::wrap.
struct ForeignMemory {
  uint64_t address = 0; // of the first element: of the host on the CPU, else as kernels of the device use it
  size_t bytes = 0;     // that may be accessed from `address` on
  DType type = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides = {};  // empty: dense, row-major; else not negative
  void *handle = nullptr;             // of the vendor's object that contains it, where docs/c-api.md asks for it
  size_t handleOffset = 0;            // of `address` in that object, in bytes
  std::function<void()> release = {}; // called when the last buffer that uses the memory is gone; must not throw
};

/// Device memory with an element type, a shape and strides in elements. Copies and views share the memory.
class TEGULA_API Buffer {
public:
  /// Dense row-major; contents undefined (checked mode reports reads before writes).
  Buffer(const Device &device, DType type, std::vector<int64_t> shape);
  /// The caller's memory as a buffer, valid until `memory.release` is called; where this throws, it is not called. The
  /// contents count as written. Throws on devices that cannot use such memory.
  static Buffer wrap(const Device &device, const ForeignMemory &memory);
  /// The same memory seen otherwise; throws where it would reach outside. `offset` in elements from this buffer's
  /// first.
  Buffer view(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t offset = 0) const;
  /// The same buffer, and its views: launches refuse it for a parameter whose memory the kernel may write, and streams
  /// write nothing to it.
  Buffer readOnly() const;
  /// Two axes exchanged.
  Buffer transposed(int axis0 = 0, int axis1 = 1) const;
  DType type() const;
  const std::vector<int64_t> &shape() const;
  const std::vector<int64_t> &strides() const;
  int64_t stride(int axis) const; // negative counts from the end
  int64_t elements() const;
  size_t bytes() const; // from the first to the last element
  /// Device address of the first element.
  uint64_t address() const;

  struct Impl;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  Buffer() = default;
  std::shared_ptr<Impl> impl_;
};

/// A point in a stream.
class TEGULA_API Event {
public:
  void wait() const;
  /// Seconds of device time from `start` to this.
  double secondsSince(const Event &start) const;
  struct Impl;

private:
  friend class Stream;
  std::shared_ptr<Impl> impl_;
};

class Stream;

/// Work that a stream recorded, launched as a whole. It keeps its kernels; buffers used in it must outlive its
/// launches.
class TEGULA_API Graph {
public:
  /// On a stream of the device that it was captured on.
  void launch(const Stream &stream) const;
  struct Impl;

private:
  friend class Stream;
  std::shared_ptr<Impl> impl_;
};

/// Work in order on one device.
class TEGULA_API Stream {
public:
  explicit Stream(const Device &device);
  /// A stream of the caller's: the handle that the device's vendor gives it (docs/c-api.md); null where that is the
  /// default stream. It stays valid as long as copies of this do, which leave it as it is. Throws on devices without
  /// such streams.
  static Stream wrap(const Device &device, void *native);
  /// The vendor's handle of any stream of such a device.
  void *native() const;
  /// Copies `buffer.elements()` elements, dense in host memory; the buffer must be dense too.
  void write(const Buffer &buffer, const void *host);
  void read(const Buffer &buffer, void *host);
  void fill(const Buffer &buffer, uint8_t byte);
  /// Copies all elements of `from` on the device. Both are dense, of one type, with equally many elements, and do not
  /// overlap. In checked mode the copied elements count as written.
  void copy(const Buffer &to, const Buffer &from);
  Event record();
  /// Later work of this stream starts after the event, which another stream of the same device may have recorded.
  void wait(const Event &event);
  void synchronize();
  /// Between the two, launches, fills and copies on the device become parts of a graph instead of running; kernels are
  /// compiled and loaded before. Synchronising, copies to and from the host and kernels that print throw meanwhile.
  void beginCapture();
  Graph endCapture();
  const Device &device() const;
  struct Impl;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  Stream() = default;
  std::shared_ptr<Impl> impl_;
};

/// A tensor and the block that `desc.load` reads, for kernels that take tensor descriptors.
/// The last stride must be 1.
struct TEGULA_API TensorDescriptor {
  TensorDescriptor(Buffer tensor, std::vector<int64_t> block, bool paddingNaN = false);
  Buffer tensor;
  std::vector<int64_t> block;
  bool paddingNaN;
};

/// An array of device pointers, for kernels that load pointers from memory (`**fp32`). The targets have one type and
/// device.
struct TEGULA_API PointerArray {
  PointerArray(const Stream &stream, std::vector<Buffer> targets);
  std::vector<Buffer> targets;
  Buffer addresses; // u64, one a target
};

/// One launch argument. Integers become i32, or i64 where they do not fit, unless the kernel annotates the parameter;
/// floating-point values become f32.
class Argument {
public:
  Argument(const Buffer &buffer) : value_(buffer) {}
  Argument(const TensorDescriptor &descriptor) : value_(descriptor) {}
  Argument(const PointerArray &pointers) : value_(pointers) {}
  template <std::same_as<bool> T> // not what merely converts to bool, such as a string literal
  Argument(T value) : value_(value) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Argument(T value) : value_(static_cast<int64_t>(value)) {}
  Argument(float value) : value_(static_cast<double>(value)) {}
  Argument(double value) : value_(value) {}
  Argument(std::nullptr_t) : value_(nullptr) {}
  Argument(const DeviceAddress &address) : value_(address) {}
  Argument(const TypedScalar &scalar) : value_(scalar) {}
  /// For a constexpr parameter in its own place.
  template <std::same_as<Constant> T> Argument(const T &constant) : value_(constant) {}
  using Value = std::variant<std::nullptr_t, bool, int64_t, double, Buffer, TensorDescriptor, PointerArray,
                             DeviceAddress, TypedScalar, Constant>;
  const Value &value() const { return value_; }

private:
  Value value_;
};

/// Arguments by the names of their parameters: `{{"x_ptr", x}, {"n", n}}`.
class NamedArguments {
public:
  NamedArguments(std::initializer_list<std::pair<const std::string, Argument>> values) : values_(values) {}
  NamedArguments(std::map<std::string, Argument> values) : values_(std::move(values)) {}
  const std::map<std::string, Argument> &values() const { return values_; }

private:
  std::map<std::string, Argument> values_;
};

struct LaunchOptions {
  /// Constexpr parameters, and options: depth_splits, maxnreg, debug, which compiles tl.device_assert,
  /// sanitize_overflow, default_dot_input_precision, max_num_imprecise_acc_default.
  std::map<std::string, Constant> constants = {};
  std::optional<int> numWarps = {}, numStages = {};
  /// A launch that some compiled code fits does not wait for the compilation of faster code for just these arguments:
  /// that is left to a thread in the background, and later launches take it. False: the launch waits, and runs it.
  bool background = false;
  /// Whether a kernel with `@triton.autotune` may be measured on this launch's arguments if nothing is known for their
  /// sizes (docs/tuning.md). Absent: yes, as in Triton, but never in checked mode.
  std::optional<bool> autotune = {};
  std::optional<double> tuneSeconds = {}; // that such a measurement may take; absent: 60
  /// Every access and assertion tested (docs/debugging.md); absent: TRITON_INTERPRET=1 in the environment, read at each
  /// launch.
  std::optional<bool> checked = {};
  /// device_print text; absent: standard output.
  std::function<void(std::string_view)> print = {};
};

struct TuneOptions {
  std::vector<Config> space = {}; // empty: the configurations of the kernel's @triton.autotune
  double seconds = 60;            // that all of it may take
  bool exhaustive = false;        // every configuration is measured to the end, slow ones, too
  /// The share of the work that is done, and the seconds that the rest is expected to take.
  std::function<void(double done, double left)> progress = {};
};

struct TuneReport {
  std::optional<Config> best; // with a value for each constexpr parameter; absent: none could be launched
  std::string text;           // of the best one, as Triton writes a configuration
  std::string table;          // a line for each configuration: its time, or why it was dropped; the fastest first
  std::string key;            // `M=1024, N=512`: the sizes that the record is for
  size_t candidates = 0;      // that differ
  size_t timed = 0;           // of these, the ones that could be launched in time
  double launchSeconds = 0;   // of the best: lower quartile of the samples
  double spread = 0;          // difference of the quartiles over launchSeconds
  double seconds = 0;         // of all of it
  bool isComplete = true;     // false: the time was spent before the end
  bool isKept = false;        // as a record; where `best` is not, a warning says why
};

/// A name of a file and what it stands for.
struct GlobalName {
  std::string file; // empty: the kernel's own; else the path of a module that it imports, as the compiler finds it
  std::string name;
  std::string value; // text of an expression of the language: `1024`, `(1, 2)`, `'relu'`, `tl.float16`
  std::string from;  // where not empty, `value` is a name in the module of this path: a jit function, for example
};

/// A file that a kernel's file imports, by its path, and what stands in it, whatever is on the disk. The path is the
/// one that GlobalName::from or an import leads to. Of several texts of one path the last counts.
struct SourceText {
  std::string path, text;
};

struct LoadOptions {
  /// Folders in which modules that the file imports are searched, after those beside and around the file and before
  /// those of TEGULA_MODULE_PATH.
  std::vector<std::string> modulePath = {};
  /// Names and what they stand for, whatever the files say: for names whose values the compiler cannot know from the
  /// text.
  std::vector<GlobalName> globals = {};
  /// Files that the kernel's file imports and that are not on the disk, such as the cells of a notebook.
  std::vector<SourceText> texts = {};
};

/// What the compiler reports beside errors: warnings, and the text of static_print with its line ends.
enum class Severity : uint8_t { Warning = 1, Output = 2 };
/// Passes these messages of the whole process to `receive`, in the thread that compiles, instead of standard error and
/// standard output; an empty function restores that.
TEGULA_API void setDiagnostics(std::function<void(Severity, const std::string &text)> receive);

/// Whether the process may compile kernels; without it only code in bundles runs, and kernels that are loaded from
/// source, or lack code for a device, are errors of kind BadUse. For tests of what a program ships. $TEGULA_NO_COMPILER
/// forbids it from outside.
TEGULA_API void allowCompiler(bool allowed);

/// A launch on the CPU keeps its thread busy until the kernel has ended. Meanwhile that thread asks `isInterrupted`, of
/// the whole process, about 20 times a second; where it is true the launch ends with an error of kind Interrupted, and
/// arrays may be written in part. An empty function restores that nobody is asked. `isInterrupted` must not throw.
TEGULA_API void setInterruption(std::function<bool()> isInterrupted);

/// A kernel of a source file: compiled on first use for each combination of types, constants and options, and kept in
/// memory and on disk. Copies share it. Launching is thread-safe.
class TEGULA_API Kernel {
public:
  /// `kernel` may be empty where the file holds only one jit function that no other calls.
  static Kernel load(const std::string &path, std::string_view kernel = {}, const LoadOptions &options = {});
  static Kernel fromSource(const std::string &source, std::string_view kernel = {},
                           const std::string &path = "<string>", const LoadOptions &options = {});

  const std::string &name() const;
  /// Parameters in order; constexpr ones are marked.
  std::vector<std::pair<std::string, bool>> parameters() const;

  /// Arguments by position: the parameters that are not constexpr, in order. Constants may also stand among them at
  /// their own place where all parameters are given.
  void launch(const Stream &stream, Grid grid, const std::vector<Argument> &arguments,
              const LaunchOptions &options = {}) const;
  /// Arguments by name.
  void launch(const Stream &stream, Grid grid, const NamedArguments &arguments,
              const LaunchOptions &options = {}) const;
  /// A grid that depends on the constants which a configuration or a default supplies, as Triton's `lambda META:
  /// (...)`.
  using GridFunction = std::function<Grid(const std::map<std::string, Constant> &constants)>;
  void launch(const Stream &stream, const GridFunction &grid, const std::vector<Argument> &arguments,
              const LaunchOptions &options = {}) const;
  void launch(const Stream &stream, const GridFunction &grid, const NamedArguments &arguments,
              const LaunchOptions &options = {}) const;

  /// Measures configurations on these arguments, whatever is known already, and keeps the fastest as a record for
  /// arguments of these types and sizes, which later launches take (docs/tuning.md). Constants in `options` stay as
  /// they are. The kernel runs many times: name buffers that it changes and reads in `restore_value`. Throws where
  /// there is no configuration to choose from; a record that cannot be kept is a warning.
  TuneReport tune(const Stream &stream, const GridFunction &grid, const std::vector<Argument> &arguments,
                  const LaunchOptions &options = {}, const TuneOptions &how = {}) const;
  TuneReport tune(const Stream &stream, const GridFunction &grid, const NamedArguments &arguments,
                  const LaunchOptions &options = {}, const TuneOptions &how = {}) const;

  struct Impl;
  const std::shared_ptr<const Impl> &impl() const { return impl_; }

private:
  friend class Bundle;
  explicit Kernel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The user's records as tables (docs/tuning.md), by target; and the merging of the records in a table's text into the
/// user's: how many. `file` is for messages.
TEGULA_API std::vector<std::pair<std::string, std::string>> exportTuning();
TEGULA_API size_t importTuning(const std::string &text, const std::string &file);

/// Kernels that `tegula build` compiled ahead of time (docs/bundles.md). Copies share it.
class TEGULA_API Bundle {
public:
  static Bundle open(const std::string &path);
  /// A bundle that is part of the program, for example; `bytes` must live as long as its kernels. `name` is for
  /// messages.
  static Bundle fromMemory(std::span<const std::byte> bytes, const std::string &name = "<memory>");

  std::vector<std::string> kernels() const;
  /// Launched like a kernel of a file, with types and constants that it was built for. Throws for an unknown name.
  Kernel kernel(std::string_view name) const;

  struct Impl;
  const std::shared_ptr<const Impl> &impl() const { return impl_; }

private:
  explicit Bundle(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// A buffer whose element type the compiler knows.
template <DType element> class Tensor : public Buffer {
public:
  /// As Buffer's constructor.
  Tensor(const Device &device, std::vector<int64_t> shape) : Buffer(device, element, std::move(shape)) {}
  /// Throws where the buffer has another element type.
  explicit Tensor(const Buffer &buffer) : Buffer(buffer) {
    if (buffer.type() != element)
      throw ApiError(ApiError::Kind::BadUse, "a buffer of " + std::string(name(buffer.type())) + " as a tensor of " +
                                                 std::string(name(element)));
  }
};

} // namespace tegula
