// fp16 attention forward, head dimension 128, not causal: tests/simt/flash_attention.mlir.
#include "tests/bench/gpu/Data.h"
#include "tests/bench/gpu/References.h"

#include <cmath>

namespace gpubench {
namespace {

using tegula::Buffer;
using tegula::DType;
using tegula::TensorDescriptor;

constexpr int64_t kWidth = 128;

class Attention final : public Prepared {
public:
  Attention(const Setting &setting, int64_t heads, int64_t length)
      : stream_(setting.stream), kernel_(tegula::Kernel::load(setting.modules + "/flash_attention.mlir", "attention")),
        heads_(heads), length_(length), hostQ_(normalHalves(elements(), 7)), hostK_(normalHalves(elements(), 8)),
        hostV_(normalHalves(elements(), 9)), q_(upload(stream_, DType::F16, shape(), hostQ_)),
        k_(upload(stream_, DType::F16, shape(), hostK_)), v_(upload(stream_, DType::F16, shape(), hostV_)),
        o_(stream_.device(), DType::F16, shape()), arguments_{TensorDescriptor(q_, {128, kWidth}),
                                                              TensorDescriptor(k_, {128, kWidth}),
                                                              TensorDescriptor(v_, {128, kWidth}),
                                                              TensorDescriptor(o_, {64, kWidth}),
                                                              length_,
                                                              kScale} {}

  void launch() override { kernel_.launch(stream_, {length_ / 128, heads_}, arguments_); }

  Verdict check() override {
    stream_.fill(o_, 0xff);
    launch();
    Heads size = {static_cast<size_t>(heads_), static_cast<size_t>(length_), kWidth, kScale};
    return checkAttention(size, hostQ_, hostK_, hostV_, download<uint16_t>(stream_, o_), 4);
  }

private:
  static inline const double kScale = 1 / std::sqrt(double(kWidth));
  size_t elements() const { return static_cast<size_t>(heads_ * length_ * kWidth); }
  std::vector<int64_t> shape() const { return {heads_ * length_, kWidth}; }

  tegula::Stream &stream_;
  tegula::Kernel kernel_;
  int64_t heads_, length_;
  std::vector<uint16_t> hostQ_, hostK_, hostV_;
  Buffer q_, k_, v_, o_;
  std::vector<tegula::Argument> arguments_;
};

void addAttention(std::vector<Case> &cases, int64_t batch, int64_t heads, int64_t length, bool isQuick) {
  std::string name = "flash_attention/" + std::to_string(batch) + "x" + std::to_string(heads) + "x" +
                     std::to_string(length) + "x" + std::to_string(kWidth);
  double work = 4.0 * double(batch * heads) * double(length) * double(length) * double(kWidth);
  cases.push_back({name, work, "TFLOP/s", isQuick, needsHopper, [=](const Setting &setting) {
                     return std::make_unique<Attention>(setting, batch * heads, length);
                   }});
}

} // namespace

void addAttentionCases(std::vector<Case> &cases) {
  addAttention(cases, 4, 32, 4096, false);
  addAttention(cases, 1, 2, 512, true);
}

} // namespace gpubench
