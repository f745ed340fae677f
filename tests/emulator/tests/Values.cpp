#include "tests/emulator/tests/Values.h"

#include <cmath>
#include <sstream>

namespace tegula::emulator::test {
namespace {

template <class T> uint64_t bitsOf(double value) { return TypeOf<T>::bits(T(value)); }

template <class T> uint64_t anyFloat(Random &random) {
  using Limits = std::numeric_limits<float>;
  constexpr unsigned kBits = 8 * sizeof(T), kDigits = kBits == 64 ? 52 : kBits == 32 ? 23 : 10;
  constexpr uint64_t kSign = uint64_t(1) << (kBits - 1), kOne = uint64_t(1) << kDigits, kInfinity = kSign - kOne;
  static const std::vector<uint64_t> special = {
      0,
      bitsOf<T>(1),
      bitsOf<T>(0.5),
      bitsOf<T>(2),
      bitsOf<T>(3.5),
      bitsOf<T>(4),
      bitsOf<T>(0.15915494309189532),
      kInfinity,
      kInfinity | kOne >> 1,     // quiet
      kInfinity | kOne >> 1 | 5, // the same with a payload
      1,                         // the least denormal number
      kOne - 1,                  // the greatest
      kOne,                      // the least normal number
      kInfinity - 1,             // the greatest finite number
      bitsOf<T>(1) + 1,          // beside 1
      bitsOf<T>(1) - 1,
      bitsOf<T>(2.5),
      bitsOf<T>(1.5),
      bitsOf<T>(32768),
      bitsOf<T>(65504),
      bitsOf<T>(kBits > 16 ? 65520 : 255),  // rounds to infinity in f16
      bitsOf<T>(kBits > 16 ? 0x1p31 : 256), // beyond i32
      bitsOf<T>(kBits > 16 ? 0x1p32 : 448),
      bitsOf<T>(kBits > 16 ? 4294967295.0 : 464),
      bitsOf<T>(kBits > 16 ? 0x1p-24 : 0x1p-8),
      bitsOf<T>(kBits > 16 ? double(Limits::denorm_min()) : 0x1p-10),
  };
  uint64_t sign = chance(random, 2) ? kSign : 0;
  switch (below(random, 4)) {
  case 0:
  case 1: return special[random() % special.size()] | sign;
  case 2: return bitsOf<T>(std::ldexp(double(random()), -int(below(random, 48)))) | sign;
  default: {
    uint64_t bits = random64(random) & (kSign | (kSign - 1));
    return (bits & kInfinity) == kInfinity ? bits | kOne >> 1 : bits; // no signalling NaN
  }
  }
}

uint64_t anyInteger(unsigned bits, Random &random) {
  static const uint64_t special[] = {0,        1,        2,        3,          7,          8,          15,
                                     16,       31,       32,       33,         63,         64,         65,
                                     0x7f,     0x80,     0xff,     0x7fff,     0x8000,     0xffff,     0x10000,
                                     0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000};
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  switch (below(random, 6)) {
  case 0:
  case 1: return special[random() % std::size(special)] & mask;
  case 2: return (0 - special[random() % std::size(special)]) & mask;
  case 3: return random() % 70 & mask;
  case 4: return (mask >> 1) + random() % 2;
  default: return random64(random) & mask;
  }
}

} // namespace

uint64_t anyValue(const Type &type, Random &random) {
  if (type.kind == Class::Mask)
    return random() & 1;
  if (type.kind == Class::Integer)
    return anyInteger(type.bits, random);
  uint64_t bits = type.bits == 64   ? anyFloat<double>(random)
                  : type.bits == 32 ? anyFloat<float>(random)
                                    : anyFloat<_Float16>(random);
  if (type.kind == Class::Raw && isNan(bits, type.bits) && chance(random, 2)) // signalling
    bits = (bits & ~(uint64_t(1) << (type.bits == 64 ? 51 : type.bits == 32 ? 22 : 9))) | 1;
  return bits;
}

_Float16 toHalf(__float128 exact, int rest) {
  __float128 size = exact < 0 ? -exact : exact;
  bool negative = exact < 0 || (exact == 0 && std::signbit(double(exact)));
  int outwards = negative ? -rest : rest;
  if (!(size < 65520 || (size == 65520 && outwards < 0))) // halfway to what would be the next number; also of NaN
    return _Float16(double(exact));
  unsigned below = 0; // the greatest code that is not above
  for (unsigned bit = 0x4000; bit; bit /= 2)
    if ((below | bit) <= 0x7bff && __float128(double(TypeOf<_Float16>::from(below | bit))) <= size)
      below |= bit;
  __float128 low = double(TypeOf<_Float16>::from(below));
  __float128 high = below == 0x7bff ? __float128(65536) : __float128(double(TypeOf<_Float16>::from(below + 1)));
  bool isTie = size - low == high - size;
  if (isTie ? outwards > 0 || (outwards == 0 && below % 2) : size - low > high - size)
    ++below;
  return TypeOf<_Float16>::from(below | (negative ? 0x8000 : 0));
}

double asDouble(uint64_t bits, unsigned width) {
  if (width == 64)
    return std::bit_cast<double>(bits);
  return width == 32 ? double(std::bit_cast<float>(uint32_t(bits))) : double(std::bit_cast<_Float16>(uint16_t(bits)));
}

bool isNan(uint64_t bits, unsigned width) { return std::isnan(asDouble(bits, width)); }

std::vector<std::string> words(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; stream >> part;)
    parts.push_back(part);
  return parts;
}

} // namespace tegula::emulator::test
