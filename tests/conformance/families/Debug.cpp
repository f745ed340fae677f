// What kernels print, line by line, and assertions that hold and fail.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace debug_family {

const std::string kFamily = "debug", kFile = "debug.py";

std::string pid(int64_t program) { return "pid (" + std::to_string(program) + ", 0, 0) "; }
/// Indices stand in columns as wide as the largest.
std::string index(int64_t i, int64_t extent) {
  std::string text = std::to_string(i), last = std::to_string(extent - 1);
  return std::string(last.size() - text.size(), ' ') + text;
}

} // namespace debug_family

void addDebug(Cases &cases) {
  using namespace debug_family;
  for (DType type : {DType::I32, DType::I8, DType::U32, DType::I64})
    for (auto [n, programs, warps] : {std::tuple{4, 1, 1}, {64, 3, 2}, {16, 2, 4}}) {
      Case &made = cases.add(kFamily, kFile, "print_tensor", named(type) + ",n=" + std::to_string(n))
                       .in(type, n * programs, iota(2))
                       .with("N", n)
                       .grid(programs)
                       .warps(warps);
      made.printed.emplace();
      for (int64_t p = 0; p < programs; ++p)
        for (int64_t i = 0; i < n; ++i) {
          int64_t value = static_cast<int64_t>(rounded(type, p * n + i + 2));
          made.printed->push_back(pid(p) + "idx (" + index(i, n) + ") value: " + std::to_string(value));
        }
    }
  // The decimal text of floats is the CPU backend's.
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::BF16})
    cases.add(kFamily, kFile, "print_tensor", named(type)).in(type, 32, reals(-100, 100)).with("N", 32).warps(1);
  for (auto [m, n] : {std::pair{2, 2}, {4, 16}}) {
    Case &made = cases.add(kFamily, kFile, "print_tile", std::to_string(m) + "x" + std::to_string(n))
                     .in(DType::I32, m * n, iota())
                     .with("M", m)
                     .with("N", n)
                     .warps(2);
    made.printed.emplace();
    for (int64_t i = 0; i < m * n; ++i)
      made.printed->push_back(pid(0) + "idx (" + index(i / n, m) + ", " + index(i % n, n) +
                              ") tile: " + std::to_string(i));
  }
  Case &scalar =
      cases.add(kFamily, kFile, "print_scalar", "i32").in(DType::I32, 64, iota()).with("N", 64).grid(2).warps(2);
  scalar.printed.emplace();
  for (int64_t p = 0; p < 2; ++p) {
    scalar.printed->push_back(pid(p) + "idx () largest: (operand 0) 63");
    scalar.printed->push_back(pid(p) + "idx () largest: (operand 1) " + std::to_string(p));
    scalar.printed->push_back(pid(p) + "done");
  }
  Case &statement = cases.add(kFamily, kFile, "print_statement", "f32")
                        .in(DType::F32, 4, listed({1, 2.5L, -3, 4}))
                        .with("N", 4)
                        .warps(1);
  statement.printed = {pid(0) + "idx (0) value: 1.000000", pid(0) + "idx (1) value: 2.500000",
                       pid(0) + "idx (2) value: -3.000000", pid(0) + "idx (3) value: 4.000000",
                       pid(0) + "idx () largest: 4.000000"};
  Case &some = cases.add(kFamily, kFile, "print_some", "i32").in(DType::I32, 4, iota()).with("N", 4).grid(5).warps(1);
  some.printed.emplace();
  for (int64_t i = 0; i < 4; ++i)
    some.printed->push_back(pid(2) + "idx (" + std::to_string(i) + ") third: " + std::to_string(i));
  Case &hex = cases.add(kFamily, kFile, "print_hex", "i32").in(DType::I32, 2, listed({255, -2})).with("N", 2).warps(1);
  hex.printed = {pid(0) + "idx (0) bits: 0x000000ff", pid(0) + "idx (1) bits: 0xfffffffe"};
  Case &both = cases.add(kFamily, kFile, "print_and_store", "f32")
                   .in(DType::F32, 96, whole(-9, 9))
                   .out(DType::F32, 96, exactAnyZero(), each([](const Inputs &in, int64_t i) { return 4 * in(0, i); }))
                   .with("N", 32)
                   .grid(3)
                   .warps(1);
  both.printed.emplace();
  for (int64_t p = 0; p < 3; ++p)
    for (int64_t k = 0; k < 2; ++k)
      both.printed->push_back(pid(p) + "idx () round: " + std::to_string(k));

  for (bool good : {true, false}) {
    Case &tensor = cases.add(kFamily, kFile, "assert_true", good ? "holds" : "fails")
                       .in(DType::F32, 64, byIndex([good](int64_t i) { return !good && i == 37 ? -1 : i + 1; }))
                       .out(DType::F32, 64, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
                       .with("N", 64)
                       .with("debug", true)
                       .warps(2);
    Case &statement = cases.add(kFamily, kFile, "assert_statement", good ? "holds" : "fails")
                          .in(DType::I32, 1, constant(good ? 12 : 13))
                          .out(DType::I32, 1, exact(), each([](const Inputs &in, int64_t) { return in(0, 0); }))
                          .with("debug", true)
                          .warps(1);
    if (!good) {
      tensor.fault = "x must be positive";
      statement.fault = "thirteen is not wanted";
    }
  }
}

} // namespace tegula::conformance
