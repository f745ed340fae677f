// Reductions, with the types of Triton's standard.py: sums of narrow integers are computed in 32 bits of the same sign;
// maxima and minima of narrow numbers have 32 bits; sums of 16-bit floats accumulate in f32 and are rounded once.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;

/// The operands in the shape in which the reduce runs, and the shapes of its result.
struct Plan {
  std::vector<Tensor> inputs;
  int64_t axis;
  Shape reduced; // the results' shape
  Shape kept;    // the results' shape with keep_dims: reduced axes have extent 1
};

Plan plan(Emitter &e, Loc loc, std::vector<Tensor> inputs, std::optional<int64_t> axis, bool keepDims) {
  Plan p;
  Shape shape = inputs[0].shape;
  if (axis) {
    p.axis = *axis;
    p.reduced = shape;
    p.reduced.erase(p.reduced.begin() + *axis);
  } else {
    p.axis = 0;
    for (Tensor &t : inputs)
      t = e.reshape(loc, t, {elementCount(shape)}, true);
  }
  if (keepDims) {
    p.kept = axis ? shape : Shape(shape.size(), 1);
    if (axis)
      p.kept[*axis] = 1;
  }
  p.inputs = std::move(inputs);
  return p;
}

std::vector<Tensor> finish(Emitter &e, Loc loc, const Plan &p, tile::ReduceOp op) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    Tensor result = e.wrap(op.getResult(static_cast<unsigned>(i)), p.inputs[i].type, p.reduced);
    if (!p.kept.empty())
      result = p.reduced.empty() ? e.fullTensor(loc, p.kept, result) : e.reshape(loc, result, p.kept);
    results.push_back(result);
  }
  return results;
}

} // namespace

SmallVector<mlir::Value> combineWithFunction(Emitter &e, Loc loc, const std::vector<Tensor> &inputs,
                                             const Value &function, ValueRange accumulators, ValueRange elements) {
  std::vector<Value> scalars;
  for (ValueRange side : {accumulators, elements})
    for (size_t i = 0; i < inputs.size(); ++i)
      scalars.push_back(e.wrap(side[i], inputs[i].type, {}));
  std::vector<Value> results = e.elements(e.callOnScalars(loc, function, std::move(scalars)));
  if (results.size() != inputs.size())
    e.fail(loc, "the combine function must return " + std::to_string(inputs.size()) +
                    " value(s), one for each operand, found " + std::to_string(results.size()));
  SmallVector<mlir::Value> yielded;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ElementType &type = inputs[i].type;
    Tensor result = results[i].as<Const>() && results[i].as<Const>()->isNumber()
                        ? e.scalarConstant(loc, *results[i].as<Const>(), type)
                        : e.tensor(loc, results[i], "the combine function's result");
    if (!result.shape.empty())
      e.fail(loc, "the combine function must return scalars, found " + result.str());
    bool bothFloat = result.type.isFloat() && type.isFloat();
    bool sameWidth = result.type.isInteger() && type.isInteger() && result.type.bits() == type.bits();
    if (!(result.type == type) && !bothFloat && !sameWidth)
      e.fail(loc,
             "the combine function returns " + result.type.str() + ", expected " + type.str() + " as its operand is");
    yielded.push_back(e.cast(loc, result, type).value);
  }
  return yielded;
}

Tensor reduceTensor(Emitter &e, Loc loc, const Tensor &input, std::optional<int64_t> axis, bool keepDims,
                    const ScalarCombine &combine) {
  Plan p = plan(e, loc, {input}, axis, keepDims);
  auto body = [&](OpBuilder &, ValueRange accumulators, ValueRange elements) -> SmallVector<mlir::Value> {
    return {combine(e.wrap(accumulators[0], input.type, {}), e.wrap(elements[0], input.type, {})).value};
  };
  auto op = tile::ReduceOp::create(e.builder, e.at(loc), valuesOf(p.inputs), p.axis, body);
  return finish(e, loc, p, op)[0];
}

std::vector<Tensor> reduceTensors(Emitter &e, Loc loc, const std::vector<Tensor> &inputs, std::optional<int64_t> axis,
                                  bool keepDims, const Value &function) {
  Plan p = plan(e, loc, inputs, axis, keepDims);
  auto body = [&](OpBuilder &, ValueRange accumulators, ValueRange elements) {
    return combineWithFunction(e, loc, inputs, function, accumulators, elements);
  };
  auto op = tile::ReduceOp::create(e.builder, e.at(loc), valuesOf(p.inputs), p.axis, body);
  // Of argmax and its like the language leaves open which of equal elements or NaNs wins.
  const FunctionValue *called = function.as<FunctionValue>();
  op.setAnyOrder(called && called->scope == &preludeScope());
  if (!axis && !op.commutes())
    for (mlir::Value src : op.getSrcs())
      if (auto flat = src.getDefiningOp<tile::ReshapeOp>())
        flat.setAllowReorder(false);
  return finish(e, loc, p, op);
}

ElementType sumType(ElementType type) {
  if (!type.isInteger() || type.bits() >= 32)
    return type;
  return type.isUnsigned() || type.isBool() ? ScalarType::U32 : ScalarType::I32;
}

SmallVector<mlir::Value> valuesOf(const std::vector<Tensor> &tensors) {
  SmallVector<mlir::Value> values;
  for (const Tensor &t : tensors)
    values.push_back(t.value);
  return values;
}

ElementType extremumType(ElementType type) {
  return type.bits() >= 32 ? type : ElementType(type.isFloat() ? ScalarType::F32 : ScalarType::I32);
}

std::vector<Tensor> combineOperands(Emitter &e, const Args &args, const char *function) {
  std::vector<Tensor> inputs;
  for (const Value &value : e.elements(args[0]))
    inputs.push_back(e.tensor(args.locs[0], value, std::string(function) + "'s input"));
  if (inputs.empty() || inputs[0].shape.empty())
    e.fail(args.locs[0], std::string(function) + " needs a tensor or a tuple of tensors, found " + args[0].describe());
  for (const Tensor &t : inputs)
    if (t.shape != inputs[0].shape)
      e.fail(args.locs[0], std::string(function) + "'s operands must have one shape, found " + str(inputs[0].shape) +
                               " and " + str(t.shape));
  return inputs;
}

namespace {

/// The input of `name`: a tensor of rank 1 or more.
Tensor reducedArgument(Emitter &e, const Args &args, const std::string &name) {
  Tensor input = tensorArgument(e, args, 0, name + "'s input");
  if (input.shape.empty() || input.type.isPointer())
    e.fail(args.locs[0], name + " needs a tensor of numbers, found " + input.str());
  return input;
}

// reduce(input, axis, combine_fn, keep_dims)
Value reduce(Emitter &e, const Args &args) {
  std::vector<Tensor> inputs = combineOperands(e, args, "reduce");
  auto axis = axisArgument(e, args, 1, inputs[0].shape.size(), "reduce's axis");
  auto results = reduceTensors(e, args.loc, inputs, axis, flagArgument(e, args, 3, "keep_dims"), args[2]);
  return args[0].as<Tuple>() ? tupleOf(results) : Value(results[0]);
}

ScalarCombine operatorCombine(Emitter &e, Loc loc, BinaryOp op) {
  return [&e, loc, op](Tensor a, Tensor b) { return *e.binary(loc, op, a, b).as<Tensor>(); };
}

// sum(input, axis, keep_dims, dtype)
Value sum(Emitter &e, const Args &args) {
  Tensor input = reducedArgument(e, args, "sum");
  auto axis = axisArgument(e, args, 1, input.shape.size(), "sum's axis");
  ElementType result = args[3].isNone() ? sumType(input.type) : e.constantType(args.locs[3], args[3], "sum's dtype");
  Tensor typed = e.cast(args.loc, input, result);
  if (typed.type.isFloat())
    typed = e.widenForMath(args.loc, typed);
  Tensor total = reduceTensor(e, args.loc, typed, axis, flagArgument(e, args, 2, "keep_dims"),
                              operatorCombine(e, args.loc, BinaryOp::Add));
  return e.cast(args.loc, total, result);
}

template <BinaryOp op, FixedName name> Value bitwise(Emitter &e, const Args &args) {
  Tensor input = reducedArgument(e, args, name.str());
  if (!input.type.isInteger())
    e.fail(args.locs[0], name.str() + " needs integers, found " + input.str());
  auto axis = axisArgument(e, args, 1, input.shape.size(), name.str() + "'s axis");
  return reduceTensor(e, args.loc, input, axis, flagArgument(e, args, 2, "keep_dims"),
                      operatorCombine(e, args.loc, op));
}

/// The extremum and its index, along `axis` or among all elements.
std::vector<Tensor> extremumWithIndex(Emitter &e, const Args &args, Tensor input, std::optional<int64_t> axis,
                                      bool isMax, bool tieBreakLeft, bool keepDims) {
  Shape full = input.shape;
  if (input.type == ElementType(ScalarType::BF16))
    input = e.cast(args.loc, input, ScalarType::F32);
  if (!axis) // indices refer to the flattened tensor, so its order must be kept
    input = e.reshape(args.loc, input, {elementCount(full)});
  int64_t along = axis.value_or(0);
  Tensor indices = indicesAlong(e, args.loc, input.shape, along);
  std::string function = std::string(isMax ? "argmax" : "argmin") + (tieBreakLeft ? "_left" : "_fast");
  Value combine = e.moduleValue(preludeScope(), args.loc, function);
  auto results = reduceTensors(e, args.loc, {input, indices}, along, keepDims, combine);
  if (!axis && keepDims)
    for (Tensor &t : results)
      t = e.reshape(args.loc, t, Shape(full.size(), 1));
  return results;
}

// max(input, axis, return_indices, return_indices_tie_break_left, keep_dims)
template <bool isMax> Value reducedExtremum(Emitter &e, const Args &args) {
  std::string name = isMax ? "max" : "min";
  Tensor input = reducedArgument(e, args, name);
  auto axis = axisArgument(e, args, 1, input.shape.size(), name + "'s axis");
  bool keepDims = flagArgument(e, args, 4, "keep_dims");
  if (flagArgument(e, args, 2, "return_indices")) {
    bool left = flagArgument(e, args, 3, "return_indices_tie_break_left");
    return tupleOf(extremumWithIndex(e, args, input, axis, isMax, left, keepDims));
  }
  input = e.cast(args.loc, input, extremumType(input.type));
  Loc loc = args.loc;
  return reduceTensor(e, loc, input, axis, keepDims,
                      [&](Tensor a, Tensor b) { return e.minMax(loc, isMax, a, b, false); });
}

// argmax(input, axis, tie_break_left, keep_dims)
template <bool isMax> Value argExtremum(Emitter &e, const Args &args) {
  std::string name = isMax ? "argmax" : "argmin";
  Tensor input = reducedArgument(e, args, name);
  auto axis = axisArgument(e, args, 1, input.shape.size(), name + "'s axis");
  bool left = flagArgument(e, args, 2, "tie_break_left"), keepDims = flagArgument(e, args, 3, "keep_dims");
  return extremumWithIndex(e, args, input, axis, isMax, left, keepDims)[1];
}

// histogram(input, num_bins, mask)
Value histogram(Emitter &e, const Args &args) {
  Tensor input = tensorArgument(e, args, 0, "histogram's input");
  if (input.shape.size() != 1 || !input.type.isInteger())
    e.fail(args.locs[0], "histogram needs a rank-1 tensor of integers, found " + input.str());
  input = asSigned(e, args.loc, input);
  Shape bins = e.constantShape(args.locs[1], args[1], "histogram's num_bins");
  if (bins.size() != 1)
    e.fail(args.locs[1], "histogram's num_bins must be one number, found " + args[1].describe());
  mlir::Value mask;
  if (auto given = optionalTensor(e, args, 2, "histogram's mask"))
    mask = e.broadcastTo(args.locs[2], e.toBool(args.locs[2], *given), input.shape, "the mask").value;
  auto op = tile::HistogramOp::create(e.builder, e.at(args.loc), e.irType(ScalarType::I32, bins), input.value, mask);
  return e.wrap(op, ScalarType::I32, bins);
}

} // namespace

std::span<const Builtin> reduceBuiltins() {
  static constexpr std::string_view extremumSignature =
      "input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False";
  static constexpr Builtin table[] = {
      {"reduce", "input, axis, combine_fn, keep_dims=False", reduce, true},
      {"sum", "input, axis=None, keep_dims=False, dtype=None", sum, true},
      {"xor_sum", "input, axis=None, keep_dims=False", bitwise<BinaryOp::Xor, "xor_sum">, true},
      {"reduce_or", "input, axis=None, keep_dims=False", bitwise<BinaryOp::Or, "reduce_or">, true},
      {"max", extremumSignature, reducedExtremum<true>, true},
      {"min", extremumSignature, reducedExtremum<false>, true},
      {"argmax", "input, axis=None, tie_break_left=True, keep_dims=False", argExtremum<true>, true},
      {"argmin", "input, axis=None, tie_break_left=True, keep_dims=False", argExtremum<false>, true},
      {"histogram", "input, num_bins, mask=None", histogram, true},
  };
  return table;
}

} // namespace tegula::lang
