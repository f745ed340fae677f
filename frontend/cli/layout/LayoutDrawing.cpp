// Layouts as SVG pictures. Colours are written as hexadecimal numbers, which every reader knows.
#include "core/support/Diagnostic.h"
#include "frontend/cli/layout/LayoutPicture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tegula::cli {
namespace {

constexpr uint64_t kMostDrawn = uint64_t(1) << 16;
constexpr uint32_t kBanks = 32, kBankBytes = 4; // of shared memory
constexpr uint32_t kMostInLegend = 8;           // warps
constexpr unsigned kCellHeight = 20, kMargin = 36, kLeastWidth = 620;

/// Hue in degrees, lightness and saturation from 0 to 1; after CSS Color Module Level 3, section 4.2.4.
std::string hexColour(double hue, double saturation, double lightness) {
  auto channel = [&](double n) {
    double k = std::fmod(n + hue / 30, 12), a = saturation * std::min(lightness, 1 - lightness);
    return static_cast<unsigned>(std::lround(255 * (lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", channel(0), channel(8), channel(4));
  return text;
}

/// Warps get steps of the golden angle, so that adjacent numbers differ clearly; black text is legible on all lanes.
std::string colourOfLane(uint32_t warp, uint32_t lane, uint32_t lanes) {
  double share = lanes > 1 ? double(lane) / double(lanes - 1) : 0;
  return hexColour(std::fmod(210 + warp * 137.508, 360), 0.7, 0.93 - 0.36 * share);
}

std::string colourOfBank(uint32_t bank) { return hexColour(double(bank) * 360 / kBanks, 0.7, bank % 2 ? 0.68 : 0.82); }

class Drawing {
public:
  Drawing(const LayoutGrid &grid, uint32_t elementBytes) : grid_(grid), elementBytes_(elementBytes) {
    size_t longest = 3;
    for (const std::vector<Holder> &holders : grid.holders) {
      longest = std::max(longest, cellText(holders, grid).size());
      for (const Holder &holder : holders) {
        lanes_ = std::max(lanes_, holder.lane + 1);
        warps_ = std::max(warps_, holder.warp + 1);
      }
    }
    cellWidth_ = static_cast<unsigned>(7 * longest + 8);
    each_ = grid.rows * kCellHeight + kMargin;
  }

  std::string draw() {
    unsigned width = std::max(kMargin + grid_.columns * cellWidth_ + 8, kLeastWidth);
    unsigned legend = grid_.shared ? 1 : std::min(warps_, kMostInLegend);
    unsigned bottom = each_ * grid_.grids + 30, height = bottom + 34 + 22 * legend;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"DejaVu Sans Mono, "
        "monospace\" font-size=\"11\" text-anchor=\"middle\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"#ffffff\"/>\n",
        width, height);
    text(8, 14, grid_.shared ? "address of each element, counted in elements" : what());
    for (uint32_t g = 0; g < grid_.grids; ++g)
      drawOne(g);
    explain(bottom);
    grid_.shared ? drawBanks(bottom + 20) : drawWarps(bottom + 20);
    return out_ + "</svg>\n";
  }

private:
  std::string what() const {
    std::string parts = std::string(grid_.manyBlocks ? "block/" : "") +
                        (grid_.manyWarps || grid_.manyBlocks ? "warp/" : "") + "lane:register";
    return parts + " of each element";
  }

  void add(const char *format, auto... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    out_ += line;
  }
  void text(unsigned x, unsigned y, const std::string &words) {
    add("<text x=\"%u\" y=\"%u\" text-anchor=\"start\">", x, y);
    out_ += words + "</text>\n";
  }
  void box(unsigned x, unsigned y, unsigned width, unsigned height, const std::string &fill) {
    add("<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\" stroke=\"#666666\"/>\n", x, y, width, height,
        fill.c_str());
  }

  uint32_t bankOf(const Holder &holder) const {
    return static_cast<uint32_t>(holder.address * elementBytes_ / kBankBytes % kBanks);
  }
  std::string colourOf(const std::vector<Holder> &holders) const {
    if (holders.empty())
      return "#ffffff";
    return grid_.shared ? colourOfBank(bankOf(holders[0])) : colourOfLane(holders[0].warp, holders[0].lane, lanes_);
  }
  unsigned topOf(uint32_t g) const { return g * each_ + kMargin; }

  void drawOne(uint32_t g) {
    unsigned top = topOf(g);
    for (uint32_t c = 0; c < grid_.columns; ++c)
      add("<text x=\"%u\" y=\"%u\">%u</text>\n", kMargin + c * cellWidth_ + cellWidth_ / 2, top - 6, c);
    for (uint32_t r = 0; r < grid_.rows; ++r) {
      unsigned y = top + r * kCellHeight;
      add("<text x=\"%u\" y=\"%u\">%u</text>\n", kMargin / 2, y + 14, r);
      for (uint32_t c = 0; c < grid_.columns; ++c) {
        const std::vector<Holder> &holders = grid_.at(g, r, c);
        box(kMargin + c * cellWidth_, y, cellWidth_, kCellHeight, colourOf(holders));
        add("<text x=\"%u\" y=\"%u\">%s</text>\n", kMargin + c * cellWidth_ + cellWidth_ / 2, y + 14,
            cellText(holders, grid_).c_str());
      }
    }
  }

  /// One element in words, and a frame around it: neither the first row nor the first column where there are others.
  void explain(unsigned y) {
    uint32_t row = std::min(1u, grid_.rows - 1), column = std::min(2u, grid_.columns - 1);
    const std::vector<Holder> &holders = grid_.at(0, row, column);
    if (holders.empty())
      return;
    add("<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"none\" stroke=\"#000000\" "
        "stroke-width=\"2.5\"/>\n",
        kMargin + column * cellWidth_, topOf(0) + row * kCellHeight, cellWidth_, kCellHeight);
    const Holder &first = holders[0];
    std::string words = "framed: row " + std::to_string(row) + ", column " + std::to_string(column) + " is ";
    if (grid_.shared)
      words += "at element " + std::to_string(first.address) + ", byte " +
               std::to_string(first.address * elementBytes_) + ", in bank " + std::to_string(bankOf(first));
    else
      words += "register " + std::to_string(first.reg) + " of lane " + std::to_string(first.lane) + " of warp " +
               std::to_string(first.warp) + (grid_.manyBlocks ? " of block " + std::to_string(first.block) : "");
    if (holders.size() > 1)
      words += ", and " + std::to_string(holders.size() - 1) + " more hold a copy";
    text(8, y, words);
  }

  void drawBanks(unsigned y) {
    text(8, y + 13, "banks of 4 bytes:");
    for (uint32_t bank = 0; bank < kBanks; ++bank) {
      box(130 + bank * 15, y, 15, 18, colourOfBank(bank));
      if (bank % 4 == 0)
        add("<text x=\"%u\" y=\"%u\" font-size=\"8\">%u</text>\n", 137 + bank * 15, y + 12, bank);
    }
  }

  void drawWarps(unsigned y) {
    for (uint32_t warp = 0; warp < std::min(warps_, kMostInLegend); ++warp, y += 22) {
      text(8, y + 13, "warp " + std::to_string(warp) + ", lanes 0 to " + std::to_string(lanes_ - 1) + ":");
      unsigned width = std::max(2u, 320 / lanes_);
      for (uint32_t lane = 0; lane < lanes_; ++lane)
        add("<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"18\" fill=\"%s\"/>\n", 180 + lane * width, y, width,
            colourOfLane(warp, lane, lanes_).c_str());
    }
    if (warps_ > kMostInLegend)
      text(520, y - 9, "and so on");
  }

  const LayoutGrid &grid_;
  uint32_t elementBytes_, lanes_ = 1, warps_ = 1;
  unsigned cellWidth_ = 0, each_ = 0;
  std::string out_;
};

} // namespace

std::string drawGrid(const LayoutGrid &grid, uint32_t elementBytes) {
  if (grid.holders.size() > kMostDrawn)
    throw Error("the picture has " + std::to_string(grid.holders.size()) + " elements; at most " +
                std::to_string(kMostDrawn) + " can be shown");
  return Drawing(grid, elementBytes).draw();
}

} // namespace tegula::cli
