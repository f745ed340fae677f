// Prints register-tile ops on lists of elements, and packs elements into words.
#include "backends/llvm/Printer.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tegula::llvmir {

llvm::Value *Printer::toMemory(llvm::Value *element) {
  llvm::Type *type = element->getType();
  if (type->isIntegerTy(1))
    return b.CreateZExt(element, b.getInt8Ty());
  if (type->isPointerTy())
    return b.CreatePtrToInt(element, b.getInt64Ty());
  return type->isIntegerTy() ? element : b.CreateBitCast(element, b.getIntNTy(type->getScalarSizeInBits()));
}

llvm::Value *Printer::fromMemory(llvm::Value *integer, llvm::Type *element) {
  if (element->isIntegerTy(1))
    return b.CreateTrunc(integer, element);
  if (element->isPointerTy())
    return b.CreateIntToPtr(integer, element);
  return element->isIntegerTy() ? integer : b.CreateBitCast(integer, element);
}

Values Printer::pack(llvm::ArrayRef<llvm::Value *> elements) {
  llvm::Type *type = elements.front()->getType(), *word = b.getInt32Ty();
  unsigned bits = type->getScalarSizeInBits();
  Values words;
  if (bits == 32) {
    for (llvm::Value *element : elements)
      words.push_back(b.CreateBitCast(element, word));
    return words;
  }
  if (bits == 64) {
    for (llvm::Value *element : elements) {
      llvm::Value *pair = b.CreateBitCast(element, llvm::FixedVectorType::get(word, 2));
      words.append({b.CreateExtractElement(pair, uint64_t(0)), b.CreateExtractElement(pair, 1)});
    }
    return words;
  }
  unsigned each = 32 / bits;
  assert(elements.size() % each == 0 && "whole words");
  if (bits == 8) { // by shifts, because LLVM turns bitcasts of <4 x i8> back into vectors of i8
    for (size_t at = 0; at < elements.size(); at += each) {
      if (llvm::Value *gathered = gatherBytes(elements.slice(at, each))) {
        words.push_back(gathered);
        continue;
      }
      llvm::Value *sum = b.CreateZExt(elements[at], word);
      for (unsigned i = 1; i < each; ++i)
        sum = b.CreateOr(sum, b.CreateShl(b.CreateZExt(elements[at + i], word), 8 * i));
      words.push_back(sum);
    }
    return words;
  }
  for (size_t at = 0; at < elements.size(); at += each) {
    llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, each));
    for (unsigned i = 0; i < each; ++i)
      vector = b.CreateInsertElement(vector, elements[at + i], i);
    words.push_back(b.CreateBitCast(vector, word));
  }
  return words;
}

Values Printer::unpack(llvm::ArrayRef<llvm::Value *> words, llvm::Type *element) {
  unsigned bits = element->getScalarSizeInBits();
  Values elements;
  if (bits == 32) {
    for (llvm::Value *word : words)
      elements.push_back(b.CreateBitCast(word, element));
    return elements;
  }
  if (bits == 64) {
    for (size_t at = 0; at < words.size(); at += 2) {
      llvm::Value *pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), 2));
      pair = b.CreateInsertElement(pair, words[at], uint64_t(0));
      pair = b.CreateInsertElement(pair, words[at + 1], 1);
      elements.push_back(b.CreateBitCast(pair, element));
    }
    return elements;
  }
  unsigned each = 32 / bits;
  for (llvm::Value *word : words) {
    if (bits == 8) {
      for (unsigned i = 0; i < each; ++i)
        elements.push_back(b.CreateTrunc(b.CreateLShr(word, 8 * i), element));
      continue;
    }
    llvm::Value *vector = b.CreateBitCast(word, llvm::FixedVectorType::get(element, each));
    for (unsigned i = 0; i < each; ++i)
      elements.push_back(b.CreateExtractElement(vector, i));
  }
  return elements;
}

llvm::Value *Printer::combine(simt::CombineKind kind, llvm::Value *left, llvm::Value *right) {
  using simt::CombineKind;
  auto call = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, left, right); };
  switch (kind) {
  case CombineKind::AddF: return b.CreateFAdd(left, right);
  case CombineKind::MulF: return b.CreateFMul(left, right);
  case CombineKind::MaxNumF: return call(llvm::Intrinsic::maxnum);
  case CombineKind::MinNumF: return call(llvm::Intrinsic::minnum);
  case CombineKind::MaximumF: return call(llvm::Intrinsic::maximum);
  case CombineKind::MinimumF: return call(llvm::Intrinsic::minimum);
  case CombineKind::AddI: return b.CreateAdd(left, right);
  case CombineKind::MulI: return b.CreateMul(left, right);
  case CombineKind::MaxSI: return call(llvm::Intrinsic::smax);
  case CombineKind::MinSI: return call(llvm::Intrinsic::smin);
  case CombineKind::MaxUI: return call(llvm::Intrinsic::umax);
  case CombineKind::MinUI: return call(llvm::Intrinsic::umin);
  case CombineKind::AndI: return b.CreateAnd(left, right);
  case CombineKind::OrI: return b.CreateOr(left, right);
  case CombineKind::XOrI: return b.CreateXor(left, right);
  }
  llvm_unreachable("all kinds are listed");
}

namespace {

/// The bits of `number` that `keep` selects, moved together: closedUp(0b1010, 0b1110) = 0b101.
size_t closedUp(size_t number, uint32_t keep) {
  size_t result = 0;
  for (unsigned bit = 0, to = 0; bit < 32; ++bit)
    if (keep >> bit & 1)
      result |= (number >> bit & 1) << to++;
  return result;
}

} // namespace

bool Printer::printRegisters(Operation *op) {
  if (auto splat = dyn_cast<simt::SplatOp>(op)) {
    set(splat, Values(size_t(simt::elementsOf(splat.getType())), one(splat.getSrc())));
  } else if (auto pick = dyn_cast<simt::PickOp>(op)) {
    const Values source = get(pick.getSrc());
    Values picked;
    for (int32_t number : pick.getRegisters())
      picked.push_back(source[size_t(number)]);
    set(pick->getResult(0), picked);
  } else if (auto slice = dyn_cast<simt::SliceOp>(op)) {
    llvm::ArrayRef<llvm::Value *> source = get(slice.getSrc());
    set(slice, Values(source.slice(slice.getStart(), size_t(simt::elementsOf(slice.getType())))));
  } else if (auto concat = dyn_cast<simt::ConcatOp>(op)) {
    Values all;
    for (mlir::Value part : concat.getParts())
      llvm::append_range(all, get(part));
    set(concat, all);
  } else if (auto reduce = dyn_cast<simt::ReduceRegistersOp>(op)) {
    Values values = get(reduce.getSrc());
    uint32_t keep = reduce.getKeep();
    for (unsigned bit = llvm::Log2_64(values.size()); bit-- > 0;)
      if (!(keep >> bit & 1))
        for (size_t i = 0; i + (size_t(1) << bit) < values.size(); ++i)
          if (!(i >> bit & 1) && values[i] && values[i + (size_t(1) << bit)]) {
            values[i] = combine(reduce.getKind(), values[i], values[i + (size_t(1) << bit)]);
            values[i + (size_t(1) << bit)] = nullptr;
          }
    Values kept(size_t(1) << llvm::popcount(keep), nullptr);
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i])
        kept[closedUp(i, keep)] = values[i];
    set(reduce, kept);
  } else if (auto spread = dyn_cast<simt::SpreadRegistersOp>(op)) {
    const Values source = get(spread.getSrc());
    Values all(size_t(simt::elementsOf(spread.getType())), nullptr);
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = source[closedUp(i, spread.getKeep())];
    set(spread, all);
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::llvmir
