// From the planned to the simt level: one walk over a kernel, a file for each family of ops. What may enter this room:
// how threads together do what the planned level says a program does. Layouts are given; which ones is decided before.
//
// A tensor becomes a vector of the registers that its layout gives a thread. A tensor of pointers becomes one scalar
// base address and a vector of offsets from it, in elements. Threads exchange elements through shuffles within a warp
// and through unplaced shared buffers beyond it; no barrier is written here: the passes after this one place buffers
// and barriers.
#pragma once

#include "core/ir/LayoutRules.h"
#include "core/passes/AxisInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tegula::tosimt {

/// What a value of the planned level is at the simt level: one value, base and offsets of pointers, or a list of
/// fragments, the last axis fastest.
using Values = llvm::SmallVector<mlir::Value, 2>;

struct LoweringOptions {
  /// Bytes of shared memory that one exchange may use; what needs more goes in several passes.
  int64_t sharedBytes = 48 << 10;
  /// What shared memory's narrowest elements take; narrower values are exchanged in elements of that width.
  int64_t sharedElementBytes = 1;
};

/// Which tensors of pointers need 64-bit offsets: those whose offsets are sums, or came as 64 bits.
class OffsetWidths {
public:
  explicit OffsetWidths(mlir::func::FuncOp function);
  bool isWide(mlir::Value pointers) const { return ranks_.lookup(pointers) == Wide; }
  /// All offsets are zero: one base address.
  bool isZero(mlir::Value pointers) const { return ranks_.lookup(pointers) == Zero; }

private:
  enum Rank : uint8_t { Zero, Narrow, Wide };
  Rank rankOf(mlir::Operation *op) const;
  bool raise(mlir::Value value, Rank rank);
  llvm::DenseMap<mlir::Value, Rank> ranks_;
};

class Lowering {
public:
  Lowering(mlir::func::FuncOp planned, tile::AxisAnalysis &axes, const LoweringOptions &options);

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
  /// The types of what `planned` becomes.
  llvm::SmallVector<mlir::Type, 2> typesOf(mlir::Value planned) const;

  // --- building: registers ---
  mlir::VectorType vectorOf(int64_t count, mlir::Type element) { return mlir::VectorType::get({count}, element); }
  static int64_t countOf(mlir::Value vector);
  static mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }
  mlir::Value constant(int64_t value, unsigned bits = 32);
  mlir::Value constants(llvm::ArrayRef<int64_t> values, mlir::Type element); // one an element
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
  /// The lanes and warps whose bits only make copies: an element's first holder has none of these bits set.
  std::pair<int64_t, int64_t> copyBits(Layout layout, llvm::ArrayRef<int64_t> shape) const;
  /// True in each element's first holder; null where there are no copies.
  mlir::Value isFirstHolder(Layout layout, llvm::ArrayRef<int64_t> shape);

  // --- exchange ---
  /// A buffer for `count` elements, and the bytes that it takes for each.
  mlir::Value scratch(int64_t count, mlir::Type element);
  mlir::Type scratchElement(mlir::Type element);
  int64_t scratchBytes(mlir::Type element);
  /// `most`, or the power of two of that which one exchange may move, `bytesEach` for each and others beside them; at
  /// least one.
  int64_t atOnce(int64_t most, int64_t bytesEach, int64_t bytesBeside = 0) const;
  void storeShared(mlir::Value buffer, mlir::Value offsets, mlir::Value values);
  /// A vector of `count` elements.
  mlir::Value loadShared(mlir::Value buffer, mlir::Value offsets, int64_t count, mlir::Type element);
  /// Stores to the first `size` elements of a buffer where `isIn`; the rest goes to a place of the thread's own behind.
  void storeWhere(mlir::Value buffer, mlir::Value isIn, mlir::Value places, int64_t size, mlir::Value values);
  /// Unsigned.
  mlir::Value isBelow(mlir::Value numbers, int64_t limit);
  mlir::Value slice(mlir::Value vector, int64_t begin, int64_t count);
  /// Where thread 0 has each of `count` registers in a buffer of all threads' registers.
  mlir::Value places(int64_t count);
  /// The registers as the thread has them whose lane is `lane ^ laneMask` and warp `warp ^ warpMask`.
  mlir::Value fromPeer(mlir::Value vector, int64_t laneMask, int64_t warpMask);
  /// The registers as the thread `from` (an i32 from 0) has them; through shared memory.
  mlir::Value fromThread(mlir::Value vector, mlir::Value from);
  mlir::Value convertLayout(mlir::Value vector, Layout from, Layout to, llvm::ArrayRef<int64_t> shape,
                            mlir::Operation *op);
  /// What the element's first holder has, for all holders.
  mlir::Value fromFirstHolder(mlir::Value vector, Layout layout, llvm::ArrayRef<int64_t> shape);

  // --- scalar regions applied to registers ---
  /// The region's results, given one value an argument: all scalars, or all vectors of one length.
  Values applyRegion(mlir::Region &region, mlir::ValueRange arguments);
  bool isCommutativeBitwise(mlir::Region &region) const;
  mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value castFloat(mlir::Value from, mlir::Type element, tile::RoundingMode rounding);

  // --- where an axis' bits are ---
  struct AxisBit {
    enum Kind : uint8_t { Register, Lane, Warp } kind;
    unsigned bit; // number among the bits of its kind
  };
  /// For each bit of the coordinate along `axis`, the one bit of register, lane or warp that holds it alone. Error at
  /// `op` where the layout mixes them.
  mlir::FailureOr<llvm::SmallVector<AxisBit>> axisBits(Layout layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                                       mlir::Operation *op);

  // --- the walk; each family of ops is a file ---
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerControl(mlir::Operation *op);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerShape(mlir::Operation *op);
  mlir::LogicalResult lowerMemory(mlir::Operation *op);
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  /// All combinations of the warps' bits, lowest number first, combined in each of these warps.
  Values combineWarps(const Values &values, llvm::ArrayRef<int64_t> warpBits,
                      llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> combine);
  mlir::LogicalResult lowerScan(tile::ScanOp op);
  mlir::LogicalResult lowerSort(tile::SortOp op);
  mlir::LogicalResult lowerGather(tile::GatherOp op);
  mlir::LogicalResult lowerHistogram(tile::HistogramOp op);
  mlir::LogicalResult lowerDot(tile::DotOp op);
  mlir::LogicalResult lowerMatrixDot(tile::DotOp op);

  // --- tensors in shared memory, as matrices that fragments are loaded from and stored to ---
  /// Bits [low, high) of the coordinate along an axis number the parts that a tensor is handled in.
  struct PartBits {
    unsigned axis, low, high;
  };
  struct Staging {
    Layout layout; // of the tensor's registers
    llvm::SmallVector<int64_t> shape;
    unsigned fast, slow;               // axes: along a line, and from line to line; a batch is before both
    int64_t stride, matrix, count;     // elements of a line, of an entry of the batch, of all
    llvm::SmallVector<PartBits> parts; // the lowest part number first
    int64_t width;                     // elements of an access

    int64_t partCount() const;
  };
  /// Where elements of a part are: registers access by access, an offset for each access; and, for each access, whether
  /// it is of this part (null: all are).
  struct Placed {
    llvm::SmallVector<int32_t> registers;
    mlir::Value offsets, isIn;
  };
  /// Lines run along the layout's fastest of the last two axes. `extents` are those of a part, padded.
  Staging stagingOf(Layout layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> extents,
                    llvm::ArrayRef<PartBits> parts, mlir::Type element);
  Placed placedIn(const Staging &staging, int64_t part);
  /// A buffer with a part in it; `isPadded`: with zeros where the tensor has no elements.
  mlir::Value stagePart(mlir::Value vector, const Staging &staging, int64_t part, bool isPadded);
  void zero(mlir::Value buffer);
  /// The registers that a part in a buffer has; others are as in `rest`, which may be null for the first part.
  mlir::Value unstagePart(mlir::Value buffer, const Staging &staging, int64_t part, mlir::Value rest);

  // --- fragments ---
  static simt::FragmentType fragmentType(Fragments fragments);
  /// What each of a tensor's fragments becomes: a fragment; or, of elements of another type than the fragments', this
  /// lane's elements in the order that a fragment has them.
  mlir::Type pieceType(mlir::Value planned) const;
  mlir::Value elementsOfPiece(mlir::Value piece);
  mlir::Value pieceOf(mlir::Value elements, mlir::Value planned);
  /// From shared memory or through a pointer; offset and stride in elements, i32.
  mlir::Value fragmentLoad(mlir::Value memory, bool byColumns, mlir::Value offset, mlir::Value stride, mlir::Type type);
  /// Of a matrix in global memory, from (row, column) on, i32; the stride in elements is an i64.
  mlir::Value fragmentOfMatrix(mlir::Value base, mlir::Value stride, bool byColumns, mlir::Value row,
                               mlir::Value column, mlir::Type type);
  /// Notes what the alignment of lines of a fragment, `line` elements long, rests on.
  mlir::LogicalResult checkAligned(tile::LoadStridedOp op, int64_t line);
  /// The number of this warp's block along each axis.
  llvm::SmallVector<mlir::Value, 3> blockOfWarp(Fragments fragments);
  mlir::LogicalResult lowerInFragments(mlir::Operation *op);
  Values elementwiseOnFragments(mlir::Operation *op);
  /// Row and column of this lane's elements in any fragment of the type; known from the kernel's beginning on.
  std::pair<mlir::Value, mlir::Value> placesInFragment(Fragments fragments);
  /// For each fragment of a line that the warp holds, the coordinates of its elements along the line.
  llvm::SmallVector<mlir::Value> coordinatesAlong(Fragments fragments, llvm::ArrayRef<int64_t> shape);
  Values lineFromThreads(mlir::Value src, mlir::Value result);
  mlir::Value lineToThreads(mlir::Value src, mlir::Value result);
  mlir::LogicalResult reduceRows(tile::ReduceOp op);
  Values repeatLine(tile::BroadcastOp op);
  Values spreadLine(tile::BroadcastOp op);
  /// Accumulators as left operands, from register to register.
  Values toOperand(mlir::Value src, mlir::Value result);
  mlir::LogicalResult convertFragments(simt::ConvertLayoutOp op);
  /// How a conversion between fragments and registers is divided: parts of each warp's fragments.
  struct Passage {
    Staging staging;
    llvm::SmallVector<int64_t, 3> perPart; // fragments of a warp along each axis
    bool isPadded;
  };
  Passage passageOf(Fragments fragments, Layout layout, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Calls visit(number of a fragment in the warp's list, its offset) for those of a part.
  void forFragments(const Passage &passage, Fragments fragments, int64_t part,
                    llvm::function_ref<void(int64_t, mlir::Value)> visit);
  void byFirstHolders(Fragments fragments, llvm::function_ref<void()> body);
  Values toFragments(mlir::Value src, mlir::Value result);
  mlir::Value fromFragments(mlir::Value src, mlir::Value result);
  mlir::LogicalResult lowerEffect(mlir::Operation *op);
  /// What this thread has of a value that is shown to the host: no register twice, the elements' numbers (null for a
  /// scalar), and whether it is the one of its holders that speaks (null: it is the only one). Pointers are addresses.
  struct Held {
    mlir::Value value, numbers, isFirst;
  };
  Held held(mlir::Value value);
  void lowerPrint(tile::PrintOp op);
  void lowerAssert(tile::AssertOp op);
  void lowerPointerOp(mlir::Operation *op);
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  mlir::LogicalResult lowerAtomic(mlir::Operation *op);
  /// How many neighbours one access of a tensor of pointers moves: the registers' order permits it, and so do addresses
  /// and mask.
  int64_t accessWidth(mlir::Value pointers, mlir::Value mask);
  /// Base and offsets of one access each for `width` registers; the base is cast to point to `element`.
  std::pair<mlir::Value, mlir::Value> accessOf(mlir::Value pointers, int64_t width, mlir::Type element);
  /// Who writes an element, or combines it into memory: its first holder, of a scalar thread 0. For `count` accesses of
  /// a thread; null: every thread.
  mlir::Value firstHolders(mlir::Value pointers, int64_t count);
  /// Of conditions of which either may be null.
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value everyNth(mlir::Value vector, int64_t step);
  Values absolutePointers(mlir::Value addresses, mlir::Type pointer);
  mlir::Value addresses(mlir::Value pointers);
  /// What stands in memory for a value's elements: pointers as addresses of 64 bits. A scalar is one register.
  mlir::Value dataOf(mlir::Value planned);
  void setData(mlir::Value planned, mlir::Value data);
  void appendCarried(mlir::Value planned, llvm::SmallVectorImpl<mlir::Value> &to, mlir::Value like);
  void bindCarried(mlir::ValueRange planned, mlir::ValueRange lowered);
  Values asLike(mlir::Value planned, mlir::Value like);

  mlir::func::FuncOp planned_;
  tile::AxisAnalysis &axes_;
  LoweringOptions options_;
  OffsetWidths widths_;
  int64_t warps_, warpSize_;
  mlir::OpBuilder b_;
  mlir::Location location_;
  mlir::Block *entry_ = nullptr;
  llvm::DenseMap<mlir::Value, Values> values_;
  mlir::Value thread_, lane_, warp_; // i32, read at the kernel's beginning
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> coordinates_;
  llvm::DenseMap<mlir::Type, std::pair<mlir::Value, mlir::Value>> places_; // by type of fragments
};

} // namespace tegula::tosimt
