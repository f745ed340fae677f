// Multi-buffered copies of one loop: its loads become asynchronous copies into rings of shared buffers.
// PipelineCopies.cpp selects the loads, and gives the copies that the loop's threads start their schedules.
// ProducerCopies.cpp moves the copies to a producer instead. Private to tile-pipeline-copies.
#pragma once

#include "core/ir/simt/Target.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"

namespace tegula::tile {

/// A load of the loop that becomes a copy into a ring of buffers.
struct Candidate {
  mlir::Operation *load; // a LoadOp: threads copy; a DescLoadOp: hardware copies
  // the store to the buffer that the ring replaces; null: threads load the tile from the ring to registers
  simt::SharedStoreOp store;
  layout_ir::SharedAttr layout; // the layout of each of the ring's buffers
  int64_t bytes;                // bytes of one tile
  bool isRaw = false;           // elementwise ops, such as a cast, make a product's operand of it
  // the carried arguments and the loads of the loop on which the address and the mask depend
  llvm::SmallVector<mlir::BlockArgument> carried = {};
  llvm::SmallVector<LoadOp> indices = {};
  llvm::SmallVector<ArgumentPair> apart = {}; // arguments that must be apart for the copy to run ahead (LoopWrites)
  mlir::Value ring = {};                      // the ring; null until makeRings
  mlir::Value once = {};                      // for a copy by hardware: the result of CopyPipeline::evictionHint

  simt::SharedAllocOp buffer() { return store ? bufferOf(store.getDst()) : simt::SharedAllocOp(); }
  /// The load if hardware copies it, else null.
  DescLoadOp descLoad() const { return llvm::dyn_cast<DescLoadOp>(load); }
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(load->getResult(0).getType()); }
};

/// Rings that a producer fills and whose stages become full and empty together, because the same products read them.
struct RingGroup {
  llvm::SmallVector<Candidate *> members;
  mlir::Value full,
      empty;           // one barrier object for each stage: copies arrive at `full`, the consumer warps at `empty`
  bool isLate = false; // an iteration empties the stage of the previous iteration, because products run on
};

/// An epilogue operand: a block, such as a residual, that the kernel loads after the loop. The loop's producer copies
/// it instead: in parts of its columns, through the stages of one of the loop's rings. 128x256 elements are four parts
/// for stages of 128x64.
struct EpilogueOperand {
  LoadOp load;
  Candidate *ring;
  mlir::RankedTensorType part; // the type of one part, of the size of a stage of the ring
  int64_t parts;
  mlir::BlockArgument tensor;              // the descriptor that the launch derives, for one part
  llvm::SmallVector<mlir::Value> position; // position of the first part
};

/// Whether the buffer is allocated in the loop, or is allocated before it and used in it or after it.
bool isAliveIn(mlir::scf::ForOp loop, simt::SharedAllocOp buffer);

class CopyPipeline {
public:
  CopyPipeline(mlir::scf::ForOp loop, const AxisAnalysis &axes, int64_t threads, const simt::Target &target)
      : loop_(loop), axes_(axes), writes_(loop), threads_(threads), sharedBytes_(target.features.sharedBytes),
        movesRegisters_(target.features.movesRegisters), isConditional_(target.policies.conditional),
        delayedBytes_(delayedBytesOf(target, threads)), stages_(std::min(stagesOf(loop), kMostStages)) {}

  /// Selects the loads of the loop that can become copies.
  void findCandidates();
  /// Whether hardware will copy this load of the loop to buffers of this layout.
  bool copies(DescLoadOp load, layout_ir::SharedAttr layout) const;
  /// Drops a candidate if its descriptor has a use that is not `isCopied` to buffers of the candidate's layout, and
  /// drops all candidates if two stages of them do not fit shared memory. Returns whether candidates were dropped.
  bool keepCandidates(llvm::function_ref<bool(DescLoadOp, layout_ir::SharedAttr)> isCopied, bool mayHaveProducer);
  bool isEmpty() const { return candidates_.empty(); }
  /// Whether the loop needs so few registers for its values that a producer is possible. Its values are the
  /// loop-carried ones, computed left operands of products, and results of products that begin with zeros.
  bool leavesRegisters();
  /// Bytes of the candidates' rings.
  int64_t ringBytes() const { return stageBytes() * std::min(stages_, mostStages_); }
  /// Makes copies of the candidates' loads. `bytesElsewhere`: of the largest rings of the kernel's other loops.
  void run(int64_t bytesElsewhere);

private:
  static constexpr int64_t kMostStages = 8; // each stage adds a group of copies before the loop

  // --- PipelineCopies.cpp ---
  /// Whether raw candidates, whose tiles threads load from the ring to registers, would keep no loop of the kernel from
  /// getting a producer. Called when all candidates are copies by hardware.
  bool leavesProducers();
  /// Makes the load a candidate and returns an empty text, or returns the reason why it cannot be one. `isRaw`: see
  /// Candidate.
  std::string consider(LoadOp load, bool isRaw);
  /// Makes a load that is marked for a copy by hardware a candidate and returns an empty text, or returns the reason
  /// why it cannot be one.
  std::string consider(DescLoadOp load);
  /// Returns an empty text if the values can be computed any number of iterations ahead, else the reason why they
  /// cannot. If they can, `candidate` gets the carried arguments and the loads on which they depend. `indexBytes`: the
  /// most bytes that one of these loads may have.
  std::string runAhead(mlir::ValueRange values, int64_t indexBytes, Candidate &candidate);
  /// The number of stages of the candidates' rings that fit into shared memory; 0 if the loop has no candidate.
  int64_t fittingStages();
  /// Drops raw candidates (`isRaw`: threads load the tile from the ring to registers), the largest first, until enough
  /// stages fit shared memory.
  void dropRaw();
  /// Bytes of shared memory for one stage of all rings.
  int64_t stageBytes() const;
  int64_t hardwareCopies() const {
    return llvm::count_if(candidates_, [](const Candidate &each) { return bool(each.descLoad()); });
  }
  /// Bytes of shared memory that are not available to the rings: operands of the loop's products that do not become
  /// rings, and buffers that are alive across the loop.
  int64_t otherBytes();
  /// Bytes that rings leave free for exchanges between threads.
  int64_t keptBytes();
  /// Whether rings of one stage less let one more program, and so more warps, run on a multiprocessor that has few
  /// warps with `stages_`: by shared memory, and by registers for the loop's values.
  bool oneStageLessRunsMoreWarps();
  /// Chooses the number of stages of the rings, and the products that overlap with other work (LoopProducts.h). `most`
  /// is the number of stages that fit shared memory.
  void chooseStages(int64_t most);
  /// Replaces the loads by copies with schedules, which tile-expand-schedules executes.
  void scheduleCopies();
  /// A constant of type i32.
  mlir::Value number(mlir::OpBuilder &builder, int64_t value);
  /// Emits the rings, one for each candidate.
  void makeRings(mlir::OpBuilder &builder);
  /// A view of stage `stage` of the candidate's ring.
  mlir::Value stageOf(mlir::OpBuilder &builder, const Candidate &candidate, mlir::Value stage);
  /// Emits stores of zeros to the stages that delayed products read in the first iteration.
  void clearStages(mlir::OpBuilder &builder);
  /// Emits the barrier objects at which copies by hardware arrive, their start before the loop, and their end.
  mlir::Value startBarriers();
  /// Erases the candidate's load and buffer; products read the view `stage` of its ring instead.
  void readStage(Candidate &candidate, mlir::Value stage);

  // --- EvictionHint.cpp ---
  /// For a candidate that hardware copies: an i1 scalar at the top of the kernel that is true if no two programs read
  /// the same block of the candidate's tensor. That holds if the blocks of the loop's other tensors are the same in all
  /// programs. Example: a product with so few rows that one block has all of them reads each block of its right operand
  /// once. The scalar is also true if the kernel asked for `evict_first`. Null if the condition cannot be computed or
  /// is never true.
  mlir::Value evictionHint(const Candidate &candidate);
  bool isReadBesideCandidates(const Candidate &candidate);

  // --- ProducerCopies.cpp ---
  /// The product's operand, with the buffer of a candidate replaced by stage `stage` of the candidate's ring.
  mlir::Value viewAt(mlir::OpBuilder &builder, mlir::Value operand, mlir::Value stage);
  /// `stage - 1`, modulo the number of stages.
  mlir::Value stageBefore(mlir::OpBuilder &builder, mlir::Value stage);
  /// Whether a producer can start all copies of the loop: the target's warps can move registers, the kernel has four or
  /// eight warps, all copies are by hardware, the loop is in the kernel's body, no op before it has to run before the
  /// copies, the kernel has no other producer and does not print, and the positions and bounds can be computed a second
  /// time.
  bool canHaveProducer();
  /// Whether all products of the loop read rings, or buffers that the loop does not write, and nothing else reads the
  /// rings.
  bool onlyProductsReadRings();
  /// Whether the producer can start its copies when the kernel begins. They must not have to wait for any op that
  /// precedes the loop. The rings are then alive from the kernel's beginning on; so that this does not increase the
  /// shared memory, every buffer that is allocated before the loop must be alive in the loop, too.
  bool canBeginWithKernel();
  /// Whether the positions of the copies and the loop's bounds depend on arguments, program ids and constants only.
  bool canRepeatPositions();
  void rewriteWithProducer();
  /// Makes the rings and their barrier objects at the top of the kernel.
  void makeRingGroups();
  /// Makes the producer: a loop with the same iterations, which waits for empty stages and starts copies.
  void makeProducer();
  /// Emits the place in the rings, a stage and a phase, that follows (stage, phase).
  std::pair<mlir::Value, mlir::Value> nextStage(mlir::OpBuilder &builder, mlir::Value stage, mlir::Value phase);
  /// The phase of the barrier object of the stage before `stage`, in which the copies of the previous iteration were
  /// completed. `phase`: the current phase of the object of `stage`.
  mlir::Value phaseBefore(mlir::OpBuilder &builder, mlir::Value stage, mlir::Value phase);
  /// Makes a product wait until the stage that it reads is full. `stage` and `phase`: the place in the rings of the
  /// product's iteration. The product reads this stage, or the stage before it.
  void waitUntilFull(simt::ProductOp product, const RingGroup &group, mlir::Value stage, mlir::Value phase);
  /// Whether the loop has a product whose left operand threads load from a ring of this ring group.
  bool loadsLeft(const RingGroup &group);
  /// Makes the loop's products wait for the copies into the rings of `group`, and emits, after the products, the
  /// arrivals that hand the rings' stages back to the producer. `stage` and `phase`: the loop's arguments that hold the
  /// iteration's place in the rings.
  void synchronise(RingGroup &group, mlir::BlockArgument stage, mlir::BlockArgument phase);

  /// Emits the wait of the producer before it fills the stage `stage` of the group's rings: until the consumer warps
  /// have handed the stage back. `stage` and `phase`: the place in the rings of the producer's iteration.
  void waitUntilEmpty(mlir::OpBuilder &builder, const RingGroup &group, mlir::Value stage, mlir::Value phase);

  // --- EpilogueOperand.cpp ---
  /// Finds an epilogue operand that the producer can copy. Conditions: the launch derives descriptors, hardware stores
  /// the kernel's result, the rings form one group, no op between the kernel's beginning and the load has to run before
  /// the copy, and no op between the loop and the load may need the rings' storage.
  void findEpilogueOperand();
  /// Makes the load's block the epilogue operand, if the launch can describe its tensor and a ring has stages of the
  /// size of a part.
  bool takeEpilogueOperand(LoadOp load);
  /// Emits the producer's copies of the epilogue operand, after the producer's loop. `stage` and `phase`: the place of
  /// the rings after that loop.
  void copyEpilogueOperand(mlir::OpBuilder &builder, mlir::Value stage, mlir::Value phase);
  /// Replaces the load of the epilogue operand by the wait for all parts, the threads' loads, and the arrivals that
  /// hand the stages back. `stage` and `phase`: the place of the rings after the consumers' loop. Returns the last op
  /// that uses the rings.
  mlir::Operation *readEpilogueOperand(mlir::Value stage, mlir::Value phase);

  // --- PingPong.cpp ---
  /// Precondition of ping-pong: two warp groups issue the products and one product is delayed. pingPong() checks the
  /// rest.
  bool mayPingPong();
  /// The number, 0 or 1, of the thread's own warp group, and the number of the other warp group.
  struct WarpGroups {
    mlir::Value own, other;
  };
  WarpGroups warpGroups(mlir::OpBuilder &builder);
  /// Makes the two warp groups issue the products of an iteration alternately (ping-pong): first the one group, then
  /// the other. `phase`: the loop's argument with the phase that the iteration waits for. Returns the barrier objects,
  /// which end together with those of the rings; null, and no change, if other work stands between the products.
  mlir::Value pingPong(const WarpGroups &groups, mlir::Value phase);

  std::optional<mlir::InFlightDiagnostic> remark_; // the decision and its reason
  mlir::scf::ForOp loop_;
  const AxisAnalysis &axes_;
  LoopWrites writes_;
  llvm::SetVector<mlir::BlockArgument> carried_; // the arguments on which the candidates' addresses depend
  llvm::SetVector<LoadOp> indices_;              // the loads of the loop on which they depend
  int64_t threads_, sharedBytes_;
  bool movesRegisters_;
  bool isConditional_;   // the code may rely on conditions that the launch checks
  int64_t delayedBytes_; // bytes of registers that delayed products may take
  int64_t stages_;       // number of stages of a ring
  int64_t wantedStages_ = 0, mostStages_ = 0;
  int64_t bytesElsewhere_ = 0;   // of the largest rings of the kernel's other loops
  int64_t prefetchDistance_ = 0; // the prefetch distance: how many iterations before its use a tile's copy is started
  /// If true, an iteration starts its copies at its end, else at its top. At the end, the products of the previous
  /// iteration have ended, so their stage can be overwritten: one stage less is needed. This is chosen for loops with
  /// copies by hardware alone, which take the time of one thread only, and for loops where the saved stage lets one
  /// more program run.
  bool startsLate_ = false;
  bool savesStage_ = false; // copies start late for the sake of the stage
  llvm::SmallVector<Candidate> candidates_;
  LoopProducts products_;
  bool hasProducer_ = false;
  llvm::SmallVector<RingGroup> groups_;     // of the producer
  std::optional<EpilogueOperand> epilogue_; // the epilogue operand that the producer copies after its loop
  mlir::Operation *producerAt_ = nullptr;   // the op after which the producer is inserted
};

} // namespace tegula::tile
