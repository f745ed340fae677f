// Prints structured control flow: a loop of the simt level stays a loop, and each loop-carried element of a register
// tile becomes a phi.
#include "backends/llvm/Printer.h"

#include "llvm/IR/CFG.h"

using namespace mlir;

namespace tegula::llvmir {

llvm::SmallVector<Values> Printer::getAll(ValueRange values) const {
  llvm::SmallVector<Values> all;
  for (mlir::Value value : values)
    all.push_back(get(value));
  return all;
}

bool Printer::travelsPacked(mlir::Type type) const {
  int64_t bits = isa<VectorType>(type) ? elementType(type)->getScalarSizeInBits() : 0;
  return (bits == 8 || bits == 16) && simt::elementsOf(type) * bits % 32 == 0;
}

/// Returns the values as phis hold them: the 8-bit or 16-bit elements of a register tile that fills whole 32-bit words
/// are packed into words, because a phi of a single narrow element would occupy a whole register.
llvm::SmallVector<Values> Printer::packAll(ValueRange values) {
  llvm::SmallVector<Values> all = getAll(values);
  for (auto [value, elements] : llvm::zip(values, all))
    if (travelsPacked(value.getType()))
      elements = pack(elements);
  return all;
}

llvm::SmallVector<Values> Printer::makePhis(ValueRange like, llvm::ArrayRef<Values> initial, llvm::BasicBlock *from) {
  llvm::SmallVector<Values> phis;
  for (const Values &start : initial) {
    Values elements;
    for (llvm::Value *element : start) {
      llvm::PHINode *phi = b.CreatePHI(element->getType(), 2);
      phi->addIncoming(element, from);
      elements.push_back(phi);
    }
    phis.push_back(std::move(elements));
  }
  for (auto [value, elements] : llvm::zip(like, phis))
    set(value, travelsPacked(value.getType()) ? unpack(elements, elementType(value.getType())) : elements);
  return phis;
}

void Printer::addIncoming(llvm::ArrayRef<Values> phis, llvm::ArrayRef<Values> values, llvm::BasicBlock *from) {
  for (auto [targets, sources] : llvm::zip(phis, values))
    for (auto [phi, source] : llvm::zip(targets, sources))
      cast<llvm::PHINode>(phi)->addIncoming(source, from);
}

/// Prints a loop whose condition is tested before the first iteration and at the end of each one, which saves one jump
/// in each iteration.
void Printer::printFor(scf::ForOp loop) {
  llvm::Value *lower = one(loop.getLowerBound()), *upper = one(loop.getUpperBound()), *step = one(loop.getStep());
  llvm::SmallVector<Values> initial = packAll(loop.getInitArgs());
  llvm::BasicBlock *body = newBlock("for"), *done = newBlock("endfor"), *before = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(lower, upper), body, done);

  b.SetInsertPoint(body);
  llvm::PHINode *induction = b.CreatePHI(lower->getType(), 2);
  induction->addIncoming(lower, before);
  set(loop.getInductionVar(), induction);
  llvm::SmallVector<Values> phis = makePhis(loop.getRegionIterArgs(), initial, before);
  printBlock(*loop.getBody());
  llvm::SmallVector<Values> next = packAll(loop.getBody()->getTerminator()->getOperands());
  // The loop goes on if induction + step < upper. The sum could overflow, so the test is upper - induction > step; the
  // difference cannot overflow as an unsigned number, because induction < upper within the loop.
  auto *constant = dyn_cast<llvm::ConstantInt>(step);
  llvm::Value *advanced, *again;
  if (constant && constant->isOne()) {
    advanced = b.CreateNSWAdd(induction, step);
    again = b.CreateICmpSLT(advanced, upper);
  } else {
    again = b.CreateICmpUGT(b.CreateSub(upper, induction), step);
    advanced = b.CreateAdd(induction, step);
  }
  llvm::BasicBlock *last = b.GetInsertBlock();
  b.CreateCondBr(again, body, done);
  induction->addIncoming(advanced, last);
  addIncoming(phis, next, last);

  b.SetInsertPoint(done);
  llvm::SmallVector<Values> results = makePhis(loop.getResults(), initial, before);
  addIncoming(results, next, last);
}

void Printer::printIf(scf::IfOp branch) {
  llvm::BasicBlock *yes = newBlock("then"), *done = newBlock("endif"), *before = b.GetInsertBlock();
  bool hasElse = !branch.getElseRegion().empty();
  llvm::BasicBlock *no = hasElse ? newBlock("else") : done;
  b.CreateCondBr(one(branch.getCondition()), yes, no);

  b.SetInsertPoint(yes);
  printBlock(*branch.thenBlock());
  llvm::SmallVector<Values> fromYes = packAll(branch.thenYield().getOperands());
  llvm::BasicBlock *endYes = b.GetInsertBlock();
  b.CreateBr(done);

  llvm::SmallVector<Values> fromNo;
  llvm::BasicBlock *endNo = before;
  if (hasElse) {
    b.SetInsertPoint(no);
    printBlock(*branch.elseBlock());
    fromNo = packAll(branch.elseYield().getOperands());
    endNo = b.GetInsertBlock();
    b.CreateBr(done);
  }
  b.SetInsertPoint(done);
  addIncoming(makePhis(branch.getResults(), fromYes, endYes), fromNo, endNo);
}

void Printer::printWhile(scf::WhileOp loop) {
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = newBlock("while"), *body = newBlock("do"),
                   *done = newBlock("endwhile");
  llvm::SmallVector<Values> initial = packAll(loop.getInits());
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::SmallVector<Values> phis = makePhis(loop.getBeforeArguments(), initial, before);
  printBlock(*loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  llvm::SmallVector<Values> passed = getAll(condition.getArgs());
  b.CreateCondBr(one(condition.getCondition()), body, done);

  b.SetInsertPoint(body);
  for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), passed))
    set(argument, value);
  printBlock(*loop.getAfterBody());
  llvm::SmallVector<Values> next = packAll(loop.getYieldOp().getOperands());
  llvm::BasicBlock *last = b.GetInsertBlock();
  b.CreateBr(head);
  addIncoming(phis, next, last);

  b.SetInsertPoint(done);
  for (auto [result, value] : llvm::zip(loop.getResults(), passed))
    set(result, value);
}

/// Prints warp groups as a chain of branches on the warp's number, which is uniform in a warp; the groups join at the
/// end.
void Printer::printGroups(simt::WarpGroupsOp groups) {
  Region outer = region_;
  llvm::Value *warp = warpId();
  llvm::BasicBlock *done = newBlock("groups.end");
  size_t count = groups.getGroups().size();
  for (size_t i = 0; i < count; ++i) {
    mlir::Region &body = groups.getGroups()[i];
    region_ = {int(i), groups.getFirstWarp(unsigned(i)), groups.getWarps()[i]};
    llvm::BasicBlock *here = newBlock("group" + llvm::Twine(i));
    llvm::BasicBlock *next = i + 1 < count ? newBlock("groups.next") : nullptr;
    if (next)
      b.CreateCondBr(b.CreateICmpULT(warp, i32(region_.firstWarp + region_.warps)), here, next);
    else
      b.CreateBr(here);
    b.SetInsertPoint(here);
    if (int32_t registers = groups.getRegisters()[i])
      setRegisters(registers);
    for (auto [argument, captured] : llvm::zip(body.getArguments(), groups.getCaptures()))
      set(argument, get(captured));
    printBlock(body.front());
    b.CreateBr(done);
    if (next)
      b.SetInsertPoint(next);
  }
  b.SetInsertPoint(done);
  region_ = outer;
}

bool Printer::printControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    printFor(loop);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    printIf(branch);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    printWhile(loop);
  else if (auto groups = dyn_cast<simt::WarpGroupsOp>(op))
    printGroups(groups);
  else
    return false;
  return true;
}

} // namespace tegula::llvmir
