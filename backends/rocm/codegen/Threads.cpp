// Prints numbers of threads and programs, lane exchanges, barriers and fences.
#include "backends/rocm/codegen/AmdgcnPrinter.h"

#include "core/support/Diagnostic.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::rocm {

llvm::Value *AmdgcnPrinter::kernelThreadId() {
  auto *call = llvm::cast<llvm::CallInst>(intrinsic(N::amdgcn_workitem_id_x, {}));
  call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, uint64_t(kernelThreads()))));
  return call;
}

llvm::Value *AmdgcnPrinter::launchProgram(unsigned axis) {
  constexpr llvm::Intrinsic::ID ids[] = {N::amdgcn_workgroup_id_x, N::amdgcn_workgroup_id_y, N::amdgcn_workgroup_id_z};
  return intrinsic(ids[axis], {});
}

llvm::Value *AmdgcnPrinter::launchPrograms(unsigned) {
  throw InternalError("a grid that is split along all axes has its size as an argument");
}

namespace {

/// True if the kernel multiplies matrices and its programs do not wait for each other. (Programs that wait rely on the
/// order in which programs start.)
bool canPermutePrograms(func::FuncOp kernel) {
  bool multiplies = false, communicates = false;
  kernel.walk([&](Operation *op) {
    multiplies |= isa<simt::MmaOp>(op);
    auto load = dyn_cast<simt::LoadOp>(op);
    communicates |= isa<simt::AtomicRmwOp, simt::AtomicCasOp>(op) ||
                    (load && (load.getIsVolatile() || load.getCache() == tile::CacheModifier::Volatile));
  });
  return multiplies && !communicates;
}

} // namespace

/// Renumbers programs on gfx942 (MI300X). It has eight dies with a cache each, to which the hardware assigns programs
/// round-robin. Neighbouring programs of a product share operands, so the programs are renumbered such that those of
/// one die are neighbours: die d executes the programs from d * n / 8 on.
///
///     10 programs at positions 0 1 2 3 4 5 6 7 8 9:   0 2 4 5 6 7 8 9 1 3   (dies 0 and 1 execute two)
llvm::Value *AmdgcnPrinter::programAt(unsigned axis, llvm::Value *place, llvm::Value *extent) {
  constexpr int64_t kDieBits = 3;
  if (axis != 0 || architecture_.name != "gfx942" || !canPermutePrograms(kernel()))
    return place;
  llvm::Value *last = i32((1 << kDieBits) - 1);
  llvm::Value *die = b.CreateAnd(place, last), *perDie = b.CreateLShr(extent, kDieBits);
  llvm::Value *more = b.CreateAnd(extent, last); // number of dies with one more program
  llvm::Value *first = b.CreateAdd(b.CreateMul(die, perDie), b.CreateBinaryIntrinsic(N::umin, die, more));
  return b.CreateAdd(first, b.CreateLShr(place, kDieBits));
}

llvm::Value *AmdgcnPrinter::readFirstLane(llvm::Value *value) {
  return intrinsic(N::amdgcn_readfirstlane, {value}, {value->getType()});
}

/// Prints ds_bpermute, which takes the lane's number multiplied by 4.
llvm::Value *AmdgcnPrinter::fromLane(llvm::Value *word, llvm::Value *lane) {
  return intrinsic(N::amdgcn_ds_bpermute, {b.CreateShl(lane, 2), word});
}

llvm::Value *AmdgcnPrinter::exchange(llvm::Value *word, uint32_t mask) {
  constexpr uint32_t kRowXmask = 0x160, kSwizzleXor = 10, kSwizzleAllLanes = 0x1f; // fields of the instructions
  if (warpSize() == 32 && mask < 16) // within a row of 16 lanes: an instruction since gfx10
    return intrinsic(
        N::amdgcn_update_dpp,
        {llvm::PoisonValue::get(word->getType()), word, i32(kRowXmask | mask), i32(0xf), i32(0xf), b.getTrue()},
        {word->getType()});
  if (warpSize() == 32) { // with the other row of 16: the instruction takes four bits of lane number for each lane
    uint64_t lanes = 0;
    for (uint64_t lane = 0; lane < 16; ++lane)
      lanes |= (lane ^ (mask & 15)) << 4 * lane;
    return intrinsic(N::amdgcn_permlanex16,
                     {llvm::PoisonValue::get(word->getType()), word, i32(int64_t(lanes & 0xffffffff)),
                      i32(int64_t(lanes >> 32)), b.getTrue(), b.getFalse()},
                     {word->getType()});
  }
  if (mask < 32)
    return intrinsic(N::amdgcn_ds_swizzle, {word, i32(mask << kSwizzleXor | kSwizzleAllLanes)});
  return fromLane(word, b.CreateXor(laneId(), i32(mask)));
}

/// Reads a word of another lane. If that lane's number is outside of the warp, a lane gets its own word.
llvm::Value *AmdgcnPrinter::shuffleWord(simt::ShuffleMode mode, llvm::Value *word, llvm::Value *lane) {
  llvm::Value *warp = i32(warpSize());
  switch (mode) {
  case simt::ShuffleMode::Xor: {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(lane);
    if (constant && constant->getValue().ult(uint64_t(warpSize())))
      return exchange(word, uint32_t(constant->getZExtValue()));
    return fromLane(word, b.CreateXor(laneId(), lane));
  }
  case simt::ShuffleMode::Up: {
    llvm::Value *isOutside = b.CreateICmpULT(laneId(), lane);
    return fromLane(word, b.CreateSelect(isOutside, laneId(), b.CreateSub(laneId(), lane)));
  }
  case simt::ShuffleMode::Down: {
    llvm::Value *isOutside = b.CreateICmpUGE(lane, b.CreateSub(warp, laneId()));
    return fromLane(word, b.CreateSelect(isOutside, laneId(), b.CreateAdd(laneId(), lane)));
  }
  case simt::ShuffleMode::Index: return fromLane(word, b.CreateSelect(b.CreateICmpULT(lane, warp), lane, laneId()));
  }
  llvm_unreachable("all modes are listed");
}

llvm::Value *AmdgcnPrinter::vote(simt::VoteKind kind, llvm::Value *predicate) {
  bool any = kind == simt::VoteKind::Any;
  llvm::Value *lanes =
      intrinsic(N::amdgcn_ballot, {any ? predicate : b.CreateNot(predicate)}, {static_cast<llvm::Type *>(laneMask())});
  llvm::Value *none = llvm::ConstantInt::get(laneMask(), 0);
  return any ? b.CreateICmpNE(lanes, none) : b.CreateICmpEQ(lanes, none);
}

void AmdgcnPrinter::fenceOf(const char *scope, llvm::AtomicOrdering order) {
  b.CreateFence(order, b.getContext().getOrInsertSyncScopeID(scope));
}

/// Waits, by explicit instructions, until the warp's accesses of LDS and its stores have ended. A barrier's fence does
/// not suffice: LLVM 22 marks the waits that it inserts for a fence as removable, and removes them from the first block
/// of a loop if no access is in flight when the loop is entered, even if one is when the loop repeats
/// (SIInsertWaitcnts, "soft" waits). It keeps explicit waits.
void AmdgcnPrinter::waitForAccesses() {
  constexpr uint32_t kLds = 0xc07f, kLdsGfx11 = 0xfc07;            // for s_waitcnt: LDS only
  waitForStoresAnd(kLds, kLds, kLdsGfx11, N::amdgcn_s_wait_dscnt); // gfx9: stores stay in order
}

/// Prints a wait: `s_waitcnt` with the operand `gfx9`, `gfx10` or `gfx11`, whichever belongs to the device's
/// generation, or on gfx12 the instruction `gfx12`. On generations where stores have a counter of their own (gfx10 and
/// later), also prints a wait for all stores.
void AmdgcnPrinter::waitForStoresAnd(uint32_t gfx9, uint32_t gfx10, uint32_t gfx11, llvm::Intrinsic::ID gfx12) {
  switch (architecture_.generation) {
  case 9: intrinsic(N::amdgcn_s_waitcnt, {i32(gfx9)}); return;
  case 10:
  case 11: {
    intrinsic(N::amdgcn_s_waitcnt, {i32(architecture_.generation == 10 ? gfx10 : gfx11)});
    auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
    b.CreateCall(llvm::InlineAsm::get(type, "s_waitcnt_vscnt null, 0x0", "~{memory}", true));
    return;
  }
  default: intrinsic(gfx12, {b.getInt16(0)}); intrinsic(N::amdgcn_s_wait_storecnt, {b.getInt16(0)});
  }
}

/// Makes the thread's earlier stores visible in the scope before all later operations. The fence's own waits do not
/// suffice, for the reason given at waitForAccesses; also, LLVM 19 did not know that `buffer_wbl2`, which writes
/// gfx942's caches back, is a memory access to wait for.
void AmdgcnPrinter::release(llvm::SyncScope::ID scope) {
  b.CreateFence(llvm::AtomicOrdering::Release, scope);
  // The operands make s_waitcnt wait until no loads are in flight, and on gfx9 no stores and write-backs either (they
  // share a counter with loads). It does not wait for other operations.
  waitForStoresAnd(0x0f70, 0x3f70, 0x03f7, N::amdgcn_s_wait_loadcnt);
}

/// Prints a barrier. If it is of a single warp, it only keeps the order of the warp's accesses, because the lanes of a
/// warp execute together.
void AmdgcnPrinter::barrier(Operation *op, int64_t warps) {
  if (warps == region().warps)
    warps = 0;
  if (warps == 1 || (warps == 0 && region().warps == 1)) {
    fenceOf("wavefront", llvm::AtomicOrdering::AcquireRelease);
    intrinsic(N::amdgcn_wave_barrier, {});
    return;
  }
  if (warps != 0 || region().group >= 0)
    fail(op, "expected a barrier of all warps or of one, found one of some: target " + std::string(architecture_.name) +
                 " has one barrier a program");
  // A fence of the scope "workgroup" makes this program's stores visible only to its own threads: on gfx90a and gfx942
  // it does not wait for stores to global memory, and on gfx942 it does not write the caches back. If a thread releases
  // the stores of all threads to other programs after this barrier (simt.releases), each thread first makes its own
  // stores visible in the release's scope.
  if (auto scope = op->getAttrOfType<tile::ScopeAttr>(simt::kReleasesAttr))
    release(scopeOf(scope.getValue()));
  fenceOf("workgroup", llvm::AtomicOrdering::Release);
  waitForAccesses();
  intrinsic(N::amdgcn_s_barrier, {});
  fenceOf("workgroup", llvm::AtomicOrdering::Acquire);
}

void AmdgcnPrinter::fence(simt::FenceKind kind) {
  switch (kind) {
  case simt::FenceKind::Workgroup: return fenceOf("workgroup", llvm::AtomicOrdering::AcquireRelease);
  case simt::FenceKind::Device:
    release(b.getContext().getOrInsertSyncScopeID("agent"));
    return fenceOf("agent", llvm::AtomicOrdering::Acquire);
  case simt::FenceKind::Async:
  case simt::FenceKind::AsyncDevice:
  case simt::FenceKind::BarrierInit: return; // no hardware unit accesses memory beside the threads
  }
}

llvm::Value *AmdgcnPrinter::opaque(llvm::Value *value) { return opaqueValue(b, value); }

llvm::Value *opaqueValue(llvm::IRBuilder<> &b, llvm::Value *value) {
  llvm::Type *type = value->getType(), *bits = b.getIntNTy(type->getScalarSizeInBits());
  if (type->getScalarSizeInBits() < 16) // registers hold such values in 32 bits
    return b.CreateTrunc(opaqueValue(b, b.CreateZExt(b.CreateBitCast(value, bits), b.getInt32Ty())), bits);
  auto *same = llvm::InlineAsm::get(llvm::FunctionType::get(bits, {bits}, false), "", "=v,0", false);
  return b.CreateBitCast(b.CreateCall(same, {b.CreateBitCast(value, bits)}), type);
}

} // namespace tegula::rocm
