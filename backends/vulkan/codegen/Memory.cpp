// Prints accesses of global memory. An access of up to 16 bytes is one vector; a longer one is several. Elements of
// fewer than 32 bits are packed into words. If the profile cannot access fewer than 32 bits, narrow elements are read
// from the word that contains them, and are written by an atomic exchange of this word. If its mask is false, a load
// reads zeros at the hidden argument SafeAddress, or a branch skips it; a store is skipped by a branch.
#include "backends/vulkan/codegen/Loops.h"
#include "backends/vulkan/codegen/Printer.h"

#include <algorithm>

using namespace mlir;
using Code = spv::Op;

namespace tegula::vulkan {
namespace {

constexpr uint32_t kMostBytes = 16;

spirv::Access accessOf(tile::CacheModifier cache, bool isVolatile) {
  spirv::Access access;
  access.isVolatile = isVolatile || cache == tile::CacheModifier::Volatile;
  access.nontemporal = cache == tile::CacheModifier::Streaming;
  return access;
}

} // namespace

Id Printer::memoryType(ScalarType type) { return type == ScalarType::I1 ? m.intType(8) : scalars.type(type); }

Id Printer::toMemory(ScalarType type, Id element) {
  return type == ScalarType::I1 ? scalars.resize(type, ScalarType::I8, element, false) : element;
}

Id Printer::fromMemory(ScalarType type, Id element) {
  return type == ScalarType::I1 ? scalars.resize(ScalarType::I8, type, element, false) : element;
}

std::pair<Id, Id> Printer::wordAround(Id address) {
  Id within = scalars.both(b.cast(Code::OpUConvert, address, m.intType(32)), u32(3));
  return {scalars.both(address, m.constantU64(~uint64_t(3))), scalars.shiftLeft(within, u32(3))};
}

Id Printer::elementAddress(Id base, Id offset, uint32_t bytes) {
  Id wide = m.infoOf(offset).bits == 64 ? offset : b.cast(Code::OpSConvert, offset, m.intType(64));
  return add(base, mul(wide, m.constantU64(bytes)));
}

Values Printer::elementAddresses(mlir::Value base, mlir::Value offsets, uint32_t bytes) {
  auto sum = offsets.getDefiningOp<arith::AddIOp>();
  auto same = sum ? sum.getLhs().getDefiningOp<simt::SplatOp>() : simt::SplatOp();
  DenseIntElementsAttr steps;
  bool isExact = sum && (bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw) ||
                         getElementTypeOrSelf(offsets.getType()).isInteger(64));
  Values addresses;
  if (!isExact || !same || !matchPattern(sum.getRhs(), m_Constant(&steps))) {
    for (Id offset : get(offsets))
      addresses.push_back(elementAddress(one(base), offset, bytes));
    return addresses;
  }
  Id first = elementAddress(one(base), one(same.getSrc()), bytes);
  for (const APInt &step : steps.getValues<APInt>())
    addresses.push_back(step.isZero() ? first : add(first, m.constantU64(uint64_t(step.getSExtValue()) * bytes)));
  return addresses;
}

bool Printer::branchesAround(simt::LoadOp op) const {
  if (!op.getMask() || !profile_.features.has(Feature::PredicatedBranches))
    return false;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
    if (hasProducts(loop))
      return false;
  return true;
}

/// Loads fewer than 4 bytes, from an address that is aligned to their number, through the 32-bit word that contains
/// them. Allocations end with whole words, so the word exists.
Values Printer::loadFromWord(Id address, uint32_t count, ScalarType type, spirv::Access how) {
  auto [aligned, shift] = wordAround(address);
  how.alignment = 4;
  Id word = b.load(b.physicalPointer(aligned, m.intType(32)), how);
  Values elements;
  for (uint32_t i = 0; i < count; ++i)
    elements.push_back(
        scalars.fromWord(type, scalars.shiftRight(word, i ? add(shift, u32(i * byteSize(type) * 8)) : shift)));
  return elements;
}

/// Stores fewer than 4 bytes by atomic operations on their word, because other threads may write the word's other
/// elements at the same time.
void Printer::storeToWord(Id address, llvm::ArrayRef<Id> elements, ScalarType type) {
  uint32_t bits = byteSize(type) * 8;
  Id whole = 0;
  for (auto [i, element] : llvm::enumerate(elements)) {
    Id part = scalars.toWord(type, element);
    whole = i ? scalars.either(whole, scalars.shiftLeft(part, u32(int64_t(i * bits)))) : part;
  }
  loopOfCas({address, spv::Scope::QueueFamily}, bits * uint32_t(elements.size()), [&](Id) { return whole; });
}

/// Loads `count` elements, at most 16 bytes in total, from an address that is aligned to this size.
Values Printer::loadPiece(Id address, uint32_t count, ScalarType type, const spirv::Access &how) {
  uint32_t each = byteSize(type), bytes = count * each;
  auto read = [&](Id at, Id what, uint32_t alignment) {
    spirv::Access access = how;
    access.alignment = alignment;
    return b.load(b.physicalPointer(at, what), access);
  };
  if (bytes < 4 && !isAccessible(type, profile_))
    return loadFromWord(address, count, type, how);
  if (bytes < 4 || count == 1) {
    Values elements;
    for (uint32_t i = 0; i < count; ++i)
      elements.push_back(
          fromMemory(type, read(i ? add(address, m.constantU64(i * each)) : address, memoryType(type), each)));
    return elements;
  }
  Id lane = each < 4 ? m.intType(32) : scalars.type(type);
  uint32_t lanes = each < 4 ? bytes / 4 : count;
  Id loaded = read(address, lanes == 1 ? lane : m.vectorType(lane, lanes), bytes);
  Values words;
  for (uint32_t i = 0; i < lanes; ++i)
    words.push_back(lanes == 1 ? loaded : b.extract(loaded, i));
  return each < 4 ? unpack(words, count, type) : words;
}

void Printer::storePiece(Id address, llvm::ArrayRef<Id> elements, ScalarType type, const spirv::Access &how) {
  uint32_t each = byteSize(type), bytes = uint32_t(elements.size()) * each;
  auto write = [&](Id at, Id value, uint32_t alignment) {
    spirv::Access access = how;
    access.alignment = alignment;
    b.store(b.physicalPointer(at, m.typeOf(value)), value, access);
  };
  if (bytes < 4 && !isAccessible(type, profile_))
    return storeToWord(address, elements, type);
  if (bytes < 4 || elements.size() == 1) {
    for (size_t i = 0; i < elements.size(); ++i)
      write(i ? add(address, m.constantU64(i * each)) : address, toMemory(type, elements[i]), each);
    return;
  }
  Values lanes = each < 4 ? pack(elements, type) : Values(elements.begin(), elements.end());
  Id whole = lanes.size() == 1 ? lanes.front()
                               : b.construct(m.vectorType(m.typeOf(lanes.front()), uint32_t(lanes.size())), lanes);
  write(address, whole, bytes);
}

/// True if masked-off elements are to be zero, which is the value at the safe address.
static bool isZeros(mlir::Value value) {
  DenseElementsAttr constant;
  if (!value || !matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return !value;
  return isa<FloatType>(constant.getElementType()) ? constant.getSplatValue<APFloat>().isPosZero()
                                                   : constant.getSplatValue<APInt>().isZero();
}

void Printer::printLoad(simt::LoadOp op) {
  ScalarType type = scalarOf(op.getResult());
  uint32_t each = byteSize(type);
  const Values masks = op.getMask() ? get(op.getMask()) : Values(),
               others = isZeros(op.getOther()) ? Values() : get(op.getOther());
  uint32_t width = uint32_t(simt::elementsOf(op.getType())) / uint32_t(get(op.getOffset()).size());
  uint32_t piece = std::min(width, kMostBytes / each);
  spirv::Access how = accessOf(op.getCache(), op.getIsVolatile());
  bool branches = piece == 1 && each == 4 && branchesAround(op);
  const Values bases = elementAddresses(op.getBase(), op.getOffset(), each);
  Values result;
  for (size_t i = 0; i < bases.size(); ++i) {
    for (uint32_t at = 0; at < width; at += piece) {
      Id address = at ? add(bases[i], m.constantU64(at * each)) : bases[i];
      auto other = [&](uint32_t j) { return others[others.size() == 1 ? 0 : i * width + at + j]; };
      if (branches) {
        auto load = [&] { return loadPiece(address, piece, type, how); };
        llvm::append_range(result, b.ifThenElse(masks[i], load, [&] {
          return Values{others.empty() ? scalars.constant(type, 0) : other(0)};
        }));
        continue;
      }
      if (!masks.empty())
        address = b.select(masks[i], address, safe_);
      Values loaded = loadPiece(address, piece, type, how);
      if (!masks.empty() && !others.empty())
        for (uint32_t j = 0; j < piece; ++j)
          loaded[j] = b.select(masks[i], loaded[j], other(j));
      result.insert(result.end(), loaded.begin(), loaded.end());
    }
  }
  set(op, result);
}

void Printer::printStore(simt::StoreOp op) {
  ScalarType type = scalarOf(op.getValue());
  uint32_t each = byteSize(type);
  const Values values = get(op.getValue()), masks = op.getMask() ? get(op.getMask()) : Values(),
               bases = elementAddresses(op.getBase(), op.getOffset(), each);
  uint32_t width = uint32_t(values.size() / bases.size()), piece = std::min(width, kMostBytes / each);
  spirv::Access how = accessOf(op.getCache(), false);
  for (size_t i = 0; i < bases.size(); ++i) {
    auto write = [&] {
      for (uint32_t at = 0; at < width; at += piece)
        storePiece(at ? add(bases[i], m.constantU64(at * each)) : bases[i],
                   llvm::ArrayRef(values).slice(i * width + at, piece), type, how);
    };
    masks.empty() ? write() : b.ifThen(masks[i], write);
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

} // namespace tegula::vulkan
