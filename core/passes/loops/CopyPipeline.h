// Multi-buffered copies of one loop: its loads become asynchronous copies into rings of shared buffers.
// PipelineCopies.cpp selects the loads, ProducerChoice.cpp decides whether a producer copies, ScheduleCopies.cpp gives
// the copies their schedules. Private to tile-pipeline-copies.
#pragma once

#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"

namespace tegula::tile {

/// A load of the loop that becomes a copy into a ring of buffers.
struct Candidate {
  mlir::Operation *load; // a LoadOp: threads copy; a DescLoadOp: hardware copies
  // the store to the buffer that the ring replaces; null: threads load the tile from the ring to registers. If the load
  // has other users beside the store, threads load the tile for them, too.
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

/// Copies by hardware that arrive at the same barrier objects, one for each stage. The loop's warps wait for all copies
/// of an iteration at once; a producer's copies are grouped by the first product that reads the rings.
struct CopyGroup {
  llvm::SmallVector<Candidate *> members;
  mlir::Value barriers;
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
      : loop_(loop), axes_(axes), writes_(loop), threads_(threads), budget_(target.features),
        isConditional_(target.policies.conditional), delayedBytes_(delayedBytesOf(target, threads)),
        stages_(std::min(stagesOf(loop), kMostStages)) {}

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
  static constexpr int64_t kStoredStages = 2; // an operand is computed while the product of the one before it runs

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
  /// warps with `stages_` (programsWith).
  bool oneStageLessRunsMoreWarps();
  /// Sets `stored_` to the buffers of computed operands (fillingStore) that are read by products which run on into the
  /// next iteration.
  void findStored(llvm::function_ref<bool(simt::SharedAllocOp)> isRing);
  /// Chooses the number of stages of the rings, and the products that overlap with other work (LoopProducts.h). `most`
  /// is the number of stages that fit shared memory.
  void chooseStages(int64_t most);
  /// Chooses stages and products as chooseStages says. If `withStored` is true, products of computed operands, whose
  /// buffers then get two stages, may run on, too. Returns whether there are such products, even if two stages of their
  /// operands do not fit.
  bool overlapProducts(int64_t most, bool withStored);
  /// How many programs run on a multiprocessor with rings of `stages` stages: by shared memory, and by registers for
  /// the loop's values.
  int64_t programsWith(int64_t stages);
  // --- ScheduleCopies.cpp ---
  /// Replaces the loads by copies with schedules, which tile-expand-schedules executes.
  void scheduleCopies();
  /// A constant of type i32.
  mlir::Value number(mlir::OpBuilder &builder, int64_t value);
  /// Emits the rings, one for each candidate.
  void makeRings(mlir::OpBuilder &builder);
  /// A view of stage 0 of the ring: in an unexpanded loop, the stage of the iteration.
  mlir::Value firstStage(mlir::OpBuilder &builder, mlir::Value ring);
  /// Emits stores of zeros to the stages that delayed products read in the first iteration.
  void clearStages(mlir::OpBuilder &builder);
  void groupCopies();
  /// Emits the groups' barrier objects (at `top`) and their start (at `before`).
  void startBarriers(mlir::OpBuilder &top, mlir::OpBuilder &before);
  void copyByHardware(const CopyGroup &group);
  void copyByThreads(Candidate &candidate);
  /// Erases the candidate's load and buffer; products read the view `stage` of its ring instead.
  void readStage(Candidate &candidate, mlir::Value stage);
  void scheduleProducts();
  /// Makes rings of the buffers of computed operands.
  void addStages(mlir::OpBuilder &builder);

  // --- EvictionHint.cpp ---
  /// For a candidate that hardware copies: an i1 scalar at the top of the kernel that is true if no two programs read
  /// the same block of the candidate's tensor. That holds if the blocks of the loop's other tensors are the same in all
  /// programs. Example: a product with so few rows that one block has all of them reads each block of its right operand
  /// once. The scalar is also true if the kernel asked for `evict_first`. Null if the condition cannot be computed or
  /// is never true.
  mlir::Value evictionHint(const Candidate &candidate);
  bool isReadBesideCandidates(const Candidate &candidate);

  // --- ProducerChoice.cpp ---
  /// Whether a producer can start all copies of the loop: all are by hardware, their rings take no further shared
  /// memory, and nothing else is in the way (obstacleToProducer).
  bool canHaveProducer();
  /// Whether all products of the loop read shared memory, and only ops directly in its body read the rings.
  bool areRingsReadInBody();
  /// Whether no operand is computed in the loop from a tile that threads would load, such as unpacked weights. Beside a
  /// producer such a tile would not be copied ahead, which is worth more.
  bool readsNoLaterLoads();
  /// Whether every buffer that is allocated before the loop is alive in the loop, too.
  bool addsNoSharedMemory();

  // --- EpilogueOperand.cpp ---
  /// Finds an epilogue operand that the producer can copy. Conditions: the launch derives descriptors, hardware stores
  /// the kernel's result, the rings form one group, no op between the kernel's beginning and the load has to run before
  /// the copy, and no op between the loop and the load may need the rings' storage.
  void findEpilogueOperand();
  /// Makes the load's block the epilogue operand, if the launch can describe its tensor and a ring has stages of the
  /// size of a part.
  bool takeEpilogueOperand(LoadOp load);
  /// Replaces the load of the epilogue operand: the producer copies its parts, one after another, to the stages that
  /// follow those of the loop; threads wait for each and load it. Returns the last op that uses the rings.
  mlir::Operation *copyEpilogueOperand();

  std::optional<mlir::InFlightDiagnostic> remark_; // the decision and its reason
  mlir::scf::ForOp loop_;
  const AxisAnalysis &axes_;
  LoopWrites writes_;
  llvm::SetVector<mlir::BlockArgument> carried_; // the arguments on which the candidates' addresses depend
  llvm::SetVector<LoadOp> indices_;              // the loads of the loop on which they depend
  int64_t threads_;
  simt::Budget budget_;
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
  llvm::SmallVector<simt::SharedAllocOp> stored_; // buffers of computed operands, which get kStoredStages stages
  LoopProducts products_;
  bool hasProducer_ = false;
  llvm::SmallVector<CopyGroup> groups_;     // of copies by hardware
  std::optional<EpilogueOperand> epilogue_; // the epilogue operand that the producer copies after its loop
};

} // namespace tegula::tile
