// Loads and stores: rectangles of memory in all axis orders, masks as boxes and as bytes, gathers and scatters.
#include "backends/cpu/kernels/KernelTable.h"
#include "tests/cpu/Harness.h"

#include <numeric>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

struct Layout {
  Shape shape;
  std::vector<int64_t> strides; // elements
};
const Layout kLayouts[] = {{{7}, {1}},
                           {{7}, {3}},
                           {{7}, {0}},
                           {{7}, {-2}},
                           {{4, 6}, {6, 1}},
                           {{4, 6}, {1, 4}},
                           {{4, 6}, {40, 2}},
                           {{5, 4}, {0, 1}},
                           {{5, 4}, {1, 0}},
                           {{3, 4, 5}, {20, 5, 1}},
                           {{3, 4, 5}, {1, 3, 12}},
                           {{3, 4, 5}, {5, 15, 1}},
                           {{3, 1, 5}, {7, 100, 1}},
                           {{2, 2, 2, 2}, {1, 2, 4, 8}},
                           {{20, 33}, {33, 1}},
                           {{33, 20}, {1, 33}}};

constexpr int64_t kBase = 60; // room below the base for negative strides

int64_t addressOf(const Layout &l, int64_t element) {
  int64_t address = kBase;
  for (size_t d = l.shape.size(); d-- > 0;) {
    address += element % l.shape[d] * l.strides[d];
    element /= l.shape[d];
  }
  return address;
}
int64_t countOf(const Shape &shape) {
  int64_t n = 1;
  for (int64_t e : shape)
    n *= e;
  return n;
}

enum class Mask { None, Box, Bytes };

/// A mask that excludes index 0 and the last index of every axis (Box), or every third element (Bytes).
Register makeMask(FunctionBuilder &f, Mask kind, const Shape &shape) {
  Register mask = kNoRegister;
  if (kind == Mask::Bytes) {
    const Register flat = f.op(Opcode::Reshape, tile(ElementKind::I32, shape), {f.range(countOf(shape))});
    return f.compare(IntPredicate::Ne, f.like(Opcode::RemS, {flat, f.constInt(ElementKind::I32, 3, shape)}),
                     f.constInt(ElementKind::I32, 1, shape));
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    const Register row = f.range(shape[d]);
    const Register inside = f.like(
        Opcode::And, {f.compare(IntPredicate::GtS, row, f.constInt(ElementKind::I32, 0, {shape[d]})),
                      f.compare(IntPredicate::LtS, row, f.constInt(ElementKind::I32, shape[d] - 1, {shape[d]}))});
    const Register part = f.along(inside, d, shape);
    mask = d ? f.like(Opcode::And, {mask, part}) : part;
  }
  return mask;
}
bool masked(Mask kind, const Shape &shape, int64_t element) {
  if (kind == Mask::None)
    return true;
  if (kind == Mask::Bytes)
    return element % 3 != 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t i = element % shape[d];
    if (i == 0 || i == shape[d] - 1)
      return false;
    element /= shape[d];
  }
  return true;
}

class Layouts : public testing::TestWithParam<bool> {}; // checked mode

TEST_P(Layouts, LoadsEqualElementwiseReads) {
  for (ElementKind kind : {ElementKind::I8, ElementKind::F16, ElementKind::F32, ElementKind::I64})
    for (const Layout &l : kLayouts)
      for (Mask mask : {Mask::None, Mask::Box, Mask::Bytes})
        for (int other = 0; other < 3; ++other) { // none, a constant, a tile
          if (mask == Mask::None && other)
            continue;
          const int64_t n = countOf(l.shape);
          Array in(kind, 2000), out(kind, static_cast<size_t>(n));
          for (size_t i = 0; i < in.size(); ++i)
            in.setBits(i, i * 37 + 1);
          Module m = emptyModule();
          FunctionBuilder f(m, "k");
          const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind));
          const Register pointers =
              f.stridedPointers(f.addPtr(p, f.constInt(ElementKind::I32, kBase)), l.shape, l.strides);
          std::vector<uint32_t> rest;
          if (mask != Mask::None)
            rest.push_back(makeMask(f, mask, l.shape));
          if (other == 1)
            rest.push_back(kind == ElementKind::F16 || kind == ElementKind::F32 ? f.constFloat(kind, 1.0, l.shape)
                                                                                : f.constInt(kind, 9, l.shape));
          if (other == 2)
            rest.push_back(f.load(f.rowMajorPointers(p, l.shape)));
          f.store(f.rowMajorPointers(o, l.shape), f.load(pointers, rest));
          f.finish();
          LaunchOptions options;
          const BufferRange ranges[] = {in.range("in"), out.range("out")};
          options.checked = GetParam();
          options.buffers = ranges;
          run(std::move(m), options, in, out);
          Array one(kind, 1);
          if (kind == ElementKind::F16 || kind == ElementKind::F32)
            one.setNumber(0, 1.0);
          else
            one.setBits(0, 9);
          for (int64_t i = 0; i < n; ++i) {
            const uint64_t off = other == 0 ? 0 : other == 1 ? one.bits(0) : in.bits(static_cast<size_t>(i));
            ASSERT_EQ(out.bits(static_cast<size_t>(i)),
                      masked(mask, l.shape, i) ? in.bits(static_cast<size_t>(addressOf(l, i))) : off)
                << name(kind) << " layout " << &l - kLayouts << " mask " << static_cast<int>(mask) << " other " << other
                << " element " << i;
          }
        }
}

TEST_P(Layouts, StoresEqualElementwiseWrites) {
  for (ElementKind kind : {ElementKind::I8, ElementKind::I16, ElementKind::F32, ElementKind::F64})
    for (const Layout &l : kLayouts)
      for (Mask mask : {Mask::None, Mask::Box, Mask::Bytes})
        for (int form = 0; form < 3; ++form) { // value: row-major, transposed in memory, one for all
          if (std::find(l.strides.begin(), l.strides.end(), 0) != l.strides.end() && form != 2)
            continue; // which of several values is stored is undefined
          const int64_t n = countOf(l.shape);
          Array in(kind, static_cast<size_t>(n)), out(kind, 2000);
          for (size_t i = 0; i < in.size(); ++i)
            in.setBits(i, i * 13 + 5);
          for (size_t i = 0; i < out.size(); ++i)
            out.setBits(i, 77);
          Module m = emptyModule();
          FunctionBuilder f(m, "k");
          const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind));
          std::vector<int64_t> columnMajor(l.shape.size());
          for (size_t d = 0, step = 1; d < l.shape.size(); step *= static_cast<size_t>(l.shape[d]), ++d)
            columnMajor[d] = static_cast<int64_t>(step);
          const Register value = form == 0   ? f.load(f.rowMajorPointers(p, l.shape))
                                 : form == 1 ? f.load(f.stridedPointers(p, l.shape, columnMajor))
                                             : f.splat(f.load(p), l.shape);
          const Register pointers =
              f.stridedPointers(f.addPtr(o, f.constInt(ElementKind::I32, kBase)), l.shape, l.strides);
          std::vector<uint32_t> rest;
          if (mask != Mask::None)
            rest.push_back(makeMask(f, mask, l.shape));
          f.store(pointers, value, rest);
          f.finish();
          LaunchOptions options;
          const BufferRange ranges[] = {out.range("out"), in.range("in")};
          options.checked = GetParam();
          options.buffers = ranges;
          run(std::move(m), options, in, out);
          std::vector<uint64_t> expected(out.size(), 77);
          for (int64_t i = 0; i < n; ++i) {
            int64_t source = 0, rest2 = i;
            for (size_t d = l.shape.size(); d-- > 0;) {
              source += form == 1 ? rest2 % l.shape[d] * columnMajor[d] : 0;
              rest2 /= l.shape[d];
            }
            if (masked(mask, l.shape, i))
              expected[static_cast<size_t>(addressOf(l, i))] = in.bits(static_cast<size_t>(form == 0 ? i : source));
          }
          for (size_t i = 0; i < out.size(); ++i)
            ASSERT_EQ(out.bits(i), expected[i]) << name(kind) << " layout " << &l - kLayouts << " mask "
                                                << static_cast<int>(mask) << " form " << form << " at " << i;
        }
}

TEST_P(Layouts, GatherAndScatterThroughPointers) {
  const int64_t n = 64;
  std::vector<int32_t> index(n);
  std::vector<float> in(200), out(200, -1);
  for (int64_t i = 0; i < n; ++i)
    index[static_cast<size_t>(i)] = static_cast<int32_t>(i * 29 % 200);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register pi = f.param(pointerTo(ElementKind::I32)), p = f.param(pointerTo(ElementKind::F32)),
                 o = f.param(pointerTo(ElementKind::F32));
  const Register at = f.load(f.rowMajorPointers(pi, {n}));
  f.store(f.addPtr(f.splat(o, {n}), at), f.load(f.addPtr(f.splat(p, {n}), at)));
  f.finish();
  LaunchOptions options;
  const BufferRange ranges[] = {{in.data(), 800, "in", ElementKind::F32, nullptr},
                                {out.data(), 800, "out", ElementKind::F32, nullptr},
                                {index.data(), 256, "index", ElementKind::I32, nullptr}};
  options.checked = GetParam();
  options.buffers = ranges;
  run(std::move(m), options, index.data(), in.data(), out.data());
  std::vector<float> expected(200, -1);
  for (int32_t i : index)
    expected[static_cast<size_t>(i)] = in[static_cast<size_t>(i)];
  EXPECT_EQ(out, expected);
}

TEST_P(Layouts, PointersInMemoryAreAddresses) {
  // A table of row pointers, like an array of tensors; the pointers are also copied to a second table.
  std::vector<float> rows[3] = {{1, 2}, {3, 4}, {5, 6}};
  std::vector<float *> table = {rows[0].data(), rows[1].data(), rows[2].data()}, copy(3);
  std::vector<int64_t> numbers(3);
  std::vector<float> out(3);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const TileType pointerToPointer{ElementKind::Pointer, ElementKind::Pointer, {}};
  const Register t = f.param(pointerToPointer), c = f.param(pointerToPointer), o = f.param(pointerTo(ElementKind::F32)),
                 q = f.param(pointerTo(ElementKind::I64));
  const Register pointers = f.op(Opcode::Load, pointerTo(ElementKind::F32, {3}), {f.rowMajorPointers(t, {3})});
  f.store(f.rowMajorPointers(c, {3}), pointers);
  f.store(f.rowMajorPointers(q, {3}), f.op(Opcode::PtrToInt, tile(ElementKind::I64, {3}), {pointers}));
  const Register again = f.op(Opcode::IntToPtr, pointerTo(ElementKind::F32, {3}), {f.load(f.rowMajorPointers(q, {3}))});
  f.store(f.rowMajorPointers(o, {3}), f.load(f.addPtr(again, f.constInt(ElementKind::I32, 1, {3}))));
  f.finish();
  LaunchOptions options;
  std::vector<BufferRange> ranges = {{table.data(), 24, "table", ElementKind::I64, nullptr},
                                     {copy.data(), 24, "copy", ElementKind::I64, nullptr},
                                     {out.data(), 12, "out", ElementKind::F32, nullptr},
                                     {numbers.data(), 24, "numbers", ElementKind::I64, nullptr}};
  for (auto &r : rows)
    ranges.push_back({r.data(), 8, "row", ElementKind::F32, nullptr});
  options.checked = GetParam();
  options.buffers = ranges;
  run(std::move(m), options, table.data(), copy.data(), out.data(), numbers.data());
  EXPECT_EQ(copy, table);
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(numbers[1], reinterpret_cast<int64_t>(rows[1].data()));
}

INSTANTIATE_TEST_SUITE_P(Memory, Layouts, testing::Bool(),
                         [](const auto &info) { return info.param ? "Checked" : "Unchecked"; });

TEST(Memory, LargeLaunchesWriteTheSame) {
  // 40 MB in rows of 4 KiB at any offset in a cache line: these stores bypass the caches.
  const int64_t block = 1000, programs = 10000;
  std::vector<int32_t> out(static_cast<size_t>(block * programs + 20), -1);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register o = f.param(pointerTo(ElementKind::I32));
  const Register pid = f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {0});
  const Register start = f.like(Opcode::Mul, {pid, f.constInt(ElementKind::I32, block)});
  const Register offsets = f.like(Opcode::Add, {f.splat(start, {block}), f.range(block, 5)});
  f.store(f.addPtr(f.splat(o, {block}), offsets), offsets);
  f.finish();
  LaunchOptions options;
  options.grid = {static_cast<uint32_t>(programs), 1, 1};
  run(std::move(m), options, out.data());
  for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i)
    ASSERT_EQ(out[static_cast<size_t>(i)], i >= 5 && i < 5 + block * programs ? i : -1);
}

TEST(Memory, EveryTableStreams) {
  const KernelTables tables = availableKernels();
  for (size_t t = 0; t < tables.count; ++t)
    for (size_t offset : {0, 1, 17, 63})
      for (size_t bytes : {0, 1, 63, 64, 65, 200, 1000}) {
        std::vector<uint8_t> in(1100), out(1200, 7);
        std::iota(in.begin(), in.end(), uint8_t{0});
        tables.tables[t]->stream(out.data() + offset, in.data() + 3, bytes);
        for (size_t i = 0; i < out.size(); ++i)
          ASSERT_EQ(out[i], i >= offset && i < offset + bytes ? in[3 + i - offset] : 7);
      }
}

TEST(Memory, BoolsAreBytesNotZero) {
  std::vector<uint8_t> in = {0, 1, 2, 255}, out(4, 9);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I1)), o = f.param(pointerTo(ElementKind::I1));
  f.store(f.rowMajorPointers(o, {4}), f.load(f.rowMajorPointers(p, {4})));
  f.finish();
  run(std::move(m), {}, in.data(), out.data());
  EXPECT_EQ(out, (std::vector<uint8_t>{0, 1, 1, 1}));
}

TEST(Memory, SixtyFourBitOffsetsAreExact) {
  // offset = (2^33 + i) * 4 - 2^35: right only if no step is truncated to 32 bits.
  std::vector<float> in = {10, 11, 12, 13}, out(4);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
  const Register big =
      f.like(Opcode::Add, {f.range(4, 0, ElementKind::I64), f.constInt(ElementKind::I64, int64_t{1} << 33, {4})});
  const Register far = f.addPtr(f.splat(p, {4}), big);
  const Register back = f.addPtr(far, f.constInt(ElementKind::I64, -(int64_t{1} << 33), {4}));
  f.store(f.rowMajorPointers(o, {4}), f.load(back));
  f.finish();
  run(std::move(m), {}, in.data(), out.data());
  EXPECT_EQ(out, in);
}

} // namespace
