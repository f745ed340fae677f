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

/// A case of rows: its type, its extents, and the warps of its kernels.
struct RowsOf {
  DType type;
  int64_t rows, columns;
  int64_t softmaxWarps, layerNormWarps;
  bool isQuick = false;
};

bool isCuda(const tegula::Stream &stream) { return stream.device().info().name.starts_with("cuda"); }

/// Launch options where each program computes one row, with `warps` warps: on an H100 through CUDA the fastest of those
/// that docs/lab/2026-11-26-rows.md lists.
tegula::LaunchOptions rowOptions(const RowsOf &rows, int64_t warps) {
  return {.constants = {{"BLOCK", tegula::nextPowerOf2(rows.columns)}}, .numWarps = int(warps)};
}

class SourceSoftmax final : public SoftmaxCase {
public:
  SourceSoftmax(const Setting &setting, const RowsOf &rows)
      : SoftmaxCase(setting.stream, rows.type, rows.rows, rows.columns),
        kernel_(Kernel::load(setting.samples + "/03_softmax/softmax.py", "softmax_fused")),
        options_(rowOptions(rows, rows.softmaxWarps)) {}

  void launch() override { kernel_.launch(stream_, {rows_}, {x_.buffer, y_, columns_, columns_, columns_}, options_); }

private:
  Kernel kernel_;
  tegula::LaunchOptions options_;
};

class SourceLayerNorm final : public RowsCase {
public:
  SourceLayerNorm(const Setting &setting, const RowsOf &rows)
      : RowsCase(setting.stream, rows.type, rows.rows, rows.columns),
        kernel_(Kernel::load(setting.samples + "/04_layernorm/layernorm.py", "layernorm_kernel")),
        options_(rowOptions(rows, rows.layerNormWarps)), weight_(normalNumbers(stream_, type_, {columns_}, 5)),
        bias_(normalNumbers(stream_, type_, {columns_}, 6)), mean_(stream_.device(), DType::F32, {rows_}),
        scale_(stream_.device(), DType::F32, {rows_}) {}

  void launch() override {
    kernel_.launch(stream_, {rows_},
                   {x_.buffer, weight_.buffer, bias_.buffer, y_, mean_, scale_, columns_, columns_, columns_, kEpsilon},
                   options_);
  }

  Verdict check() override {
    stream_.fill(y_, 0xff);
    launch();
    return checkLayerNorm(x_.host, weight_.host, bias_.host, kEpsilon, result(), kCheckedRows, roundingOf(type_));
  }

private:
  static constexpr double kEpsilon = 1e-5;
  Kernel kernel_;
  tegula::LaunchOptions options_;
  Numbers weight_, bias_;
  Buffer mean_, scale_;
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
                    .numStages = 3});
  }

private:
  static constexpr int64_t kRows = 128;
  int64_t columns_, depth_;
  tegula::TensorDescriptor aTiles_, bTiles_, cTiles_;
  Kernel kernel_;
};

/// The best blocks of those measured; docs/lab/2026-11-28-attention-forward.md.
struct AttentionBlocks {
  int64_t queries = 64, keys = 64;
  int warps = 4;

  AttentionBlocks(const tegula::Stream &stream, int64_t width) {
    if (!isCuda(stream))
      return;
    keys = 128;
    if (width > 64) {
      queries = 128;
      warps = 8;
    }
  }
};

/// Not causal.
class SourceAttention final : public AttentionCase {
public:
  SourceAttention(const Setting &setting, int64_t heads, int64_t length, int64_t width)
      : AttentionCase(setting.stream, heads, length, width),
        kernel_(Kernel::load(setting.samples + "/08_flash_attention/flash_attention.py", "attention_forward")) {}

  void launch() override {
    AttentionBlocks blocks(stream_, width_);
    kernel_.launch(
        stream_, {tegula::cdiv(length_, blocks.queries), heads_}, {q_, k_, v_, o_, length_, length_, scale_},
        {.constants = {{"HEAD", width_}, {"BLOCK_Q", blocks.queries}, {"BLOCK_K", blocks.keys}, {"CAUSAL", false}},
         .numWarps = blocks.warps,
         .numStages = 2});
  }

private:
  Kernel kernel_;
};

/// The same through descriptors of the host.
class SourceDescriptorAttention final : public AttentionCase {
public:
  SourceDescriptorAttention(const Setting &setting, int64_t heads, int64_t length, int64_t width)
      : AttentionCase(setting.stream, heads, length, width), blocks_(setting.stream, width),
        qTiles_(q_, {blocks_.queries, width}), kTiles_(k_, {blocks_.keys, width}), vTiles_(v_, {blocks_.keys, width}),
        oTiles_(o_, {blocks_.queries, width}),
        kernel_(Kernel::load(setting.samples + "/08_flash_attention/flash_attention.py", "attention_descriptor")) {}

  void launch() override {
    kernel_.launch(stream_, {tegula::cdiv(length_, blocks_.queries), heads_},
                   {qTiles_, kTiles_, vTiles_, oTiles_, length_, scale_},
                   {.constants = {{"HEAD", width_}, {"BLOCK_Q", blocks_.queries}, {"BLOCK_K", blocks_.keys}},
                    .numWarps = blocks_.warps,
                    .numStages = 2});
  }

private:
  AttentionBlocks blocks_;
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
  // Arrays of 2^28 bytes, or about as many.
  for (const RowsOf &rows : {RowsOf{DType::F32, 65536, 1024, 4, 4},
                             {DType::F32, 86016, 781, 4, 4},
                             {DType::F32, 16384, 4096, 8, 16},
                             {DType::F32, 4096, 16384, 8, 8},
                             {DType::F16, 131072, 1024, 4, 2},
                             {DType::F16, 172032, 781, 2, 2},
                             {DType::F16, 32768, 4096, 8, 4},
                             {DType::F16, 8192, 16384, 8, 8},
                             {DType::F32, 300, 781, 2, 1, true},
                             {DType::F16, 300, 781, 2, 1, true}}) {
    bool isHalf = rows.type == DType::F16;
    std::string name =
        std::string(isHalf ? "_f16/" : "/") + std::to_string(rows.rows) + "x" + std::to_string(rows.columns);
    double bytes = (isHalf ? 4.0 : 8.0) * double(rows.rows) * double(rows.columns);
    cases.push_back(sourceCase<SourceSoftmax>("softmax_source" + name, bytes, "GB/s", rows.isQuick, rows));
    cases.push_back(sourceCase<SourceLayerNorm>("layernorm_source" + name, bytes, "GB/s", rows.isQuick, rows));
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
