// Vector instructions on integers and bits: arithmetic, shifts, moves, selects.
#include "tests/emulator/Wave.h"

#include <algorithm>
#include <limits>

namespace tegula::emulator {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

/// How lanes are read and written as numbers of a type.
template <class T> T read(const Wave &w, const Operand &o, unsigned lane) {
  if constexpr (sizeof(T) == 8)
    return T(w.b64(o, lane));
  else if constexpr (sizeof(T) == 4)
    return T(w.b32(o, lane));
  else
    return T(w.b16(o, lane));
}

template <class T> void write(Wave &w, const Instruction &i, unsigned lane, T value) {
  if constexpr (sizeof(T) == 8)
    w.setB64(i, lane, u64(value));
  else if constexpr (sizeof(T) == 4)
    w.setB32(i, lane, u32(value));
  else
    w.setB16(i, lane, u16(value));
}

template <class F, class R, class A> void unary(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { write<R>(w, i, l, R(F{}(read<A>(w, i.operands[1], l)))); });
}

template <class F, class R, class A, class B = A> void binary(Wave &w, const Instruction &i) {
  forLanes(w,
           [&](unsigned l) { write<R>(w, i, l, R(F{}(read<A>(w, i.operands[1], l), read<B>(w, i.operands[2], l)))); });
}

template <class F, class R, class A, class B = A, class C = A> void ternary(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    write<R>(w, i, l, R(F{}(read<A>(w, i.operands[1], l), read<B>(w, i.operands[2], l), read<C>(w, i.operands[3], l))));
  });
}

/// A sum or difference in 64 bits, saturated to the type where the instruction clamps.
template <class T, class F> void clamped(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    i64 exact = F{}(i64(read<T>(w, i.operands[1], l)), i64(read<T>(w, i.operands[2], l)));
    if (i.clamp)
      exact = std::clamp<i64>(exact, i64(std::numeric_limits<T>::min()), i64(std::numeric_limits<T>::max()));
    write<T>(w, i, l, T(exact));
  });
}

/// a * b + c, saturated likewise. The factors have type A; F gives what counts of them.
template <class T, class A = T, class F = decltype([](A a) { return a; })>
void clampedMad(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    i64 product = i64(F{}(read<A>(w, i.operands[1], l))) * i64(F{}(read<A>(w, i.operands[2], l)));
    i64 exact = product + i64(read<T>(w, i.operands[3], l)); // below 2^49: exact
    if (i.clamp)
      exact = std::clamp<i64>(exact, i64(std::numeric_limits<T>::min()), i64(std::numeric_limits<T>::max()));
    write<T>(w, i, l, T(exact));
  });
}

/// {vector, carry out, a, b[, carry in]}: sum or difference, and what did not fit.
template <bool subtracts, bool reversed, bool takesCarry> void carry(Wave &w, const Instruction &i) {
  u64 in = takesCarry ? w.mask(i.operands[4]) : 0, out = 0;
  forLanes(w, [&](unsigned l) {
    u64 a = w.b32(i.operands[reversed ? 3 : 2], l), b = w.b32(i.operands[reversed ? 2 : 3], l), c = in >> l & 1;
    u64 exact = subtracts ? a - b - c : a + b + c;
    out |= (exact >> 32 & 1) << l;
    w.setB32(i, l, u32(exact));
  });
  w.setMask(i.operands[1], out);
}

/// {64-bit vector, bit 64 of the sum, a, b, 64-bit c}: a * b + c.
template <class T, class W> void mad64(Wave &w, const Instruction &i) {
  u64 out = 0;
  forLanes(w, [&](unsigned l) {
    __int128 product = __int128(T(w.b32(i.operands[2], l))) * T(w.b32(i.operands[3], l));
    __int128 sum = product + W(w.b64(i.operands[4], l));
    out |= u64(sum >> 64 & 1) << l;
    w.setB64(i, l, u64(sum));
  });
  w.setMask(i.operands[1], out);
}

/// The bits of an f16 with its modifiers; a signalling NaN stays one.
u16 halfOf(const Wave &w, const Operand &o, unsigned lane) {
  u16 half = w.b16(o, lane);
  return u16((o.absolute ? half & 0x7fff : half) ^ (o.negate ? 0x8000 : 0));
}

void select32(Wave &w, const Instruction &i) {
  u64 mask = w.mask(i.operands[3]);
  forLanes(w, [&](unsigned l) {
    const Operand &from = i.operands[mask >> l & 1 ? 2 : 1];
    w.setB32(i, l, std::bit_cast<u32>(w.f32(from, l))); // the modifiers of floats apply
  });
}

void select16(Wave &w, const Instruction &i) {
  u64 mask = w.mask(i.operands[3]);
  forLanes(w, [&](unsigned l) { w.setB16(i, l, halfOf(w, i.operands[mask >> l & 1 ? 2 : 1], l)); });
}

void swap(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    u32 first = w.word(i.operands[0], l), second = w.word(i.operands[1], l);
    w.setWord(i.operands[0], l, second);
    w.setWord(i.operands[1], l, first);
  });
}

/// The lanes below this one whose bit is set, counted on top of the second operand.
template <bool upper> void countBelow(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    u64 below = upper ? (l > 32 ? (u64(1) << (l - 32)) - 1 : 0) : (l >= 32 ? 0xffffffff : (u64(1) << l) - 1);
    u32 mask = w.b32(i.operands[1], l);
    w.setB32(i, l, u32(std::popcount(mask & u32(below))) + w.b32(i.operands[2], l));
  });
}

/// Byte `selector` of the eight bytes a:b, or a constant. Source: the instruction V_PERM_B32.
u32 permutedByte(u64 both, u8 selector) {
  if (selector < 8)
    return u8(both >> 8 * selector);
  if (selector >= 13)
    return 0xff;
  if (selector == 12)
    return 0;
  unsigned bit = unsigned(selector - 8) * 16 + 15; // the sign of a half word
  return both >> bit & 1 ? 0xff : 0;
}

i32 from24(u32 x) { return i32(x << 8) >> 8; }
u32 leadingSigns(u32 x) { // bits from the top until one differs from the sign; -1 where none does
  u32 folded = i32(x) < 0 ? ~x : x;
  return folded == 0 ? ~0u : u32(std::countl_zero(folded));
}

/// The sum of the differences between `count` unsigned parts of `bits` bits. `masked`: not of parts that are 0 in b.
template <unsigned bits, unsigned count, bool masked = false> u32 differences(u32 a, u32 b) {
  constexpr u32 kPart = (1u << bits) - 1;
  u32 sum = 0;
  for (unsigned at = 0; at < count; ++at) {
    u32 x = a >> bits * at & kPart, y = b >> bits * at & kPart;
    if (!masked || y != 0)
      sum += x > y ? x - y : y - x;
  }
  return sum;
}

template <class T> T middle(T a, T b, T c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

void packHalves(Wave &w, const Instruction &i) {
  forLanes(w,
           [&](unsigned l) { w.setB32(i, l, halfOf(w, i.operands[1], l) | u32(halfOf(w, i.operands[2], l)) << 16); });
}

void addArithmetic(HandlerTable &t) {
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  using Add = decltype([](auto a, auto b) { return a + b; });
  using Sub = decltype([](auto a, auto b) { return a - b; });
  using Rev = decltype([](auto a, auto b) { return b - a; });
  using Mul = decltype([](auto a, auto b) { return u32(a) * u32(b); });
  add({"v_add_nc_u32", "v_add_u32"}, clamped<u32, Add>);
  add({"v_sub_nc_u32", "v_sub_u32"}, clamped<u32, Sub>);
  add({"v_subrev_nc_u32", "v_subrev_u32"}, clamped<u32, Rev>);
  add({"v_add_nc_i32", "v_add_i32"}, clamped<i32, Add>);
  add({"v_sub_nc_i32", "v_sub_i32"}, clamped<i32, Sub>);
  add({"v_add_nc_u16", "v_add_u16"}, clamped<u16, Add>);
  add({"v_sub_nc_u16", "v_sub_u16"}, clamped<u16, Sub>);
  add({"v_subrev_u16"}, clamped<u16, Rev>);
  add({"v_add_nc_i16", "v_add_i16"}, clamped<i16, Add>);
  add({"v_sub_nc_i16", "v_sub_i16"}, clamped<i16, Sub>);
  add({"v_mul_lo_u16"}, binary<Mul, u16, u16>);
  add({"v_mad_u16", "v_mad_legacy_u16"}, clampedMad<u16>);
  add({"v_mad_i16", "v_mad_legacy_i16"}, clampedMad<i16>);
  add({"v_add_co_u32"}, carry<false, false, false>);
  add({"v_sub_co_u32"}, carry<true, false, false>);
  add({"v_subrev_co_u32"}, carry<true, true, false>);
  add({"v_add_co_ci_u32", "v_addc_co_u32"}, carry<false, false, true>);
  add({"v_sub_co_ci_u32", "v_subb_co_u32"}, carry<true, false, true>);
  add({"v_subrev_co_ci_u32", "v_subbrev_co_u32"}, carry<true, true, true>);
  add({"v_mul_lo_u32"}, binary<Mul, u32, u32>);
  add({"v_mul_hi_u32"}, binary<decltype([](u64 a, u64 b) { return a * b >> 32; }), u32, u32>);
  add({"v_mul_hi_i32"}, binary<decltype([](i64 a, i64 b) { return a * b >> 32; }), u32, i32>);
  add({"v_mul_i32_i24"}, binary<decltype([](u32 a, u32 b) { return u32(from24(a)) * u32(from24(b)); }), u32, u32>);
  add({"v_mul_u32_u24"}, binary<decltype([](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }), u32, u32>);
  add({"v_mul_hi_i32_i24"},
      binary<decltype([](u32 a, u32 b) { return i64(from24(a)) * i64(from24(b)) >> 32; }), u32, u32>);
  add({"v_mul_hi_u32_u24"},
      binary<decltype([](u32 a, u32 b) { return u64(a & 0xffffff) * (b & 0xffffff) >> 32; }), u32, u32>);
  add({"v_mad_i32_i24"}, clampedMad<i32, u32, decltype([](u32 a) { return from24(a); })>);
  add({"v_mad_u32_u24"}, clampedMad<u32, u32, decltype([](u32 a) { return a & 0xffffff; })>);
  add({"v_mad_u32_u16"}, clampedMad<u32, u16>);
  add({"v_mad_i32_i16"}, clampedMad<i32, i16>);
  add({"v_mad_u64_u32", "v_mad_co_u64_u32"}, mad64<u32, u64>);
  add({"v_mad_i64_i32", "v_mad_co_i64_i32"}, mad64<i32, i64>);
  add({"v_add3_u32"}, ternary<decltype([](u32 a, u32 b, u32 c) { return a + b + c; }), u32, u32>);
  add({"v_sad_u32"}, ternary<decltype([](u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }), u32, u32>);
  add({"v_sad_u16"}, ternary<decltype([](u32 a, u32 b, u32 c) { return differences<16, 2>(a, b) + c; }), u32, u32>);
  add({"v_sad_u8"}, ternary<decltype([](u32 a, u32 b, u32 c) { return differences<8, 4>(a, b) + c; }), u32, u32>);
  add({"v_sad_hi_u8"},
      ternary<decltype([](u32 a, u32 b, u32 c) { return (differences<8, 4>(a, b) << 16) + c; }), u32, u32>);
  add({"v_msad_u8"},
      ternary<decltype([](u32 a, u32 b, u32 c) { return differences<8, 4, true>(a, b) + c; }), u32, u32>);
  using Min = decltype([](auto a, auto b) { return std::min(a, b); });
  using Max = decltype([](auto a, auto b) { return std::max(a, b); });
  using Min3 = decltype([](auto a, auto b, auto c) { return std::min(std::min(a, b), c); });
  using Max3 = decltype([](auto a, auto b, auto c) { return std::max(std::max(a, b), c); });
  using Med3 = decltype([](auto a, auto b, auto c) { return middle(a, b, c); });
  using MinMax = decltype([](auto a, auto b, auto c) { return std::max(std::min(a, b), c); });
  using MaxMin = decltype([](auto a, auto b, auto c) { return std::min(std::max(a, b), c); });
  auto ordered = [&]<class T>(T, const std::string &type) {
    t.emplace_back("v_min_" + type, binary<Min, T, T>);
    t.emplace_back("v_max_" + type, binary<Max, T, T>);
    t.emplace_back("v_min3_" + type, ternary<Min3, T, T>);
    t.emplace_back("v_max3_" + type, ternary<Max3, T, T>);
    t.emplace_back("v_med3_" + type, ternary<Med3, T, T>);
    if (sizeof(T) == 2)
      return;
    t.emplace_back("v_minmax_" + type, ternary<MinMax, T, T>);
    t.emplace_back("v_maxmin_" + type, ternary<MaxMin, T, T>);
  };
  ordered(u32(), "u32");
  ordered(i32(), "i32");
  ordered(u16(), "u16");
  ordered(i16(), "i16");
}

void addBits(HandlerTable &t) {
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  using Same = decltype([](auto a) { return a; });
  using Not = decltype([](auto a) { return ~a; });
  using And = decltype([](auto a, auto b) { return a & b; });
  using Or = decltype([](auto a, auto b) { return a | b; });
  using Xor = decltype([](auto a, auto b) { return a ^ b; });
  add({"v_mov_b32"}, unary<Same, u32, u32>);
  add({"v_mov_b64"}, unary<Same, u64, u64>);
  add({"v_not_b32"}, unary<Not, u32, u32>);
  add({"v_not_b16"}, unary<Not, u16, u16>);
  add({"v_and_b32"}, binary<And, u32, u32>);
  add({"v_or_b32"}, binary<Or, u32, u32>);
  add({"v_xor_b32"}, binary<Xor, u32, u32>);
  add({"v_and_b16"}, binary<And, u16, u16>);
  add({"v_or_b16"}, binary<Or, u16, u16>);
  add({"v_xor_b16"}, binary<Xor, u16, u16>);
  add({"v_xnor_b32"}, binary<decltype([](u32 a, u32 b) { return ~(a ^ b); }), u32, u32>);
  add({"v_and_or_b32"}, ternary<decltype([](u32 a, u32 b, u32 c) { return (a & b) | c; }), u32, u32>);
  add({"v_or3_b32"}, ternary<decltype([](u32 a, u32 b, u32 c) { return a | b | c; }), u32, u32>);
  add({"v_xor3_b32"}, ternary<decltype([](u32 a, u32 b, u32 c) { return a ^ b ^ c; }), u32, u32>);
  add({"v_xad_u32"}, ternary<decltype([](u32 a, u32 b, u32 c) { return (a ^ b) + c; }), u32, u32>);
  add({"v_lshlrev_b32"}, binary<decltype([](u32 n, u32 x) { return x << (n & 31); }), u32, u32>);
  add({"v_lshrrev_b32"}, binary<decltype([](u32 n, u32 x) { return x >> (n & 31); }), u32, u32>);
  add({"v_ashrrev_i32"}, binary<decltype([](u32 n, i32 x) { return x >> (n & 31); }), u32, u32, i32>);
  add({"v_lshlrev_b64"}, binary<decltype([](u32 n, u64 x) { return x << (n & 63); }), u64, u32, u64>);
  add({"v_lshrrev_b64"}, binary<decltype([](u32 n, u64 x) { return x >> (n & 63); }), u64, u32, u64>);
  add({"v_ashrrev_i64"}, binary<decltype([](u32 n, i64 x) { return x >> (n & 63); }), u64, u32, i64>);
  add({"v_lshlrev_b16"}, binary<decltype([](u16 n, u16 x) { return x << (n & 15); }), u16, u16>);
  add({"v_lshrrev_b16"}, binary<decltype([](u16 n, u16 x) { return x >> (n & 15); }), u16, u16>);
  add({"v_ashrrev_i16"}, binary<decltype([](u16 n, i16 x) { return x >> (n & 15); }), u16, u16, i16>);
  add({"v_lshl_add_u32"}, ternary<decltype([](u32 x, u32 n, u32 c) { return (x << (n & 31)) + c; }), u32, u32>);
  add({"v_add_lshl_u32"}, ternary<decltype([](u32 a, u32 b, u32 n) { return (a + b) << (n & 31); }), u32, u32>);
  add({"v_lshl_or_b32"}, ternary<decltype([](u32 x, u32 n, u32 c) { return (x << (n & 31)) | c; }), u32, u32>);
  add({"v_lshl_add_u64"},
      ternary<decltype([](u64 x, u32 n, u64 c) { return (x << (n & 7)) + c; }), u64, u64, u32, u64>);
  add({"v_bfe_u32"}, ternary<decltype([](u32 x, u32 from, u32 count) {
                               u32 n = count & 31;
                               return n == 0 ? 0u : x >> (from & 31) & ((1u << n) - 1);
                             }),
                             u32, u32>);
  add({"v_bfe_i32"}, ternary<decltype([](u32 x, u32 from, u32 count) {
                               u32 n = count & 31;
                               return n == 0 ? 0 : i32(u32(i32(x) >> (from & 31)) << (32 - n)) >> (32 - n);
                             }),
                             u32, u32>);
  add({"v_bfi_b32"}, ternary<decltype([](u32 m, u32 a, u32 b) { return (m & a) | (~m & b); }), u32, u32>);
  add({"v_bfm_b32"}, binary<decltype([](u32 n, u32 at) { return ((1u << (n & 31)) - 1) << (at & 31); }), u32, u32>);
  add({"v_alignbit_b32"},
      ternary<decltype([](u64 a, u64 b, u32 n) { return (a << 32 | b) >> (n & 31); }), u32, u32, u32, u32>);
  add({"v_alignbyte_b32"},
      ternary<decltype([](u64 a, u64 b, u32 n) { return (a << 32 | b) >> 8 * (n & 3); }), u32, u32, u32, u32>);
  add({"v_perm_b32"}, ternary<decltype([](u64 a, u64 b, u32 selectors) {
                                u32 made = 0;
                                for (unsigned at = 0; at < 4; ++at)
                                  made |= permutedByte(a << 32 | b, u8(selectors >> 8 * at)) << 8 * at;
                                return made;
                              }),
                              u32, u32>);
  add({"v_bfrev_b32"}, unary<decltype([](u32 x) { return __builtin_bitreverse32(x); }), u32, u32>);
  add({"v_ffbh_u32", "v_clz_i32_u32"},
      unary<decltype([](u32 x) { return x == 0 ? ~0u : u32(std::countl_zero(x)); }), u32, u32>);
  add({"v_ffbh_i32", "v_cls_i32"}, unary<decltype([](u32 x) { return leadingSigns(x); }), u32, u32>);
  add({"v_ffbl_b32", "v_ctz_i32_b32"},
      unary<decltype([](u32 x) { return x == 0 ? ~0u : u32(std::countr_zero(x)); }), u32, u32>);
  add({"v_bcnt_u32_b32"}, binary<decltype([](u32 x, u32 c) { return u32(std::popcount(x)) + c; }), u32, u32>);
  add({"v_mbcnt_lo_u32_b32"}, countBelow<false>);
  add({"v_mbcnt_hi_u32_b32"}, countBelow<true>);
  add({"v_cndmask_b32"}, select32);
  add({"v_cndmask_b16"}, select16);
  add({"v_swap_b32"}, swap);
  add({"v_pack_b32_f16"}, packHalves);
  add({"v_cvt_pk_u16_u32"},
      binary<decltype([](u32 a, u32 b) { return std::min(a, 65535u) | std::min(b, 65535u) << 16; }), u32, u32>);
  add({"v_cvt_pk_i16_i32"}, binary<decltype([](i32 a, i32 b) {
                                     return u32(u16(std::clamp(a, -32768, 32767))) |
                                            u32(u16(std::clamp(b, -32768, 32767))) << 16;
                                   }),
                                   u32, i32>);
  add({"v_sat_pk_u8_i16"}, unary<decltype([](u32 x) {
                                   return std::clamp<i32>(i16(x), 0, 255) | std::clamp<i32>(i16(x >> 16), 0, 255) << 8;
                                 }),
                                 u16, u32>);
  add({"v_nop"}, [](Wave &, const Instruction &) {});
}

} // namespace

void addInteger(HandlerTable &table) {
  addArithmetic(table);
  addBits(table);
}

} // namespace tegula::emulator
