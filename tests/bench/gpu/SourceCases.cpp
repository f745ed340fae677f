// The samples' kernels from source, through the whole compiler, on the shapes of the hand-written ones. `copy` is the
// yardstick of those that the memory limits; 781 columns divide nothing.
#include "tests/bench/gpu/Data.h"
#include "tests/bench/gpu/References.h"

#include <cmath>

namespace gpubench {
namespace {

using tegula::Buffer;
using tegula::DType;
using tegula::Kernel;

class SourceAdd final : public Prepared {
public:
  SourceAdd(const Setting &setting, int64_t count)
      : stream_(setting.stream), kernel_(Kernel::load(setting.samples + "/01_vector_add/vector_add.py", "add_kernel")),
        count_(count), hostX_(normalFloats(static_cast<size_t>(count), 2)),
        hostY_(normalFloats(static_cast<size_t>(count), 3)), x_(upload(stream_, DType::F32, {count}, hostX_)),
        y_(upload(stream_, DType::F32, {count}, hostY_)), z_(stream_.device(), DType::F32, {count}) {}

  void launch() override {
    kernel_.launch(stream_, {tegula::cdiv(count_, kBlock)}, {x_, y_, z_, count_}, {.constants = {{"BLOCK", kBlock}}});
  }

  Verdict check() override {
    stream_.fill(z_, 0xff);
    launch();
    return checkSum(hostX_, hostY_, download<float>(stream_, z_));
  }

private:
  static constexpr int64_t kBlock = 1024;
  tegula::Stream &stream_;
  Kernel kernel_;
  int64_t count_;
  std::vector<float> hostX_, hostY_;
  Buffer x_, y_, z_;
};

/// Rows of f32, a program each, which holds the whole row.
class SourceRows : public Prepared {
protected:
  SourceRows(const Setting &setting, const std::string &file, const std::string &kernel, int64_t rows, int64_t columns)
      : stream_(setting.stream), kernel_(Kernel::load(setting.samples + file, kernel)), rows_(rows), columns_(columns),
        options_{.constants = {{"BLOCK", tegula::nextPowerOf2(columns)}}},
        host_(normalFloats(static_cast<size_t>(rows * columns), 4)),
        x_(upload(stream_, DType::F32, {rows, columns}, host_)), y_(stream_.device(), DType::F32, {rows, columns}) {}

  static constexpr size_t kCheckedRows = 256;
  tegula::Stream &stream_;
  Kernel kernel_;
  int64_t rows_, columns_;
  tegula::LaunchOptions options_;
  std::vector<float> host_;
  Buffer x_, y_;
};

class SourceSoftmax final : public SourceRows {
public:
  SourceSoftmax(const Setting &setting, int64_t rows, int64_t columns)
      : SourceRows(setting, "/03_softmax/softmax.py", "softmax_fused", rows, columns) {}

  void launch() override { kernel_.launch(stream_, {rows_}, {x_, y_, columns_, columns_, columns_}, options_); }

  Verdict check() override {
    stream_.fill(y_, 0xff);
    launch();
    return checkSoftmax(host_, download<float>(stream_, y_), static_cast<size_t>(columns_), kCheckedRows);
  }
};

class SourceLayerNorm final : public SourceRows {
public:
  SourceLayerNorm(const Setting &setting, int64_t rows, int64_t columns)
      : SourceRows(setting, "/04_layernorm/layernorm.py", "layernorm_kernel", rows, columns),
        hostWeight_(normalFloats(static_cast<size_t>(columns), 5)),
        hostBias_(normalFloats(static_cast<size_t>(columns), 6)),
        weight_(upload(stream_, DType::F32, {columns}, hostWeight_)),
        bias_(upload(stream_, DType::F32, {columns}, hostBias_)), mean_(stream_.device(), DType::F32, {rows}),
        scale_(stream_.device(), DType::F32, {rows}) {}

  void launch() override {
    kernel_.launch(stream_, {rows_}, {x_, weight_, bias_, y_, mean_, scale_, columns_, columns_, columns_, kEpsilon},
                   options_);
  }

  Verdict check() override {
    stream_.fill(y_, 0xff);
    launch();
    return checkLayerNorm(host_, hostWeight_, hostBias_, kEpsilon, download<float>(stream_, y_), kCheckedRows);
  }

private:
  static constexpr double kEpsilon = 1e-5;
  std::vector<float> hostWeight_, hostBias_;
  Buffer weight_, bias_, mean_, scale_;
};

/// fp16 in and out, sums in f32, B stored k x n.
class SourceMatmul final : public Prepared {
public:
  SourceMatmul(const Setting &setting, int64_t size)
      : stream_(setting.stream), kernel_(Kernel::load(setting.samples + "/05_matmul/matmul.py", "matmul_grouped")),
        size_(size), hostA_(normalHalves(static_cast<size_t>(size * size), 5)),
        hostB_(normalHalves(static_cast<size_t>(size * size), 6)),
        a_(upload(stream_, DType::F16, {size, size}, hostA_)), b_(upload(stream_, DType::F16, {size, size}, hostB_)),
        c_(stream_.device(), DType::F16, {size, size}) {}

  void launch() override {
    int64_t tiles = tegula::cdiv(size_, kTile);
    kernel_.launch(
        stream_, {tiles * tiles}, {a_, b_, c_, size_, size_, size_, size_, 1, size_, 1, size_, 1},
        {.constants = {
             {"BLOCK_M", kTile}, {"BLOCK_N", kTile}, {"BLOCK_K", 32}, {"GROUP_M", 8}, {"PRECISION", "ieee"}}});
  }

  Verdict check() override {
    stream_.fill(c_, 0xff);
    launch();
    auto extent = static_cast<size_t>(size_);
    return checkProduct({extent, extent, extent, false}, hostA_, hostB_, download<uint16_t>(stream_, c_));
  }

private:
  static constexpr int64_t kTile = 128;
  tegula::Stream &stream_;
  Kernel kernel_;
  int64_t size_;
  std::vector<uint16_t> hostA_, hostB_;
  Buffer a_, b_, c_;
};

/// Attention forward in fp16, not causal.
class SourceAttention final : public Prepared {
public:
  SourceAttention(const Setting &setting, int64_t heads, int64_t length, int64_t width)
      : stream_(setting.stream),
        kernel_(Kernel::load(setting.samples + "/08_flash_attention/flash_attention.py", "attention_forward")),
        heads_(heads), length_(length), width_(width), scale_(1 / std::sqrt(double(width))),
        hostQ_(normalHalves(static_cast<size_t>(heads * length * width), 7)),
        hostK_(normalHalves(static_cast<size_t>(heads * length * width), 8)),
        hostV_(normalHalves(static_cast<size_t>(heads * length * width), 9)),
        q_(upload(stream_, DType::F16, {heads, length, width}, hostQ_)),
        k_(upload(stream_, DType::F16, {heads, length, width}, hostK_)),
        v_(upload(stream_, DType::F16, {heads, length, width}, hostV_)),
        out_(stream_.device(), DType::F16, {heads, length, width}) {}

  void launch() override {
    kernel_.launch(stream_, {tegula::cdiv(length_, kQueries), heads_}, {q_, k_, v_, out_, length_, length_, scale_},
                   {.constants = {{"HEAD", width_}, {"BLOCK_Q", kQueries}, {"BLOCK_K", kKeys}, {"CAUSAL", false}}});
  }

  Verdict check() override {
    stream_.fill(out_, 0xff);
    launch();
    Heads size{static_cast<size_t>(heads_), static_cast<size_t>(length_), static_cast<size_t>(width_), scale_};
    return checkAttention(size, hostQ_, hostK_, hostV_, download<uint16_t>(stream_, out_), 4);
  }

private:
  static constexpr int64_t kQueries = 64, kKeys = 32;
  tegula::Stream &stream_;
  Kernel kernel_;
  int64_t heads_, length_, width_;
  double scale_;
  std::vector<uint16_t> hostQ_, hostK_, hostV_;
  Buffer q_, k_, v_, out_;
};

template <class What, class... Sizes>
Case sourceCase(const std::string &name, double work, const char *unit, bool isQuick, Sizes... sizes) {
  return {name,    work,      unit,
          isQuick, anyDevice, [=](const Setting &setting) { return std::make_unique<What>(setting, sizes...); }};
}

} // namespace

void addSourceCases(std::vector<Case> &cases) {
  constexpr int64_t kCount = int64_t(1) << 26; // of f32: 2^28 bytes
  cases.push_back(sourceCase<SourceAdd>("add_source/256MiB_each", 12.0 * kCount, "GB/s", false, kCount));
  struct Rows {
    int64_t rows, columns;
    bool isQuick;
  };
  for (auto [rows, columns, isQuick] : {Rows{65536, 1024, false}, {86016, 781, false}, {300, 781, true}}) {
    std::string size = "/" + std::to_string(rows) + "x" + std::to_string(columns);
    double bytes = 8.0 * double(rows) * double(columns);
    cases.push_back(sourceCase<SourceSoftmax>("softmax_source" + size, bytes, "GB/s", isQuick, rows, columns));
    cases.push_back(sourceCase<SourceLayerNorm>("layernorm_source" + size, bytes, "GB/s", isQuick, rows, columns));
  }
  for (auto [size, isQuick] : {std::pair{int64_t(4096), false}, {int64_t(256), true}}) {
    double extent = double(size);
    cases.push_back(sourceCase<SourceMatmul>("matmul_source/" + std::to_string(size), 2 * extent * extent * extent,
                                             "TFLOP/s", isQuick, size));
  }
  cases.push_back(sourceCase<SourceAttention>("attention_source/4x32x4096x128", 4.0 * 128 * 4096 * 4096 * 128,
                                              "TFLOP/s", false, int64_t(128), int64_t(4096), int64_t(128)));
  cases.push_back(sourceCase<SourceAttention>("attention_source/1x2x256x64", 4.0 * 2 * 256 * 256 * 64, "TFLOP/s", true,
                                              int64_t(2), int64_t(256), int64_t(64)));
}

} // namespace gpubench
