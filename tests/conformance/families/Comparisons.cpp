// Comparisons of every type, over pairs of special values: NaN is equal to nothing, zeros of both signs are equal.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace comparisons_family {

struct Row {
  const char *kernel;
  bool (*holds)(Number, Number);
};

constexpr Row kRows[] = {
    {"equal", [](Number x, Number y) { return x == y; }},  {"not_equal", [](Number x, Number y) { return x != y; }},
    {"less", [](Number x, Number y) { return x < y; }},    {"less_equal", [](Number x, Number y) { return x <= y; }},
    {"greater", [](Number x, Number y) { return x > y; }}, {"greater_equal", [](Number x, Number y) { return x >= y; }},
};

} // namespace comparisons_family

void addComparisons(Cases &cases) {
  using namespace comparisons_family;
  size_t turn = 0;
  for (const Row &row : kRows)
    for (DType type : kAllNumbers) {
      Extent e = turn++ % 3 ? Extent{1000, 256, 4}
                            : extent(turn % 7); // not the single element: true is what i1 outputs hold before
      // The truth value is stored as one, and widened by the store.
      DType result = turn % 2 ? DType::I1 : DType::I32;
      cases.add("elementwise", "compare.py", row.kernel, named(type) + "->" + named(result) + "," + e.text())
          .in(type, e.n, special())
          .in(type, e.n, special(specialCount(type)))
          .out(result, e.n, exact(),
               each([&row](const Inputs &in, int64_t i) { return Number(row.holds(in(0, i), in(1, i))); }))
          .value(e.n)
          .with("BLOCK", e.block)
          .grid(e.programs())
          .warps(e.warps);
    }
}

} // namespace tegula::conformance
