// The code for a kernel in each profile, and the messages where a profile cannot run it.
#include "backends/vulkan/Binary.h"
#include "core/support/Files.h"
#include "tests/vulkan/CodegenFixture.h"
#include "tests/vulkan/SpirvTools.h"

#include <gmock/gmock.h>

namespace tegula::vulkan::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string kernel(const std::string &body, int warps = 4, int lanes = 32, const std::string &type = "f32") {
  return "func.func @k(%p: !tile.ptr<" + type +
         "> {tile.name = \"p\"}, %n: i32 {tile.name = \"n\"}) attributes {tile.kernel, "
         "simt.warps = " +
         std::to_string(warps) + " : i32, simt.warp_size = " + std::to_string(lanes) + " : i32} {\n" + body +
         "\nreturn\n}\n";
}

std::string fileText(const std::string &name) {
  return readTextFile(std::string(TEGULA_SOURCE_DIR) + "/tests/simt/" + name + ".mlir");
}

std::string textFor(const std::string &text, const std::string &target) {
  CompileRequest request;
  request.path = "test.mlir";
  request.source = text;
  request.target = target;
  request.startFrom = "simt";
  request.hasSignature = false;
  request.emit = {"spirv"};
  CompileResult result = tegulaCompiler(buildId())->compile(request);
  if (result.error)
    ADD_FAILURE() << format(*result.error);
  return result.prints.empty() ? "" : result.prints[0];
}

TEST(VulkanTargets, EveryProfileCompilesAndValidates) {
  for (const Profile &profile : profiles()) {
    Artifact artifact = compileFor(fileText("vector_add"), targetName(profile)); // also validates the module
    EXPECT_EQ(artifact.threads, 128u);
    EXPECT_EQ(decodeBinary(artifact.binary).subgroupSize, 0u); // the lanes do not communicate
    if (!profile.subgroupSize)
      continue;
    std::string size = std::to_string(profile.subgroupSize), warps = std::to_string(128 / profile.subgroupSize);
    artifact = compileFor(replaced(fileText("softmax_row"), {{"simt.warps = 4", "simt.warps = " + warps},
                                                             {"simt.warp_size = 32", "simt.warp_size = " + size}}),
                          targetName(profile));
    EXPECT_EQ(decodeBinary(artifact.binary).subgroupSize, profile.subgroupSize);
    EXPECT_EQ(artifact.sharedBytes, 128u);
  }
  compileFor(fileText("matmul_cooperative"), "spirv:lavapipe-cm");
}

size_t countOf(std::string_view what, std::string_view text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

TEST(VulkanTargets, BlocksWhereLayoutsAreExplicit) {
  std::string body =
      "%s = simt.shared_alloc at 0 : !simt.shared<512xf16>\n%c4 = arith.constant 4 : i32\n%t = simt.thread_id : i32\n"
      "%at = arith.muli %t, %c4 : i32\n%v = simt.load %p[%at] : !tile.ptr<f16>, i32 -> vector<4xf16>\n"
      "simt.shared_store %s[%at], %v : !simt.shared<512xf16>, i32, vector<4xf16>\nsimt.barrier\n"
      "%u = simt.shared_load %s[%at] : !simt.shared<512xf16>, i32 -> vector<4xf16>\n"
      "simt.store %p[%at], %u : !tile.ptr<f16>, i32, vector<4xf16>";
  std::string blocks = textFor(kernel(body, 4, 32, "f16"), "spirv:nvidia-sm90"),
              arrays = textFor(kernel(body, 4, 32, "f16"), "spirv:sg32");
  EXPECT_THAT(blocks, HasSubstr("WorkgroupMemoryExplicitLayoutKHR"));
  EXPECT_THAT(arrays, Not(HasSubstr("WorkgroupMemoryExplicitLayoutKHR")));
  compileFor(kernel(body, 4, 32, "f16"), "spirv:nvidia-sm90");
  EXPECT_EQ(countOf("OpLoad", arrays) - countOf("OpLoad", blocks), 3u); // one load of 8 bytes, or four of two
}

/// An op whose operands and result have the narrow type. Of 8-bit floats there is none: they are converted and back.
std::string narrowOp(const std::string &result, const std::string &value, const std::string &type) {
  bool isVector = type.starts_with("vector");
  std::string element = isVector ? type.substr(9, type.size() - 10) : type, wide = replaced(type, {{element, "f32"}});
  if (element.starts_with("f8"))
    return result + "w = arith.extf " + value + " : " + type + " to " + wide + "\n" + result + " = tile.fp_cast " +
           result + "w : " + wide + " -> " + type + "\n";
  return result + " = " + (element[0] == 'i' ? "arith.divsi " : "arith.addf ") + value + ", " + value + " : " + type +
         "\n";
}

/// A kernel that uses a narrow type in registers, in global memory alone and packed in words, in shared memory, in
/// atomics.
std::string narrowKernel(const std::string &type) {
  bool isFloat = type[0] != 'i';
  std::string text = "%c0 = arith.constant 0 : i32\n%t = simt.thread_id : i32\n"
                     "%s = simt.shared_alloc at 0 : !simt.shared<256xTYPE>\n"
                     "%v = simt.load %p[%t] : !tile.ptr<TYPE>, i32 -> TYPE\n" +
                     narrowOp("%w", "%v", type) + "%a = simt.load %p[%c0] : !tile.ptr<TYPE>, i32 -> vector<8xTYPE>\n" +
                     narrowOp("%b", "%a", "vector<8x" + type + ">") +
                     "simt.shared_store %s[%t], %w : !simt.shared<256xTYPE>, i32, TYPE\nsimt.barrier\n"
                     "%u = simt.shared_load %s[%c0] : !simt.shared<256xTYPE>, i32 -> TYPE\n"
                     "simt.store %p[%t], %u : !tile.ptr<TYPE>, i32, TYPE\n"
                     "simt.store %p[%c0], %b : !tile.ptr<TYPE>, i32, vector<8xTYPE>\n"
                     "%old = simt.atomic_rmw KIND relaxed device %p[%c0], %u : !tile.ptr<TYPE>, i32, TYPE";
  return kernel(replaced(text, {{"TYPE", type}, {"KIND", isFloat ? "fadd" : "min"}}), 4, 32, type);
}

TEST(VulkanTargets, NarrowTypesNeedNothingThatIsNotPromised) {
  for (const Profile &profile : profiles())
    for (const char *type : {"i8", "i16", "f16", "bf16", "f8E4M3FN"}) {
      Artifact artifact = compileFor(narrowKernel(type), targetName(profile));
      for (uint32_t capability : capabilitiesOf(decodeBinary(artifact.binary).words))
        for (Feature feature : featuresOfCapability(capability))
          EXPECT_TRUE(profile.features.has(feature) || featureTable()[size_t(feature)].required)
              << profile.name << ' ' << type << ' ' << featureName(feature);
      EXPECT_TRUE(decodeBinary(artifact.binary).needs.empty());
    }
}

TEST(VulkanTargets, WhatIsNotPromisedHasAPlace) {
  std::string text = kernel("%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i64\n"
                            "%old = simt.atomic_rmw add relaxed device %p[%c0], %c1 : !tile.ptr<i64>, i32, i64\n"
                            "%f = arith.sitofp %old : i64 to f64\n%g = arith.addf %f, %f : f64",
                            4, 32, "i64");
  KernelBinary binary = decodeBinary(compileFor(text, "spirv:generic").binary);
  ASSERT_EQ(binary.needs.size(), 2u);
  for (const KernelBinary::Need &need : binary.needs) {
    bool isFloat = need.capability == uint32_t(spv::Capability::Float64);
    EXPECT_TRUE(isFloat || need.capability == uint32_t(spv::Capability::Int64Atomics));
    EXPECT_EQ(need.location.file, "test.mlir");
    EXPECT_EQ(need.location.line, isFloat ? 5u : 4u);
  }
}

TEST(VulkanTargets, SingleWordsAreLoadedUnderPredicatesWhereBranchesAreThose) {
  std::string text = kernel(
      "%t = simt.thread_id : i32\n%ts = simt.splat %t : i32 -> vector<4xi32>\n"
      "%steps = arith.constant dense<[0, 128, 256, -384]> : vector<4xi32>\n"
      "%at = arith.addi %ts, %steps overflow<nsw> : vector<4xi32>\n%ns = simt.splat %n : i32 -> vector<4xi32>\n"
      "%m = arith.cmpi slt, %at, %ns : vector<4xi32>\n%one = arith.constant dense<1.0> : vector<4xf32>\n"
      "%v = simt.load %p[%at] mask %m other %one : !tile.ptr<f32>, vector<4xi32>, vector<4xi1>, other vector<4xf32> -> "
      "vector<4xf32>\n"
      "simt.store %p[%at], %v mask %m : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>, vector<4xi1>");
  compileFor(text, "spirv:nvidia-sm90");
  std::string predicated = textFor(text, "spirv:nvidia-sm90"), selected = textFor(text, "spirv:sg32");
  EXPECT_EQ(countOf("OpSelectionMerge", predicated), 8u);
  EXPECT_EQ(countOf("OpSelectionMerge", selected), 4u); // the four stores
  // One computed address for the load and one for the store, from which the others differ by a constant; four each
  // where sums may wrap.
  EXPECT_EQ(countOf("OpSConvert", predicated), 2u);
  EXPECT_EQ(countOf("OpSConvert", textFor(replaced(text, {{" overflow<nsw>", ""}}), "spirv:nvidia-sm90")), 8u);
}

TEST(VulkanTargets, NarrowTilesAreCarriedInWords) {
  std::string text = kernel("%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
                            "%v = simt.load %p[%c0] : !tile.ptr<f16>, i32 -> vector<8xf16>\n"
                            "%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (vector<8xf16>) : i32 {\n"
                            "%s = arith.addf %a, %a : vector<8xf16>\nscf.yield %s : vector<8xf16>\n} {simt.uniform}\n"
                            "simt.store %p[%c0], %r : !tile.ptr<f16>, i32, vector<8xf16>",
                            4, 32, "f16");
  compileFor(text, "spirv:sg32");
  EXPECT_EQ(countOf("OpPhi", textFor(text, "spirv:sg32")), 1u + 4u);
  EXPECT_EQ(countOf("OpPhi", textFor(text, "spirv:sg32-words")), 1u + 8u); // no registers of 16 bits
}

TEST(VulkanTargets, LoopsOfProductsStayRolled) {
  EXPECT_THAT(textFor(fileText("matmul_cooperative"), "spirv:lavapipe-cm"),
              ContainsRegex("OpLoopMerge %[0-9]+ %[0-9]+ 2\n"));
}

TEST(VulkanTargets, HalvesStayRoundedWhereTheyAreUsed) {
  std::string body = "%c0 = arith.constant 0 : i32\n%v = simt.load %p[%c0] : !tile.ptr<f32>, i32 -> f32\n"
                     "%h = arith.truncf %v : f32 to f16\nUSE";
  std::string used = replaced(body, {{"USE", "%w = arith.extf %h : f16 to f32\n"
                                             "simt.store %p[%c0], %w : !tile.ptr<f32>, i32, f32"}}),
              stored = replaced(body, {{"USE", "%q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<f16>\n"
                                               "simt.store %q[%c0], %h : !tile.ptr<f16>, i32, f16"}});
  compileFor(kernel(used), "spirv:nvidia-sm90");
  EXPECT_EQ(countOf("OpBitwiseXor", textFor(kernel(used), "spirv:nvidia-sm90")), 1u);
  EXPECT_EQ(countOf("OpBitwiseXor", textFor(kernel(stored), "spirv:nvidia-sm90")), 0u);
}

TEST(VulkanTargets, SumsAreNotContractedUnlessAllowed) {
  std::string body = "%c0 = arith.constant 0 : i32\n%v = simt.load %p[%c0] : !tile.ptr<f32>, i32 -> f32\n"
                     "%m = arith.mulf %v, %v FAST : f32\n%s = arith.addf %m, %v FAST : f32\n"
                     "simt.store %p[%c0], %s : !tile.ptr<f32>, i32, f32";
  EXPECT_THAT(textFor(kernel(replaced(body, {{"FAST", ""}})), "spirv:sg8"), HasSubstr("NoContraction"));
  EXPECT_THAT(textFor(kernel(replaced(body, {{"FAST", "fastmath<contract>"}})), "spirv:sg8"),
              Not(HasSubstr("NoContraction")));
}

TEST(VulkanTargets, AtomicAddsAreInstructionsWhereThereAreAny) {
  std::string body = "%c0 = arith.constant 0 : i32\n%one = arith.constant 1.0 : f32\n"
                     "%old = simt.atomic_rmw fadd relaxed device %p[%c0], %one : !tile.ptr<f32>, i32, f32";
  EXPECT_THAT(textFor(kernel(body), "spirv:nvidia-sm90"),
              AllOf(HasSubstr("OpAtomicFAddEXT"), Not(HasSubstr("OpAtomicCompareExchange"))));
  EXPECT_THAT(textFor(kernel(body), "spirv:sg32"),
              AllOf(HasSubstr("OpAtomicCompareExchange"), Not(HasSubstr("OpAtomicFAddEXT"))));
}

TEST(VulkanTargets, MessagesSayWhatIsMissing) {
  auto expect = [](const std::string &text, const std::string &target, const std::string &message) {
    std::string found = compileError(text, target);
    EXPECT_THAT(found, AllOf(HasSubstr("test.mlir:"), HasSubstr(message)));
  };
  std::string shuffle = "%c1 = arith.constant 1 : i32\n%s = simt.shuffle xor %n, %c1 : i32";
  expect(kernel(shuffle), "spirv:generic", "target spirv:generic uses no subgroups, which this op needs");
  expect(kernel(shuffle), "spirv:sg8",
         "expected simt.warp_size to be the size of subgroups of target spirv:sg8, 8, found 32");
  expect(kernel("simt.shared_alloc at 0 : !simt.shared<8192xf32>"), "spirv:generic",
         "target spirv:generic has 16384 bytes of shared memory, the kernel's buffers take 32768");
  expect(kernel("%z = arith.constant 1.0 : f64\n%e = math.exp %z : f64"), "spirv:sg32",
         "has no code for this op on f64");
  expect(fileText("matmul_cooperative"), "spirv:sg8", "target spirv:sg8 has no cooperativeMatrix");
  expect(kernel("%s = simt.shared_alloc at 0 : !simt.shared<512xf32>\n%c0 = arith.constant 0 : i32\n"
                "simt.async_load %p[%n] to %s[%c0] width 4 : !tile.ptr<f32>, i32, !simt.shared<512xf32>, "
                "i32\nsimt.commit_loads\nsimt.wait_loads 0"),
         "spirv:nvidia-sm90", "does nothing asynchronously, which this op asks for");
  expect(replaced(fileText("matmul_cooperative"), {{"simt.warp_size = 8", "simt.warp_size = 32"}}), "spirv:nvidia-sm90",
         "its products are 16x16x16.f16.f32");
  expect(kernel("%t = simt.warp_id : i32\n%c2 = arith.constant 2 : i32\n%h = arith.divui %t, %c2 : i32\n%c0 = "
                "arith.constant 0 : i32\n"
                "%f = arith.cmpi eq, %h, %c0 : i32\nscf.if %f {\nsimt.barrier warps 2\n} {simt.uniform = 2 : i32}"),
         "spirv:sg32", "has no barriers of some warps: expected all 4 warps to be here together");
}

} // namespace
} // namespace tegula::vulkan::test
