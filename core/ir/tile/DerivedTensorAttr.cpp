#include "core/ir/tile/DerivedTensorAttr.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {
namespace {

Attribute toAttribute(Builder &builder, const ArgumentProduct &product) {
  SmallVector<int64_t> numbers = {product.factor};
  llvm::append_range(numbers, product.params);
  return builder.getDenseI64ArrayAttr(numbers);
}

std::optional<ArgumentProduct> productOf(Attribute attribute) {
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  if (!numbers || numbers.empty())
    return std::nullopt;
  ArgumentProduct product{numbers[0], {}};
  for (int64_t number : numbers.asArrayRef().drop_front()) {
    if (number < 0 || !llvm::isUInt<32>(number))
      return std::nullopt;
    product.params.push_back(uint32_t(number));
  }
  return product;
}

std::optional<DerivedTensor::Axis> axisOf(Attribute attribute) {
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  if (!fields)
    return std::nullopt;
  std::optional<ArgumentProduct> extent = productOf(fields.get("extent")), stride = productOf(fields.get("stride"));
  if (!extent || !stride)
    return std::nullopt;
  DerivedTensor::Axis axis{*extent, *stride};
  axis.isOpen = fields.contains("open");
  if (auto multiple = fields.getAs<IntegerAttr>("multiple"))
    axis.multiple = multiple.getInt();
  return axis.multiple > 0 ? std::optional(axis) : std::nullopt;
}

} // namespace

DictionaryAttr toAttribute(MLIRContext *context, const DerivedTensor &tensor) {
  Builder builder(context);
  SmallVector<Attribute> axes;
  for (const DerivedTensor::Axis &axis : tensor.axes) {
    NamedAttrList fields;
    fields.append("extent", toAttribute(builder, axis.extent));
    fields.append("stride", toAttribute(builder, axis.stride));
    if (axis.isOpen)
      fields.append("open", builder.getUnitAttr());
    if (axis.multiple != 1)
      fields.append("multiple", builder.getI64IntegerAttr(axis.multiple));
    axes.push_back(fields.getDictionary(context));
  }
  NamedAttrList fields;
  fields.append("pointer", builder.getI64IntegerAttr(tensor.pointer));
  if (tensor.isNarrow)
    fields.append("narrow", builder.getUnitAttr());
  fields.append("axes", builder.getArrayAttr(axes));
  return fields.getDictionary(context);
}

std::optional<DerivedTensor> derivedTensor(Attribute attribute) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(attribute);
  auto pointer = fields ? fields.getAs<IntegerAttr>("pointer") : IntegerAttr();
  auto axes = fields ? fields.getAs<ArrayAttr>("axes") : ArrayAttr();
  if (!pointer || !axes || pointer.getInt() < 0 || fields.size() != (fields.contains("narrow") ? 3 : 2))
    return std::nullopt;
  DerivedTensor tensor;
  tensor.pointer = uint32_t(pointer.getInt());
  tensor.isNarrow = fields.contains("narrow");
  for (Attribute each : axes) {
    std::optional<DerivedTensor::Axis> axis = axisOf(each);
    if (!axis)
      return std::nullopt;
    tensor.axes.push_back(std::move(*axis));
  }
  return tensor;
}

} // namespace tegula::tile
