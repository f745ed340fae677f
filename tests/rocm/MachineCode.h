// Kernels of kernels.py as decoded machine code that a test may change before the emulator executes it.
#pragma once

#include "core/contracts/Artifact.h"
#include "tests/emulator/Program.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace tegula::rocm::test {

using emulator::Instruction;
using Code = std::vector<Instruction>;

enum class Kernel { Matmul, Total, Transpose, Count };

/// Compiles a kernel of kernels.py for a target such as "gfx942", with the types and constants that MachineCode runs it
/// with. Throws std::runtime_error with the compiler's message.
Artifact compile(Kernel kernel, const std::string &target);

/// What an execution gave: the output's bytes, or the message that ended it.
struct Outcome {
  std::string fault; // empty: it ran to its end
  std::vector<uint8_t> output;
  bool operator==(const Outcome &) const = default;
};

/// A kernel, compiled for a target, with inputs whose result is known.
class MachineCode {
public:
  /// Compiles and decodes. Throws like compile.
  MachineCode(Kernel kernel, const std::string &target);

  const Code &code() const { return kernel_->code; }
  /// Executes `code` in the place of the kernel's own, on fresh memory.
  Outcome run(const Code &code) const;
  /// The output that is right.
  std::vector<uint8_t> expected() const;

private:
  Kernel which_;
  uint32_t threads_ = 0, sharedBytes_ = 0;
  std::unique_ptr<const emulator::Program> program_;
  const emulator::KernelCode *kernel_ = nullptr;
};

} // namespace tegula::rocm::test
