#include "tests/passes/Interpreter.h"

#include <functional>
#include <stdexcept>

using namespace mlir;

namespace tegula::tile::test {
namespace {

using Wide = __int128;

unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

int64_t wrap(Wide value, Type type) {
  unsigned width = widthOf(type);
  if (width == 1)
    return int64_t(value & 1);
  return int64_t(uint64_t(value) << (64 - width)) >> (64 - width);
}

uint64_t unsignedOf(int64_t value, Type type) {
  unsigned width = widthOf(type);
  return width == 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

int64_t count(Type type) {
  int64_t n = 1;
  for (int64_t extent : shapeOf(type))
    n *= extent;
  return n;
}

int64_t pointeeBytes(Type type) {
  Type pointee = cast<PtrType>(getElementTypeOrSelf(type)).getPointee();
  return isa<PtrType>(pointee) ? 8 : pointee.getIntOrFloatBitWidth() / 8;
}

/// The indices of the element with row-major number `linear`; below, the inverse.
std::vector<int64_t> indices(int64_t linear, ArrayRef<int64_t> shape) {
  std::vector<int64_t> result(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; linear /= shape[axis])
    result[axis] = linear % shape[axis];
  return result;
}

int64_t linear(ArrayRef<int64_t> at, ArrayRef<int64_t> shape) {
  int64_t result = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    result = result * shape[axis] + at[axis];
  return result;
}

struct Undefined {};

/// The exact result of an integer op on two elements. For unsigned ops the operands are zero-extended.
Wide binary(Operation &op, Wide a, Wide b, Type type) {
  Wide ua = unsignedOf(int64_t(a), type), ub = unsignedOf(int64_t(b), type);
  unsigned width = widthOf(type);
  auto shift = [&] {
    if (ub >= width)
      throw Undefined();
    return unsigned(ub);
  };
  auto divisor = [&](Wide by) {
    if (by == 0)
      throw Undefined();
    return by;
  };
  StringRef name = op.getName().getStringRef();
  if (name == "arith.addi")
    return a + b;
  if (name == "arith.subi")
    return a - b;
  if (name == "arith.muli")
    return a * b;
  if (name == "arith.divsi")
    return a / divisor(b);
  if (name == "arith.remsi")
    return a % divisor(b);
  if (name == "arith.divui")
    return wrap(ua / divisor(ub), type);
  if (name == "arith.remui")
    return wrap(ua % divisor(ub), type);
  if (name == "arith.andi")
    return a & b;
  if (name == "arith.ori")
    return a | b;
  if (name == "arith.xori")
    return a ^ b;
  if (name == "arith.shli")
    return a * (Wide(1) << shift());
  if (name == "arith.shrsi")
    return a >> shift();
  if (name == "arith.shrui")
    return wrap(ua >> shift(), type);
  if (name == "arith.minsi")
    return std::min(a, b);
  if (name == "arith.maxsi")
    return std::max(a, b);
  if (name == "arith.minui")
    return ua < ub ? a : b;
  if (name == "arith.maxui")
    return ua > ub ? a : b;
  throw std::runtime_error("the test's interpreter does not know " + name.str());
}

bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, Type type) {
  uint64_t ua = unsignedOf(a, type), ub = unsignedOf(b, type);
  switch (predicate) {
  case arith::CmpIPredicate::eq: return a == b;
  case arith::CmpIPredicate::ne: return a != b;
  case arith::CmpIPredicate::slt: return a < b;
  case arith::CmpIPredicate::sle: return a <= b;
  case arith::CmpIPredicate::sgt: return a > b;
  case arith::CmpIPredicate::sge: return a >= b;
  case arith::CmpIPredicate::ult: return ua < ub;
  case arith::CmpIPredicate::ule: return ua <= ub;
  case arith::CmpIPredicate::ugt: return ua > ub;
  case arith::CmpIPredicate::uge: return ua >= ub;
  }
  return false;
}

} // namespace

Interpreter::Interpreter(func::FuncOp function, const std::vector<int64_t> &arguments, int64_t program)
    : function_(function), program_(program) {
  for (auto [argument, value] : llvm::zip_equal(function.getArguments(), arguments))
    set(argument, {{value}});
  run(function.front());
}

std::vector<Snapshot> Interpreter::results() const {
  std::vector<Snapshot> all;
  for (Value value : func::FuncOp(function_).front().getTerminator()->getOperands())
    all.push_back(of(value));
  return all;
}

void Interpreter::set(Value value, Snapshot snapshot) {
  history_.emplace_back(value, snapshot);
  now_[value] = std::move(snapshot);
}

void Interpreter::run(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      runFor(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      runIf(branch);
    else
      runOp(op);
  }
}

void Interpreter::runFor(scf::ForOp loop) {
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (of(bound).undefined)
      throw std::runtime_error("an undefined bound of a loop");
  int64_t upper = of(loop.getUpperBound()).elements[0], step = of(loop.getStep()).elements[0];
  std::vector<Snapshot> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(of(init));
  for (int64_t i = of(loop.getLowerBound()).elements[0]; i < upper; i += step) {
    set(loop.getInductionVar(), {{i}});
    for (auto [argument, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      set(argument, value);
    run(*loop.getBody());
    for (auto [value, yielded] : llvm::zip_equal(carried, loop.getBody()->getTerminator()->getOperands()))
      value = of(yielded);
  }
  for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
    set(result, value);
}

void Interpreter::runIf(scf::IfOp branch) {
  const Snapshot &condition = of(branch.getCondition());
  if (condition.undefined)
    throw std::runtime_error("an undefined condition");
  Block &taken = condition.elements[0] ? *branch.thenBlock() : *branch.elseBlock();
  run(taken);
  for (auto [result, yielded] : llvm::zip_equal(branch.getResults(), taken.getTerminator()->getOperands()))
    set(result, Snapshot(of(yielded)));
}

void Interpreter::runOp(Operation &op) {
  if (op.getNumResults() == 0)
    return;
  Value result = op.getResult(0);
  Type type = result.getType();
  Snapshot out;
  std::vector<Snapshot> in;
  for (Value operand : op.getOperands()) {
    in.push_back(of(operand));
    out.wrapped |= in.back().wrapped;
    out.rests |= in.back().rests;
    out.undefined |= in.back().undefined;
  }
  out.rests |= out.wrapped && isa<arith::DivSIOp, arith::RemSIOp>(op);
  int64_t size = count(type);
  Type from = op.getNumOperands() ? op.getOperand(0).getType() : type;
  auto fill = [&](const std::function<Wide(int64_t)> &element) {
    for (int64_t i = 0; i < size; ++i) {
      Wide exact = 0;
      try {
        exact = out.undefined ? 0 : element(i);
      } catch (Undefined) {
        out.undefined = true;
      }
      int64_t value = wrap(exact, type);
      out.wrapped |= value != exact;
      out.undefined |= value != exact && isa<arith::DivSIOp>(op);
      out.elements.push_back(value);
    }
  };
  auto moved = [&](const std::function<int64_t(std::vector<int64_t>)> &source) {
    fill([&](int64_t i) { return in[0].elements[size_t(source(indices(i, shapeOf(type))))]; });
  };

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      fill([&](int64_t) { return integer.getValue().getSExtValue(); });
    else
      fill([&](int64_t i) {
        return cast<DenseIntElementsAttr>(constant.getValue()).getValues<APInt>()[uint64_t(i)].getSExtValue();
      });
    if (widthOf(type) == 1)
      out.wrapped = false;
  } else if (isa<ProgramIdOp>(op)) {
    fill([&](int64_t) { return program_; });
  } else if (auto range = dyn_cast<MakeRangeOp>(op)) {
    fill([&](int64_t i) { return int32_t(range.getStart()) + i; });
  } else if (isa<SplatOp>(op)) {
    fill([&](int64_t) { return in[0].elements[0]; });
  } else if (isa<ExpandDimsOp, ReshapeOp, HintOp, PtrToIntOp, IntToPtrOp, PtrCastOp>(op)) {
    fill([&](int64_t i) { return in[0].elements[size_t(i)]; });
  } else if (isa<BroadcastOp>(op)) {
    moved([&](std::vector<int64_t> at) {
      for (size_t axis = 0; axis < at.size(); ++axis)
        at[axis] = shapeOf(from)[axis] == 1 ? 0 : at[axis];
      return linear(at, shapeOf(from));
    });
  } else if (auto trans = dyn_cast<TransOp>(op)) {
    moved([&](std::vector<int64_t> at) {
      std::vector<int64_t> source(at.size());
      for (auto [axis, of] : llvm::enumerate(trans.getOrder()))
        source[size_t(of)] = at[axis];
      return linear(source, shapeOf(from));
    });
  } else if (isa<JoinOp>(op)) {
    fill([&](int64_t i) { return in[size_t(i % 2)].elements[size_t(i / 2)]; });
  } else if (isa<CatOp>(op)) {
    fill([&](int64_t i) { return in[size_t(i >= size / 2)].elements[size_t(i % (size / 2))]; });
  } else if (auto split = dyn_cast<SplitOp>(op)) {
    Snapshot second = out;
    for (int64_t i = 0; i < size; ++i)
      second.elements.push_back(in[0].elements[size_t(2 * i + 1)]);
    set(split.getRhs(), second);
    fill([&](int64_t i) { return in[0].elements[size_t(2 * i)]; });
  } else if (auto add = dyn_cast<AddPtrOp>(op)) {
    fill([&](int64_t i) { return in[0].elements[size_t(i)] + Wide(in[1].elements[size_t(i)]) * pointeeBytes(type); });
  } else if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    fill([&](int64_t i) {
      return Wide(compare(comparison.getPredicate(), in[0].elements[size_t(i)], in[1].elements[size_t(i)], from));
    });
  } else if (isa<arith::SelectOp>(op)) {
    fill([&](int64_t i) {
      bool holds = in[0].elements[in[0].elements.size() == 1 ? 0 : size_t(i)];
      return in[holds ? 1 : 2].elements[size_t(i)];
    });
  } else if (isa<arith::ExtUIOp>(op)) {
    fill([&](int64_t i) {
      int64_t value = in[0].elements[size_t(i)];
      out.wrapped |= value < 0; // the value differs from the exact one from here on
      return Wide(unsignedOf(value, from));
    });
  } else if (isa<arith::ExtSIOp>(op)) {
    fill([&](int64_t i) { return Wide(widthOf(from) == 1 ? -in[0].elements[size_t(i)] : in[0].elements[size_t(i)]); });
  } else if (isa<arith::TruncIOp>(op)) {
    fill([&](int64_t i) { return in[0].elements[size_t(i)]; });
  } else {
    fill([&](int64_t i) { return binary(op, in[0].elements[size_t(i)], in[1].elements[size_t(i)], type); });
  }
  set(result, std::move(out));
}

} // namespace tegula::tile::test
