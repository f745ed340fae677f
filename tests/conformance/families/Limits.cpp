// Loops near the limits of their index's type. References count in 128 bits.
#include "tests/conformance/families/Families.h"

#include <limits>

namespace tegula::conformance {

namespace limits_family {

const std::string kFamily = "limits", kFile = "limits.py";
constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost32 = std::numeric_limits<int32_t>::max(), kLeast32 = std::numeric_limits<int32_t>::min();

struct Range {
  DType type; // of the index
  int64_t start, stop, step;
  std::string text() const {
    return std::to_string(start) + ".." + std::to_string(stop) + " by " + std::to_string(step);
  }
};

/// The number that the bits of a bound are in the index's type.
__int128 inType(DType type, int64_t bound) {
  return type == DType::U64 ? __int128(uint64_t(bound)) : type == DType::U32 ? __int128(uint32_t(bound)) : bound;
}

/// Rounds, and the last index; `none` where there is no round.
Reference roundsAndLast(const Range &range, int64_t none) {
  __int128 start = inType(range.type, range.start), stop = inType(range.type, range.stop), step = range.step;
  __int128 distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  __int128 rounds = distance > 0 ? (distance + stride - 1) / stride : 0;
  __int128 last = rounds ? start + (rounds - 1) * step : inType(range.type, none);
  return each([=](const Inputs &, int64_t i) { return static_cast<Number>(i == 0 ? rounds : last); });
}

void addUp(Cases &cases) {
  for (const Range &range : {Range{DType::I64, kMost - 49, kMost, 30},
                             {DType::I64, kMost - 1, kMost, kMost},
                             {DType::I64, kLeast, kMost, kMost / 2},
                             {DType::I64, kLeast, kLeast + 10, 4},
                             {DType::I64, kMost, kLeast, 5},
                             {DType::I32, kMost32 - 49, kMost32, 30},
                             {DType::I32, kLeast32, kMost32, 1 << 30},
                             {DType::U32, -50, -1, 30},
                             {DType::U32, 5, -1, 0x7fffffff},
                             {DType::U64, -50, -1, 30},
                             {DType::U64, 3, -1, kMost},
                             {DType::U64, kMost - 10, kLeast + 10, 7},
                             {DType::U64, 0, 10, 3}}) {
    cases.add(kFamily, kFile, "up", named(range.type) + "," + range.text())
        .out(range.type, 2, exact(), roundsAndLast(range, range.start))
        .value(range.start)
        .value(range.stop)
        .value(range.step)
        .warps(1);
    cases.add(kFamily, kFile, "by_constant", named(range.type) + "," + range.text())
        .out(range.type, 2, exact(), roundsAndLast(range, range.start))
        .value(range.start)
        .value(range.stop)
        .with("STEP", range.step)
        .warps(2);
  }
}

void addDown(Cases &cases) {
  for (const Range &range : {Range{DType::I64, kLeast + 50, kLeast, -30},
                             {DType::I64, kMost, kLeast, -kMost},
                             {DType::I32, kLeast32 + 50, kLeast32, -30},
                             {DType::I32, kMost32, kLeast32, -(1 << 30)},
                             {DType::U32, 50, 0, -30},
                             {DType::U32, -1, 3, -0x7fffffff},
                             {DType::U64, -1, 0, -kMost},
                             {DType::U64, 5, 9, -1}})
    cases.add(kFamily, kFile, "by_constant", named(range.type) + "," + range.text())
        .out(range.type, 2, exact(), roundsAndLast(range, range.start))
        .value(range.start)
        .value(range.stop)
        .with("STEP", range.step)
        .warps(1);
}

/// Bounds whose difference exceeds their type are known when the kernel is compiled.
void addConstants(Cases &cases) {
  for (const Range &range : {Range{DType::I64, kLeast32, kMost32, 1 << 30},
                             {DType::I64, kLeast32, kMost32, kMost32},
                             {DType::I64, kLeast, kMost, kMost / 2},
                             {DType::I64, kLeast, kMost, kMost},
                             {DType::I64, kMost, kLeast, -kMost},
                             {DType::I64, kMost, kLeast, kMost},
                             {DType::I64, kMost32, kLeast32, kMost32},
                             {DType::I64, kMost - 5, kMost, 3}}) {
    cases.add(kFamily, kFile, "constants", range.text())
        .out(DType::I64, 2, exact(), roundsAndLast(range, 0))
        .with("START", range.start)
        .with("STOP", range.stop)
        .with("STEP", range.step)
        .warps(1);
    if (range.step > 0)
      cases.add(kFamily, kFile, "constant_bounds", range.text())
          .out(DType::I64, 2, exact(), roundsAndLast(range, 0))
          .value(range.step)
          .with("START", range.start)
          .with("STOP", range.stop)
          .warps(1);
  }
  for (int64_t step : {int64_t(0), int64_t(-1), kLeast}) // known when the kernel runs: no round
    cases.add(kFamily, kFile, "constant_bounds", Range{DType::I64, kLeast, kMost, step}.text())
        .out(DType::I64, 2, exact(), each([](const Inputs &, int64_t) { return Number(0); }))
        .value(step)
        .with("START", kLeast)
        .with("STOP", kMost)
        .warps(1);
}

/// Rounds and last index of a range of u64.
Reference roundsOfU64(uint64_t from, uint64_t to, uint64_t step) {
  __int128 rounds = from >= to || !step ? 0 : (__int128(to) - from + step - 1) / step;
  __int128 last = rounds ? from + (rounds - 1) * step : from;
  return each([=](const Inputs &, int64_t i) { return static_cast<Number>(i == 0 ? rounds : last); });
}

/// Steps beyond signed integers: constant, and known when the kernel runs.
void addLargeSteps(Cases &cases) {
  for (auto [start, stop] : {std::pair<int64_t, int64_t>{0, -1}, {5, kMost}, {5, kLeast}, {7, 7}, {9, 3}}) {
    auto from = uint64_t(start), to = uint64_t(stop);
    std::string text = std::to_string(from) + ".." + std::to_string(to);
    for (auto [step, isConstant] : {std::pair<int64_t, bool>{-1, false},
                                    {kLeast, false},
                                    {kLeast, true},
                                    {kLeast + 7, false},
                                    {kMost / 2, false},
                                    {0, false}})
      cases
          .add(kFamily, kFile, "step_of_u64",
               text + " by " + std::to_string(uint64_t(step)) + (isConstant ? ",constant" : ""))
          .out(DType::U64, 2, exact(), roundsOfU64(from, to, uint64_t(step)))
          .value(start)
          .value(stop)
          .value(step)
          .with("IS_CONSTANT", isConstant)
          .warps(1);
  }
}

void addRows(Cases &cases) {
  for (const Range &range : {Range{DType::I64, kMost - 100, kMost, 30},
                             {DType::I64, kMost - 100, kMost, 50},
                             {DType::I64, kMost - 3, kMost, 1},
                             {DType::I32, kMost32 - 100, kMost32, 30},
                             {DType::I32, kMost32 - 3, kMost32, 1}})
    for (int64_t n : {64, 256}) {
      int64_t rounds = (range.stop - range.start - 1) / range.step + 1;
      Reference sums = each([=](const Inputs &in, int64_t i) {
        Number total = 0;
        for (int64_t k = 0; k < rounds; ++k)
          total += in(0, k * n + i);
        return total;
      });
      cases.add(kFamily, kFile, "rows", range.text() + ",n=" + std::to_string(n))
          .in(DType::F32, rounds * n, whole(-90, 90))
          .out(DType::F32, n, exactAnyZero(), sums)
          .value(range.start)
          .value(range.stop)
          .value(range.step)
          .with("N", n)
          .warps(4);
      constexpr int64_t edge = 32, block = edge * edge;
      if (n == 64)
        cases.add(kFamily, kFile, "products", range.text())
            .in(DType::F16, rounds * block, whole(-4, 4))
            .in(DType::F16, rounds * block, whole(-4, 4))
            .out(DType::F32, block, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
                   Number total = 0;
                   for (int64_t k = 0; k < rounds * edge; ++k)
                     total += in(0, k / edge * block + i / edge * edge + k % edge) * in(1, k * edge + i % edge);
                   return total;
                 }))
            .value(range.start)
            .value(range.stop)
            .value(range.step)
            .with("N", edge)
            .warps(4);
      if (range.type == DType::I32)
        cases.add(kFamily, kFile, "no_stages", "n=" + std::to_string(n) + ",rounds=" + std::to_string(rounds))
            .in(DType::F32, rounds * n, whole(-90, 90))
            .out(DType::F32, n, exactAnyZero(), sums)
            .value(rounds)
            .with("N", n)
            .warps(4);
    }
}

} // namespace limits_family

void addLimits(Cases &cases) {
  using namespace limits_family;
  addUp(cases);
  addDown(cases);
  addConstants(cases);
  addLargeSteps(cases);
  addRows(cases);
}

} // namespace tegula::conformance
