// The builder's modules are valid and contain the requested instructions.
#include "core/support/Diagnostic.h"
#include "tests/vulkan/Kernels.h"
#include "tests/vulkan/SpirvTools.h"

#include <gmock/gmock.h>
#include <spirv/unified1/GLSL.std.450.h>

namespace tegula::vulkan::test {
namespace {

using spirv::Builder;
using spirv::Id;
using spirv::Module;
using ::testing::HasSubstr;
using ::testing::Not;

size_t count(const std::string &text, const std::string &part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++n;
  return n;
}

/// A kernel without arguments whose body is `body`.
std::vector<uint32_t> moduleOf(const std::function<void(Module &, Builder &)> &body,
                               const std::function<void(Module &)> &before = nullptr) {
  KernelShape shape{.entry = "main", .params = {pointer("out", ScalarType::I32)}, .hidden = {}};
  return writeModule(shape, [&](Builder &b, KernelFrame &) { body(b.module(), b); }, before);
}

TEST(SpirvModule, KernelsOfTheTestsAreValid) {
  using enum KernelBinary::Passing;
  for (const Artifact &artifact :
       {vectorAdd(), blockSum(64, 1000), countPrograms(), everyScalar(Push, 0), everyScalar(Buffer, 60),
        readDescriptor(), incrementBytes(), subgroupOperations(8, 64, "spirv:sg8"), useScratch(32), spin()})
    EXPECT_EQ(validate(decodeBinary(artifact.binary).words), "") << artifact.entry;
}

TEST(SpirvModule, TheValidatorFindsFaults) {
  // An invalid module: proves that the validator detects errors.
  auto words = moduleOf(
      [](Module &m, Builder &b) { b.op(spv::Op::OpIAdd, m.intType(32), {m.constantU32(1), m.constantF32(1)}); });
  EXPECT_THAT(validate(words), HasSubstr("IAdd"));
}

TEST(SpirvModule, TypesAndConstantsAreDeclaredOnce) {
  auto words = moduleOf([](Module &m, Builder &) {
    EXPECT_EQ(m.intType(32), m.intType(32));
    EXPECT_NE(m.intType(32), m.intType(16));
    EXPECT_EQ(m.vectorType(m.floatType(32), 4), m.vectorType(m.floatType(32), 4));
    EXPECT_EQ(m.constantU32(7), m.constant(m.intType(32), 7));
    EXPECT_NE(m.constantU32(7), m.constantU64(7));
    EXPECT_NE(m.constantF32(0.0f), m.constantF32(-0.0f));
    EXPECT_EQ(m.constant(m.intType(8), 0xff), m.constant(m.intType(8), uint64_t(-1)));
    EXPECT_NE(m.arrayType(m.intType(32), 4), m.arrayType(m.intType(32), 4, 4));
    EXPECT_THROW(m.constant(m.intType(8), 300), InternalError);
    EXPECT_THROW(m.intType(7), InternalError);
    EXPECT_THROW(m.floatType(8), InternalError);
  });
  EXPECT_EQ(validate(words), "");
  EXPECT_EQ(count(disassemble(words), "OpTypeInt 16 0"), 1u);
}

TEST(SpirvModule, CapabilitiesFollowFromWhatIsUsed) {
  std::string plain = disassemble(moduleOf([](Module &, Builder &) {}));
  EXPECT_THAT(plain, HasSubstr("OpMemoryModel PhysicalStorageBuffer64 Vulkan"));
  for (const char *absent : {"Float16", "Float64", "Int8", "GroupNonUniform", "OpExtension"})
    EXPECT_THAT(plain, Not(HasSubstr(absent)));

  auto words = moduleOf([](Module &m, Builder &b) {
    Id x = m.constant(m.floatType(16), 0x3c00);
    b.cast(spv::Op::OpFConvert, x, m.floatType(64));
    Id pointer = b.physicalPointer(m.constantU64(256), m.intType(8));
    b.store(pointer, m.constant(m.intType(8), 1), {.alignment = 1});
    b.subgroupClusteredReduce(spv::Op::OpGroupNonUniformIAdd, m.constantU32(1), 4);
    b.shuffleDown(m.constantU32(1), m.constantU32(1));
    b.subgroupAny(m.constantBool(true));
    b.ballot(m.constantBool(true));
    Id wide = b.physicalPointer(m.constantU64(256), m.intType(64));
    b.atomic(spv::Op::OpAtomicIAdd, wide, spv::Scope::QueueFamily, spv::MemorySemanticsMask::MaskNone,
             m.constantU64(1));
    Id real = b.physicalPointer(m.constantU64(256), m.floatType(32));
    b.atomic(spv::Op::OpAtomicFAddEXT, real, spv::Scope::QueueFamily, spv::MemorySemanticsMask::MaskNone,
             m.constantF32(1));
  });
  EXPECT_EQ(validate(words), "");
  std::string text = disassemble(words);
  for (const char *present :
       {"OpCapability Float16", "OpCapability Float64", "OpCapability Int8", "OpCapability StorageBuffer8BitAccess",
        "OpCapability GroupNonUniformClustered", "OpCapability GroupNonUniformShuffleRelative",
        "OpCapability GroupNonUniformVote", "OpCapability GroupNonUniformBallot", "OpCapability Int64Atomics",
        "OpCapability AtomicFloat32AddEXT", "OpExtension \"SPV_EXT_shader_atomic_float_add\""})
    EXPECT_THAT(text, HasSubstr(present));
}

TEST(SpirvModule, ExtendedInstructionsNamesAndLines) {
  auto words = moduleOf([](Module &m, Builder &b) {
    b.setLine({m.file("kernel.py"), 12, 5});
    Id f32 = m.floatType(32), root = b.extended(GLSLstd450Sqrt, f32, {m.constantF32(2)});
    m.name(root, "root");
    b.setLine({});
    b.extended(GLSLstd450Fma, f32, {root, root, b.exact(b.binary(spv::Op::OpFAdd, root, root))});
  });
  EXPECT_EQ(validate(words), "");
  std::string text = disassemble(words);
  EXPECT_THAT(text, HasSubstr("OpString \"kernel.py\""));
  EXPECT_THAT(text, HasSubstr(" 12 5\n"));
  EXPECT_THAT(text, HasSubstr("OpNoLine"));
  EXPECT_THAT(text, HasSubstr("\"root\""));
  EXPECT_THAT(text, HasSubstr("NoContraction"));
  EXPECT_EQ(count(text, "OpExtInstImport"), 1u);
}

TEST(SpirvModule, CompositesAndAtomics) {
  using Mask = spv::MemorySemanticsMask;
  auto words = moduleOf([](Module &m, Builder &b) {
    Id f32 = m.floatType(32), vec4 = m.vectorType(f32, 4), one = m.constantF32(1);
    Id v = b.insert(b.splat(vec4, one), m.constantF32(2), 3);
    v = b.binary(spv::Op::OpFMul, v, m.constantSplat(vec4, one));
    Id wide = b.physicalPointer(m.constantU64(256), vec4);
    b.store(wide, v, {.alignment = 16, .nontemporal = true});
    Id less = b.compare(spv::Op::OpFOrdLessThan, v, b.load(wide, {.alignment = 16}));
    b.select(less, v, m.constantNull(vec4));
    Id word = b.physicalPointer(m.constantU64(256), m.intType(32)), u32 = m.constantU32(1);
    b.atomicCompareExchange(word, spv::Scope::QueueFamily, Mask::AcquireRelease | Mask::UniformMemory, u32, u32);
    b.atomicCompareExchange(word, spv::Scope::Workgroup, Mask::MaskNone, u32, u32);
    b.atomic(spv::Op::OpAtomicSMax, word, spv::Scope::QueueFamily, Mask::Release | Mask::UniformMemory, u32);
    b.fence(spv::Scope::QueueFamily, Mask::AcquireRelease | Mask::UniformMemory);
    b.subgroupBarrier();
    Id variable = b.local(f32);
    b.store(variable, one);
    b.load(variable);
    EXPECT_THROW(b.load(word), InternalError) << "no alignment";
    EXPECT_THROW(b.load(variable, {.alignment = 4}), InternalError) << "alignment on a local variable";
  });
  EXPECT_EQ(validate(words), "");
}

TEST(SpirvModule, SharedMemoryInBlocksNeedsTheExtension) {
  auto words = moduleOf([](Module &m, Builder &b) {
    Id halves = m.workgroupBlock(m.intType(16), 64), words = m.workgroupBlock(m.intType(32), 32);
    Id zero = m.constantU32(0);
    b.store(b.accessMember(halves, 0, {zero}), m.constant(m.intType(16), 1));
    b.load(b.accessMember(words, 0, {zero}));
  });
  EXPECT_EQ(validate(words), "");
  EXPECT_THAT(disassemble(words), HasSubstr("OpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR"));
}

TEST(SpirvModule, FunctionsBesideTheEntryPoint) {
  Module m;
  Builder b(m);
  Id f32 = m.floatType(32), params[] = {f32, f32};
  Builder::Ids values;
  Id add = b.beginFunction(f32, params, &values);
  b.ret(b.binary(spv::Op::OpFAdd, values[0], values[1]));
  b.endFunction();
  Id main = b.beginFunction(m.voidType(), {});
  b.op(spv::Op::OpFunctionCall, f32, {add, m.constantF32(1), m.constantF32(2)});
  b.ret();
  b.endFunction();
  EXPECT_THROW(m.words(), InternalError) << "no entry point";
  m.kernel(main, "main", {1, 1, 1});
  EXPECT_EQ(validate(m.words()), "");
  EXPECT_THROW(b.ret(), InternalError) << "outside any block";
}

TEST(SpirvModule, CapabilitiesAreReadBackFromTheWords) {
  Module m;
  Builder b(m);
  Id main = b.beginFunction(m.voidType(), {});
  m.floatType(16);
  m.intType(8);
  b.ret();
  b.endFunction();
  m.kernel(main, "main", {1, 1, 1});
  std::vector<uint32_t> expected;
  for (spv::Capability capability : m.capabilities())
    expected.push_back(static_cast<uint32_t>(capability));
  EXPECT_EQ(capabilitiesOf(m.words()), expected);
}

} // namespace
} // namespace tegula::vulkan::test
