// Type predicates, and parsing, printing and verification of the dialect's types.
#include "core/ir/layout/LayoutRules.h"
#include "core/ir/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#define GET_TYPEDEF_CLASSES
#include "core/ir/tile/TileTypes.cpp.inc"

using namespace mlir;

namespace tegula::tile {

bool isBoolScalar(Type type) { return type.isSignlessInteger(1); }

bool isIntScalar(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

bool isFp8Scalar(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}

bool isFloatScalar(Type type) {
  return isFp8Scalar(type) || isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool isNumberScalar(Type type) { return isIntScalar(type) || isFloatScalar(type); }
bool isPtrScalar(Type type) { return isa<PtrType>(type); }
bool isScalar(Type type) { return isNumberScalar(type) || isPtrScalar(type); }

bool isTensorOf(Type type, bool (*isElement)(Type)) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0 ||
      !layout_ir::isLayout(tensor.getEncoding(), tensor.getShape()))
    return false;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (!llvm::isPowerOf2_64(extent) || extent > kMaxTensorElements)
      return false;
    elements *= extent;
    if (elements > kMaxTensorElements)
      return false;
  }
  return isElement(tensor.getElementType());
}

ArrayRef<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

Type tensorOrScalar(ArrayRef<int64_t> shape, Type element, Attribute layout) {
  return shape.empty() ? element : Type(RankedTensorType::get(shape, element, layout));
}

Type withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  auto tensor = dyn_cast<RankedTensorType>(like);
  return tensor ? Type(RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding())) : element;
}

Type pointeeLike(Type pointers) {
  return withElement(pointers, cast<PtrType>(getElementTypeOrSelf(pointers)).getPointee());
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (!isScalar(pointee))
    return emitError() << "expected a scalar or !tile.ptr as pointee, found " << pointee;
  return success();
}

LogicalResult DescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type elementType) {
  constexpr size_t kMaxDescriptorRank = 5;
  if (!isNumberScalar(elementType))
    return emitError() << "expected integer or float elements in a descriptor, found " << elementType;
  if (shape.empty() || shape.size() > kMaxDescriptorRank)
    return emitError() << "expected a block of rank 1 to " << kMaxDescriptorRank << ", found rank " << shape.size();
  if (!isTensorOf(RankedTensorType::get(shape, elementType), isNumberScalar))
    return emitError() << "expected a block with power-of-two extents and at most " << kMaxTensorElements
                       << " elements, found " << RankedTensorType::get(shape, elementType);
  return success();
}

Type DescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); }, elementType.getContext(), shape, elementType);
}

void DescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << '>';
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/ir/tile/TileTypes.cpp.inc"
      >();
}

} // namespace tegula::tile
