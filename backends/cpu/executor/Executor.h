// Runs bytecode on the host: programs of a grid on all cores, whole-tile operations in vectorised loops. It does not
// use MLIR, and does not know launches, caches or files.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "core/support/Diagnostic.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tegula::cpu {

/// A tensor descriptor as a kernel parameter; extents and strides are in elements.
struct DescriptorArgument {
  void *base = nullptr;
  std::vector<int64_t> shape, strides;
  bool paddingNaN = false;
};

/// The value of one kernel parameter. A scalar's bits are in the low bytes (f16: 2 bytes, f32: 4, ...).
struct ArgumentValue {
  uint64_t bits = 0;
  const DescriptorArgument *descriptor = nullptr;
};

/// A buffer that a checked launch may access.
struct BufferRange {
  void *base = nullptr;
  size_t size = 0;                       // bytes
  std::string name;                      // for messages: the parameter that it is passed as; may be empty
  ElementKind element = ElementKind::I8; // for messages
  uint8_t *written = nullptr;            // one byte for each byte: not 0 if it was written; null: all were
};

struct LaunchOptions {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// In checked mode, programs run one after another in the order of their index, and every access is tested against
  /// the buffer that its pointer was derived from. A pointer carries the index of this buffer in its upper 16 bits;
  /// pointer arithmetic that would change the index is detected. Memory holds plain addresses: a pointer gets its index
  /// when it is loaded, and loses it when it is stored.
  bool checked = false;
  std::span<const BufferRange> buffers;        // in checked mode: all live buffers of the device
  unsigned threads = 0;                        // 0: as many as there are cores
  std::function<void(std::string_view)> print; // receives device_print text in whole lines; default: standard output
  /// The text of line `line` of the kernel's file, for messages; may be empty.
  std::function<std::string(uint32_t line)> sourceLine;
  /// Called by the launching thread, at most about 20 times a second; the result true ends the launch. May be null.
  bool (*isInterrupted)() = nullptr;
};

/// A module prepared for execution. Immutable; several threads may use it at once.
class Program {
public:
  explicit Program(Module module);
  ~Program();
  /// Runs the whole grid, and returns when it is done. Throws KernelFault for the failing program with the lowest
  /// index, with source line, program id and element index. A failed device_assert is a fault in unchecked mode, too.
  /// Throws Interrupted if isInterrupted ended the launch.
  void run(std::span<const ArgumentValue> arguments, const LaunchOptions &options) const;
  const Module &module() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tegula::cpu
