// Scalar instructions: integers, masks of lanes, branches, the end of a wave.
#include "tests/emulator/ScalarFloat.h"

#include <algorithm>

namespace tegula::emulator {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

template <class T> T read(const Wave &w, const Operand &o) {
  if constexpr (sizeof(T) == 8)
    return T(w.scalar64(o));
  else
    return T(w.scalar32(o));
}

template <class T> void write(Wave &w, const Operand &o, T value) {
  if constexpr (sizeof(T) == 8)
    w.setScalar64(o, u64(value));
  else
    w.setScalar32(o, u32(value));
}

/// What becomes of SCC: it stays, or says whether the result is not zero.
enum class Scc { Kept, NotZero };

template <class F, class R, class A, Scc scc> void unary(Wave &w, const Instruction &i) {
  R result = R(F{}(read<A>(w, i.operands[1])));
  write<R>(w, i.operands[0], result);
  if (scc == Scc::NotZero)
    w.scc = result != 0;
}

template <class F, class R, class A, Scc scc, class B = A> void binary(Wave &w, const Instruction &i) {
  R result = R(F{}(read<A>(w, i.operands[1]), read<B>(w, i.operands[2])));
  write<R>(w, i.operands[0], result);
  if (scc == Scc::NotZero)
    w.scc = result != 0;
}

template <class F, class T> void compare(Wave &w, const Instruction &i) {
  w.scc = F{}(read<T>(w, i.operands[0]), read<T>(w, i.operands[1]));
}

/// The second operand of s_cmpk and the like has 16 bits, printed without a sign.
template <class F, class T> void compareShort(Wave &w, const Instruction &i) {
  i64 number = i.operands[1].bits;
  T constant = std::is_signed_v<T> ? T(int16_t(number)) : T(uint16_t(number));
  w.scc = F{}(read<T>(w, i.operands[0]), constant);
}

template <bool subtracts, bool takesCarry> void addUnsigned(Wave &w, const Instruction &i) {
  u64 a = w.scalar32(i.operands[1]), b = w.scalar32(i.operands[2]), c = takesCarry && w.scc;
  u64 exact = subtracts ? a - b - c : a + b + c;
  w.setScalar32(i.operands[0], u32(exact));
  w.scc = exact >> 32 & 1;
}

template <bool subtracts> void addSigned(Wave &w, const Instruction &i) {
  i64 a = i32(w.scalar32(i.operands[1])), b = i32(w.scalar32(i.operands[2])), exact = subtracts ? a - b : a + b;
  w.setScalar32(i.operands[0], u32(exact));
  w.scc = exact != i64(i32(exact));
}

/// {d, s}: d is EXEC as it was; EXEC becomes F(s, EXEC).
template <class F, class T> void saveExec(Wave &w, const Instruction &i) {
  T before = T(sizeof(T) == 8 ? w.pair(kExec) : w.scalars[kExec]);
  T result = T(F{}(read<T>(w, i.operands[1]), before));
  write<T>(w, i.operands[0], before);
  if (sizeof(T) == 8)
    w.setPair(kExec, u64(result));
  else
    w.scalars[kExec] = u32(result);
  w.scc = result != 0;
}

/// {d, s}: d and EXEC become F(s, EXEC).
template <class F, class T> void writeExec(Wave &w, const Instruction &i) {
  T before = T(sizeof(T) == 8 ? w.pair(kExec) : w.scalars[kExec]);
  T result = T(F{}(read<T>(w, i.operands[1]), before));
  write<T>(w, i.operands[0], result);
  if (sizeof(T) == 8)
    w.setPair(kExec, u64(result));
  else
    w.scalars[kExec] = u32(result);
  w.scc = result != 0;
}

template <class Condition> void branch(Wave &w, const Instruction &i) {
  if (Condition{}(w))
    w.next = size_t(i.immediate);
}

/// The address of the next instruction.
u64 programCounter(const Instruction &i) { return kCodeAddress + i.offset + i.size; }

/// To the instruction at an address, which must be the beginning of one.
void jump(Wave &w, const Instruction &i, u64 address) {
  auto found = std::ranges::lower_bound(*w.code, address - kCodeAddress, {}, &Instruction::offset);
  if (found == w.code->end() || found->offset != address - kCodeAddress)
    throw Fault("'" + i.text + "' leads out of the kernel");
  w.next = size_t(found - w.code->begin());
}

template <class T> u32 leadingSigns(T x) {
  using U = std::make_unsigned_t<T>;
  U folded = U(x < 0 ? ~x : x);
  return folded == 0 ? ~0u : u32(std::countl_zero(folded));
}

template <class T> T field(T x, u32 control) {
  constexpr unsigned kBits = 8 * sizeof(T);
  unsigned from = control & (kBits - 1), count = control >> 16 & 0x7f;
  if (count == 0)
    return 0;
  x = T(x >> from);
  if (count >= kBits)
    return x;
  using U = std::make_unsigned_t<T>;
  return T(T(U(x) << (kBits - count)) >> (kBits - count));
}

void nothing(Wave &, const Instruction &) {}

class Adder {
public:
  explicit Adder(HandlerTable &table) : table_(table) {}
  void operator()(std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      table_.emplace_back(name, handler);
  }

private:
  HandlerTable &table_;
};

template <class T> void addLogic(Adder &add, const std::string &b) {
  using Not = decltype([](T a) { return T(~a); });
  using And = decltype([](T a, T c) { return T(a & c); });
  using Or = decltype([](T a, T c) { return T(a | c); });
  using Xor = decltype([](T a, T c) { return T(a ^ c); });
  using AndNot = decltype([](T a, T c) { return T(a & ~c); });
  using OrNot = decltype([](T a, T c) { return T(a | ~c); });
  using Nand = decltype([](T a, T c) { return T(~(a & c)); });
  using Nor = decltype([](T a, T c) { return T(~(a | c)); });
  using Xnor = decltype([](T a, T c) { return T(~(a ^ c)); });
  using NotAnd = decltype([](T a, T c) { return T(~a & c); });
  using NotOr = decltype([](T a, T c) { return T(~a | c); });
  auto name = [&](const char *begin) { return "s_" + std::string(begin) + b; };
  auto put = [&](const char *begin, Handler handler) { add({name(begin).c_str()}, handler); };
  put("mov_", unary<decltype([](T a) { return a; }), T, T, Scc::Kept>);
  put("not_", unary<Not, T, T, Scc::NotZero>);
  put("and_", binary<And, T, T, Scc::NotZero>);
  put("or_", binary<Or, T, T, Scc::NotZero>);
  put("xor_", binary<Xor, T, T, Scc::NotZero>);
  put("nand_", binary<Nand, T, T, Scc::NotZero>);
  put("nor_", binary<Nor, T, T, Scc::NotZero>);
  put("xnor_", binary<Xnor, T, T, Scc::NotZero>);
  for (const char *old : {"andn2_", "and_not1_"})
    put(old, binary<AndNot, T, T, Scc::NotZero>);
  for (const char *old : {"orn2_", "or_not1_"})
    put(old, binary<OrNot, T, T, Scc::NotZero>);
  auto exec = [&](const char *begin, Handler handler) {
    add({("s_" + std::string(begin) + "_saveexec_" + b).c_str()}, handler);
  };
  exec("and", saveExec<And, T>);
  exec("or", saveExec<Or, T>);
  exec("xor", saveExec<Xor, T>);
  exec("nand", saveExec<Nand, T>);
  exec("nor", saveExec<Nor, T>);
  exec("xnor", saveExec<Xnor, T>);
  for (const char *old : {"andn2", "and_not1"}) // s & ~EXEC
    exec(old, saveExec<AndNot, T>);
  for (const char *old : {"orn2", "or_not1"})
    exec(old, saveExec<OrNot, T>);
  for (const char *old : {"andn1", "and_not0"}) // ~s & EXEC
    exec(old, saveExec<NotAnd, T>);
  for (const char *old : {"orn1", "or_not0"})
    exec(old, saveExec<NotOr, T>);
  for (const char *old : {"s_andn1_wrexec_", "s_and_not0_wrexec_"})
    add({(old + b).c_str()}, writeExec<NotAnd, T>);
  for (const char *old : {"s_andn2_wrexec_", "s_and_not1_wrexec_"})
    add({(old + b).c_str()}, writeExec<AndNot, T>);
  put("cselect_",
      [](Wave &w, const Instruction &i) { write<T>(w, i.operands[0], read<T>(w, i.operands[w.scc ? 1 : 2])); });
  put("cmov_", [](Wave &w, const Instruction &i) {
    if (w.scc)
      write<T>(w, i.operands[0], read<T>(w, i.operands[1]));
  });
  put("brev_", unary<decltype([](T a) {
                       if constexpr (sizeof(T) == 8)
                         return __builtin_bitreverse64(a);
                       else
                         return __builtin_bitreverse32(a);
                     }),
                     T, T, Scc::Kept>);
  put("bcnt1_i32_", unary<decltype([](T a) { return u32(std::popcount(a)); }), u32, T, Scc::NotZero>);
  put("bcnt0_i32_", unary<decltype([](T a) { return u32(std::popcount(T(~a))); }), u32, T, Scc::NotZero>);
  for (const char *old : {"ff1_i32_", "ctz_i32_"})
    put(old, unary<decltype([](T a) { return a == 0 ? ~0u : u32(std::countr_zero(a)); }), u32, T, Scc::Kept>);
  put("bitset0_", [](Wave &w, const Instruction &i) {
    u32 at = w.scalar32(i.operands[1]) & (8 * sizeof(T) - 1);
    write<T>(w, i.operands[0], T(read<T>(w, i.operands[0]) & ~(T(1) << at)));
  });
  put("bitset1_", [](Wave &w, const Instruction &i) {
    u32 at = w.scalar32(i.operands[1]) & (8 * sizeof(T) - 1);
    write<T>(w, i.operands[0], T(read<T>(w, i.operands[0]) | T(1) << at));
  });
  put("bitcmp0_", [](Wave &w, const Instruction &i) {
    w.scc = !(read<T>(w, i.operands[0]) >> (w.scalar32(i.operands[1]) & (8 * sizeof(T) - 1)) & 1);
  });
  put("bitcmp1_", [](Wave &w, const Instruction &i) {
    w.scc = read<T>(w, i.operands[0]) >> (w.scalar32(i.operands[1]) & (8 * sizeof(T) - 1)) & 1;
  });
  put("lshl_", binary<decltype([](T a, u32 n) { return T(a << (n & (8 * sizeof(T) - 1))); }), T, T, Scc::NotZero, u32>);
  put("lshr_", binary<decltype([](T a, u32 n) { return T(a >> (n & (8 * sizeof(T) - 1))); }), T, T, Scc::NotZero, u32>);
  put("bfm_", binary<decltype([](u32 n, u32 at) {
                       constexpr u32 kMask = 8 * sizeof(T) - 1;
                       return T(((T(1) << (n & kMask)) - 1) << (at & kMask));
                     }),
                     T, u32, Scc::Kept>);
}

template <class T> void addCompares(Adder &add, const std::string &type, bool orders) {
  using Eq = decltype([](T a, T b) { return a == b; });
  using Ne = decltype([](T a, T b) { return a != b; });
  using Gt = decltype([](T a, T b) { return a > b; });
  using Ge = decltype([](T a, T b) { return a >= b; });
  using Lt = decltype([](T a, T b) { return a < b; });
  using Le = decltype([](T a, T b) { return a <= b; });
  auto put = [&](const char *condition, Handler full, Handler brief) {
    add({("s_cmp_" + std::string(condition) + "_" + type).c_str()}, full);
    if (sizeof(T) == 4)
      add({("s_cmpk_" + std::string(condition) + "_" + type).c_str()}, brief);
  };
  put("eq", compare<Eq, T>, compareShort<Eq, T>);
  put("lg", compare<Ne, T>, compareShort<Ne, T>);
  if (!orders)
    return;
  put("gt", compare<Gt, T>, compareShort<Gt, T>);
  put("ge", compare<Ge, T>, compareShort<Ge, T>);
  put("lt", compare<Lt, T>, compareShort<Lt, T>);
  put("le", compare<Le, T>, compareShort<Le, T>);
}

void addArithmetic(Adder &add) {
  add({"s_add_u32", "s_add_co_u32"}, addUnsigned<false, false>);
  add({"s_sub_u32", "s_sub_co_u32"}, addUnsigned<true, false>);
  add({"s_addc_u32", "s_add_co_ci_u32"}, addUnsigned<false, true>);
  add({"s_subb_u32", "s_sub_co_ci_u32"}, addUnsigned<true, true>);
  add({"s_add_i32", "s_add_co_i32"}, addSigned<false>);
  add({"s_sub_i32", "s_sub_co_i32"}, addSigned<true>);
  add({"s_add_nc_u64"}, binary<decltype([](u64 a, u64 b) { return a + b; }), u64, u64, Scc::Kept>);
  add({"s_sub_nc_u64"}, binary<decltype([](u64 a, u64 b) { return a - b; }), u64, u64, Scc::Kept>);
  add({"s_mul_u64"}, binary<decltype([](u64 a, u64 b) { return a * b; }), u64, u64, Scc::Kept>);
  add({"s_mul_i32"}, binary<decltype([](u32 a, u32 b) { return a * b; }), u32, u32, Scc::Kept>);
  add({"s_mul_hi_u32"}, binary<decltype([](u64 a, u64 b) { return a * b >> 32; }), u32, u32, Scc::Kept>);
  add({"s_mul_hi_i32"}, binary<decltype([](i64 a, i64 b) { return a * b >> 32; }), u32, i32, Scc::Kept>);
  add({"s_movk_i32"},
      [](Wave &w, const Instruction &i) { w.setScalar32(i.operands[0], u32(i32(int16_t(i.operands[1].bits)))); });
  add({"s_cmovk_i32"}, [](Wave &w, const Instruction &i) {
    if (w.scc)
      w.setScalar32(i.operands[0], u32(i32(int16_t(i.operands[1].bits))));
  });
  add({"s_addk_i32", "s_addk_co_i32"}, [](Wave &w, const Instruction &i) {
    i64 exact = i64(i32(w.scalar32(i.operands[0]))) + int16_t(i.operands[1].bits);
    w.setScalar32(i.operands[0], u32(exact));
    w.scc = exact != i64(i32(exact));
  });
  add({"s_mulk_i32"}, [](Wave &w, const Instruction &i) {
    w.setScalar32(i.operands[0], w.scalar32(i.operands[0]) * u32(i32(int16_t(i.operands[1].bits))));
  });
  /// The chosen operand is told by SCC: whether it is the first one.
  add({"s_min_i32"}, [](Wave &w, const Instruction &i) {
    i32 a = i32(w.scalar32(i.operands[1])), b = i32(w.scalar32(i.operands[2]));
    w.setScalar32(i.operands[0], u32(std::min(a, b))), w.scc = a < b;
  });
  add({"s_max_i32"}, [](Wave &w, const Instruction &i) {
    i32 a = i32(w.scalar32(i.operands[1])), b = i32(w.scalar32(i.operands[2]));
    w.setScalar32(i.operands[0], u32(std::max(a, b))), w.scc = a >= b;
  });
  add({"s_min_u32"}, [](Wave &w, const Instruction &i) {
    u32 a = w.scalar32(i.operands[1]), b = w.scalar32(i.operands[2]);
    w.setScalar32(i.operands[0], std::min(a, b)), w.scc = a < b;
  });
  add({"s_max_u32"}, [](Wave &w, const Instruction &i) {
    u32 a = w.scalar32(i.operands[1]), b = w.scalar32(i.operands[2]);
    w.setScalar32(i.operands[0], std::max(a, b)), w.scc = a >= b;
  });
  add({"s_abs_i32"}, unary<decltype([](u32 a) { return i32(a) < 0 ? 0 - a : a; }), u32, u32, Scc::NotZero>);
  add({"s_absdiff_i32"},
      binary<decltype([](u32 a, u32 b) { return i32(a - b) < 0 ? b - a : a - b; }), u32, u32, Scc::NotZero>);
  add({"s_sext_i32_i8"}, unary<decltype([](u32 a) { return i32(int8_t(a)); }), u32, u32, Scc::Kept>);
  add({"s_sext_i32_i16"}, unary<decltype([](u32 a) { return i32(int16_t(a)); }), u32, u32, Scc::Kept>);
  add({"s_ashr_i32"}, binary<decltype([](i32 a, u32 n) { return a >> (n & 31); }), u32, i32, Scc::NotZero, u32>);
  add({"s_ashr_i64"}, binary<decltype([](i64 a, u32 n) { return a >> (n & 63); }), u64, i64, Scc::NotZero, u32>);
  add({"s_bfe_u32"}, binary<decltype([](u32 a, u32 c) { return field(a, c); }), u32, u32, Scc::NotZero>);
  add({"s_bfe_i32"}, binary<decltype([](i32 a, u32 c) { return field(a, c); }), u32, i32, Scc::NotZero, u32>);
  add({"s_bfe_u64"}, binary<decltype([](u64 a, u32 c) { return field(a, c); }), u64, u64, Scc::NotZero, u32>);
  add({"s_bfe_i64"}, binary<decltype([](i64 a, u32 c) { return field(a, c); }), u64, i64, Scc::NotZero, u32>);
  auto shifted = [&](const char *name, Handler handler) { add({name}, handler); };
  shifted("s_lshl1_add_u32", [](Wave &w, const Instruction &i) {
    u64 exact = (u64(w.scalar32(i.operands[1])) << 1) + w.scalar32(i.operands[2]);
    w.setScalar32(i.operands[0], u32(exact)), w.scc = exact >> 32 != 0;
  });
  shifted("s_lshl2_add_u32", [](Wave &w, const Instruction &i) {
    u64 exact = (u64(w.scalar32(i.operands[1])) << 2) + w.scalar32(i.operands[2]);
    w.setScalar32(i.operands[0], u32(exact)), w.scc = exact >> 32 != 0;
  });
  shifted("s_lshl3_add_u32", [](Wave &w, const Instruction &i) {
    u64 exact = (u64(w.scalar32(i.operands[1])) << 3) + w.scalar32(i.operands[2]);
    w.setScalar32(i.operands[0], u32(exact)), w.scc = exact >> 32 != 0;
  });
  shifted("s_lshl4_add_u32", [](Wave &w, const Instruction &i) {
    u64 exact = (u64(w.scalar32(i.operands[1])) << 4) + w.scalar32(i.operands[2]);
    w.setScalar32(i.operands[0], u32(exact)), w.scc = exact >> 32 != 0;
  });
  add({"s_pack_ll_b32_b16"},
      binary<decltype([](u32 a, u32 b) { return (a & 0xffff) | b << 16; }), u32, u32, Scc::Kept>);
  add({"s_pack_lh_b32_b16"},
      binary<decltype([](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }), u32, u32, Scc::Kept>);
  add({"s_pack_hh_b32_b16"},
      binary<decltype([](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }), u32, u32, Scc::Kept>);
  add({"s_pack_hl_b32_b16"}, binary<decltype([](u32 a, u32 b) { return a >> 16 | b << 16; }), u32, u32, Scc::Kept>);
  add({"s_flbit_i32_b32", "s_clz_i32_u32"},
      unary<decltype([](u32 a) { return a == 0 ? ~0u : u32(std::countl_zero(a)); }), u32, u32, Scc::Kept>);
  add({"s_flbit_i32_b64", "s_clz_i32_u64"},
      unary<decltype([](u64 a) { return a == 0 ? ~0u : u32(std::countl_zero(a)); }), u32, u64, Scc::Kept>);
  add({"s_flbit_i32", "s_cls_i32"}, unary<decltype([](i32 a) { return leadingSigns(a); }), u32, i32, Scc::Kept>);
  add({"s_flbit_i32_i64", "s_cls_i32_i64"},
      unary<decltype([](i64 a) { return leadingSigns(a); }), u32, i64, Scc::Kept>);
}

void addControl(Adder &add) {
  add({"s_branch"}, branch<decltype([](const Wave &) { return true; })>);
  add({"s_cbranch_scc0"}, branch<decltype([](const Wave &w) { return !w.scc; })>);
  add({"s_cbranch_scc1"}, branch<decltype([](const Wave &w) { return w.scc; })>);
  add({"s_cbranch_vccz"}, branch<decltype([](const Wave &w) { return w.vcc() == 0; })>);
  add({"s_cbranch_vccnz"}, branch<decltype([](const Wave &w) { return w.vcc() != 0; })>);
  add({"s_cbranch_execz"}, branch<decltype([](const Wave &w) { return w.exec() == 0; })>);
  add({"s_cbranch_execnz"}, branch<decltype([](const Wave &w) { return w.exec() != 0; })>);
  add({"s_getpc_b64"}, [](Wave &w, const Instruction &i) { w.setScalar64(i.operands[0], programCounter(i)); });
  add({"s_setpc_b64"}, [](Wave &w, const Instruction &i) { jump(w, i, w.scalar64(i.operands[0])); });
  add({"s_swappc_b64"}, [](Wave &w, const Instruction &i) {
    u64 address = w.scalar64(i.operands[1]);
    w.setScalar64(i.operands[0], programCounter(i));
    jump(w, i, address);
  });
  add({"s_endpgm"}, [](Wave &w, const Instruction &) { w.ended = true; });
  add({"s_barrier", "s_barrier_wait"}, [](Wave &w, const Instruction &) { w.waiting = true; });
  add({"s_trap"}, [](Wave &, const Instruction &) { throw Fault("the kernel trapped"); });
  // Waits, hints and cache control: every access is complete before the next instruction here.
  add({"s_waitcnt",
       "s_waitcnt_vscnt",
       "s_waitcnt_depctr",
       "s_waitcnt_vmcnt",
       "s_waitcnt_lgkmcnt",
       "s_waitcnt_expcnt",
       "s_wait_loadcnt",
       "s_wait_storecnt",
       "s_wait_dscnt",
       "s_wait_kmcnt",
       "s_wait_samplecnt",
       "s_wait_bvhcnt",
       "s_wait_expcnt",
       "s_wait_loadcnt_dscnt",
       "s_wait_storecnt_dscnt",
       "s_wait_alu",
       "s_wait_idle",
       "s_nop",
       "s_delay_alu",
       "s_clause",
       "s_code_end",
       "s_inst_prefetch",
       "s_set_inst_prefetch_distance",
       "s_setprio",
       "s_sleep",
       "s_sendmsg",
       "s_icache_inv",
       "s_dcache_inv",
       "s_dcache_wb",
       "s_barrier_signal",
       "buffer_gl0_inv",
       "buffer_gl1_inv",
       "buffer_wbl2",
       "buffer_inv",
       "buffer_wbinvl1",
       "buffer_wbinvl1_vol",
       "global_inv",
       "global_wb",
       "global_wbinv",
       "s_wakeup"},
      nothing);
}

} // namespace

void addScalar(HandlerTable &table) {
  Adder add(table);
  addLogic<u32>(add, "b32");
  addLogic<u64>(add, "b64");
  addCompares<i32>(add, "i32", true);
  addCompares<u32>(add, "u32", true);
  addCompares<u64>(add, "u64", false);
  addArithmetic(add);
  addControl(add);
  addScalarFloats(table);
}

} // namespace tegula::emulator
