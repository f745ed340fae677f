// Products large enough for instructions of several warps: groups of four warps that divide the rows, the columns or
// both, or hold several instructions' rows; lines of 16 to 512 bytes in shared memory; loops of none to six iterations.
// Sums are exact, as in Dot.cpp.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace groups_family {

const std::string kFamily = "dot", kFile = "groups.py";

struct Size {
  int64_t m, n, k;
  int warps;
};

Fill smallNumbers() { return whole(-3, 3); }

Case &sized(Cases &cases, const std::string &kernel, DType type, const Size &s, int64_t trips,
            const std::string &variant = "") {
  std::string name = named(type) + "," + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
                     ",w=" + std::to_string(s.warps) + ",trips=" + std::to_string(trips) + variant;
  return cases.add(kFamily, kFile, kernel, name).warps(s.warps).with("M", s.m).with("N", s.n).with("K", s.k);
}

/// Element i of the product of the blocks that begin at elements a and b of buffers 0 and 1.
Number product(const Inputs &in, const Size &s, int64_t i, int64_t a, int64_t b, bool ta = false, bool tb = false) {
  int64_t row = i / s.n, column = i % s.n;
  Number total = 0;
  for (int64_t p = 0; p < s.k; ++p)
    total += in(0, a + (ta ? p * s.m + row : row * s.k + p)) * in(1, b + (tb ? column * s.k + p : p * s.n + column));
  return total;
}

void addSums(Cases &cases) {
  auto add = [&](DType type, const Size &s, int64_t trips, int which, int64_t stages) {
    bool ta = which & 1, tb = which & 2;
    sized(cases, "sums", type, s, trips,
          std::string(ta ? ",A^T" : "") + (tb ? ",B^T" : "") + ",stages=" + std::to_string(stages))
        .in(type, std::max<int64_t>(trips, 1) * s.m * s.k, smallNumbers())
        .in(type, std::max<int64_t>(trips, 1) * s.k * s.n, smallNumbers())
        .out(DType::F32, s.m * s.n, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t trip = 0; trip < trips; ++trip)
                 total += product(in, s, i, trip * s.m * s.k, trip * s.k * s.n, ta, tb);
               return total;
             }))
        .value(trips)
        .with("TA", ta)
        .with("TB", tb)
        .with("STAGES", stages);
  };
  for (int64_t trips : {0, 1, 2, 5})
    for (int64_t stages : {2, 3})
      add(DType::F16, {64, 64, 32, 4}, trips, 0, stages);
  for (int which : {0, 1, 2, 3}) {
    add(DType::BF16, {64, 64, 64, 4}, 3, which, 3);
    add(DType::F16, {128, 32, 16, 8}, 4, which, 4);
    add(DType::F16, {64, 32, 64, 8}, 3, which, 2); // groups divide the columns
  }
  add(DType::F16, {64, 256, 16, 4}, 3, 0, 3);
  add(DType::BF16, {64, 8, 128, 4}, 3, 2, 3);
  add(DType::F16, {128, 32, 32, 4}, 3, 1, 3);  // two instructions' rows in a group
  add(DType::F16, {128, 64, 16, 16}, 3, 0, 3); // groups divide rows and columns
  add(DType::BF16, {64, 32, 128, 8}, 2, 2, 3); // parts of long lines
  add(DType::F16, {64, 8, 64, 4}, 3, 0, 3);    // lines too short for a swizzle
}

void addOthers(Cases &cases) {
  for (int64_t trips : {1, 2, 4}) {
    Size s{64, 32, 32, 4};
    auto inputs = [&](Case &made) -> Case & {
      return made.in(DType::F16, trips * s.m * s.k, smallNumbers()).in(DType::F16, trips * s.k * s.n, smallNumbers());
    };
    inputs(sized(cases, "two_sums", DType::F16, s, trips))
        .out(DType::F32, s.m * s.n, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t trip = 0; trip < trips; ++trip)
                 total += product(in, s, i, trip * s.m * s.k, trip * s.k * s.n);
               return total;
             }))
        .out(DType::F32, s.m * s.n, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               Number total = product(in, s, i, 0, 0);
               for (int64_t trip = 0; trip < trips; ++trip)
                 total += product(in, s, i, 0, trip * s.k * s.n);
               return total;
             }))
        .value(trips);
    inputs(sized(cases, "scaled", DType::F16, s, trips))
        .out(DType::F32, s.m * s.n, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t trip = 0; trip < trips; ++trip)
                 total += Number(trip + 1) * product(in, s, i, trip * s.m * s.k, trip * s.k * s.n);
               return total;
             }))
        .value(trips);
  }
}

/// What a chain's kernel makes of scores: elements of the left operand, and the factor of the sum before.
struct Chain {
  std::function<Number(Number score)> left;
  std::function<Number(const std::vector<Number> &scores)> factor = [](const std::vector<Number> &) { return 1; };
};

/// A chain's sum, M x K; `right` is the buffer of the second product's right operand. Iteration `reset` gives it the
/// values of buffer 3 instead.
Expected chained(const Inputs &in, const Size &s, int64_t trips, const Chain &chain, size_t right, int64_t reset = -1) {
  Expected out;
  for (int64_t i = 0; i < s.m; ++i) {
    std::vector<Number> total(size_t(s.k), 0);
    for (int64_t trip = 0; trip < trips; ++trip) {
      std::vector<Number> scores;
      for (int64_t j = 0; j < s.n; ++j) {
        Number score = 0;
        for (int64_t p = 0; p < s.k; ++p)
          score += in(0, i * s.k + p) * in(1, (trip * s.n + j) * s.k + p);
        scores.push_back(score);
      }
      Number factor = chain.factor(scores);
      for (int64_t column = 0; column < s.k; ++column) {
        Number &sum = total[size_t(column)];
        sum *= factor;
        for (int64_t j = 0; j < s.n; ++j)
          sum += chain.left(scores[size_t(j)]) * in(right, (trip * s.n + j) * s.k + column);
        if (trip == reset)
          sum = in(3, i * s.k + column);
      }
    }
    for (Number sum : total)
      out.push_back(sum);
  }
  return out;
}

void addChains(Cases &cases) {
  auto isPositive = [](Number score) -> Number { return score > 0 ? 1 : 0; };
  auto scaling = [](const std::vector<Number> &scores) -> Number {
    return *std::max_element(scores.begin(), scores.end()) > 9 ? 2 : 1;
  };
  auto scalingByLeast = [](const std::vector<Number> &scores) -> Number {
    return *std::min_element(scores.begin(), scores.end()) < -9 ? 2 : 1;
  };
  auto inputs = [](Case &made, const Size &s, int64_t trips) -> Case & {
    int64_t count = std::max<int64_t>(trips, 1) * s.n * s.k;
    return made.in(DType::F16, s.m * s.k, smallNumbers())
        .in(DType::F16, count, smallNumbers())
        .in(DType::F16, count, smallNumbers());
  };
  auto sumOf = [](const Size &s, int64_t trips, const Chain &chain, size_t right, int64_t reset = -1) {
    return [=](const Inputs &in, int64_t) { return chained(in, s, trips, chain, right, reset); };
  };
  for (int64_t trips : {0, 1, 2, 5})
    for (bool scales : {false, true})
      for (const Size &s : {Size{64, 64, 32, 4}, Size{128, 32, 64, 8}}) {
        Chain chain{[](Number score) -> Number { return score > 3 ? 2 : score > 0 ? 1 : 0; }};
        if (scales)
          chain.factor = scaling;
        inputs(sized(cases, "chain", DType::F16, s, trips, scales ? ",scales" : ""), s, trips)
            .out(DType::F32, s.m * s.k, exactAnyZero(), sumOf(s, trips, chain, 2))
            .value(trips)
            .with("SCALES", scales)
            .with("STAGES", 2);
      }
  for (int64_t trips : {1, 3}) {
    Size s{64, 32, 64, 4};
    inputs(sized(cases, "two_chains", DType::F16, s, trips), s, trips)
        .out(DType::F32, s.m * s.k, exactAnyZero(), sumOf(s, trips, {isPositive}, 2))
        .out(DType::F32, s.m * s.k, exactAnyZero(), sumOf(s, trips, {isPositive, scalingByLeast}, 1))
        .value(trips);
    inputs(sized(cases, "reset", DType::F16, s, trips + 1), s, trips + 1)
        .in(DType::F32, s.m * s.k, smallNumbers())
        .out(DType::F32, s.m * s.k, exactAnyZero(), sumOf(s, trips + 1, {isPositive}, 2, 1))
        .value(trips + 1)
        .value(1);
  }
}

void addSquares(Cases &cases) {
  // Of 128 columns lavapipe compiles the second product for two minutes.
  for (const Size &s : {Size{64, 64, 32, 4}, Size{64, 64, 16, 8}}) {
    constexpr int64_t kTrips = 3;
    cases
        .add(kFamily, kFile, "squares",
             std::to_string(s.n) + "x" + std::to_string(s.k) + ",w=" + std::to_string(s.warps))
        .warps(s.warps)
        .in(DType::F16, kTrips * s.n * s.k, smallNumbers())
        .in(DType::F16, s.n * s.n, smallNumbers())
        .out(DType::F32, s.n * s.n, exactAnyZero(), each([s](const Inputs &in, int64_t i) {
               int64_t row = i / s.n, column = i % s.n;
               Number total = 0;
               for (int64_t trip = 0; trip < kTrips; ++trip)
                 for (int64_t p = 0; p < s.k; ++p)
                   total += in(0, (trip * s.n + row) * s.k + p) * in(0, (trip * s.n + column) * s.k + p);
               for (int64_t p = 0; p < s.n; ++p)
                 total += in(1, p * s.n + row) * in(1, column * s.n + p);
               return total;
             }))
        .value(kTrips)
        .with("N", s.n)
        .with("K", s.k);
  }
}

} // namespace groups_family

void addGroups(Cases &cases) {
  using namespace groups_family;
  addSums(cases);
  addOthers(cases);
  addChains(cases);
  addSquares(cases);
}

} // namespace tegula::conformance
