#include "tests/conformance/families/References.h"

#include "tests/conformance/Fills.h"

#include <algorithm>

namespace tegula::conformance {

Reference softmaxRows(size_t k, int64_t columns) {
  return [=](const Inputs &in, int64_t count) {
    Expected out;
    for (int64_t first = 0; first < count; first += columns) {
      Number top = -kInf, total = 0;
      for (int64_t j = 0; j < columns; ++j)
        top = std::max(top, in(k, first + j));
      for (int64_t j = 0; j < columns; ++j)
        total += std::exp(in(k, first + j) - top);
      for (int64_t j = 0; j < columns; ++j)
        out.push_back(std::exp(in(k, first + j) - top) / total);
    }
    return out;
  };
}

Reference layernormRows(size_t x, size_t weight, size_t bias, int64_t columns, double eps) {
  return [=](const Inputs &in, int64_t count) {
    Expected out;
    for (int64_t first = 0; first < count; first += columns) {
      Number mean = 0, squares = 0;
      for (int64_t j = 0; j < columns; ++j)
        mean += in(x, first + j) / columns;
      for (int64_t j = 0; j < columns; ++j)
        squares += (in(x, first + j) - mean) * (in(x, first + j) - mean);
      Number rstd = 1 / std::sqrt(squares / columns + eps);
      for (int64_t j = 0; j < columns; ++j)
        out.push_back((in(x, first + j) - mean) * rstd * in(weight, j) + in(bias, j));
    }
    return out;
  };
}

Reference matrixProduct(int64_t n, int64_t k, int64_t am, int64_t ak, int64_t bk, int64_t bn) {
  return [=](const Inputs &in, int64_t count) {
    std::vector<double> a(in.all(0).begin(), in.all(0).end()), b(in.all(1).begin(), in.all(1).end());
    Expected out;
    for (int64_t i = 0; i < count; ++i) {
      const double *row = &a[static_cast<size_t>(i / n * am)], *column = &b[static_cast<size_t>(i % n * bn)];
      double total = 0; // of whole numbers below 2^53
      for (int64_t p = 0; p < k; ++p)
        total += row[p * ak] * column[p * bk];
      out.push_back(total);
    }
    return out;
  };
}

Reference attentionOf(int64_t queries, int64_t keys, int64_t width, double scale, bool causal) {
  return [=](const Inputs &in, int64_t count) {
    Expected out;
    for (int64_t row = 0; row < count / width; ++row) {
      int64_t head = row / queries, visible = causal ? row % queries + keys - queries + 1 : keys;
      std::vector<Number> weights;
      Number top = -kInf, total = 0;
      for (int64_t j = 0; j < visible; ++j) {
        Number score = 0;
        for (int64_t d = 0; d < width; ++d)
          score += in(0, row * width + d) * in(1, (head * keys + j) * width + d);
        weights.push_back(score * scale);
        top = std::max(top, weights.back());
      }
      for (Number &w : weights)
        total += w = std::exp(w - top);
      for (int64_t d = 0; d < width; ++d) {
        Number value = 0;
        for (int64_t j = 0; j < visible; ++j)
          value += weights[static_cast<size_t>(j)] * in(2, (head * keys + j) * width + d);
        out.push_back(value / total);
      }
    }
    return out;
  };
}

Reference gradientsOf(unsigned operand, int64_t length, int64_t width, bool causal) {
  return [=](const Inputs &in, int64_t count) {
    std::vector<Number> sums(static_cast<size_t>(count), Number(0));
    auto add = [&](int64_t row, Number factor, size_t buffer, int64_t from) {
      for (int64_t d = 0; d < width; ++d)
        sums[static_cast<size_t>(row * width + d)] += factor * in(buffer, from * width + d);
    };
    auto product = [&](size_t left, int64_t i, size_t right, int64_t j) {
      Number sum = 0;
      for (int64_t d = 0; d < width; ++d)
        sum += in(left, i * width + d) * in(right, j * width + d);
      return sum;
    };
    for (int64_t i = 0; i < length; ++i)
      for (int64_t j = 0; j < (causal ? i + 1 : length); ++j) {
        Number weight = std::exp2(product(0, i, 1, j) - in(4, i));
        Number change = weight * (product(3, i, 2, j) - in(5, i));
        if (operand == 0)
          add(i, change, 1, j);
        else if (operand == 1)
          add(j, change, 0, i);
        else
          add(j, weight, 3, i);
      }
    return Expected(sums.begin(), sums.end());
  };
}

Fill extremesOnDiagonal(int64_t columns, bool largest) {
  return byIndex([columns, largest](int64_t at) -> Number {
    constexpr Number kInfinite = std::numeric_limits<Number>::infinity();
    const Number large = largest ? 0x1.fffffep127L : 0x1.ffdffep127L, next = largest ? 0x1.ffep127L : 0x1.fedcbap126L;
    const Number numbers[] = {large,    kInfinite,  -next,  std::numeric_limits<Number>::quiet_NaN(),
                              1 / 3.0f, -kInfinite, -large, 0x1.233ffep-20L};
    int64_t row = at / columns, column = at % columns;
    return column == row % columns ? numbers[size_t(row) % std::size(numbers)] : 0;
  });
}

} // namespace tegula::conformance
