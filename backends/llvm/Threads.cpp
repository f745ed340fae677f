// Prints thread numbers, shuffles, votes, barriers of the region, and fences.
#include "backends/llvm/Printer.h"

using namespace mlir;

namespace tegula::llvmir {

/// Ids are read once, at the kernel's entry, so that they dominate all regions.
template <class Body> llvm::Value *Printer::atEntry(llvm::Value *&cache, Body &&body) {
  if (!cache) {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_->getTerminator());
    cache = body();
  }
  return cache;
}

llvm::Value *Printer::threadId() {
  llvm::Value *id = atEntry(threadId_, [&] { return kernelThreadId(); });
  return region_.firstWarp ? b.CreateNSWSub(id, i32(region_.firstWarp * warpSize_)) : id;
}

llvm::Value *Printer::laneId() {
  return atEntry(laneId_, [&] { return b.CreateAnd(threadId_ ? threadId_ : kernelThreadId(), i32(warpSize_ - 1)); });
}

llvm::Value *Printer::warpId() {
  llvm::Value *id = atEntry(warpId_, [&] {
    llvm::Value *thread = threadId_ ? threadId_ : kernelThreadId();
    llvm::Value *shifted = b.CreateLShr(thread, i32(llvm::Log2_64(uint64_t(warpSize_))));
    // LLVM does not see the range through the call. Without it, `warp * stride + constant` might wrap, and LLVM would
    // compute each such offset by itself instead of making the constant a part of the instruction's address.
    auto *warp = llvm::cast<llvm::CallInst>(readFirstLane(shifted));
    warp->addRangeRetAttr(
        llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, uint64_t(simt::kernelWarps(kernel_)))));
    return warp;
  });
  return region_.firstWarp ? b.CreateNSWSub(id, i32(region_.firstWarp)) : id;
}

Values Printer::shuffle(simt::ShuffleOp op) {
  llvm::Value *lane = one(op.getLane());
  llvm::Type *element = elementType(op.getType());
  Values source = get(op.getValue());
  size_t count = source.size();
  if (element->isIntegerTy(1))
    for (llvm::Value *&value : source)
      value = b.CreateZExt(value, b.getInt8Ty());
  // A shuffle moves 32-bit words: elements of fewer than 32 bits are packed into words, and the last word is padded.
  llvm::Type *memory = element->isIntegerTy(1) ? b.getInt8Ty() : element;
  while (source.size() * memory->getScalarSizeInBits() % 32 != 0)
    source.push_back(llvm::UndefValue::get(memory));
  Values words = pack(source);
  for (llvm::Value *&word : words)
    word = shuffleWord(op.getMode(), word, lane);
  Values result = unpack(words, memory);
  result.truncate(count);
  if (element->isIntegerTy(1))
    for (llvm::Value *&value : result)
      value = b.CreateTrunc(value, element);
  return result;
}

bool Printer::printThreads(Operation *op) {
  auto program = [&](unsigned axis, bool size) {
    if (!gridArguments_.empty() && size)
      return static_cast<llvm::Value *>(gridArguments_[3 + axis]);
    if (size)
      return launchPrograms(axis);
    llvm::Value *place = launchProgram(axis);
    if (gridArguments_.empty())
      return place;
    return programAt(axis, b.CreateAdd(place, gridArguments_[axis]), gridArguments_[3 + axis]);
  };
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    set(id, program(id.getAxis(), false));
  else if (auto size = dyn_cast<tile::NumProgramsOp>(op))
    set(size, program(size.getAxis(), true));
  else if (auto id = dyn_cast<simt::ResidentIdOp>(op))
    set(id, launchProgram(0));
  else if (auto size = dyn_cast<simt::ResidentsOp>(op))
    set(size, launchPrograms(0));
  else if (auto id = dyn_cast<simt::ThreadIdOp>(op))
    set(id, threadId());
  else if (auto id = dyn_cast<simt::LaneIdOp>(op))
    set(id, laneId());
  else if (auto id = dyn_cast<simt::WarpIdOp>(op))
    set(id, warpId());
  else if (auto size = dyn_cast<simt::WarpSizeOp>(op))
    set(size, i32(warpSize_));
  else if (auto shuffled = dyn_cast<simt::ShuffleOp>(op))
    set(shuffled, shuffle(shuffled));
  else if (auto asked = dyn_cast<simt::VoteOp>(op))
    set(asked, vote(asked.getKind(), one(asked.getPredicate())));
  else if (auto elected = dyn_cast<simt::ElectOp>(op))
    set(elected, elect());
  else if (auto waited = dyn_cast<simt::BarrierOp>(op))
    barrier(op, waited.getCollectiveWarps());
  else if (auto ordered = dyn_cast<simt::FenceOp>(op))
    fence(ordered.getKind());
  else if (isa<simt::HiddenArgumentOp>(op)) // print buffer: the only kind
    set(op->getResult(0), printBuffer_);
  else
    return isa<tile::MayNotEndOp>(op); // no code
  return true;
}

} // namespace tegula::llvmir
