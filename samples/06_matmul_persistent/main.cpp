// Lesson 6: persistent programs. As many programs as the device runs at once, each computing many tiles.
//
//   $ build/cpu/bin/samples/06_matmul_persistent
//   06_matmul_persistent on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     8 programs                   600x500x257               7.15 ms    3.20 ms    48.2 GFLOP/s   3.1e-02 / 3.2e-02  ok
//     80 programs, one a tile      600x500x257               4.88 ms    2.29 ms    67.2 GFLOP/s   3.1e-02 / 3.2e-02  ok

#include "Lesson.h"
#include "Matmul.h"

#include <algorithm>

namespace {

struct Problem {
  int64_t m, n, k, programs;
};

void runLesson(samples::Lesson &lesson, const Problem &problem) {
  constexpr tegula::DType kType = tegula::DType::F16;
  constexpr int64_t kBlockM = 64, kBlockN = 64, kBlockK = 32;
  tegula::Stream &stream = lesson.stream();
  samples::Matrix a(stream, kType, problem.m, problem.k, false, 7), b(stream, kType, problem.k, problem.n, false, 8);
  tegula::Buffer c(lesson.device(), kType, {problem.m, problem.n});

  int64_t tiles = tegula::cdiv(problem.m, kBlockM) * tegula::cdiv(problem.n, kBlockN);
  tegula::Kernel matmul = lesson.kernel("matmul_persistent.py", "matmul_persistent");
  auto run = [&](int64_t programs, const std::string &variant) {
    stream.fill(c, 0xff);
    samples::Timing timing = lesson.time([&] {
      matmul.launch(stream, {programs},
                    {a.buffer, b.buffer, c, problem.m, problem.n, problem.k, a.buffer.stride(0), a.buffer.stride(1),
                     b.buffer.stride(0), b.buffer.stride(1), c.stride(0), c.stride(1)},
                    lesson.with({{"BLOCK_M", kBlockM},
                                 {"BLOCK_N", kBlockN},
                                 {"BLOCK_K", kBlockK},
                                 {"GROUP_M", 8},
                                 {"PROGRAMS", programs}}));
    });
    double flops = 2.0 * double(problem.m) * double(problem.n) * double(problem.k);
    lesson.report(
        variant, std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" + std::to_string(problem.k), timing,
        samples::Work::flops(flops),
        samples::compareProduct(stream, c, a, b, samples::dotTolerance(static_cast<size_t>(problem.k), kType)));
  };
  int64_t programs = std::min(problem.programs, tiles);
  run(programs, std::to_string(programs) + " programs");
  run(tiles, std::to_string(tiles) + " programs, one a tile");
}

} // namespace

int main(int argc, char **argv) {
  Problem problem = {600, 500, 257, 8};
  samples::Lesson lesson("06_matmul_persistent",
                         "C = A B in f16 by few programs that stay, against one program for each tile.");
  lesson.option("--m", problem.m, "rows of A and C", 1, 65536);
  lesson.option("--n", problem.n, "columns of B and C", 1, 65536);
  lesson.option("--k", problem.k, "columns of A, rows of B", 1, 65536);
  lesson.option("--programs", problem.programs,
                "programs that share the tiles; on a GPU, its number of multiprocessors", 1, 65536);
  return lesson.run(argc, argv, [&] { runLesson(lesson, problem); });
}
