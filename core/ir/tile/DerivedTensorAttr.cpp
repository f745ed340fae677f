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

Attribute toAttribute(Builder &builder, const ProgramExpression &expression) {
  SmallVector<int64_t> numbers;
  for (const ProgramExpression::Node &node : expression.nodes)
    numbers.append({int64_t(node.kind), node.value, int64_t(node.left), int64_t(node.right)});
  return builder.getDenseI64ArrayAttr(numbers);
}

std::optional<ProgramExpression> expressionOf(Attribute attribute) {
  using Kind = ProgramExpression::Kind;
  auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute);
  size_t count = numbers ? numbers.size() / 4 : 0;
  if (count == 0 || count > ProgramExpression::kMostNodes || numbers.size() % 4 != 0)
    return std::nullopt;
  ProgramExpression expression;
  for (size_t i = 0; i < count; ++i) {
    ArrayRef<int64_t> fields = numbers.asArrayRef().slice(4 * i, 4);
    auto isEarlier = [&](int64_t node) { return node >= 0 && node < int64_t(i); };
    if (fields[0] < 0 || fields[0] > int64_t(Kind::Maximum))
      return std::nullopt;
    auto kind = Kind(fields[0]);
    if ((kind == Kind::Program && (fields[1] < 0 || fields[1] > 2)) ||
        (kind == Kind::Param && !llvm::isUInt<32>(uint64_t(fields[1]))) ||
        (kind > Kind::Program && (!isEarlier(fields[2]) || !isEarlier(fields[3]))))
      return std::nullopt;
    expression.nodes.push_back({kind, fields[1], uint32_t(fields[2]), uint32_t(fields[3])});
  }
  return expression;
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
  SmallVector<Attribute> positive;
  for (const ProgramExpression &expression : tensor.positive)
    positive.push_back(toAttribute(builder, expression));
  if (!positive.empty())
    fields.append("positive", builder.getArrayAttr(positive));
  return fields.getDictionary(context);
}

std::optional<DerivedTensor> derivedTensor(Attribute attribute) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(attribute);
  auto pointer = fields ? fields.getAs<IntegerAttr>("pointer") : IntegerAttr();
  auto axes = fields ? fields.getAs<ArrayAttr>("axes") : ArrayAttr();
  if (!pointer || !axes || pointer.getInt() < 0)
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
  auto positive = fields.getAs<ArrayAttr>("positive");
  for (Attribute each : positive ? positive.getValue() : ArrayRef<Attribute>()) {
    std::optional<ProgramExpression> expression = expressionOf(each);
    if (!expression)
      return std::nullopt;
    tensor.positive.push_back(std::move(*expression));
  }
  return tensor;
}

} // namespace tegula::tile
