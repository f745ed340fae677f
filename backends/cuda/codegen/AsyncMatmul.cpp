// Asynchronous matrix products of four warps: wgmma. One product is one piece of PTX, so that nothing can come between its
// steps, and its accumulators are operands that the piece updates in place.
#include "backends/cuda/codegen/Instruction.h"
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/cuda/codegen/Tiles.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

/// A register of the piece that holds a descriptor moved by `bytes`; the fields above the address do not change.
std::string moved(std::string &text, const std::string &to, const std::string &from, uint32_t bytes) {
  if (bytes == 0)
    return from;
  text += "add.s64 " + to + ", " + from + ", " + std::to_string(bytes >> 4) + "; ";
  return to;
}

} // namespace

/// The 64-bit descriptor of a view: its fields are known, its address is not.
llvm::Value *NvptxPrinter::matrixDescriptor(mlir::Value shared, const MatrixView &view) {
  llvm::Value *address = b.CreatePtrToInt(one(shared), b.getInt32Ty());
  llvm::Value *field = b.CreateAnd(b.CreateLShr(address, 4), 0x3fff);
  return b.CreateOr(b.CreateZExt(field, b.getInt64Ty()), b.getInt64(view.fields()));
}

MatrixView NvptxPrinter::viewOf(Operation *op, mlir::Value shared, unsigned kDim, unsigned mn, unsigned k) {
  auto type = cast<simt::SharedType>(shared.getType());
  std::string problem;
  std::optional<MatrixView> view = matrixView(sharedTile(type), kDim, mn, k, problem);
  if (!view)
    fail(op, "expected a layout that the instruction reads, found " + llvm::Twine(typeText(type)) + "; " + problem);
  return *view;
}

void NvptxPrinter::printMatmulAsync(simt::MatmulAsyncOp op) {
  std::optional<Instruction> row = Instruction::parse(op.getInstruction());
  if (!row || !row->asynchronous || row->m != 64 || row->n % 8 != 0 || row->n > 256)
    fail(op, "expected the name of an asynchronous matrix instruction such as \"async.m64n256k16.f32.f16\", found \"" +
                 op.getInstruction() + "\"");
  if (!version_.specific)
    fail(op, "expected target sm_90a for asynchronous matrix products, found " + llvm::Twine(version_.name()));
  simt::SharedType right = op.getB().getType();
  if (right.getShape()[1] != row->n)
    fail(op, "expected 'b' to have the instruction's " + llvm::Twine(row->n) + " columns, found " +
                 llvm::Twine(typeText(right)));
  MatrixView viewB = viewOf(op, op.getB(), 0, row->n, row->k);
  unsigned steps = unsigned(viewB.kSteps.size());

  // The left operand: a view, or fragments of the tiles of m, k fastest.
  bool inRegisters = !isa<simt::SharedType>(op.getA().getType());
  Values accumulators = get(op.getAccumulator());
  llvm::Type *element = accumulators.front()->getType();
  unsigned perTile = 64 * row->n / 128, tiles = unsigned(accumulators.size()) / perTile;
  if (accumulators.size() % perTile != 0)
    fail(op, "expected an accumulator of a multiple of " + llvm::Twine(perTile) + " elements, found " +
                 llvm::Twine(accumulators.size()));
  MatrixView viewA;
  Values left;
  if (inRegisters) {
    left = pack(get(op.getA()));
    unsigned expected = tiles * steps * row->m * row->k * row->operandBits() / (128 * 32);
    if (left.size() != expected)
      fail(op, "expected 'a' to hold " + llvm::Twine(expected * 32 / row->operandBits()) + " elements, found " +
                   llvm::Twine(get(op.getA()).size()));
  } else {
    viewA = viewOf(op, op.getA(), 1, 64, row->k);
    if (viewA.mnTiles.size() != tiles)
      fail(op, "expected an accumulator of " + llvm::Twine(viewA.mnTiles.size() * perTile) + " elements, found " +
                   llvm::Twine(accumulators.size()));
  }

  // f32 and s32 accumulators are a register an element, f16 two.
  bool packed = row->accumulatorBits() == 16;
  Values sums = packed ? pack(accumulators) : accumulators;
  unsigned eachSum = packed ? perTile / 2 : perTile;
  InlinePtx ptx(b);
  for (llvm::Value *sum : sums)
    ptx.output(sum->getType());
  unsigned firstLeft = unsigned(sums.size());
  std::string fromA;
  if (inRegisters)
    for (llvm::Value *word : left)
      ptx.input(word);
  else
    fromA = ptx.input(matrixDescriptor(op.getA(), viewA));
  std::string fromB = ptx.input(matrixDescriptor(op.getB(), viewB));
  std::string text = "{ .reg .pred first, more; .reg .b64 da, db; setp.eq.u32 more, 0, 0; ";
  if (op.getAccumulate())
    text += "and.pred first, " + ptx.input(one(op.getAccumulate())) + ", more; ";
  for (unsigned i = 0; i < sums.size(); ++i)
    ptx.tie(i, sums[i]);

  text += "wgmma.fence.sync.aligned; ";
  std::string name = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(row->n) + "k" + std::to_string(row->k) + "." +
                     row->accumulator + "." + row->operand + "." + row->operand + " ";
  bool floats = row->accumulator[0] == 'f', transposes = row->operandBits() == 16;
  for (unsigned step = 0; step < steps; ++step)
    for (unsigned tile = 0; tile < tiles; ++tile) {
      std::string db = moved(text, "db", fromB, viewB.kSteps[step]), a;
      if (inRegisters) {
        unsigned words = row->m * row->k * row->operandBits() / (128 * 32);
        a = registerList(firstLeft + (tile * steps + step) * words, words);
      } else {
        a = moved(text, "da", fromA, viewA.mnTiles[tile] + viewA.kSteps[step]);
      }
      text += name + registerList(tile * eachSum, eachSum) + ", " + a + ", " + db + ", " +
              (step == 0 && op.getAccumulate() ? "first" : "more");
      if (floats)
        text += ", 1, 1";
      if (floats && transposes)
        text += std::string(inRegisters ? "" : viewA.kMajor ? ", 0" : ", 1") + (viewB.kMajor ? ", 0" : ", 1");
      text += "; ";
    }
  text += "wgmma.commit_group.sync.aligned; }";
  Values results = ptx.emit(text, InlinePtx::Collective);
  set(op, packed ? unpack(results, element) : results);
}

/// The accumulators pass through, so that nothing reads them before.
void NvptxPrinter::printMatmulWait(simt::MatmulWaitOp op) {
  InlinePtx ptx(b);
  Values all;
  llvm::SmallVector<size_t> counts;
  for (mlir::Value accumulator : op.getAccumulators()) {
    const Values &elements = get(accumulator);
    Values registers = elements.front()->getType()->getScalarSizeInBits() == 16 ? pack(elements) : elements;
    counts.push_back(registers.size());
    llvm::append_range(all, registers);
  }
  for (llvm::Value *value : all)
    ptx.output(value->getType());
  for (auto [i, value] : llvm::enumerate(all))
    ptx.tie(unsigned(i), value);
  Values results =
      ptx.emit("wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";", InlinePtx::Collective);
  size_t at = 0;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    llvm::ArrayRef<llvm::Value *> part = llvm::ArrayRef(results).slice(at, counts[i]);
    llvm::Type *element = elementType(result.getType());
    set(result, element->getScalarSizeInBits() == 16 ? unpack(part, element) : Values(part));
    at += counts[i];
  }
}

bool NvptxPrinter::printAsyncMatmul(Operation *op) {
  if (auto product = dyn_cast<simt::MatmulAsyncOp>(op))
    printMatmulAsync(product);
  else if (auto wait = dyn_cast<simt::MatmulWaitOp>(op))
    printMatmulWait(wait);
  else
    return false;
  return true;
}

} // namespace tegula::cuda
