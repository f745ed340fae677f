#include "frontend/cli/LayoutPicture.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <cstdio>

namespace tegula::cli {
namespace {

using namespace layout;

constexpr uint64_t kMostElements = uint64_t(1) << 20, kMostDrawn = uint64_t(1) << 16;
constexpr uint32_t kMostShown = 64;

std::string label(const Holder &holder, const LayoutGrid &grid) {
  if (grid.shared)
    return std::to_string(holder.address);
  std::string text = std::to_string(holder.lane) + ":" + std::to_string(holder.reg);
  if (grid.manyWarps || grid.manyBlocks)
    text = std::to_string(holder.warp) + "/" + text;
  return grid.manyBlocks ? std::to_string(holder.block) + "/" + text : text;
}

std::string cell(const std::vector<Holder> &holders, const LayoutGrid &grid) {
  if (holders.empty())
    return "-";
  std::string text = label(holders[0], grid);
  return holders.size() > 1 ? text + "+" + std::to_string(holders.size() - 1) : text;
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

void checkSize(uint64_t elements, uint64_t most, const char *what) {
  if (elements > most)
    throw Error(std::string(what) + " has " + std::to_string(elements) + " elements; at most " + std::to_string(most) +
                " can be shown");
}

std::string colour(uint32_t number, uint32_t count) {
  // A known count of banks spreads once over the colour circle; warps get steps of the golden angle, so that adjacent
  // numbers differ clearly.
  unsigned hue = count ? number * 360 / count : number * 137 % 360;
  return "hsl(" + std::to_string(hue) + ",65%,80%)";
}

} // namespace

LayoutGrid makeGrid(const LayoutValue &value) {
  LayoutGrid grid;
  size_t rank = value.extent.size();
  for (size_t i = 0; i + 2 < rank; ++i)
    grid.grids *= value.extent[i];
  grid.rows = rank >= 2 ? value.extent[rank - 2] : 1;
  grid.columns = rank >= 1 ? value.extent[rank - 1] : 1;
  unsigned bits = std::max(value.map.totalInputBits(), value.map.totalOutputBits());
  checkSize(uint64_t(1) << bits, kMostElements, "the layout");
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
    width = std::max(width, cell(holders, grid).size());
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
        out += padded(cell(grid.at(g, r, c), grid));
      out += "\n";
    }
  }
  if (rows < grid.rows || columns < grid.columns || grids < grid.grids)
    out += "the first " + std::to_string(rows) + "x" + std::to_string(columns) + " of " + std::to_string(grid.rows) +
           "x" + std::to_string(grid.columns) + "; --svg draws more\n";
  return out;
}

std::string drawGrid(const LayoutGrid &grid, uint32_t elementBytes) {
  checkSize(grid.holders.size(), kMostDrawn, "the picture");
  size_t longest = 3;
  for (const std::vector<Holder> &holders : grid.holders)
    longest = std::max(longest, cell(holders, grid).size());
  const unsigned cellWidth = static_cast<unsigned>(7 * longest + 8), cellHeight = 20, margin = 36;
  unsigned width = margin + grid.columns * cellWidth + 8, each = grid.rows * cellHeight + margin;
  std::string out;
  auto add = [&](const char *format, auto... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    out += line;
  };
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"monospace\" "
      "font-size=\"11\" text-anchor=\"middle\">\n",
      width, each * grid.grids + 8);
  add("<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      grid.shared ? "address of each element; colour: bank" : "lane:register of each element; colour: warp");
  for (uint32_t g = 0; g < grid.grids; ++g) {
    unsigned top = g * each + margin - 12;
    for (uint32_t c = 0; c < grid.columns; ++c)
      add("<text x=\"%u\" y=\"%u\">%u</text>\n", margin + c * cellWidth + cellWidth / 2, top - 6, c);
    for (uint32_t r = 0; r < grid.rows; ++r) {
      unsigned y = top + r * cellHeight;
      add("<text x=\"%u\" y=\"%u\">%u</text>\n", margin / 2, y + 14, r);
      for (uint32_t c = 0; c < grid.columns; ++c) {
        const std::vector<Holder> &holders = grid.at(g, r, c);
        std::string fill = "white";
        if (!holders.empty())
          fill = grid.shared ? colour(static_cast<uint32_t>(holders[0].address * elementBytes / 4 % 32), 32)
                             : colour(holders[0].warp, 0);
        add("<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\" stroke=\"#666\"/>"
            "<text x=\"%u\" y=\"%u\">%s</text>\n",
            margin + c * cellWidth, y, cellWidth, cellHeight, fill.c_str(), margin + c * cellWidth + cellWidth / 2,
            y + 14, cell(holders, grid).c_str());
      }
    }
  }
  return out + "</svg>\n";
}

} // namespace tegula::cli
