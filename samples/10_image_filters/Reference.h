// The filters of the lesson in plain C++ and double precision, not rounded to bytes.
#pragma once

#include "Picture.h"

#include <vector>

/// 2 radius + 1 weights of sum 1, of a Gaussian whose standard deviation is half the radius.
std::vector<float> gaussianWeights(int64_t radius);
/// Value of each channel of each pixel; a pixel outside of the picture has the value of the nearest edge pixel.
std::vector<double> referenceBlur(const samples::Picture &picture, const std::vector<float> &weights);
/// Sobel's gradient of the brightness, at most 255.
std::vector<double> referenceEdges(const samples::Picture &picture);
