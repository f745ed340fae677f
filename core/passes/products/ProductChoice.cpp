#include "core/passes/products/ProductChoice.h"

#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/layouts/ProductLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>
#include <numeric>
#include <tuple>

using namespace mlir;

namespace tegula::tile {

using simt::InstructionAttr;

namespace {

/// The offered matrix instructions that `fits` accepts and that take the dot's types or its adapted type. f32 operands:
/// the adapted type is tried first, because its instructions are faster. 8-bit operands: the adapted type is tried only
/// if no instruction takes the type itself. f32 operands are adapted in registers, or rounded to tf32 on their way to
/// shared memory. This excludes instructions that read f32 operands from opaque fragments, and instructions that need
/// several numbers for each element in shared memory.
SmallVector<InstructionAttr> ofTypes(DotOp dot, ArrayRef<InstructionAttr> offered,
                                     llvm::function_ref<bool(InstructionAttr)> fits) {
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType());
  Type accumulator = accumulatorOf(a);
  SmallVector<InstructionAttr> result;
  if (getElementTypeOrSelf(dot.getType()).isF64() && !accumulator.isF64())
    return result;
  auto take = [&](Type left, Type right) {
    bool isNarrowed = a.isF32() && left != a;
    auto canAdapt = [&](InstructionAttr each) {
      return !each.isOpaque() && !(readsShared(each) && partsOfOperands(dot.getInputPrecision()) > 1);
    };
    for (InstructionAttr each : offered)
      if (each.getA().getElementType() == left && each.getB().getElementType() == right &&
          each.getC().getElementType() == accumulator && (!isNarrowed || canAdapt(each)) && fits(each))
        result.push_back(each);
  };
  Type adapted = adaptedType(dot);
  if (adapted && a.isF32())
    take(adapted, adapted);
  if (result.empty())
    take(a, b);
  if (result.empty() && adapted)
    take(adapted, adapted);
  return result;
}

} // namespace

Type accumulatorOf(Type element) {
  Builder builder(element.getContext());
  if (isa<IntegerType>(element))
    return builder.getI32Type();
  return element.isF64() ? element : Type(builder.getF32Type());
}

Type adaptedType(DotOp dot) {
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType());
  auto isShort = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; };
  if (isShort(a) && isShort(b))
    return Float16Type::get(dot.getContext());
  if (!a.isF32() || !b.isF32())
    return {};
  switch (dot.getInputPrecision()) {
  case InputPrecision::Ieee: return {};
  case InputPrecision::Tf32:
  case InputPrecision::Tf32x3: return FloatTF32Type::get(dot.getContext());
  case InputPrecision::Bf16x3:
  case InputPrecision::Bf16x6: return BFloat16Type::get(dot.getContext());
  }
  llvm_unreachable("a precision without a case");
}

int64_t partsOfOperands(InputPrecision precision) {
  switch (precision) {
  case InputPrecision::Ieee:
  case InputPrecision::Tf32: return 1;
  case InputPrecision::Tf32x3:
  case InputPrecision::Bf16x3: return 2;
  case InputPrecision::Bf16x6: return 3;
  }
  llvm_unreachable("a precision without a case");
}

bool isEligible(DotOp dot, ArrayRef<InstructionAttr> offered) {
  auto fits = [&](InstructionAttr each) { return each.isOpaque() || fitsRegisters(each, dot); };
  return !ofTypes(dot, offered, fits).empty();
}

SmallVector<Value, 2> bufferedOperands(DotOp dot) {
  SmallVector<Value, 2> operands;
  for (Value operand : {dot.getA(), dot.getB()}) {
    if (operand == dot.getA() && operand != dot.getB() && comesFromProduct(operand))
      continue;
    while (auto trans = operand.getDefiningOp<TransOp>())
      operand = trans.getSrc();
    operands.push_back(operand);
  }
  return operands;
}

int64_t bufferBytes(Value operand, InstructionAttr instruction) {
  return cast<RankedTensorType>(operand.getType()).getNumElements() *
         simt::elementBytes(instruction.getB().getElementType());
}

namespace {

/// The axis of the result along which elements lie that are neighbours along `axis` of the source: the one that holds
/// their distance in row-major order.
unsigned axisAfterReshape(ReshapeOp reshape, unsigned axis) {
  ArrayRef<int64_t> from = shapeOf(reshape.getSrc().getType()), to = shapeOf(reshape.getType());
  auto product = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
  };
  int64_t distance = product(from.drop_front(axis + 1));
  unsigned found = unsigned(to.size()) - 1;
  while (found > 0 && product(to.drop_front(found)) <= distance)
    --found;
  return found;
}

/// Finds the loads from which a tensor is computed element by element, possibly in another shape.
class LineSearch {
public:
  /// `mayBeApart`: a load without neighbours in memory counts as one with neighbours along its last axis.
  LineSearch(const AxisAnalysis &axes, bool mayBeApart) : axes_(axes), mayBeApart_(mayBeApart) {}

  /// The axis of the value along which a load of it has neighbours in memory; nothing if none has.
  std::optional<unsigned> lineOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getElementType().isInteger(1) || !seen_.insert(value).second)
      return std::nullopt;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop ? lineOf(loop.getTiedLoopInit(argument)->get()) : std::nullopt;
    }
    Operation *op = value.getDefiningOp();
    if (auto load = dyn_cast<LoadOp>(op))
      return lineOfLoad(load);
    if (isa<DescLoadOp>(op))
      return unsigned(type.getRank()) - 1;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return first({branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
    }
    if (!isElementwise(op) && !isa<TransOp, ReshapeOp, JoinOp, SplitOp>(op))
      return std::nullopt;
    std::optional<unsigned> found = first(op->getOperands());
    if (auto trans = dyn_cast<TransOp>(op); found && trans)
      return unsigned(llvm::find(trans.getOrder(), int32_t(*found)) - trans.getOrder().begin());
    if (auto reshape = dyn_cast<ReshapeOp>(op); found && reshape)
      return axisAfterReshape(reshape, *found);
    return found && *found < type.getRank() ? found : std::nullopt; // not if a split drops this axis
  }

private:
  std::optional<unsigned> lineOfLoad(LoadOp load) const {
    AxisInfo info = axes_.of(load.getPtr());
    ArrayRef<int64_t> contiguity = info.contiguity;
    unsigned line = unsigned(contiguity.size()) - 1;
    for (unsigned axis = line; axis-- > 0;)
      if (contiguity[axis] > contiguity[line])
        line = axis;
    return contiguity[line] == 1 && !mayBeApart_ ? std::nullopt : std::optional(line);
  }

  std::optional<unsigned> first(ValueRange values) {
    for (Value value : values)
      if (std::optional<unsigned> found = lineOf(value))
        return found;
    return std::nullopt;
  }

  const AxisAnalysis &axes_;
  bool mayBeApart_;
  llvm::DenseSet<Value> seen_;
};

} // namespace

unsigned lineAxis(Value tensor, const AxisAnalysis &axes) {
  std::optional<unsigned> line = LineSearch(axes, /*mayBeApart=*/false).lineOf(tensor);
  if (!line)
    line = LineSearch(axes, /*mayBeApart=*/true).lineOf(tensor);
  auto last = unsigned(shapeOf(tensor.getType()).size()) - 1;
  return line && *line + 1 >= last ? *line : last; // neighbours along the axis of a batch do not count
}

/// Whether the value is loaded, possibly transposed: no op changes its elements. `isByThreads`: only loads by threads
/// count.
static bool isLoaded(Value operand, bool isByThreads) {
  while (auto trans = operand.getDefiningOp<TransOp>())
    operand = trans.getSrc();
  return operand.getDefiningOp<LoadOp>() || (!isByThreads && operand.getDefiningOp<DescLoadOp>());
}

/// Whether the instruction can read both operands of the dot. Always true if it reads operands of its type along either
/// axis. If it reads them along the depth (K-major) only, it can read an operand whose lines in global memory lie along
/// the depth, and an operand of 8-bit elements that threads load, because threads transpose bytes. (Threads could also
/// transpose and round f32 numbers, but that was slower than an instruction with operands in registers:
/// docs/matrix.md.) A left operand may also be loaded from its buffer into registers. A left operand that comes from
/// another product is in registers already, but in another order along the depth.
static bool canBeReadKMajor(InstructionAttr instruction, DotOp dot, const AxisAnalysis &axes) {
  Type element = instruction.getB().getElementType();
  if (!readsKMajorOnly(element))
    return true;
  auto canLie = [&](Value operand, unsigned depthAxis) {
    return lineAxis(operand, axes) == depthAxis ||
           (simt::elementBytes(element) == 1 && isLoaded(operand, /*isByThreads=*/true));
  };
  bool canBeLoaded = instruction.getA().mayBe(OperandPlace::Registers) && isLoaded(dot.getA(), /*isByThreads=*/false);
  return !comesFromProduct(dot.getA()) && (canBeLoaded || canLie(dot.getA(), 1)) && canLie(dot.getB(), 0);
}

bool mustBecomeKMajor(DotOp dot, unsigned operand, const AxisAnalysis &axes) {
  Value tensor = dot->getOperand(operand);
  return readsKMajorOnly(getElementTypeOrSelf(tensor.getType())) && lineAxis(tensor, axes) == operand;
}

/// Whether the instruction's sums are as precise as the dot requires. Instructions that read 8-bit floats from shared
/// memory keep sums with fewer bits than f32, both within an instruction and from one to the next.
static bool isPreciseEnough(InstructionAttr instruction, DotOp dot) {
  Type element = instruction.getB().getElementType();
  bool isImprecise = isa<FloatType>(element) && simt::elementBytes(element) == 1;
  int64_t bound = dot.getMaxNumImpreciseAcc();
  return !isImprecise || bound == 0 || bound > extentsOf(dot).k;
}

/// Whether an instruction that reads shared memory can compute the dot with the given resources. A thread needs
/// registers for its share of the result and kOtherBytes more; with fewer, the instruction itself may not get its
/// registers.
static bool fitsRoom(InstructionAttr instruction, DotOp dot, const ProductRoom &room, const AxisAnalysis &axes) {
  constexpr int64_t kOtherBytes = 112;
  DotExtents e = extentsOf(dot);
  if (!fitsShared(instruction, dot, room.warps) || !canBeReadKMajor(instruction, dot, axes) ||
      !isPreciseEnough(instruction, dot))
    return false;
  int64_t threads = room.warps << instruction.getC().getLayout().getLanes().size() / 2, bytes = 0;
  for (Value operand : bufferedOperands(dot))
    bytes += bufferBytes(operand, instruction);
  int64_t ofThread = e.m * e.n / threads * simt::elementBytes(instruction.getC().getElementType());
  Type left = instruction.getA().getElementType();
  if (readsKMajorOnly(left) && mustBecomeKMajor(dot, 0, axes)) {
    // If threads load the left operand into registers, they need registers for it: a warp group holds its own rows of
    // the operand, over the whole depth.
    int64_t groups = room.warps / warpsOf(instruction), ofRows = std::min(groups, e.m / instruction.getM());
    ofThread += e.m / ofRows * e.k / (threads / groups) * simt::elementBytes(left);
  }
  return ofThread + kOtherBytes <= room.registerBytes && bytes <= room.bufferBytes;
}

int64_t linePadding(Type element) { return kPieceBytes / simt::elementBytes(element); }

/// The larger of the operand's sizes with lines along the one axis and along the other; the two differ in padding.
static int64_t operandBytes(DotOp dot, Type element, int64_t extent, int64_t depth) {
  int64_t padding = linePadding(element);
  return extentsOf(dot).batch * std::max(extent * (depth + padding), depth * (extent + padding)) *
         simt::elementBytes(element);
}

int64_t leftBytes(DotOp dot, InstructionAttr product, int64_t depth) {
  return operandBytes(dot, product.getA().getElementType(), std::max(extentsOf(dot).m, product.getM()), depth);
}

int64_t rightBytes(DotOp dot, InstructionAttr product, int64_t depth) {
  return operandBytes(dot, product.getB().getElementType(), std::max(extentsOf(dot).n, product.getN()), depth);
}

ProductChoice chooseProduct(DotOp dot, ArrayRef<InstructionAttr> offered, const ProductRoom &room,
                            const AxisAnalysis &axes) {
  if (offered.empty())
    return {{}, "the target has no matrix instructions"};
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType());
  Type c = getElementTypeOrSelf(dot.getType());
  std::string rows;
  for (InstructionAttr each : offered)
    rows += (rows.empty() ? "" : ", ") + each.getName().str();
  DotExtents e = extentsOf(dot);
  SmallVector<InstructionAttr> serving = ofTypes(dot, offered, [&](InstructionAttr each) {
    return each.isOpaque() || fitsRegisters(each, dot) || fitsRoom(each, dot, room, axes);
  });
  if (serving.empty()) {
    if (a != b && !adaptedType(dot))
      return {{}, "its operands are of two types, " + debugString(a) + " and " + debugString(b)};
    if (c.isF64() && !a.isF64())
      return {{}, "it accumulates in f64"};
    if (ofTypes(dot, offered, [](InstructionAttr) { return true; }).empty())
      return {{},
              "the target has no instruction for " + debugString(a) + " that accumulates in " +
                  debugString(accumulatorOf(a)) + " (it has " + rows + ")"};
    bool isDeep = !ofTypes(dot, offered, [&](InstructionAttr each) { return e.k >= each.getK(); }).empty();
    return {{},
            isDeep ? "no instruction for its types fits its extents and " + std::to_string(room.warps) + " warps"
                   : "its depth of " + std::to_string(e.k) + " is less than the instructions'"};
  }
  // Instructions with at least this many rows are the last choice if each warp should have whole rows of the result,
  // and the result has too few rows to give each warp one such instruction.
  constexpr int64_t kLargeRows = 32;
  bool wholeRows = wantsWholeRows(dot);
  auto rank = [&](InstructionAttr each) {
    int64_t computed = std::max(e.m, each.getM()) * std::max(e.n, each.getN()) * std::max(e.k, each.getK());
    bool dividesRows = wholeRows && each.getM() >= kLargeRows && !each.isOpaque() && !readsShared(each) &&
                       e.batch * e.m < each.getM() * room.warps;
    return std::tuple(dividesRows, computed, -each.getM() * each.getN() * each.getK());
  };
  auto best = llvm::min_element(serving, [&](auto &left, auto &right) { return rank(left) < rank(right); });
  if (!best->isOpaque())
    return {*best, ""};
  int64_t least = leftBytes(dot, *best, best->getK()) + rightBytes(dot, *best, best->getK());
  if (least > room.sharedBytes)
    return {{},
            "its operands take at least " + std::to_string(least) + " bytes of shared memory, the target has " +
                std::to_string(room.sharedBytes)};
  return {*best, ""};
}

std::optional<simt::CombineKind> rowCombination(ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSrcs().size() != 1 || !getElementTypeOrSelf(reduce.getSrcs()[0].getType()).isF32() ||
      body.getOperations().size() != 2 || body.getTerminator()->getOperand(0).getDefiningOp() != &body.front() ||
      body.front().getOperands() != ValueRange(body.getArguments()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<simt::CombineKind>>(&body.front())
      .Case([](arith::AddFOp) { return simt::CombineKind::AddF; })
      .Case([](arith::MaxNumFOp) { return simt::CombineKind::MaxNumF; })
      .Case([](arith::MinNumFOp) { return simt::CombineKind::MinNumF; })
      .Case([](arith::MaximumFOp) { return simt::CombineKind::MaximumF; })
      .Case([](arith::MinimumFOp) { return simt::CombineKind::MinimumF; })
      .Default([](Operation *) { return std::nullopt; });
}

bool areLinesAligned(const AxisView &view, Value base, Value stride, int64_t line) {
  int64_t bytes = simt::elementBytes(cast<PtrType>(base.getType()).getPointee());
  int64_t wanted = std::min<int64_t>(16, line * bytes);
  return view.of(base).divisor(bytes) >= wanted && view.of(stride).divisor() * bytes >= wanted;
}

std::string describeChoice(DotOp dot, const ProductChoice &choice) {
  DotExtents e = extentsOf(dot);
  std::string text = e.batch > 1 ? std::to_string(e.batch) + " times " : "";
  return text + std::to_string(e.m) + "x" + std::to_string(e.n) + "x" + std::to_string(e.k) + " of " +
         debugString(getElementTypeOrSelf(dot.getA().getType())) + " into " +
         debugString(getElementTypeOrSelf(dot.getType())) + ": " +
         (choice.instruction ? choice.instruction.getName().str() : "none, because " + choice.reason);
}

} // namespace tegula::tile
