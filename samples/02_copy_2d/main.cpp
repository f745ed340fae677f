// Lesson 2: tiles of pointers. One kernel copies between any two layouts, because strides are arguments.
//
//   $ build/cpu/bin/samples/02_copy_2d
//   02_copy_2d on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     dense to dense               1000x781                  4.19 ms     785 us       7.96 GB/s           0.0 / 0.0  ok
//     transposed to dense          1000x781                  1.88 ms     709 us       8.81 GB/s           0.0 / 0.0  ok
//     dense to transposed          1000x781                  1.14 ms     645 us       9.68 GB/s           0.0 / 0.0  ok
//     every 2nd to dense           1000x781                  1.60 ms     900 us       6.95 GB/s           0.0 / 0.0  ok
//     mirrored to every 2nd        1000x781                  2.09 ms     885 us       7.06 GB/s           0.0 / 0.0  ok

#include "HostArray.h"
#include "Lesson.h"

namespace {

// A matrix inside a buffer of floats: element (row, col) is at[offset + row * rowStride + col * colStride].
struct Layout {
  const char *name;
  int64_t offset, rowStride, colStride;
  size_t at(int64_t row, int64_t col) const { return static_cast<size_t>(offset + row * rowStride + col * colStride); }
};

class CopyLesson {
public:
  CopyLesson(samples::Lesson &lesson, int64_t rows, int64_t cols)
      : lesson_(lesson), rows_(rows), cols_(cols), copy_(lesson.kernel("copy_2d.py", "copy_kernel")),
        // Enough elements for the widest layout below.
        storage_(samples::normal(static_cast<size_t>(4 * rows * cols), 3)),
        from_(samples::upload(lesson.stream(), tegula::DType::F32, {4 * rows * cols}, storage_)),
        to_(lesson.device(), tegula::DType::F32, {4 * rows * cols}) {}

  void run(const Layout &source, const Layout &target) {
    tegula::Stream &stream = lesson_.stream();
    stream.fill(to_, 0);
    tegula::Buffer from = from_.view({rows_, cols_}, {source.rowStride, source.colStride}, source.offset);
    tegula::Buffer to = to_.view({rows_, cols_}, {target.rowStride, target.colStride}, target.offset);
    constexpr int64_t kBlock = 64;
    samples::Timing timing = lesson_.time([&] {
      copy_.launch(stream, {tegula::cdiv(rows_, kBlock), tegula::cdiv(cols_, kBlock)},
                   {from, to, rows_, cols_, from.stride(0), from.stride(1), to.stride(0), to.stride(1)},
                   lesson_.with({{"BLOCK_ROWS", kBlock}, {"BLOCK_COLS", kBlock}}));
    });
    lesson_.report(std::string(source.name) + " to " + target.name, std::to_string(rows_) + "x" + std::to_string(cols_),
                   timing, samples::Work::bytes(2.0 * 4 * double(rows_ * cols_)), check(source, target));
  }

private:
  // Checks the whole buffer: elements between those of the target layout must still be zero.
  samples::Comparison check(const Layout &source, const Layout &target) {
    std::vector<float> actual = samples::download(lesson_.stream(), to_);
    std::vector<double> expected(actual.size());
    for (int64_t row = 0; row < rows_; ++row)
      for (int64_t col = 0; col < cols_; ++col)
        expected[target.at(row, col)] = storage_[source.at(row, col)];
    return samples::compare(
        actual.size(), [&](size_t i) { return actual[i]; }, [&](size_t i) { return expected[i]; }, {});
  }

  samples::Lesson &lesson_;
  int64_t rows_, cols_;
  tegula::Kernel copy_;
  std::vector<float> storage_;
  tegula::Buffer from_, to_;
};

} // namespace

int main(int argc, char **argv) {
  int64_t rows = 1000, cols = 781;
  samples::Lesson lesson("02_copy_2d",
                         "Copies a matrix between memory layouts: dense, transposed, with gaps, mirrored.");
  lesson.option("--rows", rows, "rows of the matrix", 1, 16384);
  lesson.option("--cols", cols, "columns of the matrix", 1, 16384);
  return lesson.run(argc, argv, [&] {
    Layout dense = {"dense", 0, cols, 1};
    Layout transposed = {"transposed", 0, 1, rows};
    Layout spread = {"every 2nd", 0, 2 * 2 * cols, 2}; // every second column of every second row
    Layout mirrored = {"mirrored", rows * cols - 1, -cols, -1};
    CopyLesson copy(lesson, rows, cols);
    copy.run(dense, dense);
    copy.run(transposed, dense);
    copy.run(dense, transposed);
    copy.run(spread, dense);
    copy.run(mirrored, spread);
  });
}
