#include "tests/emulator/tests/Vectors.h"

#include <gtest/gtest.h>

namespace tegula::emulator::test {
namespace {

/// How two numbers compare: one of these bits. A condition is a set of them.
enum : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

template <class T> unsigned orderOf(T a, T b) {
  return a < b ? kLess : a == b ? kEqual : a > b ? kGreater : kUnordered;
}

struct Condition {
  const char *name;
  unsigned holds;
};
const Condition kFloats[] = {
    {"f", 0},
    {"lt", kLess},
    {"eq", kEqual},
    {"le", kLess | kEqual},
    {"gt", kGreater},
    {"lg", kLess | kGreater},
    {"ge", kGreater | kEqual},
    {"o", kLess | kEqual | kGreater},
    {"u", kUnordered},
    {"nge", kLess | kUnordered},
    {"nlg", kEqual | kUnordered},
    {"ngt", kLess | kEqual | kUnordered},
    {"nle", kGreater | kUnordered},
    {"neq", kLess | kGreater | kUnordered},
    {"nlt", kEqual | kGreater | kUnordered},
    {"t", 15},
    {"tru", 15},
};
const Condition kIntegers[] = {
    {"f", 0},
    {"lt", kLess},
    {"eq", kEqual},
    {"le", kLess | kEqual},
    {"gt", kGreater},
    {"ne", kLess | kGreater},
    {"ge", kGreater | kEqual},
    {"t", 15},
};

template <class T> void add(std::vector<Row> &rows, const std::string &type, std::span<const Condition> conditions) {
  for (const Condition &c : conditions)
    for (const char *begin : {"v_cmp_", "v_cmpx_"})
      rows.push_back(row(std::string(begin) + c.name + "_" + type,
                         [holds = c.holds](T a, T b) { return (orderOf<T>(a, b) & holds) != 0; }));
}

/// Bits of the second operand: signalling and quiet NaN; -infinity, normal, denormal, zero; the same from +zero up.
template <class T> void addClasses(std::vector<Row> &rows) {
  constexpr unsigned kBits = 8 * sizeof(T), kDigits = kBits == 64 ? 52 : kBits == 32 ? 23 : 10;
  std::string type = "_f" + std::to_string(kBits);
  auto model = [](Raw<T> a, uint32_t classes) {
    uint64_t fraction = a.bits & ((uint64_t(1) << kDigits) - 1), most = (1u << (kBits - 1 - kDigits)) - 1,
             exponent = a.bits >> kDigits & most;
    bool negative = a.bits >> (kBits - 1) & 1;
    if (exponent == most && fraction)
      return bool(classes >> (fraction >> (kDigits - 1)) & 1);
    unsigned size = exponent == most ? 3 : exponent ? 2 : fraction ? 1 : 0; // zero, denormal, normal, infinite
    return bool(classes >> (negative ? 5 - size : 6 + size) & 1);
  };
  rows.push_back(row("v_cmp_class" + type, model));
  rows.push_back(row("v_cmpx_class" + type, model));
}

TEST(Comparison, Floats) {
  std::vector<Row> rows;
  add<_Float16>(rows, "f16", kFloats);
  add<float>(rows, "f32", kFloats);
  add<double>(rows, "f64", kFloats);
  addClasses<_Float16>(rows);
  addClasses<float>(rows);
  addClasses<double>(rows);
  checkRows(rows);
}

TEST(Comparison, Integers) {
  std::vector<Row> rows;
  add<int16_t>(rows, "i16", kIntegers);
  add<uint16_t>(rows, "u16", kIntegers);
  add<int32_t>(rows, "i32", kIntegers);
  add<uint32_t>(rows, "u32", kIntegers);
  add<int64_t>(rows, "i64", kIntegers);
  add<uint64_t>(rows, "u64", kIntegers);
  checkRows(rows);
}

} // namespace
} // namespace tegula::emulator::test
