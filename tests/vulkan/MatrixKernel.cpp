#include "tests/vulkan/Kernels.h"

namespace tegula::vulkan::test {

using spirv::Builder;
using spirv::Id;
using spirv::MatrixLayout;
using spirv::MatrixUse;
using spirv::Module;
using Ids = Builder::Ids;

namespace {

Id componentType(Module &m, ScalarType type) {
  switch (type) {
  case ScalarType::F16: return m.floatType(16);
  case ScalarType::BF16: return m.floatType(16, spirv::FloatFormat::BFloat16);
  case ScalarType::F32: return m.floatType(32);
  default: return m.intType(static_cast<uint32_t>(byteSize(type)) * 8);
  }
}

} // namespace

Artifact matrixMultiply(const MatrixInstruction &product, uint32_t subgroupSize, std::string target) {
  KernelShape shape{.entry = "matrix_multiply",
                    .params = {pointer("a", product.a.type), pointer("b", product.a.type), pointer("c", product.c.type),
                               scalar("n", ScalarType::I32), scalar("k", ScalarType::I32)},
                    .hidden = {},
                    .threads = subgroupSize,
                    .subgroupSize = subgroupSize,
                    .target = std::move(target)};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    Id operand = componentType(m, product.a.type), accumulator = componentType(m, product.c.type);
    auto scope = spv::Scope::Subgroup;
    Id typeA = m.matrixType(operand, scope, product.m, product.k, MatrixUse::A);
    Id typeB = m.matrixType(operand, scope, product.k, product.n, MatrixUse::B);
    Id typeC = m.matrixType(accumulator, scope, product.m, product.n, MatrixUse::Accumulator);
    auto operandBytes = static_cast<uint32_t>(byteSize(product.a.type));
    auto accumulatorBytes = static_cast<uint32_t>(byteSize(product.c.type));
    Id n = frame.param(3), k = frame.param(4);
    Id top = b.binary(spv::Op::OpIMul, frame.programId(1), m.constantU32(product.m));
    Id left = b.binary(spv::Op::OpIMul, frame.programId(0), m.constantU32(product.n));
    // Loads the tile of a row-major matrix that begins at (r, c).
    auto tile = [&](size_t param, Id component, Id r, Id c, Id width, uint32_t bytes) {
      Id index = b.binary(spv::Op::OpIAdd, b.binary(spv::Op::OpIMul, r, width), c);
      return b.physicalPointer(elementAddress(b, frame.param(param), index, bytes), component);
    };
    Id target = tile(2, accumulator, top, left, n, accumulatorBytes);
    Id initial[] = {b.matrixLoad(typeC, target, MatrixLayout::RowMajor, n, {.alignment = accumulatorBytes})};
    bool isInteger = m.info(operand).op == spv::Op::OpTypeInt;
    uint32_t signs = isInteger ? spirv::kSignedA | spirv::kSignedB | spirv::kSignedC | spirv::kSignedResult
                               : uint32_t(spirv::kMatrixNone);
    Ids sum = b.forLoop(m.constantU32(0), k, m.constantU32(product.k), initial, [&](Id at, const Ids &carried) {
      Id x = b.matrixLoad(typeA, tile(0, operand, top, at, k, operandBytes), MatrixLayout::RowMajor, k,
                          {.alignment = operandBytes});
      Id y = b.matrixLoad(typeB, tile(1, operand, at, left, n, operandBytes), MatrixLayout::RowMajor, n,
                          {.alignment = operandBytes});
      return Ids{b.matrixMulAdd(x, y, carried[0], signs)};
    });
    b.matrixStore(target, sum[0], MatrixLayout::RowMajor, n, {.alignment = accumulatorBytes});
  });
  return makeArtifact(shape, std::move(words));
}

} // namespace tegula::vulkan::test
