#include "frontend/cli/layout/LayoutPicture.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::cli {
namespace {

using namespace layout;

constexpr uint64_t kMostElements = uint64_t(1) << 20;
constexpr uint32_t kMostShown = 64;

std::string label(const Holder &holder, const LayoutGrid &grid) {
  if (grid.shared)
    return std::to_string(holder.address);
  std::string text = std::to_string(holder.lane) + ":" + std::to_string(holder.reg);
  if (grid.manyWarps || grid.manyBlocks)
    text = std::to_string(holder.warp) + "/" + text;
  return grid.manyBlocks ? std::to_string(holder.block) + "/" + text : text;
}

Holder holderOf(const LayoutValue &value, const SharedLayout *shared, uint64_t input) {
  Holder holder;
  std::vector<Extent> ins = value.map.inputs();
  Coordinates parts = value.map.unpackInput(input);
  for (size_t i = 0; i < ins.size(); ++i) {
    if (ins[i].dim == kRegister)
      holder.reg = parts[i];
    if (ins[i].dim == kLane)
      holder.lane = parts[i];
    if (ins[i].dim == kWarp)
      holder.warp = parts[i];
    if (ins[i].dim == kBlock)
      holder.block = parts[i];
    if (shared)
      holder.address = shared->addressOfOffset(parts[i]);
  }
  return holder;
}

} // namespace

std::string cellText(const std::vector<Holder> &holders, const LayoutGrid &grid) {
  if (holders.empty())
    return "-";
  std::string text = label(holders[0], grid);
  return holders.size() > 1 ? text + "+" + std::to_string(holders.size() - 1) : text;
}

LayoutGrid makeGrid(const LayoutValue &value) {
  LayoutGrid grid;
  size_t rank = value.extent.size();
  for (size_t i = 0; i + 2 < rank; ++i)
    grid.grids *= value.extent[i];
  grid.rows = rank >= 2 ? value.extent[rank - 2] : 1;
  grid.columns = rank >= 1 ? value.extent[rank - 1] : 1;
  unsigned bits = std::max(value.map.totalInputBits(), value.map.totalOutputBits());
  if (uint64_t(1) << bits > kMostElements)
    throw Error("the layout has " + std::to_string(uint64_t(1) << bits) + " elements; at most " +
                std::to_string(kMostElements) + " can be shown");
  grid.shared = value.isShared();
  grid.manyWarps = value.map.inputBits(kWarp) > 0;
  grid.manyBlocks = value.map.inputBits(kBlock) > 0;
  std::optional<SharedLayout> shared;
  if (grid.shared)
    shared.emplace(value.map, value.paddings);
  grid.holders.resize(size_t(grid.grids) * grid.rows * grid.columns);
  for (uint64_t input = 0; input < uint64_t(1) << value.map.totalInputBits(); ++input) {
    Coordinates at = value.map.unpackOutput(value.map.applyFlat(input));
    uint64_t index = 0;
    bool exists = true;
    for (size_t i = 0; i < rank; ++i) {
      exists = exists && at[i] < value.extent[i];
      index = index * value.extent[i] + at[i];
    }
    if (exists)
      grid.holders[index].push_back(holderOf(value, shared ? &*shared : nullptr, input));
  }
  return grid;
}

std::string printGrid(const LayoutGrid &grid) {
  uint32_t rows = std::min(grid.rows, kMostShown), columns = std::min(grid.columns, kMostShown);
  uint32_t grids = std::min(grid.grids, 16u);
  size_t width = std::to_string(columns - 1).size();
  for (const std::vector<Holder> &holders : grid.holders)
    width = std::max(width, cellText(holders, grid).size());
  auto padded = [&](const std::string &text) {
    return std::string(width + 2 - std::min(width + 2, text.size()), ' ') + text;
  };
  std::string out;
  for (uint32_t g = 0; g < grids; ++g) {
    if (grid.grids > 1)
      out += "grid " + std::to_string(g) + " of " + std::to_string(grid.grids) + "\n";
    out += "     ";
    for (uint32_t c = 0; c < columns; ++c)
      out += padded(std::to_string(c));
    out += "\n";
    for (uint32_t r = 0; r < rows; ++r) {
      std::string number = std::to_string(r);
      out += std::string(5 - std::min<size_t>(5, number.size()), ' ') + number;
      for (uint32_t c = 0; c < columns; ++c)
        out += padded(cellText(grid.at(g, r, c), grid));
      out += "\n";
    }
  }
  if (rows < grid.rows || columns < grid.columns || grids < grid.grids)
    out += "the first " + std::to_string(rows) + "x" + std::to_string(columns) + " of " + std::to_string(grid.rows) +
           "x" + std::to_string(grid.columns) + "; --svg draws more\n";
  return out;
}

} // namespace tegula::cli
