// Prints masked loads in loops. In general a masked load takes a branch around it and, for each word, a move that sets
// the word to zero in masked-off lanes. But inside a tensor all masks are true, and loops execute their loads often.
// Therefore one uniform test selects between two forms:
//
//     all = in all lanes all masks are true, and all offsets are small   ; one comparison of vectors
//     loads through a buffer resource, whose range is empty if not `all`: base in scalar registers + offset of 32 bits
//     if (not all)                                                   ; uniform
//       masked accesses
//
// The loads through the resource have no branch around them, because LLVM turns an if with an else into a chain of two
// branches.
#include "backends/rocm/codegen/AmdgcnPrinter.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::rocm {
namespace {

constexpr uint32_t kResourceBytes = 0x7fffff00; // the range of a resource; offsets of pieces are smaller

/// True if the value is equal in all threads of the program because it is computed from uniform values only: arguments,
/// constants, program numbers, and loop-carried values whose initial and yielded values are uniform. `assumed`: the
/// values that have been visited, empty at first.
bool isUniform(Value value, llvm::SmallPtrSetImpl<void *> &assumed) {
  if (!assumed.insert(value.getAsOpaquePointer()).second)
    return true; // visited: known to be uniform, or assumed so while a loop's cycle is followed
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent))
      return true;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || !loop->hasAttr(simt::kUniformAttr))
      return false;
    if (argument == loop.getInductionVar())
      return isUniform(loop.getLowerBound(), assumed) && isUniform(loop.getStep(), assumed);
    return isUniform(loop.getTiedLoopInit(argument)->get(), assumed) &&
           isUniform(loop.getTiedLoopYieldedValue(argument)->get(), assumed);
  }
  Operation *op = value.getDefiningOp();
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp>(op))
    return true;
  bool isComputed = isa<tile::AddPtrOp>(op) || op->getDialect()->getNamespace() == "arith";
  return isComputed && llvm::all_of(op->getOperands(), [&](Value operand) { return isUniform(operand, assumed); });
}

/// True if one test may cover the load together with others of its loop: it has a mask, a uniform base, accesses of at
/// least 4 bytes, and no cache modifier or eviction hint.
bool canLoadTogether(simt::LoadOp op) {
  bool isPlain = op.getCache() == tile::CacheModifier::None && op.getEviction() == tile::EvictionPolicy::Normal &&
                 !op.getIsVolatile();
  int64_t bytes = simt::elementsOf(op.getType()) / simt::elementsOf(op.getOffset().getType()) *
                  simt::elementBytes(getElementTypeOrSelf(op.getType()));
  llvm::SmallPtrSet<void *, 16> assumed;
  return isPlain && bytes >= 4 && op.getMask() && isUniform(op.getBase(), assumed);
}

/// The ops from `first` to the last load of its block that one test can cover together with `first`. The ops between
/// the loads have no effects and do not use the loads' results.
llvm::SmallVector<Operation *> runOf(simt::LoadOp first) {
  llvm::SmallVector<Operation *> run = {first};
  llvm::SmallPtrSet<Operation *, 4> loads = {first};
  size_t size = 1;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    bool usesLoaded = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && loads.contains(operand.getDefiningOp());
    });
    auto load = dyn_cast<simt::LoadOp>(op);
    if (usesLoaded || op->getNumRegions() || (load ? !canLoadTogether(load) : !isMemoryEffectFree(op)))
      break;
    run.push_back(op);
    if (load) {
      loads.insert(op);
      size = run.size();
    }
  }
  run.truncate(size);
  return run;
}

/// Collects the conditions whose conjunction is the mask, each one once.
void findConditions(llvm::Value *mask, llvm::SetVector<llvm::Value *> &conditions) {
  auto *both = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  if (!both || both->getOpcode() != llvm::Instruction::And) {
    conditions.insert(mask);
    return;
  }
  findConditions(both->getOperand(0), conditions);
  findConditions(both->getOperand(1), conditions);
}

/// True if the value is computed inside the loop that begins with this block. The loop is being printed, so its blocks
/// are the function's last ones.
bool isIn(llvm::BasicBlock *header, llvm::Value *value) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction)
    return false;
  for (auto block = header->getIterator(); block != header->getParent()->end(); ++block)
    if (&*block == instruction->getParent())
      return true;
  return false;
}

} // namespace

llvm::Value *AmdgcnPrinter::someMayNotLoad(llvm::ArrayRef<llvmir::LoadPieces> loads, scf::ForOp loop) {
  llvm::SetVector<llvm::Value *> conditions;
  for (const llvmir::LoadPieces &pieces : loads)
    for (llvm::Value *mask : pieces.masks)
      findConditions(mask, conditions);
  llvm::BasicBlock *header = llvm::cast<llvm::PHINode>(one(loop.getInductionVar()))->getParent();
  llvm::Value *before = b.getTrue(), *within = b.getTrue();
  for (const llvmir::LoadPieces &pieces : loads)
    for (llvm::Value *offset : pieces.offsets) {
      uint64_t end = (kResourceBytes - 16 * pieces.ofOffset) / pieces.elementBytes;
      llvm::Value *isSmall = b.CreateICmpULT(offset, llvm::ConstantInt::get(offset->getType(), end));
      llvm::Value *&all = isIn(header, offset) ? within : before;
      all = b.CreateAnd(all, isSmall);
    }
  // Conditions x < bound with the same bound become one condition, (largest x) < bound. The loop computes the bound;
  // the x are mostly known before the loop, and then their maximum is, too.
  llvm::MapVector<llvm::Value *, llvm::Value *> largest; // by bound
  for (llvm::Value *condition : conditions) {
    auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (comparison && comparison->getPredicate() == llvm::CmpInst::ICMP_SLT &&
        isIn(header, comparison->getOperand(1))) {
      llvm::Value *&most = largest[comparison->getOperand(1)], *x = comparison->getOperand(0);
      most = most ? b.CreateBinaryIntrinsic(N::smax, most, x) : x;
    } else {
      llvm::Value *&all = isIn(header, condition) ? within : before;
      all = b.CreateAnd(all, condition);
    }
  }
  if (largest.empty())
    return b.CreateNot(vote(simt::VoteKind::All, b.CreateAnd(before, within)));
  // The other conditions are merged into the first comparison x < bound, which fails if one of them is false: x is then
  // the highest number (for `before`, the conditions known before the loop), or bound the lowest (for `within`, those
  // that the loop computes). So only comparisons are left, whose results for all lanes are in scalar registers. (If
  // selects replaced x and bound themselves, instead of operands of smax and smin, LLVM would make several conditions
  // again.)
  llvm::Type *lanes = laneMask();
  llvm::Value *hold = nullptr;
  for (auto [bound, x] : largest) {
    llvm::Value *upper = bound, *most = x;
    if (!hold) {
      unsigned bits = bound->getType()->getIntegerBitWidth();
      llvm::Value *highest = llvm::ConstantInt::get(bound->getType(), llvm::APInt::getSignedMaxValue(bits));
      llvm::Value *lowest = llvm::ConstantInt::get(bound->getType(), llvm::APInt::getSignedMinValue(bits));
      most = b.CreateBinaryIntrinsic(N::smax, x, b.CreateSelect(before, lowest, highest));
      upper = b.CreateBinaryIntrinsic(N::smin, bound, b.CreateSelect(within, highest, lowest));
    }
    llvm::Value *held = intrinsic(N::amdgcn_ballot, {b.CreateICmpSLT(most, upper)}, {lanes});
    hold = hold ? b.CreateAnd(hold, held) : held;
  }
  return b.CreateICmpNE(hold, intrinsic(N::amdgcn_ballot, {b.getTrue()}, {lanes}));
}

/// A constant in a scalar register of its own. LLVM would merge equal words of two resources, and then copy one
/// resource to the other word by word in every iteration. For the same reason the ranges of resources differ.
llvm::Value *AmdgcnPrinter::ownConstant(uint32_t value, unsigned number) {
  std::string text = "s_mov_b32 $0, " + std::to_string(value) + " ; number " + std::to_string(number);
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), false);
  return b.CreateCall(llvm::InlineAsm::get(type, text, "=s", /*hasSideEffects=*/false));
}

llvm::SmallVector<Values> AmdgcnPrinter::loadThroughResource(const llvmir::LoadPieces &pieces, llvm::Value *isOff,
                                                             unsigned number) {
  // Fields of the last word of a buffer resource. kFormat: elements of 32 bits. From gfx10 on also kReserved, a
  // reserved bit, and kRaw, the mode in which offsets are compared with the range.
  constexpr uint32_t kFormat = 7u << 12 | 4u << 15, kReserved = 1u << 24, kRaw = 3u << 28;
  uint32_t flags = architecture_.generation == 9 ? kFormat : kFormat | kReserved | kRaw;
  llvm::Value *base = b.CreatePtrToInt(pieces.base, b.getInt64Ty());
  llvm::Value *words[] = {b.CreateTrunc(base, b.getInt32Ty()), b.CreateTrunc(b.CreateLShr(base, 32), b.getInt32Ty()),
                          b.CreateSelect(isOff, i32(0), i32(int64_t(kResourceBytes) + number)),
                          ownConstant(flags, number)};
  llvm::Value *resource = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), 4));
  for (auto [i, word] : llvm::enumerate(words))
    resource = b.CreateInsertElement(resource, readFirstLane(word), uint64_t(i));
  unsigned bytes = pieces.elements * pieces.elementBytes, count = bytes / 4;
  llvm::Type *type = b.getInt32Ty();
  if (count > 1)
    type = llvm::FixedVectorType::get(type, count);
  llvm::SmallVector<Values> loaded;
  for (llvm::Value *offset : pieces.offsets) {
    llvm::Value *first = b.CreateMul(b.CreateTrunc(offset, b.getInt32Ty()), i32(pieces.elementBytes));
    for (unsigned piece = 0; piece < pieces.ofOffset; ++piece) {
      llvm::Value *at = b.CreateAdd(first, i32(piece * bytes));
      llvm::Value *value = intrinsic(N::amdgcn_raw_buffer_load, {resource, at, i32(0), i32(0)}, {type});
      Values ofPiece;
      for (unsigned i = 0; i < count; ++i)
        ofPiece.push_back(count == 1 ? value : b.CreateExtractElement(value, uint64_t(i)));
      loaded.push_back(ofPiece);
    }
  }
  return loaded;
}

bool AmdgcnPrinter::printTargetLoad(simt::LoadOp op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop || !canLoadTogether(op))
    return false;
  llvm::SmallVector<llvmir::LoadPieces> loads;
  for (Operation *each : runOf(op)) {
    auto load = dyn_cast<simt::LoadOp>(each);
    if (!load) {
      printEarly(each);
      continue;
    }
    loads.push_back(piecesOf(load));
    // readFirstLane tells LLVM that the base is equal in all lanes. It becomes no instruction, and LLVM does not see
    // through it. Without it, LLVM would compute the masked accesses' addresses by adding the loop's step to each
    // address in every iteration.
    loads.back().base = readFirstLane(loads.back().base);
  }
  llvm::Value *someMayNot = someMayNotLoad(loads, loop);
  // Keeps LLVM from moving the loads below before the ops above, which store to shared memory the values that the
  // previous iteration loaded. If it did, the results of both iterations would be in registers at a time, which takes
  // more registers and moves.
  intrinsic(N::amdgcn_sched_barrier, {i32(0)});
  llvm::SmallVector<llvm::SmallVector<Values>> words, masked;
  for (const llvmir::LoadPieces &pieces : loads)
    words.push_back(loadThroughResource(pieces, someMayNot, unsigned(words.size())));
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *apart = llvm::BasicBlock::Create(b.getContext(), "apart", function());
  llvm::BasicBlock *done = llvm::BasicBlock::Create(b.getContext(), "loaded", function());
  b.CreateCondBr(someMayNot, apart, done);
  b.SetInsertPoint(apart);
  for (const llvmir::LoadPieces &pieces : loads)
    masked.push_back(loadWords(pieces));
  llvm::BasicBlock *afterMasked = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  for (auto [ofLoad, otherOfLoad] : llvm::zip_equal(words, masked))
    for (auto [ofPiece, otherOfPiece] : llvm::zip_equal(ofLoad, otherOfLoad))
      for (auto [word, other] : llvm::zip_equal(ofPiece, otherOfPiece)) {
        llvm::PHINode *phi = b.CreatePHI(word->getType(), 2);
        phi->addIncoming(word, before);
        phi->addIncoming(other, afterMasked);
        word = phi;
      }
  for (auto [pieces, ofLoad] : llvm::zip_equal(loads, words)) {
    setLoaded(pieces, ofLoad);
    if (pieces.op != op)
      markPrinted(pieces.op);
  }
  return true;
}

} // namespace tegula::rocm
