// The part that all cases of one kind share: arrays, and the check of the result. A case adds a kernel and its launch.
#pragma once

#include "tests/bench/gpu/Data.h"
#include "tests/bench/gpu/References.h"

#include <cmath>

namespace gpubench {

using tegula::Buffer;
using tegula::DType;

/// z = x + y of `count` f32.
class SumCase : public Prepared {
public:
  Verdict check() override {
    stream_.fill(z_, 0xff);
    launch();
    return checkSum(hostX_, hostY_, download<float>(stream_, z_));
  }

protected:
  SumCase(tegula::Stream &stream, int64_t count)
      : stream_(stream), count_(count), hostX_(normalFloats(static_cast<size_t>(count), 2)),
        hostY_(normalFloats(static_cast<size_t>(count), 3)), x_(upload(stream_, DType::F32, {count}, hostX_)),
        y_(upload(stream_, DType::F32, {count}, hostY_)), z_(stream_.device(), DType::F32, {count}) {}

  tegula::Stream &stream_;
  int64_t count_;
  std::vector<float> hostX_, hostY_;
  Buffer x_, y_, z_;
};

/// A kernel from rows to rows of one element type, f32 or f16.
class RowsCase : public Prepared {
protected:
  RowsCase(tegula::Stream &stream, DType type, int64_t rows, int64_t columns)
      : stream_(stream), type_(type), rows_(rows), columns_(columns),
        x_(normalNumbers(stream, type, {rows, columns}, 4)), y_(stream_.device(), type, {rows, columns}) {}

  std::vector<float> result() { return downloadFloats(stream_, y_); }

  static constexpr size_t kCheckedRows = 256;
  tegula::Stream &stream_;
  DType type_;
  int64_t rows_, columns_;
  Numbers x_;
  Buffer y_;
};

class SoftmaxCase : public RowsCase {
public:
  Verdict check() override {
    stream_.fill(y_, 0xff);
    launch();
    return checkSoftmax(x_.host, result(), static_cast<size_t>(columns_), kCheckedRows, roundingOf(type_));
  }

protected:
  using RowsCase::RowsCase;
};

/// C = A B of square f16 matrices; B is stored n x k where `isTransposed`.
class ProductCase : public Prepared {
public:
  Verdict check() override {
    stream_.fill(c_, 0xff);
    launch();
    auto extent = static_cast<size_t>(size_);
    return checkProduct({extent, extent, extent, isTransposed_}, hostA_, hostB_, download<uint16_t>(stream_, c_));
  }

protected:
  ProductCase(tegula::Stream &stream, int64_t size, bool isTransposed)
      : stream_(stream), size_(size), isTransposed_(isTransposed),
        hostA_(normalHalves(static_cast<size_t>(size * size), 5)),
        hostB_(normalHalves(static_cast<size_t>(size * size), 6)),
        a_(upload(stream_, DType::F16, {size, size}, hostA_)), b_(upload(stream_, DType::F16, {size, size}, hostB_)),
        c_(stream_.device(), DType::F16, {size, size}) {}

  tegula::Stream &stream_;
  int64_t size_;
  bool isTransposed_;
  std::vector<uint16_t> hostA_, hostB_;
  Buffer a_, b_, c_;
};

/// O = softmax(Q K^T / sqrt(width)) V of each head in f16; arrays are (heads * length) x width.
class AttentionCase : public Prepared {
public:
  Verdict check() override {
    stream_.fill(o_, 0xff);
    launch();
    Heads size = {static_cast<size_t>(heads_), static_cast<size_t>(length_), static_cast<size_t>(width_), scale_};
    return checkAttention(size, hostQ_, hostK_, hostV_, download<uint16_t>(stream_, o_), 4);
  }

protected:
  AttentionCase(tegula::Stream &stream, int64_t heads, int64_t length, int64_t width)
      : stream_(stream), heads_(heads), length_(length), width_(width), scale_(1 / std::sqrt(double(width))),
        hostQ_(normalHalves(elements(), 7)), hostK_(normalHalves(elements(), 8)), hostV_(normalHalves(elements(), 9)),
        q_(upload(stream_, DType::F16, shape(), hostQ_)), k_(upload(stream_, DType::F16, shape(), hostK_)),
        v_(upload(stream_, DType::F16, shape(), hostV_)), o_(stream_.device(), DType::F16, shape()) {}

  tegula::Stream &stream_;
  int64_t heads_, length_, width_;
  double scale_;
  std::vector<uint16_t> hostQ_, hostK_, hostV_;
  Buffer q_, k_, v_, o_;

private:
  size_t elements() const { return static_cast<size_t>(heads_ * length_ * width_); }
  std::vector<int64_t> shape() const { return {heads_ * length_, width_}; }
};

} // namespace gpubench
