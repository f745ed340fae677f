// Products whose loop over blocks of the depth skips some blocks, by a branch (tile-hoist-loads).
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace skipped_family {

struct Skipped {
  std::string form, flags;
  int64_t k = 160;
  DType type = DType::F16;
  int warps = 4;
};

/// Flags of blocks: "indexed" has numbers of blocks, from 1 on.
int64_t flagOf(const Skipped &s, int64_t block, int64_t blocks) {
  bool isTaken = s.flags == "all" || (s.flags == "some" && block % 3 != 1);
  return !isTaken ? 0 : s.form == "indexed" ? 1 + (block * 2 + 1) % blocks : 1;
}

void add(Cases &cases, const Skipped &s) {
  constexpr int64_t kM = 64, kN = 64, kK = 32;
  const int64_t m = s.form == "stored" ? kM : 120, n = s.form == "stored" ? kN : 136, k = s.k;
  const int64_t blocks = (k + kK - 1) / kK, limit = s.flags == "all" ? k : s.flags == "some" ? k / 2 : 0;
  auto reference = [=](const Inputs &in, int64_t) {
    Expected out;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Number total = 0;
        for (int64_t block = 0; block < blocks; ++block) {
          int64_t flag = static_cast<int64_t>(in(2, block)), from = block;
          bool isTaken = s.form == "limit" ? block * kK < limit : flag != 0;
          if (!isTaken && s.form != "either")
            continue;
          if (s.form == "indexed")
            from = flag - 1;
          if (!isTaken)
            from = blocks - 1 - block;
          for (int64_t p = 0; p < kK; ++p) {
            int64_t left = block * kK + p, right = from * kK + p;
            if (left < k && right < k)
              total += in(0, i * k + left) * (s.form == "stored" ? 3 : in(1, right * n + j)) * (isTaken ? 1 : 2);
          }
        }
        out.push_back(total);
      }
    return out;
  };
  Case &made = cases.add("skipped", "skipped.py", "product",
                         s.form + "," + s.flags + "," + named(s.type) + ",depth " + std::to_string(k) +
                             ",w=" + std::to_string(s.warps));
  made.in(s.type, m * k, whole(-2, 2));
  if (s.form == "stored")
    made.inOut(s.type, k * n, whole(-2, 2), exact(),
               each([=](const Inputs &in, int64_t at) { return in(2, at / n / kK) != 0 ? 3 : in(1, at); }));
  else
    made.in(s.type, k * n, whole(-2, 2));
  made.in(DType::I32, blocks, byIndex([=](int64_t block) { return flagOf(s, block, blocks); }))
      .out(s.type, m * n, exactAnyZero(), reference)
      .value(m)
      .value(n)
      .value(k)
      .value(limit)
      .with("M", kM)
      .with("N", kN)
      .with("K", kK)
      .with("FORM", s.form)
      .grid((m + kM - 1) / kM, (n + kN - 1) / kN)
      .warps(s.warps);
}

} // namespace skipped_family

void addSkipped(Cases &cases) {
  using namespace skipped_family;
  for (const char *form : {"flags", "limit", "indexed", "either", "stored"})
    for (const char *flags : {"all", "some", "none"})
      for (int64_t k : {8, 32, 160, 200})
        add(cases, {form, flags, k});
  for (const char *form : {"flags", "indexed", "either"})
    for (DType type : {DType::BF16, DType::F32})
      for (int warps : {4, 8})
        add(cases, {form, "some", 160, type, warps});
}

} // namespace tegula::conformance
