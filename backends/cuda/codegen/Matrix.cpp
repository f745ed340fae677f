// Prints matrix instructions and fragment accesses of one warp: ldmatrix, stmatrix, mma.sync.
#include "backends/cuda/codegen/Instruction.h"
#include "backends/cuda/codegen/NvptxPrinter.h"

using namespace mlir;

namespace tegula::cuda {

void NvptxPrinter::printLoadMatrix(simt::LoadMatrixOp op) {
  need(op, 75, "loads of matrices");
  llvm::Type *element = elementType(op.getType());
  unsigned count = unsigned(simt::elementsOf(op.getType())) * element->getScalarSizeInBits() / 32;
  InlinePtx ptx(b);
  for (unsigned i = 0; i < count; ++i)
    ptx.output(b.getInt32Ty());
  std::string place = sharedOperand(ptx, op.getSrc(), one(op.getOffset()));
  Values words = ptx.emit("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (op.getTranspose() ? ".trans" : "") +
                              ".shared.b16 " + registerList(0, count) + ", " + place + ";",
                          InlinePtx::Collective);
  set(op, unpack(words, element));
}

void NvptxPrinter::printStoreMatrix(simt::StoreMatrixOp op) {
  need(op, 90, "stores of matrices");
  Values words = pack(get(op.getValue()));
  InlinePtx ptx(b);
  std::string place = sharedOperand(ptx, op.getDst(), one(op.getOffset())), list;
  for (llvm::Value *word : words)
    list += (list.empty() ? "" : ", ") + ptx.input(word);
  ptx.emit("stmatrix.sync.aligned.m8n8.x" + std::to_string(words.size()) + (op.getTranspose() ? ".trans" : "") +
               ".shared.b16 " + place + ", {" + list + "};",
           InlinePtx::Collective);
}

namespace {

/// Returns the elements of a fragment as operands of mma: accumulators of f32 and all f64 elements as they are, all
/// others packed into 32-bit words.
Values toRegisters(llvmir::Printer &p, llvm::ArrayRef<llvm::Value *> elements, bool accumulator) {
  llvm::Type *type = elements.front()->getType();
  if (type->isDoubleTy() || (accumulator && type->isFloatTy()))
    return Values(elements);
  return p.pack(elements);
}

} // namespace

/// Computes c[i][j] += sum over l of a[i][l] * b[j][l], with l as the outermost loop: consecutive instructions then add
/// to different accumulators and do not wait for each other.
void NvptxPrinter::printMma(simt::MmaOp op) {
  std::optional<Instruction> instruction = Instruction::find(op.getInstruction());
  if (!instruction || instruction->asynchronous)
    fail(op, "expected a matrix instruction of a warp such as \"mma.m16n8k16.f32.f16\", found \"" +
                 op.getInstruction() + "\"");
  const MatrixInstruction *row = instruction->row;
  need(op, leastVersion(*row), "this instruction");
  llvm::ArrayRef<int32_t> tiles = op.getTiles();
  size_t m = size_t(tiles[0]), n = size_t(tiles[1]), k = size_t(tiles[2]);
  const Values a = get(op.getA()), b_ = get(op.getB());
  Values c = get(op.getC());
  size_t eachA = row->m * row->k / 32, eachB = row->n * row->k / 32, eachC = row->m * row->n / 32;
  auto check = [&](const char *what, size_t found, size_t fragments, size_t each) {
    if (found != fragments * each)
      fail(op, llvm::Twine("expected '") + what + "' to hold " + llvm::Twine(fragments) + " fragments of " +
                   llvm::Twine(each) + " elements for " + op.getInstruction() + ", found " + llvm::Twine(found) +
                   " elements");
  };
  check("a", a.size(), m * k, eachA);
  check("b", b_.size(), n * k, eachB);
  check("c", c.size(), m * n, eachC);
  auto fragment = [](const Values &all, size_t index, size_t each) {
    return llvm::ArrayRef(all).slice(index * each, each);
  };
  std::string name = "mma.sync.aligned." + instruction->shape() + ".row.col." + instruction->accumulator + "." +
                     instruction->operand + "." + instruction->operand + "." + instruction->accumulator;
  for (size_t l = 0; l < k; ++l)
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) {
        size_t at = (i * n + j) * eachC;
        Values sums = toRegisters(*this, llvm::ArrayRef(c).slice(at, eachC), true);
        Values left = toRegisters(*this, fragment(a, i * k + l, eachA), false);
        Values right = toRegisters(*this, fragment(b_, j * k + l, eachB), false);
        InlinePtx ptx(b);
        for (llvm::Value *sum : sums)
          ptx.output(sum->getType());
        unsigned outs = unsigned(sums.size()), lefts = unsigned(left.size()), rights = unsigned(right.size());
        for (llvm::Value *word : left)
          ptx.input(word);
        for (llvm::Value *word : right)
          ptx.input(word);
        for (unsigned r = 0; r < outs; ++r)
          ptx.tie(r, sums[r]);
        Values result = ptx.emit(name + " " + registerList(0, outs) + ", " + registerList(outs, lefts) + ", " +
                                     registerList(outs + lefts, rights) + ", " + registerList(0, outs) + ";",
                                 InlinePtx::PureCollective);
        llvm::Type *element = c[at]->getType();
        bool whole = element->isFloatTy() || element->isDoubleTy();
        Values elements = whole ? result : unpack(result, element);
        std::copy(elements.begin(), elements.end(), c.begin() + std::ptrdiff_t(at));
      }
  set(op, c);
}

bool NvptxPrinter::printMatrix(Operation *op) {
  if (auto load = dyn_cast<simt::LoadMatrixOp>(op))
    printLoadMatrix(load);
  else if (auto store = dyn_cast<simt::StoreMatrixOp>(op))
    printStoreMatrix(store);
  else if (auto product = dyn_cast<simt::MmaOp>(op))
    printMma(product);
  else
    return false;
  return true;
}

} // namespace tegula::cuda
