// Scans along an axis, and functions mapped over elements.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;

// associative_scan(input, axis, combine_fn, reverse)
Value associativeScan(Emitter &e, const Args &args) {
  std::vector<Tensor> inputs = combineOperands(e, args, "associative_scan");
  int64_t axis = requiredAxis(e, args, 1, inputs[0].shape.size(), "associative_scan's axis");
  bool reverse = flagArgument(e, args, 3, "reverse");
  auto body = [&](OpBuilder &, ValueRange accumulators, ValueRange elements) {
    return combineWithFunction(e, args.loc, inputs, args[2], accumulators, elements);
  };
  auto op = tile::ScanOp::create(e.builder, e.at(args.loc), valuesOf(inputs), axis, reverse, body);
  std::vector<Tensor> results;
  for (size_t i = 0; i < inputs.size(); ++i)
    results.push_back(e.wrap(op.getResult(static_cast<unsigned>(i)), inputs[i].type, inputs[i].shape));
  return args[0].as<Tuple>() ? tupleOf(results) : Value(results[0]);
}

/// A scan by + or *. As in Triton, bf16 gives f32; f16 accumulates in f32 and is rounded at each element.
Tensor scanned(Emitter &e, const Args &args, const Tensor &input, ElementType type, const std::string &name,
               BinaryOp combine) {
  if (input.shape.empty() || input.type.isPointer())
    e.fail(args.locs[0], name + " needs a tensor of numbers, found " + input.str());
  int64_t axis = requiredAxis(e, args, 1, input.shape.size(), name + "'s axis");
  ElementType result = type == ElementType(ScalarType::BF16) ? ElementType(ScalarType::F32) : type;
  Tensor typed = e.cast(args.loc, input, result);
  if (typed.type.isFloat())
    typed = e.widenForMath(args.loc, typed);
  auto body = [&](OpBuilder &, ValueRange accumulators, ValueRange elements) -> SmallVector<mlir::Value> {
    Tensor a = e.wrap(accumulators[0], typed.type, {}), b = e.wrap(elements[0], typed.type, {});
    return {e.binary(args.loc, combine, a, b).as<Tensor>()->value};
  };
  auto op = tile::ScanOp::create(e.builder, e.at(args.loc), ValueRange{typed.value}, axis,
                                 flagArgument(e, args, 2, "reverse"), body);
  return e.cast(args.loc, e.wrap(op.getResult(0), typed.type, typed.shape), result);
}

// cumsum(input, axis, reverse, dtype)
Value cumsum(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "cumsum's input");
  ElementType type = args[3].isNone() ? sumType(input.type) : e.constantType(args.locs[3], args[3], "cumsum's dtype");
  return scanned(e, args, input, type, "cumsum", BinaryOp::Add);
}

// cumprod(input, axis, reverse)
Value cumprod(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "cumprod's input");
  return scanned(e, args, input, input.type, "cumprod", BinaryOp::Mul);
}

} // namespace

std::vector<Tensor> unpacked(Emitter &e, Loc loc, const Tensor &t, int64_t pack) {
  std::vector<Tensor> parts = {e.reshape(loc, t, {elementCount(t.shape)})};
  for (; pack > 1; pack /= 2) {
    std::vector<Tensor> evens, odds;
    for (const Tensor &part : parts) {
      Tensor pairs = e.reshape(loc, part, {part.shape[0] / 2, 2});
      auto op = tile::SplitOp::create(e.builder, e.at(loc), pairs.value);
      Shape half = {pairs.shape[0]};
      evens.push_back(e.wrap(op.getLhs(), t.type, half));
      odds.push_back(e.wrap(op.getRhs(), t.type, half));
    }
    parts = std::move(evens);
    parts.insert(parts.end(), odds.begin(), odds.end());
  }
  return parts;
}

Tensor packed(Emitter &e, Loc loc, std::vector<Tensor> parts, const Shape &shape) {
  while (parts.size() > 1) {
    size_t half = parts.size() / 2;
    std::vector<Tensor> joined;
    for (size_t i = 0; i < half; ++i) {
      int64_t n = parts[i].shape[0];
      auto op = tile::JoinOp::create(e.builder, e.at(loc), parts[i].value, parts[i + half].value);
      joined.push_back(e.reshape(loc, e.wrap(op, parts[i].type, {n, 2}), {2 * n}));
    }
    parts = std::move(joined);
  }
  return e.reshape(loc, parts[0], shape);
}

namespace {

// map_elementwise(scalar_fn, *args, pack): with pack p the function takes and returns p consecutive elements of each
// tensor.
Value mapElementwise(Emitter &e, const Args &args) {
  Loc loc = args.loc;
  Int pack = e.constantInt(args.locs[2], args[2], "map_elementwise's pack");
  if (pack < 1 || (pack & (pack - 1)))
    e.fail(args.locs[2], "map_elementwise's pack must be a power of 2, found " + toString(pack));
  std::vector<Tensor> tensors;
  for (const Value &value : e.elements(args[1]))
    tensors.push_back(e.tensor(args.locs[1], value, "map_elementwise's argument"));
  if (tensors.empty())
    e.fail(loc, "map_elementwise needs at least one tensor");
  broadcastAll(e, loc, tensors);
  Shape shape = tensors[0].shape;
  if (shape.empty() || elementCount(shape) % pack)
    e.fail(loc, "map_elementwise needs tensors of at least pack elements, found " + tensors[0].str());

  std::vector<Tensor> operands;
  for (const Tensor &t : tensors)
    for (Tensor &part : pack == 1 ? std::vector<Tensor>{t} : unpacked(e, loc, t, static_cast<int64_t>(pack)))
      operands.push_back(part);
  // The op's result types are those of the function's results, so its region is emitted first.
  Region region;
  std::vector<ElementType> types;
  bool returnsTuple = false;
  {
    OpBuilder::InsertionGuard guard(e.builder);
    auto *block = new mlir::Block;
    region.push_back(block);
    e.builder.setInsertionPointToStart(block);
    std::vector<Value> scalars;
    for (const Tensor &t : operands)
      scalars.push_back(e.wrap(block->addArgument(e.irType(t.type), e.at(loc)), t.type, {}));
    Value returned = e.callOnScalars(loc, args[0], std::move(scalars));
    returnsTuple = returned.as<Tuple>() != nullptr;
    SmallVector<mlir::Value> yielded;
    for (const Value &value : e.elements(returned)) {
      Tensor result = e.tensor(loc, value, "the mapped function's result");
      if (!result.shape.empty())
        e.fail(loc, "the function of map_elementwise must return scalars, found " + result.str());
      types.push_back(result.type);
      yielded.push_back(result.value);
    }
    tile::YieldOp::create(e.builder, e.at(loc), yielded);
  }
  if (types.empty() || types.size() % static_cast<size_t>(pack))
    e.fail(loc, "the function of map_elementwise must return pack (" + toString(pack) +
                    ") values for each result, found " + std::to_string(types.size()));
  SmallVector<mlir::Type> irTypes;
  for (ElementType type : types)
    irTypes.push_back(e.irType(type, operands[0].shape));
  auto op = tile::MapElementwiseOp::create(e.builder, e.at(loc), irTypes, valuesOf(operands));
  op.getBody().takeBody(region);
  std::vector<Tensor> results;
  for (size_t i = 0; i < types.size(); i += static_cast<size_t>(pack)) {
    std::vector<Tensor> parts;
    for (size_t k = 0; k < static_cast<size_t>(pack); ++k) {
      if (!(types[i + k] == types[i]))
        e.fail(loc, "the packed results of map_elementwise's function must have one type, found " + types[i].str() +
                        " and " + types[i + k].str());
      parts.push_back(e.wrap(op.getResult(static_cast<unsigned>(i + k)), types[i], operands[0].shape));
    }
    results.push_back(pack == 1 ? parts[0] : packed(e, loc, parts, shape));
  }
  return returnsTuple && results.size() > 1 ? tupleOf(results) : Value(results[0]);
}

} // namespace

std::span<const Builtin> scanBuiltins() {
  static constexpr Builtin table[] = {
      {"associative_scan", "input, axis, combine_fn, reverse=False", associativeScan, true},
      {"cumsum", "input, axis=0, reverse=False, dtype=None", cumsum, true},
      {"cumprod", "input, axis=0, reverse=False", cumprod, true},
      {"map_elementwise", "scalar_fn, *args, pack=1", mapElementwise},
  };
  return table;
}

} // namespace tegula::lang
