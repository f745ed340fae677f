// Prints special registers, shuffles, votes, barriers and fences.
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "core/ir/Locations.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::cuda {

llvm::Value *NvptxPrinter::specialRegister(llvm::Intrinsic::ID id, uint32_t below) {
  auto *call = llvm::cast<llvm::CallInst>(intrinsic(id, {}));
  if (below)
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, below)));
  return call;
}

llvm::Value *NvptxPrinter::kernelThreadId() {
  return specialRegister(N::nvvm_read_ptx_sreg_tid_x, uint32_t(kernelThreads()));
}

uint32_t NvptxPrinter::clusterSize() {
  auto size = kernel()->getAttrOfType<mlir::IntegerAttr>(simt::kClusterAttr);
  return size ? uint32_t(size.getInt()) : 1;
}

llvm::Value *NvptxPrinter::clusterRank() {
  return specialRegister(N::nvvm_read_ptx_sreg_cluster_ctarank, clusterSize());
}

llvm::Value *NvptxPrinter::launchProgram(unsigned axis) {
  constexpr llvm::Intrinsic::ID ids[] = {N::nvvm_read_ptx_sreg_ctaid_x, N::nvvm_read_ptx_sreg_ctaid_y,
                                         N::nvvm_read_ptx_sreg_ctaid_z};
  return specialRegister(ids[axis], axis == 0 ? 0x7fffffff : 65535);
}

llvm::Value *NvptxPrinter::launchPrograms(unsigned axis) {
  constexpr llvm::Intrinsic::ID ids[] = {N::nvvm_read_ptx_sreg_nctaid_x, N::nvvm_read_ptx_sreg_nctaid_y,
                                         N::nvvm_read_ptx_sreg_nctaid_z};
  return specialRegister(ids[axis], 0);
}

llvm::Value *NvptxPrinter::readFirstLane(llvm::Value *value) {
  return intrinsic(N::nvvm_shfl_sync_idx_i32, {i32(-1), value, i32(0), i32(31)});
}

/// Prints one prmt if all bytes come from at most two 32-bit words.
llvm::Value *NvptxPrinter::gatherBytes(llvm::ArrayRef<llvm::Value *> bytes) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<llvm::Value *, 2> words;
  uint32_t selector = 0; // nibble i: the number of result byte i among the 8 bytes of both words
  for (auto [i, byte] : llvm::enumerate(bytes)) {
    llvm::Value *shifted = nullptr, *word = nullptr;
    uint64_t shift = 0;
    if (!match(byte, m_Trunc(m_Value(shifted))))
      return nullptr;
    if (!match(shifted, m_LShr(m_Value(word), m_ConstantInt(shift))) || shift % 8 != 0)
      word = shifted, shift = 0;
    if (!word->getType()->isIntegerTy(32))
      return nullptr;
    size_t place = size_t(llvm::find(words, word) - words.begin());
    if (place == words.size())
      words.push_back(word);
    if (words.size() > 2)
      return nullptr;
    selector |= uint32_t(4 * place + shift / 8) << 4 * i;
  }
  if (selector == 0x3210)
    return words[0];
  return intrinsic(N::nvvm_prmt, {words[0], words.back(), i32(int32_t(selector))});
}

llvm::Value *NvptxPrinter::shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) {
  // The last operand is the lane limit (the highest source lane; for "up" the lowest): a lane whose source is beyond it
  // gets its own value.
  switch (mode) {
  case simt::ShuffleMode::Xor: return intrinsic(N::nvvm_shfl_sync_bfly_i32, {i32(-1), word, lane, i32(31)});
  case simt::ShuffleMode::Up: return intrinsic(N::nvvm_shfl_sync_up_i32, {i32(-1), word, lane, i32(0)});
  case simt::ShuffleMode::Down: return intrinsic(N::nvvm_shfl_sync_down_i32, {i32(-1), word, lane, i32(31)});
  case simt::ShuffleMode::Index: {
    llvm::Value *other = intrinsic(N::nvvm_shfl_sync_idx_i32, {i32(-1), word, lane, i32(31)});
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(lane);
    if (constant && constant->getValue().ult(32))
      return other;
    return b.CreateSelect(b.CreateICmpULT(lane, i32(32)), other, word); // the hardware takes lane % 32
  }
  }
  llvm_unreachable("all modes are listed");
}

llvm::Value *NvptxPrinter::vote(simt::VoteKind kind, llvm::Value *predicate) {
  return intrinsic(kind == simt::VoteKind::Any ? N::nvvm_vote_any_sync : N::nvvm_vote_all_sync, {i32(-1), predicate});
}

llvm::Value *NvptxPrinter::elect() {
  if (version_.number < 90)
    return b.CreateICmpEQ(laneId(), i32(0));
  InlinePtx ptx(b);
  std::string result = ptx.output(b.getInt32Ty());
  llvm::Value *chosen =
      ptx.emit("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 " + result + ", 1, 0, p; }", InlinePtx::Collective)
          .front();
  return b.CreateICmpNE(chosen, i32(0));
}

unsigned NvptxPrinter::barrierNumbers(Operation *op, int64_t warps, int64_t count) {
  auto [place, fresh] = barriers_.try_emplace({region().group, warps}, nextBarrier_);
  if (fresh)
    nextBarrier_ += unsigned(count);
  if (nextBarrier_ > 16)
    tile::failAt(op,
                 "expected at most 16 hardware barriers in a kernel, found the groups and sets of warps to need " +
                     llvm::Twine(nextBarrier_),
                 {"hardware barriers", nextBarrier_, 16});
  return place->second;
}

void NvptxPrinter::barrier(Operation *op, int64_t warps) {
  if (warps == region().warps)
    warps = 0;
  if (warps == 1 || (warps == 0 && region().warps == 1)) {
    intrinsic(N::nvvm_bar_warp_sync, {i32(-1)});
    return;
  }
  if (warps == 0 && region().group < 0) {
    intrinsic(N::nvvm_barrier_cta_sync_aligned_all, {i32(0)});
    return;
  }
  int64_t sets = warps == 0 ? 1 : region().warps / warps;
  llvm::Value *number = i32(barrierNumbers(op, warps, sets));
  if (sets > 1)
    number = b.CreateAdd(number, b.CreateLShr(warpId(), i32(llvm::Log2_64(uint64_t(warps)))));
  int64_t threads = (warps == 0 ? region().warps : warps) * warpSize();
  intrinsic(N::nvvm_barrier_cta_sync_aligned_count, {number, i32(threads)});
}

/// Copies the value by an inline-PTX `mov`, so that LLVM can infer nothing about the result; ptxas removes the copy.
llvm::Value *NvptxPrinter::opaque(llvm::Value *value) {
  llvm::Type *type = value->getType();
  bool isNarrow = type->getScalarSizeInBits() == 16;
  llvm::Value *given = isNarrow ? b.CreateBitCast(value, b.getInt16Ty()) : value;
  InlinePtx ptx(b);
  std::string to = ptx.output(given->getType()), from = ptx.input(given);
  llvm::Value *moved = ptx.emit("mov.b" + std::to_string(type->getScalarSizeInBits()) + " " + to + ", " + from + ";",
                                InlinePtx::Pure)[0];
  return isNarrow ? b.CreateBitCast(moved, type) : moved;
}

void NvptxPrinter::fence(simt::FenceKind kind) {
  switch (kind) {
  case simt::FenceKind::Workgroup: InlinePtx(b).emit("fence.acq_rel.cta;", InlinePtx::Effect); return;
  case simt::FenceKind::Device: InlinePtx(b).emit("fence.acq_rel.gpu;", InlinePtx::Effect); return;
  case simt::FenceKind::Async:
    if (version_.number >= 90) // before sm_90 there is no asynchronous proxy to order
      InlinePtx(b).emit("fence.proxy.async.shared::cta;", InlinePtx::Effect);
    return;
  case simt::FenceKind::AsyncDevice:
    if (version_.number >= 90)
      InlinePtx(b).emit("fence.proxy.async;", InlinePtx::Effect);
    return;
  case simt::FenceKind::BarrierInit:
    if (version_.number >= 90)
      InlinePtx(b).emit("fence.mbarrier_init.release.cluster;", InlinePtx::Effect);
    return;
  }
}

} // namespace tegula::cuda
