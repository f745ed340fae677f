// Tensor descriptors, made in the kernel and passed as parameters, at all edges.
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

constexpr int64_t kRows = 7, kColumns = 9, kStride = 12;

TileType descriptorOf(ElementKind pointee, Shape block) { return {ElementKind::Descriptor, pointee, std::move(block)}; }

/// base and extents, strides as i64 constants.
Register makeDescriptor(FunctionBuilder &f, Register base, ElementKind kind, const Shape &block, const Shape &extents,
                        const Shape &strides, bool nan) {
  std::vector<uint32_t> operands = {base};
  for (int64_t n : extents)
    operands.push_back(f.constInt(ElementKind::I32, n));
  for (int64_t n : strides)
    operands.push_back(f.constInt(ElementKind::I64, n));
  return f.op(Opcode::MakeDescriptor, descriptorOf(kind, block), operands, {nan});
}

class Descriptor : public testing::TestWithParam<bool> { // checked
protected:
  LaunchOptions options(std::vector<BufferRange> ranges) {
    ranges_ = std::move(ranges);
    LaunchOptions o;
    o.checked = GetParam();
    o.buffers = ranges_;
    return o;
  }

private:
  std::vector<BufferRange> ranges_;
};

TEST_P(Descriptor, LoadPadsAndStoreCuts) {
  for (bool nan : {false, true})
    for (auto [row, column] :
         {std::pair<int64_t, int64_t>{0, 0}, {3, 4}, {5, 6}, {-2, -3}, {6, 8}, {7, 0}, {0, 9}, {-4, 0}, {100, 100}}) {
      std::vector<float> in(kRows * kStride), copy(kRows * kStride, -1), out(32);
      for (size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<float>(i) + 1;
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register p = f.param(pointerTo(ElementKind::F32)), q = f.param(pointerTo(ElementKind::F32)),
                     o = f.param(pointerTo(ElementKind::F32));
      const Register d = makeDescriptor(f, p, ElementKind::F32, {4, 8}, {kRows, kColumns}, {kStride, 1}, nan);
      const Register e = makeDescriptor(f, q, ElementKind::F32, {4, 8}, {kRows, kColumns}, {kStride, 1}, nan);
      const Register ri = f.constInt(ElementKind::I32, row), rj = f.constInt(ElementKind::I32, column);
      const Register x = f.op(Opcode::DescLoad, tile(ElementKind::F32, {4, 8}), {d, ri, rj});
      f.store(f.rowMajorPointers(o, {4, 8}), x);
      f.emit(Opcode::DescStore, {}, {e, x, ri, rj});
      f.finish();
      run(std::move(m),
          options({{in.data(), in.size() * 4, "in", ElementKind::F32, nullptr},
                   {copy.data(), copy.size() * 4, "copy", ElementKind::F32, nullptr},
                   {out.data(), 128, "out", ElementKind::F32, nullptr}}),
          in.data(), copy.data(), out.data());
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 8; ++j) {
          const bool inside = row + i >= 0 && row + i < kRows && column + j >= 0 && column + j < kColumns;
          const float actual = out[static_cast<size_t>(i * 8 + j)];
          if (inside)
            EXPECT_EQ(actual, in[static_cast<size_t>((row + i) * kStride + column + j)]);
          else
            EXPECT_TRUE(nan ? std::isnan(actual) : actual == 0);
        }
      for (int64_t i = 0; i < kRows; ++i)
        for (int64_t j = 0; j < kStride; ++j) {
          const bool written = i >= row && i < row + 4 && j >= column && j < column + 8 && j < kColumns;
          EXPECT_EQ(copy[static_cast<size_t>(i * kStride + j)], written ? in[static_cast<size_t>(i * kStride + j)] : -1)
              << i << ", " << j << " at " << row << ", " << column;
        }
    }
}

TEST_P(Descriptor, ParameterWithUnitAxesDropped) {
  std::vector<int32_t> in(2 * 3 * 8), out(8);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int32_t>(i);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register d = f.param(descriptorOf(ElementKind::I32, {1, 1, 8})), o = f.param(pointerTo(ElementKind::I32));
  const Register one = f.constInt(ElementKind::I32, 1), two = f.constInt(ElementKind::I32, 2),
                 zero = f.constInt(ElementKind::I32, 0);
  f.store(f.rowMajorPointers(o, {8}), f.op(Opcode::DescLoad, tile(ElementKind::I32, {8}), {d, one, two, zero}));
  f.finish();
  const Program program(std::move(m));
  DescriptorArgument descriptor{in.data(), {2, 3, 8}, {24, 8, 1}, false};
  const ArgumentValue values[] = {{0, &descriptor}, argument(out.data())};
  program.run(values, options({{in.data(), in.size() * 4, "in", ElementKind::I32, nullptr},
                               {out.data(), 32, "out", ElementKind::I32, nullptr}}));
  for (int32_t i = 0; i < 8; ++i)
    EXPECT_EQ(out[static_cast<size_t>(i)], 24 + 16 + i);
  const ArgumentValue wrong[] = {argument(in.data()), argument(out.data())};
  EXPECT_THAT(errorOf([&] { program.run(wrong, {}); }),
              testing::HasSubstr("is a tensor descriptor, got a plain value"));
  descriptor.shape.pop_back();
  EXPECT_THAT(errorOf([&] { program.run(values, {}); }), testing::HasSubstr("of rank 3, got 2 extents"));
}

TEST_P(Descriptor, AtomicAdd) {
  std::vector<int32_t> x(5 * 6, 1);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I32));
  const Register d = makeDescriptor(f, p, ElementKind::I32, {4, 4}, {5, 6}, {6, 1}, false);
  f.emit(
      Opcode::DescAtomic, {},
      {d, f.constInt(ElementKind::I32, 10, {4, 4}), f.constInt(ElementKind::I32, 3), f.constInt(ElementKind::I32, 4)},
      {static_cast<int64_t>(AtomicKind::Add)});
  f.finish();
  run(std::move(m), options({{x.data(), x.size() * 4, "x", ElementKind::I32, nullptr}}), x.data());
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x[i], i / 6 >= 3 && i % 6 >= 4 ? 11 : 1);
}

TEST_P(Descriptor, GatherAndScatterRows) {
  std::vector<float> x(6 * 10), out(8 * 4, -5), y(6 * 10, 0);
  std::vector<int32_t> rows = {5, 0, -1, 3, 6, 2, 2, 100};
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32)),
                 q = f.param(pointerTo(ElementKind::F32)), r = f.param(pointerTo(ElementKind::I32));
  const Register index = f.load(f.rowMajorPointers(r, {8})), column = f.constInt(ElementKind::I32, 8);
  const Register d = makeDescriptor(f, p, ElementKind::F32, {1, 4}, {6, 10}, {10, 1}, false),
                 e = makeDescriptor(f, q, ElementKind::F32, {1, 4}, {6, 10}, {10, 1}, false);
  const Register t = f.op(Opcode::DescGather, tile(ElementKind::F32, {8, 4}), {d, index, column});
  f.store(f.rowMajorPointers(o, {8, 4}), t);
  f.emit(Opcode::DescScatter, {}, {e, t, index, column});
  f.finish();
  run(std::move(m),
      options({{x.data(), x.size() * 4, "x", ElementKind::F32, nullptr},
               {out.data(), out.size() * 4, "out", ElementKind::F32, nullptr},
               {y.data(), y.size() * 4, "y", ElementKind::F32, nullptr},
               {rows.data(), 32, "rows", ElementKind::I32, nullptr}}),
      x.data(), out.data(), y.data(), rows.data());
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 4; ++j)
      EXPECT_EQ(out[i * 4 + j],
                rows[i] >= 0 && rows[i] < 6 && j < 2 ? x[static_cast<size_t>(rows[i]) * 10 + 8 + j] : 0);
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 10; ++j)
      EXPECT_EQ(y[i * 10 + j], j >= 8 && i != 1 && i != 4 ? x[i * 10 + j] : 0) << i << ", " << j;
}

INSTANTIATE_TEST_SUITE_P(Modes, Descriptor, testing::Bool(),
                         [](const auto &info) { return info.param ? "Checked" : "Unchecked"; });

TEST(DescriptorChecked, InsideTheShapeMustBeInsideTheBuffer) {
  std::vector<float> x(20), out(32);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
  const Register d = makeDescriptor(f, p, ElementKind::F32, {4, 8}, {4, 8}, {8, 1}, false);
  f.at(9, 3);
  const Register zero = f.constInt(ElementKind::I32, 0);
  f.store(f.rowMajorPointers(o, {4, 8}), f.op(Opcode::DescLoad, tile(ElementKind::F32, {4, 8}), {d, zero, zero}));
  f.finish();
  const BufferRange ranges[] = {{x.data(), 80, "x", ElementKind::F32, nullptr},
                                {out.data(), 128, "out", ElementKind::F32, nullptr}};
  LaunchOptions options;
  options.checked = true;
  options.buffers = ranges;
  EXPECT_THAT(errorOf([&] { run(std::move(m), options, x.data(), out.data()); }),
              testing::HasSubstr("9:3: error: load of element [2, 4] reads x[20], past its end (20 elements of f32)"));
}

} // namespace
