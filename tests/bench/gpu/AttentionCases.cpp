// fp16 attention forward, head dimension 128, not causal: tests/simt/flash_attention.mlir.
#include "tests/bench/gpu/Arrays.h"

namespace gpubench {
namespace {

using tegula::TensorDescriptor;

constexpr int64_t kWidth = 128;

class Attention final : public AttentionCase {
public:
  Attention(const Setting &setting, int64_t heads, int64_t length)
      : AttentionCase(setting.stream, heads, length, kWidth),
        kernel_(tegula::Kernel::load(setting.modules + "/flash_attention.mlir", "attention")),
        arguments_{TensorDescriptor(q_, {128, kWidth}),
                   TensorDescriptor(k_, {128, kWidth}),
                   TensorDescriptor(v_, {128, kWidth}),
                   TensorDescriptor(o_, {64, kWidth}),
                   length_,
                   scale_} {}

  void launch() override { kernel_.launch(stream_, {length_ / 128, heads_}, arguments_); }

private:
  tegula::Kernel kernel_;
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
