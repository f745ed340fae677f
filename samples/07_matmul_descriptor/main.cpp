// Lesson 7: tensor descriptors. Blocks are loaded by the coordinates of their corner; nothing is masked by hand.
//
//   $ build/cpu/bin/samples/07_matmul_descriptor
//   07_matmul_descriptor on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     descriptors from the host    500x392x264               3.97 ms    1.50 ms    69.0 GFLOP/s   2.9e-02 / 3.4e-02  ok
//     descriptors of the kernel    500x392x264               3.90 ms    1.59 ms    65.0 GFLOP/s   2.9e-02 / 3.4e-02  ok

#include "Lesson.h"
#include "Matmul.h"

namespace {

struct Problem {
  int64_t m, n, k;
};

void runLesson(samples::Lesson &lesson, const Problem &problem) {
  constexpr tegula::DType kType = tegula::DType::F16;
  constexpr int64_t kBlockM = 64, kBlockN = 64, kBlockK = 32;
  if (problem.n % 8 != 0 || problem.k % 8 != 0)
    throw samples::BadUse("--n and --k must be multiples of 8, because the rows of a tensor with a descriptor start at "
                          "multiples of 16 bytes; they are " +
                          std::to_string(problem.n) + " and " + std::to_string(problem.k));
  tegula::Stream &stream = lesson.stream();
  samples::Matrix a(stream, kType, problem.m, problem.k, false, 9);
  // B is K x N in the product. It is stored by columns, so its memory is the dense N x K matrix that the kernel reads.
  samples::Matrix b(stream, kType, problem.k, problem.n, true, 10);
  tegula::Buffer stored = b.buffer.transposed();
  tegula::Buffer c(lesson.device(), kType, {problem.m, problem.n});
  stream.fill(c, 0xff);

  tegula::Grid grid(tegula::cdiv(problem.m, kBlockM), tegula::cdiv(problem.n, kBlockN));
  tegula::LaunchOptions options = lesson.with({{"BLOCK_M", kBlockM}, {"BLOCK_N", kBlockN}, {"BLOCK_K", kBlockK}});
  auto report = [&](const std::string &variant, const samples::Timing &timing) {
    double flops = 2.0 * double(problem.m) * double(problem.n) * double(problem.k);
    lesson.report(
        variant, std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" + std::to_string(problem.k), timing,
        samples::Work::flops(flops),
        samples::compareProduct(stream, c, a, b, samples::dotTolerance(static_cast<size_t>(problem.k), kType)));
  };

  tegula::Kernel fromHost = lesson.kernel("matmul_descriptor.py", "matmul_descriptor");
  tegula::TensorDescriptor aTiles(a.buffer, {kBlockM, kBlockK}), bTiles(stored, {kBlockN, kBlockK}),
      cTiles(c, {kBlockM, kBlockN});
  report("descriptors from the host", lesson.time([&] {
    fromHost.launch(stream, grid, {aTiles, bTiles, cTiles, problem.m, problem.n, problem.k}, options);
  }));

  stream.fill(c, 0xff);
  tegula::Kernel made = lesson.kernel("matmul_descriptor.py", "matmul_device_descriptor");
  report("descriptors of the kernel", lesson.time([&] {
    made.launch(stream, grid, {a.buffer, stored, c, problem.m, problem.n, problem.k}, options);
  }));
}

} // namespace

int main(int argc, char **argv) {
  Problem problem = {500, 392, 264};
  samples::Lesson lesson("07_matmul_descriptor",
                         "C = A B^T in f16 through tensor descriptors, made by the host and by the kernel.");
  lesson.option("--m", problem.m, "rows of A and C", 1, 65536);
  lesson.option("--n", problem.n, "rows of B, columns of C; a multiple of 8", 1, 65536);
  lesson.option("--k", problem.k, "columns of A and B; a multiple of 8", 1, 65536);
  return lesson.run(argc, argv, [&] { runLesson(lesson, problem); });
}
