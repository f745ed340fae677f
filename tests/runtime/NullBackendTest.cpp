// The example backend, through the public API.
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class NullBackend : public RuntimeTest {};

TEST_F(NullBackend, CopiesAndRecordsLaunches) {
  fake_.kernels = {makeKernel("copy", {"x", "y", "n"})};
  Buffer x(device_, DType::I32, {8}), y(device_, DType::I32, {8});
  std::vector<int32_t> host(8), back(8);
  std::iota(host.begin(), host.end(), 1);
  stream_.write(x, host.data());
  load().launch(stream_, {2, 3}, {x, y, 8});
  stream_.synchronize();
  stream_.read(x, back.data());
  EXPECT_EQ(back, host);
  ASSERT_EQ(launches().size(), 1u);
  EXPECT_EQ(launches()[0].kernel, "copy");
  EXPECT_EQ(launches()[0].grid, (std::array<uint32_t, 3>{2, 3, 1}));
  EXPECT_EQ(launches()[0].arguments[1].bits, y.address());
}

TEST_F(NullBackend, ForeignArtifactsAreRefused) {
  fake_.kernels = {makeKernel("copy", {})};
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) { result.artifact->binary = {1, 2, 3}; };
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { load().launch(stream_, {1}, std::vector<Argument>()); }, &kind),
              HasSubstr("cannot be loaded on device null"));
  EXPECT_EQ(kind, ApiError::Kind::Device);
}

TEST_F(NullBackend, IsNeverTheDefault) { EXPECT_LT(nullDriverFactory()->priority(), 0); }

} // namespace
} // namespace tegula::test
