#include "tests/emulator/tests/Vectors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tegula::emulator::test {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

__int128 wide(auto x) { return x; }
i64 low24(i32 x) { return x >= 0x800000 ? i64(x) - 0x1000000 : x; }
i64 signed24(u32 x) { return low24(i32(x & 0xffffff)); }
u32 unsigned24(u32 x) { return x & 0xffffff; }
u32 apart(u32 a, u32 b, unsigned bits, bool masked = false) {
  u32 sum = 0;
  for (unsigned at = 0; at < 32; at += bits) {
    i64 x = a >> at & ((1u << bits) - 1), y = b >> at & ((1u << bits) - 1);
    sum += masked && y == 0 ? 0 : u32(std::abs(x - y));
  }
  return sum;
}

TEST(Integer, Sums) {
  const Row rows[] = {
      row("v_add_u32 v_add_nc_u32", [](u32 a, u32 b) { return Wide<u32>{wide(a) + b}; }),
      row("v_sub_u32 v_sub_nc_u32", [](u32 a, u32 b) { return Wide<u32>{wide(a) - b}; }),
      row("v_subrev_u32 v_subrev_nc_u32", [](u32 a, u32 b) { return Wide<u32>{wide(b) - a}; }),
      row("v_add_i32 v_add_nc_i32", [](i32 a, i32 b) { return Wide<i32>{wide(a) + b}; }),
      row("v_sub_i32 v_sub_nc_i32", [](i32 a, i32 b) { return Wide<i32>{wide(a) - b}; }),
      row("v_add_u16 v_add_nc_u16", [](u16 a, u16 b) { return Wide<u16>{wide(a) + b}; }),
      row("v_sub_u16 v_sub_nc_u16", [](u16 a, u16 b) { return Wide<u16>{wide(a) - b}; }),
      row("v_subrev_u16", [](u16 a, u16 b) { return Wide<u16>{wide(b) - a}; }),
      row("v_add_i16 v_add_nc_i16", [](i16 a, i16 b) { return Wide<i16>{wide(a) + b}; }).with(Upper::Either),
      row("v_sub_i16 v_sub_nc_i16", [](i16 a, i16 b) { return Wide<i16>{wide(a) - b}; }).with(Upper::Either),
      row("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; }),
      row("v_add_lshl_u32", [](u32 a, u32 b, u32 n) { return u32(u64(a + b) << n % 32); }),
      row("v_lshl_add_u32", [](u32 a, u32 n, u32 b) { return u32(u64(a) << n % 32) + b; }),
      row("v_lshl_add_u64", [](u64 a, u32 n, u64 b) { return (a << n % 8) + b; }),
      row("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }),
      row("v_add_co_u32", [](u32 a, u32 b) { return Carry{a + b, (u64(a) + b) >> 32 != 0}; }),
      row("v_sub_co_u32", [](u32 a, u32 b) { return Carry{a - b, a < b}; }),
      row("v_subrev_co_u32", [](u32 a, u32 b) { return Carry{b - a, b < a}; }),
      row("v_addc_co_u32 v_add_co_ci_u32",
          [](u32 a, u32 b, bool c) { return Carry{a + b + c, u64(a) + b + c > 0xffffffff}; }),
      row("v_subb_co_u32 v_sub_co_ci_u32", [](u32 a, u32 b, bool c) { return Carry{a - b - c, a < u64(b) + c}; }),
      row("v_subbrev_co_u32 v_subrev_co_ci_u32", [](u32 a, u32 b, bool c) { return Carry{b - a - c, b < u64(a) + c}; }),
      row("v_sad_u32", [](u32 a, u32 b, u32 c) { return u32(std::abs(i64(a) - i64(b))) + c; }),
      row("v_sad_u16", [](u32 a, u32 b, u32 c) { return apart(a, b, 16) + c; }),
      row("v_sad_u8", [](u32 a, u32 b, u32 c) { return apart(a, b, 8) + c; }),
      row("v_sad_hi_u8", [](u32 a, u32 b, u32 c) { return apart(a, b, 8) * 65536 + c; }),
      row("v_msad_u8", [](u32 a, u32 b, u32 c) { return apart(a, b, 8, true) + c; }),
  };
  checkRows(rows);
}

TEST(Integer, Products) {
  const Row rows[] = {
      row("v_mul_lo_u32", [](u32 a, u32 b) { return u32(u64(a) * b); }),
      row("v_mul_lo_u16", [](u16 a, u16 b) { return u16(u64(a) * b); }),
      row("v_mul_hi_u32", [](u32 a, u32 b) { return u32(u64(a) * b / 0x100000000); }),
      row("v_mul_hi_i32", [](i32 a, i32 b) { return u32(u64(i64(a) * b) / 0x100000000); }),
      row("v_mul_i32_i24", [](u32 a, u32 b) { return u32(signed24(a) * signed24(b)); }),
      row("v_mul_hi_i32_i24", [](u32 a, u32 b) { return u32(u64(signed24(a) * signed24(b)) / 0x100000000); }),
      row("v_mul_u32_u24", [](u32 a, u32 b) { return u32(u64(unsigned24(a)) * unsigned24(b)); }),
      row("v_mul_hi_u32_u24", [](u32 a, u32 b) { return u32(u64(unsigned24(a)) * unsigned24(b) / 0x100000000); }),
      row("v_mad_i32_i24", [](u32 a, u32 b, i32 c) { return Wide<i32>{wide(signed24(a)) * signed24(b) + c}; }),
      row("v_mad_u32_u24", [](u32 a, u32 b, u32 c) { return Wide<u32>{wide(unsigned24(a)) * unsigned24(b) + c}; }),
      row("v_mad_u16", [](u16 a, u16 b, u16 c) { return Wide<u16>{wide(a) * b + c}; }),
      row("v_mad_i16", [](i16 a, i16 b, i16 c) { return Wide<i16>{wide(a) * b + c}; }),
      row("v_mad_legacy_u16", [](u16 a, u16 b, u16 c) { return Wide<u16>{wide(a) * b + c}; }),
      row("v_mad_legacy_i16", [](i16 a, i16 b, i16 c) { return Wide<i16>{wide(a) * b + c}; }),
      row("v_mad_u32_u16", [](u16 a, u16 b, u32 c) { return Wide<u32>{wide(a) * b + c}; }),
      row("v_mad_i32_i16", [](i16 a, i16 b, i32 c) { return Wide<i32>{wide(a) * b + c}; }),
      row("v_mad_u64_u32 v_mad_co_u64_u32",
          [](u32 a, u32 b, u64 c) {
            __int128 exact = wide(a) * b + c;
            return Carry{u64(exact), bool(exact >> 64 & 1)};
          }),
      row("v_mad_i64_i32 v_mad_co_i64_i32",
          [](i32 a, i32 b, i64 c) {
            __int128 exact = wide(a) * b + c; // of 65 bits: the flag is the sign
            return Carry{i64(exact), bool(exact >> 64 & 1)};
          }),
  };
  checkRows(rows);
}

template <class T> void addOrders(std::vector<Row> &rows, const std::string &type) {
  constexpr Upper kUpper = Upper::Either; // of the instructions with three operands, which have op_sel
  auto sorted = [](T a, T b, T c) {
    std::array<T, 3> all = {a, b, c};
    std::ranges::sort(all);
    return all;
  };
  rows.push_back(row("v_min_" + type, [](T a, T b) { return b < a ? b : a; }));
  rows.push_back(row("v_max_" + type, [](T a, T b) { return a < b ? b : a; }));
  rows.push_back(row("v_min3_" + type, [=](T a, T b, T c) { return sorted(a, b, c)[0]; }).with(kUpper));
  rows.push_back(row("v_med3_" + type, [=](T a, T b, T c) { return sorted(a, b, c)[1]; }).with(kUpper));
  rows.push_back(row("v_max3_" + type, [=](T a, T b, T c) { return sorted(a, b, c)[2]; }).with(kUpper));
  rows.push_back(row("v_minmax_" + type, [](T a, T b, T c) { return std::max(std::min(a, b), c); }));
  rows.push_back(row("v_maxmin_" + type, [](T a, T b, T c) { return std::min(std::max(a, b), c); }));
}

TEST(Integer, Orders) {
  std::vector<Row> rows;
  addOrders<u32>(rows, "u32");
  addOrders<i32>(rows, "i32");
  addOrders<u16>(rows, "u16");
  addOrders<i16>(rows, "i16");
  checkRows(rows);
}

u32 chosenByte(u32 a, u32 b, u32 selector) {
  if (selector >= 12)
    return selector == 12 ? 0 : 0xff;
  u32 word = selector < 8 ? (selector < 4 ? b : a) : (selector < 10 ? b : a);
  if (selector < 8)
    return word >> 8 * (selector % 4) & 0xff;
  return word & (selector % 2 ? 0x80000000 : 0x8000) ? 0xff : 0; // the sign of a half
}

TEST(Integer, Bits) {
  auto firstSet = [](u32 x, bool fromTop) {
    for (u32 at = 0; at < 32; ++at)
      if (x >> (fromTop ? 31 - at : at) & 1)
        return at;
    return ~0u;
  };
  auto field = [](i64 x, u32 from, u32 count) {
    return count == 0 ? 0 : x >> from % 32 & ((i64(1) << count % 32) - 1);
  };
  const Row rows[] = {
      row("v_mov_b32", [](u32 a) { return a; }),
      row("v_mov_b64", [](u64 a) { return a; }),
      row("v_not_b32", [](u32 a) { return a ^ 0xffffffff; }),
      row("v_not_b16", [](u16 a) { return u16(a ^ 0xffff); }),
      row("v_and_b32", [](u32 a, u32 b) { return a & b; }),
      row("v_or_b32", [](u32 a, u32 b) { return a | b; }),
      row("v_xor_b32", [](u32 a, u32 b) { return a ^ b; }),
      row("v_xnor_b32", [](u32 a, u32 b) { return ~a ^ b; }),
      row("v_and_b16", [](u16 a, u16 b) { return u16(a & b); }),
      row("v_or_b16", [](u16 a, u16 b) { return u16(a | b); }),
      row("v_xor_b16", [](u16 a, u16 b) { return u16(a ^ b); }),
      row("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; }),
      row("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; }),
      row("v_xor3_b32", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; }),
      row("v_lshlrev_b32", [](u32 n, u32 a) { return u32(u64(a) << n % 32); }),
      row("v_lshrrev_b32", [](u32 n, u32 a) { return a / u32(1u << n % 32); }),
      row("v_ashrrev_i32", [](u32 n, i32 a) { return i32(i64(a) >> n % 32); }),
      row("v_lshlrev_b64", [](u32 n, u64 a) { return u64(static_cast<unsigned __int128>(a) << n % 64); }),
      row("v_lshrrev_b64", [](u32 n, u64 a) { return a / (u64(1) << n % 64); }),
      row("v_ashrrev_i64", [](u32 n, i64 a) { return i64(wide(a) >> n % 64); }),
      row("v_lshlrev_b16", [](u16 n, u16 a) { return u16(u32(a) << n % 16); }),
      row("v_lshrrev_b16", [](u16 n, u16 a) { return u16(a / (1u << n % 16)); }),
      row("v_ashrrev_i16", [](u16 n, i16 a) { return i16(i32(a) >> n % 16); }),
      row("v_lshl_or_b32", [](u32 a, u32 n, u32 b) { return u32(u64(a) << n % 32) | b; }),
      row("v_bfe_u32", [=](u32 a, u32 from, u32 count) { return u32(field(a, from, count % 32)); }),
      row("v_bfe_i32",
          [=](i32 a, u32 from, u32 count) {
            i64 bits = field(a, from, count % 32);
            return count % 32 && bits >> (count % 32 - 1) & 1 ? i32(bits - (i64(1) << count % 32)) : i32(bits);
          }),
      row("v_bfi_b32", [](u32 mask, u32 a, u32 b) { return b ^ (mask & (a ^ b)); }),
      row("v_bfm_b32", [](u32 count, u32 at) { return u32(((u64(1) << count % 32) - 1) << at % 32); }),
      row("v_alignbit_b32", [](u32 a, u32 b, u32 n) { return n % 32 ? b >> n % 32 | a << (32 - n % 32) : b; }),
      row("v_alignbyte_b32",
          [](u32 a, u32 b, u32 n) { return n % 4 ? b >> 8 * (n % 4) | a << (32 - 8 * (n % 4)) : b; }),
      row("v_perm_b32",
          [](u32 a, u32 b, u32 c) {
            u32 made = 0;
            for (unsigned at = 0; at < 32; at += 8)
              made |= chosenByte(a, b, c >> at & 0xff) << at;
            return made;
          }),
      row("v_bfrev_b32",
          [](u32 a) {
            u32 made = 0;
            for (unsigned at = 0; at < 32; ++at)
              made |= (a >> at & 1) << (31 - at);
            return made;
          }),
      row("v_ffbh_u32 v_clz_i32_u32", [=](u32 a) { return firstSet(a, true); }),
      row("v_ffbl_b32 v_ctz_i32_b32", [=](u32 a) { return firstSet(a, false); }),
      row("v_ffbh_i32 v_cls_i32", [=](u32 a) { return firstSet(a >> 31 ? ~a : a, true); }),
      row("v_bcnt_u32_b32",
          [](u32 a, u32 b) {
            for (; a; a &= a - 1)
              ++b;
            return b;
          }),
      row("v_mbcnt_lo_u32_b32",
          [](u32 a, u32 b, Lane lane) {
            for (unsigned l = 0; l < 32 && l < lane.value; ++l)
              b += a >> l & 1;
            return b;
          }),
      row("v_mbcnt_hi_u32_b32",
          [](u32 a, u32 b, Lane lane) {
            for (unsigned l = 32; l < lane.value; ++l)
              b += a >> (l - 32) & 1;
            return b;
          }),
      row("v_cndmask_b32", [](Raw<float> a, Raw<float> b, bool c) { return c ? b.bits : a.bits; }),
      row("v_cndmask_b16", [](Raw<_Float16> a, Raw<_Float16> b, bool c) { return c ? b.bits : a.bits; }),
      row("v_pack_b32_f16", [](Raw<_Float16> a, Raw<_Float16> b) { return u32(a.bits) | u32(b.bits) << 16; }),
      row("v_cvt_pk_u16_u32", [](u32 a, u32 b) { return (a > 0xffff ? 0xffff : a) | (b > 0xffff ? 0xffff : b) << 16; }),
      row("v_cvt_pk_i16_i32",
          [](i32 a, i32 b) {
            auto fit = [](i32 x) { return x > 32767 ? 32767u : x < -32768 ? 0x8000u : u32(x) & 0xffff; };
            return fit(a) | fit(b) << 16;
          }),
      row("v_sat_pk_u8_i16",
          [](u32 a) {
            auto fit = [](i32 x) { return x > 255 ? 255 : x < 0 ? 0 : x; };
            return u16(fit(i16(a & 0xffff)) | fit(i16(a >> 16)) << 8);
          })
          .with(Upper::Either),
  };
  checkRows(rows);
}

} // namespace
} // namespace tegula::emulator::test
