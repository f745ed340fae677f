// Prints accesses of global memory with a mask or with cache hints, and atomics.
#include "backends/rocm/codegen/AmdgcnPrinter.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

constexpr unsigned kPrivateSpace = 5; // LLVM's number of the private address space

/// The type of an access: one integer of up to 32 bits, or several words.
llvm::Type *accessType(llvm::IRBuilder<> &b, unsigned bytes) {
  if (bytes <= 4)
    return b.getIntNTy(8 * bytes);
  return llvm::FixedVectorType::get(b.getInt32Ty(), bytes / 4);
}

template <class Access> void addHints(const llvmir::GlobalAccess &access, Access *made) {
  bool passesBy = access.cache == tile::CacheModifier::Streaming ||
                  (access.cache == tile::CacheModifier::None && access.eviction == tile::EvictionPolicy::EvictFirst);
  if (passesBy)
    made->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(made->getContext(), llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                                                llvm::Type::getInt32Ty(made->getContext()), 1))));
  // A volatile access bypasses the caches that programs do not share.
  made->setVolatile(access.isVolatile || access.cache == tile::CacheModifier::Volatile ||
                    access.cache == tile::CacheModifier::CacheGlobal ||
                    access.cache == tile::CacheModifier::WriteThrough);
}

} // namespace

/// The address of an element of shared memory. The constant offset of the view's buffer is added last, so that it
/// becomes the immediate offset of the access. In the other order LLVM computes only some of the addresses before a
/// loop, and then cannot combine neighbouring accesses to one instruction with two addresses (ds_read2, ds_write2).
llvm::Value *AmdgcnPrinter::sharedElement(mlir::Value view, llvm::Value *offset) {
  int64_t bytes = simt::elementBytes(cast<simt::SharedType>(view.getType()).getElementType());
  llvm::APInt constant(32, 0);
  llvm::Value *memory =
      one(view)->stripAndAccumulateConstantOffsets(module().getDataLayout(), constant, /*AllowNonInbounds=*/true);
  llvm::Value *element = b.CreateGEP(b.getIntNTy(unsigned(8 * bytes)), memory, offset);
  return constant == 0 ? element : b.CreateGEP(b.getInt8Ty(), element, b.getInt(constant));
}

/// The address of a masked access in a large kernel, where accesses have no branch around them: lanes whose mask is
/// false access spare memory instead.
llvm::Value *AmdgcnPrinter::placeOf(const llvmir::GlobalAccess &access) {
  if (!spare_) {
    llvm::BasicBlock &entry = function()->getEntryBlock();
    llvm::IRBuilder<> begin(&entry, entry.begin());
    llvm::AllocaInst *words = begin.CreateAlloca(llvm::FixedVectorType::get(b.getInt32Ty(), 4), kPrivateSpace);
    words->setAlignment(llvm::Align(16));
    spare_ = begin.CreateAddrSpaceCast(words, b.getPtrTy());
  }
  return b.CreateSelect(access.mask, b.CreateAddrSpaceCast(access.address, b.getPtrTy()), spare_);
}

/// Prints one load from global memory. Lanes whose mask is false branch around it and get `other`.
Values AmdgcnPrinter::loadGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) {
  llvm::Type *type = accessType(b, access.bytes);
  llvm::BasicBlock *before = b.GetInsertBlock(), *here = nullptr, *done = nullptr;
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  unsigned words = vector ? vector->getNumElements() : 1;
  llvm::Value *replaced = nullptr;
  bool branches = access.mask && !isLarge_;
  if (access.mask) {
    replaced = other.empty() ? llvm::Constant::getNullValue(type)
               : vector      ? static_cast<llvm::Value *>(llvm::PoisonValue::get(type))
                             : other.front();
    for (unsigned i = 0; vector && i < other.size(); ++i)
      replaced = b.CreateInsertElement(replaced, other[i], uint64_t(i));
  }
  if (branches) {
    here = llvm::BasicBlock::Create(b.getContext(), "load", function());
    done = llvm::BasicBlock::Create(b.getContext(), "loaded", function());
    b.CreateCondBr(access.mask, here, done);
    b.SetInsertPoint(here);
  }
  llvm::Value *address = access.mask && isLarge_ ? placeOf(access) : access.address;
  llvm::LoadInst *load = b.CreateAlignedLoad(type, address, llvm::Align(access.bytes));
  addHints(access, load);
  llvm::Value *loaded = load;
  if (access.mask && isLarge_)
    loaded = b.CreateSelect(access.mask, load, replaced);
  if (branches) {
    b.CreateBr(done);
    b.SetInsertPoint(done);
    llvm::PHINode *phi = b.CreatePHI(type, 2);
    phi->addIncoming(load, here);
    phi->addIncoming(replaced, before);
    loaded = phi;
  }
  if (!vector)
    return {loaded};
  Values result;
  for (unsigned i = 0; i < words; ++i)
    result.push_back(b.CreateExtractElement(loaded, uint64_t(i)));
  return result;
}

void AmdgcnPrinter::storeGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) {
  llvm::Type *type = accessType(b, access.bytes);
  llvm::Value *stored = value.front();
  if (type->isVectorTy()) {
    stored = llvm::PoisonValue::get(type);
    for (auto [i, word] : llvm::enumerate(value))
      stored = b.CreateInsertElement(stored, word, uint64_t(i));
  }
  llvm::BasicBlock *done = nullptr;
  llvm::Value *address = access.mask && isLarge_ ? placeOf(access) : access.address;
  if (access.mask && !isLarge_) {
    llvm::BasicBlock *here = llvm::BasicBlock::Create(b.getContext(), "store", function());
    done = llvm::BasicBlock::Create(b.getContext(), "stored", function());
    b.CreateCondBr(access.mask, here, done);
    b.SetInsertPoint(here);
  }
  addHints(access, b.CreateAlignedStore(stored, address, llvm::Align(access.bytes)));
  if (done) {
    b.CreateBr(done);
    b.SetInsertPoint(done);
  }
}

llvm::SyncScope::ID AmdgcnPrinter::scopeOf(tile::Scope scope) {
  switch (scope) {
  case tile::Scope::Block: return b.getContext().getOrInsertSyncScopeID("workgroup");
  case tile::Scope::Device: return b.getContext().getOrInsertSyncScopeID("agent");
  case tile::Scope::System: return llvm::SyncScope::System;
  }
  llvm_unreachable("all scopes are listed");
}

/// If an atomic of this memory order must release earlier stores, prints the release (AmdgcnPrinter::release) before
/// the atomic. Returns the memory order that the atomic itself still needs: acquire, or monotonic.
llvm::AtomicOrdering AmdgcnPrinter::releaseBefore(llvm::AtomicOrdering order, llvm::SyncScope::ID scope) {
  if (!llvm::isReleaseOrStronger(order))
    return order;
  release(scope);
  return llvm::isAcquireOrStronger(order) ? llvm::AtomicOrdering::Acquire : llvm::AtomicOrdering::Monotonic;
}

/// Prints an atomic on one element. If the hardware lacks the operation, LLVM makes a compare-and-swap loop of it, also
/// for elements of 8 and 16 bits.
llvm::Value *AmdgcnPrinter::atomicRmw(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                                      llvm::Value *value, llvm::AtomicOrdering order) {
  llvm::SyncScope::ID scope = scopeOf(op.getScope());
  return b.CreateAtomicRMW(operation, address, value, llvm::MaybeAlign(), releaseBefore(order, scope), scope);
}

/// Prints an atomic on a pair of 16-bit floats, of which LLVM makes one instruction or a compare-and-swap loop on the
/// pair's word.
Values AmdgcnPrinter::atomicNeighbours(simt::AtomicRmwOp op, llvm::AtomicRMWInst::BinOp operation, llvm::Value *address,
                                       llvm::ArrayRef<llvm::Value *> values, llvm::AtomicOrdering order) {
  llvm::Type *element = values.front()->getType();
  if (operation != llvm::AtomicRMWInst::FAdd || values.size() != 2 || element->getScalarSizeInBits() != 16)
    return {};
  llvm::Type *pair = llvm::FixedVectorType::get(element, 2);
  llvm::Value *added = b.CreateInsertElement(llvm::PoisonValue::get(pair), values[0], uint64_t(0));
  added = b.CreateInsertElement(added, values[1], uint64_t(1));
  llvm::SyncScope::ID scope = scopeOf(op.getScope());
  order = releaseBefore(order, scope);
  llvm::Value *old = b.CreateAtomicRMW(operation, address, added, llvm::Align(4), order, scope);
  return {b.CreateExtractElement(old, uint64_t(0)), b.CreateExtractElement(old, uint64_t(1))};
}

llvm::Value *AmdgcnPrinter::atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected,
                                      llvm::Value *value, llvm::AtomicOrdering order) {
  llvm::SyncScope::ID scope = scopeOf(op.getScope());
  order = releaseBefore(order, scope);
  llvm::Value *both = b.CreateAtomicCmpXchg(address, expected, value, llvm::MaybeAlign(), order,
                                            llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scope);
  return b.CreateExtractValue(both, 0);
}

} // namespace tegula::rocm
