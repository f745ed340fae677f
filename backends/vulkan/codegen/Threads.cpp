// Prints thread numbers, shuffles, votes, barriers and fences. If lanes communicate, a warp is a subgroup. In other
// kernels a warp is only a range of thread numbers, and its size is independent of the device.
#include "backends/vulkan/codegen/Printer.h"

using namespace mlir;
using Code = spv::Op;

namespace tegula::vulkan {
namespace {

const auto kAllMemory = spv::MemorySemanticsMask::UniformMemory | spv::MemorySemanticsMask::WorkgroupMemory;

/// True if all `warps` warps of the kernel certainly execute the op together.
bool reachedByAll(Operation *op, int64_t warps) {
  for (Operation *parent = op->getParentOp(); parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp()) {
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent))
      continue;
    Attribute uniform = parent->getAttr(simt::kUniformAttr);
    auto count = dyn_cast_or_null<IntegerAttr>(uniform);
    if (!uniform || (count && count.getInt() != warps))
      return false;
  }
  return true;
}

} // namespace

void Printer::needSubgroups(Operation *op, Feature feature) {
  if (!profile_.subgroupSize)
    fail(op, "target " + target_ + " uses no subgroups, which this op needs");
  if (profile_.subgroupSize != warpSize_)
    fail(op, "expected simt.warp_size to be the size of subgroups of target " + target_ + ", " +
                 llvm::Twine(profile_.subgroupSize) + ", found " + llvm::Twine(warpSize_));
  need(op, feature);
}

/// Thread numbers come from the subgroup's ids if lanes communicate, so that the lanes of a warp form one subgroup on
/// every device.
void Printer::readIds() {
  if (!usesSubgroups_) {
    thread_ = frame_->threadId();
    lane_ = scalars.both(thread_, u32(warpSize_ - 1));
    warp_ = scalars.shiftRight(thread_, u32(llvm::Log2_64(uint64_t(warpSize_))));
    return;
  }
  lane_ = b.load(m.builtin(spv::BuiltIn::SubgroupLocalInvocationId, m.intType(32)));
  warp_ = b.load(m.builtin(spv::BuiltIn::SubgroupId, m.intType(32)));
  thread_ = add(mul(warp_, u32(warpSize_)), lane_);
}

/// Shuffles 32-bit words; narrow elements are packed. If the source lane is outside of the warp, a lane gets its own
/// value.
void Printer::printShuffle(simt::ShuffleOp op) {
  needSubgroups(op, Feature::SubgroupShuffle);
  ScalarType type = scalarOf(op.getValue());
  const Values elements = get(op.getValue());
  Id lane = one(op.getLane()), own = lane_, source = 0;
  switch (op.getMode()) {
  case simt::ShuffleMode::Index: source = lane; break;
  case simt::ShuffleMode::Xor: source = scalars.differ(own, lane); break;
  case simt::ShuffleMode::Up: source = scalars.sub(own, lane); break;
  case simt::ShuffleMode::Down: source = add(own, lane); break;
  }
  APInt constant;
  bool isNear = matchPattern(op.getLane(), m_ConstantInt(&constant)) && constant.ult(uint64_t(warpSize_));
  bool isXor = op.getMode() == simt::ShuffleMode::Xor && isNear;
  if (!isXor && !(op.getMode() == simt::ShuffleMode::Index && isNear))
    source = b.select(scalars.below(source, u32(warpSize_)), source, own);
  auto move = [&](Id word) { return isXor ? b.shuffleXor(word, lane) : b.shuffle(word, source); };

  Values result;
  if (type == ScalarType::I1) {
    for (Id element : elements)
      result.push_back(
          scalars.resize(ScalarType::I32, type, move(scalars.resize(type, ScalarType::I32, element, false)), false));
  } else if (bitWidth(type) == 32) {
    for (Id element : elements)
      result.push_back(move(element));
  } else if (bitWidth(type) == 64) {
    Id pair = m.vectorType(m.intType(32), 2);
    for (Id element : elements) {
      Id halves = b.bitcast(element, pair), moved[] = {move(b.extract(halves, 0)), move(b.extract(halves, 1))};
      result.push_back(b.bitcast(b.construct(pair, moved), scalars.type(type)));
    }
  } else {
    Values words = pack(elements, type);
    for (Id &word : words)
      word = move(word);
    result = unpack(words, uint32_t(elements.size()), type);
  }
  set(op, result);
}

void Printer::printBarrier(simt::BarrierOp op) {
  int64_t warps = op.getWarps().value_or(0);
  bool ofWarp = warps == 1 && warps_ > 1 && profile_.subgroupSize;
  if (ofWarp) {
    needSubgroups(op, Feature::SubgroupBasic);
    b.subgroupBarrier(kAllMemory);
    return;
  }
  if (warps != 0 && warps != warps_ && !reachedByAll(op, warps_))
    fail(op, "target " + target_ + " has no barriers of some warps: expected all " + llvm::Twine(warps_) +
                 " warps to be here together");
  b.workgroupBarrier(kAllMemory);
}

bool Printer::printThreads(Operation *op) {
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    set(id, frame_->programId(uint32_t(id.getAxis())));
  else if (auto size = dyn_cast<tile::NumProgramsOp>(op))
    set(size, frame_->programCount(uint32_t(size.getAxis())));
  else if (auto id = dyn_cast<simt::ThreadIdOp>(op))
    set(id, thread_);
  else if (auto id = dyn_cast<simt::LaneIdOp>(op))
    set(id, lane_);
  else if (auto id = dyn_cast<simt::WarpIdOp>(op))
    set(id, warp_);
  else if (auto size = dyn_cast<simt::WarpSizeOp>(op))
    set(size, u32(warpSize_));
  else if (auto shuffled = dyn_cast<simt::ShuffleOp>(op))
    printShuffle(shuffled);
  else if (auto asked = dyn_cast<simt::VoteOp>(op)) {
    needSubgroups(op, Feature::SubgroupVote);
    Id predicate = one(asked.getPredicate());
    set(asked, asked.getKind() == simt::VoteKind::Any ? b.subgroupAny(predicate) : b.subgroupAll(predicate));
  } else if (auto elected = dyn_cast<simt::ElectOp>(op))
    set(elected, scalars.same(lane_, u32(0)));
  else if (auto waited = dyn_cast<simt::BarrierOp>(op))
    printBarrier(waited);
  else if (auto ordered = dyn_cast<simt::FenceOp>(op)) {
    bool isDevice = ordered.getKind() == simt::FenceKind::Device;
    // All kernels run on queues of one family, so QueueFamily is device scope. The other kinds of fences order
    // asynchronous copies or barrier objects, which Vulkan does not have: nothing is printed for them.
    if (isDevice || ordered.getKind() == simt::FenceKind::Workgroup)
      b.fence(isDevice ? spv::Scope::QueueFamily : spv::Scope::Workgroup,
              spv::MemorySemanticsMask::AcquireRelease | kAllMemory);
  } else if (isa<simt::HiddenArgumentOp>(op)) // print buffer: the only kind
    set(op->getResult(0), frame_->hiddenAddress(HiddenArgument::PrintBuffer));
  else
    return isa<tile::MayNotEndOp>(op); // no code
  return true;
}

} // namespace tegula::vulkan
