// Global memory. An access of up to 16 bytes is one vector; longer ones are several. Elements narrower than 32 bits
// travel in words. A masked-off load reads the runtime's zeros, a masked-off store is branched around.
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

Values Printer::pack(llvm::ArrayRef<Id> elements, ScalarType type) {
  uint32_t each = 4 / byteSize(type);
  Id vector = m.vectorType(memoryType(type), each);
  Values words;
  for (size_t at = 0; at < elements.size(); at += each) {
    Values parts;
    for (size_t i = at; i < at + each; ++i)
      parts.push_back(i < elements.size() ? toMemory(type, elements[i]) : m.constantNull(memoryType(type)));
    words.push_back(b.bitcast(b.construct(vector, parts), m.intType(32)));
  }
  return words;
}

Values Printer::unpack(llvm::ArrayRef<Id> words, uint32_t count, ScalarType type) {
  uint32_t each = 4 / byteSize(type);
  Id vector = m.vectorType(memoryType(type), each);
  Values elements;
  for (Id word : words) {
    Id parts = b.bitcast(word, vector);
    for (uint32_t i = 0; i < each && elements.size() < count; ++i)
      elements.push_back(fromMemory(type, b.extract(parts, i)));
  }
  return elements;
}

Id Printer::elementAddress(Id base, Id offset, uint32_t bytes) {
  Id wide = m.infoOf(offset).bits == 64 ? offset : b.cast(Code::OpSConvert, offset, m.intType(64));
  return add(base, mul(wide, m.constantU64(bytes)));
}

/// `count` elements of at most 16 bytes together, from an address aligned to all of them.
Values Printer::loadPiece(Id address, uint32_t count, ScalarType type, const spirv::Access &how) {
  uint32_t each = byteSize(type), bytes = count * each;
  auto read = [&](Id at, Id what, uint32_t alignment) {
    spirv::Access access = how;
    access.alignment = alignment;
    return b.load(b.physicalPointer(at, what), access);
  };
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

void Printer::printLoad(simt::LoadOp op) {
  ScalarType type = scalarOf(op.getResult());
  uint32_t each = byteSize(type);
  const Values offsets = get(op.getOffset()), masks = op.getMask() ? get(op.getMask()) : Values(),
               others = op.getOther() ? get(op.getOther()) : Values();
  uint32_t width = uint32_t(simt::elementsOf(op.getType())) / uint32_t(offsets.size());
  uint32_t piece = std::min(width, kMostBytes / each);
  spirv::Access how = accessOf(op.getCache(), op.getIsVolatile());
  Id zero = scalars.constant(type, 0);
  Values result;
  for (size_t i = 0; i < offsets.size(); ++i) {
    Id base = elementAddress(one(op.getBase()), offsets[i], each);
    for (uint32_t at = 0; at < width; at += piece) {
      Id address = at ? add(base, m.constantU64(at * each)) : base;
      if (!masks.empty())
        address = b.select(masks[i], address, safe_);
      Values loaded = loadPiece(address, piece, type, how);
      if (!masks.empty())
        for (uint32_t j = 0; j < piece; ++j)
          loaded[j] = b.select(masks[i], loaded[j],
                               others.empty() ? zero : others[others.size() == 1 ? 0 : i * width + at + j]);
      result.insert(result.end(), loaded.begin(), loaded.end());
    }
  }
  set(op, result);
}

void Printer::printStore(simt::StoreOp op) {
  ScalarType type = scalarOf(op.getValue());
  uint32_t each = byteSize(type);
  const Values offsets = get(op.getOffset()), values = get(op.getValue()),
               masks = op.getMask() ? get(op.getMask()) : Values();
  uint32_t width = uint32_t(values.size() / offsets.size()), piece = std::min(width, kMostBytes / each);
  spirv::Access how = accessOf(op.getCache(), false);
  for (size_t i = 0; i < offsets.size(); ++i) {
    auto write = [&] {
      Id base = elementAddress(one(op.getBase()), offsets[i], each);
      for (uint32_t at = 0; at < width; at += piece)
        storePiece(at ? add(base, m.constantU64(at * each)) : base, llvm::ArrayRef(values).slice(i * width + at, piece),
                   type, how);
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
