// Prints shared-memory ops. Shared memory is one block whose size the launch determines; each buffer lies at its
// planned offset.
#include "backends/llvm/Printer.h"
#include "core/ir/simt/SharedParts.h"

using namespace mlir;

namespace tegula::llvmir {

llvm::Value *Printer::sharedAddress(int64_t bytes) {
  if (!shared_) {
    auto *type = llvm::ArrayType::get(b.getInt8Ty(), 0);
    shared_ = new llvm::GlobalVariable(*module_, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                       "shared_memory", nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    shared_->setAlignment(llvm::Align(1024)); // bytes; the longest swizzle period of asynchronous units
  }
  return bytes ? b.CreateConstGEP1_64(b.getInt8Ty(), shared_, uint64_t(bytes)) : shared_;
}

llvm::Value *Printer::sharedElement(mlir::Value view, llvm::Value *offset) {
  auto type = cast<simt::SharedType>(view.getType());
  return b.CreateGEP(b.getIntNTy(8 * unsigned(simt::elementBytes(type.getElementType()))), one(view), offset);
}

/// Prints simt.part, the view of one part of a buffer that is divided into equal parts. Each set bit of the part's
/// position contributes a constant to the part's offset, and the contributions are combined by XOR. If no two
/// contributions have a bit in common, they are added instead; if, along an axis, each is twice the previous one, the
/// position is multiplied by the first one.
void Printer::printPart(simt::PartOp op) {
  simt::SharedType whole = op.getSrc().getType();
  layout_ir::SharedAttr layout = whole.getTileLayout();
  std::optional<simt::PartOffsets> parts = simt::partOffsets(whole, op.getType().getShape());
  if (!parts)
    fail(op, "the layout holds no part at some positions of its grid");
  bool overlap = parts->overlap;

  llvm::Value *moved = i32(0);
  for (auto [dim, steps] : llvm::enumerate(parts->bits)) {
    llvm::Value *position = one(op.getPosition()[dim]);
    auto doubles = [&](size_t i) { return layout.getPadded(steps[i]) == layout.getPadded(steps[0]) << i; };
    if (!overlap && !steps.empty() && llvm::all_of(llvm::seq<size_t>(0, steps.size()), doubles)) {
      moved = b.CreateAdd(moved, b.CreateMul(position, i32(layout.getPadded(steps[0]))));
      continue;
    }
    for (auto [bit, offset] : llvm::enumerate(steps)) {
      llvm::Value *set = b.CreateAnd(b.CreateLShr(position, i32(int64_t(bit))), i32(1));
      llvm::Value *step = b.CreateMul(set, i32(overlap ? offset : layout.getPadded(offset)));
      moved = overlap ? b.CreateXor(moved, step) : b.CreateAdd(moved, step);
    }
  }
  if (overlap) {
    llvm::Value *linear = moved;
    for (size_t i = 0; i < layout.getPadding().size(); i += 2)
      moved = b.CreateAdd(moved, b.CreateMul(b.CreateLShr(linear, i32(llvm::Log2_64(uint64_t(layout.getPadding()[i])))),
                                             i32(layout.getPadding()[i + 1])));
  }
  set(op, sharedElement(op.getSrc(), moved));
}

void Printer::printSharedLoad(simt::SharedLoadOp op) {
  if (!op.getOffset())
    fail(op, "expected offsets: the op is of the planned level still");
  llvm::Type *element = elementType(op.getType());
  unsigned each = unsigned(simt::elementBytes(op.getSrc().getType().getElementType()));
  const Values offsets = get(op.getOffset());
  unsigned width = unsigned(simt::elementsOf(op.getType()) / int64_t(offsets.size()));
  unsigned piece = std::min(width, 16 / each);
  Values result;
  for (llvm::Value *offset : offsets) {
    llvm::Value *base = sharedElement(op.getSrc(), offset);
    for (unsigned at = 0; at < width; at += piece)
      llvm::append_range(result,
                         loadPiece(at ? b.CreateConstGEP1_32(b.getInt8Ty(), base, at * each) : base, piece, element));
  }
  set(op, result);
}

void Printer::printSharedStore(simt::SharedStoreOp op) {
  if (!op.getOffset())
    fail(op, "expected offsets: the op is of the planned level still");
  unsigned each = unsigned(simt::elementBytes(op.getDst().getType().getElementType()));
  const Values offsets = get(op.getOffset()), values = get(op.getValue());
  unsigned width = unsigned(values.size() / offsets.size()), piece = std::min(width, 16 / each);
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    llvm::Value *base = sharedElement(op.getDst(), offset);
    for (unsigned at = 0; at < width; at += piece)
      storePiece(at ? b.CreateConstGEP1_32(b.getInt8Ty(), base, at * each) : base,
                 llvm::ArrayRef(values).slice(i * width + at, piece));
  }
}

bool Printer::printShared(Operation *op) {
  auto place = [&](std::optional<uint32_t> offset) {
    if (!offset)
      fail(op, "expected a place in shared memory ('at N'): it is not planned yet");
    return sharedAddress(*offset);
  };
  if (auto buffer = dyn_cast<simt::SharedAllocOp>(op)) {
    set(buffer, place(buffer.getOffset()));
  } else if (auto barriers = dyn_cast<simt::BarrierAllocOp>(op)) {
    set(barriers, place(barriers.getOffset()));
  } else if (auto stage = dyn_cast<simt::StageOp>(op)) {
    simt::SharedType type = stage.getSrc().getType();
    int64_t bytes = type.getStageElements() * simt::elementBytes(type.getElementType());
    set(stage, b.CreateGEP(b.getInt8Ty(), one(stage.getSrc()), b.CreateMul(one(stage.getIndex()), i32(bytes))));
  } else if (auto part = dyn_cast<simt::PartOp>(op)) {
    printPart(part);
  } else if (auto view = dyn_cast<simt::TransposeOp>(op)) {
    set(view, one(view.getSrc()));
  } else if (auto load = dyn_cast<simt::SharedLoadOp>(op)) {
    printSharedLoad(load);
  } else if (auto store = dyn_cast<simt::SharedStoreOp>(op)) {
    printSharedStore(store);
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::llvmir
