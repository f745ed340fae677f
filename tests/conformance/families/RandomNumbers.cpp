// Counter-based random numbers, written out and by the functions of tl: integers bit for bit.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace randomNumbers_family {

using Words = std::array<uint32_t, 4>;

Words philox(Words c, uint32_t k0, uint32_t k1, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    uint64_t p0 = uint64_t(c[0]) * 0xD2511F53, p1 = uint64_t(c[2]) * 0xCD9E8D57;
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

using WideWords = std::array<uint64_t, 4>;

WideWords philoxWide(WideWords c, uint64_t k0, uint64_t k1, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    auto p0 = static_cast<unsigned __int128>(c[0]) * 0xD2E7470EE14C6C93u;
    auto p1 = static_cast<unsigned __int128>(c[2]) * 0xCA5A826395121157u;
    c = {static_cast<uint64_t>(p1 >> 64) ^ c[1] ^ k0, static_cast<uint64_t>(p1),
         static_cast<uint64_t>(p0 >> 64) ^ c[3] ^ k1, static_cast<uint64_t>(p0)};
    k0 += 0x9E3779B97F4A7C15u;
    k1 += 0xBB67AE8584CAA73Bu;
  }
  return c;
}

/// The words that the functions of tl give for a seed and an offset.
Words wordsAt(int64_t seed, uint64_t offset) {
  auto key = static_cast<uint64_t>(seed);
  return philox({static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32), 0, 0}, static_cast<uint32_t>(key),
                static_cast<uint32_t>(key >> 32), 10);
}

/// In [0, 1): the word as a signed number, mirrored where negative, times f32's 4.6566127342e-10.
float uniform(uint32_t word) {
  auto number = static_cast<int32_t>(word);
  return static_cast<float>(number < 0 ? -number - 1 : number) * 4.6566127342e-10f;
}

/// Of two uniform numbers by Box and Muller: the cosine's, or the sine's.
Number normal(float u, float v, bool isSine) {
  Number radius = std::sqrt(-2 * std::log(static_cast<Number>(std::max(1e-7f, u))));
  auto angle = static_cast<Number>(6.283185307179586f * v);
  return radius * (isSine ? std::sin(angle) : std::cos(angle));
}

void addFunctions(Cases &cases, int64_t seed, int64_t n, int64_t programs, int warps) {
  constexpr int64_t kFar = int64_t(5) << 33;
  const int64_t count = n * programs;
  const std::string tag = "seed=" + std::to_string(seed) + ",n=" + std::to_string(n);
  cases.add("random", "random.py", "tl_philox", tag)
      .out(DType::U32, 4 * count, exact(), each([seed](const Inputs &, int64_t i) {
             auto key = static_cast<uint64_t>(seed);
             Words words = philox({static_cast<uint32_t>(i / 4), 7, 0, 0}, static_cast<uint32_t>(key),
                                  static_cast<uint32_t>(key >> 32), 6);
             return static_cast<Number>(words[static_cast<size_t>(i % 4)]);
           }))
      .value(seed)
      .with("N", n)
      .with("ROUNDS", 6)
      .grid(programs)
      .warps(warps);
  auto word = [seed, count](int64_t i) {
    if (i < count)
      return static_cast<Number>(wordsAt(seed, static_cast<uint64_t>(i))[0]);
    Words far = wordsAt(seed, static_cast<uint64_t>(i - count + kFar));
    return static_cast<Number>(far[1] ^ far[2] ^ far[3]);
  };
  cases.add("random", "random.py", "functions", tag)
      .out(DType::U32, 2 * count, exact(), each([word](const Inputs &, int64_t i) { return word(i); }))
      .out(DType::F32, 2 * count, exact(), each([seed, count](const Inputs &, int64_t i) {
             return static_cast<Number>(uniform(wordsAt(seed, static_cast<uint64_t>(i % count))[i < count ? 0 : 3]));
           }))
      .out(DType::F32, 2 * count, near(1e-5, 1e-5), each([seed, count](const Inputs &, int64_t i) {
             Words w = wordsAt(seed, static_cast<uint64_t>(i % count));
             return i < count ? normal(uniform(w[0]), uniform(w[1]), false)
                              : normal(uniform(w[2]), uniform(w[3]), true);
           }))
      .value(seed)
      .with("N", n)
      .with("FAR", kFar)
      .grid(programs)
      .warps(warps);
}

} // namespace randomNumbers_family

void addRandomNumbers(Cases &cases) {
  using namespace randomNumbers_family;
  struct Setting {
    int64_t n, programs, k0, k1, rounds;
    int warps;
  };
  addFunctions(cases, 0, 64, 3, 1);
  addFunctions(cases, 123456789, 256, 2, 4);
  addFunctions(cases, -5, 128, 1, 2);
  addFunctions(cases, (int64_t(77) << 32) + 3, 32, 2, 1);
  // Key 0 and counter 0 are the published test vector: 16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b
  // 7e68b68aec7ba23b.
  for (auto [k0, k1] : {std::pair<int64_t, int64_t>{0, 0}, {(int64_t(9) << 40) + 1, 17}})
    cases.add("random", "random.py", "philox_wide", "key=" + std::to_string(k0))
        .out(DType::U64, 4 * 64, exact(), each([k0 = k0, k1 = k1](const Inputs &, int64_t i) {
               WideWords words = philoxWide({static_cast<uint64_t>(i / 4), 0, 0, 0}, static_cast<uint64_t>(k0),
                                            static_cast<uint64_t>(k1), 10);
               return static_cast<Number>(words[static_cast<size_t>(i % 4)]);
             }))
        .value(k0)
        .value(k1)
        .with("N", 32)
        .with("ROUNDS", 10)
        .grid(2)
        .warps(1);
  // Key 0 and counter 0 are the published test vector: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  for (const Setting &s :
       {Setting{64, 3, 0, 0, 10, 1}, Setting{256, 2, 12345, -7, 10, 4}, Setting{1024, 1, -1, 42, 6, 8}}) {
    auto at = [s](int64_t i) {
      return philox({static_cast<uint32_t>(i), 0, 0, 0}, static_cast<uint32_t>(s.k0), static_cast<uint32_t>(s.k1),
                    static_cast<int>(s.rounds));
    };
    auto add = [&](const char *kernel, DType type, int64_t count, Policy policy, Reference expected) -> Case & {
      return cases.add("random", "random.py", kernel, "key=" + std::to_string(s.k0) + ",n=" + std::to_string(s.n))
          .out(type, count, policy, std::move(expected))
          .value(s.k0)
          .value(s.k1)
          .with("N", s.n)
          .with("ROUNDS", s.rounds)
          .grid(s.programs)
          .warps(s.warps);
    };
    int64_t count = s.n * s.programs;
    add("words", DType::U32, 4 * count, exact(),
        each([at](const Inputs &, int64_t i) { return static_cast<Number>(at(i / 4)[static_cast<size_t>(i % 4)]); }));
    add("uniform", DType::F32, count, exact(),
        each([at](const Inputs &, int64_t i) { return std::ldexp(static_cast<Number>(at(i)[0] >> 8), -24); }));
    // The angle is rounded to f32 before its cosine, and the cosine can be near zero.
    add("normal", DType::F32, count, near(1e-5, 1e-5), each([at](const Inputs &, int64_t i) {
          Number u = std::ldexp(static_cast<Number>(at(i)[0] >> 8) + 1, -24);
          Number angle = static_cast<Number>(at(i)[1] >> 8) * 3.7450704e-07L;
          return std::sqrt(-2 * std::log(u)) * std::cos(angle);
        }));
    cases.add("random", "random.py", "word_loop", "key=" + std::to_string(s.k0) + ",n=" + std::to_string(s.n))
        .out(DType::U32, s.n, exact(), each([s](const Inputs &, int64_t i) {
               Words words = {static_cast<uint32_t>(i), 0, 0, 0};
               for (int round = 0; round < 5; ++round)
                 words = philox(words, static_cast<uint32_t>(s.k0), static_cast<uint32_t>(s.k1),
                                static_cast<int>(s.rounds));
               return static_cast<Number>(words[0] ^ words[1] ^ words[2] ^ words[3]);
             }))
        .value(s.k0)
        .value(s.k1)
        .value(5)
        .with("N", s.n)
        .with("ROUNDS", s.rounds)
        .warps(s.warps);
  }
}

} // namespace tegula::conformance
