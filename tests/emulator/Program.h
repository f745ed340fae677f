// A code object (HSACO) made ready to be executed: its kernels, decoded, with what a launch must know of them.
#pragma once

#include "tests/emulator/Instruction.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tegula::emulator {

/// An argument in the kernel's argument segment. Source: LLVM's AMDGPU usage page, code object v5 metadata.
struct KernelArgument {
  uint32_t offset = 0, size = 0; // bytes
  std::string kind;              // `.value_kind`: "global_buffer", "by_value", "hidden_block_count_x" ...
};

/// The scalar registers that the hardware fills before a wave begins, in this order.
struct InitialScalars {
  bool privateSegmentBuffer = false, dispatchPointer = false, queuePointer = false, kernargPointer = false,
       dispatchId = false, flatScratch = false, privateSegmentSize = false;
  unsigned userCount = 0;
  bool workgroupX = false, workgroupY = false, workgroupZ = false, workgroupInfo = false, privateOffset = false;
};

struct KernelCode {
  std::string name;
  std::vector<Instruction> code;
  std::vector<KernelArgument> arguments;
  uint32_t argumentBytes = 0;  // of the whole segment
  uint32_t sharedBytes = 0;    // of LDS that the code declares itself
  uint32_t scratchBytes = 0;   // of private memory of one lane
  uint32_t mostThreads = 1024; // of a workgroup
  uint32_t registers = 0;      // vector registers of a lane
  InitialScalars initial;
  uint32_t mode = 0; // the register MODE at the beginning
};

class Program {
public:
  /// Decodes all kernels of a code object. `target`: the architecture that it must be for, such as "gfx1100". Throws
  /// Fault with what is wrong with it.
  Program(std::span<const uint8_t> object, const std::string &target);

  /// Null where there is none of this name.
  const KernelCode *find(const std::string &name) const;
  Family family() const { return family_; }
  unsigned lanes() const { return family_ == Family::Gfx9 ? 64 : 32; }

private:
  Family family_ = Family::Gfx11;
  std::map<std::string, KernelCode> kernels_;
};

/// Of "gfx942": Gfx9. Throws Fault for an architecture that is not emulated.
Family familyOf(const std::string &target);

/// LLVM's features for reading and writing the target's instructions as text. From gfx11 on, code that Tegula generates
/// uses no half registers (docs/rocm.md), so 16-bit operands are whole registers: `v1`, not `v1.l`.
const char *disassemblyFeatures(const std::string &target);

} // namespace tegula::emulator
