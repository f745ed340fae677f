// The layout dialect: prints, parses and verifies its attributes.
#include "core/ir/simt/Simt.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "core/ir/layout/LayoutDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "core/ir/layout/LayoutAttributes.cpp.inc"

using namespace mlir;

namespace tegula::layout_ir {
namespace {

/// Parses tuples `(0,1) (8,0) ...` and appends them to `bases`; the first tuple determines the rank.
ParseResult parseBases(AsmParser &parser, unsigned &rank, SmallVectorImpl<int64_t> &bases) {
  while (succeeded(parser.parseOptionalLParen())) {
    SMLoc at = parser.getCurrentLocation();
    size_t before = bases.size();
    auto parseOne = [&] {
      int64_t value = 0;
      if (parser.parseInteger(value))
        return failure();
      bases.push_back(value);
      return success();
    };
    if (parser.parseCommaSeparatedList(parseOne) || parser.parseRParen())
      return failure();
    unsigned found = bases.size() - before;
    if (rank == 0)
      rank = found;
    if (found != rank)
      return parser.emitError(at) << "expected a coordinate of " << rank << " numbers, found " << found;
  }
  return success();
}

void printBases(AsmPrinter &printer, unsigned rank, ArrayRef<int64_t> bases) {
  for (size_t at = 0; at < bases.size(); at += rank) {
    printer << (at == 0 ? "(" : " (");
    llvm::interleave(bases.slice(at, rank), printer, ",");
    printer << ')';
  }
}

constexpr std::array<llvm::StringLiteral, 4> kInputs = {"register", "lane", "warp", "block"};
constexpr std::array<layout::Dim, 4> kDims = {layout::kRegister, layout::kLane, layout::kWarp, layout::kBlock};

std::vector<layout::Coordinates> coordinates(unsigned rank, ArrayRef<int64_t> bases) {
  std::vector<layout::Coordinates> result;
  for (size_t at = 0; at < bases.size(); at += rank)
    result.emplace_back(bases.begin() + at, bases.begin() + at + rank);
  return result;
}

LogicalResult verifyBases(function_ref<InFlightDiagnostic()> emitError, unsigned rank, ArrayRef<int64_t> bases) {
  if (rank == 0)
    return emitError() << "expected at least one basis, found none";
  if (bases.size() % rank != 0)
    return emitError() << "expected bases of " << rank << " numbers each, found " << bases.size() << " numbers";
  for (int64_t value : bases)
    if (value < 0 || value > (int64_t(1) << 31))
      return emitError() << "expected coordinates from 0 to 2147483648, found " << value;
  return success();
}

} // namespace

/// Prints each layout once, as an alias at the head of the module.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &name) const override {
    if (!isa<DistributedAttr, SharedAttr, FragmentsAttr>(attribute))
      return AliasResult::NoAlias;
    name << (isa<DistributedAttr>(attribute) ? "l" : isa<SharedAttr>(attribute) ? "shared" : "fragments");
    return AliasResult::FinalAlias;
  }
};

void LayoutDialect::initialize() {
  registerAttributes();
  addInterfaces<Aliases>();
}

void LayoutDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/ir/layout/LayoutAttributes.cpp.inc"
      >();
}

Attribute DistributedAttr::parse(AsmParser &parser, Type) {
  std::array<SmallVector<int64_t>, 4> inputs;
  unsigned rank = 0;
  SMLoc at = parser.getCurrentLocation();
  auto parseInput = [&]() -> ParseResult {
    StringRef name;
    SMLoc here = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    const auto *found = llvm::find(kInputs, name);
    if (found == kInputs.end())
      return parser.emitError(here) << "expected register, lane, warp or block, found '" << name << "'";
    return parseBases(parser, rank, inputs[found - kInputs.begin()]);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseInput))
    return {};
  return parser.getChecked<DistributedAttr>(at, parser.getContext(), rank, inputs[0], inputs[1], inputs[2], inputs[3]);
}

void DistributedAttr::print(AsmPrinter &printer) const {
  printer << '<';
  bool first = true;
  for (auto [name, bases] : llvm::zip(kInputs, std::array{getRegisters(), getLanes(), getWarps(), getBlocks()})) {
    if (bases.empty())
      continue;
    printer << (first ? "" : ", ") << name << ' ';
    printBases(printer, getRank(), bases);
    first = false;
  }
  printer << '>';
}

LogicalResult DistributedAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                      ArrayRef<int64_t> registers, ArrayRef<int64_t> lanes, ArrayRef<int64_t> warps,
                                      ArrayRef<int64_t> blocks) {
  for (ArrayRef<int64_t> bases : {registers, lanes, warps, blocks})
    if (failed(verifyBases(emitError, rank, bases)))
      return failure();
  return success();
}

DistributedAttr DistributedAttr::get(MLIRContext *context, const layout::LinearLayout &layout) {
  unsigned rank = layout.shape().size();
  std::array<SmallVector<int64_t>, 4> inputs;
  for (auto [dim, bases] : llvm::zip(kDims, inputs))
    for (unsigned bit = 0; bit < layout.inputBits(dim); ++bit)
      llvm::append_range(bases, layout.basis(dim, bit));
  return get(context, rank, inputs[0], inputs[1], inputs[2], inputs[3]);
}

layout::LinearLayout DistributedAttr::getLayout(ArrayRef<int64_t> shape) const {
  std::vector<layout::InputBases> inputs;
  for (auto [dim, bases] : llvm::zip(kDims, std::array{getRegisters(), getLanes(), getWarps(), getBlocks()}))
    inputs.push_back({dim, coordinates(getRank(), bases)});
  return layout::LinearLayout(inputs, layout::tensorExtents({shape.begin(), shape.end()}));
}

layout::SharedLayout SharedAttr::getLayout() const {
  SmallVector<int64_t> shape = getShape();
  std::vector<layout::Padding> paddings;
  for (size_t i = 0; i < getPadding().size(); i += 2)
    paddings.push_back({static_cast<uint32_t>(getPadding()[i]), static_cast<uint32_t>(getPadding()[i + 1])});
  return layout::SharedLayout(layout::LinearLayout({{layout::kOffset, coordinates(getRank(), getBases())}},
                                                   layout::tensorExtents({shape.begin(), shape.end()})),
                              std::move(paddings));
}

Attribute SharedAttr::parse(AsmParser &parser, Type) {
  unsigned rank = 0;
  SmallVector<int64_t> bases, padding;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, rank, bases))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    int64_t amount = 0, interval = 0;
    if (parser.parseKeyword("pad") || parser.parseInteger(amount) || parser.parseKeyword("every") ||
        parser.parseInteger(interval))
      return {};
    padding.append({interval, amount});
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedAttr>(at, parser.getContext(), rank, bases, padding);
}

void SharedAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBases(printer, getRank(), getBases());
  for (size_t i = 0; i < getPadding().size(); i += 2)
    printer << ", pad " << getPadding()[i + 1] << " every " << getPadding()[i];
  printer << '>';
}

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank, ArrayRef<int64_t> bases,
                                 ArrayRef<int64_t> padding) {
  if (failed(verifyBases(emitError, rank, bases)))
    return failure();
  if (bases.size() / rank > 24)
    return emitError() << "expected at most 24 bases, found " << bases.size() / rank;
  for (size_t i = 0; i + 1 < padding.size(); i += 2)
    if (padding[i] <= 0 || !llvm::isPowerOf2_64(padding[i]) || padding[i + 1] <= 0)
      return emitError() << "expected positive padding every power of two of elements, found pad " << padding[i + 1]
                         << " every " << padding[i];
  return success();
}

int64_t SharedAttr::getPadded(int64_t offset) const {
  int64_t padded = offset;
  for (size_t i = 0; i < getPadding().size(); i += 2)
    padded += offset / getPadding()[i] * getPadding()[i + 1];
  return padded;
}

int64_t SharedAttr::getStorageElements() const { return getPadded((int64_t(1) << getBits()) - 1) + 1; }

SmallVector<int64_t> SharedAttr::getShape() const {
  SmallVector<int64_t> spans(getRank(), 0);
  for (unsigned bit = 0; bit < getBits(); ++bit)
    for (unsigned dim = 0; dim < getRank(); ++dim)
      spans[dim] |= getBasis(bit)[dim];
  for (int64_t &span : spans)
    span = int64_t(llvm::NextPowerOf2(span));
  return spans;
}

// --- fragments ---

static constexpr StringLiteral kKinds[] = {"", "operand", "column", "row"};

Attribute FragmentsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, warps;
  Type element;
  SMLoc at = parser.getCurrentLocation();
  auto parseOne = [&] {
    int64_t count = 0;
    if (parser.parseInteger(count))
      return failure();
    warps.push_back(count);
    return success();
  };
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma() || parser.parseKeyword("warps") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return {};
  auto kind = FragmentsKind::Matrix;
  if (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    SMLoc atName = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return {};
    auto found = llvm::find(ArrayRef(kKinds).drop_front(), name);
    if (found == std::end(kKinds)) {
      parser.emitError(atName) << "expected 'operand', 'column' or 'row', found '" << name << "'";
      return {};
    }
    kind = FragmentsKind(found - std::begin(kKinds));
  }
  if (parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(at) << "expected rows and columns of a fragment, found " << shape.size() << " extents";
    return {};
  }
  return parser.getChecked<FragmentsAttr>(at, parser.getContext(), shape[0], shape[1], element, warps, kind);
}

void FragmentsAttr::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getColumns() << 'x' << getElementType() << ", warps [";
  llvm::interleaveComma(getWarps(), printer);
  printer << ']';
  if (getKind() != FragmentsKind::Matrix)
    printer << ", " << kKinds[unsigned(getKind())];
  printer << '>';
}

LogicalResult FragmentsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t columns,
                                    Type elementType, ArrayRef<int64_t> warps, FragmentsKind kind) {
  if (warps.size() < 2)
    return emitError() << "expected a number of warps for each of at least 2 axes, found " << warps.size();
  if (kind != FragmentsKind::Matrix && warps.size() != 2)
    return emitError() << "expected a number of warps for each of 2 axes of what is of a matrix, found "
                       << warps.size();
  if (kind == FragmentsKind::Operand && warps.back() != 1)
    return emitError() << "expected an operand whose columns are not divided over warps, found " << warps.back()
                       << " warps along them";
  SmallVector<int64_t> counts = {rows, columns};
  llvm::append_range(counts, warps);
  for (int64_t count : counts)
    if (count <= 0 || !llvm::isPowerOf2_64(count))
      return emitError() << "expected powers of two, found " << count;
  if (!elementType.isIntOrFloat())
    return emitError() << "expected integers or floats in fragments, found " << elementType;
  return success();
}

FragmentsAttr FragmentsAttr::as(FragmentsKind kind) const {
  return get(getContext(), getRows(), getColumns(), getElementType(), getWarps(), kind);
}

SmallVector<int64_t, 3> FragmentsAttr::getGrid(ArrayRef<int64_t> shape) const {
  if (getKind() == FragmentsKind::Column)
    return {int64_t(llvm::divideCeil(shape.front(), getRows())), 1};
  if (getKind() == FragmentsKind::Row)
    return {1, int64_t(llvm::divideCeil(shape.back(), getColumns()))};
  SmallVector<int64_t, 3> grid(shape);
  grid[grid.size() - 2] = llvm::divideCeil(grid[grid.size() - 2], getRows());
  grid.back() = llvm::divideCeil(grid.back(), getColumns());
  return grid;
}

SmallVector<int64_t, 3> FragmentsAttr::getGridOfWarp(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t, 3> grid = getGrid(shape);
  for (size_t axis = 0; axis < grid.size(); ++axis)
    if (!isRepeated(getKind(), axis))
      grid[axis] /= getWarps()[axis];
  return grid;
}

int64_t FragmentsAttr::getWarpCount() const {
  int64_t count = 1;
  for (int64_t along : getWarps())
    count *= along;
  return count;
}

bool FragmentsAttr::covers(ArrayRef<int64_t> shape) const {
  bool isLine = getKind() == FragmentsKind::Column || getKind() == FragmentsKind::Row;
  size_t rank = shape.size();
  if (isLine ? rank != 1 && !(rank == 2 && shape[getKind() == FragmentsKind::Column ? 1 : 0] == 1)
             : rank != getWarps().size())
    return false;
  for (auto [axis, count] : llvm::enumerate(getGrid(shape)))
    if (!isRepeated(getKind(), axis) && count % getWarps()[axis] != 0)
      return false;
  return true;
}

} // namespace tegula::layout_ir
