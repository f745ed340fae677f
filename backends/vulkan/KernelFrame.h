// What every kernel's SPIR-V has around its body: the argument block, the program's place in the grid, the thread's
// place in the program. Made before the entry function, read at its start.
#pragma once

#include "backends/vulkan/Arguments.h"
#include "backends/vulkan/Binary.h"
#include "backends/vulkan/spirv/Builder.h"

namespace tegula::vulkan {

class KernelFrame {
public:
  using Id = spirv::Id;

  /// Declares the globals and opens the entry function. The layout of arguments is Arguments.h's.
  KernelFrame(spirv::Builder &builder, std::span<const ArtifactParam> params, std::span<const HiddenArgument> hidden,
              KernelBinary::Passing passing);
  KernelFrame(const KernelFrame &) = delete;

  /// A scalar parameter as a value of its type, an integer or a float; of a type of fewer than 32 bits, the bits in a
  /// word below zeros. A pointer parameter as an address of 64 bits.
  Id param(size_t index);
  /// A descriptor's part by its place in the block: address, extents, strides (64 bits each), padding (32 bits).
  Id descriptorPart(size_t index, size_t part) { return slots_[layout_.first[index] + part]; }
  /// Address of a hidden argument that is one.
  Id hiddenAddress(HiddenArgument argument);
  /// The program's place, and how many there are: 32 bits. Where the kernel has GridBase and GridSize they count from
  /// the whole grid.
  Id programId(uint32_t axis);
  Id programCount(uint32_t axis);
  /// 0 to threads - 1, 32 bits.
  Id threadId() { return thread_; }

  /// Ends the function and makes it the entry point of one-dimensional workgroups.
  void finish(std::string_view entry, uint32_t threads);

private:
  /// First slot of a hidden argument; throws InternalError where the kernel has none.
  size_t hiddenSlot(HiddenArgument argument) const;
  bool has(HiddenArgument argument) const;
  Id loadBuiltin(spv::BuiltIn builtIn);
  void loadSlots(KernelBinary::Passing passing, Id block);

  spirv::Builder &builder_;
  std::vector<ArtifactParam> params_;
  std::vector<HiddenArgument> hidden_;
  ArgumentLayout layout_;
  std::vector<Id> slots_; // values
  Id function_ = 0, thread_ = 0, workgroup_ = 0, workgroups_ = 0;
};

} // namespace tegula::vulkan
