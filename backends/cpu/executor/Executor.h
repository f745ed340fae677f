// Runs bytecode on the host: programs of a grid spread over all cores, whole-tile operations in vectorised loops. Part
// of the runtime library: no MLIR, no knowledge of launches, caches or files.
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

/// A tensor descriptor as a kernel parameter; extents and strides in elements.
struct DescriptorArgument {
  void *base = nullptr;
  std::vector<int64_t> shape, strides;
  bool paddingNaN = false;
};

/// The value of one kernel parameter. Scalars hold their bits in the low bytes (f16: 2, f32: 4, ...).
struct ArgumentValue {
  uint64_t bits = 0;
  const DescriptorArgument *descriptor = nullptr;
};

/// Memory that a checked launch may touch.
struct BufferRange {
  void *base = nullptr;
  size_t size = 0;                       // bytes
  std::string name;                      // for messages: the parameter it was passed as, or empty
  ElementKind element = ElementKind::I8; // for messages
  uint8_t *written = nullptr;            // one byte per byte of the buffer: non-zero where written; null: all are
};

struct LaunchOptions {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// Programs run one after another in order of their index, and every access is tested against the buffer that its
  /// pointer was derived from. A pointer carries the index of this buffer in its upper 16 bits, where pointer
  /// arithmetic that would change the index is detected; a pointer loaded from or stored to memory is translated from
  /// or to an address.
  bool checked = false;
  std::span<const BufferRange> buffers;        // checked only: all live buffers of the device
  unsigned threads = 0;                        // 0: all cores
  std::function<void(std::string_view)> print; // device_print text, whole lines; default: standard output
  /// Text of line `line` of the kernel's file for messages; may be empty.
  std::function<std::string(uint32_t line)> sourceLine;
  /// Asked by the calling thread, at most about 20 times a second; true ends the launch. May be null.
  bool (*isInterrupted)() = nullptr;
};

/// A module prepared for execution; immutable, usable from several threads at once.
class Program {
public:
  explicit Program(Module module);
  ~Program();
  /// Runs the whole grid and returns when it is done. Throws KernelFault for the failing program of lowest index, with
  /// source line, program id and element index. A failed device_assert is a fault in unchecked mode, too. Throws
  /// Interrupted where isInterrupted ended it.
  void run(std::span<const ArgumentValue> arguments, const LaunchOptions &options) const;
  const Module &module() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tegula::cpu
