// Atomics of global and flat memory and of LDS. Lanes share cells, each in its turn: the order does not matter for the
// result but for exchanges, whose cells are a lane's own.
#include "tests/emulator/tests/Accesses.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegula::emulator::test {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct Atomic {
  std::string old, fresh; // names before gfx11 and later, without their width
  bool isFloat = false, isShared = false;
  u64 (*apply)(u64 cell, u64 data, unsigned bits);
};

int64_t number(u64 x, unsigned bits) { return bits == 64 ? int64_t(x) : int32_t(u32(x)); }
u64 unsignedNumber(u64 x, unsigned bits) { return bits == 64 ? x : u32(x); }

template <class Sum> u64 eachHalf(u64 a, u64 b, Sum sum) {
  u64 low = sum(uint16_t(a), uint16_t(b)), high = sum(uint16_t(a >> 16), uint16_t(b >> 16));
  return low | high << 16;
}

u64 halves(u64 a, u64 b, unsigned) {
  return eachHalf(a, b, [](uint16_t x, uint16_t y) {
    auto isNan = [](uint16_t bits) { return (bits & 0x7fff) > 0x7c00; };
    auto sum = std::bit_cast<uint16_t>(_Float16(std::bit_cast<_Float16>(x) + std::bit_cast<_Float16>(y)));
    return isNan(sum) ? uint16_t(isNan(x) ? x | 0x200 : isNan(y) ? y | 0x200 : 0x7e00) : sum;
  });
}

u64 brains(u64 a, u64 b, unsigned) {
  return eachHalf(a, b, [](uint16_t x, uint16_t y) {
    auto value = [](uint16_t bits) { return double(std::bit_cast<float>(u32(bits) << 16)); };
    double sum = value(x) + value(y);
    if (std::isnan(sum)) // the first that is one, made quiet
      return uint16_t((std::isnan(value(x)) ? x : std::isnan(value(y)) ? y : 0x7fc0) | 0x40);
    // The two neighbours of the sum, which f64 holds; the nearer one, or the even one.
    auto down = uint16_t(std::bit_cast<u32>(float(sum)) >> 16), up = uint16_t(down + 1);
    if (std::isinf(value(down)))
      return down;
    double below = std::fabs(sum - value(down)),
           above = std::fabs((std::isinf(value(up)) ? std::copysign(0x1p128, sum) : value(up)) - sum);
    return below < above || (below == above && down % 2 == 0) ? down : up;
  });
}

/// The lesser or the greater of two floats, by sign and magnitude. What is no number gives way.
template <bool isGreater> u64 extremum(u64 a, u64 b, unsigned bits) {
  u64 sign = u64(1) << (bits - 1), infinity = bits == 64 ? u64(0x7ff) << 52 : u64(0xff) << 23;
  auto isNone = [&](u64 x) { return (x & (sign - 1)) > infinity; };
  auto order = [&](u64 x) { return x & sign ? ~x & (2 * sign - 1) : x | sign; };
  if (isNone(a) || isNone(b))
    return isNone(a) ? b : a;
  return (order(a) < order(b)) != isGreater ? a : b;
}

const Atomic kAtomics[] = {
    {"min_f", "min_f", true, false, extremum<false>},
    {"max_f", "max_f", true, false, extremum<true>},
    {"min_num_f", "min_num_f", true, false, extremum<false>},
    {"max_num_f", "max_num_f", true, false, extremum<true>},
    {"add", "add_u", false, true, [](u64 a, u64 b, unsigned) { return a + b; }},
    {"sub", "sub_u", false, true, [](u64 a, u64 b, unsigned) { return a - b; }},
    {"smin", "min_i", false, true, [](u64 a, u64 b, unsigned n) { return number(a, n) < number(b, n) ? a : b; }},
    {"smax", "max_i", false, true, [](u64 a, u64 b, unsigned n) { return number(a, n) > number(b, n) ? a : b; }},
    {"umin", "min_u", false, true,
     [](u64 a, u64 b, unsigned n) { return unsignedNumber(a, n) < unsignedNumber(b, n) ? a : b; }},
    {"umax", "max_u", false, true,
     [](u64 a, u64 b, unsigned n) { return unsignedNumber(a, n) > unsignedNumber(b, n) ? a : b; }},
    {"and", "and_b", false, true, [](u64 a, u64 b, unsigned) { return a & b; }},
    {"or", "or_b", false, true, [](u64 a, u64 b, unsigned) { return a | b; }},
    {"xor", "xor_b", false, true, [](u64 a, u64 b, unsigned) { return a ^ b; }},
    {"swap", "swap_b", false, false, [](u64, u64 b, unsigned) { return b; }},
    {"add_f", "add_f", true, false,
     [](u64 a, u64 b, unsigned bits) -> u64 {
       if (bits == 64)
         return std::bit_cast<u64>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
       return std::bit_cast<u32>(std::bit_cast<float>(u32(a)) + std::bit_cast<float>(u32(b)));
     }},
};

enum class Space : uint8_t { Global, GlobalBase, Flat, FlatShared, Shared };

class Trial {
public:
  Trial(Bench &bench, Space space, unsigned bits) : b_(bench), space_(space), bytes_(bits / 8) {
    b_.fill();
    Wave &w = b_.machine.wave;
    w.setExec(chance(b_.random, 2) ? b_.machine.allLanes() : random64(b_.random) & b_.machine.allLanes());
    bool isShared = space == Space::Shared || space == Space::FlatShared;
    memory_ = isShared ? b_.machine.group.lds.data() : b_.host.data();
    for (unsigned lane = 0; lane < w.lanes; ++lane) {
      u64 at = 64 + bytes_ * (lane / 2); // two lanes a cell
      cells_.push_back(at);
      u64 address = space == Space::Shared ? 0 : space == Space::FlatShared ? w.pair(kShared) : u64(b_.host.data());
      if (space == Space::GlobalBase)
        b_.machine.setVector(0, lane, at - 8);
      else
        b_.machine.setVector(0, lane, address + at - (space == Space::Flat || space == Space::FlatShared ? 0 : 8), 2);
    }
    w.setPair(8, u64(b_.host.data()));
  }

  std::string addressText() const { return space_ == Space::GlobalBase || space_ == Space::Shared ? "v0" : "v[0:1]"; }
  std::string behind() const {
    switch (space_) {
    case Space::Global: return ", off offset:8";
    case Space::GlobalBase: return ", s[8:9] offset:8";
    case Space::Shared: return " offset:8";
    default: return "";
    }
  }

  /// v[32:35]: the data; of an exchange on a condition first the new value, then the awaited one.
  void check(const std::vector<Instruction> &code, bool returns, u64 (*apply)(u64, u64, unsigned)) {
    Wave &w = b_.machine.wave;
    unsigned words = bytes_ / 4;
    for (unsigned lane = 0; lane < w.lanes && !apply; ++lane) // half of the awaited values are there
      if (chance(b_.random, 2))
        b_.machine.setVector(kData + words, lane, cell(memory_, lane), words);
    if (apply && chance(b_.random, 2))
      for (unsigned lane = 0; lane < w.lanes; ++lane) // floats with the same exponent, or numbers
        b_.machine.setVector(kData, lane, 0x3f800000 + (random64(b_.random) & 0xfff) * 0x100000001, words);
    std::vector<uint8_t> expected(memory_, memory_ + 4096), before = expected;
    std::vector<u32> vectors = w.vectors;
    for (unsigned lane = 0; lane < w.lanes; ++lane) {
      if (!w.isActive(lane))
        continue;
      u64 old = cell(expected.data(), lane), data = b_.machine.vector(kData, lane, words);
      u64 fresh = apply                                                  ? apply(old, data, 8 * bytes_)
                  : old == b_.machine.vector(kData + words, lane, words) ? data
                                                                         : old;
      std::memcpy(&expected[cells_[lane]], &fresh, bytes_);
      for (unsigned word = 0; returns && word < words; ++word)
        vectors[(24 + word) * w.lanes + lane] = u32(old >> 32 * word);
    }
    b_.machine.run(code);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory_)) << b_.machine.target << " " << code[0].text;
    ASSERT_EQ(w.vectors, vectors) << b_.machine.target << " " << code[0].text;
  }

  static constexpr unsigned kData = 32;

private:
  u64 cell(const uint8_t *memory, unsigned lane) const {
    u64 value = 0;
    std::memcpy(&value, memory + cells_[lane], bytes_);
    return value;
  }

  Bench &b_;
  Space space_;
  unsigned bytes_;
  uint8_t *memory_ = nullptr;
  std::vector<u64> cells_;
};

void checkOne(Bench &b, Space space, unsigned bits, const std::string &name, bool isConditional,
              u64 (*apply)(u64, u64, unsigned), bool returns) {
  for (unsigned round = 0; round < 3 && !::testing::Test::HasFailure(); ++round) {
    Trial trial(b, space, bits);
    std::string text = name + " " + (returns ? registers('v', 24, bits / 32) + ", " : "") + trial.addressText() + ", " +
                       registers('v', Trial::kData, (isConditional ? 2 : 1) * bits / 32) + trial.behind();
    if (returns && space != Space::Shared)
      text += b.machine.target == "gfx942" ? " sc0" : b.machine.target == "gfx1201" ? " th:TH_ATOMIC_RETURN" : " glc";
    std::vector<Instruction> code = instructions(text, b.machine.target);
    if (code.empty() || code[0].name != name)
      return;
    trial.check(code, returns, apply);
  }
}

TEST(Atomic, GlobalAndFlat) {
  for (const std::string &target : kTargets) {
    Bench b(target);
    for (Space space : {Space::Global, Space::GlobalBase, Space::Flat, Space::FlatShared})
      for (unsigned bits : {32u, 64u})
        for (bool returns : {false, true}) {
          std::string begin = space <= Space::GlobalBase ? "global_atomic_" : "flat_atomic_";
          std::string n = std::to_string(bits), x2 = bits == 64 ? "_x2" : "";
          for (const Atomic &a : kAtomics) {
            if (!a.isFloat)
              checkOne(b, space, bits, begin + a.old + x2, false, a.apply, returns);
            checkOne(b, space, bits, begin + a.fresh + n, false, a.apply, returns);
          }
          if (bits == 32) {
            checkOne(b, space, bits, begin + "pk_add_f16", false, halves, returns);
            checkOne(b, space, bits, begin + "pk_add_bf16", false, brains, returns);
          }
          checkOne(b, space, bits, begin + "cmpswap" + x2, true, nullptr, returns);
          checkOne(b, space, bits, begin + "cmpswap_b" + n, true, nullptr, returns);
        }
  }
}

TEST(Atomic, Shared) {
  for (const std::string &target : kTargets) {
    Bench b(target);
    for (const Atomic &a : kAtomics)
      for (bool returns : {false, true}) {
        size_t type = a.fresh.find('_');
        std::string name = "ds_" + a.fresh.substr(0, type) + (returns ? "_rtn" : "") + a.fresh.substr(type) + "32";
        if (a.isShared)
          checkOne(b, Space::Shared, 32, name, false, a.apply, returns);
      }
  }
}

/// An atomic at an address that is not a multiple of its size.
TEST(Atomic, UnalignedIsAFault) {
  Bench b("gfx1100");
  b.machine.setVector(0, 0, reinterpret_cast<u64>(b.host.data()) + 2, 2);
  b.machine.wave.setExec(1);
  EXPECT_THROW(b.machine.run("global_atomic_add_u32 v[0:1], v2, off"), Fault);
}

} // namespace
} // namespace tegula::emulator::test
