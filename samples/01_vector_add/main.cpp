// Lesson 1: a kernel, three buffers, one launch.
//
//   $ build/cpu/bin/samples/01_vector_add
//   01_vector_add on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     add f32                      5000000                   10.9 ms    7.60 ms       7.89 GB/s           0.0 / 0.0  ok

#include "HostArray.h"
#include "Lesson.h"

int main(int argc, char **argv) {
  int64_t size = 5'000'000;
  samples::Lesson lesson("01_vector_add",
                         "z = x + y: the smallest complete program, and how fast memory can be read and written.");
  lesson.option("--size", size, "elements of each vector");
  return lesson.run(argc, argv, [&] {
    size_t count = static_cast<size_t>(size);
    std::vector<float> x = samples::uniform(count, 1, -1, 1), y = samples::uniform(count, 2, -1, 1);

    tegula::Stream &stream = lesson.stream();
    tegula::Kernel add = lesson.kernel("vector_add.py", "add_kernel");
    tegula::Buffer xs = samples::upload(stream, tegula::DType::F32, {size}, x);
    tegula::Buffer ys = samples::upload(stream, tegula::DType::F32, {size}, y);
    tegula::Buffer sums(lesson.device(), tegula::DType::F32, {size});
    stream.fill(sums, 0xff); // all bytes 0xff are a NaN: an element that the kernel misses is found

    // One program for each block. The block does not divide the size, so the last program masks the elements beyond it.
    constexpr int64_t kBlock = 1024;
    samples::Timing timing = lesson.time([&] {
      add.launch(stream, {tegula::cdiv(size, kBlock)}, {xs, ys, sums, size}, lesson.with({{"BLOCK", kBlock}}));
    });

    // A sum of two f32 is exact in double precision except for f32's one rounding, which the reference makes, too: no
    // error is allowed.
    std::vector<float> sum = samples::download(stream, sums);
    samples::Comparison comparison = samples::compare(
        count, [&](size_t i) { return sum[i]; },
        [&](size_t i) { return static_cast<float>(double(x[i]) + double(y[i])); }, {});
    lesson.report("add f32", std::to_string(size), timing, samples::Work::bytes(3.0 * 4 * double(size)), comparison);
  });
}
