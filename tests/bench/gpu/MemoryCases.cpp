// Cases limited by memory: the device's own copy, vector add, softmax of rows.
#include "tests/bench/gpu/Arrays.h"

namespace gpubench {
namespace {

class Copy final : public Prepared {
public:
  Copy(const Setting &setting, int64_t bytes)
      : stream_(setting.stream), host_(normalFloats(static_cast<size_t>(bytes / 4), 1)),
        from_(upload(stream_, DType::F32, {bytes / 4}, host_)), to_(stream_.device(), DType::F32, {bytes / 4}) {}

  void launch() override { stream_.copy(to_, from_); }

  Verdict check() override {
    stream_.fill(to_, 0xff);
    launch();
    std::vector<float> copied = download<float>(stream_, to_);
    return checkSum(host_, std::vector<float>(host_.size()), copied);
  }

private:
  tegula::Stream &stream_;
  std::vector<float> host_;
  Buffer from_, to_;
};

class VectorAdd final : public SumCase {
public:
  VectorAdd(const Setting &setting, int64_t count)
      : SumCase(setting.stream, count),
        kernel_(tegula::Kernel::load(setting.modules + "/vector_add.mlir", "vector_add")) {}

  void launch() override { kernel_.launch(stream_, {tegula::cdiv(count_, 1024)}, {x_, y_, z_, count_}); }

private:
  tegula::Kernel kernel_;
};

class Softmax final : public SoftmaxCase {
public:
  Softmax(const Setting &setting, int64_t rows, int64_t columns)
      : SoftmaxCase(setting.stream, DType::F32, rows, columns),
        kernel_(tegula::Kernel::load(setting.modules + "/softmax_row.mlir", "softmax_row")) {}

  void launch() override { kernel_.launch(stream_, {rows_}, {x_.buffer, y_, columns_, columns_}); }

private:
  tegula::Kernel kernel_;
};

void addCopy(std::vector<Case> &cases, const std::string &size, int64_t bytes, bool isQuick = false) {
  cases.push_back({"copy/" + size, 2.0 * double(bytes), "GB/s", isQuick, anyDevice,
                   [bytes](const Setting &setting) { return std::make_unique<Copy>(setting, bytes); }});
}

void addVectorAdd(std::vector<Case> &cases, const std::string &size, int64_t count, bool isQuick = false) {
  cases.push_back({"vector_add/" + size, 12.0 * double(count), "GB/s", isQuick, needsSimt,
                   [count](const Setting &setting) { return std::make_unique<VectorAdd>(setting, count); }});
}

void addSoftmax(std::vector<Case> &cases, int64_t rows, int64_t columns, bool isQuick = false) {
  cases.push_back({"softmax/" + std::to_string(rows) + "x" + std::to_string(columns),
                   8.0 * double(rows) * double(columns), "GB/s", isQuick, needsSimt,
                   [=](const Setting &setting) { return std::make_unique<Softmax>(setting, rows, columns); }});
}

} // namespace

void addMemoryCases(std::vector<Case> &cases) {
  constexpr int64_t kBytes = int64_t(1) << 28;
  addCopy(cases, "256MiB", kBytes);
  addCopy(cases, "1GiB", int64_t(1) << 30);
  addCopy(cases, "4MiB", int64_t(1) << 22, true);
  addVectorAdd(cases, "256MiB_each", kBytes / 4);
  addVectorAdd(cases, "256MiB_all", kBytes / 12); // the array ends within a program
  addVectorAdd(cases, "1MiB_each", int64_t(1) << 18, true);
  addSoftmax(cases, 65536, 1024);
  addSoftmax(cases, 300, 1000, true);
}

} // namespace gpubench
