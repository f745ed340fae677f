// Of Tegula's C++ interface: element types, errors, and the values that launches take. Programs include tegula.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

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
    BadUse,         // a wrong argument, type, name or file
    BadKernel,      // the kernel does not compile
    KernelFault,    // the kernel failed while it ran
    Device,         // the device or its driver failed, is out of memory, or cannot do what was asked for
    Internal,       // a defect of Tegula
    OutOfResources, // the kernel needs more of a resource than its target or device has
    Interrupted,    // the function of setInterruption ended the launch
  };
  struct Shortage {
    std::string resource;             // "shared memory": bytes; "threads": of a program; "registers": of a thread
    uint64_t required = 0, limit = 0; // 0 where unknown
  };
  struct Place {
    std::string file, sentence; // `sentence`: the message without place, source line and notes
    uint32_t line = 0, column = 0;
  };
  ApiError(Kind kind, const std::string &message, bool located = false)
      : std::runtime_error(message), kind_(kind), located_(located) {}
  ApiError(Kind kind, const std::string &message, Place place) : ApiError(kind, message, !place.file.empty()) {
    place_ = std::move(place);
  }

  /// Of kind OutOfResources.
  ApiError(Shortage shortage, const std::string &message, Place place)
      : ApiError(Kind::OutOfResources, message, place) {
    shortage_ = std::move(shortage);
  }
  Kind kind() const { return kind_; }
  /// Where the error is in a kernel's file; the numbers are 0 where it has no place.
  const Place &place() const { return place_; }

  /// Where `kind` is OutOfResources.
  const Shortage &shortage() const { return shortage_; }
  /// The message starts with `file:line:column: error: `; otherwise it is the bare sentence.
  bool located() const { return located_; }

private:
  Kind kind_;
  bool located_;
  Place place_;
  Shortage shortage_;
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

/// An address in the device's memory as an argument: a pointer to elements of `type`, whose extent is not known.
struct DeviceAddress {
  uint64_t address = 0;
  DType type = DType::F32;
  uint64_t bytes = 0; // of memory from the address on; 0: not known, so that slower code may run
};

/// A number of a given type, its bits in the low bytes.
struct TypedScalar {
  DType type = DType::I32;
  uint64_t bits = 0;
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

/// What tuning chooses: values of constexpr parameters and of depth_splits and maxnreg, warps and stages.
struct Config {
  std::map<std::string, Constant> constants = {};
  std::optional<int> numWarps = {}, numStages = {};
};

} // namespace tegula
