// Functions of libdevice by the symbols of device libraries: tl.core.extern_elementwise.
#include "tests/conformance/families/LibdeviceCases.h"

#include <bit>
#include <cmath>

namespace tegula::conformance {

namespace libdevice_extern {

using libdevice_cases::vector;

/// The upper half of a product of integers of `bits` bits, signed or not, as the bits of an element of `type`.
Number upperHalf(DType type, bool isSigned, Number x, Number y) {
  int bits = static_cast<int>(bitsOf(type));
  uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  auto value = [&](Number number) -> __int128 {
    uint64_t word = encode(type, number) & mask;
    bool isNegative = isSigned && word >> (bits - 1);
    return static_cast<__int128>(word) - (isNegative ? static_cast<__int128>(1) << bits : 0);
  };
  // The lower 128 bits of the product are right even where the unsigned one exceeds a signed number of 128 bits.
  auto product = static_cast<unsigned __int128>(value(x)) * static_cast<unsigned __int128>(value(y));
  return decode(type, static_cast<uint64_t>(product >> bits) & mask);
}

void addFloats(Cases &cases, size_t &turn) {
  for (DType type : {DType::F32, DType::F64}) {
    Extent e = extent(turn++);
    vector(cases, "extern_floats", named(type), e)
        .in(type, e.n, reals(-9, 9))
        .in(type, e.n,
            only(
                reals(-7, 7), [](Number y) { return std::abs(y) > 0.01L; }, 3))
        .out(type, e.n, ulps(4), each([](const Inputs &in, int64_t i) { return std::tanh(in(0, i)); }))
        .out(type, 4 * e.n, exact(),
             [n = e.n](const Inputs &in, int64_t) {
               Expected out;
               for (int64_t i = 0; i < n; ++i)
                 out.push_back(std::fmod(in(0, i), in(1, i)));
               for (int64_t i = 0; i < n; ++i)
                 out.push_back(std::fmod(in(0, i), in(1, 0)));
               for (int64_t i = 0; i < n; ++i)
                 out.push_back(in(0, i) * 8);
               for (int64_t i = 0; i < n; ++i)
                 out.push_back(in(1, i) <= 0);
               return out;
             })
        .value(e.n);
  }
}

void addPromoted(Cases &cases, size_t &turn) {
  for (int i = 0; i < 2; ++i) {
    Extent e = extent(turn++);
    vector(cases, "extern_promoted", "f16 and f32", e)
        .in(DType::F16, e.n, reals(-9, 9))
        .in(DType::F32, e.n, reals(-9, 9))
        .out(DType::F32, e.n, exact(), each([](const Inputs &in, int64_t i) { return std::max(in(0, i), in(1, i)); }))
        .out(DType::I32, e.n, exact(), each([](const Inputs &in, int64_t i) { return std::floor(in(1, i)); }))
        .value(e.n);
  }
}

void addIntegers(Cases &cases, size_t &turn) {
  struct Row {
    DType type;
    bool counts, isSigned; // __nv_popc, else __nv_clz; the sign of the symbol of the product
  };
  for (Row row : {Row{DType::I32, false, false}, Row{DType::U32, true, true}, Row{DType::I64, false, true},
                  Row{DType::U64, true, false}}) {
    Extent e = extent(turn++);
    int bits = static_cast<int>(bitsOf(row.type));
    vector(cases, "extern_integers", named(row.type), e)
        .in(row.type, e.n, special())
        .in(row.type, e.n, anyBits())
        .out(DType::I32, e.n, exact(), each([row, bits](const Inputs &in, int64_t i) -> Number {
               uint64_t x = encode(row.type, in(0, i)) & (bits == 64 ? ~0ull : (1ull << bits) - 1);
               return row.counts ? std::popcount(x) : std::countl_zero(x) - (64 - bits);
             }))
        .out(row.type, e.n, exact(),
             each([row](const Inputs &in, int64_t i) { return upperHalf(row.type, row.isSigned, in(0, i), in(1, i)); }))
        .value(e.n);
  }
}

} // namespace libdevice_extern

void addLibdeviceExtern(Cases &cases) {
  size_t turn = 0;
  libdevice_extern::addFloats(cases, turn);
  libdevice_extern::addPromoted(cases, turn);
  libdevice_extern::addIntegers(cases, turn);
}

} // namespace tegula::conformance
