// The samples' kernels from source, through the whole compiler, with the shapes of the hand-written ones. Case `copy`
// is the reference of the cases that memory limits; 781 columns are no multiple of any block or vector.
#include "tests/bench/gpu/Arrays.h"

namespace gpubench {
namespace {

using tegula::Kernel;

class SourceAdd final : public SumCase {
public:
  SourceAdd(const Setting &setting, int64_t count)
      : SumCase(setting.stream, count),
        kernel_(Kernel::load(setting.samples + "/01_vector_add/vector_add.py", "add_kernel")) {}

  void launch() override {
    kernel_.launch(stream_, {tegula::cdiv(count_, kBlock)}, {x_, y_, z_, count_}, {.constants = {{"BLOCK", kBlock}}});
  }

private:
  static constexpr int64_t kBlock = 1024;
  Kernel kernel_;
};

bool isCuda(const tegula::Stream &stream) { return stream.device().info().name.starts_with("cuda"); }

/// Options for one program a row. The numbers of warps are the fastest of 1, 2 and 4: `scattered` is that for CUDA and
/// rows that begin anywhere, from a time when all of them were read element by element: few warps, because then more
/// rows fit at a time.
tegula::LaunchOptions rowOptions(const tegula::Stream &stream, int64_t columns, int scattered) {
  bool isScattered = columns % 4 && isCuda(stream);
  return {.constants = {{"BLOCK", tegula::nextPowerOf2(columns)}}, .numWarps = isScattered ? scattered : 4};
}

class SourceSoftmax final : public SoftmaxCase {
public:
  SourceSoftmax(const Setting &setting, int64_t rows, int64_t columns)
      : SoftmaxCase(setting.stream, rows, columns),
        kernel_(Kernel::load(setting.samples + "/03_softmax/softmax.py", "softmax_fused")) {}

  void launch() override {
    kernel_.launch(stream_, {rows_}, {x_, y_, columns_, columns_, columns_}, rowOptions(stream_, columns_, 2));
  }

private:
  Kernel kernel_;
};

class SourceLayerNorm final : public RowsCase {
public:
  SourceLayerNorm(const Setting &setting, int64_t rows, int64_t columns)
      : RowsCase(setting.stream, rows, columns),
        kernel_(Kernel::load(setting.samples + "/04_layernorm/layernorm.py", "layernorm_kernel")),
        hostWeight_(normalFloats(static_cast<size_t>(columns), 5)),
        hostBias_(normalFloats(static_cast<size_t>(columns), 6)),
        weight_(upload(stream_, DType::F32, {columns}, hostWeight_)),
        bias_(upload(stream_, DType::F32, {columns}, hostBias_)), mean_(stream_.device(), DType::F32, {rows}),
        scale_(stream_.device(), DType::F32, {rows}) {}

  void launch() override {
    kernel_.launch(stream_, {rows_}, {x_, weight_, bias_, y_, mean_, scale_, columns_, columns_, columns_, kEpsilon},
                   rowOptions(stream_, columns_, 1));
  }

  Verdict check() override {
    stream_.fill(y_, 0xff);
    launch();
    return checkLayerNorm(host_, hostWeight_, hostBias_, kEpsilon, download<float>(stream_, y_), kCheckedRows);
  }

private:
  static constexpr double kEpsilon = 1e-5;
  Kernel kernel_;
  std::vector<float> hostWeight_, hostBias_;
  Buffer weight_, bias_, mean_, scale_;
};

/// Sums in f32, B stored k x n. The blocks are the fastest of those tried on an H200 through CUDA, on an H100 through
/// Vulkan.
class SourceMatmul final : public ProductCase {
public:
  SourceMatmul(const Setting &setting, int64_t size)
      : ProductCase(setting.stream, size, false),
        kernel_(Kernel::load(setting.samples + "/05_matmul/matmul.py", "matmul_grouped")) {}

  void launch() override {
    bool isWide = isCuda(stream_);
    int64_t columns = isWide ? 256 : 128;
    kernel_.launch(stream_, {tegula::cdiv(size_, kRows) * tegula::cdiv(size_, columns)},
                   {a_, b_, c_, size_, size_, size_, size_, 1, size_, 1, size_, 1},
                   {.constants = {{"BLOCK_M", kRows},
                                  {"BLOCK_N", columns},
                                  {"BLOCK_K", isWide ? 64 : 32},
                                  {"GROUP_M", 8},
                                  {"PRECISION", "ieee"}},
                    .numWarps = isWide ? 8 : 4,
                    .numStages = 3});
  }

private:
  static constexpr int64_t kRows = 128;
  Kernel kernel_;
};

/// Through descriptors of the host; B stored n x k.
class SourceDescriptorMatmul final : public ProductCase {
public:
  SourceDescriptorMatmul(const Setting &setting, int64_t size)
      : ProductCase(setting.stream, size, true), columns_(isCuda(setting.stream) ? 256 : 128),
        depth_(isCuda(setting.stream) ? 64 : 32), aTiles_(a_, {kRows, depth_}), bTiles_(b_, {columns_, depth_}),
        cTiles_(c_, {kRows, columns_}),
        kernel_(Kernel::load(setting.samples + "/07_matmul_descriptor/matmul_descriptor.py", "matmul_descriptor")) {}

  void launch() override {
    kernel_.launch(stream_, {tegula::cdiv(size_, kRows), tegula::cdiv(size_, columns_)},
                   {aTiles_, bTiles_, cTiles_, size_, size_, size_},
                   {.constants = {{"BLOCK_M", kRows}, {"BLOCK_N", columns_}, {"BLOCK_K", depth_}},
                    .numWarps = isCuda(stream_) ? 8 : 4,
                    .numStages = 4});
  }

private:
  static constexpr int64_t kRows = 128;
  int64_t columns_, depth_;
  tegula::TensorDescriptor aTiles_, bTiles_, cTiles_;
  Kernel kernel_;
};

/// Not causal. Blocks as for SourceMatmul.
class SourceAttention final : public AttentionCase {
public:
  SourceAttention(const Setting &setting, int64_t heads, int64_t length, int64_t width)
      : AttentionCase(setting.stream, heads, length, width),
        kernel_(Kernel::load(setting.samples + "/08_flash_attention/flash_attention.py", "attention_forward")) {}

  void launch() override {
    int64_t block = isCuda(stream_) ? 128 : 64;
    kernel_.launch(stream_, {tegula::cdiv(length_, block), heads_}, {q_, k_, v_, o_, length_, length_, scale_},
                   {.constants = {{"HEAD", width_}, {"BLOCK_Q", block}, {"BLOCK_K", block}, {"CAUSAL", false}},
                    .numWarps = isCuda(stream_) ? 8 : 4,
                    .numStages = 2});
  }

private:
  Kernel kernel_;
};

/// The same through descriptors of the host.
class SourceDescriptorAttention final : public AttentionCase {
public:
  SourceDescriptorAttention(const Setting &setting, int64_t heads, int64_t length, int64_t width)
      : AttentionCase(setting.stream, heads, length, width), block_(isCuda(setting.stream) ? 128 : 64),
        qTiles_(q_, {block_, width}), kTiles_(k_, {block_, width}), vTiles_(v_, {block_, width}),
        oTiles_(o_, {block_, width}),
        kernel_(Kernel::load(setting.samples + "/08_flash_attention/flash_attention.py", "attention_descriptor")) {}

  void launch() override {
    kernel_.launch(stream_, {tegula::cdiv(length_, block_), heads_},
                   {qTiles_, kTiles_, vTiles_, oTiles_, length_, scale_},
                   {.constants = {{"HEAD", width_}, {"BLOCK_Q", block_}, {"BLOCK_K", block_}},
                    .numWarps = isCuda(stream_) ? 8 : 4,
                    .numStages = 2});
  }

private:
  int64_t block_;
  tegula::TensorDescriptor qTiles_, kTiles_, vTiles_, oTiles_;
  Kernel kernel_;
};

template <class What, class... Sizes>
Case sourceCase(const std::string &name, double work, const char *unit, bool isQuick, Sizes... sizes) {
  return {name,    work,      unit,
          isQuick, anyDevice, [=](const Setting &setting) { return std::make_unique<What>(setting, sizes...); }};
}

} // namespace

void addSourceCases(std::vector<Case> &cases) {
  constexpr int64_t kCount = int64_t(1) << 26; // f32 elements: 2^28 bytes
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
  for (auto [size, isQuick] : {std::pair{int64_t(8192), false}, {4096, false}, {2048, false}, {256, true}}) {
    double extent = double(size);
    cases.push_back(sourceCase<SourceMatmul>("matmul_source/" + std::to_string(size), 2 * extent * extent * extent,
                                             "TFLOP/s", isQuick, size));
    cases.push_back(sourceCase<SourceDescriptorMatmul>("matmul_descriptor_source/" + std::to_string(size),
                                                       2 * extent * extent * extent, "TFLOP/s", isQuick, size));
  }
  struct Heads {
    const char *size;
    int64_t heads, length, width;
    bool isQuick;
  };
  for (auto [size, heads, length, width, isQuick] : {Heads{"/4x32x4096x128", 128, 4096, 128, false},
                                                     {"/4x32x4096x64", 128, 4096, 64, false},
                                                     {"/1x2x256x64", 2, 256, 64, true}}) {
    double work = 4.0 * double(heads * length * length * width);
    cases.push_back(sourceCase<SourceAttention>(std::string("attention_source") + size, work, "TFLOP/s", isQuick, heads,
                                                length, width));
    cases.push_back(sourceCase<SourceDescriptorAttention>(std::string("attention_descriptor_source") + size, work,
                                                          "TFLOP/s", isQuick, heads, length, width));
  }
}

} // namespace gpubench
