// Matrix instructions of one warp: MFMA and WMMA.
#include "backends/rocm/codegen/AmdgcnPrinter.h"
#include "backends/rocm/instructions/MatrixInstructions.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::rocm {
namespace {

/// How a row of the instruction table is written in LLVM IR.
struct Form {
  std::string_view name;
  llvm::Intrinsic::ID id;
  bool isMfma;     // takes three more operands, all zero: no broadcast and no permutation of B
  bool asIntegers; // bf16 is passed as 16-bit integers
  bool overloaded; // on the types of the sums and of A
};

constexpr Form kForms[] = {
    {"mfma_f32_32x32x8_f16", N::amdgcn_mfma_f32_32x32x8f16, true, false, false},
    {"mfma_f32_16x16x16_f16", N::amdgcn_mfma_f32_16x16x16f16, true, false, false},
    {"mfma_f32_32x32x8_bf16_1k", N::amdgcn_mfma_f32_32x32x8bf16_1k, true, true, false},
    {"mfma_f32_16x16x16_bf16_1k", N::amdgcn_mfma_f32_16x16x16bf16_1k, true, true, false},
    {"wmma_f32_16x16x16_f16.gfx11", N::amdgcn_wmma_f32_16x16x16_f16, false, false, true},
    {"wmma_f32_16x16x16_bf16.gfx11", N::amdgcn_wmma_f32_16x16x16_bf16, false, true, true},
    {"wmma_f32_16x16x16_f16.gfx12", N::amdgcn_wmma_f32_16x16x16_f16, false, false, true},
    {"wmma_f32_16x16x16_bf16.gfx12", N::amdgcn_wmma_f32_16x16x16_bf16, false, true, true},
};

llvm::Value *vectorOf(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> elements, llvm::Type *type) {
  llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, unsigned(elements.size())));
  for (auto [i, element] : llvm::enumerate(elements))
    vector = b.CreateInsertElement(vector, b.CreateBitCast(element, type), uint64_t(i));
  return vector;
}

} // namespace

/// c[i][j] += sum over l of a[i][l] * b[j][l], with l outermost: consecutive instructions then add to different
/// accumulators and do not wait for each other.
void AmdgcnPrinter::printMma(simt::MmaOp op) {
  const Form *form =
      llvm::find_if(kForms, [&](const Form &known) { return llvm::StringRef(known.name) == op.getInstruction(); });
  std::span<const MatrixInstruction> rows = matrixInstructions();
  auto row = llvm::find_if(rows, [&](const MatrixInstruction &known) { return known.name == op.getInstruction(); });
  if (form == std::end(kForms) || row == rows.end())
    fail(op, "expected a matrix instruction of AMD such as \"" + exampleInstructions().front() + "\", found \"" +
                 op.getInstruction() + "\"");
  llvm::ArrayRef<int32_t> tiles = op.getTiles();
  size_t m = size_t(tiles[0]), n = size_t(tiles[1]), k = size_t(tiles[2]);
  const Values a = get(op.getA()), bs = get(op.getB());
  Values c = get(op.getC());
  if (a.size() % (m * k) || bs.size() % (n * k) || c.size() % (m * n) || a.empty() || bs.empty() || c.empty())
    fail(op, "expected whole fragments of " + op.getInstruction());
  size_t eachA = a.size() / (m * k), eachB = bs.size() / (n * k), eachC = c.size() / (m * n);
  llvm::Type *operand = form->asIntegers ? b.getInt16Ty() : a.front()->getType();
  llvm::Type *sum = c.front()->getType();
  for (size_t l = 0; l < k; ++l)
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) {
        size_t at = (i * n + j) * eachC;
        llvm::Value *left = vectorOf(b, llvm::ArrayRef(a).slice((i * k + l) * eachA, eachA), operand);
        llvm::Value *right = vectorOf(b, llvm::ArrayRef(bs).slice((j * k + l) * eachB, eachB), operand);
        llvm::Value *sums = vectorOf(b, llvm::ArrayRef(c).slice(at, eachC), sum);
        Values operands = {left, right, sums};
        if (form->isMfma)
          operands.append(3, i32(0));
        llvm::SmallVector<llvm::Type *, 2> types;
        if (form->overloaded)
          types = {sums->getType(), left->getType()};
        llvm::Value *result = intrinsic(form->id, operands, types);
        for (size_t r = 0; r < eachC; ++r)
          c[at + r] = b.CreateExtractElement(result, uint64_t(r));
      }
  set(op, c);
}

} // namespace tegula::rocm
