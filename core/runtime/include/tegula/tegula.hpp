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

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#if defined(_WIN32)
#define TEGULA_API
#else
#define TEGULA_API __attribute__((visibility("default")))
#endif

namespace tegula {

/// Element types. The names are those of `--signature` and of messages: `f32`, `bf16`, `f8e4m3`, ...
enum class DType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
};
/// `f32`. Throws nothing.
TEGULA_API std::string_view name(DType type);
/// Bytes of one element; 1 for i1.
TEGULA_API size_t byteSize(DType type);
/// Accepts our names and Triton's; throws ApiError for others.
TEGULA_API DType parseDType(std::string_view text);

/// What every function below throws. `what()` is the whole message, located where there is a place.
class TEGULA_API ApiError : public std::runtime_error {
public:
  enum class Kind : uint8_t {
    BadUse,      // a wrong argument, type, name or file
    BadKernel,   // the kernel does not compile
    KernelFault, // the kernel failed while it ran
    Device,      // the device or its driver failed
    Internal,    // a defect of Tegula
  };
  ApiError(Kind kind, const std::string &message, bool located = false)
      : std::runtime_error(message), kind_(kind), located_(located) {}
  Kind kind() const { return kind_; }
  /// The message starts with `file:line:column: error: `; otherwise it is the bare sentence.
  bool located() const { return located_; }

private:
  Kind kind_;
  bool located_;
};

/// ceil(a / b) for positive b.
constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The smallest power of two that is not below n; 1 for n <= 1.
constexpr int64_t nextPowerOf2(int64_t n) {
  int64_t p = 1;
  while (p < n)
    p *= 2;
  return p;
}

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
  const Info &info() const;

  struct Impl;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Device memory with an element type, a shape and strides in elements. Copies and views share the memory.
class TEGULA_API Buffer {
public:
  /// Dense row-major; contents undefined (checked mode reports reads before writes).
  Buffer(const Device &device, DType type, std::vector<int64_t> shape);
  /// The same memory seen otherwise; throws where it would reach outside. `offset` in elements from this buffer's
  /// first.
  Buffer view(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t offset = 0) const;
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

/// Work in order on one device.
class TEGULA_API Stream {
public:
  explicit Stream(const Device &device);
  /// Copies `buffer.elements()` elements, dense in host memory; the buffer must be dense too.
  void write(const Buffer &buffer, const void *host);
  void read(const Buffer &buffer, void *host);
  void fill(const Buffer &buffer, uint8_t byte);
  /// Copies all elements of `from` on the device. Both are dense, of one type, with equally many elements, and do not
  /// overlap. In checked mode the copied elements count as written.
  void copy(const Buffer &to, const Buffer &from);
  Event record();
  void synchronize();
  const Device &device() const;
  struct Impl;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
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
  using Value = std::variant<std::nullptr_t, bool, int64_t, double, Buffer, TensorDescriptor, PointerArray>;
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

/// The value of a `tl.constexpr` parameter.
class Constant {
public:
  Constant(std::nullptr_t) {}
  template <std::same_as<bool> T> Constant(T value) : value_(value) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Constant(T value) : value_(static_cast<int64_t>(value)) {}
  Constant(double value) : value_(value) {}
  Constant(const char *value) : value_(std::string(value)) {}
  Constant(std::string value) : value_(std::move(value)) {}
  Constant(DType value) : value_(value) {}
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string, DType>;
  const Value &value() const { return value_; }

private:
  Value value_;
};

/// Programs along axes 0, 1, 2. An axis of 0 launches nothing.
struct Grid {
  Grid(int64_t x, int64_t y = 1, int64_t z = 1) : axes{x, y, z} {}
  std::array<int64_t, 3> axes;
};

struct LaunchOptions {
  std::map<std::string, Constant> constants = {}; // constexpr parameters by name
  std::optional<int> numWarps = {}, numStages = {};
  /// A launch that some compiled code fits does not wait for the compilation of faster code for just these arguments:
  /// that is left to a thread in the background, and later launches take it. False: the launch waits, and runs it.
  bool background = false;
  /// Whether a kernel with `@triton.autotune` may be measured on this launch's arguments if nothing is known for their
  /// sizes (docs/tuning.md). Absent: yes, as in Triton, but never in checked mode.
  std::optional<bool> autotune = {};
  std::optional<double> tuneSeconds = {}; // that such a measurement may take; absent: 60
  /// Every access tested (see docs/debugging.md); absent: TRITON_INTERPRET=1 in the environment, read at each launch.
  std::optional<bool> checked = {};
  /// device_print text; absent: standard output.
  std::function<void(std::string_view)> print = {};
};

struct LoadOptions {
  /// Folders in which modules that the file imports are searched, after those beside and around the file and before
  /// those of TEGULA_MODULE_PATH.
  std::vector<std::string> modulePath = {};
};

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

  struct Impl;
  const std::shared_ptr<const Impl> &impl() const { return impl_; }

private:
  explicit Kernel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

} // namespace tegula
