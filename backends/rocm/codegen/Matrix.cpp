// Prints matrix instructions of one warp: MFMA and WMMA.
#include "backends/rocm/codegen/AmdgcnPrinter.h"
#include "backends/rocm/instructions/MatrixInstructions.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::rocm {
namespace {

/// The arguments that an intrinsic takes in addition to A, B and C.
enum class Kind {
  Mfma,           // three zeros: no broadcast and no permutation of B
  Wmma,           // none; overloaded on the types of C and of A
  WmmaOfIntegers, // flags: A signed, B signed, sums saturate; overloaded in the same way
};

/// The form in which an intrinsic takes a lane's elements of A or B.
enum class Operands {
  Elements, // a vector of elements
  Shorts,   // a vector of 16-bit integers (bf16)
  Words,    // a vector of 32-bit integers
  Integer,  // one integer of 32 or 64 bits
  Scalar,   // a single element
};

/// How LLVM IR expresses the matrix instruction `name` (a row of instructions/MatrixInstructions.cpp): the intrinsic,
/// its additional arguments, and the form in which it takes A and B.
struct Form {
  std::string_view name;
  llvm::Intrinsic::ID id;
  Kind kind;
  Operands operands;
};

constexpr Form kForms[] = {
    {"mfma_f32_32x32x8_f16", N::amdgcn_mfma_f32_32x32x8f16, Kind::Mfma, Operands::Elements},
    {"mfma_f32_32x32x8_bf16_1k", N::amdgcn_mfma_f32_32x32x8bf16_1k, Kind::Mfma, Operands::Shorts},
    {"mfma_i32_32x32x8_i8.gfx90a", N::amdgcn_mfma_i32_32x32x8i8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_16x16x16_f16", N::amdgcn_mfma_f32_16x16x16f16, Kind::Mfma, Operands::Elements},
    {"mfma_f32_16x16x16_bf16_1k", N::amdgcn_mfma_f32_16x16x16bf16_1k, Kind::Mfma, Operands::Shorts},
    {"mfma_i32_16x16x16_i8.gfx90a", N::amdgcn_mfma_i32_16x16x16i8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_32x32x2_f32", N::amdgcn_mfma_f32_32x32x2f32, Kind::Mfma, Operands::Scalar},
    {"mfma_f32_16x16x4_f32", N::amdgcn_mfma_f32_16x16x4f32, Kind::Mfma, Operands::Scalar},
    {"mfma_f64_16x16x4_f64", N::amdgcn_mfma_f64_16x16x4f64, Kind::Mfma, Operands::Scalar},
    {"mfma_i32_32x32x16_i8.gfx942", N::amdgcn_mfma_i32_32x32x16_i8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_32x32x4_xf32.gfx942", N::amdgcn_mfma_f32_32x32x4_xf32, Kind::Mfma, Operands::Elements},
    {"mfma_f32_32x32x16_fp8_fp8.gfx942", N::amdgcn_mfma_f32_32x32x16_fp8_fp8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_32x32x16_fp8_bf8.gfx942", N::amdgcn_mfma_f32_32x32x16_fp8_bf8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_32x32x16_bf8_fp8.gfx942", N::amdgcn_mfma_f32_32x32x16_bf8_fp8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_32x32x16_bf8_bf8.gfx942", N::amdgcn_mfma_f32_32x32x16_bf8_bf8, Kind::Mfma, Operands::Integer},
    {"mfma_i32_16x16x32_i8.gfx942", N::amdgcn_mfma_i32_16x16x32_i8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_16x16x8_xf32.gfx942", N::amdgcn_mfma_f32_16x16x8_xf32, Kind::Mfma, Operands::Elements},
    {"mfma_f32_16x16x32_fp8_fp8.gfx942", N::amdgcn_mfma_f32_16x16x32_fp8_fp8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_16x16x32_fp8_bf8.gfx942", N::amdgcn_mfma_f32_16x16x32_fp8_bf8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_16x16x32_bf8_fp8.gfx942", N::amdgcn_mfma_f32_16x16x32_bf8_fp8, Kind::Mfma, Operands::Integer},
    {"mfma_f32_16x16x32_bf8_bf8.gfx942", N::amdgcn_mfma_f32_16x16x32_bf8_bf8, Kind::Mfma, Operands::Integer},
    {"wmma_f32_16x16x16_f16.gfx11", N::amdgcn_wmma_f32_16x16x16_f16, Kind::Wmma, Operands::Elements},
    {"wmma_f32_16x16x16_bf16.gfx11", N::amdgcn_wmma_f32_16x16x16_bf16, Kind::Wmma, Operands::Shorts},
    {"wmma_i32_16x16x16_iu8.gfx11", N::amdgcn_wmma_i32_16x16x16_iu8, Kind::WmmaOfIntegers, Operands::Words},
    {"wmma_f32_16x16x16_f16.gfx12", N::amdgcn_wmma_f32_16x16x16_f16, Kind::Wmma, Operands::Elements},
    {"wmma_f32_16x16x16_bf16.gfx12", N::amdgcn_wmma_f32_16x16x16_bf16, Kind::Wmma, Operands::Shorts},
    {"wmma_i32_16x16x16_iu8.gfx12", N::amdgcn_wmma_i32_16x16x16_iu8, Kind::WmmaOfIntegers, Operands::Words},
    {"wmma_f32_16x16x16_fp8_fp8.gfx12", N::amdgcn_wmma_f32_16x16x16_fp8_fp8, Kind::Wmma, Operands::Words},
    {"wmma_f32_16x16x16_fp8_bf8.gfx12", N::amdgcn_wmma_f32_16x16x16_fp8_bf8, Kind::Wmma, Operands::Words},
    {"wmma_f32_16x16x16_bf8_fp8.gfx12", N::amdgcn_wmma_f32_16x16x16_bf8_fp8, Kind::Wmma, Operands::Words},
    {"wmma_f32_16x16x16_bf8_bf8.gfx12", N::amdgcn_wmma_f32_16x16x16_bf8_bf8, Kind::Wmma, Operands::Words},
};

llvm::Value *vectorOf(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> elements) {
  llvm::Type *type = elements.front()->getType();
  llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, unsigned(elements.size())));
  for (auto [i, element] : llvm::enumerate(elements))
    vector = b.CreateInsertElement(vector, element, uint64_t(i));
  return vector;
}

llvm::Value *operandOf(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> elements, Operands how) {
  if (how == Operands::Scalar)
    return elements.front();
  llvm::Value *vector = vectorOf(b, elements);
  unsigned bits = unsigned(elements.size()) * elements.front()->getType()->getScalarSizeInBits();
  auto vectorType = [&](unsigned each) { return llvm::FixedVectorType::get(b.getIntNTy(each), bits / each); };
  switch (how) {
  case Operands::Shorts: return b.CreateBitCast(vector, vectorType(16));
  case Operands::Words: return b.CreateBitCast(vector, vectorType(32));
  case Operands::Integer: return b.CreateBitCast(vector, b.getIntNTy(bits));
  default: return vector;
  }
}

} // namespace

/// Computes c[i][j] += sum over l of a[i][l] * b[j][l], with l as the outermost loop, where a, b and c are fragments:
/// consecutive instructions then add to different accumulators and do not wait for each other. The inner loop runs over
/// the shorter one of i and j: then all fragments of the operand with fewer fragments are in registers at a time, but
/// only one fragment of the other operand.
void AmdgcnPrinter::printMma(simt::MmaOp op) {
  llvm::StringRef name = op.getInstruction();
  bool isTransposed = name.consume_back(kTransposed);
  const Form *form = llvm::find_if(kForms, [&](const Form &known) { return llvm::StringRef(known.name) == name; });
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
  size_t inner = std::min(m, n), outer = std::max(m, n);
  for (size_t l = 0; l < k; ++l)
    for (size_t far = 0; far < outer; ++far)
      for (size_t near = 0; near < inner; ++near) {
        size_t i = m < n ? near : far, j = m < n ? far : near;
        size_t at = (i * n + j) * eachC;
        llvm::Value *left = operandOf(b, llvm::ArrayRef(a).slice((i * k + l) * eachA, eachA), form->operands);
        llvm::Value *right = operandOf(b, llvm::ArrayRef(bs).slice((j * k + l) * eachB, eachB), form->operands);
        if (isTransposed)
          std::swap(left, right);
        llvm::Value *sums = vectorOf(b, llvm::ArrayRef(c).slice(at, eachC)), *result = nullptr;
        switch (form->kind) {
        case Kind::Mfma: result = intrinsic(form->id, {left, right, sums, i32(0), i32(0), i32(0)}); break;
        case Kind::Wmma: result = intrinsic(form->id, {left, right, sums}, {sums->getType(), left->getType()}); break;
        case Kind::WmmaOfIntegers:
          result = intrinsic(form->id, {b.getTrue(), left, b.getTrue(), right, sums, b.getFalse()},
                             {sums->getType(), left->getType()});
          break;
        }
        for (size_t r = 0; r < eachC; ++r)
          c[at + r] = b.CreateExtractElement(result, uint64_t(r));
      }
  set(op, c);
}

} // namespace tegula::rocm
