// From the planned to the simt level: one walk over a kernel, a file for each family of ops. What may enter this room:
// the code of one thread for each op of a program. Layouts are given: passes before this one chose them.
//
// A tensor becomes a vector of the registers that its layout gives a thread. A tensor of pointers becomes one scalar
// base address and a vector of offsets from it, in elements or bytes (`OffsetForms`). Threads exchange elements
// through shuffles within a warp, and between warps through shared buffers, which have no place yet. This walk emits no
// barrier between accesses: later passes assign places and insert barriers.
#pragma once

#include "core/ir/layout/LayoutRules.h"
#include "core/ir/simt/Target.h"
#include "core/layout/Conversion.h"
#include "core/passes/analysis/EdgeAccess.h"
#include "core/passes/tosimt/ExchangeRoom.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tegula::tosimt {

/// The simt values that stand for one value of the planned level. A scalar or a tensor: one. A tensor of pointers: base
/// and offsets. A tensor in fragments: the warp's fragments, the last axis fastest. A token: none.
using Values = llvm::SmallVector<mlir::Value, 2>;

/// The form of the offsets of each tensor of pointers. Offsets have 64 bits if they are sums of several or were 64-bit
/// integers. They count elements where the pointers are derived from one base. They count bytes, with 64 bits, where
/// the pointers may hold any address: made from integers, loaded from memory, selected, or joined with such pointers by
/// a loop or branch.
class OffsetForms {
public:
  explicit OffsetForms(mlir::func::FuncOp function);
  /// Offsets have 64 bits, whatever they count.
  bool isWide(mlir::Value pointers) const { return ranks_.lookup(pointers) >= Wide; }
  bool isInBytes(mlir::Value pointers) const { return ranks_.lookup(pointers) == Bytes; }
  /// All offsets are zero: one base address.
  bool isZero(mlir::Value pointers) const { return ranks_.lookup(pointers) == Zero; }

private:
  /// In ascending order: all offsets are 0; elements, 32 bits; elements, 64 bits; bytes, 64 bits.
  enum Rank : uint8_t { Zero, Narrow, Wide, Bytes };
  Rank rankOf(mlir::Operation *op) const;
  bool raise(mlir::Value value, Rank rank);
  llvm::DenseMap<mlir::Value, Rank> ranks_;
};

/// For each number below 2^bases.size() the XOR of the bases of its bits.
llvm::SmallVector<int64_t> combinations(llvm::ArrayRef<int64_t> bases);
/// The bases of an input dimension, as numbers of the flattened output.
llvm::SmallVector<int64_t> basesOf(const layout::LinearLayout &map, layout::Dim dim);

class Lowering {
public:
  Lowering(mlir::func::FuncOp planned, tile::AxisAnalysis &axes, const simt::Target &target);

  /// The simt kernel, built before the planned one; failure after an error at an op.
  mlir::FailureOr<mlir::func::FuncOp> run();

private:
  using Layout = layout_ir::DistributedAttr;
  using Fragments = layout_ir::FragmentsAttr;

  // --- values ---
  mlir::Value get(mlir::Value planned) const { return values_.at(planned).back(); }
  mlir::Value base(mlir::Value pointers) const { return values_.at(pointers).front(); }
  mlir::Value offsets(mlir::Value pointers) const { return values_.at(pointers).back(); }
  void set(mlir::Value planned, mlir::Value value) { values_[planned] = {value}; }
  void setPointers(mlir::Value planned, mlir::Value base, mlir::Value offsets) { values_[planned] = {base, offsets}; }
  static bool isPointers(mlir::Value value);
  static bool isInFragments(mlir::Value value);
  static bool isTensor(mlir::Value value) { return tile::isTensor(value); }
  static Layout layoutOf(mlir::Value tensor);
  static Fragments fragmentsOf(mlir::Value tensor);
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) { return tile::shapeOf(tensor.getType()); }
  int64_t registers(mlir::Value tensor) const { return layout_ir::registersOf(layoutOf(tensor)); }
  /// The types of the simt values that stand for `planned`.
  llvm::SmallVector<mlir::Type, 2> typesOf(mlir::Value planned) const;

  // --- building: registers ---
  mlir::VectorType vectorOf(int64_t count, mlir::Type element) { return mlir::VectorType::get({count}, element); }
  static int64_t countOf(mlir::Value vector);
  static mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }
  mlir::Value constant(int64_t value, unsigned bits = 32);
  mlir::Value constants(llvm::ArrayRef<int64_t> values, mlir::Type element); // a vector, one value for each element
  mlir::Value splat(mlir::Value scalar, int64_t count);
  mlir::Value pick(mlir::Value vector, llvm::ArrayRef<int32_t> registers);
  mlir::Value pickOne(mlir::Value vector, int32_t number);
  mlir::Value concat(mlir::ValueRange parts, int64_t count, mlir::Type element);
  mlir::Value select(mlir::Value conditions, mlir::Value yes, mlir::Value no);
  /// Integers widened (signed) or narrowed to `bits`.
  mlir::Value toWidth(mlir::Value integers, unsigned bits);

  // --- building: threads ---
  int64_t warps() const { return warps_; }
  int64_t warpSize() const { return warpSize_; }
  int64_t threads() const { return warps_ * warpSize_; }
  /// XOR over the set bits of `number` (an i32 below 2^bases.size()) of their bases; null where that is always 0.
  mlir::Value linear(mlir::Value number, llvm::ArrayRef<int64_t> bases);
  /// The coordinate along `axis` of each register's element.
  mlir::Value coordinates(Layout layout, unsigned axis);
  /// The row-major number of each register's element in a tensor of this shape.
  mlir::Value elementNumbers(Layout layout, llvm::ArrayRef<int64_t> shape);
  /// Masks of lane and warp bits that no coordinate depends on: threads that differ only in such bits hold copies of
  /// the same elements. An element's first holder has all of them 0.
  std::pair<int64_t, int64_t> copyBits(Layout layout, llvm::ArrayRef<int64_t> shape) const;
  /// True in the first holder of this thread's elements; null if no element has copies.
  mlir::Value isFirstHolder(Layout layout, llvm::ArrayRef<int64_t> shape);

  // --- exchange ---
  /// A new shared buffer for `count` elements.
  mlir::Value scratch(int64_t count, mlir::Type element);
  /// The type that a scratch buffer stores an element as, and its bytes; see `TargetFeatures::sharedElementBytes`.
  mlir::Type scratchElement(mlir::Type element);
  int64_t scratchBytes(mlir::Type element);
  /// How many of `most` items one exchange moves at a time, `bytesEach` for each: all if they fit; else the largest
  /// power of two that fits beside `bytesBeside`, at least 1.
  int64_t atOnce(int64_t most, int64_t bytesEach, int64_t bytesBeside = 0) const;
  void storeShared(mlir::Value buffer, mlir::Value offsets, mlir::Value values);
  /// A vector of `count` elements.
  mlir::Value loadShared(mlir::Value buffer, mlir::Value offsets, int64_t count, mlir::Type element);
  /// Stores each register at its index in `places` if `isIn`, else to the thread's dummy slot `size + thread`, so that
  /// every thread executes the same stores. The buffer holds `size` elements and one dummy slot for each thread.
  void storeWhere(mlir::Value buffer, mlir::Value isIn, mlir::Value places, int64_t size, mlir::Value values);
  /// `numbers < limit`, unsigned.
  mlir::Value isBelow(mlir::Value numbers, int64_t limit);
  mlir::Value slice(mlir::Value vector, int64_t begin, int64_t count);
  /// Offsets of thread 0's registers in a buffer that holds `count` registers of each thread: register r of thread t is
  /// at `r * threads() + t`.
  mlir::Value places(int64_t count);
  /// The registers of the thread with lane `lane ^ laneMask` and warp `warp ^ warpMask`.
  mlir::Value fromPeer(mlir::Value vector, int64_t laneMask, int64_t warpMask);
  /// The registers of the thread numbered `from` (i32), through shared memory.
  mlir::Value fromThread(mlir::Value vector, mlir::Value from);
  /// The new registers of a conversion within pairs of lanes.
  mlir::Value exchangePairs(mlir::Value vector, const layout::PairStep &step);
  /// The new registers of a swap: a lane sends one half of the vector to its peer, and puts what it receives there.
  mlir::Value swapBits(mlir::Value vector, const layout::SwapStep &step);
  mlir::Value convertLayout(mlir::Value vector, Layout from, Layout to, llvm::ArrayRef<int64_t> shape,
                            mlir::Operation *op);
  /// The value that each element has in its first holder, in all holders.
  mlir::Value fromFirstHolder(mlir::Value vector, Layout layout, llvm::ArrayRef<int64_t> shape);

  // --- scalar regions applied to registers ---
  /// The region's results, given one value an argument: all scalars, or all vectors of one length. Its assertions are
  /// checked in the threads in which `where` holds (null: in all).
  Values applyRegion(mlir::Region &region, mlir::ValueRange arguments, mlir::Value where = {});
  /// The same for a region whose ops are all applied to vectors, or all to scalars.
  Values applyBlock(mlir::Block &block, mlir::ValueRange arguments, mlir::Value where);
  /// The same for one op of a block; `mapping` has the values of the block's arguments and of the ops before.
  void applyOp(mlir::Operation &op, mlir::IRMapping &mapping, mlir::Value where);
  mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value castFloat(mlir::Value from, mlir::Type element, tile::RoundingMode rounding);

  // --- the bits of an axis' coordinate ---
  struct AxisBit {
    enum Kind : uint8_t { Register, Lane, Warp } kind;
    unsigned bit; // number among the bits of its kind
  };
  /// For each bit of the coordinate along `axis`, lowest first, the bit of the register, lane or warp number that
  /// determines it. Error at `op` if such a bit also changes another bit of the element's coordinates.
  mlir::FailureOr<llvm::SmallVector<AxisBit>> axisBits(Layout layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                                       mlir::Operation *op);

  // --- the walk; each family of ops is a file ---
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerControl(mlir::Operation *op);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerShape(mlir::Operation *op);
  void joinParts(simt::JoinPartsOp op);
  mlir::LogicalResult lowerMemory(mlir::Operation *op);
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  /// What `make` gives for the values' registers, `part` of them at a time, joined.
  Values inParts(const Values &values, int64_t part, llvm::function_ref<Values(const Values &)> make);
  /// Combines the values of all warps that differ from this one in `warpBits` only, in the order of their numbers. Each
  /// of these warps gets the same result.
  Values combineWarps(const Values &values, llvm::ArrayRef<int64_t> warpBits,
                      llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> combine);
  mlir::LogicalResult lowerScan(tile::ScanOp op);
  /// One step of a scan: the elements of each block's upper half (reverse: lower half) are combined with `previous`.
  /// The function is applied to no others, because it may assert something. The bit `mask` of the register number, or
  /// of `number`, a lane's or warp's, tells the halves apart.
  Values scanRegisters(tile::ScanOp op, const Values &previous, const Values &values, int64_t mask);
  Values scanThreads(tile::ScanOp op, const Values &previous, const Values &values, mlir::Value number, int64_t mask);
  mlir::LogicalResult lowerSort(tile::SortOp op);
  /// The order of a sort, element by element: whether `a` stands before `b`.
  mlir::Value isSortedBefore(tile::SortOp op, mlir::Value a, mlir::Value b);
  mlir::Value sortInRegisters(tile::SortOp op, llvm::ArrayRef<AxisBit> bits);
  /// Through shared memory, `part` elements at a time.
  mlir::Value sortInMemory(tile::SortOp op, int64_t part);
  /// Sorts the rows of `extent` elements that a buffer's first `elements` elements are.
  void sortShared(tile::SortOp op, mlir::Value buffer, int64_t extent, int64_t elements);
  void sortStep(tile::SortOp op, mlir::Value buffer, int64_t extent, int64_t pairs, mlir::Value stage, mlir::Value j);
  mlir::LogicalResult lowerGather(tile::GatherOp op);
  mlir::LogicalResult lowerHistogram(tile::HistogramOp op);
  mlir::LogicalResult lowerDot(tile::DotOp op);
  /// How much of the depth of both operands shared memory can hold.
  int64_t depthAtOnce(tile::DotOp op);
  /// A buffer with the elements of an operand whose index along `axis`, its depth, is in [begin, begin + part).
  mlir::Value operandInShared(mlir::Value operand, unsigned axis, int64_t part, mlir::Value begin);
  /// c plus the products of the two buffers' elements, for this thread's registers of the result.
  mlir::Value addProducts(tile::DotOp op, mlir::Value a, mlir::Value b, int64_t part, mlir::Value c);
  mlir::Value toAccumulator(mlir::Value value, mlir::Type sum);
  /// A loop of all threads from 0 to `end`, with one carried value; `body` gets the index (i32) and the value.
  mlir::Value uniformLoop(int64_t end, int64_t step, mlir::Value carried,
                          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  mlir::LogicalResult lowerMatrixDot(tile::DotOp op);
  mlir::LogicalResult lowerRegisterProduct(tile::DotOp op, simt::InstructionAttr instruction);
  /// c + a * b, where a and b are f32 and the instruction's operands are narrower: each element of a and b is replaced
  /// by `parts` numbers (OperandParts.h). `tiles` as of `simt.mma`.
  mlir::Value multiplyNarrowed(simt::InstructionAttr instruction, std::array<int32_t, 3> tiles, mlir::Value a,
                               mlir::Value b, mlir::Value c, int64_t parts);
  mlir::LogicalResult lowerProduct(simt::ProductOp op);
  mlir::LogicalResult lowerWaitProducts(simt::WaitProductsOp op);
  /// Part `number` (i32) of a view that is divided into `parts` along an axis.
  mlir::Value partOfView(mlir::Value view, unsigned axis, int64_t parts, mlir::Value number);

  // --- barrier objects and the copies that arrive at them ---
  mlir::LogicalResult lowerBarrierObjects(mlir::Operation *op);
  void lowerArrival(simt::ArriveWarpsOp arrive);
  void startTileCopy(simt::CopyTileOp copy);
  mlir::LogicalResult lowerTileCopies(mlir::Operation *op);
  /// Calls `emit` inside of a branch that only thread 0 of the workgroup, or the producer's one thread, takes, if
  /// `condition` (null: true) holds. With several `parts`, the warps are divided into so many parts, and the first
  /// thread of each takes the branch.
  void forOneThread(mlir::Value condition, llvm::function_ref<void()> emit, int64_t parts = 1);
  /// Into how many parts a block is divided along its rows to be copied out. There are several where each set of warps
  /// (simt::kSetWarps) has computed rows of its own: a set then copies these as soon as its own warps have stored them.
  int64_t partsOfCopyOut(simt::CopyOutOp copy);
  mlir::LogicalResult lowerProducer(simt::ProducerOp op);

  // --- planned accesses to shared buffers ---
  mlir::LogicalResult lowerShared(mlir::Operation *op);
  /// Stores the registers of a tensor, whose layout is given, to a buffer (planned: its type has the buffer's layout);
  /// of a tensor larger than the buffer, part number `part`.
  void storePlanned(mlir::Value planned, Layout layout, mlir::Value vector, int64_t part);
  void lowerCopy(simt::CopyOp op);
  /// The registers of a tensor with this layout, loaded from a buffer (planned: its type has the buffer's layout).
  mlir::Value loadPlanned(mlir::Value planned, Layout layout);
  /// The same by simt.load_matrix; null if the target lacks it or the layouts do not allow it.
  mlir::Value loadMatrices(mlir::Value planned, Layout layout);
  /// For each access, the XOR of its own offset and of the bases of this thread's lane and warp; then padded.
  mlir::Value offsetsFrom(llvm::ArrayRef<int64_t> byAccess, llvm::ArrayRef<int64_t> lanes,
                          llvm::ArrayRef<int64_t> warps, llvm::ArrayRef<layout::Padding> paddings = {});
  /// The same in a buffer's storage, padding included.
  mlir::Value placesIn(simt::SharedType buffer, llvm::ArrayRef<int64_t> byAccess, llvm::ArrayRef<int64_t> lanes,
                       llvm::ArrayRef<int64_t> warps);
  /// Offsets in storage, padding included, from offsets of a linear map: a vector or a scalar.
  mlir::Value paddedOffsets(mlir::Value offsets, llvm::ArrayRef<layout::Padding> paddings);

  // --- staging: tensors in shared memory as matrices that fragments are loaded from and stored to ---
  /// A tensor that is staged in parts: bits [low, high) of the coordinate along `axis` are the number of an element's
  /// part.
  struct PartBits {
    unsigned axis, low, high;
  };
  struct Staging {
    Layout layout; // of the tensor's registers
    llvm::SmallVector<int64_t> shape;
    unsigned fast, slow;               // axes: along a line, and from line to line; the batch's axis is slower
    int64_t stride, matrix, count;     // elements of a line with its padding, of one matrix of the batch, of the buffer
    llvm::SmallVector<PartBits> parts; // the lowest bits of a part's number first
    int64_t width;                     // elements of an access

    int64_t partCount() const;
  };
  /// The accesses of one thread to a part: the registers, access by access; the offset of each access; and whether each
  /// access is to this part (null: all are).
  struct Placed {
    llvm::SmallVector<int32_t> registers;
    mlir::Value offsets, isIn;
  };
  /// Lines run along the one of the last two axes that is faster in the layout. `extents` are those of a part, at least
  /// one fragment along each axis.
  Staging stagingOf(Layout layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> extents,
                    llvm::ArrayRef<PartBits> parts, mlir::Type element);
  Placed placedIn(const Staging &staging, int64_t part);
  mlir::Value withoutBits(mlir::Value numbers, unsigned low, unsigned high);
  /// A new buffer with one part of the tensor; if `isPadded`, zeros stand where the tensor has no elements.
  mlir::Value stagePart(mlir::Value vector, const Staging &staging, int64_t part, bool isPadded);
  void zero(mlir::Value buffer);
  /// The thread's registers, those of this part loaded from the buffer, all others from `rest` (null: zeros).
  mlir::Value unstagePart(mlir::Value buffer, const Staging &staging, int64_t part, mlir::Value rest);

  // --- fragments ---
  static simt::FragmentType fragmentType(Fragments fragments);
  /// The type of one piece of a tensor in fragments: a fragment; or, for elements of another type than the fragments',
  /// a vector of this lane's elements, in the order in which the lane holds a fragment's elements.
  mlir::Type pieceType(mlir::Value planned) const;
  /// From a piece to the vector of this lane's elements, and back.
  mlir::Value elementsOfPiece(mlir::Value piece);
  mlir::Value pieceOf(mlir::Value elements, mlir::Value planned);
  /// Loads a fragment from a shared buffer or through a pointer; offset and stride in elements, i32.
  mlir::Value fragmentLoad(mlir::Value memory, bool byColumns, mlir::Value offset, mlir::Value stride, mlir::Type type);
  /// Loads the fragment of a matrix in global memory that begins at (row, column), both i32; the stride is in elements,
  /// i64.
  mlir::Value fragmentOfMatrix(mlir::Value base, mlir::Value stride, bool byColumns, mlir::Value row,
                               mlir::Value column, mlir::Type type);
  /// Makes guards of the facts that prove each line of a fragment, `line` elements long, to begin at a multiple of 16
  /// bytes. Error if that is not known.
  mlir::LogicalResult checkAligned(tile::LoadStridedOp op, int64_t line);
  /// The coordinates of this warp's block in the grid of blocks that `warps` of the layout describes.
  llvm::SmallVector<mlir::Value, 3> blockOfWarp(Fragments fragments);
  mlir::LogicalResult lowerInFragments(mlir::Operation *op);
  Values elementwiseOnFragments(mlir::Operation *op);
  /// Row and column of each of this lane's elements within a fragment of the type, emitted once, at the kernel's
  /// beginning.
  std::pair<mlir::Value, mlir::Value> placesInFragment(Fragments fragments);
  /// For a line (a tensor of kind `column` or `row`): for each of this warp's fragments, the coordinate along the line
  /// of each of this lane's elements.
  llvm::SmallVector<mlir::Value> coordinatesAlong(Fragments fragments, llvm::ArrayRef<int64_t> shape);
  /// A line from a distributed layout to fragments and back, through shared memory.
  Values lineFromThreads(mlir::Value src, mlir::Value result);
  mlir::Value lineToThreads(mlir::Value src, mlir::Value result);
  mlir::LogicalResult reduceRows(tile::ReduceOp op);
  /// A broadcast whose line is in fragments already: each fragment of the result is a fragment of the line.
  Values repeatLine(tile::BroadcastOp op);
  /// A broadcast whose line is in a distributed layout: through shared memory, loaded with a stride of 0.
  Values spreadLine(tile::BroadcastOp op);
  /// Accumulators become left operands of another product, without shared memory.
  Values toOperand(mlir::Value src, mlir::Value result);
  mlir::LogicalResult convertFragments(simt::ConvertLayoutOp op);
  /// How a conversion between fragments and a distributed layout is divided into parts: each part moves `perPart` of
  /// each warp's fragments along each axis.
  struct Passage {
    Staging staging;
    llvm::SmallVector<int64_t, 3> perPart;
    bool isPadded; // the tensor is smaller than a fragment along some axis
  };
  Passage passageOf(Fragments fragments, Layout layout, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Calls visit(number, offset) for each of this warp's fragments in a part: its number in the warp's list of
  /// fragments, and the offset in the staging buffer where it begins.
  void forFragments(const Passage &passage, Fragments fragments, int64_t part,
                    llvm::function_ref<void(int64_t, mlir::Value)> visit);
  /// Emits `body` so that of several warps that hold copies of the same fragments only the first executes it.
  void byFirstHolders(Fragments fragments, llvm::function_ref<void()> body);
  /// A matrix from a distributed layout to fragments and back.
  Values toFragments(mlir::Value src, mlir::Value result);
  mlir::Value fromFragments(mlir::Value src, mlir::Value result);
  mlir::LogicalResult lowerEffect(mlir::Operation *op);
  /// This thread's share of a value that `simt.print` or `simt.assert` reports to the host.
  ///   value:    a scalar, or the thread's registers without copies; pointers as addresses
  ///   numbers:  the row-major number of each register's element; null for a scalar
  ///   isFirst:  true in exactly one of the threads that hold a copy of these elements; only that thread reports. Null
  ///             if no other thread holds them.
  struct Held {
    mlir::Value value, numbers, isFirst;
  };
  Held held(mlir::Value value);
  void lowerPrint(tile::PrintOp op);
  void lowerAssert(tile::AssertOp op);
  /// Emits a barrier if a program may execute several assertions. The host reports the failure that a program wrote
  /// first, so all failures of one assertion come before all failures of the next. Assertions within one function of a
  /// reduction, scan or map have one barrier before them all: which of them is reported first is open.
  void separateAsserts();
  void lowerPointerOp(mlir::Operation *op);
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  mlir::LogicalResult lowerAtomic(mlir::Operation *op);
  /// How many consecutive elements one access through a tensor of pointers moves: limited by the order of registers,
  /// by consecutive aligned addresses, and by groups of equal mask elements.
  int64_t accessWidth(mlir::Value pointers, mlir::Value mask, int64_t mostBytes = 16);
  /// The same for an atomic of a tensor.
  int64_t atomicWidth(tile::AtomicRmwOp op);
  /// How many of a thread's first registers are neighbours along `axis`.
  static int64_t runAlong(Layout layout, unsigned axis);
  /// Whether no other thread holds the tensor's elements: then the thread that loads an element is the only one that
  /// reads it, and may overwrite it without a barrier.
  bool hasNoCopies(mlir::Value tensor) const;
  /// The type that memory has for elements: pointers are addresses of 64 bits.
  static mlir::Type storedElement(mlir::Type element, mlir::OpBuilder &builder);

  // --- accesses that are wide but at edges; docs/passes.md, "Rows that begin anywhere" ---
  /// The accesses of one load or store. A thread's registers form groups of `width`.
  struct Edges {
    int64_t width;
    std::optional<tile::RotatedRange> rotated; // of the offsets
    bool endsOnce;                             // see tile::EdgeAccess
    mlir::Value aligned;                       // i1, uniform: whether groups are aligned; null: they are
  };
  /// The conditions of each group: it is one access, or its elements are accessed one by one.
  struct Groups {
    mlir::Value whole, isEdge;
  };
  /// Nothing if all accesses have one width.
  std::optional<Edges> edgesOf(mlir::Value pointers, mlir::Value mask);
  /// `isMine`: which elements the thread accesses at all, besides the mask; null: all.
  Groups groupsOf(const Edges &edges, mlir::Value offsets, mlir::Value mask, mlir::Value isMine);
  /// The number of a vector of offsets, for `simt.part`.
  mlir::IntegerAttr partOf(mlir::Value offsets);
  /// Registers of a vector, by number, computed once more from those of the vectors that it was computed from: in a
  /// branch that few threads take, this keeps the other threads from computing them.
  mlir::Value remade(mlir::Value vector, llvm::ArrayRef<int32_t> registers);
  mlir::Value remade(mlir::Value vector, llvm::ArrayRef<int32_t> registers,
                     llvm::DenseMap<mlir::Value, mlir::Value> &made);
  mlir::Value loadAtEdges(tile::LoadOp op, const Edges &edges);
  void storeAtEdges(tile::StoreOp op, const Edges &edges);
  /// Emits a branch on an i1; `mark` is one of the marks of branches. `otherwise` may be null if there are no results.
  mlir::Value branch(mlir::Value condition, llvm::StringRef mark, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  /// The bits of register numbers that do not change the element which a load reads: registers that differ only there
  /// are loaded once. Never a bit below `width`, the registers of one access. Example: a scale for 128 columns, loaded
  /// with pointers that are equal in each group of 128, in a layout whose registers are columns: all bits.
  int64_t equalRegisters(tile::LoadOp op, int64_t width);
  /// The base, cast to point to `element`, and one offset for each access of `width` registers.
  std::pair<mlir::Value, mlir::Value> accessOf(mlir::Value pointers, int64_t width, mlir::Type element);
  /// The mask, for `count` accesses, of the threads that write elements or combine them into memory: the first holders;
  /// for a scalar, thread 0. Null if every thread does.
  mlir::Value firstHolders(mlir::Value pointers, int64_t count);
  /// `left && right`; a null condition is true.
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value everyNth(mlir::Value vector, int64_t step);
  /// Base and offsets of pointers that are given as addresses: base 0, and the addresses in bytes.
  Values absolutePointers(mlir::Value addresses, mlir::Type pointer);
  /// A vector of 64-bit integers, each multiplied by `factor`.
  mlir::Value times(mlir::Value integers, int64_t factor);
  /// For each access of `width` registers through `pointers`, its offset in elements. The address of an access is a
  /// multiple of the element's size, so the division of offsets in bytes is exact.
  mlir::Value accessOffsets(mlir::Value pointers, int64_t width);
  /// The 64-bit address that each register of a tensor of pointers holds.
  mlir::Value addresses(mlir::Value pointers);
  /// A value as a vector in the form that memory holds: pointers as 64-bit addresses, a scalar as one element.
  mlir::Value dataOf(mlir::Value planned);
  void setData(mlir::Value planned, mlir::Value data);
  void appendCarried(mlir::Value planned, llvm::SmallVectorImpl<mlir::Value> &to, mlir::Value like);
  void bindCarried(mlir::ValueRange planned, mlir::ValueRange lowered);
  Values asLike(mlir::Value planned, mlir::Value like);

  mlir::func::FuncOp planned_;
  tile::AxisAnalysis &axes_;
  const simt::Target &target_;
  ExchangeRoom exchangeRoom_;
  int64_t room_ = 0; // bytes of shared memory for one exchange of the op that is being lowered
  OffsetForms forms_;
  bool narrowsEdges_;
  int64_t warps_, warpSize_;
  mlir::OpBuilder b_;
  mlir::Location location_;
  mlir::Block *entry_ = nullptr;
  bool isInProducer_ = false; // one thread executes what is emitted
  llvm::DenseMap<mlir::Value, Values> values_;
  mlir::Value thread_, lane_, warp_;                                              // i32, read at the kernel's beginning
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> coordinates_; // by layout and axis
  llvm::DenseMap<mlir::Value, int32_t> parts_;                                    // numbers of vectors of offsets
  llvm::DenseMap<mlir::Type, std::pair<mlir::Value, mlir::Value>> places_;        // placesInFragment, by fragment type
};

} // namespace tegula::tosimt
