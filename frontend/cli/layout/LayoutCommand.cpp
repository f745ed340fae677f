#include "core/layout/Conversion.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "core/support/ScalarType.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Png.h"
#include "frontend/cli/layout/LayoutPicture.h"

#include <cstdio>

namespace tegula::cli {
namespace {

using namespace layout;

std::string sizes(const std::vector<uint32_t> &shape) {
  std::string out;
  for (uint32_t size : shape)
    out += (out.empty() ? "" : "x") + std::to_string(size);
  return out.empty() ? "one element" : out;
}

void printShared(const LayoutValue &value) {
  SharedLayout shared(value.map, value.paddings);
  std::printf("shared memory, %s, %llu elements", sizes(value.extent).c_str(),
              static_cast<unsigned long long>(shared.allocationSize()));
  for (const Padding &padding : value.paddings)
    std::printf(", %u unused after each %u", padding.padding, padding.interval);
  std::printf("; a cell is the address of its element\n");
}

void printDistributed(const LayoutValue &value, const LayoutGrid &grid) {
  std::printf("%s in %u registers of %u lanes", sizes(value.extent).c_str(), value.map.inputSize(kRegister),
              value.map.inputSize(kLane));
  if (grid.manyWarps)
    std::printf(" of %u warps", value.map.inputSize(kWarp));
  if (grid.manyBlocks)
    std::printf(" of %u blocks", value.map.inputSize(kBlock));
  std::printf("; a cell is %s%slane:register\n", grid.manyBlocks ? "block/" : "",
              grid.manyWarps || grid.manyBlocks ? "warp/" : "");
  size_t copies = 0;
  for (const std::vector<Holder> &holders : grid.holders)
    copies = std::max(copies, holders.size());
  if (copies > 1)
    std::printf("copies: each element is in %zu places; cells show the first\n", copies);
  if (value.map.isSurjective() && value.map.inputBits(kBlock) == 0 && !value.map.outputs().empty())
    std::printf("accesses: %u elements at once in row-major memory, %u in column-major\n",
                value.map.contiguousPerRegister(rowMajor(value.map.shape())),
                value.map.contiguousPerRegister(columnMajor(value.map.shape())));
}

int printConversion(const LayoutValue &from, const std::string &to, const std::string &type) {
  std::optional<ScalarType> element = parseScalarType(type);
  if (!type.empty() && !element)
    throw Error("unknown type '" + type + "' of --type");
  LayoutValue destination = parseLayoutExpression(to);
  ConversionOptions options;
  options.elementBytes = element ? byteSize(*element) : from.elementBytes;
  options.prices = {.shuffle = 0, .select = 0}; // shuffles wherever they are possible
  ConversionPlan plan = planConversion(from.map, destination.map, options);
  std::printf("%s", plan.print().c_str());
  return kSuccess;
}

} // namespace

int runLayout(const std::vector<std::string> &arguments) {
  CLI::App app("Shows where each element of a tensor is: which register of which lane, or which address.",
               "tegula layout");
  std::string text, svg, png, shape, to, type;
  app.add_option("LAYOUT", text, "The bases of a layout, or a constructor")->required();
  app.add_option("--shape", shape, "Repeat the layout in registers up to this shape, such as 64x32");
  app.add_option("--svg", svg, "Write the grid as a picture");
  app.add_option("--png", png, "The same as PNG, by rsvg-convert");
  app.add_option("--to", to, "Print the plan that converts to this layout instead");
  app.add_option("--type", type, "Type of the elements, for --to");
  app.footer(
      "A layout is the list of where each bit of register, lane and warp (or of an offset in shared memory) leads;\n"
      "other numbers go to the XOR of their bits' coordinates. docs/layouts.md explains it.\n\n"
      "Constructors:\n" +
      std::string(layoutConstructors()) +
      "\nExamples:\n"
      "  tegula layout 'register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)'\n"
      "  tegula layout 'offset: (0,1) (0,2) (1,1) (2,2)'\n"
      "  tegula layout 'mma(\"m16n8k16\",\"c\")' --shape=32x16 --svg=c.svg\n"
      "  tegula layout 'blocked([1,4],[8,4],[4,1],[1,0],[64,64])' \\\n"
      "      --to='blocked([4,1],[4,8],[1,4],[0,1],[64,64])' --type=f16");
  if (auto over = parse(app, arguments))
    return *over;
  LayoutValue value = parseLayoutExpression(text);
  if (!shape.empty())
    value = withShape(value, parseLayoutShape(shape));
  if (!to.empty())
    return printConversion(value, to, type);
  LayoutGrid grid = makeGrid(value);
  if (!svg.empty())
    writeFile(svg, drawGrid(grid, value.elementBytes));
  if (!png.empty())
    writePng(png, drawGrid(grid, value.elementBytes));
  std::printf("%s\n\n%s\n", value.map.toText().c_str(), value.map.toTable().c_str());
  value.isShared() ? printShared(value) : printDistributed(value, grid);
  std::printf("\n%s", printGrid(grid).c_str());
  return kSuccess;
}

} // namespace tegula::cli
