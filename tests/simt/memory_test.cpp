// Global and shared memory: widths, masks, atomics, pointers, layouts of views, 8x8 matrices, asynchronous copies.
#include "tests/simt/Body.h"

#include "core/ir/Register.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace tegula::simt_test {
namespace {

TEST(Memory, MasksAndWidths) {
  auto x = iota(64, 100);
  std::vector<int32_t> out(64, -1);
  std::string body = R"(
    %a = arith.muli %t, %c8 : i32
    %b = arith.addi %a, %c4 : i32
    %at = simt.concat %a, %b : i32, i32 -> vector<2xi32>
    %even = arith.andi %t, %c1 : i32
    %p = arith.cmpi eq, %even, %c0 : i32
    %q = arith.cmpi slt, %t, %c4 : i32
    %m = simt.concat %p, %q : i1, i1 -> vector<2xi1>
    %z = simt.splat %t : i32 -> vector<8xi32>
    %v = simt.load %x[%at] mask %m other %z : !tile.ptr<i32>, vector<2xi32>, vector<2xi1>, other vector<8xi32>
        -> vector<8xi32>
    %n = simt.load %x[%at] mask %m : !tile.ptr<i32>, vector<2xi32>, vector<2xi1> -> vector<8xi32>
    %s = arith.subi %v, %n : vector<8xi32>
    %r = arith.addi %s, %v : vector<8xi32>
    %notp = simt.concat %q, %p : i1, i1 -> vector<2xi1>
    simt.store %o[%at], %r mask %notp : !tile.ptr<i32>, vector<2xi32>, vector<8xi32>, vector<2xi1>)";
  EXPECT_EQ(runBody(integers(1, 8), body, x, out).text(), "");
  for (int32_t i = 0; i < 64; ++i) {
    int32_t thread = i / 8;
    bool upper = i % 8 >= 4, even = thread % 2 == 0, low = thread < 4;
    bool read = upper ? low : even, written = upper ? even : low;
    EXPECT_EQ(out[size_t(i)], !written ? -1 : read ? 100 + i : 2 * thread) << i;
  }
}

TEST(Memory, MaskedOffIsNotTouched) {
  auto x = iota(4);
  std::vector<int32_t> out(4);
  std::string body = R"(
    %far = arith.constant 1000000 : i32
    %p = arith.cmpi slt, %t, %c4 : i32
    %at = arith.select %p, %t, %far : i32
    %v = simt.load %x[%at] mask %p : !tile.ptr<i32>, i32, i1 -> i32
    simt.store %o[%at], %v mask %p : !tile.ptr<i32>, i32, i32, i1)";
  EXPECT_EQ(runBody(integers(1, 8), body, x, out).text(), "");
  EXPECT_EQ(out, x);
}

TEST(Memory, Pointers) {
  auto x = iota(64);
  std::vector<int32_t> out(8);
  std::string body = R"(
    %far = arith.constant 4294967296 : i64
    %back = arith.constant -4294967296 : i64
    %p0 = tile.addptr %x, %far : !tile.ptr<i32>, i64
    %p1 = tile.addptr %p0, %back : !tile.ptr<i32>, i64
    %b = tile.ptr_cast %p1 : !tile.ptr<i32> -> !tile.ptr<i16>
    %c = tile.addptr %b, %c8 : !tile.ptr<i16>, i32
    %i = tile.ptr_to_int %c : !tile.ptr<i16> -> i64
    %d = tile.int_to_ptr %i : i64 -> !tile.ptr<i32>
    %minus = arith.constant -1 : i64
    %t64 = arith.extsi %t : i32 to i64
    %at = arith.addi %t64, %minus : i64
    %v = simt.load %d[%at] : !tile.ptr<i32>, i64 -> i32
    simt.store %o[%t], %v : !tile.ptr<i32>, i32, i32)";
  EXPECT_EQ(runBody(integers(1, 8), body, x, out).text(), "");
  EXPECT_EQ(out, iota(8, 3));
}

TEST(Memory, Atomics) {
  // All threads update one element for each kind; the old values must be those of some order.
  std::vector<int32_t> x{0, 100, -100, 0, -1}, out(32);
  std::string body = R"(
    %a = simt.atomic_rmw add relaxed device %x[%c0], %t : !tile.ptr<i32>, i32, i32
    %b = simt.atomic_rmw min relaxed device %x[%c1], %t : !tile.ptr<i32>, i32, i32
    %c = simt.atomic_rmw max acq_rel device %x[%c2], %t : !tile.ptr<i32>, i32, i32
    %three = arith.constant 3 : i32
    %bit = arith.shli %c1, %t : i32
    %d = simt.atomic_rmw or relaxed block %x[%three], %bit : !tile.ptr<i32>, i32, i32
    %minus = arith.constant -1 : i32
    %e = simt.atomic_cas relaxed device %x[%c4], %minus, %t : !tile.ptr<i32>, i32, i32
    simt.store %o[%t], %e : !tile.ptr<i32>, i32, i32)";
  EXPECT_EQ(runBody(integers(4, 8), body, x, out).text(), "");
  EXPECT_EQ(x[0], 31 * 32 / 2);
  EXPECT_EQ(x[1], 0);
  EXPECT_EQ(x[2], 31);
  EXPECT_EQ(x[3], -1);
  ASSERT_GE(x[4], 0);
  for (int32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[size_t(i)], i == x[4] ? -1 : x[4]);
}

TEST(Memory, AtomicsOfNeighbours) {
  // Each thread adds (1, 2) to the pairs 2 * (thread mod 4) and, where it is even, 8 behind it.
  std::vector<int32_t> x(16), out(64, -1);
  std::string body = R"(
    %three = arith.constant 3 : i32
    %low = arith.andi %t, %three : i32
    %at = arith.muli %low, %c2 : i32
    %far = arith.addi %at, %c8 : i32
    %o2 = simt.concat %at, %far : i32, i32 -> vector<2xi32>
    %bit = arith.andi %t, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    %yes = arith.constant true
    %m = simt.concat %yes, %even : i1, i1 -> vector<2xi1>
    %v = arith.constant dense<[1, 2, 1, 2]> : vector<4xi32>
    %old = simt.atomic_rmw add relaxed device %x[%o2], %v mask %m
      : !tile.ptr<i32>, vector<2xi32>, vector<4xi32>, vector<2xi1>
    %mine = arith.muli %t, %c4 : i32
    simt.store %o[%mine], %old : !tile.ptr<i32>, i32, vector<4xi32>)";
  EXPECT_EQ(runBody(integers(2, 8), body, x, out).text(), "");
  EXPECT_EQ(x, (std::vector<int32_t>{4, 8, 4, 8, 4, 8, 4, 8, 4, 8, 0, 0, 4, 8, 0, 0}));
  std::vector<int32_t> seen; // by the threads that add to the first pair
  for (size_t thread = 0; thread < 16; ++thread) {
    if (thread % 4 == 0)
      seen.push_back(out[4 * thread]);
    EXPECT_EQ(out[4 * thread + 1], 2 * out[4 * thread]);
    EXPECT_TRUE(thread % 2 == 0 || (out[4 * thread + 2] == 0 && out[4 * thread + 3] == 0));
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, iota(4));
}

TEST(Memory, AtomicsOrderWhatTheyRelease) {
  // Thread 0 writes and then sets a flag; the others wait for the flag in a loop and read.
  auto kernel = [](const char *release, const char *acquire) {
    return std::string(R"(
    %first = arith.cmpi eq, %t, %c0 : i32
    scf.if %first {
      simt.store %o[%c0], %c8 : !tile.ptr<i32>, i32, i32
      %z = simt.atomic_rmw xchg )") +
           release + R"( device %x[%c0], %c1 : !tile.ptr<i32>, i32, i32
    } {simt.divergent}
    scf.while : () -> () {
      %v = simt.atomic_rmw add )" +
           acquire + R"( device %x[%c0], %c0 : !tile.ptr<i32>, i32, i32
      %more = arith.cmpi eq, %v, %c0 : i32
      scf.condition(%more)
    } do {
      scf.yield
    } attributes {simt.divergent}
    %r = simt.load %o[%c0] : !tile.ptr<i32>, i32 -> i32)";
  };
  std::vector<int32_t> x(1), out(1);
  EXPECT_EQ(runBody(integers(2, 8), kernel("release", "acquire"), x, out).text(), "");
  x[0] = 0;
  EXPECT_TRUE(runBody(integers(2, 8), kernel("relaxed", "acquire"), x, out).has(ReportKind::Race));
  x[0] = 0;
  EXPECT_TRUE(runBody(integers(2, 8), kernel("release", "relaxed"), x, out).has(ReportKind::Race));
}

// --- layouts of shared memory ---

TEST(SharedLayout, InvertsTheBases) {
  mlir::DialectRegistry registry;
  simt::registerSimtDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::mt19937 generator(1);
  for (int round = 0; round < 200; ++round) {
    unsigned rowBits = generator() % 5, columnBits = 1 + generator() % 5, bits = rowBits + columnBits;
    // Unit bases, to which random other ones are added: always invertible.
    std::vector<std::pair<int64_t, int64_t>> bases;
    for (unsigned bit = 0; bit < bits; ++bit)
      bases.emplace_back(bit < columnBits ? 0 : int64_t(1) << (bit - columnBits),
                         bit < columnBits ? int64_t(1) << bit : 0);
    for (int mix = 0; mix < 20; ++mix) {
      unsigned to = generator() % bits, from = generator() % bits;
      if (to == from)
        continue;
      bases[to].first ^= bases[from].first;
      bases[to].second ^= bases[from].second;
    }
    if (round % 3 == 0) // a hole
      bases.insert(bases.begin() + generator() % bits, {0, 0});
    llvm::SmallVector<int64_t> flat, padding;
    for (auto [row, column] : bases)
      flat.append({row, column});
    if (round % 2 == 0)
      padding = {int64_t(1) << (1 + generator() % 4), int64_t(1 + generator() % 4)};
    auto layout = layout_ir::SharedAttr::get(&context, 2, flat, padding);
    auto type = simt::SharedType::get(&context, {int64_t(1) << rowBits, int64_t(1) << columnBits},
                                      mlir::Float16Type::get(&context), layout);
    SharedLayout inverted(type);
    for (int64_t offset = 0; offset < int64_t(1) << bases.size(); ++offset) {
      int64_t row = 0, column = 0;
      bool usesHole = false;
      for (size_t bit = 0; bit < bases.size(); ++bit)
        if (offset >> bit & 1) {
          row ^= bases[bit].first;
          column ^= bases[bit].second;
          usesHole |= bases[bit] == std::pair<int64_t, int64_t>(0, 0);
        }
      if (!usesHole) {
        EXPECT_EQ(inverted.place(row, column), layout.getPadded(offset)) << "round " << round;
      }
    }
  }
}

/// A 16 x 16 tile, swizzled and padded: the elements' offsets through stage, part and transpose; written by load_tile,
/// read by plain loads.
TEST(SharedMemory, ViewsAreWhereTheTypeSays) {
  // bits of the offset: columns 1, 2, 4 (with rows mixed in), rows from 1, padding of 4 every 64.
  BodyShape shape = integers(2, 32);
  shape.aliases = "#p = #layout.shared<(0,1) (0,2) (1,4) (0,8) (1,0) (2,1) (4,0) (8,0), pad 4 every 64>\n"
                  "#h = #layout.shared<(0,1) (0,2) (1,4) (0,8) (1,0) (2,1) (4,0), pad 4 every 64>\n"
                  "#ht = #layout.shared<(1,0) (2,0) (4,1) (8,0) (0,1) (1,2) (0,4), pad 4 every 64>\n";
  auto place = [](int64_t row, int64_t column) {
    // The same map, evaluated for each offset.
    const std::pair<int64_t, int64_t> bases[] = {{0, 1}, {0, 2}, {1, 4}, {0, 8}, {1, 0}, {2, 1}, {4, 0}, {8, 0}};
    for (int64_t offset = 0; offset < 256; ++offset) {
      int64_t r = 0, c = 0;
      for (size_t bit = 0; bit < 8; ++bit)
        if (offset >> bit & 1) {
          r ^= bases[bit].first;
          c ^= bases[bit].second;
        }
      if (r == row && c == column)
        return offset + offset / 64 * 4;
    }
    return int64_t(-1);
  };
  // Stage 1's storage is filled with 1000 + offset; element (i, j) of the transposed lower half is (8 + j, i).
  std::string body = R"(
    %s = simt.shared_alloc : !simt.shared<2x16x16xi32, #p>
    %s1 = simt.stage %s[%c1] : !simt.shared<2x16x16xi32, #p> -> !simt.shared<16x16xi32, #p>
    %size = arith.constant 268 : i32
    %c64 = arith.constant 64 : i32
    %c1000 = arith.constant 1000 : i32
    scf.for %i = %t to %size step %c64 : i32 {
      %v = arith.addi %i, %c1000 : i32
      simt.shared_store %s1[%i], %v : !simt.shared<16x16xi32, #p>, i32, i32
    } {simt.divergent}
    simt.barrier
    %h = simt.part %s1[%c1, %c0] : !simt.shared<16x16xi32, #p> -> !simt.shared<8x16xi32, #h>
    %ht = simt.transpose %h : !simt.shared<8x16xi32, #h> -> !simt.shared<16x8xi32, #ht>
    %a = simt.load %x[%t] : !tile.ptr<i32>, i32 -> i32
    %c128 = arith.constant 128 : i32
    scf.for %i = %t to %c128 step %c64 : i32 {
      %at = simt.load %x[%i] : !tile.ptr<i32>, i32 -> i32
      %v = simt.shared_load %ht[%at] : !simt.shared<16x8xi32, #ht>, i32 -> i32
      simt.store %o[%i], %v : !tile.ptr<i32>, i32, i32
    } {simt.divergent})";
  // x: the offset of element (i, j) of the transposed half within the half's storage.
  std::vector<int32_t> x, out(128);
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 8; ++j)
      x.push_back(static_cast<int32_t>(place(j, i)));
  EXPECT_EQ(runBody(shape, body, x, out).text(), "");
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(out[size_t(i * 8 + j)], 1000 + place(8 + j, i)) << i << ' ' << j;
}

TEST(SharedMemory, Matrices) {
  // 16 rows of 32 halves, without swizzle; four matrices: rows 0-7 and 8-15 of pieces 1 and 2.
  for (bool transposed : {false, true})
    for (bool back : {false, true}) {
      std::vector<uint16_t> x(512), out(512, 9999);
      std::iota(x.begin(), x.end(), uint16_t(0));
      std::string way = transposed ? " transpose" : "";
      std::string body = R"(
    %s = simt.shared_alloc : !simt.shared<16x32xi16>
    %at = arith.muli %t, %c16 : i32
    %at8 = arith.addi %at, %c8 : i32
    %two = simt.concat %at, %at8 : i32, i32 -> vector<2xi32>
    %v = simt.load %x[%two] : !tile.ptr<i16>, vector<2xi32> -> vector<16xi16>
    simt.shared_store %s[%two], %v : !simt.shared<16x32xi16>, vector<2xi32>, vector<16xi16>
    simt.barrier
    %c15 = arith.constant 15 : i32
    %c32 = arith.constant 32 : i32
    %row = arith.andi %t, %c15 : i32
    %piece0 = arith.divui %t, %c16 : i32
    %piece = arith.addi %piece0, %c1 : i32
    %r32 = arith.muli %row, %c32 : i32
    %p8 = arith.muli %piece, %c8 : i32
    %place = arith.addi %r32, %p8 : i32
    %m = simt.load_matrix %s[%place])" +
                         way + R"( : !simt.shared<16x32xi16> -> vector<8xi16>
)" +
                         (back ? R"(
    simt.barrier
    simt.store_matrix %s[%place], %m)" +
                                     way + R"( : !simt.shared<16x32xi16>, vector<8xi16>
    simt.barrier
    %n = simt.shared_load %s[%two] : !simt.shared<16x32xi16>, vector<2xi32> -> vector<16xi16>
    simt.store %o[%two], %n : !tile.ptr<i16>, vector<2xi32>, vector<16xi16>)"
                               : R"(
    %to = arith.muli %t, %c8 : i32
    simt.store %o[%to], %m : !tile.ptr<i16>, i32, vector<8xi16>)");
      BodyShape shape{.warps = 1, .warpSize = 32, .in = "i16", .out = "i16"};
      EXPECT_EQ(runBody(shape, body, x, out).text(), "");
      for (uint32_t lane = 0; lane < 32 && !back; ++lane)
        for (uint32_t i = 0; i < 8; ++i) {
          uint32_t matrix = i / 2, major = lane / 4, minor = 2 * (lane % 4) + i % 2;
          uint32_t row = transposed ? minor : major, column = transposed ? major : minor;
          EXPECT_EQ(out[lane * 8 + i], (row + matrix % 2 * 8) * 32 + column + (matrix / 2 + 1) * 8);
        }
      if (back) {
        EXPECT_EQ(out, x);
      }
    }
}

// --- copies ---

const char *const kCopyTile = R"(
    #sw = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2) (4,4)>
    func.func @k(%d: !tile.desc<8x8xf32>, %e: !tile.desc<8x8xf32>, %row: i32, %column: i32)
        attributes {simt.warps = 1 : i32, simt.warp_size = 8 : i32} {
      %c0 = arith.constant 0 : i32
      %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
      %b = simt.barrier_alloc : !simt.barriers<1>
      %t = simt.thread_id : i32
      %first = arith.cmpi eq, %t, %c0 : i32
      scf.if %first {
        simt.barrier_init %b[%c0] count 1 : !simt.barriers<1>
        simt.fence barrier_init
        simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<1>
        simt.load_tile %d[%row, %column] to %s on %b[%c0]
            : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<1>
        simt.barrier_wait %b[%c0], %c0 : !simt.barriers<1>
        simt.store_tile %s to %e[%row, %column] : !simt.shared<8x8xf32, #sw>, !tile.desc<8x8xf32>
        simt.commit_stores
        simt.wait_stores 0
      } {simt.divergent}
      return
    })";

TEST(Copies, TilesAreClipped) {
  Kernel kernel(kCopyTile);
  constexpr int32_t kRows = 10, kColumns = 13, kStride = 17;
  for (int32_t row : {-3, 0, 5, 20})
    for (int32_t column : {-4, 0, 8}) {
      std::vector<float> x(kRows * kStride), y(x.size(), -7.0f);
      std::iota(x.begin(), x.end(), 0.0f);
      SimtExecutor executor = kernel.executor();
      executor.descriptor(x, "x", {kRows, kColumns}, {kStride, 1}, true);
      executor.descriptor(y, "y", {kRows, kColumns}, {kStride, 1}).integer(row).integer(column);
      EXPECT_EQ(executor.run({1, 1, 1}).text(), "");
      for (int32_t i = 0; i < kRows; ++i)
        for (int32_t j = 0; j < kStride; ++j) {
          bool inside = j < kColumns && i >= row && i < row + 8 && j >= column && j < column + 8;
          EXPECT_EQ(y[size_t(i * kStride + j)], inside ? x[size_t(i * kStride + j)] : -7.0f) << i << ' ' << j;
        }
    }
}

TEST(Copies, OutsideIsPadding) {
  for (bool withNan : {false, true}) {
    Kernel kernel(kCopyTile);
    constexpr int32_t kRows = 6, kColumns = 5, kStride = 7;
    std::vector<float> x(kRows * kStride), y(8 * 8, -7.0f);
    std::iota(x.begin(), x.end(), 1.0f);
    SimtExecutor executor = kernel.executor();
    executor.descriptor(x, "x", {kRows, kColumns}, {kStride, 1}, withNan)
        .descriptor(y, "y", {8, 8})
        .integer(0)
        .integer(0);
    EXPECT_EQ(executor.run({1, 1, 1}).text(), "");
    for (int32_t i = 0; i < 8; ++i)
      for (int32_t j = 0; j < 8; ++j) {
        float found = y[size_t(i * 8 + j)];
        if (i < kRows && j < kColumns)
          EXPECT_EQ(found, x[size_t(i * kStride + j)]);
        else
          EXPECT_TRUE(withNan ? std::isnan(found) : found == 0) << i << ' ' << j << ' ' << found;
      }
  }
}

TEST(Copies, LandAsLateAsAllowed) {
  // Memory changes between the copy's start and its wait: with late landing the copy sees the new value, and the race
  // is reported.
  std::string body = R"(
    %s = simt.shared_alloc : !simt.shared<32xi32>
    simt.async_load %x[%t] to %s[%t] width 1 : !tile.ptr<i32>, i32, !simt.shared<32xi32>, i32
    simt.commit_loads
    %n = arith.constant 77 : i32
    simt.store %x[%t], %n : !tile.ptr<i32>, i32, i32
    simt.wait_loads 0
    %v = simt.shared_load %s[%t] : !simt.shared<32xi32>, i32 -> i32
    simt.store %o[%t], %v : !tile.ptr<i32>, i32, i32)";
  auto x = iota(8);
  std::vector<int32_t> out(8);
  runBody(integers(1, 8), body, x, out);
  EXPECT_EQ(out, std::vector<int32_t>(8, 77));
}

TEST(Copies, AsyncLoadsFillWhereMasked) {
  std::string body = R"(
    %s = simt.shared_alloc : !simt.shared<128xi32>
    %a = arith.muli %t, %c8 : i32
    %b = arith.addi %a, %c4 : i32
    %at = simt.concat %a, %b : i32, i32 -> vector<2xi32>
    %odd = arith.andi %t, %c1 : i32
    %p = arith.cmpi eq, %odd, %c1 : i32
    %yes = arith.constant true
    %m = simt.concat %p, %yes : i1, i1 -> vector<2xi1>
    simt.async_load %x[%at] to %s[%at] width 4 mask %m
      : !tile.ptr<i32>, vector<2xi32>, !simt.shared<128xi32>, vector<2xi32>, vector<2xi1>
    simt.commit_loads
    simt.wait_loads 0
    simt.barrier
    %c63 = arith.constant 63 : i32
    scf.for %i = %t to %c63 step %c8 : i32 {
      %v = simt.shared_load %s[%i] : !simt.shared<128xi32>, i32 -> i32
      simt.store %o[%i], %v : !tile.ptr<i32>, i32, i32
    } {simt.divergent})";
  auto x = iota(64, 1);
  std::vector<int32_t> out(64);
  for (bool late : {true, false}) {
    BodyShape shape = integers(1, 8);
    shape.options.lateLanding = late;
    EXPECT_EQ(runBody(shape, body, x, out).text(), "");
    for (int32_t i = 0; i < 63; ++i)
      EXPECT_EQ(out[size_t(i)], i % 8 < 4 && i / 8 % 2 == 0 ? 0 : i + 1);
  }
}

} // namespace
} // namespace tegula::simt_test
