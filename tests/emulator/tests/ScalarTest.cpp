#include "tests/emulator/tests/Scalars.h"

namespace tegula::emulator::test {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

i32 extended(K16 k) { return int16_t(k.value); }
bool fits(i64 x) { return x == i32(x); }

template <class T> void checkLogic(const std::string &b) {
  constexpr u32 kBits = 8 * sizeof(T);
  auto logic = [&](const std::string &names, auto f) {
    std::string all;
    for (const std::string &name : words(names))
      all += "s_" + name + "_" + b + " ";
    check(all, [f](T a, T c) { return WithScc{T(f(a, c)), T(f(a, c)) != 0}; });
  };
  logic("and", [](T a, T c) { return a & c; });
  logic("or", [](T a, T c) { return a | c; });
  logic("xor", [](T a, T c) { return a ^ c; });
  logic("nand", [](T a, T c) { return ~a | ~c; });
  logic("nor", [](T a, T c) { return ~a & ~c; });
  logic("xnor", [](T a, T c) { return ~a ^ c; });
  logic("andn2 and_not1", [](T a, T c) { return a & ~c; });
  logic("orn2 or_not1", [](T a, T c) { return a | ~c; });
  auto masks = [&](const std::string &names, auto f) {
    for (const std::string &name : words(names)) {
      check("s_" + name + "_saveexec_" + b,
            [f](T a, Exec<T> e) { return WithExec<T>{e.value, T(f(a, e.value)), T(f(a, e.value)) != 0}; });
      check("s_" + name + "_wrexec_" + b,
            [f](T a, Exec<T> e) { return WithExec<T>{T(f(a, e.value)), T(f(a, e.value)), T(f(a, e.value)) != 0}; });
    }
  };
  masks("and", [](T a, T e) { return a & e; });
  masks("or", [](T a, T e) { return a | e; });
  masks("xor", [](T a, T e) { return a ^ e; });
  masks("nand", [](T a, T e) { return ~a | ~e; });
  masks("nor", [](T a, T e) { return ~a & ~e; });
  masks("xnor", [](T a, T e) { return ~a ^ e; });
  masks("andn2 and_not1", [](T a, T e) { return a & ~e; });
  masks("orn2 or_not1", [](T a, T e) { return a | ~e; });
  masks("andn1 and_not0", [](T a, T e) { return ~a & e; });
  masks("orn1 or_not0", [](T a, T e) { return ~a | e; });
  check("s_mov_" + b, [](T a) { return a; });
  check("s_not_" + b, [](T a) { return WithScc{T(~a), a != T(-1)}; });
  check("s_cselect_" + b, [](T a, T c, Scc scc) { return scc.value ? a : c; });
  check("s_cmov_" + b, [](T a, Scc scc, Old<T> old) { return scc.value ? a : old.value; });
  check("s_brev_" + b, [](T a) {
    T made = 0;
    for (u32 at = 0; at < kBits; ++at)
      made |= (a >> at & 1) << (kBits - 1 - at);
    return made;
  });
  auto ones = [](T a) {
    u32 count = 0;
    for (; a; a >>= 1)
      count += a & 1;
    return count;
  };
  check("s_bcnt1_i32_" + b, [=](T a) { return WithScc{ones(a), a != 0}; });
  check("s_bcnt0_i32_" + b, [=](T a) { return WithScc{kBits - ones(a), ones(a) != kBits}; });
  check("s_ff1_i32_" + b + " s_ctz_i32_" + b, [](T a) {
    u32 at = 0;
    while (at < kBits && !(a >> at & 1))
      ++at;
    return at == kBits ? ~0u : at;
  });
  check("s_bitset0_" + b, [](u32 n, Old<T> d) { return T(d.value & ~(T(1) << n % kBits)); });
  check("s_bitset1_" + b, [](u32 n, Old<T> d) { return T(d.value | T(1) << n % kBits); });
  check("s_bitcmp0_" + b, [](T a, u32 n) { return OnlyScc{(a >> n % kBits) % 2 == 0}; });
  check("s_bitcmp1_" + b, [](T a, u32 n) { return OnlyScc{(a >> n % kBits) % 2 == 1}; });
  auto left = [](T a, u32 n) { return T(static_cast<unsigned __int128>(a) << n % kBits); };
  check("s_lshl_" + b, [=](T a, u32 n) { return WithScc{left(a, n), left(a, n) != 0}; });
  check("s_lshr_" + b, [](T a, u32 n) { return WithScc{T(a / (T(1) << n % kBits)), a / (T(1) << n % kBits) != 0}; });
  check("s_bfm_" + b, [=](u32 n, u32 at) { return left(left(1, n) - 1, at); });
}

TEST(Scalar, Bits32) { checkLogic<u32>("b32"); }
TEST(Scalar, Bits64) { checkLogic<u64>("b64"); }

template <class T> void checkCompares(const std::string &type) {
  auto one = [&](const std::string &name, auto f) {
    check("s_cmp_" + name + "_" + type, [f](T a, T b) { return OnlyScc{f(a, b)}; });
    if constexpr (sizeof(T) == 4)
      check("s_cmpk_" + name + "_" + type,
            [f](T a, K16 k) { return OnlyScc{f(a, std::is_signed_v<T> ? T(extended(k)) : T(k.value))}; });
  };
  one("eq", [](T a, T b) { return a == b; });
  one("lg", [](T a, T b) { return a != b; });
  one("gt", [](T a, T b) { return a > b; });
  one("ge", [](T a, T b) { return a >= b; });
  one("lt", [](T a, T b) { return a < b; });
  one("le", [](T a, T b) { return a <= b; });
}

TEST(Scalar, Comparisons) {
  checkCompares<u32>("u32");
  checkCompares<i32>("i32");
  check("s_cmp_eq_u64", [](u64 a, u64 b) { return OnlyScc{a == b}; });
  check("s_cmp_lg_u64", [](u64 a, u64 b) { return OnlyScc{a != b}; });
}

TEST(Scalar, Sums) {
  check("s_add_u32 s_add_co_u32", [](u32 a, u32 b) { return WithScc{a + b, u64(a) + b > 0xffffffff}; });
  check("s_sub_u32 s_sub_co_u32", [](u32 a, u32 b) { return WithScc{a - b, a < b}; });
  check("s_addc_u32 s_add_co_ci_u32",
        [](u32 a, u32 b, Scc c) { return WithScc{a + b + c.value, u64(a) + b + c.value > 0xffffffff}; });
  check("s_subb_u32 s_sub_co_ci_u32",
        [](u32 a, u32 b, Scc c) { return WithScc{a - b - c.value, u64(b) + c.value > a}; });
  check("s_add_i32 s_add_co_i32", [](i32 a, i32 b) { return WithScc{u32(i64(a) + b), !fits(i64(a) + b)}; });
  check("s_sub_i32 s_sub_co_i32", [](i32 a, i32 b) { return WithScc{u32(i64(a) - b), !fits(i64(a) - b)}; });
  check("s_addk_i32 s_addk_co_i32",
        [](K16 k, Old<i32> a) { return WithScc{u32(i64(a.value) + extended(k)), !fits(i64(a.value) + extended(k))}; });
  check("s_add_nc_u64", [](u64 a, u64 b) { return a + b; });
  check("s_sub_nc_u64", [](u64 a, u64 b) { return a - b; });
  check("s_abs_i32", [](i32 a) { return WithScc{u32(a < 0 ? -i64(a) : a), a != 0}; });
  check("s_absdiff_i32", [](u32 a, u32 b) { // the difference wraps before its sign is looked at
    u32 difference = a - b, size = difference >> 31 ? ~difference + 1 : difference;
    return WithScc{size, size != 0};
  });
  for (unsigned n = 1; n <= 4; ++n)
    check("s_lshl" + std::to_string(n) + "_add_u32", [n](u32 a, u32 b) {
      u64 exact = (u64(a) << n) + b;
      return WithScc{u32(exact), exact > 0xffffffff};
    });
  check("s_min_i32", [](i32 a, i32 b) { return WithScc{a < b ? a : b, a < b}; });
  check("s_max_i32", [](i32 a, i32 b) { return WithScc{a < b ? b : a, a >= b}; });
  check("s_min_u32", [](u32 a, u32 b) { return WithScc{a < b ? a : b, a < b}; });
  check("s_max_u32", [](u32 a, u32 b) { return WithScc{a < b ? b : a, a >= b}; });
}

TEST(Scalar, Products) {
  check("s_mul_i32", [](u32 a, u32 b) { return u32(u64(a) * b); });
  check("s_mul_hi_u32", [](u32 a, u32 b) { return u32(u64(a) * b / 0x100000000); });
  check("s_mul_hi_i32", [](i32 a, i32 b) { return u32(u64(i64(a) * b) / 0x100000000); });
  check("s_mul_u64", [](u64 a, u64 b) { return u64(static_cast<unsigned __int128>(a) * b); });
  check("s_mulk_i32", [](K16 k, Old<i32> a) { return u32(i64(a.value) * extended(k)); });
}

TEST(Scalar, Moves) {
  check("s_movk_i32", [](K16 k) { return extended(k); });
  check("s_cmovk_i32", [](K16 k, Scc scc, Old<i32> old) { return scc.value ? extended(k) : old.value; });
  check("s_sext_i32_i8", [](u32 a) { return i32(a % 256) - (a & 128 ? 256 : 0); });
  check("s_sext_i32_i16", [](u32 a) { return i32(a % 65536) - (a & 32768 ? 65536 : 0); });
  check("s_pack_ll_b32_b16", [](u32 a, u32 b) { return a % 65536 + b % 65536 * 65536; });
  check("s_pack_lh_b32_b16", [](u32 a, u32 b) { return a % 65536 + b / 65536 * 65536; });
  check("s_pack_hh_b32_b16", [](u32 a, u32 b) { return a / 65536 + b / 65536 * 65536; });
  check("s_pack_hl_b32_b16", [](u32 a, u32 b) { return a / 65536 + b % 65536 * 65536; });
}

/// Bits [from, from + count) of x, whose bits beyond the width continue its sign. Of i64 with 64 and more: all.
template <class T> T field(T x, u32 control) {
  constexpr unsigned kBits = 8 * sizeof(T);
  unsigned from = control % kBits, count = std::min(control >> 16 & 127, kBits);
  if (count == 0)
    return 0;
  __int128 bits = (__int128(x) >> from) & ((__int128(1) << count) - 1);
  bool negative = std::is_signed_v<T> && bits >> (count - 1) & 1;
  return T(negative ? bits - (__int128(1) << count) : bits);
}

template <class T> u32 signRun(T x) {
  constexpr unsigned kBits = 8 * sizeof(T);
  for (unsigned n = 1; n < kBits; ++n)
    if ((x >> (kBits - 1 - n) & 1) != (x >> (kBits - 1) & 1))
      return n;
  return ~0u;
}

TEST(Scalar, Fields) {
  check("s_ashr_i32", [](i32 a, u32 n) { return WithScc{i32(i64(a) >> n % 32), i64(a) >> n % 32 != 0}; });
  check("s_ashr_i64", [](i64 a, u32 n) {
    i64 shifted = i64(__int128(a) >> n % 64);
    return WithScc{shifted, shifted != 0};
  });
  check("s_bfe_u32", [](u32 a, u32 c) { return WithScc{field(a, c), field(a, c) != 0}; });
  check("s_bfe_i32", [](i32 a, u32 c) { return WithScc{field(a, c), field(a, c) != 0}; });
  check("s_bfe_u64", [](u64 a, u32 c) { return WithScc{field(a, c), field(a, c) != 0}; });
  check("s_bfe_i64", [](i64 a, u32 c) { return WithScc{field(a, c), field(a, c) != 0}; });
  auto zeros = [](u64 a, unsigned bits) {
    for (unsigned n = 0; n < bits; ++n)
      if (a >> (bits - 1 - n) & 1)
        return n;
    return ~0u;
  };
  check("s_flbit_i32_b32 s_clz_i32_u32", [=](u32 a) { return zeros(a, 32); });
  check("s_flbit_i32_b64 s_clz_i32_u64", [=](u64 a) { return zeros(a, 64); });
  check("s_flbit_i32 s_cls_i32", [](u32 a) { return signRun(a); });
  check("s_flbit_i32_i64 s_cls_i32_i64", [](u64 a) { return signRun(a); });
}

} // namespace
} // namespace tegula::emulator::test
