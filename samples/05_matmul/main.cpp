// Lesson 5: matrix multiplication in tiles.
//
//   $ build/cpu/bin/samples/05_matmul --type f32
//   05_matmul on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     f32 2-D grid                 500x333x257               4.31 ms    1.12 ms    76.1 GFLOP/s   4.1e-05 / 6.6e-05  ok
//     f32 grouped                  500x333x257               3.55 ms    1.15 ms    74.6 GFLOP/s   4.1e-05 / 6.6e-05  ok
//     f32 grouped B^T              500x333x257               1.60 ms    1.51 ms    56.8 GFLOP/s   4.7e-05 / 6.5e-05  ok
//     f32 grouped A^T              500x333x257               4.79 ms    1.33 ms    64.3 GFLOP/s   4.5e-05 / 6.6e-05  ok
//     f32 grouped A^T B^T          500x333x257               2.00 ms    1.60 ms    53.5 GFLOP/s   4.7e-05 / 6.6e-05  ok

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

enum class Order { Grid2D, Grouped, Tuned /* grouped, in the tiles that the device's table names */ };

struct Variant {
  Order order;
  tegula::DType type;
  bool transposeA, transposeB;
  Tiles tiles;
};

std::string describe(const Variant &variant, bool sweep) {
  std::string text = std::string(tegula::name(variant.type));
  if (sweep)
    return text + " " + std::to_string(variant.tiles.m) + "x" + std::to_string(variant.tiles.n) + "x" +
           std::to_string(variant.tiles.k);
  constexpr const char *kOrders[] = {" 2-D grid", " grouped", " tuned"};
  text += kOrders[static_cast<int>(variant.order)];
  if (variant.transposeA)
    text += " A^T";
  if (variant.transposeB)
    text += " B^T";
  return text;
}

tegula::LaunchOptions optionsOf(const samples::Lesson &lesson, const Problem &problem, const Variant &variant) {
  const Tiles &tiles = variant.tiles;
  std::map<std::string, tegula::Constant> constants = {{"PRECISION", problem.precision}};
  if (variant.order == Order::Tuned) {
    tegula::LaunchOptions options = lesson.with(constants);
    options.autotune = false; // without a record or a table: the first configuration
    return options;
  }
  constants.insert({{"BLOCK_M", tiles.m}, {"BLOCK_N", tiles.n}, {"BLOCK_K", tiles.k}});
  if (variant.order == Order::Grouped)
    constants.emplace("GROUP_M", 8);
  return lesson.with(constants, tiles.m * tiles.n > 64 * 128 ? 8 : 4);
}

void runVariant(samples::Lesson &lesson, const Problem &problem, const Variant &variant, bool sweep) {
  tegula::Stream &stream = lesson.stream();
  samples::Matrix a(stream, variant.type, problem.m, problem.k, variant.transposeA, 5);
  samples::Matrix b(stream, variant.type, problem.k, problem.n, variant.transposeB, 6);
  tegula::Buffer c(lesson.device(), variant.type, {problem.m, problem.n});
  stream.fill(c, 0xff);

  // The grid follows from the tiles: the variant's own, or those of the configuration that the launch chose.
  auto grid = [&](const std::map<std::string, tegula::Constant> &constants) {
    int64_t tilesM = tegula::cdiv(problem.m, std::get<int64_t>(constants.at("BLOCK_M").value()));
    int64_t tilesN = tegula::cdiv(problem.n, std::get<int64_t>(constants.at("BLOCK_N").value()));
    return variant.order == Order::Grid2D ? tegula::Grid(tilesM, tilesN) : tegula::Grid(tilesM * tilesN);
  };
  constexpr const char *kKernels[] = {"matmul_2d", "matmul_grouped", "matmul_tuned"};
  tegula::Kernel matmul = lesson.kernel("matmul.py", kKernels[static_cast<int>(variant.order)]);
  tegula::LaunchOptions options = optionsOf(lesson, problem, variant);
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
        variants.push_back({Order::Grouped, each, false, false, tiles});
      continue;
    }
    variants.push_back({Order::Grid2D, each, false, false, kTiles});
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        variants.push_back({Order::Grouped, each, transposeA, transposeB, kTiles});
    variants.push_back({Order::Tuned, each, false, false, kTiles});
  }
  return variants;
}

} // namespace

int main(int argc, char **argv) {
  int64_t m = 500, n = 333, k = 257;
  std::string type = "all", precision = "ieee";
  bool sweep = false;
  samples::Lesson lesson("05_matmul",
                         "C = A B in tiles: two orders of the programs, three types, transposed factors, tuned tiles.");
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
