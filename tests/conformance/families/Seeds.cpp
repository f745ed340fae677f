// The specification's kernel files, unchanged, at the sizes of tests/specification. They stand outside of the
// repository.
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

#include <algorithm>

namespace tegula::conformance {

namespace seeds_family {

Case &seed(Cases &cases, const std::string &file, const std::string &kernel, const std::string &variant) {
  Case &made = cases.add("specification", file, kernel, file.substr(0, file.find('_')) + "," + variant);
  made.folder = Folder::Seeds;
  return made;
}

void addVectors(Cases &cases) {
  Reference sum = each([](const Inputs &in, int64_t i) { return in(0, i) + in(1, i); });
  for (int64_t n : {10000, 1, 781, 3500}) {
    std::string variant = "n=" + std::to_string(n);
    auto add = [&](const char *file, const char *kernel, DType type, int64_t block) -> Case & {
      return seed(cases, file, kernel, variant)
          .in(type, n, type == DType::F32 ? reals(-4, 4) : anyBits())
          .in(type, n, type == DType::F32 ? reals(-4, 4) : anyBits())
          .out(type, n, exact(), sum)
          .value(n)
          .grid(cdiv(n, block));
    };
    add("s2_vector_add.py", "vector_add_kernel", DType::F32, 1024).with("BLOCK_SIZE", 1024);
    add("s1_slides.py", "add_kernel", DType::F32, 1024).with("BLOCK_SIZE", 1024);
    add("s1_slides.py", "add", DType::I32, 512);
    add("s1_slides.py", "add_global", DType::I32, 512);
    seed(cases, "s2_concepts.py", "my_kernel", variant)
        .in(DType::F32, n, reals(-4, 4))
        .out(DType::F32, n, exact(), each([](const Inputs &in, int64_t i) { return 2 * in(0, i); }))
        .value(n)
        .with("BLOCK_SIZE", 256)
        .grid(cdiv(n, 256));
  }
}

void addRows(Cases &cases) {
  for (auto [rows, columns] : {std::pair{64, 781}, {33, 1024}, {1, 1}, {7, 4096}}) {
    int64_t count = rows * columns, block = nextPowerOf2(columns);
    std::string variant = std::to_string(rows) + "x" + std::to_string(columns);
    int warps = block < 2048 ? 4 : 8;
    seed(cases, "s2_softmax.py", "softmax_kernel", variant)
        .in(DType::F32, count, reals(-4, 4))
        .out(DType::F32, count, near(1e-9, 4e-6), softmaxRows(0, columns))
        .value(columns)
        .value(columns)
        .value(columns)
        .with("BLOCK_SIZE", block)
        .grid(rows)
        .warps(warps);
    seed(cases, "s1_slides.py", "softmax_kernel", variant)
        .out(DType::F32, count, near(1e-9, 4e-6), softmaxRows(1, columns))
        .in(DType::F32, count, reals(-4, 4))
        .value(columns)
        .value(columns)
        .value(columns)
        .with("BLOCK_SIZE", block)
        .grid(rows)
        .warps(warps);
    seed(cases, "s2_layernorm.py", "layernorm_kernel", variant)
        .in(DType::F32, count, reals(-3, 3))
        .out(DType::F32, count, near(1e-5, 1e-5), layernormRows(0, 2, 3, columns, 1e-5))
        .in(DType::F32, columns, reals(-2, 2))
        .in(DType::F32, columns, reals(-2, 2))
        .value(columns)
        .real(1e-5)
        .value(columns)
        .with("BLOCK_SIZE", block)
        .grid(rows)
        .warps(warps);
  }
  for (bool columns : {false, true})
    seed(cases, "s1_slides.py", "copy_kernel", columns ? "columns" : "rows")
        .in(DType::F32, 64 * 32, anyBits())
        .value(columns ? 1 : 32)
        .value(columns ? 64 : 1)
        .out(DType::F32, 64 * 32, exact(),
             each([columns](const Inputs &in, int64_t i) { return in(0, columns ? i / 32 + i % 32 * 64 : i); }))
        .value(32)
        .value(1)
        .with("BLOCK_M", 64)
        .with("BLOCK_N", 32);
}

struct Problem {
  int64_t m, n, k;
  std::string text() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }
};

/// A, B and C, the sizes and the strides, as all the matrix products take them.
Case &product(Case &made, const Problem &p, DType type, DType result, bool ta = false, bool tb = false) {
  int64_t am = ta ? 1 : p.k, ak = ta ? p.m : 1, bk = tb ? 1 : p.n, bn = tb ? p.k : 1;
  made.in(type, p.m * p.k, whole(-4, 4))
      .in(type, p.k * p.n, whole(-4, 4))
      .out(result, p.m * p.n, exactAnyZero(), matrixProduct(p.n, p.k, am, ak, bk, bn));
  for (int64_t value : {p.m, p.n, p.k, am, ak, bk, bn, p.n, int64_t(1)})
    made.value(value);
  return made;
}

void addProducts(Cases &cases) {
  for (const Problem &p : {Problem{1, 1, 1}, Problem{333, 77, 1000}, Problem{128, 256, 64}}) {
    int64_t tilesM = cdiv(p.m, 64), tilesN = cdiv(p.n, 64);
    auto add = [&](const char *file, DType type, DType result, bool ta, bool tb) {
      bool linear = std::string(file) == "s0_matmul.py";
      std::string tail = std::string(ta ? ",A^T" : "") + (tb ? ",B^T" : "");
      Case &made =
          product(seed(cases, file, "matmul_kernel", named(type) + "->" + named(result) + "," + p.text() + tail), p,
                  type, result, ta, tb);
      for (auto [name, value] : {std::pair{"M", 64}, {"N", 64}, {"K", 32}})
        made.with(std::string(linear ? "BLOCK_SIZE_" : "BLOCK_") + name, value);
      if (linear)
        made.grid(tilesM * tilesN);
      else
        made.grid(tilesM, tilesN);
    };
    for (const char *file : {"s0_matmul.py", "s2_matmul.py", "s3_matmul.py"}) {
      for (int which = 0; which < 4; ++which)
        add(file, DType::F32, DType::F32, which & 1, which & 2);
      add(file, DType::F16, DType::F32, false, false);
      add(file, DType::F16, DType::F16, false, false);
    }
    // Its configurations choose the blocks, of 64 x 128 and larger: programs beyond the last block are masked off.
    product(seed(cases, "s2_matmul_autotuned.py", "matmul_kernel_autotuned", p.text()), p, DType::F32, DType::F32)
        .grid(tilesM, cdiv(p.n, 128))
        .warps(0);
  }
  // These do not mask M and N: the blocks divide them.
  Problem p{256, 192, 320};
  auto blocks = [](Case &made, int64_t bn, int64_t bk, int64_t group) -> Case & {
    return made.with("BLOCK_SIZE_M", 64).with("BLOCK_SIZE_N", bn).with("BLOCK_SIZE_K", bk).with("GROUP_SIZE_M", group);
  };
  blocks(product(seed(cases, "s1_slides.py", "matmul_kernel", p.text()), p, DType::F16, DType::F16), 64, 64, 2)
      .grid(4 * 3);
  blocks(product(seed(cases, "s1_slides.py", "matmul_kernel_persistent", p.text()), p, DType::F16, DType::F16), 64, 64,
         2)
      .with("NUM_SMS", 3)
      .grid(3);
  for (auto [bn, bk] : {std::pair{64, 64}, {32, 64}})
    blocks(seed(cases, "s1_slides.py", "matmul_kernel_tma", p.text() + ",block=" + std::to_string(bn)), bn, bk, 1)
        .describedIn(DType::F16, {p.m, p.k}, {64, bk}, whole(-4, 4))
        .describedIn(DType::F16, {p.n, p.k}, {bn, bk}, whole(-4, 4))
        .describedOut(DType::F16, {p.m, p.n}, {64, bn}, blank(), exactAnyZero(),
                      matrixProduct(p.n, p.k, p.k, 1, 1, p.k))
        .value(p.m)
        .value(p.n)
        .value(p.k)
        .grid(4 * (p.n / bn));
}

} // namespace seeds_family

void addSeeds(Cases &cases) {
  using namespace seeds_family;
  addVectors(cases);
  addRows(cases);
  addProducts(cases);
  Case &debug = seed(cases, "s2_debugging.py", "debug_kernel", "n=100")
                    .in(DType::F32, 100, whole(-90, 90))
                    .value(100)
                    .with("BLOCK", 64)
                    .grid(2);
  debug.printed.reset(); // floats' text is the CPU backend's
}

} // namespace tegula::conformance
