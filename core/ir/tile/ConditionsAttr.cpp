#include "core/ir/tile/ConditionsAttr.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/ir/tile/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {
namespace {

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

std::optional<LaunchConditions> launchConditions(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!list)
    return std::nullopt;
  LaunchConditions conditions;
  for (Attribute each : list) {
    std::optional<ProgramExpression> expression = expressionOf(each);
    if (!expression)
      return std::nullopt;
    conditions.positive.push_back(std::move(*expression));
  }
  return conditions;
}

void addConditions(func::FuncOp kernel, ArrayRef<ProgramExpression> positive) {
  Builder builder(kernel.getContext());
  auto before = kernel->getAttrOfType<ArrayAttr>(kConditionsAttr);
  SmallVector<Attribute> list(before ? before.getValue() : ArrayRef<Attribute>());
  for (const ProgramExpression &expression : positive)
    if (Attribute added = toAttribute(builder, expression); !llvm::is_contained(list, added))
      list.push_back(added);
  kernel->setAttr(kConditionsAttr, builder.getArrayAttr(list));
}

bool hasMemoryOfCaller(func::FuncOp kernel, uint32_t number) {
  return number < kernel.getNumArguments() && isa<PtrType, DescType>(kernel.getArgumentTypes()[number]) &&
         !kernel.getArgAttr(number, kWorkspaceAttr) && !kernel.getArgAttr(number, kTensorAttr);
}

std::optional<ArgumentPair> argumentPair(Value one, Value other) {
  auto a = dyn_cast<BlockArgument>(one), b = dyn_cast<BlockArgument>(other);
  if (!a || !b || a == b || a.getOwner() != b.getOwner())
    return std::nullopt;
  auto kernel = dyn_cast<func::FuncOp>(a.getOwner()->getParentOp());
  if (!kernel || !kernel->hasAttr(kKernelAttr) || !hasMemoryOfCaller(kernel, a.getArgNumber()) ||
      !hasMemoryOfCaller(kernel, b.getArgNumber()))
    return std::nullopt;
  return std::minmax(uint32_t(a.getArgNumber()), uint32_t(b.getArgNumber()));
}

std::optional<SmallVector<ArgumentPair>> apartArguments(Attribute attribute) {
  SmallVector<ArgumentPair> pairs;
  if (!attribute)
    return pairs;
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return std::nullopt;
  for (Attribute each : list) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(each);
    if (!numbers || numbers.size() != 2 || numbers[0] < 0 || numbers[0] >= numbers[1] ||
        !llvm::isUInt<32>(uint64_t(numbers[1])))
      return std::nullopt;
    pairs.push_back({uint32_t(numbers[0]), uint32_t(numbers[1])});
  }
  return pairs;
}

std::optional<LaunchConditions> launchConditions(func::FuncOp kernel) {
  std::optional<LaunchConditions> conditions = launchConditions(kernel->getAttr(kConditionsAttr));
  std::optional<SmallVector<ArgumentPair>> pairs = apartArguments(kernel->getAttr(kApartAttr));
  if (!pairs || pairs->empty())
    return conditions;
  if (!conditions)
    conditions = LaunchConditions{.positive = {}, .apart = {}, .nonNegative = false};
  conditions->apart.assign(pairs->begin(), pairs->end());
  return conditions;
}

void addApart(func::FuncOp kernel, ArrayRef<ArgumentPair> pairs) {
  Builder builder(kernel.getContext());
  auto before = kernel->getAttrOfType<ArrayAttr>(kApartAttr);
  SmallVector<Attribute> list(before ? before.getValue() : ArrayRef<Attribute>());
  for (auto [one, other] : pairs)
    if (Attribute added = builder.getDenseI64ArrayAttr({one, other}); !llvm::is_contained(list, added))
      list.push_back(added);
  kernel->setAttr(kApartAttr, builder.getArrayAttr(list));
}

} // namespace tegula::tile
