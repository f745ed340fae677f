// Lesson 5: matrix multiplication in tiles.
//
//   $ build/cpu/bin/samples/05_matmul --type f32
//   05_matmul on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate  max error
//     f32 2-D grid                 500x333x257               4.31 ms    1.12 ms  0.0761 TFLOP/s    4.1e-05  ok
//     f32 grouped                  500x333x257               3.55 ms    1.15 ms  0.0746 TFLOP/s    4.1e-05  ok
//     f32 grouped B^T              500x333x257               1.60 ms    1.51 ms  0.0568 TFLOP/s    4.7e-05  ok
//     f32 grouped A^T              500x333x257               4.79 ms    1.33 ms  0.0643 TFLOP/s    4.5e-05  ok
//     f32 grouped A^T B^T          500x333x257               2.00 ms    1.60 ms  0.0535 TFLOP/s    4.7e-05  ok

#include "HostArray.h"
#include "Lesson.h"
#include "Matmul.h"

namespace {

struct Tiles {
  int64_t m, n, k;
};

// The five tile shapes whose speed the project's specification compares.
constexpr Tiles kSweep[] = {{32, 32, 32}, {64, 64, 32}, {128, 128, 32}, {128, 256, 64}, {256, 256, 64}};

struct Problem {
  int64_t m, n, k;
  std::string precision;
  std::string size() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }
};

struct Variant {
  bool grouped;
  tegula::DType type;
  bool transposeA, transposeB;
  Tiles tiles;
};

std::string describe(const Variant &variant, bool sweep) {
  std::string text = std::string(tegula::name(variant.type));
  if (sweep)
    return text + " " + std::to_string(variant.tiles.m) + "x" + std::to_string(variant.tiles.n) + "x" +
           std::to_string(variant.tiles.k);
  text += variant.grouped ? " grouped" : " 2-D grid";
  if (variant.transposeA)
    text += " A^T";
  if (variant.transposeB)
    text += " B^T";
  return text;
}

void runVariant(samples::Lesson &lesson, const Problem &problem, const Variant &variant, bool sweep) {
  tegula::Stream &stream = lesson.stream();
  samples::Matrix a(stream, variant.type, problem.m, problem.k, variant.transposeA, 5);
  samples::Matrix b(stream, variant.type, problem.k, problem.n, variant.transposeB, 6);
  tegula::Buffer c(lesson.device(), variant.type, {problem.m, problem.n});
  stream.fill(c, 0xff);

  const Tiles &tiles = variant.tiles;
  int64_t tilesM = tegula::cdiv(problem.m, tiles.m), tilesN = tegula::cdiv(problem.n, tiles.n);
  std::map<std::string, tegula::Constant> constants = {
      {"BLOCK_M", tiles.m}, {"BLOCK_N", tiles.n}, {"BLOCK_K", tiles.k}, {"PRECISION", problem.precision}};
  if (variant.grouped)
    constants.emplace("GROUP_M", 8);
  tegula::Grid grid = variant.grouped ? tegula::Grid(tilesM * tilesN) : tegula::Grid(tilesM, tilesN);
  tegula::Kernel matmul = lesson.kernel("matmul.py", variant.grouped ? "matmul_grouped" : "matmul_2d");
  tegula::LaunchOptions options = lesson.with(constants, tiles.m * tiles.n > 64 * 128 ? 8 : 4);
  samples::Timing timing = lesson.time([&] {
    matmul.launch(stream, grid,
                  {a.buffer, b.buffer, c, problem.m, problem.n, problem.k, a.buffer.stride(0), a.buffer.stride(1),
                   b.buffer.stride(0), b.buffer.stride(1), c.stride(0), c.stride(1)},
                  options);
  });

  bool tf32 = variant.type == tegula::DType::F32 && problem.precision == "tf32";
  samples::Tolerance tolerance = samples::dotTolerance(static_cast<size_t>(problem.k), variant.type, tf32);
  double flops = 2.0 * double(problem.m) * double(problem.n) * double(problem.k);
  lesson.report(describe(variant, sweep), problem.size(), timing, samples::Work::flops(flops),
                samples::compareProduct(stream, c, a, b, tolerance));
}

std::vector<Variant> chooseVariants(const std::string &type, bool sweep) {
  constexpr Tiles kTiles = {64, 64, 32};
  std::vector<Variant> variants;
  for (tegula::DType each : {tegula::DType::F32, tegula::DType::F16, tegula::DType::BF16}) {
    if (type != "all" && type != tegula::name(each))
      continue;
    if (sweep) {
      for (const Tiles &tiles : kSweep)
        variants.push_back({true, each, false, false, tiles});
      continue;
    }
    variants.push_back({false, each, false, false, kTiles});
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        variants.push_back({true, each, transposeA, transposeB, kTiles});
  }
  return variants;
}

} // namespace

int main(int argc, char **argv) {
  int64_t m = 500, n = 333, k = 257;
  std::string type = "all", precision = "ieee";
  bool sweep = false;
  samples::Lesson lesson("05_matmul", "C = A B in tiles: two orders of the programs, three types, transposed factors.");
  lesson.option("--m", m, "rows of A and C", 1, 65536);
  lesson.option("--n", n, "columns of B and C", 1, 65536);
  lesson.option("--k", k, "columns of A, rows of B", 1, 65536);
  lesson.option("--type", type, "type of A, B and C; sums are f32", {"all", "f32", "f16", "bf16"});
  lesson.option("--precision", precision, "of f32 products", {"ieee", "tf32"});
  lesson.flag("--sweep", sweep, "compare tile shapes from 32x32x32 to 256x256x64 instead");
  return lesson.run(argc, argv, [&] {
    for (const Variant &variant : chooseVariants(type, sweep))
      runVariant(lesson, {m, n, k, precision}, variant, sweep);
  });
}
