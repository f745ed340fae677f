// Prints, assertions, and memory that a program reads and writes in turn.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace effects_family {

const std::string kFamily = "effects", kFile = "effects.py";

Number index(DType, int64_t i, Random &) { return static_cast<Number>(i); }

void addPrints(Cases &cases) {
  auto add = [&](const char *kernel, const std::string &variant) -> Case & {
    return cases.add(kFamily, kFile, kernel, variant);
  };
  for (DType type : {DType::I1, DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32, DType::I64,
                     DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64, DType::F8E4M3, DType::F8E5M2}) {
    add("print_tile", named(type)).in(type, 64, anyBits()).with("N", 64).warps(2);
    add("print_hex", named(type)).in(type, 32, anyBits()).with("N", 32).warps(4);
  }
  for (auto [n, warps, programs] : {std::tuple{1, 4, 1}, {8, 4, 3}, {256, 1, 2}, {1024, 4, 2}, {512, 8, 5}})
    add("print_tile",
        "n=" + std::to_string(n) + ",w=" + std::to_string(warps) + ",programs=" + std::to_string(programs))
        .in(DType::I32, n * programs, index)
        .with("N", n)
        .grid(programs)
        .warps(warps);
  for (auto [m, n, warps] : {std::tuple{4, 16, 1}, {16, 4, 4}, {1, 64, 2}, {32, 32, 4}})
    add("print_plane", "m=" + std::to_string(m) + ",n=" + std::to_string(n))
        .in(DType::F32, m * n, index)
        .with("M", m)
        .with("N", n)
        .warps(warps);
  add("print_scalars", "grid").in(DType::F32, 1, index).value(-7).real(0.5).grid(3, 2, 2).warps(4);
  Case &loop = add("print_loop", "n=5").in(DType::I32, 80, index).value(5).with("N", 16).warps(2);
  loop.printed.emplace();
  for (int k = 0, total[16] = {}; k < 5; ++k) {
    if (k % 2 == 1)
      loop.printed->push_back("pid (0, 0, 0) idx () odd: " + std::to_string(k));
    for (int i = 0; i < 16; ++i) {
      total[i] += k * 16 + i;
      loop.printed->push_back("pid (0, 0, 0) idx (" + std::string(i < 10 ? " " : "") + std::to_string(i) +
                              ") total: " + std::to_string(total[i]));
    }
  }
  loop.printed->push_back("pid (0, 0, 0) idx () sum and maximum: (operand 0) 3160");
  loop.printed->push_back("pid (0, 0, 0) idx () sum and maximum: (operand 1) 235");
  add("print_and_store", "n=256")
      .in(DType::I32, 256, index)
      .out(DType::I32, 256, exact(), each([](const Inputs &, int64_t i) { return i + 255 * 128; }))
      .with("N", 256)
      .warps(4);
}

void addAssertions(Cases &cases) {
  auto add = [&](const char *kernel, const std::string &variant, std::optional<std::string> fault) -> Case & {
    Case &made = cases.add(kFamily, kFile, kernel, variant).with("debug", true);
    made.fault = std::move(fault);
    return made;
  };
  auto same = each([](const Inputs &in, int64_t i) { return in(0, i); });
  add("assert_tile", "holds", std::nullopt)
      .in(DType::I32, 1024, index)
      .out(DType::I32, 1024, exact(), same)
      .value(0)
      .with("N", 256)
      .grid(4)
      .warps(4);
  add("assert_tile", "fails", "device_assert failed for element [0]: too small, in program (0, 0, 0)")
      .in(DType::I32, 1024, index)
      .out(DType::I32, 1024, ignored())
      .value(300)
      .with("N", 256)
      .grid(4)
      .warps(4);
  Case &without = cases.add(kFamily, kFile, "assert_tile", "without_debug")
                      .in(DType::I32, 1024, index)
                      .out(DType::I32, 1024, exact(), same)
                      .value(300)
                      .with("N", 256)
                      .grid(4)
                      .warps(4);
  without.checkedFault = "device_assert failed for element [0]: too small, in program (0, 0, 0)";
  auto dip = [](DType, int64_t i, Random &) {
    return Number(i == 2 * 256 + 77 || i == 2 * 256 + 201 || i == 3 * 256 ? 0 : 9);
  };
  add("assert_tile", "one_program", "device_assert failed for element [77]: too small, in program (2, 0, 0)")
      .in(DType::I32, 1024, dip)
      .out(DType::I32, 1024, ignored())
      .value(5)
      .with("N", 256)
      .grid(4)
      .warps(2);
  auto hole = [](DType, int64_t i, Random &) {
    return Number(i == 4 * 32 + 13 || i == 4 * 32 + 29 || i == 8 * 32 ? 0 : 9);
  };
  add("assert_plane", "element", "device_assert failed for element [4, 13]: too small, in program (0, 0, 0)")
      .in(DType::I32, 512, hole)
      .value(5)
      .with("M", 16)
      .with("N", 32)
      .warps(4);
  add("assert_scalar", "fails", "device_assert failed: too many programs, in program (2, 0, 0)")
      .out(DType::I32, 4, ignored())
      .value(2)
      .grid(4)
      .warps(4);
  auto rounds = [](DType, int64_t i, Random &) {
    return Number(i == 64 + 40 || i == 64 + 50 ? 500 : i == 128 + 3 ? 2000 : 7);
  };
  add("assert_in_order", "second", "device_assert failed for element [40]: second, in program (0, 0, 0)")
      .in(DType::I32, 256, rounds)
      .value(4)
      .with("N", 64)
      .warps(4);
  add("assert_in_order", "called", "device_assert failed: called, in program (0, 0, 0)")
      .in(DType::I32, 256, index)
      .value(1)
      .with("N", 64)
      .warps(4);
}

struct Moving {
  int64_t n, step, inner;
  int warps;
};

constexpr int64_t kSteps = 4;

/// What `moving` leaves in memory, followed by its last values.
std::vector<int64_t> moved(const Moving &s, const Inputs &in) {
  std::vector<int64_t> memory, last(size_t(s.n));
  for (int64_t i = 0; i < s.n + (kSteps - 1) * s.step; ++i)
    memory.push_back(int64_t(in(0, i)));
  for (int64_t k = 0; k < kSteps; ++k)
    for (int64_t i = 0; i < s.n; ++i) {
      int64_t &at = memory[size_t(k * s.step + i)], &before = last[size_t(i)], now = at;
      at = before + 2 * (now + s.inner * before);
      before = now - before;
    }
  memory.insert(memory.end(), last.begin(), last.end());
  return memory;
}

void addMoving(Cases &cases, const std::string &variant, const Moving &s) {
  int64_t count = s.n + (kSteps - 1) * s.step;
  auto part = [=](int64_t first) {
    return [=](const Inputs &in, int64_t elements) {
      Expected out;
      std::vector<int64_t> all = moved(s, in);
      for (int64_t i = 0; i < elements; ++i)
        out.push_back(Number(all[size_t(first + i)]));
      return out;
    };
  };
  cases.add(kFamily, kFile, "moving", variant + ",step=" + std::to_string(s.step) + ",inner=" + std::to_string(s.inner))
      .inOut(DType::I32, count, index, exact(), part(0))
      .out(DType::I32, s.n, exact(), part(count))
      .value(kSteps)
      .value(s.inner)
      .with("STEP", s.step)
      .with("N", s.n)
      .warps(s.warps);
}

void addProgramOrder(Cases &cases, const std::string &variant, int64_t n, int warps) {
  auto add = [&](const char *kernel) -> Case & {
    return cases.add(kFamily, kFile, kernel, variant).warps(warps).with("N", n);
  };
  add("reversed_in_place").inOut(DType::I32, n, index, exact(), each([n](const Inputs &, int64_t i) {
                                   return n - 1 - i;
                                 }));
  add("read_back_reversed")
      .in(DType::I32, n, index)
      .out(DType::I32, n, exact(), each([](const Inputs &, int64_t i) { return i; }))
      .out(DType::I32, n, exact(), each([n](const Inputs &, int64_t i) { return n - 1 - i; }));
  add("counter")
      .inOut(DType::I32, 1, index, exact(), each([](const Inputs &, int64_t) { return 10; }))
      .out(DType::I32, n, exact(), each([](const Inputs &, int64_t) { return 55; }))
      .value(10);
  add("copies_in_place")
      .inOut(DType::I32, n, index, exact(), each([](const Inputs &, int64_t i) { return i + 8; }))
      .out(DType::I32, 1024, exact(), each([n](const Inputs &, int64_t) { return n * (n - 1) / 2 + 7 * n; }))
      .with("M", 1024);
  add("shifted_rounds")
      .inOut(DType::I32, n, index, exact(), each([n](const Inputs &, int64_t i) { return (i + 7) % n; }))
      .value(7);
  for (int64_t taken : {0, 1})
    cases.add(kFamily, kFile, "branch_between", variant + ",taken=" + std::to_string(taken))
        .warps(warps)
        .with("N", n)
        .inOut(DType::I32, n, index, exact(),
               each([n, taken](const Inputs &, int64_t i) { return 2 * (taken ? n - 1 - (i ^ 1) : i ^ 1); }))
        .value(taken);
  add("atomic_then_load")
      .inOut(DType::I32, 16, index, exact(), each([n](const Inputs &, int64_t i) { return i + n / 16; }))
      .out(DType::I32, n, exact(), each([n](const Inputs &, int64_t i) { return (n - 1 - i) % 16 + n / 16; }))
      .with("M", 16);
  for (int64_t step : {int64_t(0), int64_t(1), int64_t(5), n / 2, n})
    for (int64_t inner : {0, 2})
      addMoving(cases, variant, {n, step, inner, warps});
  add("moving_counts")
      .inOut(DType::I32, 16, index, exact(), each([n](const Inputs &, int64_t i) { return i + 3 * n / 16; }))
      .out(DType::I32, n, exact(), each([n](const Inputs &, int64_t i) {
             Number total = 0;
             for (int64_t k = 0; k < 3; ++k)
               total += (i + k) % 16 + (k + 1) * n / 16;
             return total;
           }))
      .value(3)
      .with("M", 16);
  BufferSpec table{
      .type = DType::I32, .count = n, .fill = index, .output = true, .expected = each([](const Inputs &, int64_t i) {
                                                                       return 3 * i;
                                                                     })};
  add("through_table")
      .pointers({table})
      .out(DType::I32, n, exact(), each([n](const Inputs &, int64_t i) { return 3 * (n - 1 - i); }))
      .value(0);
}

} // namespace effects_family

void addEffects(Cases &cases) {
  using namespace effects_family;
  addPrints(cases);
  addAssertions(cases);
  addProgramOrder(cases, "n=1024,w=4", 1024, 4);
  addProgramOrder(cases, "n=64,w=8", 64, 8);
  addProgramOrder(cases, "n=256,w=1", 256, 1);
}

} // namespace tegula::conformance
