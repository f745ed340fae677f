#include "backends/vulkan/driver/Launch.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tegula::vulkan {
namespace {

using Extent = std::array<uint32_t, 3>;

constexpr size_t kUsualPushBytes = 256; // the most of any current device; a larger block is kept in a vector

/// Writes an argument block, one slot after another.
class BlockWriter {
public:
  BlockWriter(const ArgumentLayout &layout, std::byte *block) : layout_(layout), block_(block) {}

  void put(uint64_t value) {
    const ArgumentSlot &slot = layout_.slots[next_++];
    std::memcpy(block_ + slot.offset, &value, slot.bytes); // little-endian, like the devices
  }
  void put(const Extent &extent) {
    for (uint32_t value : extent)
      put(value);
  }

private:
  const ArgumentLayout &layout_;
  std::byte *block_;
  size_t next_ = 0;
};

uint64_t scalarBits(const ArtifactParam &param, uint64_t bits) {
  size_t width = byteSize(param.type) * 8;
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

void putDescriptor(BlockWriter &out, const ArtifactParam &param, const DescriptorValue &value) {
  if (value.shape.size() != param.block.size() || value.strides.size() != param.block.size())
    throw InternalError("a descriptor of rank " + std::to_string(value.shape.size()) + " for parameter '" + param.name +
                        "' of rank " + std::to_string(param.block.size()));
  out.put(value.address);
  for (int64_t extent : value.shape)
    out.put(static_cast<uint64_t>(extent));
  for (int64_t stride : value.strides)
    out.put(static_cast<uint64_t>(stride));
  out.put(value.paddingNaN ? 1 : 0);
}

void writeBlock(const Kernel &kernel, const LaunchRequest &request, const HiddenAddresses &addresses,
                const Extent &base, std::byte *block) {
  BlockWriter out(kernel.arguments(), block);
  for (size_t i = 0; i < kernel.params().size(); ++i) {
    const ArtifactParam &param = kernel.params()[i];
    const LaunchArgument &argument = request.arguments[i];
    if (param.kind != ArtifactParam::Kind::Descriptor)
      out.put(param.kind == ArtifactParam::Kind::Scalar ? scalarBits(param, argument.bits) : argument.bits);
    else if (argument.descriptor)
      putDescriptor(out, param, *argument.descriptor);
    else
      throw InternalError("no descriptor for parameter '" + param.name + "'");
  }
  for (HiddenArgument hidden : kernel.hidden())
    switch (hidden) {
    case HiddenArgument::GridBase: out.put(base); break;
    case HiddenArgument::GridSize: out.put(request.grid); break;
    case HiddenArgument::Scratch: out.put(addresses.scratch); break;
    case HiddenArgument::SafeAddress: out.put(addresses.safe); break;
    case HiddenArgument::PrintBuffer: out.put(addresses.print); break;
    }
}

/// Splits the grid into pieces of at most `limits` programs along each axis. Calls each(base, groups) for each piece:
/// its first program, and its number of programs along each axis.
template <class Each> void split(const Extent &grid, const uint32_t (&limits)[3], const Each &each) {
  Extent base = {};
  for (base[2] = 0; base[2] < grid[2]; base[2] += std::min(grid[2] - base[2], limits[2]))
    for (base[1] = 0; base[1] < grid[1]; base[1] += std::min(grid[1] - base[1], limits[1]))
      for (base[0] = 0; base[0] < grid[0]; base[0] += std::min(grid[0] - base[0], limits[0])) {
        Extent groups;
        for (size_t axis = 0; axis < 3; ++axis)
          groups[axis] = std::min(grid[axis] - base[axis], limits[axis]);
        each(base, groups);
      }
}

} // namespace

void launch(Context &context, Stream &stream, const Kernel &kernel, const LaunchRequest &request,
            const HiddenAddresses &addresses) {
  const auto &limits = context.facts().limits.maxComputeWorkGroupCount;
  size_t pieces = 0;
  split(request.grid, limits, [&](const Extent &, const Extent &) { ++pieces; });
  if (pieces == 0)
    return;
  if (pieces > 1 && !kernel.has(HiddenArgument::GridBase))
    throw Error("the grid " + std::to_string(request.grid[0]) + " x " + std::to_string(request.grid[1]) + " x " +
                std::to_string(request.grid[2]) + " of kernel '" + kernel.entry() + "' exceeds the limit of " +
                context.facts().name + ", " + std::to_string(limits[0]) + " x " + std::to_string(limits[1]) + " x " +
                std::to_string(limits[2]) + ", and the kernel was compiled without a base to split it");

  const DeviceFunctions &api = context.api();
  Commands &commands = stream.begin();
  api.CmdBindPipeline(commands.buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline());
  uint32_t bytes = kernel.arguments().bytes;
  auto push = [&](const void *data) {
    if (kernel.pushBytes())
      api.CmdPushConstants(commands.buffer, kernel.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel.pushBytes(), data);
  };
  Block *buffer = kernel.throughBuffer() ? &stream.arguments(commands, std::max<size_t>(8, bytes * pieces)) : nullptr;
  size_t piece = 0;
  split(request.grid, limits, [&](const Extent &base, const Extent &groups) {
    if (buffer) {
      VkDeviceSize offset = bytes * piece++;
      writeBlock(kernel, request, addresses, base, buffer->mapped() + offset);
      VkDeviceAddress address = buffer->address() + offset;
      push(&address);
    } else {
      alignas(8) std::array<std::byte, kUsualPushBytes> usual = {};
      std::vector<std::byte> larger(bytes > usual.size() ? bytes : 0);
      std::byte *block = larger.empty() ? usual.data() : larger.data();
      writeBlock(kernel, request, addresses, base, block);
      push(block);
    }
    api.CmdDispatch(commands.buffer, groups[0], groups[1], groups[2]);
  });
  stream.submit();
}

} // namespace tegula::vulkan
