// Bits of integers, and truth values.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace bits_family {

const std::string kFamily = "elementwise", kFile = "bits.py";

/// `f` on the bits of x and y, sign-extended to 64.
Reference onBits(DType type, std::function<uint64_t(uint64_t, uint64_t)> f) {
  return each([type, f = std::move(f)](const Inputs &in, int64_t i) {
    return decode(type, f(encode(type, in(0, i)), encode(type, in(1, i))));
  });
}

void addBinary(Cases &cases, const std::string &kernel, DType type, Extent e, Fill y,
               std::function<uint64_t(uint64_t, uint64_t)> f) {
  cases.add(kFamily, kFile, kernel, named(type) + "," + e.text())
      .in(type, e.n, special())
      .in(type, e.n, std::move(y))
      .out(type, e.n, exact(), onBits(type, std::move(f)))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

} // namespace bits_family

void addBits(Cases &cases) {
  using namespace bits_family;
  size_t turn = 0;
  for (DType type :
       {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64}) {
    Fill other = special(specialCount(type));
    addBinary(cases, "bit_and", type, extent(turn++), other, [](uint64_t x, uint64_t y) { return x & y; });
    addBinary(cases, "bit_or", type, extent(turn++), other, [](uint64_t x, uint64_t y) { return x | y; });
    addBinary(cases, "bit_xor", type, extent(turn++), other, [](uint64_t x, uint64_t y) { return x ^ y; });
    Extent e = extent(turn++);
    cases.add(kFamily, kFile, "bit_not", named(type) + "," + e.text())
        .in(type, e.n, special())
        .out(type, e.n, exact(), each([type](const Inputs &in, int64_t i) {
               return type == DType::I1 ? 1 - in(0, i) : decode(type, ~encode(type, in(0, i)));
             }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
    if (type == DType::I1)
      continue;
    Fill amount = whole(0, bitsOf(type) - 1);
    addBinary(cases, "shift_left", type, extent(turn++), amount, [](uint64_t x, uint64_t y) { return x << y; });
    addBinary(cases, "shift_right", type, extent(turn++), amount, [type](uint64_t x, uint64_t y) {
      return isSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(x) >> y) : x >> y;
    });
  }
  for (int by : {1, 7, 16, 31}) {
    Extent e = extent(turn++);
    cases.add(kFamily, kFile, "rotate", "by=" + std::to_string(by) + "," + e.text())
        .in(DType::U32, e.n, anyBits())
        .out(DType::U32, e.n, exact(), each([by](const Inputs &in, int64_t i) {
               uint32_t x = static_cast<uint32_t>(in(0, i));
               return static_cast<Number>(x << by | x >> (32 - by));
             }))
        .value(e.n)
        .with("BY", by)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
  for (size_t shape = 0; shape < 3; ++shape) {
    Extent e = extent(shape);
    cases.add(kFamily, kFile, "truth", e.text())
        .in(DType::I1, e.n, booleans())
        .in(DType::I1, e.n, booleans())
        .out(DType::I32, e.n, exact(), each([](const Inputs &in, int64_t i) {
               bool x = in(0, i) != 0, y = in(1, i) != 0;
               return Number((x && y) + 2 * (x || y) + 4 * (x != y) + 8 * !x);
             }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
}

} // namespace tegula::conformance
