// The law of axis facts: each fact that the analysis states about a random function holds when the function runs.
#include "core/passes/analysis/AxisInfo.h"
#include "tests/passes/Interpreter.h"
#include "tests/passes/RandomTiles.h"
#include "tests/passes/TileTest.h"
#include "tests/support/Turn.h"

using namespace mlir;
using namespace tegula::tile;
using namespace tegula::tile::test;

namespace {

/// The elements of each line along an axis.
std::vector<std::vector<int64_t>> lines(const std::vector<int64_t> &elements, ArrayRef<int64_t> shape, size_t axis) {
  int64_t inner = 1, extent = shape.empty() ? 1 : shape[axis];
  for (size_t i = axis + 1; i < shape.size(); ++i)
    inner *= shape[i];
  std::vector<std::vector<int64_t>> all(elements.size() / size_t(extent));
  for (size_t i = 0; i < elements.size(); ++i) {
    int64_t line = int64_t(i) / (inner * extent) * inner + int64_t(i) % inner;
    all[size_t(line)].push_back(elements[i]); // in order along the axis
  }
  return all;
}

int64_t stepOf(Type type) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getPointee().getIntOrFloatBitWidth() / 8 : 1;
}

/// Whether `b - a == difference` at the type's width.
bool differs(int64_t a, int64_t b, int64_t difference, Type type) {
  unsigned width = isPtrScalar(getElementTypeOrSelf(type)) ? 64 : getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return ((uint64_t(b) - uint64_t(a) - uint64_t(difference)) << (64 - width)) == 0;
}

/// A stated fact that does not hold; empty where all hold.
std::string refuted(const AxisInfo &info, const Snapshot &snapshot, Type type) {
  int64_t step = stepOf(type);
  for (size_t axis = 0; axis < info.rank(); ++axis) {
    std::string along = " along " + std::to_string(axis);
    int64_t group = info.contiguity[axis];
    if (info.breaks && snapshot.wrapped)
      group = std::min(group, std::max<int64_t>(info.divisibility[axis] / step, 1));
    for (const std::vector<int64_t> &line : lines(snapshot.elements, shapeOf(type), axis))
      for (size_t i = 0; i < line.size(); ++i) {
        size_t within = i % size_t(group);
        if (!differs(line[i - within], line[i], int64_t(within) * step, type))
          return "contiguity " + std::to_string(group) + along;
        if (i % size_t(info.contiguity[axis]) == 0 && line[i] % info.divisibility[axis] != 0)
          return "divisibility " + std::to_string(info.divisibility[axis]) + along + " of " + std::to_string(line[i]);
        if (line[i] != line[i - i % size_t(info.constancy[axis])])
          return "constancy " + std::to_string(info.constancy[axis]) + along;
      }
  }
  for (int64_t element : snapshot.elements) {
    if (element < info.low || element > info.high)
      return std::to_string(element) + " in the range " + std::to_string(info.low) + " to " + std::to_string(info.high);
    if (info.nonNegative && !snapshot.wrapped && element < 0)
      return "no negative element";
  }
  return "";
}

using AxisLaw = TileTest;

bool isJudged(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return isIntScalar(element) || isPtrScalar(element);
}

} // namespace

TEST_F(AxisLaw, HoldsOfRandomFunctions) {
  int64_t contiguous = 0, divisible = 0, constant = 0, ranged = 0, nonNegative = 0, judged = 0, wrapped = 0;
  constexpr uint64_t kFunctions = 500; // of 2,000
  const uint64_t first = tegula::turnOf(4) * kFunctions;
  for (uint64_t seed = first; seed < first + kFunctions; ++seed) {
    RandomTiles tiles(context, seed);
    AxisAnalysis analysis(tiles.function());
    for (int64_t program : {int64_t(0), int64_t(3), int64_t(7), int64_t(1) << 30}) {
      Interpreter run(tiles.function(), tiles.arguments(), program);
      for (const auto &[value, snapshot] : run.history()) {
        // The law excludes signed quotients of wrapped values, see AxisInfo::nonNegative.
        if (snapshot.undefined || snapshot.rests || !isJudged(value))
          continue;
        AxisInfo info = analysis.of(value);
        ++judged;
        wrapped += snapshot.wrapped;
        contiguous += llvm::any_of(info.contiguity, [](int64_t n) { return n > 1; });
        divisible += llvm::any_of(info.divisibility, [](int64_t n) { return n > 1; });
        constant += llvm::any_of(info.constancy, [](int64_t n) { return n > 1; });
        nonNegative += info.nonNegative;
        ranged += uint64_t(info.high) - uint64_t(info.low) < 4096 && info.high > info.low;
        std::string claim = refuted(info, snapshot, value.getType());
        if (!claim.empty()) {
          std::string text;
          llvm::raw_string_ostream(text) << tiles.module() << "\n" << value;
          FAIL() << "seed " << seed << ", program " << program << ": " << claim
                 << " does not hold of the last value in\n"
                 << text;
        }
      }
    }
  }
  RecordProperty("judged", std::to_string(judged));
  // The analysis must state facts, and values must wrap, or the test proves nothing.
  EXPECT_GT(judged, 50000);
  EXPECT_GT(wrapped, judged / 50);
  EXPECT_GT(contiguous, judged / 20);
  EXPECT_GT(divisible, judged / 4);
  EXPECT_GT(constant, judged / 4);
  EXPECT_GT(ranged, judged / 20);
  EXPECT_GT(nonNegative, judged / 10);
}
