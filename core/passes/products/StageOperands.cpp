// tile-stage-operands (Passes.td): stages operands of matrix instructions through shared buffers that are planned in
// advance.
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/StepPlaces.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/products/OperandMemory.h"

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

/// The axis along which neighbouring registers, or else neighbouring lanes, hold neighbouring elements: a thread's
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

/// The axis along which the lines of an operand lie in its buffer. It is fastAxis, with one exception: if a thread
/// holds four elements of 8 bits along the depth, it transposes them, and the lines lie along the depth.
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

/// Whether a `for` loop carries the value, or will when its schedule is expanded, so that a step has it from its
/// beginning on.
bool isCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? isa<scf::ForOp>(argument.getOwner()->getParentOp()) : simt::isMadeAhead(value);
}

int64_t bytesOfElement(Value tensor) { return simt::elementBytes(getElementTypeOrSelf(tensor.getType())); }
int64_t bytesOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements() * bytesOfElement(tensor);
}

/// The bytes of shared memory for buffers that earlier passes have planned: the largest total of one loop's rings
/// (tile-pipeline-copies; rings of different loops share storage), plus all other buffers.
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

/// Stages the operands of products whose instruction reads registers in a known layout.
class RegisterOperands {
public:
  RegisterOperands(func::FuncOp function, const simt::Target &target)
      : function_(function), budget_(target.features), bytes_(budget_.shared() - plannedBytes(function)),
        heldRegisters_(target.policies.heldBytes), storesCarriedFirst_(target.policies.storesCarriedFirst),
        exchangesPairs_(target.policies.exchangesPairs), loadsMatrices_(target.features.loadsMatrices) {}

  void run() {
    SmallVector<DotOp> dots;
    function_.walk([&](DotOp dot) {
      simt::InstructionAttr instruction = simt::instructionOf(dot);
      // If both operands do not fit shared memory together, their layout conversions stay. Later each of them is
      // divided into parts, as all exchanges are.
      if (!instruction || instruction.isOpaque() || bytesOf(dot.getA()) + bytesOf(dot.getB()) > bytes_)
        return;
      dots.push_back(dot);
    });
    bool pads = !loadsMatrices_ && bytesOfSums(dots) > budget_.mostRegisterBytes() / 2;
    for (DotOp dot : dots)
      if (placeTogether(dot, pads) || (pads && placeTogether(dot, /*pads=*/false)))
        passing_[dot] = bytesInMemory(dot);
      else
        stageInParts(dot);
    for (auto [dot, bytes] : passing_)
      stage(cast<DotOp>(dot));
  }

private:
  /// The most bytes of a thread's registers that dots' results occupy at one time: all dots in loops, plus the maximum
  /// over the dots outside loops, where each counts together with earlier results that are still used. So the sum does
  /// not grow with the number of independent parts of a kernel.
  static int64_t bytesOfSums(ArrayRef<DotOp> dots) {
    auto bytesOfSum = [](DotOp dot) { return layout_ir::registersOf(layoutOf(dot)) * bytesOfElement(dot); };
    auto isInLoop = [](DotOp dot) { return dot->getParentOfType<LoopLikeOpInterface>() != nullptr; };
    auto isUsedAt = [](DotOp sum, DotOp at) {
      return llvm::any_of(sum->getUsers(), [&](Operation *user) {
        Operation *around = at->getBlock()->findAncestorOpInBlock(*user);
        return !around || !around->isBeforeInBlock(at);
      });
    };
    int64_t inLoops = 0, mostOutside = 0;
    for (auto [i, dot] : llvm::enumerate(dots)) {
      if (isInLoop(dot)) {
        inLoops += bytesOfSum(dot);
        continue;
      }
      int64_t bytes = bytesOfSum(dot);
      for (DotOp earlier : dots.take_front(i))
        if (!isInLoop(earlier) && isUsedAt(earlier, dot))
          bytes += bytesOfSum(earlier);
      mostOutside = std::max(mostOutside, bytes);
    }
    return inLoops + mostOutside;
  }

  /// How much shared memory the operands of a dot may take together. Outside of loops they leave half of the memory to
  /// a second program. On targets that load matrices from shared memory they may take all of it, because a remaining
  /// conversion does not load matrices.
  int64_t mostBytes(DotOp dot) const {
    bool isInLoop = dot->getParentOfType<LoopLikeOpInterface>() != nullptr;
    return isInLoop || loadsMatrices_ ? bytes_ : std::min(bytes_, budget_.sharedForTwoPrograms());
  }

  /// Chooses a shared memory layout for each conversion of a dot's operands. `pads`: with padding instead of a swizzle,
  /// if that is as good. False if both operands together need too much memory; a single operand may take all of it.
  bool placeTogether(DotOp dot, bool pads) {
    llvm::MapVector<Operation *, layout::SharedLayout> found;
    int64_t bytes = 0, largest = 0;
    for (simt::ConvertLayoutOp convert : conversionsOf(dot))
      if (auto memory = memoryOf(layoutOf(convert.getSrc()), layoutOf(convert), shapeOf(convert.getType()),
                                 bytesOfElement(convert), exchangesPairs_, pads)) {
        found.insert({convert, *memory});
        int64_t size = int64_t(memory->allocationSize()) * bytesOfElement(convert);
        bytes += size;
        largest = std::max(largest, size);
      }
    if (bytes > (bytes == largest ? bytes_ : mostBytes(dot)))
      return false;
    memories_.insert(found.begin(), found.end());
    return true;
  }

  /// Divides the depth of a dot outside of loops until parts of both operands fit shared memory together: one dot for
  /// each part of the depth, which adds to the result of the previous one. This takes as many barriers as converting
  /// one operand after the other, but fewer registers. Precondition: bits of the register number alone determine the
  /// part (layoutOfPart), so that each thread stores its registers of a part; otherwise the conversions stay.
  void stageInParts(DotOp dot) {
    auto a = dot.getA().getDefiningOp<simt::ConvertLayoutOp>(), b = dot.getB().getDefiningOp<simt::ConvertLayoutOp>();
    if (dot->getParentOfType<LoopLikeOpInterface>() || loadsMatrices_ || !a || !b || a == b || !a->hasOneUse() ||
        !b->hasOneUse())
      return;
    unsigned rank = dot.getType().getRank();
    int64_t depth = shapeOf(a.getType())[rank - 1];
    for (int64_t part = depth / 2; part >= simt::instructionOf(dot).getK(); part /= 2) {
      std::optional<OperandPart> left = partOf(a, rank - 1, part), right = partOf(b, rank - 2, part);
      if (!left || !right)
        return;
      if (left->buffer.getBytes() + right->buffer.getBytes() <= mostBytes(dot))
        return divide(dot, *left, *right, depth / part);
    }
  }

  /// An operand in parts: the buffer of a part, and the type of a part after it is loaded.
  struct OperandPart {
    Value whole;
    simt::SharedType buffer;
    RankedTensorType loaded;
  };
  std::optional<OperandPart> partOf(simt::ConvertLayoutOp convert, unsigned axis, int64_t extent) {
    SmallVector<int64_t> shape(shapeOf(convert.getType()));
    shape[axis] = extent;
    std::optional<DistributedAttr> from = layoutOfPart(layoutOf(convert.getSrc()), axis, extent);
    std::optional<DistributedAttr> to = layoutOfPart(layoutOf(convert), axis, extent);
    if (!from || !to)
      return std::nullopt;
    auto memory = memoryOf(*from, *to, shape, bytesOfElement(convert), exchangesPairs_, /*pads=*/false);
    if (!memory)
      return std::nullopt;
    Type element = getElementTypeOrSelf(convert.getType());
    return OperandPart{
        convert.getSrc(),
        simt::SharedType::get(function_.getContext(), shape, element, attributeOf(function_.getContext(), *memory)),
        RankedTensorType::get(shape, element, *to)};
  }

  void divide(DotOp dot, const OperandPart &left, const OperandPart &right, int64_t parts) {
    OpBuilder builder(dot);
    Value sum = dot.getC();
    for (int64_t number = 0; number < parts; ++number) {
      SmallVector<Value, 2> buffers, loaded;
      for (const OperandPart &operand : {left, right}) {
        buffers.push_back(simt::SharedAllocOp::create(builder, dot.getLoc(), operand.buffer, IntegerAttr()));
        simt::SharedStoreOp::create(builder, dot.getLoc(), buffers.back(), Value(), operand.whole,
                                    builder.getI32IntegerAttr(int32_t(number)));
      }
      for (auto [operand, buffer] : llvm::zip_equal(std::array{left, right}, buffers))
        loaded.push_back(simt::SharedLoadOp::create(builder, dot.getLoc(), operand.loaded, buffer, Value()));
      auto product = DotOp::create(builder, dot.getLoc(), loaded[0], loaded[1], sum, dot.getInputPrecision(),
                                   dot.getMaxNumImpreciseAcc());
      product->setAttr(simt::kInstructionAttr, simt::instructionOf(dot));
      passing_[product] = left.buffer.getBytes() + right.buffer.getBytes();
      sum = product;
    }
    Operation *conversions[] = {dot.getA().getDefiningOp(), dot.getB().getDefiningOp()};
    dot.replaceAllUsesWith(sum);
    dot.erase();
    for (Operation *convert : conversions)
      convert->erase();
  }

  /// The distinct conversions among a dot's operands.
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
  int64_t bytesInMemory(DotOp dot) const {
    int64_t bytes = 0;
    for (simt::ConvertLayoutOp convert : conversionsOf(dot))
      bytes += memories_.contains(convert) ? bytesInMemory(convert) : 0;
    return bytes;
  }

  /// Reserves shared memory for an operand of this dot alone that stays there while other dots execute. False if it
  /// does not fit together with the operands that already stay and those that any one dot passes through shared memory.
  bool keep(DotOp dot, int64_t bytes) {
    constexpr int64_t kOtherExchanges = 4 << 10; // example: reductions
    int64_t most = 0;
    for (auto [other, passing] : passing_)
      most = std::max(most, passing - (other == dot ? bytes : 0));
    if (kept_ + bytes + most + kOtherExchanges > bytes_)
      return false;
    kept_ += bytes;
    passing_[dot] -= bytes;
    return true;
  }

  /// Stores both operands before it loads either, so that one barrier between them is enough. The places of store and
  /// load:
  ///   - If the dot is the conversion's only use, in the same block: both right before the dot, so that a load from
  ///     global memory has more time to arrive. If a loop carries the operand and the target's policy asks for it, the
  ///     store is at the top of the loop's body, provided that the buffer fits.
  ///   - If the dot is the only use, in another block such as a loop's body, and the operand would take more than
  ///     `held_bytes` of registers: the store replaces the conversion, and the load is right before the dot, provided
  ///     that the buffer fits.
  ///   - Otherwise both replace the conversion.
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
          storesCarriedFirst_ && isOnlyHere && isInBlock && isCarried(convert.getSrc()) && keep(dot, inMemory);
      Operation *loadedBefore = (isOnlyHere && isInBlock) || staysInMemory ? dot.getOperation() : convert;
      Operation *storedBefore = isOnlyHere && isInBlock ? dot.getOperation() : convert;
      OpBuilder builder(storedBefore);
      Value src = convert.getSrc();
      unsigned depthAxis = dot.getType().getRank() - (operand == dot.getA() ? 1 : 2);
      auto type = cast<RankedTensorType>(src.getType());
      SharedAttr layout = loadsMatrices_
                              ? operandBuffer(function_.getContext(), type.getShape(), lineAxis(src, depthAxis),
                                              bytesOfElement(operand), type.getNumElements())
                              : attributeOf(function_.getContext(), found->second);
      auto buffer = simt::SharedType::get(function_.getContext(), type.getShape(), type.getElementType(), layout);
      Value made = simt::SharedAllocOp::create(builder, convert.getLoc(), buffer, IntegerAttr());
      auto store = simt::SharedStoreOp::create(builder, convert.getLoc(), made, Value(), src);
      if (isStoredFirst)
        simt::setSchedule(store, /*ahead=*/0, kStoresPlace);
      staged.push_back({convert, made, loadedBefore, staysInMemory});
    }
    // Operands that stay in memory are loaded last, after the barrier between the other operand's store and load: code
    // generators do not move loads across barriers, and would hold the whole operand in registers until the barrier.
    std::stable_partition(staged.begin(), staged.end(), [](const Staged &each) { return !each.stays; });
    for (Staged &each : staged) {
      OpBuilder builder(each.loadedBefore);
      Value loaded =
          simt::SharedLoadOp::create(builder, each.convert.getLoc(), each.convert.getType(), each.buffer, Value());
      each.convert.replaceAllUsesWith(loaded);
      memories_.erase(each.convert);
      each.convert.erase();
    }
  }

  func::FuncOp function_;
  simt::Budget budget_;
  int64_t bytes_;         // shared memory without the buffers that are already planned
  int64_t heldRegisters_; // the most bytes of registers for an operand from outside of a loop
  bool storesCarriedFirst_;
  bool exchangesPairs_;
  bool loadsMatrices_; // the target loads matrices of 8x8 elements from buffers with the layout of operandBuffer
  llvm::DenseMap<Operation *, layout::SharedLayout> memories_; // for conversions that move elements between threads
  // for each dot, the bytes of operands that are in shared memory only for this dot
  llvm::MapVector<Operation *, int64_t> passing_;
  int64_t kept_ = 0; // bytes of operands that stay in shared memory
};

/// Stages the operands of products on opaque fragments: operands that are neither in fragments nor in global memory go
/// to padded buffers, from which the product loads its fragments.
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

  /// An operand: the axis of its depth, and the extents of the instruction's fragment.
  struct Operand {
    Value value;
    unsigned depthAxis;
    SmallVector<int64_t, 2> fragment;

    /// The buffer type for a part of the operand of this depth, at least one fragment large.
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

  /// Divides the depth until parts of both operands fit shared memory together: one product for each part, one after
  /// the other.
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
          DotOp::create(builder, dot.getLoc(), left, right, sum, dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
      product->setAttr(simt::kInstructionAttr, instruction);
      sum = product;
    }
    dot.replaceAllUsesWith(sum);
    dot.erase();
  }

  /// Part `number` of an operand, of the given depth. An operand in fragments stays whole: tile-place-fragments leaves
  /// it in fragments only if the other operand fits.
  Value partOf(OpBuilder &builder, const Operand &operand, int64_t number, int64_t depth) {
    Location location = operand.value.getLoc();
    auto type = cast<RankedTensorType>(operand.value.getType());
    bool isWhole = depth == type.getDimSize(operand.depthAxis);
    if (isStaged(operand.value)) {
      simt::SharedType buffer = operand.bufferFor(depth);
      Value made = simt::SharedAllocOp::create(builder, location, buffer, IntegerAttr());
      simt::SharedStoreOp::create(builder, location, made, Value(), operand.value,
                                  isWhole ? IntegerAttr() : builder.getI32IntegerAttr(int32_t(number)));
      SmallVector<int64_t> extents(type.getShape());
      extents[operand.depthAxis] = depth;
      return simt::SharedLoadOp::create(builder, location, RankedTensorType::get(extents, type.getElementType()), made,
                                        Value());
    }
    auto load = operand.value.getDefiningOp<LoadStridedOp>();
    if (isWhole || !load)
      return operand.value;
    bool isAlongLine = load.getColumns() == (operand.depthAxis == type.getRank() - 2);
    Value step = arith::ConstantIntOp::create(builder, location, number * depth, 64);
    if (!isAlongLine)
      step = arith::MulIOp::create(builder, location, step, load.getStride());
    SmallVector<int64_t> extents(type.getShape());
    extents[operand.depthAxis] = depth;
    return LoadStridedOp::create(builder, location, RankedTensorType::get(extents, type.getElementType()),
                                 AddPtrOp::create(builder, location, load.getBase(), step), load.getStride(),
                                 load.getColumns());
  }

  func::FuncOp function_;
  int64_t bytes_; // bytes of shared memory that the operands of a product may take
};

struct StageOperandsPass : impl::StageOperandsBase<StageOperandsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      RegisterOperands(function, target).run();
      FragmentOperands(function, simt::Budget(target.features).shared()).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
