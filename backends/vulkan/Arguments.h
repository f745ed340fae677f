// Layout of a kernel's argument block. The code generator, whose code reads the arguments, and the driver, which writes
// them, share it. The block is passed as push constants, or lies in a buffer whose address is the only push constant.
//
// Slots have 4 or 8 bytes and their natural alignment; narrower scalars are zero-extended into 4 bytes, so that no
// device needs 8- or 16-bit push constants.
//
//   scalar i1 i8 i16 i32 f16 bf16 f32 f8*     one slot of 4
//   scalar i64 f64, pointer                   one slot of 8
//   descriptor of rank r                      address, r extents, r strides (elements): 8 each; isNaN: 4
//   GridBase                                  three slots of 4: number of the dispatch's first program on each axis
//   GridSize                                  three slots of 4: number of the whole grid's programs on each axis
//   Scratch, PrintBuffer, SafeAddress         one slot of 8: an address
//
// isNaN is 1 if elements outside of the descriptor's tensor are NaN, 0 if they are zero.
#pragma once

#include "core/contracts/Artifact.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::vulkan {

struct ArgumentSlot {
  uint32_t offset = 0; // bytes from the start of the block
  uint32_t bytes = 4;  // 4 or 8
  bool operator==(const ArgumentSlot &) const = default;
};

struct ArgumentLayout {
  ArgumentLayout() = default;
  ArgumentLayout(std::span<const ArtifactParam> params, std::span<const HiddenArgument> hidden);

  std::vector<ArgumentSlot> slots;
  std::vector<uint32_t> first; // first slot of each parameter, then of each hidden argument
  uint32_t bytes = 0;          // size of the block; a multiple of 8

  const ArgumentSlot &param(size_t index, size_t part = 0) const { return slots[first[index] + part]; }
};

} // namespace tegula::vulkan
