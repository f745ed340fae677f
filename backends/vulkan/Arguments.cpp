#include "backends/vulkan/Arguments.h"

namespace tegula::vulkan {

ArgumentLayout::ArgumentLayout(std::span<const ArtifactParam> params, std::span<const HiddenArgument> hidden) {
  auto add = [&](uint32_t size) {
    bytes = (bytes + size - 1) / size * size;
    slots.push_back({bytes, size});
    bytes += size;
  };
  for (const ArtifactParam &param : params) {
    first.push_back(static_cast<uint32_t>(slots.size()));
    switch (param.kind) {
    case ArtifactParam::Kind::Scalar: add(byteSize(param.type) == 8 ? 8 : 4); break;
    case ArtifactParam::Kind::Pointer: add(8); break;
    case ArtifactParam::Kind::Descriptor:
      for (size_t i = 0; i < 1 + 2 * param.block.size(); ++i)
        add(8);
      add(4);
      break;
    }
  }
  for (HiddenArgument argument : hidden) {
    first.push_back(static_cast<uint32_t>(slots.size()));
    bool isGrid = argument == HiddenArgument::GridBase || argument == HiddenArgument::GridSize;
    for (int i = 0; i < (isGrid ? 3 : 1); ++i)
      add(isGrid ? 4 : 8);
  }
  bytes = (bytes + 7) / 8 * 8;
}

} // namespace tegula::vulkan
