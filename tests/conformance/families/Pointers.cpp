// Pointers as values: in memory, made from integers, and integers made from them.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace pointers_family {

const std::string kFamily = "memory", kFile = "memory.py";
constexpr DType kTypes[] = {DType::I8, DType::F16, DType::F32, DType::I64};

struct Size {
  int64_t n;
  int warps;
  std::string text() const { return "n=" + std::to_string(n) + ",w=" + std::to_string(warps); }
};

void addTables(Cases &cases) {
  for (DType type : kTypes) {
    std::vector<BufferSpec> targets;
    for (int k = 0; k < 3; ++k)
      targets.push_back({type, 64, iota(30 * k)});
    cases.add(kFamily, kFile, "pointer_table", named(type))
        .pointers(targets)
        .out(type, 192, exact(),
             each([](const Inputs &in, int64_t i) { return in(static_cast<size_t>(i / 64), i % 64); }))
        .with("N", 64)
        .grid(3)
        .warps(2);
  }
  std::vector<BufferSpec> targets;
  for (int k = 0; k < 8; ++k)
    targets.push_back({DType::I32, 4, constant(1000 + k)});
  cases.add(kFamily, kFile, "pointer_tile", "i32")
      .pointers(targets)
      .out(DType::I32, 8, exact(), each([](const Inputs &, int64_t i) { return 1000 + i; }))
      .with("COUNT", 8)
      .warps(1);
}

/// Integers as pointers: rows of results as the kernel stores them.
void addValues(Cases &cases) {
  for (DType type : {DType::I8, DType::I16, DType::F32, DType::I64})
    for (Size s : {Size{64, 1}, Size{256, 4}})
      for (int64_t rounds : {1, 3}) {
        auto bytes = static_cast<int64_t>(byteSize(type));
        auto row = [=](const Inputs &in, int64_t i) -> Number {
          int64_t at = i % s.n, turned = at % (s.n / 4) * 4 + at / (s.n / 4);
          bool first = in(2, at) != 0;
          auto chosen = [&](int64_t k) { return in(2, k) != 0 ? in(0, k) : in(1, k); };
          switch (i / s.n) {
          case 0: return chosen(at);
          case 1: return chosen(at) + (at + 3 * rounds) * bytes;
          case 2: return first ? rounds * bytes : in(0, at);
          case 3: return rounds > 2 ? in(1, at) : at * bytes;
          case 4: return chosen(turned) + 1;
          default: return in(0, 1) + (rounds > 2 ? 2 : 1) * bytes;
          }
        };
        cases.add(kFamily, kFile, "pointer_values", named(type) + "," + s.text() + ",rounds=" + std::to_string(rounds))
            .in(DType::I64, s.n, iota(1001))
            .in(DType::I64, s.n, iota(-7000))
            .in(DType::I1, s.n, booleans())
            .in(type, s.n, anyBits())
            .out(DType::I64, 6 * s.n, exact(), each(row))
            .value(rounds)
            .with("N", s.n)
            .warps(s.warps);
      }
  for (DType type : kTypes)
    for (size_t turn = 0; turn < 3; ++turn) {
      Extent e = extent(turn);
      cases.add(kFamily, kFile, "pointer_round_trip", named(type) + "," + e.text())
          .in(type, e.n, anyBits())
          .out(type, e.n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
          .value(e.n)
          .with("BLOCK", e.block)
          .grid(e.programs())
          .warps(e.warps);
    }
}

} // namespace pointers_family

void addPointers(Cases &cases) {
  using namespace pointers_family;
  addTables(cases);
  addValues(cases);
}

} // namespace tegula::conformance
