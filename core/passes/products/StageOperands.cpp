// tile-stage-operands; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/layout/Conversion.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/OperandBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_STAGEOPERANDS
#include "core/passes/Passes.h.inc"

namespace {

using layout_ir::DistributedAttr;
using layout_ir::SharedAttr;

DistributedAttr layoutOf(Value tensor) {
  return cast<DistributedAttr>(cast<RankedTensorType>(tensor.getType()).getEncoding());
}

/// The axis along which neighbouring registers, or else neighbouring lanes, have neighbouring elements: a thread's
/// widest stores lie along it. One of the last two axes.
unsigned fastAxis(DistributedAttr layout) {
  unsigned rank = layout.getRank();
  for (ArrayRef<int64_t> bases : {layout.getRegisters(), layout.getLanes()})
    for (size_t at = 0; at < bases.size(); at += rank)
      for (unsigned axis : {rank - 1, rank - 2})
        if (bases[at + axis] == 1)
          return axis;
  return rank - 1;
}

/// The axis of an operand's lines in its buffer: fastAxis, but for bytes of which a thread holds four along the depth,
/// which it transposes.
unsigned lineAxis(Value operand, unsigned depthAxis) {
  DistributedAttr layout = layoutOf(operand);
  unsigned rank = layout.getRank(), fast = fastAxis(layout);
  if (getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() != 8 || depthAxis == fast)
    return fast;
  auto holds = [&](int64_t step) {
    SmallVector<int64_t> basis(rank, 0);
    basis[depthAxis] = step;
    for (size_t at = 0; at < layout.getRegisters().size(); at += rank)
      if (layout.getRegisters().slice(at, rank) == ArrayRef<int64_t>(basis))
        return true;
    return false;
  };
  return holds(1) && holds(2) ? depthAxis : fast;
}

/// The layout of a conversion's memory, if it moves elements between threads: each thread's stores and loads are as
/// wide as its registers allow, without bank conflicts if possible. `pads`: padded and not swizzled, if that is as
/// good.
std::optional<layout::SharedLayout> memoryOf(simt::ConvertLayoutOp convert, int64_t elementBytes, bool exchangesPairs,
                                             bool pads) {
  ArrayRef<int64_t> shape = shapeOf(convert.getType());
  layout::ConversionOptions options;
  options.elementBytes = uint32_t(elementBytes);
  options.maxShuffles = 0;
  options.exchangesPairs = exchangesPairs;
  options.keepsRegisters = true;
  options.sharedBytes = uint64_t(cast<RankedTensorType>(convert.getType()).getNumElements() * elementBytes);
  layout::LinearLayout source = layoutOf(convert.getSrc()).getLayout(shape);
  layout::LinearLayout destination = layoutOf(convert.getResult()).getLayout(shape);
  layout::ConversionPlan plan = layout::planConversion(source, destination, options);
  const layout::SharedStep *step = plan.shared();
  if (!step)
    return std::nullopt;
  std::optional<layout::SharedLayout> padded =
      pads ? layout::paddedInstead(source, destination, *step, options) : std::nullopt;
  return padded ? padded : step->memory;
}

int64_t bytesOfElement(Value tensor) { return simt::elementBytes(getElementTypeOrSelf(tensor.getType())); }
int64_t bytesOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements() * bytesOfElement(tensor);
}

/// The bytes of buffers that other passes have planned: the most that the rings of one loop take (tile-pipeline-copies;
/// those of different loops share storage), and all others.
int64_t plannedBytes(func::FuncOp function) {
  int64_t most = 0, others = 0;
  llvm::DenseSet<Operation *> inRings;
  function.walk([&](scf::ForOp loop) {
    llvm::SetVector<Operation *> rings;
    for (auto copy : loop.getBody()->getOps<simt::CopyOp>())
      rings.insert(copy.getDst().getDefiningOp<simt::StageOp>().getSrc().getDefiningOp());
    int64_t bytes = 0;
    for (Operation *ring : rings)
      bytes += cast<simt::SharedAllocOp>(ring).getType().getBytes();
    inRings.insert(rings.begin(), rings.end());
    most = std::max(most, bytes);
  });
  function.walk(
      [&](simt::SharedAllocOp buffer) { others += inRings.contains(buffer) ? 0 : buffer.getType().getBytes(); });
  return most + others;
}

/// Stages the operands of products whose instruction takes them from registers in a known layout.
class RegisterOperands {
public:
  RegisterOperands(func::FuncOp function, const simt::Target &target)
      : function_(function), bytes_(target.features.sharedBytes - plannedBytes(function)),
        heldRegisters_(target.policies.heldBytes), threadRegisters_(target.features.threadRegisterBytes),
        storesCarriedFirst_(target.policies.storesCarriedFirst), exchangesPairs_(target.policies.exchangesPairs),
        loadsMatrices_(target.features.loadsMatrices) {}

  void run() {
    int64_t sums = 0;
    function_.walk([&](DotOp dot) {
      simt::InstructionAttr instruction = simt::instructionOf(dot);
      // Operands that do not fit together are converted in parts, as all exchanges are.
      if (!instruction || instruction.isOpaque() || bytesOf(dot.getA()) + bytesOf(dot.getB()) > bytes_)
        return;
      passing_[dot] = 0;
      sums += layout_ir::registersOf(layoutOf(dot)) * bytesOfElement(dot);
    });
    pads_ = !loadsMatrices_ && sums > threadRegisters_ / 2;
    for (auto &[dot, bytes] : passing_)
      for (simt::ConvertLayoutOp convert : conversionsOf(cast<DotOp>(dot)))
        if (auto memory = memoryOf(convert, bytesOfElement(convert), exchangesPairs_, pads_)) {
          memories_.try_emplace(convert, *memory);
          bytes += bytesInMemory(convert);
        }
    for (auto [dot, bytes] : passing_)
      stage(cast<DotOp>(dot));
  }

private:
  /// The conversions of a dot's operands, each once.
  static SmallVector<simt::ConvertLayoutOp, 2> conversionsOf(DotOp dot) {
    SmallVector<simt::ConvertLayoutOp, 2> found;
    for (Value operand : {dot.getA(), dot.getB()})
      if (auto convert = operand.getDefiningOp<simt::ConvertLayoutOp>(); convert && !llvm::is_contained(found, convert))
        found.push_back(convert);
    return found;
  }

  int64_t bytesInMemory(simt::ConvertLayoutOp convert) const {
    return int64_t(memories_.at(convert).allocationSize()) * bytesOfElement(convert);
  }

  /// Reserves shared memory for an operand of this dot alone that stays there while other dots execute; false if it
  /// does not fit beside the operands that stay already and those that pass through shared memory for any one dot.
  bool keep(DotOp dot, int64_t bytes) {
    constexpr int64_t kOtherExchanges = 4 << 10; // of reductions, for example
    int64_t most = 0;
    for (auto [other, passing] : passing_)
      most = std::max(most, passing - (other == dot ? bytes : 0));
    if (kept_ + bytes + most + kOtherExchanges > bytes_)
      return false;
    kept_ += bytes;
    passing_[dot] -= bytes;
    return true;
  }

  /// Stores both operands before it loads either, so that one barrier stands between. Where the accesses stand:
  ///   - if the dot is the conversion's only use, in the same block, right before the dot, so that a load from global
  ///     memory that the operand comes from has that much more time to arrive; if a loop carries the operand, and the
  ///     target's policy is so, the store stands at the top of the loop's body, where the buffer fits;
  ///   - if it is the only use, in another block such as a loop's body, and registers would hold more than `held_bytes`
  ///     of the operand, the store in place of the conversion and the load right before the dot, where the buffer fits;
  ///   - else both in place of the conversion.
  void stage(DotOp dot) {
    struct Staged {
      simt::ConvertLayoutOp convert;
      Value buffer;
      Operation *loadedBefore;
      bool stays;
    };
    SmallVector<Staged, 2> staged;
    for (simt::ConvertLayoutOp convert : conversionsOf(dot)) {
      auto found = memories_.find(convert);
      if (found == memories_.end())
        continue;
      Value operand = convert;
      int64_t inMemory = bytesInMemory(convert);
      bool isOnlyHere = llvm::all_of(convert->getUsers(), [&](Operation *user) { return user == dot; });
      bool isInBlock = convert->getBlock() == dot->getBlock();
      int64_t registers = layout_ir::registersOf(layoutOf(operand)) * bytesOfElement(operand);
      bool staysInMemory = isOnlyHere && !isInBlock && registers > heldRegisters_ && keep(dot, inMemory);
      bool isStoredFirst =
          storesCarriedFirst_ && isOnlyHere && isInBlock && isa<BlockArgument>(convert.getSrc()) && keep(dot, inMemory);
      Operation *loadedBefore = (isOnlyHere && isInBlock) || staysInMemory ? dot.getOperation() : convert;
      Operation *storedBefore = isStoredFirst             ? &convert->getBlock()->front()
                                : isOnlyHere && isInBlock ? dot.getOperation()
                                                          : convert;
      OpBuilder builder(storedBefore);
      Value src = convert.getSrc();
      unsigned depthAxis = dot.getType().getRank() - (operand == dot.getA() ? 1 : 2);
      auto type = cast<RankedTensorType>(src.getType());
      SharedAttr layout = loadsMatrices_
                              ? operandBuffer(function_.getContext(), type.getShape(), lineAxis(src, depthAxis),
                                              bytesOfElement(operand), type.getNumElements())
                              : attributeOf(found->second);
      auto buffer = simt::SharedType::get(function_.getContext(), type.getShape(), type.getElementType(), layout);
      Value made = builder.create<simt::SharedAllocOp>(convert.getLoc(), buffer, IntegerAttr());
      builder.create<simt::SharedStoreOp>(convert.getLoc(), made, Value(), src);
      staged.push_back({convert, made, loadedBefore, staysInMemory});
    }
    // Operands that stay in memory are loaded last, behind the barrier between the other one's store and load: code
    // generators do not move loads across barriers, and would hold the whole operand until there.
    std::stable_partition(staged.begin(), staged.end(), [](const Staged &each) { return !each.stays; });
    for (Staged &each : staged) {
      OpBuilder builder(each.loadedBefore);
      Value loaded =
          builder.create<simt::SharedLoadOp>(each.convert.getLoc(), each.convert.getType(), each.buffer, Value());
      each.convert.replaceAllUsesWith(loaded);
      memories_.erase(each.convert);
      each.convert.erase();
    }
  }

  SharedAttr attributeOf(const layout::SharedLayout &memory) {
    const layout::LinearLayout &linear = memory.linear();
    SmallVector<int64_t> bases, padding;
    for (unsigned bit = 0; bit < linear.inputBits(layout::kOffset); ++bit)
      llvm::append_range(bases, linear.basis(layout::kOffset, bit));
    for (const layout::Padding &each : memory.paddings())
      padding.append({each.interval, each.padding});
    return SharedAttr::get(function_.getContext(), unsigned(linear.outputs().size()), bases, padding);
  }

  func::FuncOp function_;
  int64_t bytes_;         // of shared memory, without buffers that are planned already
  int64_t heldRegisters_; // bytes of registers that an operand from outside of a loop may take
  int64_t threadRegisters_;
  bool storesCarriedFirst_;
  bool exchangesPairs_;
  bool loadsMatrices_; // matrices of 8x8 elements, from the layout of operandBuffer
  /// Whether memory is padded where that saves registers for addresses: if the sums take more than half of a thread's.
  bool pads_ = false;
  llvm::DenseMap<Operation *, layout::SharedLayout> memories_; // of conversions that move elements between threads
  llvm::MapVector<Operation *, int64_t> passing_; // dots; bytes of their operands in shared memory only for the dot
  int64_t kept_ = 0;                              // bytes of operands that stay there
};

/// Stages the operands of products on opaque fragments: those that are neither in fragments nor in global memory go to
/// padded buffers, from which the product loads its fragments.
class FragmentOperands {
public:
  FragmentOperands(func::FuncOp function, int64_t bytes) : function_(function), bytes_(bytes) {}

  void run() {
    SmallVector<DotOp> dots;
    function_.walk([&](DotOp dot) {
      simt::InstructionAttr instruction = simt::instructionOf(dot);
      if (instruction && instruction.isOpaque() && (isStaged(dot.getA()) || isStaged(dot.getB())))
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      stage(dot);
  }

private:
  static bool isStaged(Value operand) {
    return isa_and_nonnull<DistributedAttr>(cast<RankedTensorType>(operand.getType()).getEncoding()) &&
           !operand.getDefiningOp<LoadStridedOp>();
  }

  /// An operand: the axis of the depth, and the extents of the instruction's fragment.
  struct Operand {
    Value value;
    unsigned depthAxis;
    SmallVector<int64_t, 2> fragment;

    /// The buffer for a part of the operand of this depth, at least one fragment.
    simt::SharedType bufferFor(int64_t depth) const {
      auto type = cast<RankedTensorType>(value.getType());
      unsigned rank = type.getRank();
      SmallVector<int64_t> extents(type.getShape());
      extents[depthAxis] = depth;
      for (unsigned axis : {rank - 2, rank - 1})
        extents[axis] = std::max(extents[axis], fragment[axis + 2 - rank]);
      unsigned line = lineAxis(value, depthAxis), across = fastAxis(layoutOf(value));
      int64_t bytes = bytesOfElement(value);
      SharedAttr layout = line == across
                              ? paddedBuffer(value.getContext(), extents, line, bytes)
                              : transposedBuffer(value.getContext(), extents, line, bytes, fragment[across + 2 - rank]);
      return simt::SharedType::get(value.getContext(), extents, type.getElementType(), layout);
    }
    int64_t bytesFor(int64_t depth) const { return isStaged(value) ? bufferFor(depth).getBytes() : 0; }
  };

  /// Divides the depth until both operands' parts fit shared memory: one product for each part, after another.
  void stage(DotOp dot) {
    simt::InstructionAttr instruction = simt::instructionOf(dot);
    unsigned rank = dot.getType().getRank();
    Operand a{dot.getA(), rank - 1, instruction.getShapeOfA()}, b{dot.getB(), rank - 2, instruction.getShapeOfB()};
    int64_t depth = shapeOf(dot.getA().getType())[rank - 1], part = depth;
    while (part > instruction.getK() && a.bytesFor(part) + b.bytesFor(part) > bytes_)
      part /= 2;
    if (part < depth)
      explain(dot.getLoc(), "dot") << "its depth goes through shared memory in " << depth / part << " parts, because "
                                   << a.bytesFor(depth) + b.bytesFor(depth) << " bytes of operands do not fit";
    OpBuilder builder(dot);
    Value sum = dot.getC();
    for (int64_t number = 0; number < depth / part; ++number) {
      Value left = partOf(builder, a, number, part), right = partOf(builder, b, number, part);
      auto product =
          builder.create<DotOp>(dot.getLoc(), left, right, sum, dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
      product->setAttr(simt::kInstructionAttr, instruction);
      sum = product;
    }
    dot.replaceAllUsesWith(sum);
    dot.erase();
  }

  /// Part `number` of an operand, of this depth. An operand that is in fragments stays whole: tile-place-fragments
  /// leaves it there only if the other one fits.
  Value partOf(OpBuilder &builder, const Operand &operand, int64_t number, int64_t depth) {
    Location location = operand.value.getLoc();
    auto type = cast<RankedTensorType>(operand.value.getType());
    bool isWhole = depth == type.getDimSize(operand.depthAxis);
    if (isStaged(operand.value)) {
      simt::SharedType buffer = operand.bufferFor(depth);
      Value made = builder.create<simt::SharedAllocOp>(location, buffer, IntegerAttr());
      builder.create<simt::SharedStoreOp>(location, made, Value(), operand.value,
                                          isWhole ? IntegerAttr() : builder.getI32IntegerAttr(int32_t(number)));
      SmallVector<int64_t> extents(type.getShape());
      extents[operand.depthAxis] = depth;
      return builder.create<simt::SharedLoadOp>(location, RankedTensorType::get(extents, type.getElementType()), made,
                                                Value());
    }
    auto load = operand.value.getDefiningOp<LoadStridedOp>();
    if (isWhole || !load)
      return operand.value;
    bool isAlongLine = load.getColumns() == (operand.depthAxis == type.getRank() - 2);
    Value step = builder.create<arith::ConstantIntOp>(location, number * depth, 64);
    if (!isAlongLine)
      step = builder.create<arith::MulIOp>(location, step, load.getStride());
    SmallVector<int64_t> extents(type.getShape());
    extents[operand.depthAxis] = depth;
    return builder.create<LoadStridedOp>(location, RankedTensorType::get(extents, type.getElementType()),
                                         builder.create<AddPtrOp>(location, load.getBase(), step), load.getStride(),
                                         load.getColumns());
  }

  func::FuncOp function_;
  int64_t bytes_; // of shared memory for the operands of a product
};

struct StageOperandsPass : impl::StageOperandsBase<StageOperandsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      RegisterOperands(function, target).run();
      FragmentOperands(function, target.features.sharedBytes).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
