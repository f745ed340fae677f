// Products through plain pointers: launches that can derive descriptors of the tensors, and launches of the same
// kernels that break one of the conditions for that (core/contracts/DerivedTensor.h).
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

namespace tegula::conformance {
namespace {

struct Product {
  std::string variant = {};
  DType type = DType::F16;
  int64_t m = 128, n = 128, k = 96, entries = 1;
  int64_t am = 0, ak = 1, bk = 0, bn = 1; // am, bk 0: rows that follow each other
  int64_t shift = 0, first = 0;
  int64_t leadA = 0, leadB = 0;
  bool moves = true;
  int64_t group = 0, morePrograms = 0;
  int64_t unused = 0;      // what is passed as `shift` where rows are not shifted
  int64_t claimedRows = 0; // what is passed as m, if not 0; programs are only those of the rows that there are
  int64_t tileRows = 64, tileColumns = 64;
  int64_t tileDepth = 0; // 0: 32, or 64 for bytes
  std::string eviction = {};
};

void addProduct(Cases &cases, Product s, const std::string &rows) {
  DType sum = s.type == DType::I8 ? DType::I32 : DType::F32;
  int64_t depth = s.tileDepth ? s.tileDepth : s.type == DType::I8 ? 64 : 32;
  s.am = s.am ? s.am : s.k;
  s.bk = s.bk < 0 ? 0 : s.bk ? s.bk : s.n;
  int64_t batch = (s.am * s.m + s.ak * s.k) / 16 * 16 + 16; // more than an entry takes; a multiple of 16 bytes
  int64_t skipped = rows == "wrapped" ? 0 : s.first + s.shift;
  int64_t sizeA = s.entries * batch + (skipped + s.m) * s.am + s.k * s.ak, sizeB = s.k * s.bk + s.n * s.bn + s.n;
  auto reference = [=](const Inputs &in, int64_t) {
    Expected out;
    for (int64_t e = 0; e < s.entries; ++e)
      for (int64_t i = 0; i < s.m; ++i)
        for (int64_t j = 0; j < s.n; ++j) {
          int64_t value = 0;
          for (int64_t p = 0; p < s.k; ++p)
            value += static_cast<int64_t>(in(0, e * batch + (skipped + i) * s.am + p * s.ak)) *
                     static_cast<int64_t>(in(1, p * s.bk + j * s.bn));
          out.push_back(static_cast<Number>(value));
        }
    return out;
  };
  Case &made = cases.add("derived", "derived.py", "product", s.variant + "," + rows)
                   .in(s.type, sizeA, whole(-4, 4), s.leadA)
                   .in(s.type, sizeB, whole(-4, 4), s.leadB)
                   .out(sum, s.entries * s.m * s.n, exactAnyZero(), reference);
  int64_t passedRows = s.claimedRows ? s.claimedRows : s.m, shift = s.shift ? s.shift : s.unused;
  for (int64_t value : {passedRows, s.n, s.k, s.am, s.ak, s.bk, s.bn, shift, batch})
    made.value(value);
  made.with("M", s.tileRows)
      .with("N", s.tileColumns)
      .with("K", depth)
      .with("FIRST", s.first)
      .with("SHIFTED", s.shift != 0)
      .with("ROWS", rows)
      .with("MOVES", s.moves)
      .with("GROUP", s.group)
      .with("SUM", sum)
      .with("EVICTION", s.eviction)
      .warps(4);
  int64_t tilesDown = (s.m + s.tileRows - 1) / s.tileRows, tilesAcross = (s.n + s.tileColumns - 1) / s.tileColumns;
  if (s.group)
    made.grid(tilesDown * tilesAcross + s.morePrograms, 1, s.entries);
  else
    made.grid(tilesDown, tilesAcross, s.entries);
}

/// Products of f32 as tf32, whose factors are rounded to the nearest on their way: `extremes` says which of them shows
/// that.
void addRounded(Cases &cases, const std::string &extremes) {
  constexpr int64_t m = 128, n = 96, k = 64;
  constexpr double kBetween = 1.5 * 0x1p-11; // the errors of a number that is rounded and of one that is cut off
  Fill others = listed({0.5, -0.25, 0.125, -0.0625}), edges = extremesOnDiagonal(k, /*largest=*/false);
  Case &made = cases.add("derived", "derived.py", "product", "f32,B^T,extremes in " + extremes)
                   .in(DType::F32, m * k, extremes == "A" ? edges : others)
                   .in(DType::F32, n * k, extremes == "B" ? edges : others)
                   .out(DType::F32, m * n, near(0, kBetween), matrixProduct(n, k, k, 1, 1, k));
  for (int64_t value : {m, n, k, k, int64_t(1), int64_t(1), k, int64_t(0), m * k})
    made.value(value);
  made.with("M", 64).with("N", 32).with("K", 32).with("FIRST", 0).with("SHIFTED", false).with("ROWS", "masked");
  made.with("MOVES", true).with("GROUP", 0).with("SUM", DType::F32).with("EVICTION", std::string());
  made.warps(4).grid(m / 64, n / 32);
}

/// A product whose result is joined with a block that threads load, and which hardware may copy out all the same.
struct Joined {
  std::string form;
  DType type = DType::F16, ofBlock = DType::F16;
  int64_t m = 128, n = 128, k = 96;
  int64_t blockM = 64, blockN = 64, warps = 4;
  bool byColumns = false, inPlace = false;
  int64_t lead = 0;   // of the block's array
  int64_t depth = 32; // of a block
  int64_t stages = 3;
};

void addJoined(Cases &cases, const Joined &s) {
  int64_t rm = s.byColumns ? 1 : s.n, rn = s.byColumns ? s.m : 1;
  auto reference = [=](const Inputs &in, int64_t) {
    Expected out;
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        int64_t sum = 0;
        for (int64_t p = 0; p < s.k; ++p)
          sum += static_cast<int64_t>(in(0, i * s.k + p)) * static_cast<int64_t>(in(1, p * s.n + j));
        auto r = [&](int64_t row, int64_t column) { return static_cast<int64_t>(in(2, row * rm + column * rn)); };
        if (s.form == "twice")
          sum *= 2;
        if (s.form == "gate")
          sum = r(i, j) > 0 ? sum : 0;
        else
          sum += r(i, j);
        if (s.form == "two sums")
          sum += r(s.m - 1 - i, j);
        if (s.form == "transposed") { // within the program's block
          int64_t row = i / s.blockM * s.blockM + j % s.blockN, column = j / s.blockN * s.blockN + i % s.blockM;
          sum += row < s.m && column < s.n ? r(row, column) : 0;
        }
        out.push_back(static_cast<Number>(sum));
      }
    return out;
  };
  std::string variant =
      named(s.type) + "," + s.form + (s.ofBlock == s.type ? "" : "," + named(s.ofBlock)) + "," + std::to_string(s.m) +
      "x" + std::to_string(s.n) + (s.byColumns ? ",by columns" : "") + (s.inPlace ? ",in place" : "") +
      (s.lead ? ",begins anywhere" : "") + (s.warps == 4 ? "" : ",warps=" + std::to_string(s.warps)) +
      (s.stages == 3 ? "" : ",stages=" + std::to_string(s.stages)) +
      (s.depth == 32 ? "" : ",depth=" + std::to_string(s.depth)) + (s.k == 96 ? "" : ",k=" + std::to_string(s.k));
  Case &made = cases.add("derived", "derived.py", "joined", variant)
                   .in(s.type, std::max<int64_t>(s.m * s.k, 1), whole(-2, 2))
                   .in(s.type, std::max<int64_t>(s.k * s.n, 1), whole(-2, 2));
  if (s.inPlace)
    made.inOut(s.ofBlock, s.m * s.n, whole(-8, 8), exactAnyZero(), reference).same(2);
  else
    made.in(s.ofBlock, s.m * s.n, whole(-8, 8), s.lead).out(s.type, s.m * s.n, exactAnyZero(), reference);
  for (int64_t value : {s.m, s.n, s.k, rm, rn})
    made.value(value);
  made.with("M", s.blockM).with("N", s.blockN).with("K", s.depth).with("FORM", s.form).with("STAGES", s.stages);
  made.warps(int(s.warps));
  made.grid((s.m + s.blockM - 1) / s.blockM, (s.n + s.blockN - 1) / s.blockN);
}

void addJoined(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16})
    for (const char *form : {"sum", "gate", "two sums", "transposed", "twice"})
      addJoined(cases, {.form = form, .type = type, .ofBlock = type});
  for (DType ofBlock : {DType::BF16, DType::F32, DType::I8, DType::I32})
    addJoined(cases, {.form = "sum", .ofBlock = ofBlock});
  for (const char *form : {"sum", "gate"})
    for (int64_t size : {72, 100, 130})
      addJoined(cases, {.form = form, .m = size, .n = size});
  addJoined(cases, {.form = "sum", .byColumns = true});
  addJoined(cases, {.form = "sum", .lead = 1});
  for (int64_t size : {128, 72})
    addJoined(cases, {.form = "sum", .m = size, .n = size, .inPlace = true});
  for (const char *form : {"sum", "two sums"})
    addJoined(cases, {.form = form, .m = 200, .n = 320, .blockM = 128, .blockN = 256, .warps = 8});
  addJoined(cases, {.form = "sum", .m = 200, .n = 320, .blockM = 128, .blockN = 256, .warps = 8, .inPlace = true});
  addJoined(cases, {.form = "sum", .m = 256, .n = 128, .blockM = 128, .blockN = 128, .warps = 8});
  // Parts of the block through a ring's stages: four through three, and as many as stages.
  for (const char *form : {"sum", "two sums", "twice"})
    for (int64_t k : {0, 64, 160})
      addJoined(cases, {.form = form, .m = 100, .n = 200, .k = k, .blockN = 128});
  addJoined(cases, {.form = "sum", .m = 100, .n = 200, .blockN = 128, .inPlace = true});
  for (const char *form : {"sum", "twice"}) { // rings that do not fit shared memory beside each other
    Joined deep = {.form = form, .m = 100, .n = 200, .k = 160, .blockN = 128};
    deep.depth = 64;
    deep.stages = 6;
    addJoined(cases, deep);
  }
  for (int64_t depth : {32, 64}) // several programs on a multiprocessor, one after another
    addJoined(cases, {.form = "sum", .m = 1536, .n = 832, .blockM = 128, .blockN = 64, .warps = 8, .depth = depth});
  addJoined( // more registers than a thread has
      cases, {.form = "sum", .ofBlock = DType::F32, .m = 200, .n = 320, .blockM = 128, .blockN = 256, .warps = 8});
}

/// Products of loops that count the depth's elements, and move pointers without masks.
void addStepped(Cases &cases) {
  constexpr int64_t m = 128, n = 192;
  for (DType type : {DType::F16, DType::BF16})
    for (int64_t k : {0, 64, 160})
      for (int64_t first : {0, 32})
        for (int64_t step : {1, 32, 64}) { // 32 is the block's depth
          std::string variant = named(type) + ",depth " + std::to_string(k) + ",from " + std::to_string(first) +
                                ",steps of " + std::to_string(step);
          Case &made = cases.add("derived", "derived.py", "stepped", variant)
                           .in(type, std::max<int64_t>(m * k, 1), whole(-2, 2))
                           .in(type, std::max<int64_t>(k * n, 1), whole(-2, 2))
                           .out(type, m * n, exactAnyZero(), matrixProduct(n, k, k, 1, n, 1));
          made.value(n).value(k).with("M", 64).with("N", 64).with("K", 32).with("FIRST", first).with("STEP", step);
          made.warps(4).grid(n / 64, m / 64);
        }
}

/// Products with few rows: one tile of them, in which no two programs read the same of B, or several.
void addThin(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16, DType::I8, DType::F32})
    for (int64_t tileRows : {16, 32})
      for (int64_t m : {5, 16, 40, 64})
        for (const char *rows : {"wrapped", "masked"}) {
          std::string variant = named(type) + ",thin," + std::to_string(m) + " rows by " + std::to_string(tileRows);
          Product s{.variant = variant, .type = type, .m = m, .n = 192, .k = 160, .group = 2, .tileRows = tileRows};
          if (type == DType::I8)
            s.bk = 1, s.bn = s.k;
          addProduct(cases, s, rows);
        }
}

/// Products of tensors whose rows are no multiple of 32 bytes apart: programs of a cluster copy halves of blocks to
/// each other, where both read the same one. Programs are taken by rows of tiles or by columns, also in odd numbers.
void addShared(Cases &cases) {
  int64_t number = 0;
  for (int64_t m : {64, 168, 192})
    for (int64_t n : {120, 200, 392})
      for (int64_t group : {0, 1, 2}) {
        DType type = number % 2 ? DType::BF16 : DType::F16;
        int64_t depth = number++ % 3 ? 32 : 128; // with 128, blocks of A have halves, too
        std::string variant = named(type) + ",shared," + std::to_string(m) + "x" + std::to_string(n) + ",groups of " +
                              std::to_string(group) + ",depth=" + std::to_string(depth);
        Product s{.variant = variant, .type = type, .m = m, .n = n, .k = 200, .group = group, .tileColumns = 128};
        s.tileDepth = depth;
        for (const char *rows : {"wrapped", "masked"})
          addProduct(cases, s, rows);
      }
  Product odd{.variant = "f16,shared,192x120,one column", .m = 192, .n = 120, .k = 200, .tileColumns = 128};
  addProduct(cases, odd, "masked"); // three programs; the fourth, which is not there, would read the same block of B
  for (int64_t k : {0, 8, 72})
    addProduct(cases,
               {.variant = "f16,shared,k=" + std::to_string(k),
                .m = 192,
                .n = 200,
                .k = k,
                .am = 136,
                .group = 2,
                .tileColumns = 128},
               "masked");
  addProduct(cases,
             {.variant = "f16,shared,entries=3", .m = 64, .n = 200, .entries = 3, .group = 1, .tileColumns = 128},
             "masked");
  addProduct(
      cases,
      {.variant = "f16,shared,more programs", .m = 192, .n = 200, .group = 2, .morePrograms = 3, .tileColumns = 128},
      "masked");
  // Several programs on a multiprocessor, one after another.
  addProduct(cases,
             {.variant = "f16,shared,many programs", .m = 1600, .n = 840, .k = 40, .group = 8, .tileColumns = 128},
             "masked");
}

/// Launches of which each breaks one condition: code that takes descriptors would be wrong for it.
void addBroken(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16, DType::I8, DType::F32}) {
    int64_t piece = type == DType::I8 ? 16 : type == DType::F32 ? 4 : 8; // elements of 16 bytes
    bool isTransposed = piece != 8;                                      // else hardware would not copy B in any launch
    auto add = [&](const std::string &what, Product s) {
      s.type = type;
      s.variant = named(type) + "," + what;
      if (isTransposed) {
        s.bn = s.k + s.bk; // bk: how much longer a line of B is than its elements
        s.bk = 1;
      } else {
        s.bk += s.n;
      }
      for (const char *rows : {"wrapped", "masked"})
        addProduct(cases, s, rows);
    };
    add("A begins anywhere", {.leadA = 1});
    add("B begins anywhere", {.leadB = 1});
    add("A begins at 8 bytes", {.leadA = piece / 2});
    add("odd rows of A", {.am = 97});
    add("odd lines of B", {.bk = 1});
    add("rows of A at 8 bytes", {.am = 96 + piece / 2});
    add("lines of B at 8 bytes", {.bk = piece / 2});
    add("elements of A two apart", {.am = 192, .ak = 2});
    add("a negative argument", {.unused = -1});
    add("rows beyond 2^31 elements", {.claimedRows = 40'000'000});
  }
}

struct Heads {
  int64_t heads, queries, keys, blockQ, blockK;
  int warps;
  bool infinite = false; // a value of every other head's first key
};

/// Sample 08: programs of several heads, of which a launched one may execute two, with a different number of
/// iterations where masks are causal; with fewer keys than queries the first programs of a head have none, and their
/// results are NaN.
void addAttention(Cases &cases, const Heads &h, bool causal) {
  constexpr int64_t kWidth = 64;
  int64_t perHead = h.keys * kWidth;
  auto values = [=](int64_t i) -> Number {
    bool isOne = i % perHead == kWidth - 1 && i / perHead % 2 == 0;
    return isOne ? std::numeric_limits<Number>::infinity() : Number(i % 31 - 15) / 16;
  };
  std::string blocks = by(h.blockQ, h.blockK) + "," + std::to_string(h.warps) + " warps";
  Case &made = cases.add("derived", "08_flash_attention/flash_attention.py", "attention_forward",
                         by(h.heads, h.queries) + "x" + std::to_string(h.keys) + "," + blocks +
                             (h.infinite ? ",infinite" : "") + (causal ? ",causal" : ""));
  made.folder = Folder::Samples;
  made.in(DType::F16, h.heads * h.queries * kWidth, reals(-1, 1))
      .in(DType::F16, h.heads * perHead, reals(-1, 1))
      .in(DType::F16, h.heads * perHead, h.infinite ? byIndex(values) : reals(-1, 1))
      .out(DType::F16, h.heads * h.queries * kWidth, near(4e-3), attentionOf(h.queries, h.keys, kWidth, 0.25, causal))
      .value(h.queries)
      .value(h.keys)
      .real(0.25)
      .with("HEAD", kWidth)
      .with("BLOCK_Q", h.blockQ)
      .with("BLOCK_K", h.blockK)
      .with("CAUSAL", causal)
      .grid(cdiv(h.queries, h.blockQ), h.heads)
      .warps(h.warps);
}

} // namespace

void addDerived(Cases &cases) {
  const std::vector<Product> all = {
      {.variant = "f16"},
      {.variant = "bf16", .type = DType::BF16},
      {.variant = "i8", .type = DType::I8, .bk = 1, .bn = 96},
      {.variant = "f16,B^T", .bk = 1, .bn = 96},
      {.variant = "f32", .type = DType::F32},
      {.variant = "f32,B^T", .type = DType::F32, .bk = 1, .bn = 96},
      {.variant = "f16,A^T", .am = 1, .ak = 128},
      {.variant = "f16,recomputed", .moves = false},
      {.variant = "f16,entries=3", .entries = 3},
      {.variant = "f16,k=33", .k = 33, .am = 40},
      {.variant = "f16,k=1", .k = 1, .am = 8},
      {.variant = "f16,k=0", .k = 0, .am = 8},
      {.variant = "f16,padded rows", .am = 104, .bk = 136},
      {.variant = "f16,aligned by 8 elements", .leadA = 8, .leadB = 8},
      {.variant = "f16,rows of A overlap", .am = 8},
      {.variant = "f16,evict_first", .eviction = "evict_first"},
      {.variant = "f16,evict_last", .eviction = "evict_last"},
      {.variant = "f16,thin,evict_first", .m = 16, .tileRows = 16, .eviction = "evict_first"},
      {.variant = "f16,all rows of B are one", .bk = -1}, // breaks a condition
  };
  for (const Product &each : all)
    for (const char *rows : {"wrapped", "masked", "open"})
      addProduct(cases, each, rows);
  addBroken(cases);
  addJoined(cases);
  addStepped(cases);
  addThin(cases);
  addShared(cases);
  for (const char *extremes : {"A", "B"})
    addRounded(cases, extremes);
  for (int64_t size : {64, 72, 100, 130})
    for (const char *rows : {"wrapped", "masked"})
      addProduct(cases, {.variant = "f16,size=" + std::to_string(size), .m = size, .n = size, .am = 96, .bk = 136},
                 rows);
  for (const char *rows : {"masked", "open"}) {
    addProduct(cases, {.variant = "f16,shift=3", .shift = 3}, rows);
    addProduct(cases, {.variant = "f16,shift=-64", .shift = -64, .first = 64}, rows);
  }
  for (const char *rows : {"wrapped", "masked"}) {
    addProduct(cases, {.variant = "f16,grouped", .m = 192, .group = 2}, rows);
    addProduct(cases, {.variant = "f16,grouped,odd sizes", .m = 168, .n = 120, .bk = 120, .group = 2}, rows);
    // In the last program, the rows left to its group are fewer than none.
    addProduct(cases, {.variant = "f16,grouped,more programs", .m = 192, .group = 2, .morePrograms = 3}, rows);
  }
  for (bool causal : {false, true}) {
    addAttention(cases, {3, 192, 192, 64, 128, 4}, causal);
    addAttention(cases, {2, 130, 200, 64, 64, 4}, causal);
    addAttention(cases, {1, 256, 256, 128, 64, 8}, causal);
    addAttention(cases, {17, 128, 128, 64, 64, 4}, causal);
  }
  addAttention(cases, {2, 192, 64, 64, 64, 4}, /*causal=*/true);
  addAttention(cases, {3, 192, 192, 64, 64, 4, /*infinite=*/true}, /*causal=*/true);
  // More than ten programs for each of 132 multiprocessors: a launch executes them in pairs.
  addAttention(cases, {700, 128, 128, 64, 64, 4}, /*causal=*/true);
}

} // namespace tegula::conformance
