// The loads of one loop that become asynchronous copies to rings of shared buffers: their choice (PipelineCopies.cpp)
// and the change of the loop, whose threads start the copies (RewriteCopies.cpp) or leave that to a producer
// (ProducerCopies.cpp). Private to tile-pipeline-copies.
#pragma once

#include "core/ir/simt/Target.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"

namespace tegula::tile {

/// A load of the loop that becomes a copy into a ring of buffers.
struct Candidate {
  mlir::Operation *load;        // a LoadOp: threads copy; a DescLoadOp: hardware does
  simt::SharedStoreOp store;    // to the buffer that the ring replaces; null: products read it from registers
  layout_ir::SharedAttr layout; // of the ring's buffers
  int64_t bytes;                // of one tile
  bool isRaw = false;           // ops read it from registers, such as a cast, whose results are a product's operand
  mlir::Value ring = {};        // the buffers, once they are made
  mlir::Value once = {};        // of a copy by hardware: CopyPipeline::isReadOnce

  simt::SharedAllocOp buffer() { return store ? bufferOf(store.getDst()) : simt::SharedAllocOp(); }
  /// The load if hardware copies, else null.
  DescLoadOp descLoad() const { return llvm::dyn_cast<DescLoadOp>(load); }
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(load->getResult(0).getType()); }
};

/// Rings of a producer whose stages fill and empty together, because the same products read them.
struct RingGroup {
  llvm::SmallVector<Candidate *> members;
  mlir::Value full,
      empty;           // a barrier object for each stage: copies arrive at `full`, the kernel's own warps at `empty`
  bool isLate = false; // an iteration empties the stage of the iteration before, because products run on
};

/// A block, such as a residual, that the kernel loads after the loop. The loop's producer copies it instead: in parts
/// of its columns, through the stages of one of the loop's rings. 128x256 elements are four parts for stages of 128x64.
struct BlockBehind {
  LoadOp load;
  Candidate *ring;
  mlir::RankedTensorType part; // as large as a stage of the ring
  int64_t parts;
  mlir::BlockArgument tensor;              // the descriptor that the launch derives, of one part
  llvm::SmallVector<mlir::Value> position; // of the first part
};

/// Whether the buffer is in the loop, or is allocated before it and used in it or after it.
bool isAliveIn(mlir::scf::ForOp loop, simt::SharedAllocOp buffer);

/// The values of an iteration that is not the current one: whether it takes place; its induction variable, that of the
/// last iteration where it does not; the carried arguments that addresses depend on; and the results of the loads that
/// addresses depend on, such as the number of a page or the rows of an expert.
struct Iteration {
  mlir::Value takesPlace, induction;
  llvm::DenseMap<mlir::Value, mlir::Value> carried, indices;
};

class CopyPipeline {
public:
  CopyPipeline(mlir::scf::ForOp loop, const AxisAnalysis &axes, int64_t threads, const simt::Target &target)
      : loop_(loop), axes_(axes), writes_(loop), threads_(threads), sharedBytes_(target.features.sharedBytes),
        movesRegisters_(target.features.movesRegisters), delayedBytes_(delayedBytesOf(target, threads)),
        stages_(std::min(stagesOf(loop), kMostStages)) {}

  /// Takes the loads of the loop that can be copied as candidates.
  void findCandidates();
  /// Whether hardware will copy the load of this loop, to buffers of this layout.
  bool copies(DescLoadOp load, layout_ir::SharedAttr layout) const;
  /// Drops candidates whose descriptor has a use that is not `isCopied` to buffers of their layout, and all candidates
  /// if two stages of them do not fit shared memory. Returns whether there are fewer than before.
  bool keepCandidates(llvm::function_ref<bool(DescLoadOp, layout_ir::SharedAttr)> isCopied, bool mayHaveProducer);
  bool isEmpty() const { return candidates_.empty(); }
  /// Whether the loop's values leave registers for a producer: what it carries, left operands of products that are
  /// computed, and results of products that begin with zeros.
  bool leavesRegisters();
  /// Changes the loop.
  void run();

private:
  static constexpr int64_t kMostStages = 8; // each adds a group of copies before the loop

  // --- PipelineCopies.cpp ---
  /// Takes the load as a candidate and returns an empty text, or returns why the load cannot be one.
  std::string consider(LoadOp load, bool isRaw);
  /// The same for a load that is marked for a copy by hardware.
  std::string consider(DescLoadOp load);
  /// Why the values cannot be computed any number of iterations ahead. If they can, the text is empty, and the carried
  /// arguments that they depend on are added to `carried_`, the loads to `indices_`. Such a load has at most
  /// `indexBytes`.
  std::string runAhead(mlir::ValueRange values, int64_t indexBytes);
  /// Bytes of one stage of all rings.
  int64_t stageBytes() const;
  int64_t hardwareCopies() const {
    return llvm::count_if(candidates_, [](const Candidate &each) { return bool(each.descLoad()); });
  }
  /// Bytes of shared memory that the rings cannot have: operands of the loop's products that do not become rings,
  /// buffers that live across the loop, and room for exchanges.
  int64_t otherBytes();
  /// Chooses the number of stages of the rings, at most `most` (as many as fit into shared memory), and the products
  /// that overlap with other work (LoopProducts.h).
  void chooseStages(int64_t most);

  // --- RewriteCopies.cpp ---
  void rewrite();
  /// The iteration after `now`.
  Iteration next(mlir::OpBuilder &builder, const Iteration &now);
  /// Emits the loads of `indices_` for the iteration.
  void loadIndices(mlir::OpBuilder &builder, Iteration &iteration);
  LoopCloner clonerFor(mlir::OpBuilder &builder, const Iteration &iteration);
  /// A product's operand with the buffers of candidates replaced by one stage of their rings.
  mlir::Value viewAt(mlir::OpBuilder &builder, mlir::Value operand, mlir::Value stage);
  /// A constant of type i32.
  mlir::Value number(mlir::OpBuilder &builder, int64_t value);
  /// The stage of the iteration before that of `stage`.
  mlir::Value stageBefore(mlir::OpBuilder &builder, mlir::Value stage);
  void makeRings();
  /// A view of one stage of the candidate's ring.
  mlir::Value stageOf(mlir::OpBuilder &builder, const Candidate &candidate, mlir::Value stage);
  /// Emits threads' copy for a candidate: of the tile that its load reads in the cloner's iteration, to stage `stage`
  /// of its ring; zeros where `takesPlace` is false. Returns the token.
  mlir::Value startCopy(mlir::OpBuilder &builder, Candidate &candidate, LoopCloner &cloner, mlir::Value takesPlace,
                        mlir::Value stage);
  /// Emits one copy a candidate, of the tile that its load reads in `iteration`, to stage number `stage` of its ring.
  /// `phase`: the phase of the stage's barrier object that copies by hardware complete. Returns what the iteration
  /// waits for: a token for each copy by threads, in the candidates' order, then one arrival for all copies by
  /// hardware.
  llvm::SmallVector<mlir::Value> startCopies(mlir::OpBuilder &builder, const Iteration &iteration, mlir::Value stage,
                                             mlir::Value phase);
  /// The wait for what startCopies returned.
  void waitForCopies(mlir::OpBuilder &builder, mlir::ValueRange started);
  /// Fills the stages that delayed products read in the first iteration with zeros.
  void clearStages(mlir::OpBuilder &builder, const Iteration &first);
  /// Erases the loads and buffers of the candidates; products read stage `read` of the rings instead.
  void readStages(mlir::Value read);

  // --- ReadOnce.cpp ---
  /// For a candidate that hardware copies: an i1 scalar, at the top of the kernel, that is true if no two programs read
  /// the same block of its tensor, because the blocks of the loop's other tensors are the same in all programs. For
  /// example, a product with so few rows that one block has all of them reads each block of its right operand once.
  /// True, too, if the kernel asked for that. Null where it is not known, or never so.
  mlir::Value isReadOnce(const Candidate &candidate);
  bool isReadBesideCandidates(const Candidate &candidate);

  // --- ProducerCopies.cpp ---
  /// Whether a producer can start all copies: the target's warps can move registers, the kernel has four or eight
  /// warps, hardware copies, the loop stands in the kernel's body, nothing before it has to stay before the copies, the
  /// kernel has no other producer and does not print, and the positions and bounds can be computed a second time.
  bool canHaveProducer();
  /// Whether all products of the loop read rings, or buffers that the loop does not write, and rings have no other
  /// readers.
  bool onlyProductsReadRings();
  /// Whether the producer can begin with the kernel: its copies may pass everything that stands before the loop, and
  /// every buffer that is allocated there is alive in the loop, so that the rings, which are then alive from the
  /// kernel's beginning on, need no more shared memory.
  bool canBeginWithKernel();
  /// Whether the positions of the copies and the loop's bounds depend on nothing but arguments, programs and constants.
  bool canRepeatPositions();
  void rewriteWithProducer();
  /// Makes the rings and their barrier objects at the top of the kernel.
  void makeRingGroups();
  /// Makes the producer: a loop like this one, which waits for empty stages and starts copies.
  void makeProducer();
  /// The stage and phase after these.
  std::pair<mlir::Value, mlir::Value> nextStage(mlir::OpBuilder &builder, mlir::Value stage, mlir::Value phase);
  /// The phase in which the stage before `stage` was filled.
  mlir::Value phaseBefore(mlir::OpBuilder &builder, mlir::Value stage, mlir::Value phase);
  /// Makes a product wait until the stage that it reads is full. `stage` and `phase` are those of its iteration; it
  /// reads this stage or the one before.
  void waitUntilFull(simt::ProductOp product, const RingGroup &group, mlir::Value stage, mlir::Value phase);
  /// Whether threads load left operands of the loop's products from the group's rings.
  bool loadsLeft(const RingGroup &group);
  /// Makes the loop's products wait for the group's copies, and hands stages back after them. `stage` and `phase`: the
  /// loop's arguments.
  void synchronise(RingGroup &group, mlir::BlockArgument stage, mlir::BlockArgument phase);

  /// Emits the producer's wait until the stage is empty.
  void waitUntilEmpty(mlir::OpBuilder &builder, const RingGroup &group, mlir::Value stage, mlir::Value phase);

  // --- BlockBehind.cpp ---
  /// Finds a block that can be copied like this: the launch derives descriptors, hardware stores the kernel's result,
  /// the rings have one group, nothing between the kernel's beginning and the load has to stay before it, and nothing
  /// between the loop and the load may need the rings' storage.
  void findBlockBehind();
  /// Takes the load's block, if the launch can describe its tensor and a ring has stages like its parts.
  bool takeBlockBehind(LoadOp load);
  /// Emits the producer's copies, behind its loop, which ends with stage and phase.
  void copyBlockBehind(mlir::OpBuilder &builder, mlir::Value stage, mlir::Value phase);
  /// Emits, in the load's place, the wait for all parts, the loads of threads, and the arrivals that hand the stages
  /// back. `stage` and `phase`: what the kernel's own loop ends with. Returns the op behind which nothing uses the
  /// rings.
  mlir::Operation *readBlockBehind(mlir::Value stage, mlir::Value phase);

  // --- Turns.cpp ---
  /// Whether two groups of warps start the loop's products, some of which are delayed; takeTurns asks more.
  bool mayTakeTurns();
  /// The number, 0 or 1, of the thread's group of warps, and that of the other group.
  struct WarpGroups {
    mlir::Value own, other;
  };
  WarpGroups warpGroups(mlir::OpBuilder &builder);
  /// Makes the groups start the products of an iteration in turns. `phase`: the loop's argument, of the turn that the
  /// iteration waits for. Returns the barrier objects, which end with those of the rings; null where other work stands
  /// between the products.
  mlir::Value takeTurns(const WarpGroups &groups, mlir::Value phase);

  std::optional<mlir::InFlightDiagnostic> remark_; // what was decided, and why
  mlir::scf::ForOp loop_;
  const AxisAnalysis &axes_;
  LoopWrites writes_;
  llvm::SetVector<mlir::BlockArgument> carried_; // the arguments that the candidates' addresses and masks depend on
  llvm::SetVector<LoadOp> indices_;              // the loads that these depend on
  int64_t threads_, sharedBytes_;
  bool movesRegisters_;
  int64_t delayedBytes_; // of registers
  int64_t stages_;       // of a ring
  int64_t wantedStages_ = 0, mostStages_ = 0;
  int64_t ahead_ = 0; // how many iterations before its own a tile's copy is started
  /// Whether an iteration starts its copies at its end instead of its top. By then the products of the previous
  /// iteration have ended, and their stage can be overwritten. Only for copies by hardware, because these occupy no
  /// more than one thread.
  bool startsLate_ = false;
  llvm::SmallVector<Candidate> candidates_;
  mlir::Value barriers_; // one object a stage, at which copies by hardware arrive; null: there are none
  LoopProducts products_;
  bool hasProducer_ = false;
  llvm::SmallVector<RingGroup> groups_;   // of a producer
  std::optional<BlockBehind> behind_;     // what it copies behind its loop
  mlir::Operation *producerAt_ = nullptr; // the op that the producer stands behind
};

} // namespace tegula::tile
