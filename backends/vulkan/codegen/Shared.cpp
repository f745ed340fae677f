// Prints shared-memory ops: a view is an element index in the array or block that SharedPlan assigns to its buffer.
#include "backends/vulkan/codegen/Printer.h"
#include "core/ir/simt/SharedParts.h"

#include <algorithm>

using namespace mlir;
using Code = spv::Op;

namespace tegula::vulkan {

void Printer::setView(mlir::Value view, const SharedPlan::Storage &storage, Id element) {
  set(view, element);
  views_[view] = {&storage};
}

Id Printer::sharedPointer(const SharedPlan::Storage &storage, Id type, Id index) {
  Id &variable = sharedVariables_[{&storage, storage.isBlock() ? type : 0}];
  if (!variable && storage.isBlock()) {
    const spirv::TypeInfo info = m.info(type);
    bool isVector = info.op == Code::OpTypeVector;
    uint32_t bytes = isVector ? info.count * m.info(info.element).bits / 8 : info.bits / 8;
    variable = m.workgroupBlock(type, (storage.end - storage.begin) / bytes);
  } else if (!variable) {
    Id element = hasWordEach(storage) ? m.intType(32)
                 : storage.mixed      ? m.intType(storage.width * 8)
                                      : memoryType(storage.type);
    variable = m.workgroupArray(element, (storage.end - storage.begin) / storage.width);
  }
  return storage.isBlock() ? b.accessMember(variable, 0, {index}) : b.access(variable, {index});
}

/// True if each element takes a 32-bit word, because the profile's shared memory has no elements of this width.
bool Printer::hasWordEach(const SharedPlan::Storage &storage) const {
  return !storage.isBlock() && storage.width < shared_.narrowest();
}

std::vector<Printer::Index> Printer::indices(mlir::Value view, mlir::Value offsets) {
  std::vector<Index> result;
  auto sum = offsets.getDefiningOp<arith::AddIOp>();
  auto same = sum ? sum.getLhs().getDefiningOp<simt::SplatOp>() : simt::SplatOp();
  DenseIntElementsAttr steps;
  if (!same || !matchPattern(sum.getRhs(), m_Constant(&steps))) {
    for (Id offset : get(offsets))
      result.push_back({add(one(view), offset)});
    return result;
  }
  Id base = add(one(view), one(same.getSrc()));
  for (const APInt &step : steps.getValues<APInt>())
    result.push_back({base, uint32_t(step.getZExtValue())});
  return result;
}

Id Printer::indexOf(Index index, uint32_t more) {
  return index.step + more ? add(index.base, u32(index.step + more)) : index.base;
}

/// The constant part of the index, `index.step`, is divided by `count` at compile time if it is a multiple; then
/// accesses with the same base share one shift of the base. For vectors narrower than 16 bytes, an XOR with
/// unknownZero_ hides this shift from NVIDIA's driver: it does not know that the base is aligned, and would turn, for
/// example, ((base >> 3) + 2) * 8 into (base + 16) & ~7, which takes two instructions for each access.
Id Printer::vectorIndex(Index index, uint32_t count, uint32_t bytes) {
  Id by = u32(llvm::Log2_32(count));
  if (index.step % count != 0)
    return scalars.shiftRight(indexOf(index), by);
  Id place = scalars.shiftRight(index.base, by);
  if (bytes < 16)
    place = scalars.differ(place, unknownZero_);
  return index.step ? add(place, u32(index.step / count)) : place;
}

Values Printer::loadShared(const SharedPlan::Storage &storage, Index index, uint32_t width, ScalarType type) {
  uint32_t each = byteSize(type), bytes = width * each;
  Values elements;
  if (hasWordEach(storage)) {
    for (uint32_t i = 0; i < width; ++i)
      elements.push_back(scalars.fromWord(type, b.load(sharedPointer(storage, m.intType(32), indexOf(index, i)))));
    return elements;
  }
  if (!storage.isBlock() || bytes < 4 || width == 1) {
    for (uint32_t i = 0; i < width; ++i) {
      Id loaded = b.load(sharedPointer(storage, memoryType(type), indexOf(index, i)));
      elements.push_back(fromMemory(type, b.bitcast(loaded, memoryType(type))));
    }
    return elements;
  }
  Id lane = each < 4 ? m.intType(32) : scalars.type(type);
  uint32_t lanes = std::min(bytes, 16u) / std::max(each, 4u), count = std::min(width, 16 / each);
  for (uint32_t at = 0; at < width; at += count) { // accesses are aligned to their size, so each is a whole vector
    Id place = vectorIndex({index.base, index.step + at}, count, count * each);
    Id loaded = b.load(sharedPointer(storage, lanes == 1 ? lane : m.vectorType(lane, lanes), place));
    Values words;
    for (uint32_t i = 0; i < lanes; ++i)
      words.push_back(lanes == 1 ? loaded : b.extract(loaded, i));
    Values some = each < 4 ? unpack(words, count, type) : words;
    elements.insert(elements.end(), some.begin(), some.end());
  }
  return elements;
}

void Printer::storeShared(const SharedPlan::Storage &storage, Index index, llvm::ArrayRef<Id> elements,
                          ScalarType type) {
  uint32_t each = byteSize(type), width = uint32_t(elements.size()), bytes = width * each;
  if (hasWordEach(storage)) {
    for (uint32_t i = 0; i < width; ++i)
      b.store(sharedPointer(storage, m.intType(32), indexOf(index, i)), scalars.toWord(type, elements[i]));
    return;
  }
  if (!storage.isBlock() || bytes < 4 || width == 1) {
    for (uint32_t i = 0; i < width; ++i) {
      Id pointer = sharedPointer(storage, memoryType(type), indexOf(index, i));
      b.store(pointer, b.bitcast(toMemory(type, elements[i]), m.infoOf(pointer).element));
    }
    return;
  }
  uint32_t count = std::min(width, 16 / each);
  for (uint32_t at = 0; at < width; at += count) {
    llvm::ArrayRef<Id> some = elements.slice(at, count);
    Values lanes = each < 4 ? pack(some, type) : Values(some.begin(), some.end());
    Id lane = m.typeOf(lanes.front()), whole = lanes.front();
    if (lanes.size() > 1)
      whole = b.construct(m.vectorType(lane, uint32_t(lanes.size())), lanes);
    b.store(sharedPointer(storage, m.typeOf(whole), vectorIndex({index.base, index.step + at}, count, count * each)),
            whole);
  }
}

/// Prints the view of a part of a buffer. Its offset in the buffer is computed without padding, from the bits of the
/// part's position; then each pair (interval, amount) of the layout's padding adds (offset / interval) * amount.
void Printer::printPart(simt::PartOp op) {
  layout_ir::SharedAttr layout = op.getSrc().getType().getTileLayout();
  std::optional<simt::PartOffsets> parts = simt::partOffsets(op.getSrc().getType(), op.getType().getShape());
  if (!parts)
    fail(op, "the layout holds no part at some positions of its grid");
  Id linear = u32(0);
  for (auto [dim, steps] : llvm::enumerate(parts->bits))
    for (auto [bit, offset] : llvm::enumerate(steps)) {
      Id isSet = scalars.both(scalars.shiftRight(one(op.getPosition()[dim]), u32(int64_t(bit))), u32(1));
      linear = scalars.differ(linear, mul(isSet, u32(offset)));
    }
  Id moved = linear;
  for (size_t i = 0; i < layout.getPadding().size(); i += 2)
    moved = add(moved, mul(scalars.shiftRight(linear, u32(llvm::Log2_64(uint64_t(layout.getPadding()[i])))),
                           u32(layout.getPadding()[i + 1])));
  setView(op, storageOf(op.getSrc()), add(one(op.getSrc()), moved));
}

void Printer::printSharedLoad(simt::SharedLoadOp op) {
  if (!op.getOffset())
    fail(op, "expected offsets: the op is of the planned level still");
  const std::vector<Index> places = indices(op.getSrc(), op.getOffset());
  uint32_t width = uint32_t(simt::elementsOf(op.getType())) / uint32_t(places.size());
  Values result;
  for (Index place : places) {
    Values some = loadShared(storageOf(op.getSrc()), place, width, scalarOf(op.getResult()));
    result.insert(result.end(), some.begin(), some.end());
  }
  set(op, result);
}

void Printer::printSharedStore(simt::SharedStoreOp op) {
  if (!op.getOffset())
    fail(op, "expected offsets: the op is of the planned level still");
  const std::vector<Index> places = indices(op.getDst(), op.getOffset());
  const Values values = get(op.getValue());
  size_t width = values.size() / places.size();
  for (size_t i = 0; i < places.size(); ++i)
    storeShared(storageOf(op.getDst()), places[i], llvm::ArrayRef(values).slice(i * width, width),
                scalarOf(op.getValue()));
}

bool Printer::printShared(Operation *op) {
  if (auto buffer = dyn_cast<simt::SharedAllocOp>(op)) {
    if (!buffer.getOffset())
      fail(op, "expected a place in shared memory ('at N'): it is not planned yet");
    simt::SharedType type = buffer.getType();
    uint32_t at = *buffer.getOffset(), each = uint32_t(simt::elementBytes(type.getElementType()));
    const SharedPlan::Storage &storage =
        shared_.storageOf({at, uint32_t(type.getBytes()), numberOf(op, type.getElementType())});
    if (storage.isBlock() && each < shared_.narrowest())
      need(op, each == 1 ? Feature::SharedExplicitLayout8 : Feature::SharedExplicitLayout16);
    setView(buffer, storage, u32((at - storage.begin) / each));
  } else if (auto stage = dyn_cast<simt::StageOp>(op)) {
    setView(stage, storageOf(stage.getSrc()),
            add(one(stage.getSrc()), mul(one(stage.getIndex()), u32(stage.getSrc().getType().getStageElements()))));
  } else if (auto part = dyn_cast<simt::PartOp>(op)) {
    printPart(part);
  } else if (auto view = dyn_cast<simt::TransposeOp>(op)) {
    setView(view, storageOf(view.getSrc()), one(view.getSrc()));
  } else if (auto load = dyn_cast<simt::SharedLoadOp>(op)) {
    printSharedLoad(load);
  } else if (auto store = dyn_cast<simt::SharedStoreOp>(op)) {
    printSharedStore(store);
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::vulkan
