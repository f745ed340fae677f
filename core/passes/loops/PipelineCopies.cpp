// tile-pipeline-copies (LoopPasses.td): copies the operands of later iterations' products to shared memory (software
// pipelining).
#include "core/passes/Budget.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/RingPlace.h"
#include "core/passes/StepPlaces.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/CopyPipeline.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PIPELINECOPIES
#include "core/passes/Passes.h.inc"

namespace {

constexpr int64_t kLeastPieceBytes = 4; // the least size of a thread's asynchronous copy
// Bytes of shared memory that rings leave free for the loop's exchanges between threads. Less is left (kKeptBesideRows)
// if all products read shared memory and each warp group has whole rows: the loop then exchanges neither left operands
// nor partial row reductions.
constexpr int64_t kKeptBytes = 8 << 10, kKeptBesideRows = 2 << 10;

bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()); }

/// The store of the value to a shared buffer for products, if that is the value's only use; else null.
simt::SharedStoreOp onlyStore(Value value) {
  return value.hasOneUse() ? dyn_cast<simt::SharedStoreOp>(*value.user_begin()) : simt::SharedStoreOp();
}

/// Whether a dot with this instruction reads its operands from registers. (A dot whose instruction reads shared memory
/// has become a simt.product.)
bool isOnRegisters(simt::InstructionAttr instruction) { return !instruction.isOpaque(); }

bool isProduct(Operation *op) {
  simt::InstructionAttr instruction = isa<DotOp>(op) ? simt::instructionOf(op) : simt::InstructionAttr();
  return isa<simt::ProductOp>(op) || (instruction && isOnRegisters(instruction));
}

/// Whether the loop computes the tensor by ops that move elements between threads, such as joins and reshapes.
bool isRearranged(scf::ForOp loop, Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    if (!op || !loop->isAncestor(op) || !passesOn(op) || !isTensor(reached[i]))
      continue;
    if (!isElementwise(op) && !isa<SplatOp, ExpandDimsOp, BroadcastOp>(op))
      return true;
    reached.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

} // namespace

bool isAliveIn(scf::ForOp loop, simt::SharedAllocOp buffer) {
  if (loop->isAncestor(buffer))
    return true;
  Block *block = buffer->getBlock();
  Operation *around = block->findAncestorOpInBlock(*loop);
  return around && buffer->isBeforeInBlock(around) && llvm::any_of(buffer->getUsers(), [&](Operation *user) {
           Operation *here = block->findAncestorOpInBlock(*user);
           return here == around || around->isBeforeInBlock(here);
         });
}

bool CopyPipeline::leavesProducers() {
  // A loop with copies by threads gets no producer, but copies by hardware may get one, in this loop or in another one.
  WalkResult elsewhere = loop_->getParentOfType<func::FuncOp>().walk([&](DescLoadOp load) {
    bool isElsewhere = load->hasAttr(kCopiedAttr) && !loop_->isAncestor(load);
    return isElsewhere ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !elsewhere.wasInterrupted() && !canHaveProducer();
}

void CopyPipeline::findCandidates() {
  bool hasProduct =
      loop_.walk([](Operation *op) { return isProduct(op) ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
  // The canonicalizer replaces a loop of one iteration by its body, where no op may have a schedule.
  std::optional<APInt> count = loop_.getStaticTripCount();
  bool isLoop = !count || count->ugt(1);
  if (!hasProduct || !isLoop || stages_ < 2 || !writes_.obstacle().empty() || loop_.getUnsignedCmp())
    return; // tile-schedule-loops emits the reason
  remark_.emplace(explain(loop_.getLoc(), kPipelineTopic));
  loop_.walk([&](DescLoadOp load) {
    if (!load->hasAttr(kCopiedAttr))
      return;
    if (std::string obstacle = consider(load); !obstacle.empty())
      remark_->attachNote(load.getLoc()) << "not copied by hardware: " << obstacle;
  });
  bool mayBeRaw = leavesProducers();
  for (LoadOp load : feedingLoads(loop_)) {
    bool isOperand = onlyFeedsDots(load.getResult(), isOnRegisters) || onlyStore(load.getResult());
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || (!isOperand && (!mayBeRaw || type.getRank() < 2)))
      continue;
    if (std::string obstacle = consider(load, /*isRaw=*/!isOperand); !obstacle.empty())
      remark_->attachNote(load.getLoc()) << "not copied asynchronously: " << obstacle;
  }
}

int64_t CopyPipeline::stageBytes() const {
  int64_t bytes = 0;
  for (const Candidate &each : candidates_)
    bytes += each.bytes;
  return bytes;
}

int64_t CopyPipeline::fittingStages() {
  int64_t bytes = stageBytes();
  return bytes ? std::max<int64_t>(budget_.shared() - otherBytes() - keptBytes(), 0) / bytes : 0;
}

void CopyPipeline::dropRaw() {
  // The number of stages that must fit. With two, a copy overlaps with one iteration. If the loop also copies operands
  // of products, a third stage for them is worth more than a raw candidate (`isRaw`).
  bool hasOperands = llvm::any_of(candidates_, [](const Candidate &each) { return !each.isRaw; });
  int64_t wanted = hasOperands ? std::min<int64_t>(stages_, 3) : 2;
  while (fittingStages() < wanted) {
    Candidate *largest = nullptr;
    for (Candidate &each : candidates_)
      if (each.isRaw && (!largest || each.bytes > largest->bytes))
        largest = &each;
    if (!largest)
      return;
    remark_->attachNote(largest->load->getLoc())
        << "not copied asynchronously: with it " << wanted << " stages of " << stageBytes() << " bytes do not fit";
    candidates_.erase(largest);
  }
}

bool CopyPipeline::keepCandidates(llvm::function_ref<bool(DescLoadOp, layout_ir::SharedAttr)> isCopied,
                                  bool mayHaveProducer) {
  size_t before = candidates_.size();
  llvm::erase_if(candidates_, [&](const Candidate &each) {
    return each.descLoad() && llvm::any_of(each.descLoad().getDesc().getUsers(), [&](Operation *user) {
             auto load = dyn_cast<DescLoadOp>(user);
             return !load || !isCopied(load, each.layout);
           });
  });
  hasProducer_ = mayHaveProducer && canHaveProducer();
  dropRaw();
  int64_t bytes = stageBytes();
  mostStages_ = fittingStages();
  if (mostStages_ < 2 && !candidates_.empty()) {
    *remark_ << "no load of the loop is copied to shared memory ahead of its product: two stages of " << bytes
             << " bytes do not fit";
    remark_.reset();
    candidates_.clear();
  }
  return candidates_.size() != before;
}

void CopyPipeline::run(int64_t bytesElsewhere) {
  bytesElsewhere_ = bytesElsewhere;
  if (candidates_.empty()) {
    if (remark_)
      *remark_ << "no load of the loop is copied to shared memory ahead of its product";
    return;
  }
  chooseStages(mostStages_);
  *remark_ << candidates_.size() << " of the loop's loads are copied to shared memory ahead of their products, in "
           << stages_ << " stages of " << stageBytes() << " bytes together";
  if (hardwareCopies() > 0)
    *remark_ << "; by hardware: " << hardwareCopies() << (hasProducer_ ? ", started by a producer" : "");
  if (stages_ + savesStage_ < wantedStages_)
    *remark_ << "; " << wantedStages_ << " do not fit";
  if (savesStage_)
    *remark_ << "; started at an iteration's end, because more programs fit a multiprocessor with one stage less";
  if (!products_.runningOn.empty())
    *remark_ << "; products that run on into the next iteration: " << products_.runningOn.size();
  if (!products_.delayed.empty())
    *remark_ << "; products that are delayed by one iteration: " << products_.delayed.size();
  for (Candidate &each : candidates_) {
    if (!each.apart.empty()) {
      auto kernel = loop_->getParentOfType<func::FuncOp>();
      remark_->attachNote(each.load->getLoc()) << "copied asynchronously" << ifApart(kernel, each.apart);
      addApart(kernel, each.apart);
    }
    carried_.insert(each.carried.begin(), each.carried.end());
    indices_.insert(each.indices.begin(), each.indices.end());
  }
  for (Candidate &each : candidates_)
    if (each.descLoad())
      each.once = evictionHint(each);
  scheduleCopies();
}

std::string CopyPipeline::runAhead(ValueRange values, int64_t indexBytes, Candidate &candidate) {
  std::string why; // a load of the loop cannot be executed ahead
  auto mayRead = [&](LoadOp load) {
    why = candidate.descLoad() ? "hardware's copies have no loaded positions"
                               : writes_.obstacleOf(load, isConditional_ ? &candidate.apart : nullptr);
    if (why.empty() && bytesOfWhole(load.getType()) > indexBytes)
      why = "it has more than " + std::to_string(indexBytes) + " bytes";
    return why.empty();
  };
  LoopSlice slice(loop_, mayRead);
  for (Value value : values)
    if (!slice.canRunAhead(value))
      return "it depends on '" + slice.blocker()->getName().getStringRef().str() + "' in the loop" +
             (isa<LoadOp>(slice.blocker()) ? ": " + why : "");
  candidate.carried = llvm::to_vector(slice.carried());
  candidate.indices = llvm::to_vector(slice.reads());
  return {};
}

std::string CopyPipeline::consider(LoadOp load, bool isRaw) {
  SmallVector<ArgumentPair> apart;
  if (std::string obstacle = writes_.obstacleOf(load, isConditional_ ? &apart : nullptr); !obstacle.empty())
    return obstacle;
  if (load.getOther() && !isZero(load.getOther()))
    return "elements that are masked off are not zero";
  auto type = cast<RankedTensorType>(load.getType());
  int64_t elementBytes = simt::elementBytes(type.getElementType()), rank = type.getRank();
  if (rank < 2 || rank > 3)
    return "it is no matrix and no batch of matrices";
  for (unsigned axis = 0; isRaw && axis < rank; ++axis)
    if (axes_.loadConstancy(load, axis) > 1)
      return "threads load one address for several of its elements";
  AxisInfo info = axes_.of(load.getPtr());
  unsigned fast = info.contiguity[rank - 2] > info.contiguity[rank - 1] ? rank - 2 : rank - 1;
  int64_t width = axes_.accessWidth(load.getPtr(), load.getMask(), fast);
  width = std::min({width, kPieceBytes / elementBytes, type.getDimSize(fast)});
  if (width * elementBytes < kLeastPieceBytes)
    return "no 4 bytes of it are known to be side by side and aligned";
  if (type.getNumElements() / width < threads_)
    return "it has fewer pieces than there are threads";
  simt::SharedStoreOp store = isRaw ? simt::SharedStoreOp() : onlyStore(load.getResult());
  if (store && store.getDst().getType().getTileLayout().getBasis(0)[fast] != 1)
    return "its lines in shared memory lie across those in global memory";
  if (store && store.getTf32())
    return "threads' copies do not round to tf32";
  SmallVector<Value> address = {load.getPtr()};
  if (load.getMask())
    address.push_back(load.getMask());
  layout_ir::SharedAttr layout =
      store ? store.getDst().getType().getTileLayout()
            : operandBuffer(loop_.getContext(), type.getShape(), fast, elementBytes, type.getDimSize(fast));
  Candidate candidate = {load, store, layout, bytesOfWhole(type), isRaw};
  candidate.apart = apart;
  // Threads hold the indices of an iteration in registers, so that each load of indices must be small beside the tile.
  constexpr int64_t kTileBytesPerIndexByte = 4;
  if (std::string obstacle = runAhead(address, bytesOfWhole(type) / kTileBytesPerIndexByte, candidate);
      !obstacle.empty())
    return obstacle;
  candidates_.push_back(std::move(candidate));
  return {};
}

std::string CopyPipeline::consider(DescLoadOp load) {
  // The load must be directly in this loop's body. That may have changed since it was marked, because the canonicalizer
  // inlines loops of one iteration.
  if (load->getParentOp() != loop_)
    return "it stands in a branch";
  if (std::string obstacle = writes_.obstacleOf(cast<RankedTensorType>(load.getType()).getElementType());
      !obstacle.empty())
    return obstacle;
  auto type = cast<RankedTensorType>(load.getType());
  int64_t elementBytes = simt::elementBytes(type.getElementType());
  SmallVector<simt::SharedStoreOp> stores;
  for (Operation *user : load->getUsers())
    if (auto store = dyn_cast<simt::SharedStoreOp>(user))
      stores.push_back(store);
  if (stores.size() > 1)
    return "products read it in several layouts";
  simt::SharedStoreOp store = stores.empty() ? simt::SharedStoreOp() : stores.front();
  if (store && !load->hasOneUse() && store.getTf32())
    return "products read it rounded to tf32, and other ops as it is";
  // without a store, threads load the tile, from which they compute an operand
  layout_ir::SharedAttr layout = store ? store.getDst().getType().getTileLayout()
                                       : operandBuffer(loop_.getContext(), type.getShape(), type.getRank() - 1,
                                                       elementBytes, type.getShape().back());
  Candidate candidate = {load, store, layout, bytesOfWhole(type), /*isRaw=*/!store};
  if (std::string obstacle = runAhead(load.getOffsets(), /*indexBytes=*/0, candidate); !obstacle.empty())
    return obstacle;
  candidates_.push_back(std::move(candidate));
  return {};
}

bool CopyPipeline::copies(DescLoadOp load, layout_ir::SharedAttr layout) const {
  return llvm::any_of(candidates_, [&](const Candidate &each) { return each.load == load && each.layout == layout; });
}

void CopyPipeline::findStored(llvm::function_ref<bool(simt::SharedAllocOp)> isRing) {
  stored_.clear();
  llvm::SetVector<Operation *> found;
  for (simt::WaitProductsOp wait : products_.runningOn) {
    auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
    for (Value operand : {product.getA(), Value(product.getB())})
      if (simt::SharedAllocOp buffer = bufferOf(operand); loop_->isAncestor(buffer) && !isRing(buffer))
        found.insert(buffer);
  }
  for (Operation *buffer : found)
    stored_.push_back(cast<simt::SharedAllocOp>(buffer));
}

void CopyPipeline::chooseStages(int64_t most) {
  const int64_t asked = stages_;
  auto choose = [&](bool withStored) {
    stages_ = asked;
    return overlapProducts(most, withStored);
  };
  if (!choose(/*withStored=*/true))
    return;
  // The second stages of computed operands may take the room of the copies' fourth and further stages. They may not
  // take the room of another program on the multiprocessor, whose work overlaps with a product as the next operand's
  // does. Three stages of the copies remain: copies by threads need them beside a product that runs on.
  bool fits = !stored_.empty() && stages_ >= std::min<int64_t>(asked, 3);
  int64_t programs = programsWith(stages_);
  choose(/*withStored=*/false);
  if (fits && programs >= programsWith(stages_))
    choose(/*withStored=*/true);
  else
    remark_->attachNote(loop_.getLoc())
        << "products of computed operands do not run on into the next iteration: second "
           "stages of these operands take too much shared memory";
}

bool CopyPipeline::overlapProducts(int64_t most, bool withStored) {
  auto isRing = [&](simt::SharedAllocOp buffer) {
    return llvm::any_of(candidates_, [&](Candidate &each) { return each.buffer() == buffer; });
  };
  auto isStored = [&](simt::SharedAllocOp buffer) {
    // Rearranging exchanges elements through shared memory. A second stage would leave too little of it.
    simt::SharedStoreOp store = withStored ? fillingStore(loop_, buffer) : simt::SharedStoreOp();
    return store && !isRearranged(loop_, store.getValue());
  };
  // A delayed product keeps values of two iterations in registers. Beside a producer, which takes registers of its own,
  // such values were spilled in a kernel's second loop. There, only products whose sum begins with zeros are delayed.
  auto isByProducer = [](simt::CopyTileOp copy) {
    return simt::issuerOf(copy) == simt::Issuer::Producer ? WalkResult::interrupt() : WalkResult::advance();
  };
  bool isBesideProducer = loop_->getParentOfType<func::FuncOp>().walk(isByProducer).wasInterrupted();
  products_ = findProducts(loop_, isRing, isStored, threads_, delayedBytes_, /*onlyFromZeros=*/isBesideProducer);
  findStored(isRing);
  bool hasStored = !stored_.empty();
  if (hasStored)
    most = fittingStages();
  startsLate_ = hardwareCopies() == int64_t(candidates_.size()) && products_.delayed.empty() && !products_.empty();
  // If copies start at the top of an iteration, products that run on or are delayed need one more stage: at that time
  // they still read the previous iteration's stage.
  bool needsOneMore = !products_.empty() && !startsLate_ && !hasProducer_;
  wantedStages_ = needsOneMore ? std::min(stages_ + 1, kMostStages) : stages_;
  stages_ = std::min(wantedStages_, most);
  if (needsOneMore && stages_ < 3) {
    products_ = {};
    stored_.clear();
    needsOneMore = false;
  }
  prefetchDistance_ = stages_ - (needsOneMore ? 2 : 1);
  // Copies that start at the end of an iteration need one stage less.
  bool areByThreads = hardwareCopies() < int64_t(candidates_.size());
  savesStage_ = areByThreads && products_.delayed.empty() && stages_ > 2 && oneStageLessRunsMoreWarps();
  startsLate_ |= savesStage_;
  stages_ -= savesStage_;
  return hasStored;
}

int64_t CopyPipeline::programsWith(int64_t stages) {
  TargetFeatures features = simt::targetOf(loop_).features;
  int64_t bytes = registerBytesOf(loop_, threads_);
  for (auto dot : loop_.getBody()->getOps<DotOp>()) { // further values of products on registers
    if (isZero(dot.getC()))
      bytes += bytesOfWhole(dot.getType()) / threads_;
    // An operand from before the loop is held as a whole, of another one the 32 bytes of each row of A or column of B
    // that one instruction takes. Warps form a square, of which one side holds the same rows or columns.
    int64_t readers = int64_t(1) << llvm::Log2_64(threads_ / features.threadsPerWarp) / 2, ofStep = 32 * readers;
    for (auto [operand, lines] : {std::pair(dot.getA(), extentsOf(dot).m), std::pair(dot.getB(), extentsOf(dot).n)})
      bytes += (loop_.isDefinedOutsideOfLoop(operand) ? bytesOfWhole(operand.getType()) : lines * ofStep) / threads_;
  }
  int64_t registers = bytes / 4 + simt::kRegistersBesideLoop;
  int64_t shared = std::max(stages * stageBytes() + otherBytes(), bytesElsewhere_);
  return std::min(budget_.programsBySharedAtMost(shared), budget_.programsByRegisters(threads_, registers));
}

bool CopyPipeline::oneStageLessRunsMoreWarps() {
  // With this many warps on a multiprocessor, four on each of its schedulers, one more program was measured to be worth
  // less than the registers that late copies take (docs/lab/2026-12-01-public-kernels-again.md).
  constexpr int64_t kEnoughWarps = 16;
  int64_t now = programsWith(stages_);
  return now * threads_ / simt::targetOf(loop_).features.threadsPerWarp < kEnoughWarps &&
         programsWith(stages_ - 1) > now;
}

int64_t CopyPipeline::keptBytes() {
  auto exchanges = [](Operation *op) {
    auto product = dyn_cast<simt::ProductOp>(op);
    bool isInParts = product && product.getB().getType().getShape()[1] != product.getInstruction().getN();
    return isInParts || isa<DotOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return loop_.walk(exchanges).wasInterrupted() ? kKeptBytes : kKeptBesideRows;
}

int64_t CopyPipeline::otherBytes() {
  int64_t objects = simt::BarriersType::get(loop_.getContext(), kMostStages).getBytes();
  int64_t bytes = hardwareCopies() == 0 ? 0 : hasProducer_ ? 2 * hardwareCopies() * objects : objects;
  loop_.walk([&](DotOp dot) {
    for (Value operand : {dot.getA(), dot.getB()}) {
      Value source = operand;
      while (auto trans = source.getDefiningOp<TransOp>())
        source = trans.getSrc();
      if (llvm::none_of(candidates_, [&](const Candidate &each) { return each.load == source.getDefiningOp(); }))
        bytes += bytesOfWhole(operand.getType());
    }
  });
  loop_->getParentOfType<func::FuncOp>().walk([&](simt::SharedAllocOp buffer) {
    bool isCandidate = llvm::any_of(candidates_, [&](Candidate &each) { return each.buffer() == buffer; });
    if (!isCandidate && isAliveIn(loop_, buffer))
      bytes += buffer.getType().getBytes() * (llvm::is_contained(stored_, buffer) ? kStoredStages : 1);
  });
  return bytes;
}

namespace {

/// Drops candidates until, for each descriptor, either all uses (in all loops) are copied to buffers of one layout, or
/// none is copied. The kernel receives a descriptor either as its parts or encoded for the hardware, and an encoded one
/// describes boxes of a single form.
void keepCandidates(ArrayRef<std::unique_ptr<CopyPipeline>> pipelines) {
  auto isCopied = [&](DescLoadOp load, layout_ir::SharedAttr layout) {
    return llvm::any_of(pipelines, [&](auto &pipeline) { return pipeline->copies(load, layout); });
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    bool mayHaveProducer = llvm::all_of(pipelines, [](auto &pipeline) { return pipeline->leavesRegisters(); });
    for (auto &pipeline : pipelines) {
      isChanged |= pipeline->keepCandidates(isCopied, mayHaveProducer);
      // Only the first loop with copies may get a producer, whose rings are alive from the kernel's beginning on: the
      // rings of an earlier loop would be alive at the same time.
      mayHaveProducer &= pipeline->isEmpty();
    }
  }
}

struct PipelineCopiesPass : impl::PipelineCopiesBase<PipelineCopiesPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    if (!target.features.copiesAsync)
      return;
    int64_t threads = threadsOf(getOperation()).count();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      SmallVector<scf::ForOp> loops = innermostLoops(function);
      AxisAnalysis axes(function);
      // found before the loops are rewritten, because the rings change the code around the loads
      SmallVector<DescLoadOp> once = loadsToCopyOnce(function);
      std::vector<std::unique_ptr<CopyPipeline>> pipelines;
      for (scf::ForOp loop : loops)
        pipelines.emplace_back(std::make_unique<CopyPipeline>(loop, axes, threads, target))->findCandidates();
      keepCandidates(pipelines);
      for (auto &pipeline : pipelines) {
        int64_t elsewhere = 0;
        for (auto &other : pipelines)
          if (other != pipeline)
            elsewhere = std::max(elsewhere, other->ringBytes());
        pipeline->run(elsewhere);
      }
      copyOnce(function, once);
      // Marked loads that did not become copies become loads by threads.
      function.walk([](DescLoadOp load) { load->removeAttr(kCopiedAttr); });
    }
  }
};

} // namespace
} // namespace tegula::tile
