// Parsing, printing, verification and queries of the simt level's types.
#include "core/ir/simt/SimtVerify.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#define GET_TYPEDEF_CLASSES
#include "core/ir/simt/SimtTypes.cpp.inc"

using namespace mlir;

namespace tegula::simt {

bool isRegisterTileOf(Type type, bool (*isElement)(Type)) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() == 1 && !vector.isScalable() && isElement(vector.getElementType());
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<layout_ir::DistributedAttr>(tensor.getEncoding()) &&
         isElement(tensor.getElementType());
}

bool isRegisterTile(Type type) { return isRegisterTileOf(type, tile::isNumberScalar); }

bool isTileWithoutLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() && tile::isNumberScalar(tensor.getElementType());
}

bool isPlannedTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<layout_ir::DistributedAttr, layout_ir::FragmentsAttr>(tensor.getEncoding());
}

static bool isIndexScalar(Type type) { return type.isSignlessInteger(32) || type.isSignlessInteger(64); }

bool isIndexValue(Type type) { return isIndexScalar(type) || isRegisterTileOf(type, isIndexScalar); }

bool isSharedOffset(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return type.isSignlessInteger(32) ||
         (vector && vector.getRank() == 1 && vector.getElementType().isSignlessInteger(32));
}

int64_t elementsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getNumElements() : 1;
}

int64_t elementBytes(Type type) {
  if (isa<tile::PtrType>(type))
    return 8;
  return isa<FloatTF32Type>(type) ? 4 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

LogicalResult needElement(Operation *op, StringRef what, Type expected, Type found) {
  if (getElementTypeOrSelf(found) == expected)
    return success();
  return op->emitOpError() << "expected " << what << " of type " << expected << ", found " << found;
}

FailureOr<int64_t> verifyAccess(Operation *op, Type offset, Type value, Type mask) {
  if (isPlanned(offset) != isPlanned(value))
    return op->emitOpError() << "expected offsets and value both of tensors or both of one thread, found " << offset
                             << " and " << value;
  int64_t accesses = elementsOf(offset), elements = elementsOf(value);
  if (elements % accesses != 0 || !llvm::isPowerOf2_64(elements / accesses))
    return op->emitOpError() << "expected a power of two of elements for each of the " << accesses << " offsets, found "
                             << elements << " elements";
  if (mask && elementsOf(mask) != accesses)
    return op->emitOpError() << "expected a mask of " << accesses << " elements, one an offset, found " << mask;
  return elements / accesses;
}

void SimtDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/ir/simt/SimtTypes.cpp.inc"
      >();
}

// --- shared memory ---

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  layout_ir::SharedAttr layout;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout)) || parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(at, parser.getContext(), shape, element, layout);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printer << getElementType();
  if (getLayout())
    printer << ", " << getLayout();
  printer << '>';
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type elementType, layout_ir::SharedAttr layout) {
  constexpr int64_t kMaxElements = int64_t(1) << 24;
  if (!tile::isNumberScalar(elementType))
    return emitError() << "expected integers or floats in shared memory, found " << elementType;
  if (shape.empty())
    return emitError() << "expected at least one dimension, found none";
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || extent > kMaxElements || (elements *= extent) > kMaxElements)
      return emitError() << "expected at most " << kMaxElements << " elements, found extents that exceed it";
  }
  if (!layout) {
    return success();
  }
  ArrayRef<int64_t> tile = shape;
  if (layout.getRank() + 1 == shape.size())
    tile = shape.drop_front();
  if (layout.getRank() != tile.size())
    return emitError() << "expected a layout of rank " << shape.size()
                       << ", or one less where the first dimension counts "
                       << "stages, found rank " << layout.getRank();
  if (ArrayRef<int64_t>(layout.getShape()) != tile) {
    InFlightDiagnostic error = emitError() << "expected a layout of the extents ";
    llvm::interleave(tile, error, "x");
    error << ", found one of ";
    llvm::interleave(layout.getShape(), error, "x");
    return error;
  }
  return success();
}

bool SharedType::hasStages() const { return getLayout() && getLayout().getRank() + 1 == getShape().size(); }

int64_t SharedType::getStages() const { return hasStages() ? getShape().front() : 1; }

ArrayRef<int64_t> SharedType::getTileShape() const { return hasStages() ? getShape().drop_front() : getShape(); }

layout_ir::SharedAttr SharedType::getTileLayout() const {
  if (getLayout())
    return getLayout();
  size_t rank = getShape().size();
  SmallVector<int64_t> bases;
  for (size_t dim = rank; dim-- > 0;)
    for (int64_t step = 1; step < getShape()[dim]; step *= 2) {
      SmallVector<int64_t> basis(rank, 0);
      basis[dim] = step;
      llvm::append_range(bases, basis);
    }
  return layout_ir::SharedAttr::get(getContext(), rank, bases, {});
}

int64_t SharedType::getStageElements() const {
  if (getLayout())
    return getLayout().getStorageElements();
  int64_t elements = 1;
  for (int64_t extent : getShape())
    elements *= extent;
  return elements;
}

int64_t SharedType::getBytes() const { return getStages() * getStageElements() * elementBytes(getElementType()); }

SharedType SharedType::getStageType() const {
  return SharedType::get(getContext(), getTileShape(), getElementType(), getLayout());
}

std::optional<SharedType> SharedType::getPartType(ArrayRef<int64_t> extents) const {
  layout_ir::SharedAttr whole = getTileLayout();
  unsigned rank = whole.getRank();
  if (hasStages() || extents.size() != rank)
    return std::nullopt;
  SmallVector<int64_t> bases;
  size_t used = 0;
  for (unsigned bit = 0; bit < whole.getBits(); ++bit) {
    bool within = true, outside = true;
    for (auto [step, extent] : llvm::zip(whole.getBasis(bit), extents)) {
      within &= step < extent;
      outside &= step % extent == 0;
    }
    if (!within && !outside)
      return std::nullopt;
    bases.append(rank, 0);
    if (!within)
      continue;
    llvm::copy(whole.getBasis(bit), bases.end() - rank);
    used = bases.size();
  }
  bases.truncate(std::max<size_t>(used, rank));
  return SharedType::get(getContext(), extents, getElementType(),
                         layout_ir::SharedAttr::get(getContext(), rank, bases, whole.getPadding()));
}

SharedType SharedType::getTransposedType() const {
  layout_ir::SharedAttr layout = getTileLayout();
  SmallVector<int64_t> bases(layout.getBases());
  for (size_t i = 0; i + 1 < bases.size(); i += 2)
    std::swap(bases[i], bases[i + 1]);
  return SharedType::get(getContext(), {getShape()[1], getShape()[0]}, getElementType(),
                         layout_ir::SharedAttr::get(getContext(), 2, bases, layout.getPadding()));
}

LogicalResult PartOp::verify() {
  SharedType source = getSrc().getType();
  std::optional<SharedType> expected = source.getPartType(getType().getShape());
  if (!expected)
    return emitOpError() << "expected a part that the layout of " << source
                         << " moves by a constant; this shape cuts one of its bases";
  if (getType() != *expected)
    return emitOpError() << "expected a result of type " << *expected << ", found " << getType();
  if (getPosition().size() != getType().getShape().size())
    return emitOpError() << "expected a position of " << getType().getShape().size() << " numbers, found "
                         << getPosition().size();
  return success();
}

LogicalResult TransposeOp::verify() {
  SharedType source = getSrc().getType();
  if (source.hasStages() || source.getShape().size() != 2)
    return emitOpError() << "expected a tile of two dimensions, found " << source;
  if (getType() != source.getTransposedType())
    return emitOpError() << "expected a result of type " << source.getTransposedType() << ", found " << getType();
  return success();
}

// --- barrier objects and fragments ---

LogicalResult BarriersType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count) {
  if (count <= 0 || count > 1024)
    return emitError() << "expected 1 to 1024 barrier objects, found " << count;
  return success();
}

Type FragmentType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  StringRef use;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma() || parser.parseKeyword(&use) || parser.parseGreater())
    return {};
  std::optional<FragmentUse> kind = symbolizeFragmentUse(use);
  if (!kind || shape.size() != 2) {
    parser.emitError(at) << "expected rows, columns, elements and one of a, b, acc";
    return {};
  }
  return parser.getChecked<FragmentType>(at, parser.getContext(), shape[0], shape[1], element, *kind);
}

void FragmentType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getColumns() << 'x' << getElementType() << ", "
          << stringifyFragmentUse(getUse()) << '>';
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t columns,
                                   Type elementType, FragmentUse) {
  if (rows <= 0 || columns <= 0 || rows > 256 || columns > 256)
    return emitError() << "expected 1 to 256 rows and columns, found " << rows << " and " << columns;
  if (!tile::isNumberScalar(elementType))
    return emitError() << "expected integers or floats in a fragment, found " << elementType;
  return success();
}

} // namespace tegula::simt
