#include "tests/vulkan/CodegenFixture.h"

#include "backends/vulkan/Binary.h"
#include "backends/vulkan/spirv/Newer.h"
#include "tests/simt/Kernel.h"
#include "tests/vulkan/SpirvTools.h"

#include <algorithm>

namespace tegula::vulkan::test {
namespace {

CompileResult compile(const std::string &text, const std::string &target) {
  CompileRequest request;
  request.path = "test.mlir";
  request.source = text;
  request.target = target;
  request.startFrom = "simt";
  request.hasSignature = false;
  return tegulaCompiler(buildId())->compile(request);
}

void validateModule(const Artifact &artifact) {
  std::vector<uint32_t> words = decodeBinary(artifact.binary).words;
  // Debian 12's validator does not know these capabilities.
  const spv::Capability kNewer[] = {spirv::newer::CooperativeMatrixKHR, spirv::newer::BFloat16TypeKHR,
                                    spirv::newer::BFloat16CooperativeMatrixKHR, spirv::newer::Float8EXT};
  bool isNewer = false;
  for (uint32_t capability : capabilitiesOf(words))
    isNewer |= std::find(std::begin(kNewer), std::end(kNewer), spv::Capability(capability)) != std::end(kNewer);
  if (!isNewer) {
    ASSERT_EQ(validate(words), "") << disassemble(words);
  } else if (auto verdict = validateNewer(words)) {
    ASSERT_EQ(*verdict, "");
  }
}

} // namespace

Artifact compileFor(const std::string &text, const std::string &target) {
  CompileResult result = compile(text, target);
  EXPECT_EQ(result.internalError, "") << text;
  if (result.error)
    ADD_FAILURE() << format(*result.error) << "\n" << text;
  if (!result.artifact)
    throw Error("no artifact");
  validateModule(*result.artifact);
  return *result.artifact;
}

std::string compileError(const std::string &text, const std::string &target) {
  CompileResult result = compile(text, target);
  EXPECT_EQ(result.internalError, "");
  return result.error ? format(*result.error) : "no error";
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>> &by) {
  for (const auto &[from, to] : by)
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

std::vector<Bytes> CodegenTest::runHere(const std::string &text, const std::vector<Bytes> &buffers,
                                        const std::vector<uint64_t> &scalars, std::array<uint32_t, 3> grid) {
  Artifact artifact = compileFor(text, target());
  std::vector<std::unique_ptr<DeviceArray<std::byte>>> arrays;
  std::vector<LaunchArgument> arguments;
  for (const Bytes &buffer : buffers) {
    arrays.push_back(std::make_unique<DeviceArray<std::byte>>(*driver_, buffer.size()));
    arrays.back()->write(stream_, buffer);
    arguments.push_back(arrays.back()->argument());
  }
  for (uint64_t scalar : scalars)
    arguments.push_back({scalar, nullptr});
  launch(artifact, grid, arguments);
  std::vector<Bytes> results;
  for (auto &array : arrays)
    results.push_back(array->read(stream_));
  return results;
}

std::vector<Bytes> CodegenTest::runInExecutor(const std::string &text, std::vector<Bytes> buffers,
                                              const std::vector<uint64_t> &scalars, std::array<uint32_t, 3> grid) {
  simt_test::Kernel kernel(text);
  simt_test::SimtExecutor executor = kernel.executor();
  for (Bytes &buffer : buffers)
    executor.pointer(std::span(buffer), "buffer");
  for (uint64_t scalar : scalars)
    executor.integer(int64_t(scalar));
  EXPECT_EQ(executor.run(grid).text(), "") << text;
  return buffers;
}

void CodegenTest::expectSame(const std::string &text, const std::vector<Bytes> &buffers,
                             const std::vector<uint64_t> &scalars, std::array<uint32_t, 3> grid) {
  std::vector<Bytes> found = runHere(text, buffers, scalars, grid);
  std::vector<Bytes> expected = runInExecutor(text, buffers, scalars, grid);
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(found[i], expected[i]) << "buffer " << i << " of\n" << text;
}

std::string CodegenTest::body(const std::string &text, const std::string &in, const std::string &out,
                              uint32_t warps) const {
  std::string kernel = "func.func @k(%x: !tile.ptr<" + in + "> {tile.name = \"x\"}, %o: !tile.ptr<" + out +
                       "> {tile.name = \"o\"}) attributes {tile.kernel, simt.warps = " + std::to_string(warps) +
                       " : i32, simt.warp_size = " + std::to_string(lanes()) + " : i32} {\n";
  for (int number : {0, 1, 2, 4, 8})
    kernel += "%c" + std::to_string(number) + " = arith.constant " + std::to_string(number) + " : i32\n";
  return kernel + "%t = simt.thread_id : i32\n%w = simt.warp_id : i32\n%l = simt.lane_id : i32\n" + text +
         "\nreturn\n}\n";
}

} // namespace tegula::vulkan::test
