// Counter-based random numbers, which no library function provides yet: integers bit for bit.
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

} // namespace randomNumbers_family

void addRandomNumbers(Cases &cases) {
  using namespace randomNumbers_family;
  struct Setting {
    int64_t n, programs, k0, k1, rounds;
    int warps;
  };
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
