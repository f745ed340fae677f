#include "Reference.h"

#include <algorithm>
#include <cmath>

std::vector<float> gaussianWeights(int64_t radius) {
  std::vector<double> exact;
  double sigma = double(radius) / 2, total = 0;
  for (int64_t i = -radius; i <= radius; ++i) {
    exact.push_back(std::exp(-double(i * i) / (2 * sigma * sigma)));
    total += exact.back();
  }
  std::vector<float> weights;
  for (double weight : exact)
    weights.push_back(static_cast<float>(weight / total));
  return weights;
}

std::vector<double> referenceBlur(const samples::Picture &picture, const std::vector<float> &weights) {
  int64_t radius = static_cast<int64_t>(weights.size()) / 2, rowLength = picture.width * picture.channels;
  std::vector<double> half(picture.bytes.size()), result(picture.bytes.size());
  for (int64_t y = 0; y < picture.height; ++y)
    for (int64_t x = 0; x < picture.width; ++x)
      for (int64_t channel = 0; channel < picture.channels; ++channel)
        for (int64_t tap = -radius; tap <= radius; ++tap)
          half[static_cast<size_t>(y * rowLength + x * picture.channels + channel)] +=
              double(weights[static_cast<size_t>(tap + radius)]) *
              picture.at(std::clamp<int64_t>(x + tap, 0, picture.width - 1), y, channel);
  for (int64_t y = 0; y < picture.height; ++y)
    for (int64_t tap = -radius; tap <= radius; ++tap) {
      int64_t from = std::clamp<int64_t>(y + tap, 0, picture.height - 1);
      for (int64_t i = 0; i < rowLength; ++i)
        result[static_cast<size_t>(y * rowLength + i)] +=
            double(weights[static_cast<size_t>(tap + radius)]) * half[static_cast<size_t>(from * rowLength + i)];
    }
  return result;
}

std::vector<double> referenceEdges(const samples::Picture &picture) {
  auto brightness = [&](int64_t x, int64_t y) {
    x = std::clamp<int64_t>(x, 0, picture.width - 1);
    y = std::clamp<int64_t>(y, 0, picture.height - 1);
    return 0.299 * picture.at(x, y, 0) + 0.587 * picture.at(x, y, 1) + 0.114 * picture.at(x, y, 2);
  };
  std::vector<double> result;
  for (int64_t y = 0; y < picture.height; ++y)
    for (int64_t x = 0; x < picture.width; ++x) {
      double across = 0, down = 0;
      for (int64_t side = -1; side <= 1; ++side) {
        int64_t smooth = side == 0 ? 2 : 1;
        across += double(smooth) * (brightness(x + 1, y + side) - brightness(x - 1, y + side));
        down += double(smooth) * (brightness(x + side, y + 1) - brightness(x + side, y - 1));
      }
      result.push_back(std::min(std::hypot(across, down), 255.0));
    }
  return result;
}
