// Prints asynchronous matrix products of four warps: wgmma. One tl.dot becomes one inline-assembly statement, so that
// LLVM cannot place other instructions between its steps. The accumulators are operands that the statement updates in
// place.
#include "backends/cuda/codegen/Instruction.h"
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/cuda/codegen/Tiles.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

/// Appends `to = from + bytes` for a matrix descriptor and returns the register with the result, which is `from` if
/// `bytes` is 0. The address field counts units of 16 bytes; the fields above it do not change.
std::string moved(std::string &text, const std::string &to, const std::string &from, uint32_t bytes) {
  if (bytes == 0)
    return from;
  text += "add.s64 " + to + ", " + from + ", " + std::to_string(bytes >> 4) + "; ";
  return to;
}

} // namespace

/// Builds the 64-bit matrix descriptor of a view: the address is computed, all other fields are constants.
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
    fail(op, "expected a layout that the instruction reads, found " + llvm::Twine(mlir::debugString(type)) + "; " +
                 problem);
  return *view;
}

void NvptxPrinter::printMatmulAsync(simt::MatmulAsyncOp op) {
  std::optional<Instruction> instruction = Instruction::find(op.getInstruction());
  if (!instruction || !instruction->asynchronous)
    fail(op, "expected an asynchronous matrix instruction such as \"wgmma.m64n256k16.f32.f16\", found \"" +
                 op.getInstruction() + "\"");
  if (!version_.specific)
    fail(op, "expected target sm_90a for asynchronous matrix products, found " + llvm::Twine(version_.name()));
  const MatrixInstruction *row = instruction->row;
  simt::SharedType right = op.getB().getType();
  if (right.getShape()[1] != row->n)
    fail(op, "expected 'b' to have the instruction's " + llvm::Twine(row->n) + " columns, found " +
                 llvm::Twine(mlir::debugString(right)));
  MatrixView viewB = viewOf(op, op.getB(), 0, row->n, row->k);
  unsigned steps = unsigned(viewB.kSteps.size()), perTile = row->cRegisters();
  const Values accumulators = get(op.getAccumulator());
  unsigned tiles = unsigned(accumulators.size()) / perTile;
  if (accumulators.size() % perTile != 0)
    fail(op, "expected an accumulator of a multiple of " + llvm::Twine(perTile) + " elements, found " +
                 llvm::Twine(accumulators.size()));

  // The left operand A is a view in shared memory, or fragments in registers: one fragment for each pair of a tile of m
  // and a step of k. Fragments of consecutive k steps follow each other.
  bool inRegisters = !isa<simt::SharedType>(op.getA().getType());
  unsigned words = row->m * row->k * instruction->operandBits() / (128 * 32); // of a fragment, in one thread
  MatrixView viewA;
  Values left;
  if (inRegisters) {
    left = pack(get(op.getA()));
    if (left.size() != tiles * steps * words)
      fail(op, "expected 'a' to hold " + llvm::Twine(tiles * steps * words * 32 / instruction->operandBits()) +
                   " elements, found " + llvm::Twine(get(op.getA()).size()));
  } else {
    viewA = viewOf(op, op.getA(), 1, row->m, row->k);
    if (viewA.mnTiles.size() != tiles)
      fail(op, "expected an accumulator of " + llvm::Twine(viewA.mnTiles.size() * perTile) + " elements, found " +
                   llvm::Twine(accumulators.size()));
  }

  // If `accumulate` is the constant false, wgmma overwrites the accumulator without reading it, so the accumulator's
  // initial value may be left undefined.
  bool overwrites = op.getAccumulate() && matchPattern(op.getAccumulate(), m_Zero());
  InlinePtx ptx(b);
  for (llvm::Value *sum : accumulators)
    ptx.output(sum->getType());
  unsigned firstLeft = unsigned(accumulators.size());
  std::string fromA;
  if (inRegisters)
    for (llvm::Value *word : left)
      ptx.input(word);
  else
    fromA = ptx.input(matrixDescriptor(op.getA(), viewA));
  std::string fromB = ptx.input(matrixDescriptor(op.getB(), viewB));
  std::string text = "{ .reg .pred first, more; .reg .b64 da, db; setp.eq.u32 more, 0, 0; ";
  if (overwrites)
    text += "setp.ne.u32 first, 0, 0; ";
  else if (op.getAccumulate())
    text += "and.pred first, " + ptx.input(one(op.getAccumulate())) + ", more; ";
  for (auto [i, sum] : llvm::enumerate(accumulators))
    ptx.tie(unsigned(i), overwrites ? llvm::UndefValue::get(sum->getType()) : sum);

  text += "wgmma.fence.sync.aligned; ";
  std::string name = "wgmma.mma_async.sync.aligned." + instruction->shape() + "." + instruction->accumulator + "." +
                     instruction->operand + "." + instruction->operand + " ";
  for (unsigned tile = 0; tile < tiles; ++tile)
    for (unsigned step = 0; step < steps; ++step) {
      std::string db = moved(text, "db", fromB, viewB.kSteps[step]);
      std::string a = inRegisters ? registerList(firstLeft + (tile * steps + step) * words, words)
                                  : moved(text, "da", fromA, viewA.mnTiles[tile] + viewA.kSteps[step]);
      text += name + registerList(tile * perTile, perTile) + ", " + a + ", " + db + ", " +
              (step == 0 && op.getAccumulate() ? "first" : "more");
      if (row->c.type == ScalarType::F32)
        text += ", 1, 1"; // scale of A and of B: 1, so neither is negated
      if (instruction->operandBits() == 16)
        text += std::string(inRegisters ? "" : viewA.kMajor ? ", 0" : ", 1") + (viewB.kMajor ? ", 0" : ", 1");
      text += "; ";
    }
  text += "wgmma.commit_group.sync.aligned; }";
  set(op, ptx.emit(text, InlinePtx::Collective));
  if (inRegisters)
    leftInFlight_[op.getResult()] = left;
}

/// Prints the wait for asynchronous products. The accumulators are operands and results of the wait, so that every
/// reader comes after it. Left operands in registers are inputs of the wait, too: wgmma reads them until the wait ends,
/// so their registers must not be reused earlier.
void NvptxPrinter::printMatmulWait(simt::MatmulWaitOp op) {
  InlinePtx ptx(b);
  Values all;
  for (mlir::Value accumulator : op.getAccumulators())
    llvm::append_range(all, get(accumulator));
  for (llvm::Value *value : all)
    ptx.output(value->getType());
  for (mlir::Value accumulator : op.getAccumulators())
    for (llvm::Value *word : leftInFlight_.lookup(accumulator))
      ptx.input(word);
  for (auto [i, value] : llvm::enumerate(all))
    ptx.tie(unsigned(i), value);
  const Values results =
      ptx.emit("wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";", InlinePtx::Collective);
  llvm::ArrayRef<llvm::Value *> left = results;
  for (mlir::Value result : op.getResults()) {
    size_t count = size_t(simt::elementsOf(result.getType()));
    set(result, Values(left.take_front(count)));
    left = left.drop_front(count);
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
