// From the planned to the simt level: one walk over a kernel, with a file for each family of ops. What may enter this
// room: code that emits, for each op of a program, the ops of one thread. Layouts are not chosen here: earlier passes
// chose them.
//
// A tensor becomes a vector of the registers that its layout gives a thread. A tensor of pointers becomes one scalar
// base address and a vector of offsets from it, in elements or bytes (`OffsetForms`). Threads exchange elements through
// shuffles within a warp, and through shared buffers between warps; the buffers have no place yet. This walk emits no
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

/// The simt values that represent one value of the planned level. A scalar or a tensor: one value. A tensor of
/// pointers: base and offsets. A tensor in fragments: the warp's fragments, the last axis fastest. A token: no value.
using Values = llvm::SmallVector<mlir::Value, 2>;

/// The form of the offsets of each tensor of pointers. Offsets have 64 bits if they are sums of several offsets or come
/// from 64-bit integers. They count elements if the pointers are derived from one base. They count bytes, in 64 bits,
/// if the pointers may hold any address: pointers made from integers, loaded from memory, selected, or joined with such
/// pointers by a loop or branch.
class OffsetForms {
public:
  explicit OffsetForms(mlir::func::FuncOp function);
  /// Whether offsets have 64 bits, in elements or in bytes.
  bool isWide(mlir::Value pointers) const { return ranks_.lookup(pointers) >= Wide; }
  bool isInBytes(mlir::Value pointers) const { return ranks_.lookup(pointers) == Bytes; }
  /// Whether all offsets are zero: the tensor is one base address.
  bool isZero(mlir::Value pointers) const { return ranks_.lookup(pointers) == Zero; }

private:
  /// In ascending order: all offsets are 0; elements in 32 bits; elements in 64 bits; bytes in 64 bits.
  enum Rank : uint8_t { Zero, Narrow, Wide, Bytes };
  Rank rankOf(mlir::Operation *op) const;
  bool raise(mlir::Value value, Rank rank);
  llvm::DenseMap<mlir::Value, Rank> ranks_;
};

/// For each number below 2^bases.size(), the XOR of the bases of its set bits.
llvm::SmallVector<int64_t> combinations(llvm::ArrayRef<int64_t> bases);
/// The bases of the input dimension `dim` of the map. Each is one number, which joins the bits of all output
/// dimensions.
llvm::SmallVector<int64_t> basesOf(const layout::LinearLayout &map, layout::Dim dim);

class Lowering {
public:
  Lowering(mlir::func::FuncOp planned, tile::AxisAnalysis &axes, const simt::Target &target);

  /// Builds the simt kernel before the planned one; failure after an error at an op.
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
  /// The types of the simt values that represent `planned`.
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
  /// Emits the integers, sign-extended or truncated to `bits` bits.
  mlir::Value toWidth(mlir::Value integers, unsigned bits);

  // --- building: threads ---
  int64_t warps() const { return warps_; }
  int64_t warpSize() const { return warpSize_; }
  int64_t threads() const { return warps_ * warpSize_; }
  /// Emits the XOR of the bases of the set bits of `number` (an i32 below 2^bases.size()); null if the XOR is always 0.
  mlir::Value linear(mlir::Value number, llvm::ArrayRef<int64_t> bases);
  /// Emits the coordinate along `axis` of each register's element.
  mlir::Value coordinates(Layout layout, unsigned axis);
  /// Emits the row-major number of each register's element in a tensor of this shape.
  mlir::Value elementNumbers(Layout layout, llvm::ArrayRef<int64_t> shape);
  /// Masks of the lane bits and warp bits on which no coordinate depends: threads that differ only in such bits hold
  /// copies of the same elements. In an element's first holder, all of these bits are 0.
  std::pair<int64_t, int64_t> copyBits(Layout layout, llvm::ArrayRef<int64_t> shape) const;
  /// Emits an i1 that is true in the first holder of this thread's elements; null if no element has copies.
  mlir::Value isFirstHolder(Layout layout, llvm::ArrayRef<int64_t> shape);

  // --- exchange ---
  /// Allocates a shared buffer for `count` elements.
  mlir::Value scratch(int64_t count, mlir::Type element);
  /// The element type (and its bytes) in which a scratch buffer stores an element; see
  /// `TargetFeatures::sharedElementBytes`.
  mlir::Type scratchElement(mlir::Type element);
  int64_t scratchBytes(mlir::Type element);
  /// The number of items that one exchange moves at a time, out of `most` items of `bytesEach` bytes: all of them if
  /// they fit; else the largest power of two that fits in addition to `bytesBeside`, at least 1.
  int64_t atOnce(int64_t most, int64_t bytesEach, int64_t bytesBeside = 0) const;
  void storeShared(mlir::Value buffer, mlir::Value offsets, mlir::Value values);
  /// Emits the load of `count` elements of type `element` from a scratch buffer, at the given offsets. The buffer may
  /// store them as integers of another width (scratchElement); they are then converted back.
  mlir::Value loadShared(mlir::Value buffer, mlir::Value offsets, int64_t count, mlir::Type element);
  /// Stores each register at its index in `places` if `isIn` is true, else in the thread's dummy slot `size + thread`,
  /// so that every thread executes the same stores. The buffer holds `size` elements and one dummy slot for each
  /// thread.
  void storeWhere(mlir::Value buffer, mlir::Value isIn, mlir::Value places, int64_t size, mlir::Value values);
  /// Emits `numbers < limit`, unsigned.
  mlir::Value isBelow(mlir::Value numbers, int64_t limit);
  mlir::Value slice(mlir::Value vector, int64_t begin, int64_t count);
  /// Constant offsets of thread 0's registers in a buffer that holds `count` registers of each thread: register r of
  /// thread t is at offset `r * threads() + t`, so thread t adds t.
  mlir::Value places(int64_t count);
  /// Emits the registers of the thread with lane `lane ^ laneMask` and warp `warp ^ warpMask`.
  mlir::Value fromPeer(mlir::Value vector, int64_t laneMask, int64_t warpMask);
  /// Emits the offsets of the `count` registers of the thread numbered `thread` (i32) in such a buffer.
  mlir::Value placesOfThread(mlir::Value thread, int64_t count);
  /// Emits a buffer for the registers of all threads, and stores of each thread's. Returns the buffer.
  mlir::Value share(mlir::Value vector);
  /// Emits the registers of the thread numbered `from` (i32), exchanged through shared memory.
  mlir::Value fromThread(mlir::Value vector, mlir::Value from);
  /// The same of several vectors of one length, exchanged together if shared memory can hold one register of each.
  Values fromThread(const Values &vectors, mlir::Value from);
  /// Emits the new registers of a layout conversion that moves elements only between the two lanes of a pair: lanes
  /// whose numbers differ in bit `step.bit` only.
  mlir::Value exchangePairs(mlir::Value vector, const layout::PairStep &step);
  /// Emits a vector whose element k is element `k ^ offsets(lane, warp)` of `vector`, for this thread's lane and warp.
  mlir::Value pickByThread(mlir::Value vector, const layout::LinearLayout &offsets);
  /// Emits the new registers of a conversion by rounds of shuffles.
  mlir::Value shuffleRounds(mlir::Value vector, const layout::ShuffleStep &step);
  /// Emits the new registers of a swap: a lane sends one half of the vector to its peer, and replaces that half by the
  /// half that it receives.
  mlir::Value swapBits(mlir::Value vector, const layout::SwapStep &step);
  /// Where a thread's accesses to an exchange's buffer begin, and in which pass of the exchange each happens: the XOR
  /// of a part by the access's registers and a part by thread.
  struct SharedPlaces {
    mlir::Value places;                                                  // of all accesses, within the buffer
    llvm::MapVector<int64_t, llvm::SmallVector<int32_t>> byRegisterPart; // accesses by the part of their registers
    mlir::Value passOfThread;                                            // null: 0 in every thread
  };
  SharedPlaces placesOf(const layout::SharedAccess &access, const layout::SharedStep &shared);
  /// Emits the new registers of a conversion through shared memory.
  mlir::Value exchangeInShared(mlir::Value vector, const layout::SharedStep &shared);
  mlir::Value convertLayout(mlir::Value vector, Layout from, Layout to, llvm::ArrayRef<int64_t> shape,
                            mlir::Operation *op);
  /// Emits, in every holder of an element, the value that the element's first holder has.
  mlir::Value fromFirstHolder(mlir::Value vector, Layout layout, llvm::ArrayRef<int64_t> shape);

  // --- scalar regions applied to registers ---
  /// Applies a region to its arguments, one value for each: all scalars, or all vectors of one length. Returns the
  /// region's results. Its assertions are checked in the threads in which `where` is true (null: in all threads).
  Values applyRegion(mlir::Region &region, mlir::ValueRange arguments, mlir::Value where = {});
  /// Applies the ops of a block to its arguments: all to vectors, or all to scalars. `where` as for applyRegion.
  Values applyBlock(mlir::Block &block, mlir::ValueRange arguments, mlir::Value where);
  /// Applies one op of a block; `mapping` has the values of the block's arguments and of earlier ops.
  void applyOp(mlir::Operation &op, mlir::IRMapping &mapping, mlir::Value where);
  mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value castFloat(mlir::Value from, mlir::Type element, tile::RoundingMode rounding);

  // --- the bits of an axis' coordinate ---
  struct AxisBit {
    enum Kind : uint8_t { Register, Lane, Warp } kind;
    unsigned bit; // the bit's number among the bits of its kind
  };
  /// For each bit of the coordinate along `axis`, lowest first, the bit of the register, lane or warp number that
  /// determines it. Reports an error at `op` if such a bit also changes another bit of the element's coordinates.
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
  /// Splits the registers of the values into parts of `part` registers, calls `make` for each part, and joins the
  /// results.
  Values inParts(const Values &values, int64_t part, llvm::function_ref<Values(const Values &)> make);
  /// Combines the values of all warps that differ from this warp in `warpBits` only, in the order of the warps'
  /// numbers. Each of these warps gets the same result.
  Values combineWarps(const Values &values, llvm::ArrayRef<int64_t> warpBits,
                      llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> combine);
  mlir::LogicalResult lowerScan(tile::ScanOp op);
  /// One step of a scan: combines the elements of each block's upper half (in a reverse scan: lower half) with
  /// `previous`. The combining function is applied to no other elements, because it may contain assertions. The bit
  /// `mask` of the register number, or of `number` (the lane's or warp's), selects the halves.
  Values scanRegisters(tile::ScanOp op, const Values &previous, const Values &values, int64_t mask);
  Values scanThreads(tile::ScanOp op, const Values &previous, const Values &values, mlir::Value number, int64_t mask);
  mlir::LogicalResult lowerSort(tile::SortOp op);
  /// Emits, for each element, whether `a` precedes `b` in the order of the sort.
  mlir::Value isSortedBefore(tile::SortOp op, mlir::Value a, mlir::Value b);
  mlir::Value sortInRegisters(tile::SortOp op, llvm::ArrayRef<AxisBit> bits);
  /// Sorts through shared memory, `part` elements at a time.
  mlir::Value sortInMemory(tile::SortOp op, int64_t part);
  /// Sorts rows of `extent` elements: the first `elements` elements of a buffer.
  void sortShared(tile::SortOp op, mlir::Value buffer, int64_t extent, int64_t elements);
  void sortStep(tile::SortOp op, mlir::Value buffer, int64_t extent, int64_t pairs, mlir::Value stage, mlir::Value j);
  mlir::LogicalResult lowerGather(tile::GatherOp op);
  mlir::LogicalResult lowerHistogram(tile::HistogramOp op);
  mlir::LogicalResult lowerDot(tile::DotOp op);
  /// The largest extent along the depth of parts of both operands that fit shared memory at the same time.
  int64_t depthAtOnce(tile::DotOp op);
  /// Emits a buffer that holds the elements of an operand whose index along `axis`, the depth, is in [begin, begin +
  /// part).
  mlir::Value operandInShared(mlir::Value operand, unsigned axis, int64_t part, mlir::Value begin);
  /// Emits c plus the products of the two buffers' elements, for this thread's registers of the result.
  mlir::Value addProducts(tile::DotOp op, mlir::Value a, mlir::Value b, int64_t part, mlir::Value c);
  mlir::Value toAccumulator(mlir::Value value, mlir::Type sum);
  /// Emits a loop from 0 to `end`, executed by all threads, with one carried value. `body` gets the index (i32) and the
  /// value.
  mlir::Value uniformLoop(int64_t end, int64_t step, mlir::Value carried,
                          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  mlir::LogicalResult lowerMatrixDot(tile::DotOp op);
  mlir::LogicalResult lowerRegisterProduct(tile::DotOp op, simt::InstructionAttr instruction);
  /// Emits c + a * b for f32 vectors a and b and an instruction whose operands are narrower: each element of a and b is
  /// replaced by `parts` numbers (OperandParts.h). `tiles` has the meaning that it has in `simt.mma`.
  mlir::Value multiplyNarrowed(simt::InstructionAttr instruction, std::array<int32_t, 3> tiles, mlir::Value a,
                               mlir::Value b, mlir::Value c, int64_t parts);
  mlir::LogicalResult lowerProduct(simt::ProductOp op);
  mlir::LogicalResult lowerWaitProducts(simt::WaitProductsOp op);
  /// Emits the part with index `number` (i32) of a view that is divided into `parts` along an axis.
  mlir::Value partOfView(mlir::Value view, unsigned axis, int64_t parts, mlir::Value number);

  // --- barrier objects and the copies that arrive at them ---
  mlir::LogicalResult lowerBarrierObjects(mlir::Operation *op);
  void lowerArrival(simt::ArriveWarpsOp arrive);
  void startTileCopy(simt::CopyTileOp copy);
  mlir::LogicalResult lowerTileCopies(mlir::Operation *op);
  /// Calls `emit` inside a branch that only thread 0 of the workgroup (or the producer's single thread) takes, if
  /// `condition` is true (null: always). With several `parts`, the warps are divided into as many parts, and the first
  /// thread of each part takes the branch.
  void forOneThread(mlir::Value condition, llvm::function_ref<void()> emit, int64_t parts = 1);
  /// The number of parts into which a block is divided along its rows when it is copied out. It is more than 1 if each
  /// set of warps (simt::kSetWarps) has computed its own rows: a set then copies its rows as soon as its own warps have
  /// stored them.
  int64_t partsOfCopyOut(simt::CopyOutOp copy);
  mlir::LogicalResult lowerProducer(simt::ProducerOp op);

  // --- planned accesses to shared buffers ---
  mlir::LogicalResult lowerShared(mlir::Operation *op);
  /// Stores `vector`, the registers of a tensor with layout `layout`, to the buffer `planned`, whose type has the
  /// buffer's layout. If the tensor is larger than the buffer, stores the part with index `part`.
  void storePlanned(mlir::Value planned, Layout layout, mlir::Value vector, int64_t part);
  void lowerCopy(simt::CopyOp op);
  /// Emits the registers of a tensor with layout `layout`, loaded from the buffer `planned`, whose type has the
  /// buffer's layout. Uses loadMatrices if possible.
  mlir::Value loadPlanned(mlir::Value planned, Layout layout);
  /// Emits the registers of a tensor with this layout, loaded from the buffer by simt.load_matrix. Null, and nothing is
  /// emitted, if the target lacks that op or the layouts do not allow it.
  mlir::Value loadMatrices(mlir::Value planned, Layout layout);
  /// Emits the offset of each access: the XOR of the access' own offset (`byAccess`) and of the bases in `lanes` and
  /// `warps` that this thread's lane and warp numbers select; then `paddings` are added.
  mlir::Value offsetsFrom(llvm::ArrayRef<int64_t> byAccess, llvm::ArrayRef<int64_t> lanes,
                          llvm::ArrayRef<int64_t> warps, llvm::ArrayRef<layout::Padding> paddings = {});
  /// Emits the offset at which each access begins in the storage of `buffer`, as offsetsFrom does with the buffer's
  /// paddings.
  mlir::Value placesIn(simt::SharedType buffer, llvm::ArrayRef<int64_t> byAccess, llvm::ArrayRef<int64_t> lanes,
                       llvm::ArrayRef<int64_t> warps);
  /// Converts offsets of a linear map to offsets in storage, padding included: a vector or a scalar.
  mlir::Value paddedOffsets(mlir::Value offsets, llvm::ArrayRef<layout::Padding> paddings);

  // --- staging: tensors in shared memory as matrices that fragments are loaded from and stored to ---
  /// How a tensor is divided into parts for staging: the bits [low, high) of the coordinate along `axis` are the index
  /// of an element's part.
  struct PartBits {
    unsigned axis, low, high;
  };
  struct Staging {
    Layout layout; // the layout of the tensor's registers
    llvm::SmallVector<int64_t> shape;
    unsigned fast, slow; // the axes along a line, and from line to line; the axis of a batch is slower
    // distances in elements from line to line (padding included) and from matrix to matrix; number of elements of the
    // buffer
    int64_t stride, matrix, count;
    llvm::SmallVector<PartBits> parts; // in order: the lowest bits of a part's index first
    int64_t width;                     // elements of one access

    int64_t partCount() const;
  };
  /// The accesses of one thread to a part: the registers in the order of the accesses, the offset of each access, and
  /// whether each access belongs to this part (null: all do).
  struct Placed {
    llvm::SmallVector<int32_t> registers;
    mlir::Value offsets, isIn;
  };
  /// Plans the staging of a tensor. Lines run along the last axis or the one before, whichever is faster in the layout.
  /// `extents`: the extents of a part, at least one fragment along each axis.
  Staging stagingOf(Layout layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> extents,
                    llvm::ArrayRef<PartBits> parts, mlir::Type element);
  Placed placedIn(const Staging &staging, int64_t part);
  mlir::Value withoutBits(mlir::Value numbers, unsigned low, unsigned high);
  /// Emits a buffer that holds one part of the tensor. If `isPadded`, the buffer has zeros where the tensor has no
  /// elements.
  mlir::Value stagePart(mlir::Value vector, const Staging &staging, int64_t part, bool isPadded);
  void zero(mlir::Value buffer);
  /// Emits the thread's registers of the tensor. Those of this part are loaded from the buffer; all others are taken
  /// from `rest` (null: zeros).
  mlir::Value unstagePart(mlir::Value buffer, const Staging &staging, int64_t part, mlir::Value rest);

  // --- fragments ---
  static simt::FragmentType fragmentType(Fragments fragments);
  /// The type of one piece of a tensor in fragments. A piece is a fragment; or, if the elements have another type than
  /// the fragments', a vector of this lane's elements, in the order in which the lane holds a fragment's elements.
  mlir::Type pieceType(mlir::Value planned) const;
  /// elementsOfPiece converts a piece to the vector of this lane's elements; pieceOf is the inverse.
  mlir::Value elementsOfPiece(mlir::Value piece);
  mlir::Value pieceOf(mlir::Value elements, mlir::Value planned);
  /// Loads a fragment of type `type` from `memory`, a shared buffer or a pointer. `byColumns`: columns of the matrix,
  /// not rows, are consecutive in memory. `offset`: its first element; `stride`: from line to line; both in elements,
  /// i32.
  mlir::Value fragmentLoad(mlir::Value memory, bool byColumns, mlir::Value offset, mlir::Value stride, mlir::Type type);
  /// Loads the fragment of a matrix in global memory that begins at (row, column), both i32. The stride is in elements,
  /// i64.
  mlir::Value fragmentOfMatrix(mlir::Value base, mlir::Value stride, bool byColumns, mlir::Value row,
                               mlir::Value column, mlir::Type type);
  /// Makes guards of the facts which prove that each line of a fragment, `line` elements long, begins at a multiple of
  /// 16 bytes. Reports an error if no facts prove it.
  mlir::LogicalResult checkAligned(tile::LoadStridedOp op, int64_t line);
  /// The coordinates of this warp's block in the grid of blocks that the layout's `warps` describes.
  llvm::SmallVector<mlir::Value, 3> blockOfWarp(Fragments fragments);
  mlir::LogicalResult lowerInFragments(mlir::Operation *op);
  Values elementwiseOnFragments(mlir::Operation *op);
  /// The row and the column of each of this lane's elements within a fragment of the type; emitted once, at the
  /// kernel's beginning.
  std::pair<mlir::Value, mlir::Value> placesInFragment(Fragments fragments);
  /// Emits, for a line (a tensor of kind `column` or `row`), one vector for each of this warp's fragments: the
  /// coordinates along the line of this lane's elements.
  llvm::SmallVector<mlir::Value> coordinatesAlong(Fragments fragments, llvm::ArrayRef<int64_t> shape);
  /// lineFromThreads converts a line in a distributed layout to fragments, through shared memory; lineToThreads is the
  /// inverse.
  Values lineFromThreads(mlir::Value src, mlir::Value result);
  mlir::Value lineToThreads(mlir::Value src, mlir::Value result);
  mlir::LogicalResult reduceRows(tile::ReduceOp op);
  /// A broadcast of a line that is already in fragments: each fragment of the result is a fragment of the line.
  Values repeatLine(tile::BroadcastOp op);
  /// A broadcast of a line in a distributed layout: the line is stored to shared memory and loaded with a stride of 0.
  Values spreadLine(tile::BroadcastOp op);
  /// Converts accumulators to left operands of another product, without shared memory.
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
  /// Calls visit(number, offset) for each fragment of this warp that belongs to the part `part`. `number`: its index in
  /// the warp's list of fragments; `offset`: where it begins in the staging buffer.
  void forFragments(const Passage &passage, Fragments fragments, int64_t part,
                    llvm::function_ref<void(int64_t, mlir::Value)> visit);
  /// Emits `body` so that, of several warps that hold copies of the same fragments, only the first warp executes it.
  void byFirstHolders(Fragments fragments, llvm::function_ref<void()> body);
  /// toFragments converts a matrix in a distributed layout to fragments; fromFragments is the inverse.
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
  /// first, so all failures of one assertion must come before all failures of the next. The assertions within one
  /// function of a reduction, scan or map have a single barrier before all of them; which of them is reported first is
  /// unspecified.
  void separateAsserts();
  void lowerPointerOp(mlir::Operation *op);
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  mlir::LogicalResult lowerAtomic(mlir::Operation *op);
  /// How many consecutive elements one access through a tensor of pointers moves: limited by the order of registers, by
  /// consecutive aligned addresses, and by groups of equal mask elements.
  int64_t accessWidth(mlir::Value pointers, mlir::Value mask, int64_t mostBytes = 16);
  /// How many consecutive elements one atomic instruction of a thread updates, for an atomic on a tensor: limited as
  /// accessWidth is, and by the target's vector atomics; else 1.
  int64_t atomicWidth(tile::AtomicRmwOp op);
  /// The number of a thread's first registers that hold neighbours along `axis`.
  static int64_t runAlong(Layout layout, unsigned axis);
  /// Whether no other thread holds the tensor's elements. Then the thread that loads an element is its only reader, and
  /// may overwrite it without a barrier.
  bool hasNoCopies(mlir::Value tensor) const;
  /// The element type in memory: pointers are stored as 64-bit addresses.
  static mlir::Type storedElement(mlir::Type element, mlir::OpBuilder &builder);

  // --- edge accesses; docs/passes/edges.md ---
  /// One load or store as an edge access: each group of `width` registers is one access inside a row, and is accessed
  /// element by element at the row's ends.
  struct Edges {
    int64_t width;
    std::optional<tile::RotatedRange> rotated; // the rotation of the offsets
    bool endsOnce;                             // see tile::EdgeAccess
    mlir::Value aligned; // i1, uniform: whether the groups are aligned; null: they are known to be
  };
  /// Two conditions for each group of elements of an edge access. `whole`: one wide access moves the group. `isEdge`:
  /// its elements are accessed one by one.
  struct Groups {
    mlir::Value whole, isEdge;
  };
  /// Decides whether a load or store becomes an edge access. Nothing if it does not: all of its accesses then have one
  /// width.
  std::optional<Edges> edgesOf(mlir::Value pointers, mlir::Value mask);
  /// Emits `whole` and `isEdge` for each group. `isMine`: an i1 for each element, in addition to the mask: whether this
  /// thread is the one that accesses it; null: it accesses all.
  Groups groupsOf(const Edges &edges, mlir::Value offsets, mlir::Value mask, mlir::Value isMine);
  /// The number by which `simt.part` marks all accesses that use this vector of offsets.
  mlir::IntegerAttr partOf(mlir::Value offsets);
  /// Rematerializes the given registers of a vector from the vectors that it was computed from. In a branch that few
  /// threads take, this spares the other threads the computation.
  mlir::Value remade(mlir::Value vector, llvm::ArrayRef<int32_t> registers);
  mlir::Value remade(mlir::Value vector, llvm::ArrayRef<int32_t> registers,
                     llvm::DenseMap<mlir::Value, mlir::Value> &made);
  mlir::Value loadAtEdges(tile::LoadOp op, const Edges &edges);
  void storeAtEdges(tile::StoreOp op, const Edges &edges);
  /// Emits a branch on an i1; `mark` is a mark of branches (uniform or divergent). `otherwise` may be null if there are
  /// no results.
  mlir::Value branch(mlir::Value condition, llvm::StringRef mark, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  /// The bits of register numbers on which the address that a load reads does not depend: registers that differ in
  /// these bits only are loaded once. Bits below `width`, which number the registers of one access, are left out.
  /// Example: one scale for 128 columns, in a layout whose registers are columns: all bits.
  int64_t equalRegisters(tile::LoadOp op, int64_t width);
  /// Emits the base, cast to a pointer to `element`, and one offset for each access of `width` registers.
  std::pair<mlir::Value, mlir::Value> accessOf(mlir::Value pointers, int64_t width, mlir::Type element);
  /// The mask, for `count` accesses, of the threads that write elements or combine them into memory: the first holders;
  /// for a scalar, thread 0. Null if every thread does.
  mlir::Value firstHolders(mlir::Value pointers, int64_t count);
  /// Emits `left && right`; a null condition counts as true.
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value everyNth(mlir::Value vector, int64_t step);
  /// Base and offsets for pointers that are given as addresses: the base is 0, and the offsets are the addresses in
  /// bytes.
  Values absolutePointers(mlir::Value addresses, mlir::Type pointer);
  /// Emits a vector of 64-bit integers, each multiplied by `factor`.
  mlir::Value times(mlir::Value integers, int64_t factor);
  /// Emits the offset in elements of each access of `width` registers through `pointers`. The address of an access is a
  /// multiple of the element's size, so offsets in bytes are divided exactly.
  mlir::Value accessOffsets(mlir::Value pointers, int64_t width);
  /// Emits the 64-bit address in each register of a tensor of pointers.
  mlir::Value addresses(mlir::Value pointers);
  /// Emits a value as a vector in the form that memory has: pointers as 64-bit addresses, a scalar as one element.
  mlir::Value dataOf(mlir::Value planned);
  void setData(mlir::Value planned, mlir::Value data);
  void appendCarried(mlir::Value planned, llvm::SmallVectorImpl<mlir::Value> &to, mlir::Value like);
  void bindCarried(mlir::ValueRange planned, mlir::ValueRange lowered);
  Values asLike(mlir::Value planned, mlir::Value like);

  mlir::func::FuncOp planned_;
  tile::AxisAnalysis &axes_;
  const simt::Target &target_;
  ExchangeRoom exchangeRoom_;
  int64_t room_ = 0; // bytes of shared memory available to an exchange of the current op
  OffsetForms forms_;
  bool narrowsEdges_;
  int64_t warps_, warpSize_;
  mlir::OpBuilder b_;
  mlir::Location location_;
  mlir::Block *entry_ = nullptr;
  bool isInProducer_ = false; // the current op is executed by the producer's single thread
  llvm::DenseMap<mlir::Value, Values> values_;
  mlir::Value thread_, lane_, warp_;                                              // i32, read at the kernel's beginning
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> coordinates_; // by layout and axis
  llvm::DenseMap<mlir::Value, int32_t> parts_; // numbers of vectors of offsets, for simt.part
  // results of placesInFragment, by fragment type
  llvm::DenseMap<mlir::Type, std::pair<mlir::Value, mlir::Value>> places_;
};

} // namespace tegula::tosimt
