// Devices, buffers, views, streams and events.
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class Buffers : public RuntimeTest {};

TEST_F(Buffers, DenseRowMajor) {
  Buffer b(device_, DType::F16, {2, 3, 4});
  EXPECT_EQ(b.strides(), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(b.elements(), 24);
  EXPECT_EQ(b.bytes(), 48u);
  EXPECT_EQ(b.stride(-1), 1);
  EXPECT_EQ(b.stride(0), 12);
  EXPECT_EQ(b.type(), DType::F16);
  EXPECT_THAT(messageOf([&] { b.stride(3); }), HasSubstr("stride of axis 3 of a buffer of rank 3"));
}

TEST_F(Buffers, EmptyAndScalarOnesWork) {
  Buffer scalar(device_, DType::F64, {});
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_EQ(scalar.bytes(), 8u);
  Buffer none(device_, DType::F32, {4, 0, int64_t(1) << 62});
  EXPECT_EQ(none.elements(), 0);
  EXPECT_EQ(none.bytes(), 0u);
  EXPECT_NE(none.address(), 0u);
  stream_.write(none, nullptr);
  stream_.read(none, nullptr);
  stream_.fill(none, 1);
  EXPECT_EQ(none.transposed().elements(), 0);
}

TEST_F(Buffers, ImpossibleShapesAreMessages) {
  EXPECT_THAT(messageOf([&] { Buffer(device_, DType::F32, {4, -1}); }),
              HasSubstr("negative extent -1 in the shape 4x-1"));
  EXPECT_THAT(messageOf([&] { Buffer(device_, DType::F32, {int64_t(1) << 32, int64_t(1) << 32}); }),
              HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(messageOf([&] { Buffer(device_, DType::F32, {int64_t(1) << 62}); }), HasSubstr("more than 2^63 bytes"));
  EXPECT_THAT(messageOf([&] { Buffer(device_, DType::F32, std::vector<int64_t>(9, 1)); }), HasSubstr("rank 9"));
  ApiError::Kind kind{};
  Device cpu = Device::open("cpu");
  EXPECT_THAT(messageOf([&] { Buffer(cpu, DType::F32, {int64_t(1) << 60}); }, &kind),
              HasSubstr("takes 4611686018427387904 bytes, device cpu has"));
  EXPECT_EQ(kind, ApiError::Kind::Device);
}

TEST_F(Buffers, ViewsShareMemoryAndStayInside) {
  Buffer b(device_, DType::I32, {4, 6});
  std::vector<int32_t> host(24);
  std::iota(host.begin(), host.end(), 0);
  stream_.write(b, host.data());
  Buffer t = b.transposed();
  EXPECT_EQ(t.shape(), (std::vector<int64_t>{6, 4}));
  EXPECT_EQ(t.strides(), (std::vector<int64_t>{1, 6}));
  EXPECT_EQ(t.address(), b.address());
  EXPECT_EQ(t.bytes(), b.bytes());
  Buffer row = b.view({6}, {1}, 12);
  std::vector<int32_t> got(6);
  stream_.read(row, got.data());
  EXPECT_EQ(got, (std::vector<int32_t>{12, 13, 14, 15, 16, 17}));
  stream_.fill(row, 0);
  stream_.read(b, host.data());
  EXPECT_EQ(host[11], 11);
  EXPECT_EQ(host[12], 0);
  EXPECT_EQ(host[18], 18);
  EXPECT_EQ(row.view({2}, {-1}, 1).address(), row.address() + 4); // backwards, inside
  b.view({}, {}, 23);
  b.view({0}, {1}, 24);
  for (auto bad :
       {std::function<void()>([&] { b.view({25}, {1}); }), std::function<void()>([&] { b.view({4, 6}, {6, 1}, 1); }),
        std::function<void()>([&] { row.view({2}, {-13}, 0); }),
        std::function<void()>([&] { b.view({2}, {INT64_MAX}); }), std::function<void()>([&] { b.view({}, {}, 24); }),
        std::function<void()>([&] { b.view({1}, {1}, INT64_MIN); })})
    EXPECT_THAT(messageOf(bad), HasSubstr("reaches outside of its buffer, which holds 24 elements"));
  EXPECT_THAT(messageOf([&] { b.view({2, 2}, {1}); }), HasSubstr("needs 2 strides, 1 were given"));
  EXPECT_THAT(messageOf([&] { b.transposed(0, 2); }), HasSubstr("axis 2 of a buffer of rank 2"));
}

TEST_F(Buffers, OnlyDenseOnesAreCopied) {
  Buffer b(device_, DType::I32, {4, 6});
  std::vector<int32_t> host(24);
  EXPECT_THAT(messageOf([&] { stream_.write(b.transposed(), host.data()); }), HasSubstr("it is not dense row-major"));
  EXPECT_THAT(messageOf([&] { stream_.read(b.transposed(), host.data()); }), HasSubstr("shape 6x4 and strides 1x6"));
}

TEST_F(Buffers, CopiesStayOnTheDevice) {
  Buffer from(device_, DType::I32, {4, 6}), to(device_, DType::I32, {24});
  std::vector<int32_t> host(24), got(24);
  std::iota(host.begin(), host.end(), 100);
  stream_.write(from, host.data());
  stream_.fill(to, 0);
  stream_.copy(to.view({6}, {1}, 3), from.view({2, 3}, {3, 1}, 12));
  stream_.read(to, got.data());
  std::vector<int32_t> expected(24, 0);
  std::iota(expected.begin() + 3, expected.begin() + 9, 112);
  EXPECT_EQ(got, expected);
  stream_.copy(to.view({12}, {1}, 12), to.view({12}, {1}));
  stream_.read(to, got.data());
  EXPECT_EQ(std::vector<int32_t>(got.begin() + 12, got.end()), std::vector<int32_t>(got.begin(), got.begin() + 12));
  Buffer none(device_, DType::I32, {0});
  stream_.copy(none, Buffer(device_, DType::I32, {2, 0}));

  EXPECT_EQ(messageOf([&] { stream_.copy(to, from.view({23}, {1})); }),
            "cannot copy 23 elements of i32 into 24 elements of i32: one type and as many elements are expected");
  EXPECT_THAT(messageOf([&] { stream_.copy(to, Buffer(device_, DType::F32, {24})); }), HasSubstr("24 elements of f32"));
  EXPECT_THAT(messageOf([&] { stream_.copy(to.view({12}, {1}, 11), to.view({12}, {1})); }), HasSubstr("overlap"));
  EXPECT_THAT(messageOf([&] { stream_.copy(to, from.transposed()); }), HasSubstr("cannot copy from a view of shape"));
  EXPECT_THAT(messageOf([&] { stream_.copy(Buffer(Device::open("cpu"), DType::I32, {24}), from); }),
              HasSubstr("cannot copy into a buffer of device cpu on a stream of device null"));
}

TEST_F(Buffers, WrittenMapsFollowTheHost) {
  Buffer untouched(device_, DType::I8, {8});
  Allocation &a = *untouched.impl()->allocation;
  ASSERT_NE(a.writtenMap(), nullptr);
  EXPECT_EQ(std::count(a.writtenMap(), a.writtenMap() + 8, 0), 8);
  stream_.fill(untouched.view({3}, {1}, 2), 9);
  EXPECT_EQ(std::vector<uint8_t>(a.writtenMap(), a.writtenMap() + 8), (std::vector<uint8_t>{0, 0, 1, 1, 1, 0, 0, 0}));
  Buffer other(device_, DType::I8, {2});
  stream_.fill(other, 1);
  stream_.copy(untouched.view({2}, {1}, 6), other);
  EXPECT_EQ(std::vector<uint8_t>(a.writtenMap(), a.writtenMap() + 8), (std::vector<uint8_t>{0, 0, 1, 1, 1, 0, 1, 1}));
  stream_.fill(untouched, 9);
  EXPECT_EQ(a.writtenMap(), nullptr);
  Buffer launched(device_, DType::I8, {8});
  fake_.kernels = {makeKernel("k", {"x"})};
  load().launch(stream_, {1}, std::vector<Argument>{launched});
  EXPECT_EQ(launched.impl()->allocation->writtenMap(), nullptr) << "an unchecked launch may have written anything";
}

TEST_F(Buffers, DevicesKnowTheirLiveAllocations) {
  size_t before = device_.impl()->live().size();
  {
    Buffer b(device_, DType::I8, {8});
    Buffer view = b.view({4}, {1});
    EXPECT_EQ(device_.impl()->live().size(), before + 1);
  }
  EXPECT_EQ(device_.impl()->live().size(), before);
}

TEST_F(Buffers, DevicesAreListedAndFound) {
  std::vector<Device::Info> all = Device::list();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "cpu");
  EXPECT_EQ(Device::open("cpu").info().target, "cpu");
  ScopedVariable none("TEGULA_DEVICE", nullptr);
  EXPECT_EQ(Device::open().info().name, "cpu");
  ScopedVariable null("TEGULA_DEVICE", "null");
  EXPECT_EQ(Device::open().info().name, "null");
  EXPECT_EQ(Device::open("cpu").info().name, "cpu");
  EXPECT_THAT(messageOf([] { Device::open("cup"); }),
              HasSubstr("unknown device 'cup'; found: cpu and null; did you mean 'cpu'?"));
  ScopedVariable bad("TEGULA_DEVICE", "gpu9");
  EXPECT_THAT(messageOf([] { Device::open(); }), HasSubstr("unknown device 'gpu9' in $TEGULA_DEVICE"));
}

TEST_F(Buffers, EventsMeasureAndNeverRecordedOnesSaySo) {
  Event start = stream_.record(), end = stream_.record();
  end.wait();
  EXPECT_GE(end.secondsSince(start), 0.0);
  EXPECT_LE(start.secondsSince(end), 0.0);
  EXPECT_THAT(messageOf([&] { end.secondsSince(Event()); }), HasSubstr("never recorded"));
  EXPECT_THAT(messageOf([&] { Event().wait(); }), HasSubstr("never recorded"));
  Event elsewhere = Stream(Device::open("cpu")).record();
  EXPECT_THAT(messageOf([&] { end.secondsSince(elsewhere); }), HasSubstr("events of devices cpu and null"));
}

TEST_F(Buffers, TypesHaveNames) {
  EXPECT_EQ(name(DType::BF16), "bf16");
  EXPECT_EQ(byteSize(DType::I1), 1u);
  EXPECT_EQ(parseDType("float32"), DType::F32);
  EXPECT_EQ(parseDType("fp8e5b16"), DType::F8E5M2FNUZ);
  EXPECT_THAT(messageOf([] { parseDType("f23"); }), HasSubstr("unknown type 'f23'; did you mean 'f"));
  EXPECT_THAT(messageOf([] { parseDType("quaternion"); }), HasSubstr("known: i1, i8"));
}

TEST_F(Buffers, ReadOnlyOnesAreRefusedWhereTheKernelMayWrite) {
  fake_.kernels = {makeKernel("k", {"x", "rows"})};
  auto access = ArtifactParam::Access::Reads;
  fake_.onCompile = [&](const CompileRequest &, CompileResult &result) { result.artifact->params[0].access = access; };
  auto messageOfLaunch = [&](const Kernel &kernel, const Argument &x, const Argument &rows) {
    return messageOf([&] { kernel.launch(stream_, {1}, std::vector<Argument>{x, rows}); });
  };
  Buffer free(device_, DType::F32, {8}), kept = free.readOnly();
  PointerArray both(stream_, {free, kept}), writable(stream_, {free, free});
  Kernel reads = Kernel::fromSource("reads", "k", "k.py");
  for (int i = 0; i < 2; ++i) { // the second launch is a repeated one
    messageOfLaunch(reads, kept, writable);
    EXPECT_EQ(launches().size(), size_t(i + 1));
  }
  EXPECT_THAT(
      messageOfLaunch(reads, free, both),
      HasSubstr("parameter 'rows' of kernel 'k': the kernel may write to its memory, but it was given read-only"));
  for (auto writes : {ArtifactParam::Access::Writes, ArtifactParam::Access::Accumulates}) {
    access = writes;
    Kernel kernel = Kernel::fromSource("writes " + std::to_string(int(writes)), "k", "k.py");
    messageOfLaunch(kernel, free, writable);
    for (const Buffer &view : {kept, kept.view({2, 2}, {2, 1}), kept.view({2, 2}, {2, 1}).transposed()})
      EXPECT_THAT(messageOfLaunch(kernel, view, writable), HasSubstr("parameter 'x' of kernel 'k'"));
  }
}

TEST_F(Buffers, StreamsWriteNothingToReadOnlyOnes) {
  Buffer free(device_, DType::F32, {2}), kept = free.readOnly();
  float values[] = {1, 2}, read[2] = {};
  EXPECT_THAT(messageOf([&] { stream_.write(kept, values); }), HasSubstr("cannot write a read-only buffer"));
  EXPECT_THAT(messageOf([&] { stream_.fill(kept, 0); }), HasSubstr("cannot fill a read-only buffer"));
  EXPECT_THAT(messageOf([&] { stream_.copy(kept, Buffer(device_, DType::F32, {2})); }),
              HasSubstr("cannot copy into a read-only buffer"));
  stream_.write(free, values);
  stream_.read(kept, read);
  EXPECT_EQ(read[1], 2);
}

} // namespace
} // namespace tegula::test
