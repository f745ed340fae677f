// Prints atomics of global memory as inline PTX, because LLVM 22 drops the memory order and scope of all but
// compare-and-swap. An operation without a PTX instruction becomes a compare-and-swap loop.
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "core/ir/simt/Target.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

using Op = llvm::AtomicRMWInst;

/// ".acq_rel.gpu.global"
std::string placeOf(llvm::AtomicOrdering order, tile::Scope scope) {
  std::string text;
  switch (order) {
  case llvm::AtomicOrdering::Acquire: text = ".acquire"; break;
  case llvm::AtomicOrdering::Release: text = ".release"; break;
  case llvm::AtomicOrdering::AcquireRelease: text = ".acq_rel"; break;
  default: text = ".relaxed"; break;
  }
  switch (scope) {
  case tile::Scope::Block: return text + ".cta.global";
  case tile::Scope::Device: return text + ".gpu.global";
  case tile::Scope::System: return text + ".sys.global";
  }
  llvm_unreachable("all scopes are listed");
}

/// The suffix of `atom` for an operation, such as ".add.u32"; empty if `atom` does not have the operation. Source: PTX
/// ISA, atom.
std::string instructionOf(Op::BinOp operation, llvm::Type *type, unsigned version) {
  unsigned bits = type->getScalarSizeInBits();
  std::string width = std::to_string(bits);
  switch (operation) {
  case Op::FAdd:
    if (type->isHalfTy())
      return ".add.noftz.f16";
    if (type->isBFloatTy())
      return version >= 90 ? ".add.noftz.bf16" : "";
    return ".add.f" + width;
  case Op::Xchg: return bits >= 32 ? ".exch.b" + width : "";
  default: break;
  }
  if (bits < 32)
    return "";
  switch (operation) {
  case Op::Add: return ".add.u" + width;
  case Op::Min: return ".min.s" + width;
  case Op::Max: return ".max.s" + width;
  case Op::UMin: return ".min.u" + width;
  case Op::UMax: return ".max.u" + width;
  case Op::And: return ".and.b" + width;
  case Op::Or: return ".or.b" + width;
  case Op::Xor: return ".xor.b" + width;
  default: return "";
  }
}

llvm::Value *combined(llvm::IRBuilder<> &b, Op::BinOp operation, llvm::Value *old, llvm::Value *value) {
  auto call = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, old, value); };
  switch (operation) {
  case Op::Add: return b.CreateAdd(old, value);
  case Op::FAdd: return b.CreateFAdd(old, value);
  case Op::Min: return call(llvm::Intrinsic::smin);
  case Op::Max: return call(llvm::Intrinsic::smax);
  case Op::UMin: return call(llvm::Intrinsic::umin);
  case Op::UMax: return call(llvm::Intrinsic::umax);
  case Op::FMin: return call(llvm::Intrinsic::minnum);
  case Op::FMax: return call(llvm::Intrinsic::maxnum);
  case Op::And: return b.CreateAnd(old, value);
  case Op::Or: return b.CreateOr(old, value);
  case Op::Xor: return b.CreateXor(old, value);
  case Op::Xchg: return value;
  default: throw InternalError("an atomic operation that the simt level has not");
  }
}

llvm::Value *compareAndSwap(llvm::IRBuilder<> &b, const std::string &place, llvm::Value *address, llvm::Value *expected,
                            llvm::Value *value) {
  llvm::Type *type = value->getType();
  InlinePtx ptx(b);
  std::string to = ptx.output(type), at = ptx.input(address), old = ptx.input(expected), fresh = ptx.input(value);
  std::string width = std::to_string(type->getIntegerBitWidth());
  return ptx
      .emit("atom" + place + ".cas.b" + width + " " + to + ", [" + at + "], " + old + ", " + fresh + ";",
            InlinePtx::Effect)
      .front();
}

/// Prints a compare-and-swap loop, which atomically replaces the element `old` at `address` by `next(old)` and returns
/// `old`. `place`: the PTX qualifiers of order, scope and address space. An 8-bit element is replaced within the
/// aligned 16 bits that contain it.
llvm::Value *atomicLoop(llvmir::Printer &p, const std::string &place, llvm::Value *address, llvm::Type *element,
                        llvm::function_ref<llvm::Value *(llvm::Value *old)> next) {
  llvm::IRBuilder<> &b = p.b;
  unsigned bits = element->getScalarSizeInBits();
  llvm::Type *word = b.getIntNTy(std::max(bits, 16u)), *byte = b.getInt8Ty();
  llvm::Value *shift = nullptr;
  if (bits == 8) {
    llvm::Value *odd = b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), 1);
    address = b.CreateGEP(byte, address, b.CreateNeg(odd));
    shift = b.CreateShl(b.CreateTrunc(odd, word), 3);
  }
  InlinePtx ptx(b);
  std::string to = ptx.output(word), at = ptx.input(address);
  std::string scope = place.substr(place.find('.', 1)); // the scope and state space without the order
  llvm::Value *first =
      ptx.emit("ld.relaxed" + scope + ".b" + std::to_string(word->getIntegerBitWidth()) + " " + to + ", [" + at + "];",
               InlinePtx::Effect)
          .front();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(b.getContext(), "swap", p.function());
  auto *done = llvm::BasicBlock::Create(b.getContext(), "swapped", p.function());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *seen = b.CreatePHI(word, 2);
  seen->addIncoming(first, before);
  llvm::Value *old = shift ? b.CreateTrunc(b.CreateLShr(seen, shift), byte) : static_cast<llvm::Value *>(seen);
  old = p.fromMemory(old, element);
  llvm::Value *fresh = p.toMemory(next(old));
  if (shift) {
    llvm::Value *others = b.CreateAnd(seen, b.CreateNot(b.CreateShl(llvm::ConstantInt::get(word, 0xff), shift)));
    fresh = b.CreateOr(others, b.CreateShl(b.CreateZExt(fresh, word), shift));
  }
  llvm::Value *found = compareAndSwap(b, place, address, seen, fresh);
  seen->addIncoming(found, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(found, seen), done, loop);
  b.SetInsertPoint(done);
  return old;
}

} // namespace

llvm::Value *NvptxPrinter::atomicRmw(simt::AtomicRmwOp op, Op::BinOp operation, llvm::Value *address,
                                     llvm::Value *value, llvm::AtomicOrdering order) {
  llvm::Type *type = value->getType();
  std::string place = placeOf(order, op.getScope());
  std::string instruction = instructionOf(operation, type, version_.number);
  if (instruction.empty())
    return atomicLoop(*this, place, address, type,
                      [&](llvm::Value *old) { return combined(b, operation, old, value); });
  bool asBits = type->isHalfTy() || type->isBFloatTy() || operation == Op::Xchg;
  llvm::Value *passed = asBits ? toMemory(value) : value;
  InlinePtx ptx(b);
  std::string to = ptx.output(passed->getType()), at = ptx.input(address), with = ptx.input(passed);
  llvm::Value *old =
      ptx.emit("atom" + place + instruction + " " + to + ", [" + at + "], " + with + ";", InlinePtx::Effect).front();
  return asBits ? fromMemory(old, type) : old;
}

std::vector<std::string> vectorAtomics(unsigned version) {
  if (version >= 90)
    return {"fadd.f32x4", "fadd.f16x8", "fadd.bf16x8"};
  return {"fadd.f16x2", "fadd.bf16x2"};
}

/// Prints one atomic for neighbouring elements, whose operands are words: f32, or pairs of 16-bit floats. Before sm_90
/// no instruction adds bf16: a pair becomes one compare-and-swap loop on its 32-bit word, where separate atomics would
/// take a loop for each element.
Values NvptxPrinter::atomicNeighbours(simt::AtomicRmwOp op, Op::BinOp, llvm::Value *address,
                                      llvm::ArrayRef<llvm::Value *> values, llvm::AtomicOrdering order) {
  TargetFeatures features;
  features.vectorAtomics = vectorAtomics(version_.number);
  if (int64_t(values.size()) > simt::atomicWidth(features, op.getKind(), getElementTypeOrSelf(op.getType())))
    return {};
  llvm::Type *type = values.front()->getType();
  if (type->isBFloatTy() && version_.number < 90) {
    llvm::Value *pair =
        atomicLoop(*this, placeOf(order, op.getScope()), address, b.getInt32Ty(), [&](llvm::Value *old) {
          Values sums;
          for (auto [element, value] : llvm::zip_equal(unpack(old, type), values))
            sums.push_back(b.CreateFAdd(element, value));
          return pack(sums).front();
        });
    return unpack(pair, type);
  }
  bool isPacked = !type->isFloatTy();
  Values words = isPacked ? pack(values) : Values(values.begin(), values.end());
  auto count = unsigned(words.size());
  InlinePtx ptx(b);
  for (llvm::Value *word : words)
    ptx.output(word->getType());
  std::string at = ptx.input(address);
  for (llvm::Value *word : words)
    ptx.input(word);
  std::string text = "atom" + placeOf(order, op.getScope()) + ".add" + (isPacked ? ".noftz" : "") +
                     (count > 1 ? ".v" + std::to_string(count) : "") +
                     (type->isHalfTy()     ? ".f16x2 "
                      : type->isBFloatTy() ? ".bf16x2 "
                                           : ".f32 ");
  auto old = ptx.emit(text + operandList(0, count) + ", [" + at + "], " + operandList(count + 1, count) + ";",
                      InlinePtx::Effect);
  return isPacked ? unpack(old, type) : Values(old.begin(), old.end());
}

llvm::Value *NvptxPrinter::atomicCas(simt::AtomicCasOp op, llvm::Value *address, llvm::Value *expected,
                                     llvm::Value *value, llvm::AtomicOrdering order) {
  std::string place = placeOf(order, op.getScope());
  if (value->getType()->getIntegerBitWidth() > 8)
    return compareAndSwap(b, place, address, expected, value);
  return atomicLoop(*this, place, address, value->getType(),
                    [&](llvm::Value *old) { return b.CreateSelect(b.CreateICmpEQ(old, expected), value, old); });
}

} // namespace tegula::cuda
