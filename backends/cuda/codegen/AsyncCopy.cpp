// Asynchronous copies between global and shared memory: cp.async (each thread copies) and tensor copies of descriptors.
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/cuda/codegen/Tiles.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tegula::cuda {

std::string NvptxPrinter::sharedOperand(InlinePtx &ptx, mlir::Value view, llvm::Value *offset) {
  int64_t immediate = 0;
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(offset);
  // Addresses of shared memory and offsets have 32 bits, so that it makes no difference where a sum wraps.
  if (sum && sum->getOpcode() == llvm::Instruction::Add)
    if (auto *added = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1))) {
      immediate = added->getSExtValue() * simt::elementBytes(cast<simt::SharedType>(view.getType()).getElementType());
      offset = sum->getOperand(0);
    }
  std::string place = ptx.input(sharedElement(view, offset));
  return "[" + place + (immediate ? "+" + std::to_string(immediate) : "") + "]";
}

/// cp.async: copies `width` elements for each offset. Where the mask is false it writes zeros and reads no global
/// memory.
void NvptxPrinter::printAsyncLoad(simt::AsyncLoadOp op) {
  need(op, 80, "asynchronous copies");
  mlir::Type pointee = op.getBase().getType().getPointee();
  unsigned each = unsigned(simt::elementBytes(pointee)), bytes = op.getWidth() * each;
  const Values from = get(op.getFrom()), to = get(op.getTo());
  Values masks = op.getMask() ? get(op.getMask()) : Values();
  for (auto [i, offset] : llvm::enumerate(from)) {
    llvm::Value *source = b.CreateGEP(b.getIntNTy(8 * each), one(op.getBase()), offset);
    InlinePtx ptx(b);
    std::string target = sharedOperand(ptx, op.getDst(), to[i]), text = ptx.input(source);
    // 16-byte copies bypass the first-level cache (.cg): data in shared memory is not read from global memory again.
    text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") + ".shared.global " + target + ", [" + text + "], " +
           std::to_string(bytes);
    if (!masks.empty())
      text += ", " + ptx.input(b.CreateSelect(masks[i], i32(bytes), i32(0)));
    ptx.emit(text + ";", InlinePtx::Effect);
  }
}

/// One instruction for each box: to shared memory where `barrier` is given, else from shared to global memory.
/// `policy`: of the second-level cache, for a copy to shared memory; may be null.
void NvptxPrinter::printTileCopy(Operation *op, mlir::Value descriptor, ValueRange position, mlir::Value shared,
                                 llvm::Value *barrier, llvm::Value *policy) {
  need(op, 90, "copies by descriptors");
  auto type = cast<simt::SharedType>(shared.getType());
  std::string problem;
  std::optional<CopyBoxes> boxes = copyBoxes(sharedTile(type), problem);
  if (!boxes)
    fail(op,
         "expected a layout that a tensor copy makes, found " + llvm::Twine(mlir::debugString(type)) + "; " + problem);
  unsigned rank = unsigned(position.size()), each = unsigned(simt::elementBytes(type.getElementType()));
  for (auto [i, offset] : llvm::enumerate(boxes->offsets)) {
    llvm::Value *place =
        offset ? b.CreateConstGEP1_32(b.getInt8Ty(), one(shared), unsigned(offset) * each) : one(shared);
    InlinePtx ptx(b);
    std::string memory = "[" + ptx.input(place) + "]", from = ptx.input(one(descriptor)), coordinates;
    for (unsigned dim = rank; dim-- > 0;) { // innermost (contiguous) axis first
      llvm::Value *coordinate = one(position[dim]);
      if (dim + 1 == rank && i > 0)
        coordinate = b.CreateAdd(coordinate, i32(int64_t(i) * boxes->box.back()));
      coordinates += (coordinates.empty() ? "" : ", ") + ptx.input(coordinate);
    }
    std::string tensor = "[" + from + ", {" + coordinates + "}]";
    std::string name = "cp.async.bulk.tensor." + std::to_string(rank) + "d.";
    if (barrier)
      ptx.emit(name + "shared::cluster.global.mbarrier::complete_tx::bytes" + (policy ? ".L2::cache_hint " : " ") +
                   memory + ", " + tensor + ", [" + ptx.input(barrier) + "]" +
                   (policy ? ", " + ptx.input(policy) : "") + ";",
               InlinePtx::Effect);
    else
      ptx.emit(name + "global.shared::cta.bulk_group " + tensor + ", " + memory + ";", InlinePtx::Effect);
  }
}

bool NvptxPrinter::printCopies(Operation *op) {
  auto simple = [&](const std::string &text, unsigned version) {
    need(op, version, "asynchronous copies");
    InlinePtx(b).emit(text + ";", InlinePtx::Effect);
  };
  if (auto load = dyn_cast<simt::AsyncLoadOp>(op))
    printAsyncLoad(load);
  else if (auto load = dyn_cast<simt::LoadTileOp>(op))
    printTileCopy(op, load.getDescriptor(), load.getPosition(), load.getDst(),
                  barrierObject(load.getBarriers(), load.getIndex()),
                  load.getOnce() ? cachePolicy("evict_first") : nullptr);
  else if (auto store = dyn_cast<simt::StoreTileOp>(op))
    printTileCopy(op, store.getDescriptor(), store.getPosition(), store.getSrc(), nullptr, nullptr);
  else if (isa<simt::CommitLoadsOp>(op))
    simple("cp.async.commit_group", 80);
  else if (auto wait = dyn_cast<simt::WaitLoadsOp>(op))
    simple("cp.async.wait_group " + std::to_string(wait.getPending()), 80);
  else if (isa<simt::CommitStoresOp>(op))
    simple("cp.async.bulk.commit_group", 90);
  else if (auto wait = dyn_cast<simt::WaitStoresOp>(op))
    simple(std::string("cp.async.bulk.wait_group") + (wait.getReads() ? ".read " : " ") +
               std::to_string(wait.getPending()),
           90);
  else
    return false;
  return true;
}

} // namespace tegula::cuda
