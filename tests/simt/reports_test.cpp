// For each kind of report a small kernel that must be reported, and its corrected form that must not be.
#include "tests/simt/Kernel.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tegula::simt_test {
namespace {

struct Case {
  const char *name;
  ReportKind kind;
  const char *body;   // '@' stands for the part that is broken or correct
  const char *broken; // replacement of '@' in the kernel that must be reported
  const char *mended;
  int warps = 4;
  int warpSize = 8;
};

std::string replaced(std::string text, const std::string &by) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + by.size()))
    text.replace(at, 1, by);
  return text;
}

/// The body in a kernel with a pointer %x, a descriptor %d, constants and ids.
std::string kernelText(const Case &test, const char *piece) {
  return "#sw = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2) (4,4)>\n"
         "func.func @kernel(%x: !tile.ptr<f32>, %d: !tile.desc<8x8xf32>) attributes {simt.warps = " +
         std::to_string(test.warps) + " : i32, simt.warp_size = " + std::to_string(test.warpSize) +
         " : i32} {\n"
         "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n  %c2 = arith.constant 2 : i32\n"
         "  %c4 = arith.constant 4 : i32\n  %c8 = arith.constant 8 : i32\n  %c31 = arith.constant 31 : i32\n"
         "  %f = arith.constant 1.0 : f32\n  %t = simt.thread_id : i32\n  %w = simt.warp_id : i32\n"
         "  %l = simt.lane_id : i32\n  %first = arith.cmpi eq, %t, %c0 : i32\n  %own = arith.sitofp %t : i32 to f32\n" +
         replaced(test.body, piece) + "\n  return\n}\n";
}

RunResult runCase(const Case &test, const char *piece, uint64_t seed, bool late) {
  Kernel kernel(kernelText(test, piece));
  std::vector<float> x(256), tensor(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = tensor[i] = float(i);
  SimtExecutor executor = kernel.executor();
  executor.pointer(x, "x").descriptor(tensor, "tensor", {16, 16});
  return executor.run({1, 1, 1}, {.seed = seed, .lateLanding = late});
}

class Reports : public testing::TestWithParam<Case> {};

TEST_P(Reports, BrokenIsReported) {
  for (bool late : {true, false})
    for (uint64_t seed = 0; seed < 3; ++seed) {
      RunResult result = runCase(GetParam(), GetParam().broken, seed, late);
      EXPECT_TRUE(result.has(GetParam().kind)) << "expected " << name(GetParam().kind) << ", found:\n" << result.text();
    }
}

TEST_P(Reports, MendedIsNot) {
  for (bool late : {true, false})
    for (uint64_t seed = 0; seed < 8; ++seed)
      EXPECT_EQ(runCase(GetParam(), GetParam().mended, seed, late).text(), "");
}

const char *const kExchange = R"(
  %s = simt.shared_alloc : !simt.shared<32xf32>
  simt.shared_store %s[%t], %own : !simt.shared<32xf32>, i32, f32
  @
  %o = arith.subi %c31, %t : i32
  %v = simt.shared_load %s[%o] : !simt.shared<32xf32>, i32 -> f32
  simt.store %x[%t], %v : !tile.ptr<f32>, i32, f32)";

const char *const kReuse = R"(
  %s = simt.shared_alloc : !simt.shared<32xf32>
  simt.shared_store %s[%t], %own : !simt.shared<32xf32>, i32, f32
  simt.barrier
  %o = arith.subi %c31, %t : i32
  %v = simt.shared_load %s[%o] : !simt.shared<32xf32>, i32 -> f32
  @
  simt.shared_store %s[%t], %v : !simt.shared<32xf32>, i32, f32)";

const char *const kBarrierObject = R"(
  %b = simt.barrier_alloc : !simt.barriers<2>
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  scf.if %first {
    simt.barrier_init %b[%c0] count 1 : !simt.barriers<2>
    simt.barrier_init %b[%c1] count 32 : !simt.barriers<2>
    simt.fence barrier_init
  } {simt.divergent}
  simt.barrier
  scf.if %first {
    simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<2>
    simt.load_tile %d[%c0, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<2>
  } {simt.divergent}
)";

std::string withTileLoad(const char *rest) { return std::string(kBarrierObject) + rest; }

const std::string kReadTile = withTileLoad(R"(
  @
  %v = simt.shared_load %s[%t] : !simt.shared<8x8xf32, #sw>, i32 -> f32
  simt.store %x[%t], %v : !tile.ptr<f32>, i32, f32
  simt.barrier_wait %b[%c0], %c0 : !simt.barriers<2>)");

const std::string kRefillTile = withTileLoad(R"(
  simt.barrier_wait %b[%c0], %c0 : !simt.barriers<2>
  %v = simt.shared_load %s[%t] : !simt.shared<8x8xf32, #sw>, i32 -> f32
  @
  scf.if %first {
    simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<2>
    simt.load_tile %d[%c8, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<2>
  } {simt.divergent}
  simt.barrier_wait %b[%c0], %c1 : !simt.barriers<2>)");

const std::string kWrongParity = withTileLoad(R"(
  simt.barrier_wait %b[%c0], @ : !simt.barriers<2>
  %v = simt.shared_load %s[%t] : !simt.shared<8x8xf32, #sw>, i32 -> f32
  simt.barrier_wait %b[%c0], %c0 : !simt.barriers<2>)");

const std::string kUnwaitedTile = withTileLoad("@");

const char *const kStoreTile = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  %v = simt.splat %own : f32 -> vector<2xf32>
  %at = arith.muli %t, %c2 : i32
  simt.shared_store %s[%at], %v : !simt.shared<8x8xf32, #sw>, i32, vector<2xf32>
  @
  scf.if %first {
    simt.store_tile %s to %d[%c0, %c0] : !simt.shared<8x8xf32, #sw>, !tile.desc<8x8xf32>
    simt.commit_stores
    simt.wait_stores reads 0
  } {simt.divergent})";

const char *const kStoreTileFrom = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  %v = simt.splat %own : f32 -> vector<2xf32>
  %at = arith.muli %t, %c2 : i32
  simt.shared_store %s[%at], %v : !simt.shared<8x8xf32, #sw>, i32, vector<2xf32>
  simt.fence async
  simt.barrier
  scf.if %first {
    simt.store_tile %s to %d[%c0, @] : !simt.shared<8x8xf32, #sw>, !tile.desc<8x8xf32>
    simt.commit_stores
    simt.wait_stores reads 0
  } {simt.divergent})";

const char *const kReuseStored = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  %v = simt.splat %own : f32 -> vector<2xf32>
  %at = arith.muli %t, %c2 : i32
  simt.shared_store %s[%at], %v : !simt.shared<8x8xf32, #sw>, i32, vector<2xf32>
  simt.fence async
  simt.barrier
  scf.if %first {
    simt.store_tile %s to %d[%c0, %c0] : !simt.shared<8x8xf32, #sw>, !tile.desc<8x8xf32>
    simt.commit_stores
    @
  } {simt.divergent}
  simt.barrier
  simt.shared_store %s[%at], %v : !simt.shared<8x8xf32, #sw>, i32, vector<2xf32>
  scf.if %first {
    simt.wait_stores 0
  } {simt.divergent})";

const char *const kAsyncLoad = R"(
  %s = simt.shared_alloc : !simt.shared<2x8x8xf32, #sw>
  %s0 = simt.stage %s[%c0] : !simt.shared<2x8x8xf32, #sw> -> !simt.shared<8x8xf32, #sw>
  %s1 = simt.stage %s[%c1] : !simt.shared<2x8x8xf32, #sw> -> !simt.shared<8x8xf32, #sw>
  simt.async_load %x[%t] to %s0[%t] width 1 : !tile.ptr<f32>, i32, !simt.shared<8x8xf32, #sw>, i32
  simt.commit_loads
  simt.async_load %x[%t] to %s1[%t] width 1 : !tile.ptr<f32>, i32, !simt.shared<8x8xf32, #sw>, i32
  simt.commit_loads
  @
  simt.barrier
  %o = arith.subi %c31, %t : i32
  %v = simt.shared_load %s0[%o] : !simt.shared<8x8xf32, #sw>, i32 -> f32)";

const char *const kBranch = R"(
  %p = arith.cmpi @ : i32
  scf.if %p {
    simt.barrier
  } {simt.uniform})";

const char *const kShuffleBranch = R"(
  %half = arith.divui %l, %c4 : i32
  %p = arith.cmpi eq, @, %c0 : i32
  %r = scf.if %p -> (f32) {
    %a = simt.shuffle xor %own, %c1 : f32
    scf.yield %a : f32
  } else {
    %a = simt.shuffle xor %f, %c1 : f32
    scf.yield %a : f32
  } {simt.uniform = 1 : i32})";

const char *const kOverArrival = R"(
  %b = simt.barrier_alloc : !simt.barriers<1>
  scf.if %first {
    simt.barrier_init %b[%c0] count @ : !simt.barriers<1>
    simt.fence barrier_init
  } {simt.divergent}
  simt.barrier
  simt.barrier_arrive %b[%c0] : !simt.barriers<1>
  simt.barrier_wait %b[%c0], %c0 : !simt.barriers<1>)";

const char *const kInit = R"(
  %b = simt.barrier_alloc : !simt.barriers<1>
  scf.if %first {
    simt.barrier_init %b[%c0] count 32 : !simt.barriers<1>
    @
  } {simt.divergent}
  simt.barrier
  simt.barrier_arrive %b[%c0] : !simt.barriers<1>)";

const char *const kLoadStore = R"(
  %o = arith.addi %t, @ : i32
  %v = simt.load %x[%o] : !tile.ptr<f32>, i32 -> f32
  simt.store %x[%o], %v : !tile.ptr<f32>, i32, f32)";

const char *const kWideLoad = R"(
  %i = arith.muli %t, %c4 : i32
  %o = arith.addi %i, @ : i32
  %v = simt.load %x[%o] : !tile.ptr<f32>, i32 -> vector<4xf32>)";

const char *const kSharedPlace = R"(
  %s = simt.shared_alloc : !simt.shared<32xf32>
  %o = arith.addi %t, @ : i32
  simt.shared_store %s[%o], %own : !simt.shared<32xf32>, i32, f32)";

const char *const kStage = R"(
  %s = simt.shared_alloc : !simt.shared<2x8x8xf32, #sw>
  %s0 = simt.stage %s[@] : !simt.shared<2x8x8xf32, #sw> -> !simt.shared<8x8xf32, #sw>)";

const char *const kGlobalRace = R"(
  %o = arith.subi %c31, %t : i32
  simt.store %x[%t], %own : !tile.ptr<f32>, i32, f32
  @
  %v = simt.load %x[%o] : !tile.ptr<f32>, i32 -> f32)";

const char *const kBytes = R"(
  %b = simt.barrier_alloc : !simt.barriers<1>
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  scf.if %first {
    simt.barrier_init %b[%c0] count 1 : !simt.barriers<1>
    simt.fence barrier_init
    simt.barrier_expect %b[%c0] bytes @ : !simt.barriers<1>
    simt.load_tile %d[%c0, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<1>
  } {simt.divergent}
  simt.barrier
  simt.barrier_wait %b[%c0], %c0 : !simt.barriers<1>)";

const char *const kPart = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32>
  %p = simt.part %s[@, %c0] : !simt.shared<8x8xf32>
      -> !simt.shared<4x8xf32, #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0)>>)";

const char *const kSharedWide = R"(
  %s = simt.shared_alloc : !simt.shared<256xf32>
  %i = arith.muli %t, %c4 : i32
  %o = arith.addi %i, @ : i32
  %v = simt.splat %f : f32 -> vector<4xf32>
  simt.shared_store %s[%o], %v : !simt.shared<256xf32>, i32, vector<4xf32>)";

const char *const kAsyncFrom = R"(
  %s = simt.shared_alloc : !simt.shared<32xf32>
  %o = arith.addi %t, @ : i32
  simt.async_load %x[%o] to %s[%t] width 1 : !tile.ptr<f32>, i32, !simt.shared<32xf32>, i32
  simt.commit_loads
  simt.wait_loads 0)";

const char *const kUniformLoop = R"(
  %end = arith.addi @, %c1 : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %z = arith.addi %i, %c1 : i32
  } {simt.uniform = 2 : i32})";

const char *const kObjectNumber = R"(
  %b = simt.barrier_alloc : !simt.barriers<2>
  scf.if %first {
    simt.barrier_init %b[@] count 1 : !simt.barriers<2>
  } {simt.divergent})";

const char *const kInitOnce = R"(
  %b = simt.barrier_alloc : !simt.barriers<2>
  scf.if %first {
    simt.barrier_init %b[%c0] count 1 : !simt.barriers<2>
    simt.barrier_init %b[@] count 1 : !simt.barriers<2>
  } {simt.divergent})";

const char *const kUnwaitedStore = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  %v = simt.splat %own : f32 -> vector<2xf32>
  %at = arith.muli %t, %c2 : i32
  simt.shared_store %s[%at], %v : !simt.shared<8x8xf32, #sw>, i32, vector<2xf32>
  simt.fence async
  simt.barrier
  scf.if %first {
    simt.store_tile %s to %d[%c0, %c0] : !simt.shared<8x8xf32, #sw>, !tile.desc<8x8xf32>
    @
  } {simt.divergent})";

// A copy fills a buffer that ordinary code has written.
const char *const kFillAfterWrite = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  %b = simt.barrier_alloc : !simt.barriers<1>
  simt.shared_store %s[%t], %own : !simt.shared<8x8xf32, #sw>, i32, f32
  scf.if %first {
    simt.barrier_init %b[%c0] count 1 : !simt.barriers<1>
    simt.fence barrier_init
  } {simt.divergent}
  @
  simt.barrier
  scf.if %first {
    simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<1>
    simt.load_tile %d[%c0, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<1>
    simt.barrier_wait %b[%c0], %c0 : !simt.barriers<1>
  } {simt.divergent})";

// A copy fills a buffer that ordinary code has read.
const char *const kFillAfterRead = R"(
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  %b = simt.barrier_alloc : !simt.barriers<1>
  scf.if %first {
    simt.barrier_init %b[%c0] count 1 : !simt.barriers<1>
    simt.fence barrier_init
    simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<1>
    simt.load_tile %d[%c0, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<1>
  } {simt.divergent}
  simt.barrier
  simt.barrier_wait %b[%c0], %c0 : !simt.barriers<1>
  %read = simt.shared_load %s[%t] : !simt.shared<8x8xf32, #sw>, i32 -> f32
  @
  scf.if %first {
    simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<1>
    simt.load_tile %d[%c0, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<1>
    simt.barrier_wait %b[%c0], %c1 : !simt.barriers<1>
  } {simt.divergent})";

const std::vector<Case> &cases() {
  using enum ReportKind;
  static const std::vector<Case> all = {
      {"ReadAfterWrite", Race, kExchange, "", "simt.barrier"},
      {"ReadAfterWriteBarrierTooNarrow", Race, kExchange, "simt.barrier warps 2", "simt.barrier warps 4"},
      {"ReadAfterWriteFenceIsNoBarrier", Race, kExchange, "simt.fence workgroup", "simt.barrier"},
      {"ReadAfterWriteShuffleIsNoBarrier", Race, kExchange, "%sh = simt.shuffle xor %own, %c1 : f32", "simt.barrier"},
      {"WriteAfterRead", Race, kReuse, "", "simt.barrier"},
      {"ReadBeforeLanding", MissingWait, kReadTile.c_str(), "", "simt.barrier_wait %b[%c0], %c0 : !simt.barriers<2>"},
      {"RefillBeforeRead", Race, kRefillTile.c_str(), "", "simt.fence async\n simt.barrier"},
      {"WrongParity", MissingWait, kWrongParity.c_str(), "%c1", "%c0"},
      {"TileLoadNeverWaitedFor", MissingWait, kUnwaitedTile.c_str(), "",
       "simt.barrier_wait %b[%c0], %c0 : !simt.barriers<2>"},
      {"StoreTileWithoutFence", MissingFence, kStoreTile, "simt.barrier", "simt.fence async\n simt.barrier"},
      {"StoreTileFenceAfterBarrier", MissingFence, kStoreTile, "simt.barrier\n simt.fence async",
       "simt.fence async\n simt.barrier"},
      {"StoreTileWithoutBarrier", Race, kStoreTile, "simt.fence async", "simt.fence async\n simt.barrier"},
      {"StoredTileOverwritten", MissingWait, kReuseStored, "", "simt.wait_stores reads 0"},
      {"StoredTileOverwrittenPending", MissingWait, kReuseStored, "simt.wait_stores reads 1", "simt.wait_stores 0"},
      {"AsyncLoadNotWaitedFor", MissingWait, kAsyncLoad, "simt.wait_loads 2", "simt.wait_loads 1"},
      {"AsyncLoadNotWaitedForAtAll", MissingWait, kAsyncLoad, "", "simt.wait_loads 0"},
      {"UninitialisedRead", Uninitialized, R"(
  %s = simt.shared_alloc : !simt.shared<32xf32>
  @
  simt.barrier
  %v = simt.shared_load %s[%t] : !simt.shared<32xf32>, i32 -> f32)",
       "", "simt.shared_store %s[%t], %own : !simt.shared<32xf32>, i32, f32"},
      {"BarrierInBranch", WrongUniform, kBranch, "slt, %t, %c8", "sge, %t, %c0"},
      {"BarrierInBranchHangs", Divergent, kBranch, "slt, %t, %c8", "slt, %t, %c0"},
      {"ShuffleInHalfWarp", Divergent, kShuffleBranch, "%half", "%w"},
      {"UniformWarpClaim", WrongUniform, kShuffleBranch, "%half", "%w"},
      {"OverArrival", Deadlock, kOverArrival, "33", "32"},
      {"TooManyArrivals", BarrierMisuse, R"(
  %b = simt.barrier_alloc : !simt.barriers<1>
  %s = simt.shared_alloc : !simt.shared<8x8xf32, #sw>
  scf.if %first {
    simt.barrier_init %b[%c0] count 1 : !simt.barriers<1>
    simt.fence barrier_init
    simt.barrier_expect %b[%c0] bytes 256 : !simt.barriers<1>
  } {simt.divergent}
  simt.barrier
  %second = arith.cmpi eq, %t, @ : i32
  scf.if %second {
    simt.barrier_arrive %b[%c0] : !simt.barriers<1>
  } {simt.divergent}
  simt.barrier
  scf.if %first {
    simt.load_tile %d[%c0, %c0] to %s on %b[%c0] : !tile.desc<8x8xf32>, !simt.shared<8x8xf32, #sw>, !simt.barriers<1>
    simt.barrier_wait %b[%c0], %c0 : !simt.barriers<1>
  } {simt.divergent})",
       "%c8", "%lost"},
      {"InitWithoutFence", BarrierMisuse, kInit, "", "simt.fence barrier_init"},
      {"WrongInitFence", BarrierMisuse, kInit, "simt.fence workgroup", "simt.fence barrier_init"},
      {"TooFewBytes", Deadlock, kBytes, "512", "256"},
      {"GlobalOutOfBounds", OutOfBounds, kLoadStore, "%w255", "%c31"},
      {"GlobalBelow", OutOfBounds, kLoadStore, "%minus", "%c0"},
      {"GlobalMisaligned", Misaligned, kWideLoad, "%c2", "%c4"},
      {"SharedOutOfBounds", OutOfBounds, kSharedPlace, "%c1", "%c0"},
      {"TileMisaligned", Misaligned, kStoreTileFrom, "%c2", "%c4"},
      {"StageOutOfBounds", OutOfBounds, kStage, "%c2", "%c1"},
      {"PartOutOfBounds", OutOfBounds, kPart, "%c2", "%c1"},
      {"SharedMisaligned", Misaligned, kSharedWide, "%c2", "%c4"},
      {"AsyncLoadOutOfBounds", OutOfBounds, kAsyncFrom, "%w255", "%c31"},
      {"UniformLoop", WrongUniform, kUniformLoop, "%w", "%c4"},
      {"ObjectOutOfBounds", OutOfBounds, kObjectNumber, "%c2", "%c1"},
      {"InitialisedTwice", BarrierMisuse, kInitOnce, "%c0", "%c1"},
      {"StoreNeverWaitedFor", MissingWait, kUnwaitedStore, "simt.commit_stores",
       "simt.commit_stores\n simt.wait_stores reads 0"},
      {"StoreNeverCommitted", MissingWait, kUnwaitedStore, "simt.wait_stores 0",
       "simt.commit_stores\n simt.wait_stores 0"},
      {"FilledWithoutFence", MissingFence, kFillAfterWrite, "", "simt.fence async"},
      {"RefilledWithoutFence", MissingFence, kFillAfterRead, "simt.barrier", "simt.fence async\n simt.barrier"},
      {"RefilledFenceAfterBarrier", MissingFence, kFillAfterRead, "simt.barrier\n simt.fence async",
       "simt.fence async\n simt.barrier"},
      {"GlobalRace", Race, kGlobalRace, "", "simt.barrier"},
      {"Assertion", Assertion, R"(
  %ok = arith.cmpi slt, %t, @ : i32
  simt.assert %ok, "below" : i1)",
       "%c31", "%w255"},
      {"DivisionByZero", Undefined, "  %z = arith.divsi %t, @ : i32", "%c0", "%c2"},
      {"ShiftTooFar", Undefined, "  %z = arith.shli %t, @ : i32", "%w255", "%c31"},
  };
  return all;
}

/// The test cases with the constants that only some bodies need put first.
std::vector<Case> prepared() {
  static std::vector<std::string> bodies;
  std::vector<Case> result = cases();
  bodies.reserve(result.size());
  for (Case &test : result) {
    bodies.push_back("  %w255 = arith.constant 255 : i32\n  %minus = arith.constant -1 : i32\n"
                     "  %lost = arith.constant 1000 : i32\n" +
                     std::string(test.body));
    test.body = bodies.back().c_str();
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Reports, testing::ValuesIn(prepared()),
                         [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

TEST(Reports, NameBothPlaces) {
  RunResult result = runCase({"", ReportKind::Race, kExchange, "", ""}, "", 1, true);
  uint32_t races = 0;
  for (const Report &report : result.reports) {
    if (report.kind != ReportKind::Race)
      continue;
    ++races;
    EXPECT_TRUE(report.operation == "simt.shared_load" || report.operation == "simt.shared_store") << report.text();
    // The store is three lines above the load: one of them is the report's location, the other its second one.
    EXPECT_EQ(std::max(report.line, report.otherLine) - std::min(report.line, report.otherLine), 3u) << report.text();
  }
  EXPECT_GE(races, 1u);
}

TEST(Reports, DeadlockSaysWhereEachWaits) {
  RunResult result = runCase({"", ReportKind::Deadlock, kOverArrival, "", ""}, "33", 1, true);
  ASSERT_EQ(result.reports.size(), 1u) << result.text();
  EXPECT_NE(result.reports[0].message.find("threads 0 to 31 wait for the end of phase 0"), std::string::npos)
      << result.text();
  EXPECT_NE(result.reports[0].message.find("32 of 33 arrivals"), std::string::npos) << result.text();
}

TEST(Reports, SameSeedSameRun) {
  for (uint64_t seed : {3u, 4u}) {
    RunResult one = runCase({"", ReportKind::Race, kExchange, "", ""}, "", seed, false);
    RunResult two = runCase({"", ReportKind::Race, kExchange, "", ""}, "", seed, false);
    EXPECT_EQ(one.text(), two.text());
    EXPECT_EQ(one.steps, two.steps);
  }
}

} // namespace
} // namespace tegula::simt_test
