// Prints atomics of global memory. The neighbouring elements of an access are changed by one vector atomic if the
// target has it, otherwise by one atomic for each element. A mask becomes a branch.
#include "backends/llvm/Printer.h"

#include "llvm/Support/AtomicOrdering.h"

using namespace mlir;

namespace tegula::llvmir {
namespace {

using Op = llvm::AtomicRMWInst;

Op::BinOp operationOf(tile::AtomicKind kind) {
  using K = tile::AtomicKind;
  switch (kind) {
  case K::Add: return Op::Add;
  case K::FAdd: return Op::FAdd;
  case K::Min: return Op::Min;
  case K::Max: return Op::Max;
  case K::UMin: return Op::UMin;
  case K::UMax: return Op::UMax;
  case K::FMin: return Op::FMin;
  case K::FMax: return Op::FMax;
  case K::And: return Op::And;
  case K::Or: return Op::Or;
  case K::Xor: return Op::Xor;
  case K::Exchange: return Op::Xchg;
  }
  llvm_unreachable("all kinds are listed");
}

llvm::AtomicOrdering orderOf(tile::MemoryOrder order) {
  switch (order) {
  case tile::MemoryOrder::Relaxed: return llvm::AtomicOrdering::Monotonic;
  case tile::MemoryOrder::Acquire: return llvm::AtomicOrdering::Acquire;
  case tile::MemoryOrder::Release: return llvm::AtomicOrdering::Release;
  case tile::MemoryOrder::AcquireRelease: return llvm::AtomicOrdering::AcquireRelease;
  }
  llvm_unreachable("all orders are listed");
}

} // namespace

Values Printer::atomicAccess(simt::AtomicRmwOp op, llvm::Value *offset, llvm::ArrayRef<llvm::Value *> values,
                             llvm::AtomicOrdering order) {
  llvm::Type *element = elementType(op.getType());
  llvm::Value *address = b.CreateGEP(element, one(op.getBase()), offset);
  Op::BinOp operation = operationOf(op.getKind());
  if (values.size() > 1)
    if (Values old = atomicNeighbours(op, operation, address, values, order); !old.empty())
      return old;
  Values old;
  for (auto [i, value] : llvm::enumerate(values)) {
    llvm::Value *place = i == 0 ? address : b.CreateGEP(element, address, b.getInt32(unsigned(i)));
    old.push_back(atomicRmw(op, operation, place, value, order));
  }
  return old;
}

void Printer::printAtomicRmw(simt::AtomicRmwOp op) {
  const Values offsets = get(op.getOffset()), values = get(op.getValue());
  Values masks = op.getMask() ? get(op.getMask()) : Values();
  llvm::Type *element = elementType(op.getType());
  size_t width = values.size() / offsets.size();
  // A thread with several atomics executes one fence before them and one behind, and the atomics unordered: devices
  // wait for memory at each ordered atomic. `simt.fence` has no kind for the whole system.
  llvm::AtomicOrdering order = orderOf(op.getOrder());
  bool isFenced = values.size() > 1 && op.getScope() != tile::Scope::System;
  simt::FenceKind kind = op.getScope() == tile::Scope::Block ? simt::FenceKind::Workgroup : simt::FenceKind::Device;
  if (isFenced && llvm::isReleaseOrStronger(order))
    fence(kind);
  Values result;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    llvm::BasicBlock *before = b.GetInsertBlock(), *done = nullptr;
    if (!masks.empty()) {
      llvm::BasicBlock *here = newBlock("atomic");
      done = newBlock("endatomic");
      b.CreateCondBr(masks[i], here, done);
      b.SetInsertPoint(here);
    }
    Values old = atomicAccess(op, offset, llvm::ArrayRef(values).slice(i * width, width),
                              isFenced ? llvm::AtomicOrdering::Monotonic : order);
    if (done) {
      llvm::BasicBlock *last = b.GetInsertBlock();
      b.CreateBr(done);
      b.SetInsertPoint(done);
      for (llvm::Value *&each : old) {
        llvm::PHINode *phi = b.CreatePHI(element, 2);
        phi->addIncoming(each, last);
        phi->addIncoming(llvm::Constant::getNullValue(element), before);
        each = phi;
      }
    }
    llvm::append_range(result, old);
  }
  if (isFenced && llvm::isAcquireOrStronger(order))
    fence(kind);
  set(op, result);
}

void Printer::printAtomicCas(simt::AtomicCasOp op) {
  const Values offsets = get(op.getOffset()), expected = get(op.getExpected()), values = get(op.getValue());
  llvm::Type *element = elementType(op.getType());
  Values result;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    llvm::Value *address = b.CreateGEP(element, one(op.getBase()), offset);
    llvm::Value *old = atomicCas(op, address, toMemory(expected[i]), toMemory(values[i]), orderOf(op.getOrder()));
    result.push_back(fromMemory(old, element));
  }
  set(op, result);
}

bool Printer::printAtomics(Operation *op) {
  if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op))
    printAtomicRmw(rmw);
  else if (auto cas = dyn_cast<simt::AtomicCasOp>(op))
    printAtomicCas(cas);
  else
    return false;
  return true;
}

} // namespace tegula::llvmir
