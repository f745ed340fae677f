// Atomic operations. Final values are those of any order; returned old values are compared where the order cannot show,
// or as a multiset.
#include "tests/conformance/families/Families.h"

#include <cmath>

namespace tegula::conformance {

namespace atomics_family {

const std::string kFamily = "atomics", kFile = "atomics.py";
constexpr DType kAdds[] = {DType::I32, DType::U32, DType::I64, DType::U64,
                           DType::F32, DType::F64, DType::F16, DType::BF16};
constexpr DType kExtremes[] = {DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64};
constexpr DType kBits[] = {DType::I32, DType::U32, DType::I64, DType::U64};

struct Size {
  int64_t n, programs;
  int warps;
  std::string text() const {
    return "n=" + std::to_string(n) + ",programs=" + std::to_string(programs) + ",w=" + std::to_string(warps);
  }
};
constexpr Size kSizes[] = {{64, 20, 2}, {256, 5, 4}, {16, 50, 1}, {1024, 3, 8}};

using Combine = Number (*)(DType, Number, Number);
Number plus(DType, Number a, Number b) { return a + b; }
Number larger(DType, Number a, Number b) { return std::max(a, b); }
Number smaller(DType, Number a, Number b) { return std::min(a, b); }
Number bitAnd(DType t, Number a, Number b) { return decode(t, encode(t, a) & encode(t, b)); }
Number bitOr(DType t, Number a, Number b) { return decode(t, encode(t, a) | encode(t, b)); }
Number bitXor(DType t, Number a, Number b) { return decode(t, encode(t, a) ^ encode(t, b)); }

/// Cell i of buffer `cells` combined with element i of every program's share of buffer 0.
Reference shared(DType type, size_t cells, Size s, Combine f) {
  return each([=](const Inputs &in, int64_t i) {
    Number value = in(cells, i);
    for (int64_t p = 0; p < s.programs; ++p)
      value = f(type, value, in(0, p * s.n + i));
    return value;
  });
}
Reference own(DType type, Combine f) {
  return each([=](const Inputs &in, int64_t i) { return f(type, in(1, i), in(0, i)); });
}
Reference before(size_t cells) {
  return each([cells](const Inputs &in, int64_t i) { return in(cells, i); });
}

void addShared(Cases &cases, const char *kernel, DType type, Size s, Fill x, Fill cells, Combine f) {
  cases.add(kFamily, kFile, kernel, named(type) + "," + s.text())
      .in(type, s.n * s.programs, std::move(x))
      .inOut(type, s.n, std::move(cells), exactAnyZero(), shared(type, 1, s, f))
      .with("N", s.n)
      .grid(s.programs)
      .warps(s.warps);
}

void addOwn(Cases &cases, const char *kernel, DType type, Size s, Fill x, Fill cells, Combine f) {
  int64_t programs = std::string(kernel) == "add_own" ? s.programs : 1, count = s.n * programs;
  cases.add(kFamily, kFile, kernel, named(type) + "," + s.text())
      .in(type, count, std::move(x))
      .inOut(type, count, std::move(cells), exactAnyZero(), own(type, f))
      .out(type, count, exact(), before(1))
      .with("N", s.n)
      .grid(programs)
      .warps(s.warps);
}

void addAdditions(Cases &cases) {
  size_t turn = 0;
  for (DType type : kAdds) {
    for (int k = 0; k < 2; ++k) {
      Size s = kSizes[turn++ % 4];
      addShared(cases, "add_shared", type, s, whole(0, 3), whole(0, 9), plus);
    }
    Size s = kSizes[turn % 4];
    addOwn(cases, "add_own", type, s, whole(0, 30), whole(0, 30), plus);
    // The tile's rows stand where other kernels have programs.
    Size tile = {s.n == 1024 ? 64 : s.n, 8, s.warps};
    cases.add(kFamily, kFile, "add_tile", named(type) + "," + tile.text())
        .in(type, tile.programs * tile.n, whole(0, 3))
        .inOut(type, tile.n, constant(5), exactAnyZero(), shared(type, 1, tile, plus))
        .with("M", tile.programs)
        .with("N", tile.n)
        .warps(tile.warps);
    cases.add(kFamily, kFile, "add_masked", named(type) + "," + s.text())
        .inOut(type, s.n, whole(0, 9), exactAnyZero(),
               each([s](const Inputs &in, int64_t i) { return in(0, i) + (i < s.n * 2 / 3 ? 10 : 0); }))
        .out(type, s.n, exact(), each([s](const Inputs &in, int64_t i) {
               return i < s.n * 2 / 3 ? std::optional(in(0, i)) : std::nullopt;
             }))
        .value(s.n * 2 / 3)
        .with("N", s.n)
        .warps(s.warps);
    if (byteSize(type) == 2)
      continue; // cannot count so far
    for (Size size : {kSizes[0], kSizes[3]}) {
      cases.add(kFamily, kFile, "add_one_cell", named(type) + "," + size.text())
          .inOut(type, 1, constant(5), exact(),
                 each([size](const Inputs &, int64_t) { return 5 + size.n * size.programs; }))
          .with("N", size.n)
          .grid(size.programs)
          .warps(size.warps);
      cases.add(kFamily, kFile, "tickets", named(type) + "," + size.text())
          .inOut(type, 1, constant(0), exact(),
                 each([size](const Inputs &, int64_t) { return size.n * size.programs; }))
          .out(type, size.n * size.programs, multiset(), each([](const Inputs &, int64_t i) { return i; }))
          .with("N", size.n)
          .grid(size.programs)
          .warps(size.warps);
    }
  }
}

/// Additions to neighbours in memory, for which devices have wider instructions: rows that meet, runs with and without
/// mask, cells at other alignments, layouts of products.
void addNeighbours(Cases &cases) {
  for (DType type : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32}) {
    constexpr int64_t kRows = 16, kTargets = 5, kPrograms = 6;
    for (auto [n, width] : {std::pair{64, 64}, {48, 64}, {50, 64}, {256, 256}})
      cases.add(kFamily, kFile, "add_rows", named(type) + ",n=" + std::to_string(n))
          .in(DType::I32, kRows * kPrograms, whole(0, kTargets - 1))
          .in(type, kRows * kPrograms * n, whole(0, 2))
          .inOut(type, kTargets * n, whole(0, 9), exactAnyZero(), each([n = n](const Inputs &in, int64_t i) {
                   Number value = in(2, i);
                   for (int64_t row = 0; row < kRows * kPrograms; ++row)
                     value += in(0, row) == i / n ? in(1, row * n + i % n) : 0;
                   return value;
                 }))
          .value(n)
          .with("M", kRows)
          .with("N", width)
          .grid(kPrograms)
          .warps(4);
    constexpr int64_t kCells = 512;
    for (auto [run, shift] : {std::pair{1, 0}, {2, 0}, {4, 0}, {16, 0}, {16, 1}, {16, 2}, {8, 4}})
      cases
          .add(kFamily, kFile, "add_runs",
               named(type) + ",run=" + std::to_string(run) + ",shift=" + std::to_string(shift))
          .in(type, 2 * kCells, whole(0, 30))
          .inOut(type, 2 * kCells + shift, whole(0, 30), exactAnyZero(),
                 each([run = run, shift = shift](const Inputs &in, int64_t i) {
                   bool isAdded = i >= shift && (i - shift) / run % 2 == 0;
                   return in(1, i) + (isAdded ? in(0, i - shift) : 0);
                 }))
          .out(type, 2 * kCells, exact(), each([run = run, shift = shift](const Inputs &in, int64_t i) {
                 return i / run % 2 == 0 ? std::optional(in(1, i + shift)) : std::nullopt;
               }))
          .with("N", kCells)
          .with("RUN", run)
          .with("SHIFT", shift)
          .grid(2)
          .warps(2);
    constexpr int64_t kM = 64, kN = 32, kK = 16;
    cases.add(kFamily, kFile, "add_product", named(type))
        .in(DType::F16, kM * kK, whole(0, 1))
        .in(DType::F16, kK * kN, whole(0, 2))
        .inOut(type, kM * kN, whole(0, 9), exactAnyZero(), each([](const Inputs &in, int64_t i) {
                 Number value = in(2, i);
                 for (int64_t k = 0; k < kK; ++k)
                   value += 3 * in(0, i / kN * kK + k) * in(1, k * kN + i % kN);
                 return value;
               }))
        .with("M", kM)
        .with("N", kN)
        .with("K", kK)
        .grid(3)
        .warps(4);
  }
}

void addRest(Cases &cases) {
  size_t turn = 0;
  for (DType type : kExtremes) {
    for (int k = 0; k < 2; ++k) {
      Size s = kSizes[turn++ % 4];
      Fill x = k ? whole(isUnsigned(type) ? 0 : -1000, 1000)
                 : only(anyBits(), [](Number v) { return std::isfinite(v) && v != 0; }, 3);
      addShared(cases, "max_shared", type, s, x, constant(10), larger);
      addShared(cases, "min_shared", type, s, x, constant(isFloat(type) ? 10 : highest(type)), smaller);
    }
    Size s = kSizes[turn % 4];
    addOwn(cases, "max_own", type, s, whole(isUnsigned(type) ? 0 : -9, 9), whole(isUnsigned(type) ? 0 : -9, 9), larger);
    addOwn(cases, "min_own", type, s, whole(isUnsigned(type) ? 0 : -9, 9), whole(isUnsigned(type) ? 0 : -9, 9),
           smaller);
    int64_t n = s.n * s.programs - 5;
    cases.add(kFamily, kFile, "max_one_cell", named(type) + "," + s.text())
        .in(type, n, shuffled(n, 1))
        .inOut(type, 1, constant(0), exact(), each([n](const Inputs &, int64_t) { return n; }))
        .value(n)
        .with("N", s.n)
        .grid(s.programs)
        .warps(s.warps);
  }
  for (DType type : kBits) {
    Size s = kSizes[turn++ % 4];
    addShared(cases, "and_shared", type, s, anyBits(), constant(isUnsigned(type) ? highest(type) : -1), bitAnd);
    addShared(cases, "or_shared", type, s, anyBits(), constant(0), bitOr);
    addShared(cases, "xor_shared", type, s, anyBits(), constant(5), bitXor);
    cases.add(kFamily, kFile, "bits_own", named(type) + "," + s.text())
        .in(type, s.n, anyBits())
        .inOut(type, s.n, anyBits(), exact(), own(type, bitAnd))
        .inOut(type, s.n, anyBits(), exact(),
               each([type](const Inputs &in, int64_t i) { return bitOr(type, in(2, i), in(0, i)); }))
        .inOut(type, s.n, anyBits(), exact(),
               each([type](const Inputs &in, int64_t i) { return bitXor(type, in(3, i), in(0, i)); }))
        .out(type, 3 * s.n, exact(),
             each([n = s.n](const Inputs &in, int64_t i) { return in(static_cast<size_t>(1 + i / n), i % n); }))
        .with("N", s.n)
        .warps(s.warps);
  }
  for (DType type : {DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64}) {
    Size s = kSizes[turn++ % 4];
    addOwn(cases, "exchange_own", type, s, whole(0, 90), whole(0, 90), [](DType, Number, Number x) { return x; });
    cases.add(kFamily, kFile, "exchange_ring", named(type) + "," + s.text())
        .in(type, s.n * s.programs, iota(1))
        .inOut(type, s.n * s.programs + 1, constant(0), multiset(), each([](const Inputs &, int64_t i) { return i; }))
        .with("N", s.n)
        .grid(s.programs)
        .warps(s.warps);
    cases.add(kFamily, kFile, "cas_own", named(type) + "," + s.text())
        .in(type, s.n, whole(50, 90))
        .inOut(type, s.n, whole(2, 4), exact(),
               each([](const Inputs &in, int64_t i) { return in(1, i) == 3 ? in(0, i) : in(1, i); }))
        .out(type, s.n, exact(), before(1))
        .with("N", s.n)
        .warps(s.warps);
    cases.add(kFamily, kFile, "cas_constants", named(type) + "," + s.text())
        .inOut(type, s.n, isFloat(type) ? listed({0, 1, -0.0L, kNan, 2}) : whole(0, 2), exact(),
               each([](const Inputs &in, int64_t i) {
                 return in(0, i) == 0 && !std::signbit(in(0, i)) ? Number(2) : in(0, i); // bits are compared
               }))
        .with("N", s.n)
        .warps(s.warps);
    cases.add(kFamily, kFile, "converted_operands", named(type) + "," + s.text())
        .inOut(type, s.n, iota(1000), exact(), each([](const Inputs &, int64_t i) { return 2 * i; }))
        .inOut(type, s.n, whole(2, 4), exact(),
               each([](const Inputs &in, int64_t i) { return in(1, i) == 3 ? 100 + i : in(1, i); }))
        .out(type, 2 * s.n, exact(), each([n = s.n](const Inputs &in, int64_t i) { return in(i < n ? 0 : 1, i % n); }))
        .with("N", s.n)
        .warps(s.warps);
  }
  for (DType type : {DType::I32, DType::I64}) {
    for (int64_t programs : {1, 30})
      cases.add(kFamily, kFile, "cas_one_winner", named(type) + ",programs=" + std::to_string(programs))
          .inOut(type, 1, constant(0), exact(), each([](const Inputs &, int64_t) { return 1; }))
          .out(DType::I32, programs, multiset(), each([](const Inputs &, int64_t i) { return i == 0; }))
          .grid(programs)
          .warps(1);
    cases.add(kFamily, kFile, "scalar_ticket", named(type))
        .inOut(type, 1, constant(0), exact(), each([](const Inputs &, int64_t) { return 40; }))
        .out(type, 40, multiset(), each([](const Inputs &, int64_t i) { return i; }))
        .grid(40)
        .warps(2);
    cases.add(kFamily, kFile, "spin_lock", named(type))
        .inOut(type, 1, constant(0), exact(), each([](const Inputs &, int64_t) { return 0; }))
        .inOut(DType::I32, 1, constant(0), exact(), each([](const Inputs &, int64_t) { return 25; }))
        .grid(25)
        .warps(1);
  }
  for (auto [n, bins, block] : {std::tuple{1000, 8, 256}, {5000, 100, 512}, {300, 1, 64}})
    for (DType type : {DType::I32, DType::F32})
      cases
          .add(kFamily, kFile, "add_by_index",
               named(type) + ",n=" + std::to_string(n) + ",bins=" + std::to_string(bins))
          .in(DType::I32, n, whole(0, bins - 1))
          .inOut(type, bins, constant(0), exact(),
                 [](const Inputs &in, int64_t count) {
                   std::vector<Number> bin(static_cast<size_t>(count), 0);
                   for (Number index : in.all(0))
                     ++bin[static_cast<size_t>(index)];
                   return Expected(bin.begin(), bin.end());
                 })
          .value(n)
          .with("BLOCK", block)
          .grid(cdiv(n, block))
          .warps(4);
  for (auto [n, programs] : {std::pair{64, 16}, {256, 4}})
    cases.add(kFamily, kFile, "last_program_sums", "n=" + std::to_string(n))
        .in(DType::I32, n * programs, whole(-100, 100))
        .out(DType::I32, programs, ignored())
        .inOut(DType::I32, 1, constant(0), exact(),
               each([programs = programs](const Inputs &, int64_t) { return programs; }))
        .out(DType::I32, 1, exact(), each([](const Inputs &in, int64_t) {
               Number total = 0;
               for (Number x : in.all(0))
                 total += x;
               return total;
             }))
        .with("N", n)
        .with("PROGRAMS", programs)
        .grid(programs)
        .warps(2);
}

} // namespace atomics_family

void addAtomics(Cases &cases) {
  using namespace atomics_family;
  addAdditions(cases);
  addNeighbours(cases);
  addRest(cases);
}

} // namespace tegula::conformance
