#include "HostArray.h"
#include "Lesson.h"
#include "Picture.h"
#include "Reference.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <numeric>

using samples::Picture;
using testing::Each;
using testing::HasSubstr;

namespace {

std::string pathFor(const std::string &name) { return (std::filesystem::path(testing::TempDir()) / name).string(); }

Picture noise(int64_t width, int64_t height, int64_t channels) {
  Picture picture(width, height, channels);
  std::vector<float> values = samples::uniform(picture.bytes.size(), 1, 0, 256);
  std::copy(values.begin(), values.end(), picture.bytes.begin());
  return picture;
}

std::string readFailure(const std::string &path) {
  try {
    samples::readPng(path);
  } catch (const samples::BadUse &error) {
    return error.what();
  }
  return "no failure";
}

TEST(Png, ColourComesBackAsWritten) {
  std::string path = pathFor("tegula_colour.png");
  Picture picture = noise(31, 17, 3);
  samples::writePng(path, picture);
  Picture again = samples::readPng(path);
  EXPECT_EQ(again.width, 31);
  EXPECT_EQ(again.height, 17);
  EXPECT_EQ(again.bytes, picture.bytes);
}

TEST(Png, GreyComesBackAsThreeEqualChannels) {
  std::string path = pathFor("tegula_grey.png");
  Picture picture = noise(5, 7, 1);
  samples::writePng(path, picture);
  Picture again = samples::readPng(path);
  ASSERT_EQ(again.bytes.size(), 3 * picture.bytes.size());
  for (size_t i = 0; i < again.bytes.size(); ++i)
    EXPECT_EQ(again.bytes[i], picture.bytes[i / 3]);
}

TEST(Png, BadFilesAreBadUse) {
  EXPECT_THAT(readFailure(pathFor("tegula_absent.png")), HasSubstr("tegula_absent.png"));

  std::string path = pathFor("tegula_text.png");
  std::ofstream(path) << "this is no picture";
  EXPECT_THAT(readFailure(path), HasSubstr("tegula_text.png"));

  path = pathFor("tegula_short.png");
  samples::writePng(path, noise(64, 64, 3));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(readFailure(path), HasSubstr("tegula_short.png"));

  EXPECT_THROW(samples::writePng(pathFor("no_such_folder/x.png"), noise(2, 2, 3)), samples::BadUse);
}

TEST(Filters, WeightsAreAnEvenDistribution) {
  for (int64_t radius : {1, 4, 9}) {
    std::vector<float> weights = gaussianWeights(radius);
    ASSERT_EQ(weights.size(), static_cast<size_t>(2 * radius + 1));
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6);
    EXPECT_TRUE(std::equal(weights.begin(), weights.end(), weights.rbegin()));
    EXPECT_TRUE(std::is_sorted(weights.begin(), weights.begin() + radius + 1));
  }
}

TEST(Filters, BlurKeepsAnEvenPictureAndSpreadsAPoint) {
  std::vector<float> weights = gaussianWeights(2);
  Picture even(9, 6, 3);
  std::fill(even.bytes.begin(), even.bytes.end(), 77);
  EXPECT_THAT(referenceBlur(even, weights), Each(testing::DoubleNear(77, 1e-4)));

  Picture point(9, 9, 1);
  point.at(4, 4, 0) = 200;
  std::vector<double> spread = referenceBlur(point, weights);
  for (int64_t y = -2; y <= 2; ++y)
    for (int64_t x = -2; x <= 2; ++x)
      EXPECT_NEAR(spread[static_cast<size_t>((4 + y) * 9 + 4 + x)],
                  200.0 * weights[static_cast<size_t>(2 + x)] * weights[static_cast<size_t>(2 + y)], 1e-9);
  EXPECT_EQ(spread[0], 0);
}

TEST(Filters, EdgesOfAStepAndOfASlope) {
  Picture step(8, 4, 3);
  for (int64_t y = 0; y < 4; ++y)
    for (int64_t x = 4; x < 8; ++x)
      for (int64_t channel = 0; channel < 3; ++channel)
        step.at(x, y, channel) = 10;
  std::vector<double> edges = referenceEdges(step);
  for (size_t i = 0; i < edges.size(); ++i)
    EXPECT_NEAR(edges[i], i % 8 == 3 || i % 8 == 4 ? 40 : 0, 1e-9); // 1 + 2 + 1 times the step's height
}

TEST(Landscape, IsTheSameEachTimeAndNotEmpty) {
  Picture picture = samples::drawLandscape(97, 61);
  EXPECT_EQ(picture.bytes, samples::drawLandscape(97, 61).bytes);
  auto [darkest, brightest] = std::minmax_element(picture.bytes.begin(), picture.bytes.end());
  EXPECT_GT(*brightest - *darkest, 150);
}

} // namespace
