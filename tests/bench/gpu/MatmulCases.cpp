// fp16 products of square matrices: wgmma with B stored n x k, mma.sync with B stored k x n.
#include "tests/bench/gpu/Arrays.h"

namespace gpubench {
namespace {

using tegula::TensorDescriptor;

class Matmul : public ProductCase {
protected:
  Matmul(const Setting &setting, const std::string &module, int64_t size, bool isTransposed)
      : ProductCase(setting.stream, size, isTransposed),
        kernel_(tegula::Kernel::load(setting.modules + "/" + module, "matmul")) {}

  tegula::Kernel kernel_;
};

/// tests/simt/matmul_tma_wgmma.mlir: persistent, one program for each multiprocessor.
class AsyncMatmul final : public Matmul {
public:
  AsyncMatmul(const Setting &setting, int64_t size)
      : Matmul(setting, "matmul_tma_wgmma.mlir", size, true),
        programs_(std::min(numberOf(stream_.device().info(), "multiprocessors"),
                           tegula::cdiv(size, 128) * tegula::cdiv(size, 256))),
        arguments_{TensorDescriptor(a_, {128, 64}),
                   TensorDescriptor(b_, {256, 64}),
                   TensorDescriptor(c_, {64, 64}),
                   size,
                   size,
                   size} {}

  void launch() override { kernel_.launch(stream_, {programs_}, arguments_); }

private:
  int64_t programs_;
  std::vector<tegula::Argument> arguments_;
};

/// tests/simt/matmul_mma_cp_async.mlir: each program computes a tile of 128 x 128.
class WarpMatmul final : public Matmul {
public:
  WarpMatmul(const Setting &setting, int64_t size)
      : Matmul(setting, "matmul_mma_cp_async.mlir", size, false),
        arguments_{a_, b_, c_, size, size, size, size, size, size} {}

  void launch() override { kernel_.launch(stream_, {size_ / 128 * (size_ / 128)}, arguments_); }

private:
  std::vector<tegula::Argument> arguments_;
};

template <class Kind>
void addMatmul(std::vector<Case> &cases, const std::string &name, std::string (*leftOut)(const tegula::Device::Info &),
               std::vector<int64_t> sizes) {
  for (int64_t size : sizes)
    cases.push_back({name + "/" + std::to_string(size), 2.0 * double(size) * double(size) * double(size), "TFLOP/s",
                     size < 2048, leftOut,
                     [size](const Setting &setting) { return std::make_unique<Kind>(setting, size); }});
}

} // namespace

void addMatmulCases(std::vector<Case> &cases) {
  addMatmul<AsyncMatmul>(cases, "matmul_tma_wgmma", needsHopper, {8192, 4096, 2048, 1024});
  addMatmul<WarpMatmul>(cases, "matmul_mma_cp_async", needsAmpere, {8192, 4096, 1024});
}

} // namespace gpubench
