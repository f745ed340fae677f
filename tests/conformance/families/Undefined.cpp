// What Triton leaves undefined: one result on every device, and a fault in checked mode where it matters.
#include "tests/conformance/families/Families.h"

#include <algorithm>
#include <cmath>

namespace tegula::conformance {

namespace undefined_family {

const std::string kFamily = "undefined", kFile = "undefined.py";

constexpr const char *kDivision = "integer division by zero", *kShift = "shift by the width of the type or more";

/// Quotients are taken from the remainder: a Number holds all digits of a 64-bit product, but not of each quotient.
Number quotient(DType type, Number x, Number y) {
  if (y == 0)
    return 0;
  Number exact = (x - std::fmod(x, y)) / y;
  return exact > highest(type) ? lowest(type) : exact; // the lowest number by -1
}
Number rest(Number x, Number y) { return y == 0 ? x : std::fmod(x, y); }

Number shiftedLeft(DType type, Number x, Number y) {
  uint64_t by = encode(type, y);
  return by >= bitsOf(type) ? 0 : decode(type, encode(type, x) << by);
}
Number shiftedRight(DType type, Number x, Number y) {
  uint64_t by = encode(type, y);
  return by >= bitsOf(type) ? (x < 0 ? -1 : 0) : std::floor(std::ldexp(x, -static_cast<int>(by)));
}

using Function = std::function<Number(Number, Number)>;
Reference ofBoth(Function f) {
  return each([f = std::move(f)](const Inputs &in, int64_t i) { return f(in(0, i), in(1, i)); });
}

void addPair(Cases &cases, const char *kernel, DType type, Extent e, Fill y, Function first, Function second,
             const char *fault) {
  cases.add(kFamily, kFile, kernel, named(type) + "," + e.text())
      .in(type, e.n, special())
      .in(type, e.n, std::move(y))
      .out(type, e.n, exact(), ofBoth(std::move(first)))
      .out(type, e.n, exact(), ofBoth(std::move(second)))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps)
      .checkedFault = fault;
}

void addIntegers(Cases &cases) {
  for (DType type : kIntegers) {
    auto divisor = [type](DType, int64_t i, Random &random) {
      constexpr Number kSmall[] = {0, -1, 1, 0, 7};
      Number wanted = i % 6 < 5 ? kSmall[i % 6] : special(specialCount(type))(type, i, random);
      return wanted < lowest(type) ? highest(type) : wanted;
    };
    Extent e = {1000, 256, 4};
    addPair(
        cases, "divide", type, e, divisor, [type](Number x, Number y) { return quotient(type, x, y); }, rest,
        kDivision);
    Number width = bitsOf(type), least = isSigned(type) ? -1 : 0;
    addPair(
        cases, "shift", type, {300, 64, 2},
        listed({0, width, width - 1, width + 1, highest(type), least, 1, 2 * width - 1}),
        [type](Number x, Number y) { return shiftedLeft(type, x, y); },
        [type](Number x, Number y) { return shiftedRight(type, x, y); }, kShift);
  }
  for (auto [x, y] : {std::pair<int64_t, int64_t>{17, 0}, {-17, 0}, {INT32_MIN, -1}, {-17, 5}}) {
    Case &made = cases.add(kFamily, kFile, "divide_scalar", std::to_string(x) + "," + std::to_string(y))
                     .out(DType::I32, 2, exact(), each([x = x, y = y](const Inputs &, int64_t i) {
                            return i == 0 ? quotient(DType::I32, x, y) : rest(x, y);
                          }))
                     .value(x)
                     .value(y)
                     .warps(1);
    if (y == 0)
      made.checkedFault = kDivision;
  }
  cases.add(kFamily, kFile, "constant_shift", "i32")
      .in(DType::I32, 64, special())
      .out(DType::I32, 128, exact(),
           each([](const Inputs &in, int64_t i) { return i >= 64 && in(0, i - 64) < 0 ? -1 : 0; }))
      .with("N", 64)
      .warps(2)
      .checkedFault = kShift;
}

void addDropped(Cases &cases) {
  constexpr int64_t kBlock = 64;
  for (int64_t n : {int64_t(50), kBlock})
    cases.add(kFamily, kFile, "dropped", "n=" + std::to_string(n))
        .in(DType::I32, n, whole(-99, 99))
        .in(DType::I32, n, whole(0, 3))
        .out(DType::I32, 4 * kBlock + 1, exact(),
             [n](const Inputs &in, int64_t) {
               Expected out(4 * kBlock + 1);
               Number sum = 0;
               for (int64_t i = 0; i < n; ++i) {
                 Number x = in(0, i), y = in(1, i), q = quotient(DType::I32, x, y);
                 size_t at = static_cast<size_t>(i);
                 if (y != 0)
                   out[at] = q + 1, out[3 * kBlock + 1 + at] = q;
                 out[kBlock + at] = y != 0 ? q : -1;
                 out[2 * kBlock + at] = y != 0 && std::fmod(x, y) == 0;
                 sum += q;
               }
               out[3 * kBlock] = sum;
               return out;
             })
        .value(n)
        .with("BLOCK", kBlock)
        .warps(2);
}

void addSteps(Cases &cases) {
  for (auto [start, stop, step] : {std::array<int64_t, 3>{0, 10, 3}, {0, 10, 0}, {10, 0, -2}, {0, 10, -1}, {7, 7, 0}}) {
    bool rises = step > 0;
    Number count = rises ? std::ceil(static_cast<Number>(stop - start) / static_cast<Number>(step)) : 0;
    Number last =
        rises ? static_cast<Number>(start) + (count - 1) * static_cast<Number>(step) : static_cast<Number>(start);
    Case &made = cases
                     .add(kFamily, kFile, "steps",
                          std::to_string(start) + "," + std::to_string(stop) + "," + std::to_string(step))
                     .out(DType::I32, 2, exact(),
                          each([count, last](const Inputs &, int64_t i) { return i == 0 ? count : last; }))
                     .value(start)
                     .value(stop)
                     .value(step)
                     .warps(1);
    if (!rises)
      made.checkedFault = "the step of a range must be positive, found " + std::to_string(step);
  }
}

/// Warps: with more than eight, no producer starts the copies of a loop.
void addProductSteps(Cases &cases) {
  constexpr int64_t kExtent = 64, kDepth = 128;
  auto product = [](const Inputs &in, int64_t) {
    Expected out;
    for (int64_t at = 0; at < kExtent * kExtent; ++at) {
      Number sum = 0;
      for (int64_t p = 0; p < kDepth; ++p)
        sum += in(0, at / kExtent * kDepth + p) * in(1, at % kExtent * kDepth + p);
      out.push_back(sum);
    }
    return out;
  };
  auto nothing = [](const Inputs &, int64_t) { return Expected(kExtent * kExtent, 0); };
  for (int64_t step : {1, 0, -1})
    for (int warps : {4, 16}) {
      Case &made = cases.add(kFamily, kFile, "product_steps", std::to_string(step) + ",w=" + std::to_string(warps))
                       .in(DType::F16, kExtent * kDepth, whole(-4, 4))
                       .in(DType::F16, kExtent * kDepth, whole(-4, 4));
      (step > 0 ? made.out(DType::F32, kExtent * kExtent, exactAnyZero(), product)
                : made.out(DType::F32, kExtent * kExtent, exactAnyZero(), nothing))
          .value(kDepth)
          .value(kDepth / kExtent)
          .value(step)
          .with("N", kExtent)
          .warps(warps);
      if (step <= 0)
        made.checkedFault = "the step of a range must be positive, found " + std::to_string(step);
    }
}

void addOutside(Cases &cases) {
  constexpr int64_t kBins = 16;
  for (DType type : {DType::I32, DType::U8, DType::I64})
    cases.add(kFamily, kFile, "histogram", named(type))
        .in(type, 128, type == DType::U8 ? whole(0, 255) : whole(-40, 40))
        .out(DType::I32, kBins, exact(), each([](const Inputs &in, int64_t i) {
               return static_cast<Number>(std::count(in.all(0).begin(), in.all(0).end(), i));
             }))
        .with("N", 128)
        .with("BINS", kBins)
        .warps(2)
        .checkedFault = "is in none of the 16 bins";
  for (auto [type, n] : {std::pair{DType::I32, 64}, {DType::I64, 16}})
    cases.add(kFamily, kFile, "gather", named(type) + ",n=" + std::to_string(n))
        .in(DType::F32, n, iota())
        .in(type, n, whole(-100, 100))
        .out(DType::F32, n, exact(),
             each([n = n](const Inputs &in, int64_t i) { return in(0, static_cast<int64_t>(in(1, i)) & (n - 1)); }))
        .with("N", n)
        .warps(1)
        .checkedFault = "along axis 0";
}

} // namespace undefined_family

void addUndefined(Cases &cases) {
  using namespace undefined_family;
  addIntegers(cases);
  addDropped(cases);
  addSteps(cases);
  addProductSteps(cases);
  addOutside(cases);
}

} // namespace tegula::conformance
