// Hand-written code on a real device, through the public interface, against the host's results.
#include "backends/cuda/Driver.h"
#include "tests/cuda/PtxTexts.h"
#include "tests/cuda/TextCompiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;
using Kind = ArtifactParam::Kind;

class OnDevice : public ::testing::Test {
protected:
  void SetUp() override {
    std::string why;
    std::vector<DeviceInfo> devices = cudaDriverFactory()->enumerate(why);
    if (devices.empty())
      GTEST_SKIP() << "there is no CUDA device here: " << why;
    info_ = devices[0];
  }
  /// The device's version, such as 90.
  int version() const { return std::stoi(info_.target.substr(3)); }

  static Artifact artifact(const std::string &entry, const std::string &target, uint32_t threads,
                           std::vector<ArtifactParam> params) {
    Artifact made;
    made.entry = entry;
    made.target = target;
    made.threads = threads;
    made.params = std::move(params);
    return made;
  }
  template <class T> static std::vector<T> read(Stream &stream, const Buffer &buffer) {
    std::vector<T> host(static_cast<size_t>(buffer.elements()));
    stream.read(buffer, host.data());
    return host;
  }

  DeviceInfo info_;
  TextCompiler compiler_;
};

Artifact addArtifact(const std::string &target) {
  Artifact made;
  made.entry = "add";
  made.target = target;
  made.threads = 256;
  made.params = {{"x", Kind::Pointer, ScalarType::F32, {}},
                 {"y", Kind::Pointer, ScalarType::F32, {}},
                 {"z", Kind::Pointer, ScalarType::F32, {}},
                 {"n", Kind::Scalar, ScalarType::I32, {}}};
  return made;
}

TEST_F(OnDevice, VectorsAdd) {
  for (const std::string &target : {std::string("sm_75"), info_.target}) {
    Device device = Device::open("cuda:0");
    Stream stream(device);
    Kernel add = compiler_.kernel(addArtifact(target), vectorAddText(target));
    const int n = 1000003; // no multiple of the threads
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
      x[static_cast<size_t>(i)] = static_cast<float>(i % 1021) * 0.5f;
      y[static_cast<size_t>(i)] = static_cast<float>(i % 97) * 0.25f;
    }
    Buffer bx(device, DType::F32, {n}), by(device, DType::F32, {n}), bz(device, DType::F32, {n + 1});
    stream.write(bx, x.data());
    stream.write(by, y.data());
    stream.fill(bz, 0xff);
    add.launch(stream, {cdiv(n, 256)}, {bx, by, bz, n});
    std::vector<float> z = read<float>(stream, bz);
    for (size_t i = 0; i < n; ++i)
      ASSERT_EQ(z[i], static_cast<float>(i % 1021) * 0.5f + static_cast<float>(i % 97) * 0.25f) << i;
    EXPECT_NE(z[n], z[n]) << "one element too many was written";
  }
}

TEST_F(OnDevice, CopiesStayOnTheDevice) {
  Device device = Device::open("cuda:0");
  Stream stream(device);
  const int64_t n = 1000003;
  std::vector<int32_t> host(n);
  std::iota(host.begin(), host.end(), 5);
  Buffer from(device, DType::I32, {n}), to(device, DType::I32, {n});
  stream.write(from, host.data());
  stream.fill(to, 0xff);
  stream.copy(to.view({n - 4}, {1}, 1), from.view({n - 4}, {1}, 3));
  std::vector<int32_t> seen = read<int32_t>(stream, to);
  EXPECT_EQ(seen[0], -1);
  EXPECT_EQ(seen[n - 3], -1);
  for (size_t i = 1; i < n - 3; ++i)
    ASSERT_EQ(seen[i], host[i + 2]) << i;
}

TEST_F(OnDevice, EventsTime) {
  Device device = Device::open("cuda:0");
  Stream stream(device);
  Kernel add = compiler_.kernel(addArtifact(info_.target), vectorAddText(info_.target));
  const int64_t n = int64_t(1) << 26;
  Buffer x(device, DType::F32, {n}), y(device, DType::F32, {n}), z(device, DType::F32, {n});
  stream.fill(x, 0);
  stream.fill(y, 0);
  add.launch(stream, {n / 256}, {x, y, z, n});
  Event start = stream.record();
  for (int i = 0; i < 20; ++i)
    add.launch(stream, {n / 256}, {x, y, z, n});
  Event end = stream.record();
  double seconds = end.secondsSince(start) / 20;
  double rate = 3.0 * 4 * static_cast<double>(n) / seconds;
  std::printf("vector add of 2^26 f32: %.3f ms, %.0f GB/s\n", seconds * 1e3, rate * 1e-9);
  // Limits from a slow laptop to ten times today's fastest memory: they detect a wrong unit.
  EXPECT_GT(rate, 2e10);
  EXPECT_LT(rate, 8e13);
}

TEST_F(OnDevice, DescriptorsMoveSwizzledBoxes) {
  if (version() != 90)
    GTEST_SKIP() << "device " << info_.description << " does not run code for sm_90a";
  Device device = Device::open("cuda:0");
  Stream stream(device);
  Artifact made = artifact("copy_box", "sm_90a", 128,
                           {{"desc", Kind::Descriptor, ScalarType::F16, {32, 64}},
                            {"out", Kind::Pointer, ScalarType::F16, {}},
                            {"row", Kind::Scalar, ScalarType::I32, {}},
                            {"column", Kind::Scalar, ScalarType::I32, {}}});
  made.descriptors = {{0, ScalarType::F16, {32, 64}, 128, DescriptorRecipe::Fill::AsPassed}};
  Kernel copy = compiler_.kernel(made, copyBoxText());
  // 100 x 200 elements with distinct values in rows of 208; the last 8 columns of a row must never be read.
  const int64_t rows = 100, columns = 200, pitch = 208;
  std::vector<uint16_t> host(static_cast<size_t>(rows * pitch), 0xdead);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      host[static_cast<size_t>(r * pitch + c)] = static_cast<uint16_t>(r * columns + c);
  Buffer memory(device, DType::F16, {rows, pitch}), out(device, DType::F16, {32, 64});
  stream.write(memory, host.data());
  Buffer tensor = memory.view({rows, columns}, {pitch, 1});
  const std::pair<int64_t, int64_t> places[] = {{0, 0}, {32, 64}, {7, 16}, {80, 152}, {99, 192}, {-5, -8}, {96, 0}};
  for (auto [row, column] : places) {
    copy.launch(stream, {1}, {TensorDescriptor(tensor, {32, 64}), out, row, column});
    std::vector<uint16_t> seen = read<uint16_t>(stream, out);
    for (int64_t r = 0; r < 32; ++r)
      for (int64_t c = 0; c < 64; ++c) {
        int64_t y = row + r, x = column + c;
        bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
        ASSERT_EQ(seen[static_cast<size_t>(r * 64 + c)], inside ? static_cast<uint16_t>(y * columns + x) : 0)
            << "box at " << row << ", " << column << ", element " << r << ", " << c;
      }
  }
  // Elements outside of the tensor are NaN where the launch asks for it.
  copy.launch(stream, {1}, {TensorDescriptor(tensor, {32, 64}, true), out, 90, 192});
  std::vector<uint16_t> seen = read<uint16_t>(stream, out);
  EXPECT_EQ(seen[0], static_cast<uint16_t>(90 * columns + 192));
  for (size_t at : {size_t(10), size_t(63), size_t(10 * 64), size_t(31 * 64 + 63)})
    EXPECT_TRUE((seen[at] & 0x7c00) == 0x7c00 && (seen[at] & 0x3ff) != 0) << at << " is " << seen[at];
  EXPECT_THAT(
      [&] {
        Buffer odd = memory.view({rows, 64}, {pitch, 1}, 1);
        copy.launch(stream, {1}, {TensorDescriptor(odd, {32, 64}), out, 0, 0});
      },
      ::testing::ThrowsMessage<ApiError>(
          HasSubstr("tensor descriptor 'desc': the tensor's address is 2 bytes beyond")));
}

TEST_F(OnDevice, ClustersAreLaunched) {
  if (version() != 90)
    GTEST_SKIP() << "device " << info_.description << " does not run code for sm_90a";
  Device device = Device::open("cuda:0");
  Stream stream(device);
  for (uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
    Artifact made = artifact("clusters", "sm_90a", 32, {{"out", Kind::Pointer, ScalarType::I32, {}}});
    made.clusterSize = size;
    Buffer out(device, DType::I32, {48});
    stream.fill(out, 0xff);
    compiler_.kernel(made, clusterText()).launch(stream, {48}, {out});
    std::vector<int32_t> seen = read<int32_t>(stream, out);
    for (uint32_t i = 0; i < 48; ++i)
      EXPECT_EQ(seen[i], static_cast<int32_t>(size * 100 + i % size)) << "cluster of " << size << ", program " << i;
  }
}

TEST_F(OnDevice, LargeSharedMemoryIsThere) {
  if (version() < 80)
    GTEST_SKIP() << "device " << info_.description << " does not run code for sm_80";
  Device device = Device::open("cuda:0");
  Stream stream(device);
  const int words = 96 * 256; // 96 KiB
  Artifact made = artifact("shared", "sm_80", 128,
                           {{"out", Kind::Pointer, ScalarType::I32, {}}, {"words", Kind::Scalar, ScalarType::I32, {}}});
  made.sharedBytes = words * 4;
  Buffer out(device, DType::I32, {words});
  compiler_.kernel(made, sharedText()).launch(stream, {1}, {out, words});
  std::vector<int32_t> seen = read<int32_t>(stream, out);
  for (int i = 0; i < words; ++i)
    ASSERT_EQ(seen[static_cast<size_t>(i)], 7 * (words - 1 - i)) << i;
}

TEST_F(OnDevice, LargeGridsAreSplit) {
  if (version() < 80)
    GTEST_SKIP() << "device " << info_.description << " does not run code for sm_80";
  Device device = Device::open("cuda:0");
  Stream stream(device);
  Artifact made = artifact("count", "sm_80", 32, {{"out", Kind::Pointer, ScalarType::U64, {}}});
  made.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize};
  Buffer out(device, DType::U64, {2});
  stream.fill(out, 0);
  compiler_.kernel(made, gridText()).launch(stream, {3, 70000, 2}, {out});
  std::vector<uint64_t> seen = read<uint64_t>(stream, out);
  const uint64_t programs = uint64_t(3) * 70000 * 2;
  EXPECT_EQ(seen[0], programs);
  EXPECT_EQ(seen[1], programs * (programs - 1) / 2) << "the sum of all places";
}

TEST_F(OnDevice, BadTextIsRefusedWithTheLog) {
  Device device = Device::open("cuda:0");
  Stream stream(device);
  std::string text = vectorAddText(info_.target);
  text.replace(text.find("add.f32"), 7, "addd.f32");
  Kernel broken = compiler_.kernel(addArtifact(info_.target), text);
  Buffer x(device, DType::F32, {4});
  EXPECT_THAT(
      [&] { broken.launch(stream, {1}, {x, x, x, 4}); },
      ::testing::ThrowsMessage<ApiError>(::testing::AllOf(HasSubstr("CUDA_ERROR_INVALID_PTX"), HasSubstr("addd"))));
}

/// In a process of its own: after a fault in a kernel the device refuses all further work of the process.
TEST_F(OnDevice, FaultsAreTold) {
  if (version() < 80)
    GTEST_SKIP() << "device " << info_.description << " does not run code for sm_80";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Device device = Device::open("cuda:0");
        Stream stream(device);
        Buffer out(device, DType::I32, {1});
        Kernel fault = compiler_.kernel(artifact("fault", "sm_80", 32, {{"out", Kind::Pointer, ScalarType::I32, {}}}),
                                        faultText());
        fault.launch(stream, {1}, {out});
        try {
          stream.synchronize();
        } catch (const ApiError &e) {
          compiler_.forgetCache(); // no destructor runs here
          std::fprintf(stderr, "kind %d: %s\n", static_cast<int>(e.kind()), e.what());
          std::_Exit(e.kind() == ApiError::Kind::KernelFault ? 0 : 1);
        }
        std::_Exit(2);
      },
      ::testing::ExitedWithCode(0), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

} // namespace
} // namespace tegula::test
