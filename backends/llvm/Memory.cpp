// Prints accesses of global memory. An access of up to 16 bytes is one instruction; a longer one is several. Elements
// are loaded and stored as 32-bit words, because LLVM's code generators split vectors of narrow elements.
#include "backends/llvm/Printer.h"

using namespace mlir;

namespace tegula::llvmir {
namespace {

constexpr unsigned kMostBytes = 16;

unsigned elementBytesOf(llvm::Type *element) {
  unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
  return bits <= 8 ? 1 : bits / 8;
}

} // namespace

/// Loads `count` elements from an address that is aligned to their total size.
Values Printer::loadPiece(llvm::Value *address, unsigned count, llvm::Type *element) {
  unsigned bytes = count * elementBytesOf(element);
  llvm::Align align(bytes);
  if (count == 1 || bytes < 4) { // two 8-bit elements are one 16-bit integer, split by shifts
    llvm::Type *integer = b.getIntNTy(8 * bytes);
    llvm::Type *type = count == 1 && !element->isIntegerTy(1) ? element : integer;
    llvm::Value *loaded = b.CreateAlignedLoad(type, address, align);
    if (count == 1)
      return {fromMemory(loaded, element)};
    Values elements;
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(fromMemory(b.CreateTrunc(b.CreateLShr(loaded, 8 * i), b.getInt8Ty()), element));
    return elements;
  }
  unsigned bits = element->getScalarSizeInBits();
  llvm::Type *lane = bits >= 32 ? element : b.getInt32Ty();
  unsigned lanes = bytes / (bits == 64 ? 8 : 4);
  llvm::Type *type = lanes == 1 ? lane : llvm::FixedVectorType::get(lane, lanes);
  llvm::Value *loaded = b.CreateAlignedLoad(type, address, align);
  Values words;
  for (unsigned i = 0; i < lanes; ++i)
    words.push_back(lanes == 1 ? loaded : b.CreateExtractElement(loaded, i));
  if (bits >= 32)
    return words;
  Values elements = unpack(words, element->isIntegerTy(1) ? b.getInt8Ty() : element);
  for (llvm::Value *&value : elements)
    value = element->isIntegerTy(1) ? b.CreateTrunc(value, element) : value;
  return elements;
}

void Printer::storePiece(llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements) {
  unsigned each = elementBytesOf(elements.front()->getType()), bytes = unsigned(elements.size()) * each;
  llvm::Align align(bytes);
  if (elements.size() == 1) {
    llvm::Value *value = elements.front();
    b.CreateAlignedStore(value->getType()->isIntegerTy(1) ? toMemory(value) : value, address, align);
    return;
  }
  Values memory(elements);
  if (each < 4)
    for (llvm::Value *&value : memory)
      value = value->getType()->isIntegerTy(1) ? toMemory(value) : value;
  if (bytes < 4) {
    llvm::Value *both = b.CreateZExt(toMemory(memory[0]), b.getInt16Ty());
    both = b.CreateOr(both, b.CreateShl(b.CreateZExt(toMemory(memory[1]), b.getInt16Ty()), 8));
    b.CreateAlignedStore(both, address, align);
    return;
  }
  Values lanes = each < 4 ? pack(memory) : memory;
  if (lanes.size() == 1) {
    b.CreateAlignedStore(lanes.front(), address, align);
    return;
  }
  llvm::Value *vector =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(lanes.front()->getType(), unsigned(lanes.size())));
  for (auto [i, lane] : llvm::enumerate(lanes))
    vector = b.CreateInsertElement(vector, lane, uint64_t(i));
  b.CreateAlignedStore(vector, address, align);
}

namespace {

/// Converts elements to the form that the hooks loadGlobal and storeGlobal use: 32-bit words or, if the elements have
/// fewer than 32 bits together, one integer of 8 or 16 bits.
Values toWords(Printer &p, llvm::ArrayRef<llvm::Value *> elements) {
  Values memory;
  for (llvm::Value *element : elements)
    memory.push_back(p.toMemory(element));
  unsigned bits = memory.front()->getType()->getScalarSizeInBits() * unsigned(memory.size());
  if (bits >= 32)
    return p.pack(memory);
  if (memory.size() == 1)
    return memory;
  llvm::Value *low = p.b.CreateZExt(memory[0], p.b.getInt16Ty()), *high = p.b.CreateZExt(memory[1], p.b.getInt16Ty());
  return {p.b.CreateOr(low, p.b.CreateShl(high, 8))};
}

Values fromWords(Printer &p, llvm::ArrayRef<llvm::Value *> words, unsigned count, llvm::Type *element) {
  llvm::Type *memory = p.b.getIntNTy(8 * elementBytesOf(element));
  Values integers;
  if (words.front()->getType()->isIntegerTy(32))
    integers = p.unpack(words, memory);
  else if (count == 1)
    integers = Values(words);
  else
    for (unsigned i = 0; i < count; ++i)
      integers.push_back(p.b.CreateTrunc(p.b.CreateLShr(words.front(), 8 * i), memory));
  for (llvm::Value *&integer : integers)
    integer = p.fromMemory(integer, element);
  return integers;
}

} // namespace

/// Returns `mask`, or null if it is the constant true.
static llvm::Value *maskOrNone(llvm::Value *mask) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(mask);
  return known && known->isOne() ? nullptr : mask;
}

/// Calls body(number, address) for each piece.
template <class Body> static void forPieces(llvm::IRBuilder<> &b, const LoadPieces &pieces, Body &&body) {
  llvm::Type *unit = b.getIntNTy(8 * pieces.elementBytes);
  size_t number = 0;
  for (llvm::Value *offset : pieces.offsets) {
    llvm::Value *base = b.CreateGEP(unit, pieces.base, offset);
    for (unsigned piece = 0; piece < pieces.ofOffset; ++piece)
      body(number++, piece ? b.CreateGEP(unit, base, b.getInt32(piece * pieces.elements)) : base);
  }
}

void Printer::loadEach(const LoadPieces &pieces, llvm::function_ref<void(const Values &)> take) {
  simt::LoadOp op = pieces.op;
  forPieces(b, pieces, [&](size_t i, llvm::Value *address) {
    llvm::Value *mask = pieces.masks.empty() ? nullptr : maskOrNone(pieces.masks[i / pieces.ofOffset]);
    GlobalAccess access{
        address, pieces.elements * pieces.elementBytes, mask, op.getCache(), op.getEviction(), op.getIsVolatile(), op};
    Values other;
    if (mask && !op->hasAttr(simt::kMaskedDeadAttr)) {
      Values zeros(pieces.elements, llvm::Constant::getNullValue(pieces.element));
      other = toWords(*this, pieces.others.empty()
                                 ? llvm::ArrayRef<llvm::Value *>(zeros)
                                 : llvm::ArrayRef(pieces.others).slice(size_t(i) * pieces.elements, pieces.elements));
    }
    take(loadGlobal(access, other));
  });
}

llvm::SmallVector<Values> Printer::loadWords(const LoadPieces &pieces) {
  llvm::SmallVector<Values> words;
  loadEach(pieces, [&](const Values &ofPiece) { words.push_back(ofPiece); });
  return words;
}

LoadPieces Printer::piecesOf(simt::LoadOp op) {
  LoadPieces pieces;
  pieces.op = op;
  pieces.element = elementType(op.getType());
  pieces.elementBytes = elementBytesOf(pieces.element);
  pieces.base = one(op.getBase());
  pieces.offsets = get(op.getOffset());
  unsigned width = unsigned(simt::elementsOf(op.getType()) / int64_t(pieces.offsets.size()));
  pieces.elements = std::min(width, kMostBytes / pieces.elementBytes);
  pieces.ofOffset = width / pieces.elements;
  if (op.getMask())
    pieces.masks = get(op.getMask());
  if (op.getOther())
    pieces.others = get(op.getOther());
  return pieces;
}

void Printer::setLoaded(const LoadPieces &pieces, llvm::ArrayRef<Values> words) {
  Values result;
  for (const Values &ofPiece : words)
    llvm::append_range(result, fromWords(*this, ofPiece, pieces.elements, pieces.element));
  set(simt::LoadOp(pieces.op), result);
}

void Printer::printEarly(Operation *op) {
  printOp(op);
  markPrinted(op);
}

void Printer::printLoad(simt::LoadOp op) {
  if (printTargetLoad(op))
    return;
  LoadPieces pieces = piecesOf(op);
  bool plain = !op.getMask() && op.getCache() == tile::CacheModifier::None &&
               op.getEviction() == tile::EvictionPolicy::Normal && !op.getIsVolatile();
  Values result;
  if (plain)
    forPieces(b, pieces, [&](size_t, llvm::Value *address) {
      llvm::append_range(result, loadPiece(address, pieces.elements, pieces.element));
    });
  else
    loadEach(pieces, [&](const Values &words) {
      llvm::append_range(result, fromWords(*this, words, pieces.elements, pieces.element));
    });
  set(op, result);
}

void Printer::printStore(simt::StoreOp op) {
  const Values offsets = get(op.getOffset()), values = get(op.getValue());
  Values masks = op.getMask() ? get(op.getMask()) : Values();
  unsigned each = elementBytesOf(values.front()->getType());
  unsigned width = unsigned(values.size() / offsets.size()), piece = std::min(width, kMostBytes / each);
  bool plain =
      masks.empty() && op.getCache() == tile::CacheModifier::None && op.getEviction() == tile::EvictionPolicy::Normal;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    llvm::Type *unit = b.getIntNTy(8 * each);
    llvm::Value *base = b.CreateGEP(unit, one(op.getBase()), offset);
    for (unsigned at = 0; at < width; at += piece) {
      llvm::Value *address = at ? b.CreateGEP(unit, base, i32(at)) : base;
      llvm::ArrayRef<llvm::Value *> elements = llvm::ArrayRef(values).slice(i * width + at, piece);
      if (plain) {
        storePiece(address, elements);
        continue;
      }
      GlobalAccess access{
          address, piece * each, masks.empty() ? nullptr : maskOrNone(masks[i]), op.getCache(), op.getEviction(), false,
          op};
      storeGlobal(access, toWords(*this, elements));
    }
  }
}

bool Printer::printMemory(Operation *op) {
  if (auto load = dyn_cast<simt::LoadOp>(op))
    printLoad(load);
  else if (auto store = dyn_cast<simt::StoreOp>(op))
    printStore(store);
  else
    return false;
  return true;
}

} // namespace tegula::llvmir
