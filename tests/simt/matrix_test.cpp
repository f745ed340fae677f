// Matrix instructions: of a warp against the manuals' register formulas, asynchronous ones, opaque fragments.
#include "tests/simt/Body.h"

#include <algorithm>
#include <random>

namespace tegula::simt_test {
namespace {

uint16_t half(double value) { return static_cast<uint16_t>(fromDouble(ScalarType::F16, value)); }

/// Small integers: products and sums are exact whatever the order.
std::vector<double> smallNumbers(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<double> values(count);
  for (double &value : values)
    value = double(int(generator() % 9) - 4);
  return values;
}

std::vector<double> product(const std::vector<double> &a, const std::vector<double> &b, size_t m, size_t n, size_t k) {
  std::vector<double> c(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t l = 0; l < k; ++l)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

TEST(Matrix, MmaWithTiles) {
  // 2 x 3 tiles of 16 x 8, inner dimension 2 x 16. The register mapping is the manual's: g = lane / 4, t = lane % 4.
  constexpr size_t kM = 32, kN = 24, kK = 32;
  std::vector<double> a = smallNumbers(kM * kK, 1), b = smallNumbers(kK * kN, 2), c = smallNumbers(kM * kN, 3);
  std::vector<double> expected = product(a, b, kM, kN, kK);
  std::vector<uint16_t> x;
  std::vector<float> out(32 * 32);
  // Each lane reads 32 elements of A, 24 of B and 8 zeros, in the kernel's order.
  for (size_t lane = 0; lane < 32; ++lane) {
    size_t g = lane / 4, t = lane % 4;
    for (size_t tile = 0; tile < 4; ++tile)
      for (size_t r = 0; r < 8; ++r) {
        size_t row = tile / 2 * 16 + g + (r / 2 % 2) * 8, column = tile % 2 * 16 + 2 * t + r % 2 + (r / 4) * 8;
        x.push_back(half(a[row * kK + column]));
      }
    for (size_t tile = 0; tile < 6; ++tile)
      for (size_t r = 0; r < 4; ++r) {
        size_t row = tile % 2 * 16 + 2 * t + r % 2 + (r / 2) * 8, column = tile / 2 * 8 + g;
        x.push_back(half(b[row * kN + column]));
      }
    for (size_t i = 0; i < 8; ++i)
      x.push_back(0);
  }
  std::string body = R"(
    %c64 = arith.constant 64 : i32
    %c32 = arith.constant 32 : i32
    %at = arith.muli %t, %c64 : i32
    %bt = arith.addi %at, %c32 : i32
    %a = simt.load %x[%at] : !tile.ptr<f16>, i32 -> vector<32xf16>
    %b32 = simt.load %x[%bt] : !tile.ptr<f16>, i32 -> vector<32xf16>
    %b = simt.slice %b32 from 0 : vector<32xf16> -> vector<24xf16>
    %c = arith.constant dense<1.0> : vector<24xf32>
    %r = simt.mma %a, %b, %c instruction "mma.m16n8k16.f32.f16" tiles [2, 3, 2]
      : vector<32xf16>, vector<24xf16>, vector<24xf32>
    %z = arith.constant dense<0.0> : vector<8xf32>
    %r32 = simt.concat %r, %z : vector<24xf32>, vector<8xf32> -> vector<32xf32>
    %to = arith.muli %t, %c32 : i32
    simt.store %o[%to], %r32 : !tile.ptr<f32>, i32, vector<32xf32>)";
  BodyShape shape{.warps = 1, .warpSize = 32, .in = "f16", .out = "f32"};
  EXPECT_EQ(runBody(shape, body, x, out).text(), "");
  for (size_t lane = 0; lane < 32; ++lane)
    for (size_t tile = 0; tile < 6; ++tile)
      for (size_t r = 0; r < 4; ++r) {
        size_t row = tile / 3 * 16 + lane / 4 + (r / 2) * 8, column = tile % 3 * 8 + 2 * (lane % 4) + r % 2;
        EXPECT_EQ(out[lane * 32 + tile * 4 + r], expected[row * kN + column] + 1) << lane << ' ' << tile << ' ' << r;
      }
}

TEST(Matrix, MmaOfIntegers) {
  // All elements of A are the row's number mod 5, all of B are 3: sums are -100 + 32 * 3 * (row mod 5).
  std::vector<int32_t> x(1), out(128);
  std::string body = R"(
    %c5 = arith.constant 5 : i32
    %g = arith.divui %t, %c4 : i32
    %g8 = arith.addi %g, %c8 : i32
    %m = arith.remui %g, %c5 : i32
    %m8 = arith.remui %g8, %c5 : i32
    %u = arith.trunci %m : i32 to i8
    %u8 = arith.trunci %m8 : i32 to i8
    %v = simt.splat %u : i8 -> vector<4xi8>
    %v8 = simt.splat %u8 : i8 -> vector<4xi8>
    %a = simt.concat %v, %v8, %v, %v8 : vector<4xi8>, vector<4xi8>, vector<4xi8>, vector<4xi8> -> vector<16xi8>
    %b = arith.constant dense<3> : vector<8xi8>
    %c = arith.constant dense<-100> : vector<4xi32>
    %r = simt.mma %a, %b, %c instruction "mma.m16n8k32.s32.s8" : vector<16xi8>, vector<8xi8>, vector<4xi32>
    %to = arith.muli %t, %c4 : i32
    simt.store %o[%to], %r : !tile.ptr<i32>, i32, vector<4xi32>)";
  BodyShape shape{.warps = 1, .warpSize = 32, .in = "i32", .out = "i32"};
  EXPECT_EQ(runBody(shape, body, x, out).text(), "");
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t r = 0; r < 4; ++r)
      EXPECT_EQ(out[size_t(lane * 4 + r)], -100 + 96 * ((lane / 4 + r / 2 * 8) % 5));
}

TEST(Matrix, CopiesOfAnElementMustAgree) {
  std::vector<float> x(1), out(1);
  auto body = [](const char *lane) {
    return std::string("%c15 = arith.constant 15 : i32\n%low = arith.andi %l, %c15 : i32\n%f = arith.sitofp ") + lane +
           R"( : i32 to f16
    %a = simt.splat %f : f16 -> vector<16xf16>
    %c = arith.constant dense<0.0> : vector<8xf32>
    %r = simt.mma %a, %a, %c instruction "wmma_f32_16x16x16_f16.gfx11"
        : vector<16xf16>, vector<16xf16>, vector<8xf32>)";
  };
  BodyShape shape{.warps = 1, .warpSize = 32};
  EXPECT_TRUE(runBody(shape, body("%l"), x, out).has(ReportKind::Undefined));
  EXPECT_EQ(runBody(shape, body("%low"), x, out).text(), "");
}

// --- asynchronous products ---

constexpr size_t kM = 128, kN = 8, kK = 32;

/// Operands in shared memory, A 128 x 32 and B 32 x 8, then `rest`, which can use %sa, %sb and zeros %z.
std::string withOperands(const std::string &rest, const std::string &fence = "simt.fence async") {
  return R"(
    %sa = simt.shared_alloc : !simt.shared<128x32xf16, #a>
    %sb = simt.shared_alloc : !simt.shared<32x8xf16>
    %c32 = arith.constant 32 : i32
    %c4096 = arith.constant 4096 : i32
    %row = arith.muli %t, %c32 : i32
    %steps = arith.constant dense<[0, 8, 16, 24]> : vector<4xi32>
    %rows = simt.splat %row : i32 -> vector<4xi32>
    %from = arith.addi %rows, %steps : vector<4xi32>
    %va = simt.load %x[%from] : !tile.ptr<f16>, vector<4xi32> -> vector<32xf16>
    // Piece p of row r is at p xor (r / 2 mod 4).
    %r2 = arith.shrui %t, %c1 : i32
    %three = arith.constant 3 : i32
    %twist0 = arith.andi %r2, %three : i32
    %twist1 = arith.muli %twist0, %c8 : i32
    %twist = simt.splat %twist1 : i32 -> vector<4xi32>
    %to = arith.xori %from, %twist : vector<4xi32>
    simt.shared_store %sa[%to], %va : !simt.shared<128x32xf16, #a>, vector<4xi32>, vector<32xf16>
    %bt = arith.muli %t, %c2 : i32
    %bFrom = arith.addi %bt, %c4096 : i32
    %vb = simt.load %x[%bFrom] : !tile.ptr<f16>, i32 -> vector<2xf16>
    simt.shared_store %sb[%bt], %vb : !simt.shared<32x8xf16>, i32, vector<2xf16>
    )" + fence +
         R"(
    simt.barrier
    %z = arith.constant dense<0.0> : vector<8xf32>
    %seven = arith.constant dense<7.0> : vector<8xf32>
    %no = arith.constant false
  )" + rest;
}

const std::string kProduct =
    " instruction \"wgmma.m64n8k16.f32.f16\" : !simt.shared<128x32xf16, #a>, !simt.shared<32x8xf16>, vector<8xf32>\n";
const std::string kStoreR =
    "%out = arith.muli %t, %c8 : i32\nsimt.store %o[%out], %r : !tile.ptr<f32>, i32, vector<8xf32>\n";

struct AsyncRun {
  RunResult result;
  std::vector<float> out = std::vector<float>(128 * 8);
  std::vector<double> expected; // A * B
  /// Element (row, column) of C, from the accumulators' registers.
  double at(size_t row, size_t column) const {
    size_t inTile = row % 64, warp = inTile / 16, lane = inTile % 8 * 4 + column / 2;
    return out[(warp * 32 + lane) * 8 + row / 64 * 4 + inTile % 16 / 8 * 2 + column % 2];
  }
};

AsyncRun runAsync(const std::string &body, const RunOptions &options = {}) {
  AsyncRun run;
  std::vector<double> a = smallNumbers(kM * kK, 4), b = smallNumbers(kK * kN, 5);
  run.expected = product(a, b, kM, kN, kK);
  std::vector<uint16_t> x;
  for (double value : a)
    x.push_back(half(value));
  for (double value : b)
    x.push_back(half(value));
  BodyShape shape{.warps = 4, .warpSize = 32, .in = "f16", .out = "f32"};
  shape.aliases = "#a = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0) (16,0) (32,0) (64,0)>\n";
  shape.options = options;
  run.result = runBody(shape, body, x, run.out);
  return run;
}

void expectMultiple(const AsyncRun &run, double factor, double offset) {
  EXPECT_EQ(run.result.text(), "");
  for (size_t row = 0; row < kM; ++row)
    for (size_t column = 0; column < kN; ++column)
      EXPECT_EQ(run.at(row, column), factor * run.expected[row * kN + column] + offset) << row << ' ' << column;
}

TEST(AsyncMatrix, ChainsInFlight) {
  std::string chain = "%p = simt.matmul_async %sa, %sb, %seven" + kProduct + "%q = simt.matmul_async %sa, %sb, %p" +
                      kProduct + "%s = simt.matmul_async %sa, %sb, %q" + kProduct +
                      "%r = simt.matmul_wait 0 %s : vector<8xf32>\n" + kStoreR;
  expectMultiple(runAsync(withOperands(chain)), 3, 7);
  expectMultiple(runAsync(withOperands(chain), {.seed = 5, .lateLanding = false}), 3, 7);
}

TEST(AsyncMatrix, OverwritesWhereItDoesNotAccumulate) {
  std::string chain = "%p = simt.matmul_async %sa, %sb, %seven" + kProduct +
                      "%q = simt.matmul_async %sa, %sb, %p accumulate %no" + kProduct +
                      "%r = simt.matmul_wait 0 %q : vector<8xf32>\n" + kStoreR;
  expectMultiple(runAsync(withOperands(chain)), 1, 0);
}

TEST(AsyncMatrix, PendingThroughALoop) {
  std::string loop = "%p = simt.matmul_async %sa, %sb, %seven" + kProduct +
                     "%q = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %p) -> (vector<8xf32>) : i32 {\n"
                     "  %n = simt.matmul_async %sa, %sb, %s" +
                     kProduct +
                     "  simt.matmul_wait 1\n  scf.yield %n : vector<8xf32>\n"
                     "} {simt.uniform}\n%r = simt.matmul_wait 0 %q : vector<8xf32>\n" +
                     kStoreR;
  expectMultiple(runAsync(withOperands(loop)), 5, 7);
}

TEST(AsyncMatrix, LeftOperandInRegisters) {
  // Each thread reads its own fragments of A: tiles (m, k), registers as in mma.m16n8k16 with 16 rows for each warp.
  std::string body = withOperands(R"(
    %g = arith.divui %l, %c4 : i32
    %q0 = arith.remui %l, %c4 : i32
    %q = arith.muli %q0, %c2 : i32
    %w16 = arith.muli %w, %c16 : i32
    %base = arith.addi %w16, %g : i32
    %b32 = arith.muli %base, %c32 : i32
    %at0 = arith.addi %b32, %q : i32
    %at1 = simt.splat %at0 : i32 -> vector<16xi32>
    %moves = arith.constant dense<[0, 256, 8, 264, 16, 272, 24, 280, 2048, 2304, 2056, 2312, 2064, 2320, 2072, 2328]>
        : vector<16xi32>
    %at = arith.addi %at1, %moves : vector<16xi32>
    %a = simt.load %x[%at] : !tile.ptr<f16>, vector<16xi32> -> vector<32xf16>
    %p = simt.matmul_async %a, %sb, %seven instruction "wgmma.m64n8k16.f32.f16"
      : vector<32xf16>, !simt.shared<32x8xf16>, vector<8xf32>
    %r = simt.matmul_wait 0 %p : vector<8xf32>
  )" + kStoreR);
  expectMultiple(runAsync(body), 1, 7);
}

TEST(AsyncMatrix, Reports) {
  std::string start = "%p = simt.matmul_async %sa, %sb, %z" + kProduct;
  std::string wait = "%r = simt.matmul_wait 0 %p : vector<8xf32>\n" + kStoreR;
  std::string overwrite = "simt.shared_store %sb[%bt], %vb : !simt.shared<32x8xf16>, i32, vector<2xf16>\n";
  for (bool late : {true, false}) {
    auto found = [&](const std::string &body) { return runAsync(body, {.seed = 2, .lateLanding = late}).result; };
    EXPECT_TRUE(found(withOperands(start + wait, "")).has(ReportKind::MissingFence));
    EXPECT_TRUE(
        found(withOperands(start + "%r = simt.matmul_wait 1 %p : vector<8xf32>\n")).has(ReportKind::MissingWait));
    EXPECT_TRUE(found(withOperands(start)).has(ReportKind::MissingWait));
    EXPECT_TRUE(found(withOperands(start + overwrite + wait)).has(ReportKind::MissingWait));
    // A wait covers the part of its own warp: other warps' products may still read.
    EXPECT_TRUE(found(withOperands(start + wait + overwrite)).has(ReportKind::MissingWait));
    EXPECT_EQ(found(withOperands(start + wait + "simt.barrier\n" + overwrite)).text(), "");
    // The accumulator is the input of another product, then waited for.
    EXPECT_TRUE(found(withOperands(start + "%s2 = simt.matmul_async %sa, %sb, %p" + kProduct + wait))
                    .has(ReportKind::MissingWait));
  }
}

// --- opaque fragments ---

TEST(Fragments, MultiplyWhateverTheirMapping) {
  for (uint32_t warpSize : {8u, 32u, 64u})
    for (bool columns : {false, true})
      for (uint64_t seed = 0; seed < 3; ++seed) {
        std::vector<double> a = smallNumbers(16 * 8, 6), b = smallNumbers(8 * 32, 7),
                            expected = product(a, b, 16, 32, 8);
        std::vector<uint16_t> x(100, half(50));
        for (size_t i = 0; i < 16; ++i) // A by rows with stride 11
          for (size_t j = 0; j < 11; ++j)
            x.push_back(half(j < 8 ? a[i * 8 + j] : 99));
        for (size_t i = 0; i < (columns ? 32u : 8u); ++i) // B by columns with stride 9, or rows with stride 33
          for (size_t j = 0; j < (columns ? 9u : 33u); ++j)
            x.push_back(half(columns ? (j < 8 ? b[j * 32 + i] : 99) : (j < 32 ? b[i * 32 + j] : 99)));
        std::vector<float> out(16 * 40, -1);
        std::string order = columns ? "column" : "row", stride = columns ? "9" : "33";
        std::string elements = std::to_string(16 * 32 / warpSize);
        std::string body = R"(
    %at = arith.constant 100 : i32
    %bt = arith.constant 276 : i32
    %sa = arith.constant 11 : i32
    %sb = arith.constant )" +
                           stride + R"( : i32
    %so = arith.constant 40 : i32
    %half = arith.constant 0.5 : f32
    %a = simt.fragment_load row %x[%at] stride %sa : !tile.ptr<f16> -> !simt.fragment<16x8xf16, a>
    %b = simt.fragment_load )" +
                           order + R"( %x[%bt] stride %sb : !tile.ptr<f16> -> !simt.fragment<8x32xf16, b>
    %c = simt.fragment_fill %half : f32 -> !simt.fragment<16x32xf32, acc>
    %d = simt.fragment_mma %a, %b, %c
        : !simt.fragment<16x8xf16, a>, !simt.fragment<8x32xf16, b>, !simt.fragment<16x32xf32, acc>
    %v = simt.fragment_elements %d : !simt.fragment<16x32xf32, acc> -> vector<)" +
                           elements + R"(xf32>
    %v2 = arith.addf %v, %v : vector<)" +
                           elements + R"(xf32>
    %e = simt.fragment_from_elements %v2 : vector<)" +
                           elements + R"(xf32> -> !simt.fragment<16x32xf32, acc>
    simt.fragment_store row %e, %o[%c4] stride %so : !simt.fragment<16x32xf32, acc>, !tile.ptr<f32>)";
        BodyShape shape{.warps = 1, .warpSize = warpSize, .in = "f16", .out = "f32"};
        shape.options.seed = seed;
        out.resize(16 * 40 + 4, -1);
        EXPECT_EQ(runBody(shape, body, x, out).text(), "");
        for (size_t i = 0; i < 16; ++i)
          for (size_t j = 0; j < 32; ++j)
            EXPECT_EQ(out[4 + i * 40 + j], 2 * expected[i * 32 + j] + 1);
      }
}

TEST(Fragments, RowsBecomeOperands) {
  // Each row's sum, times its positions' numbers, as the left operand of a product with a diagonal matrix.
  for (uint64_t seed = 0; seed < 3; ++seed) {
    std::vector<double> c = smallNumbers(64, 8);
    std::vector<uint16_t> x;
    for (size_t i = 0; i < 8; ++i)
      for (size_t j = 0; j < 8; ++j)
        x.push_back(half(i == j ? 2 : 0));
    for (double value : c)
      x.push_back(half(value));
    std::vector<float> out(64, -1);
    std::string body = R"(
    %half = arith.constant 0.0 : f32
    %c64 = arith.constant 64 : i32
    %b = simt.fragment_load row %x[%c0] stride %c8 : !tile.ptr<f16> -> !simt.fragment<8x8xf16, b>
    %left = simt.fragment_load row %x[%c64] stride %c8 : !tile.ptr<f16> -> !simt.fragment<8x8xf16, a>
    %z = simt.fragment_fill %half : f32 -> !simt.fragment<8x8xf32, acc>
    %two = simt.fragment_mma %left, %b, %z
        : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %sums = simt.fragment_reduce_rows addf %two : !simt.fragment<8x8xf32, acc>
    %s = simt.fragment_elements %sums : !simt.fragment<8x8xf32, acc> -> vector<8xf32>
    %i, %j = simt.fragment_coordinates of !simt.fragment<8x8xf32, acc> : vector<8xi32>, vector<8xi32>
    %c8s = simt.splat %c8 : i32 -> vector<8xi32>
    %i8 = arith.muli %i, %c8s : vector<8xi32>
    %at = arith.addi %i8, %j : vector<8xi32>
    %places = arith.sitofp %at : vector<8xi32> to vector<8xf32>
    %v = arith.addf %s, %places : vector<8xf32>
    %f = simt.fragment_from_elements %v : vector<8xf32> -> !simt.fragment<8x8xf32, acc>
    %a = simt.fragment_convert %f : !simt.fragment<8x8xf32, acc> -> !simt.fragment<8x8xf16, a>
    %d = simt.fragment_mma %a, %b, %z
        : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    simt.fragment_store row %d, %o[%c0] stride %c8 : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>)";
    BodyShape shape{.warps = 1, .warpSize = 8, .in = "f16", .out = "f32"};
    shape.options.seed = seed;
    EXPECT_EQ(runBody(shape, body, x, out).text(), "");
    for (size_t i = 0; i < 8; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 8; ++j)
        sum += 2 * c[i * 8 + j];
      for (size_t j = 0; j < 8; ++j)
        EXPECT_EQ(out[i * 8 + j], 2 * (sum + double(i * 8 + j)));
    }
  }
}

TEST(Fragments, ConvertOnlyWhatTheOtherTypeHas) {
  std::vector<float> x(64, 1), out(1);
  x[5] = 1.0001f;
  std::string body = R"(
    %f = simt.fragment_load row %x[%c0] stride %c8 : !tile.ptr<f32> -> !simt.fragment<8x8xf32, acc>
    %a = simt.fragment_convert %f : !simt.fragment<8x8xf32, acc> -> !simt.fragment<8x8xf16, a>)";
  EXPECT_TRUE(runBody({.warps = 1, .warpSize = 8}, body, x, out).has(ReportKind::Undefined));
}

TEST(Fragments, LanesMustAgreeOnThePlace) {
  std::vector<float> x(512), out(1);
  std::string body =
      "%f = simt.fragment_load row %x[%l] stride %c16 : !tile.ptr<f32> -> !simt.fragment<16x16xf32, acc>\n";
  EXPECT_TRUE(runBody({.warps = 1, .warpSize = 8}, body, x, out).has(ReportKind::Undefined));
}

TEST(Fragments, ElementsLieDifferentlyBySeed) {
  std::vector<float> x(64), one(64), two(64);
  for (size_t i = 0; i < 64; ++i)
    x[i] = float(i);
  std::string body = R"(
    %f = simt.fragment_load row %x[%c0] stride %c8 : !tile.ptr<f32> -> !simt.fragment<8x8xf32, acc>
    %v = simt.fragment_elements %f : !simt.fragment<8x8xf32, acc> -> vector<8xf32>
    %at = arith.muli %t, %c8 : i32
    simt.store %o[%at], %v : !tile.ptr<f32>, i32, vector<8xf32>)";
  runBody({.warps = 1, .warpSize = 8, .options = {.seed = 1}}, body, x, one);
  runBody({.warps = 1, .warpSize = 8, .options = {.seed = 2}}, body, x, two);
  EXPECT_NE(one, two);
  EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), x.begin()));
}

} // namespace
} // namespace tegula::simt_test
