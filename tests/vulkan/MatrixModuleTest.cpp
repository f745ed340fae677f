// Modules with newer enumerants, validated by a spirv-val that knows them.
#include "tests/vulkan/Kernels.h"
#include "tests/vulkan/SpirvTools.h"

#include <gmock/gmock.h>

#include <array>

namespace tegula::vulkan::test {
namespace {

using spirv::Builder;
using spirv::Id;
using spirv::MatrixUse;
using spirv::Module;
using ::testing::HasSubstr;

#define EXPECT_VALID_NEWER(words)                                                                                      \
  do {                                                                                                                 \
    std::optional<std::string> verdict = validateNewer(words);                                                         \
    if (!verdict)                                                                                                      \
      GTEST_SKIP() << "no newer spirv-val; ci/coopmat-lavapipe prepares one";                                          \
    EXPECT_EQ(*verdict, "");                                                                                           \
  } while (false)

std::vector<uint32_t> matrixModuleOf(const std::function<void(Module &, Builder &)> &body) {
  KernelShape shape{.entry = "main", .params = {pointer("out", ScalarType::I32)}, .hidden = {}};
  return writeModule(shape, [&](Builder &b, KernelFrame &) { body(b.module(), b); });
}

TEST(SpirvMatrix, ProductsOfEveryTypeAreValid) {
  using enum ScalarType;
  for (const MatrixInstruction &product :
       {fragmentInstruction(8, 8, 8, F16, F32), fragmentInstruction(16, 16, 16, F16, F16),
        fragmentInstruction(16, 16, 32, I8, I32), fragmentInstruction(16, 16, 16, BF16, F32)}) {
    auto words = decodeBinary(matrixMultiply(product, 32, "spirv:sg32").binary).words;
    std::optional<std::string> verdict = validateNewer(words);
    if (!verdict)
      GTEST_SKIP() << "no newer spirv-val; ci/coopmat-lavapipe prepares one";
    EXPECT_EQ(*verdict, "") << product.name;
  }
}

TEST(SpirvMatrix, ElementsAreReachedThroughALocalVariable) {
  auto words = matrixModuleOf([](Module &m, Builder &b) {
    Id f32 = m.floatType(32), type = m.matrixType(f32, spv::Scope::Subgroup, 8, 8, MatrixUse::Accumulator);
    Id matrix = m.constantSplat(type, m.constantF32(3)), variable = b.local(type);
    b.store(variable, b.binary(spv::Op::OpFAdd, matrix, b.splat(type, m.constantF32(1))));
    b.forLoop(m.constantU32(0), b.matrixLength(type), m.constantU32(1), {}, [&](Id i, const Builder::Ids &) {
      Id element = b.access(variable, {i});
      b.store(element, b.binary(spv::Op::OpFMul, b.load(element), m.constantF32(2)));
      return Builder::Ids{};
    });
    b.extract(b.load(variable), 0);
  });
  EXPECT_VALID_NEWER(words);
}

TEST(SpirvMatrix, RowsPlacesAndConversionsAreValid) {
  auto words = matrixModuleOf([](Module &m, Builder &b) {
    Id f32 = m.floatType(32), f16 = m.floatType(16), u32 = m.intType(32);
    auto function = [&](std::span<const Id> types, auto body) {
      Builder inner(m);
      Builder::Ids params;
      Id id = inner.beginFunction(f32, types, &params);
      inner.ret(body(inner, params));
      inner.endFunction();
      return id;
    };
    std::array<Id, 2> pair = {f32, f32};
    Id sum = function(pair, [](Builder &inner, const Builder::Ids &params) {
      return inner.binary(spv::Op::OpFAdd, params[0], params[1]);
    });
    std::array<Id, 3> place = {u32, u32, f32};
    Id column = function(place, [&](Builder &inner, const Builder::Ids &params) {
      return inner.cast(spv::Op::OpConvertUToF, params[1], f32);
    });
    auto matrix = [&](Id component, MatrixUse use) { return m.matrixType(component, spv::Scope::Subgroup, 8, 8, use); };
    Id value = m.constantSplat(matrix(f32, MatrixUse::Accumulator), m.constantF32(3));
    Id columns = b.matrixPerElement(b.matrixReduceRows(value, sum), column);
    b.matrixConvert(columns, matrix(f16, MatrixUse::A));
    b.matrixConvert(columns, matrix(f32, MatrixUse::B));
  });
  EXPECT_EQ(words[1], Module::kVersion16);
  EXPECT_VALID_NEWER(words);
}

TEST(SpirvMatrix, NarrowFloatsBringTheirCapabilities) {
  auto words = matrixModuleOf([](Module &m, Builder &b) {
    Id f32 = m.floatType(32), one = m.constantF32(1);
    b.cast(spv::Op::OpFConvert, one, m.floatType(16, spirv::FloatFormat::BFloat16));
    b.cast(spv::Op::OpFConvert, one, m.floatType(8, spirv::FloatFormat::F8E4M3));
    b.cast(spv::Op::OpFConvert, b.cast(spv::Op::OpFConvert, one, m.floatType(8, spirv::FloatFormat::F8E5M2)), f32);
  });
  std::vector<uint32_t> capabilities = capabilitiesOf(words);
  for (spv::Capability expected : {spirv::newer::BFloat16TypeKHR, spirv::newer::Float8EXT})
    EXPECT_THAT(capabilities, ::testing::Contains(static_cast<uint32_t>(expected)));
  EXPECT_VALID_NEWER(words);
}

TEST(SpirvMatrix, TheNewerValidatorFindsFaults) {
  // A product of matrices whose shapes do not fit: proves that the validator checks products.
  auto words = matrixModuleOf([](Module &m, Builder &b) {
    Id f16 = m.floatType(16), scalar = m.constant(f16, 0);
    auto matrix = [&](uint32_t rows, uint32_t columns, MatrixUse use) {
      return m.constantSplat(m.matrixType(f16, spv::Scope::Subgroup, rows, columns, use), scalar);
    };
    b.matrixMulAdd(matrix(8, 16, MatrixUse::A), matrix(8, 8, MatrixUse::B), matrix(8, 8, MatrixUse::Accumulator));
  });
  std::optional<std::string> verdict = validateNewer(words);
  if (!verdict)
    GTEST_SKIP() << "no newer spirv-val; ci/coopmat-lavapipe prepares one";
  EXPECT_THAT(*verdict, HasSubstr("CooperativeMatrix"));
}

} // namespace
} // namespace tegula::vulkan::test
