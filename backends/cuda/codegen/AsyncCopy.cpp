// Prints asynchronous copies between global and shared memory: cp.async (threads copy pieces) and TMA copies of
// described tensors.
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/cuda/codegen/Tiles.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tegula::cuda {

std::string NvptxPrinter::sharedOperand(InlinePtx &ptx, mlir::Value view, llvm::Value *offset) {
  int64_t immediate = 0;
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(offset);
  // The constant may be added last, as the immediate: shared-memory addresses and offsets both have 32 bits, so a sum
  // that wraps is the same in any order of addition.
  if (sum && sum->getOpcode() == llvm::Instruction::Add)
    if (auto *added = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1))) {
      immediate = added->getSExtValue() * simt::elementBytes(cast<simt::SharedType>(view.getType()).getElementType());
      offset = sum->getOperand(0);
    }
  std::string place = ptx.input(sharedElement(view, offset));
  return "[" + place + (immediate ? "+" + std::to_string(immediate) : "") + "]";
}

/// Prints one cp.async for each offset of the op. Each copies `width` consecutive elements; where the op's mask is
/// false, it writes zeros to shared memory and reads no global memory.
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
    // 16-byte copies bypass the first-level cache (.cg), since data that is in shared memory is not read from global
    // memory again.
    text = std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") + ".shared.global " + target + ", [" + text + "], " +
           std::to_string(bytes);
    if (!masks.empty())
      text += ", " + ptx.input(b.CreateSelect(masks[i], i32(bytes), i32(0)));
    ptx.emit(text + ";", InlinePtx::Effect);
  }
}

namespace {

constexpr const char *kTensorCopy = "cp.async.bulk.tensor.";

/// The PTX name of the tensor copy of a tensor of this rank from global to shared memory. The copy reports its bytes to
/// a barrier object, which completes when all expected bytes have arrived.
std::string loadName(size_t rank) {
  return kTensorCopy + std::to_string(rank) + "d.shared::cluster.global.mbarrier::complete_tx::bytes";
}

} // namespace

CopyBoxes NvptxPrinter::boxesOf(Operation *op, simt::SharedType type) {
  std::string problem;
  std::optional<CopyBoxes> boxes = copyBoxes(sharedTile(type), problem);
  if (!boxes)
    fail(op,
         "expected a layout that a tensor copy makes, found " + llvm::Twine(mlir::debugString(type)) + "; " + problem);
  return *boxes;
}

NvptxPrinter::BoxOperands NvptxPrinter::boxOperands(InlinePtx &ptx, mlir::Value tile, mlir::Value descriptor,
                                                    ValueRange position, llvm::Value *element, llvm::Value *column) {
  llvm::Type *type =
      b.getIntNTy(8 * unsigned(simt::elementBytes(cast<simt::SharedType>(tile.getType()).getElementType())));
  std::string place = ptx.input(b.CreateGEP(type, one(tile), element)), from = ptx.input(one(descriptor)), coordinates;
  for (mlir::Value each : llvm::reverse(position)) { // innermost (contiguous) axis first
    llvm::Value *coordinate = coordinates.empty() ? b.CreateAdd(one(each), column) : one(each);
    coordinates += (coordinates.empty() ? "" : ", ") + ptx.input(coordinate);
  }
  return {"[" + place + "]", "[" + from + ", {" + coordinates + "}]"};
}

/// Prints one tensor copy for each box of the tile.
void NvptxPrinter::printTileLoad(simt::LoadTileOp op) {
  need(op, 90, "copies by descriptors");
  CopyBoxes boxes = boxesOf(op, op.getDst().getType());
  llvm::Value *barrier = barrierObject(op.getBarriers(), op.getIndex());
  llvm::Value *policy = op.getOnce() ? cachePolicy("evict_first") : nullptr;
  std::string name = loadName(op.getPosition().size()) + (policy ? ".L2::cache_hint " : " ");
  for (auto [i, offset] : llvm::enumerate(boxes.offsets)) {
    InlinePtx ptx(b);
    auto [memory, tensor] = boxOperands(ptx, op.getDst(), op.getDescriptor(), op.getPosition(), i32(offset),
                                        i32(int64_t(i) * boxes.box.back()));
    ptx.emit(name + memory + ", " + tensor + ", [" + ptx.input(barrier) + "]" +
                 (policy ? ", " + ptx.input(policy) : "") + ";",
             InlinePtx::Effect);
  }
}

/// Prints one multicast copy for each box of this program's share of the tile; each copy writes to all programs of the
/// cluster.
void NvptxPrinter::printMulticast(simt::LoadTileOp op) {
  need(op, 90, "copies by descriptors");
  CopyBoxes boxes = boxesOf(op, op.getDst().getType());
  unsigned cluster = clusterSize();
  size_t count = boxes.offsets.size();
  int64_t distance = count > 1 ? boxes.offsets[1] : 0; // elements from one box to the next
  bool areAlike = count % cluster == 0;
  for (auto [i, offset] : llvm::enumerate(boxes.offsets))
    areAlike &= offset == int64_t(i) * distance;
  if (!areAlike)
    fail(op, "expected a tile of a multiple of " + llvm::Twine(cluster) + " boxes at equal distances, found " +
                 llvm::Twine(mlir::debugString(op.getDst().getType())));
  llvm::Value *barrier = barrierObject(op.getBarriers(), op.getIndex());
  llvm::Value *first = b.CreateMul(clusterRank(), i32(int64_t(count / cluster)));
  for (size_t i = 0; i < count / cluster; ++i) {
    llvm::Value *box = b.CreateAdd(first, i32(int64_t(i)));
    InlinePtx ptx(b);
    auto [memory, tensor] = boxOperands(ptx, op.getDst(), op.getDescriptor(), op.getPosition(),
                                        b.CreateMul(box, i32(distance)), b.CreateMul(box, i32(boxes.box.back())));
    std::string object = "[" + ptx.input(barrier) + "]";
    std::string programs = ptx.input(b.getInt16(uint16_t((1U << cluster) - 1))); // a bit for each program
    ptx.emit(loadName(op.getPosition().size()) + ".multicast::cluster " + memory + ", " + tensor + ", " + object +
                 ", " + programs + ";",
             InlinePtx::Effect);
  }
}

/// Prints one tensor copy for each box of the tile.
void NvptxPrinter::printTileStore(simt::StoreTileOp op) {
  need(op, 90, "copies by descriptors");
  CopyBoxes boxes = boxesOf(op, op.getSrc().getType());
  for (auto [i, offset] : llvm::enumerate(boxes.offsets)) {
    InlinePtx ptx(b);
    auto [memory, tensor] = boxOperands(ptx, op.getSrc(), op.getDescriptor(), op.getPosition(), i32(offset),
                                        i32(int64_t(i) * boxes.box.back()));
    ptx.emit(kTensorCopy + std::to_string(op.getPosition().size()) + "d.global.shared::cta.bulk_group " + tensor +
                 ", " + memory + ";",
             InlinePtx::Effect);
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
    load.getMulticast() ? printMulticast(load) : printTileLoad(load);
  else if (auto store = dyn_cast<simt::StoreTileOp>(op))
    printTileStore(store);
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
