// Functions of libdevice on bits and integers.
#include "tests/conformance/families/LibdeviceCases.h"

#include <bit>
#include <cmath>

namespace tegula::conformance {

namespace libdevice_integers {

using libdevice_cases::vector;

void addIntegers(Cases &cases) {
  size_t turn = 0;
  for (DType type : {DType::I32, DType::I64, DType::U32, DType::U64}) {
    Extent e = extent(turn++);
    int bits = static_cast<int>(bitsOf(type));
    auto word = [type](Number x) { return encode(type, x); };
    vector(cases, "bits", named(type), e)
        .in(type, e.n, special())
        .in(type, e.n, anyBits())
        .out(type, 7 * e.n, exact(),
             [=](const Inputs &in, int64_t) {
               Expected out;
               for (int part = 0; part < 7; ++part)
                 for (int64_t i = 0; i < e.n; ++i) {
                   Number nx = in(0, i), ny = in(1, i);
                   uint64_t x = word(nx) & (bits == 64 ? ~0ull : 0xffffffffull), reversed = 0;
                   for (int b = 0; b < bits; ++b)
                     reversed |= (x >> b & 1) << (bits - 1 - b);
                   using Wide = __int128;
                   uint64_t high = 0;
                   if (isSigned(type))
                     high = static_cast<uint64_t>(
                         static_cast<Wide>(static_cast<int64_t>(nx)) * static_cast<int64_t>(ny) >> bits);
                   else
                     high = static_cast<uint64_t>(
                         static_cast<unsigned __int128>(static_cast<uint64_t>(nx)) * static_cast<uint64_t>(ny) >> bits);
                   switch (part) {
                   case 0: out.push_back(std::popcount(x)); break;
                   case 1: out.push_back(std::countl_zero(x) - (64 - bits)); break;
                   case 2: out.push_back(x == 0 ? 0 : std::countr_zero(x) + 1); break;
                   case 3: out.push_back(decode(type, reversed)); break;
                   case 4: out.push_back(decode(type, high)); break;
                   default: {
                     Number odd = std::fmod(nx, 2.0L) != 0 && std::fmod(ny, 2.0L) != 0;
                     Number floors = std::floor(nx / 2) + std::floor(ny / 2);
                     bool one = std::fmod(nx, 2.0L) != 0 || std::fmod(ny, 2.0L) != 0;
                     out.push_back(floors + (odd ? 1 : one && part == 6 ? 1 : 0));
                   }
                   }
                 }
               return out;
             })
        .value(e.n);
  }
  Extent e = extent(turn++);
  vector(cases, "words", "i32", e)
      .in(DType::I32, e.n, anyBits())
      .in(DType::I32, e.n, anyBits())
      .out(DType::I32, 6 * e.n, exact(),
           [n = e.n](const Inputs &in, int64_t) {
             Expected out;
             for (int part = 0; part < 6; ++part)
               for (int64_t i = 0; i < n; ++i) {
                 auto x = static_cast<int32_t>(in(0, i)), y = static_cast<int32_t>(in(1, i));
                 uint64_t both = static_cast<uint32_t>(x) | static_cast<uint64_t>(static_cast<uint32_t>(y)) << 32;
                 auto s = static_cast<uint32_t>(x ^ y);
                 uint32_t bytes = 0;
                 for (int k = 0; k < 4; ++k)
                   bytes |= static_cast<uint32_t>(both >> ((s >> (4 * k) & 7) * 8) & 255) << (8 * k);
                 auto low24 = [](int32_t v) {
                   return static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(v) << 8) >> 8);
                 };
                 int64_t apart = std::abs(static_cast<int64_t>(x) - y);
                 int32_t values[] = {static_cast<int32_t>(bytes),
                                     static_cast<int32_t>(low24(x) * low24(y)),
                                     static_cast<int32_t>(apart + y),
                                     x,
                                     y,
                                     x};
                 out.push_back(values[part]);
               }
             return out;
           })
      .value(e.n);
}

} // namespace libdevice_integers

void addLibdeviceIntegers(Cases &cases) { libdevice_integers::addIntegers(cases); }

} // namespace tegula::conformance
