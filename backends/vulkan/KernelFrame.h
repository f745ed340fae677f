// The SPIR-V around each kernel's body: the argument block, the program's position in the grid, the thread's number in
// the program. They are declared before the entry function and read at its start.
#pragma once

#include "backends/vulkan/Arguments.h"
#include "backends/vulkan/Binary.h"
#include "backends/vulkan/spirv/Builder.h"

namespace tegula::vulkan {

class KernelFrame {
public:
  using Id = spirv::Id;

  /// Declares the globals and opens the entry function. Arguments.h defines the layout of arguments.
  KernelFrame(spirv::Builder &builder, std::span<const ArtifactParam> params, std::span<const HiddenArgument> hidden,
              KernelBinary::Passing passing);
  KernelFrame(const KernelFrame &) = delete;

  /// The value of a scalar parameter: an integer or a float of its type, or for a type of fewer than 32 bits a
  /// zero-extended 32-bit word. A pointer parameter is a 64-bit address.
  Id param(size_t index);
  /// One part of the descriptor that is parameter `index`. `part` numbers the slots of a descriptor in the order of
  /// Arguments.h: address, extents, strides (64 bits each), padding (32 bits).
  Id descriptorPart(size_t index, size_t part) { return slots_[layout_.first[index] + part]; }
  /// The 64-bit address that a hidden argument (Scratch, PrintBuffer or SafeAddress) passes.
  Id hiddenAddress(HiddenArgument argument);
  /// The program's index along the axis, and the number of programs, each of 32 bits. In a kernel with GridBase and
  /// GridSize both refer to the whole grid; otherwise to this launch.
  Id programId(uint32_t axis);
  Id programCount(uint32_t axis);
  /// The thread's number, 0 to threads - 1, 32 bits.
  Id threadId() { return thread_; }

  /// Ends the function and makes it the entry point, with one-dimensional workgroups.
  void finish(std::string_view entry, uint32_t threads);

private:
  /// The first slot of a hidden argument. Throws InternalError if the kernel does not have the argument.
  size_t hiddenSlot(HiddenArgument argument) const;
  bool has(HiddenArgument argument) const;
  Id loadBuiltin(spv::BuiltIn builtIn);
  void loadSlots(KernelBinary::Passing passing, Id block);

  spirv::Builder &builder_;
  std::vector<ArtifactParam> params_;
  std::vector<HiddenArgument> hidden_;
  ArgumentLayout layout_;
  std::vector<Id> slots_; // the loaded arguments, one for each slot
  Id function_ = 0, thread_ = 0, workgroup_ = 0, workgroups_ = 0;
};

} // namespace tegula::vulkan
