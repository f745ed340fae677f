// Types as values: each kernel leaves a number that its queries add up to.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace types_family {

const std::string kFamily = "types", kFile = "types.py";

Reference numbers(std::vector<Number> values) {
  return each([values = std::move(values)](const Inputs &, int64_t i) { return values.at(size_t(i)); });
}

void addQueries(Cases &cases) {
  // Digits from the right: the type of a loaded element, its kind, the pointer's element type, a scalar's type; the
  // kernel asks for f16.
  for (auto [type, answers] : {std::pair{DType::F16, 1111}, {DType::F32, 10}, {DType::I32, 0}})
    cases.add(kFamily, kFile, "type_queries", named(type))
        .in(type, 1, constant(1))
        .out(DType::I32, 1, exact(), numbers({Number(answers)}))
        .warps(1);
  struct Row {
    const char *kernel;
    int answers;
  };
  // Four instances, a digit for each; five types that have a name, and a tensor that is not a descriptor, which is 10.
  for (const Row &row : {Row{"instances", 1111}, Row{"names_of_types", 5 + 10}})
    for (int64_t n : {8, 256})
      cases.add(kFamily, kFile, row.kernel, "n=" + std::to_string(n))
          .in(DType::F32, n, whole(-9, 9))
          .out(DType::I32, 1, exact(), numbers({Number(row.answers)}))
          .with("N", n)
          .warps(2);
}

void addNames(Cases &cases) {
  constexpr int kSigned = 1 + 8 + 16 + 32 + 64, kUnsigned = 8 + 16 + 32 + 64, kFloats = 16 + 32 + 64 + 16, kFp8 = 4 * 8;
  for (int64_t n : {8, 512})
    cases.add(kFamily, kFile, "every_type", "n=" + std::to_string(n))
        .out(DType::I32, n, exact(),
             each([](const Inputs &, int64_t i) { return i + kSigned + kUnsigned + kFloats + kFp8; }))
        .with("N", n)
        .warps(2);
  for (auto [type, value] : {std::pair{DType::I8, 1}, {DType::F16, 2}, {DType::I64, 2}})
    cases.add(kFamily, kFile, "type_as_constant", named(type))
        .out(type, 64, exact(), each([value = value](const Inputs &, int64_t) { return value; }))
        .with("N", 64)
        .with("TYPE", type)
        .warps(2);
  cases.add(kFamily, kFile, "limits", "i32").out(DType::I32, 1, exact(), numbers({1 << 20})).warps(1);
}

void addVariables(Cases &cases) {
  cases.add(kFamily, kFile, "tuple_slices", "i32")
      .out(DType::I32, 2, exact(), numbers({(20 + 30 + 40) + 40 + 20, 20 + 30}))
      .warps(1);
  for (int64_t n : {8, 256})
    cases.add(kFamily, kFile, "annotated_locals", "n=" + std::to_string(n))
        .in(DType::F32, 2 * n, whole(-90, 90))
        .out(DType::F32, 2 * n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) / 2 + in(0, 0); }))
        .with("N", n)
        .warps(4);
}

} // namespace types_family

void addTypes(Cases &cases) {
  using namespace types_family;
  addQueries(cases);
  addNames(cases);
  addVariables(cases);
}

} // namespace tegula::conformance
