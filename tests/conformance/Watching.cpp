#include "tests/conformance/Watching.h"
#include "core/support/Hash.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tegula::conformance {

namespace {

constexpr size_t kShown = 3; // one defect is found in thousands of cases

std::string describe(const char *who, const std::vector<std::string> &texts) {
  std::string result;
  for (size_t i = 0; i < std::min(texts.size(), kShown); ++i)
    result += "\n" + std::string(who) + ": " + texts[i];
  if (texts.size() > kShown)
    result += "\n" + std::string(who) + ": " + std::to_string(texts.size() - kShown) + " more";
  return result;
}

} // namespace

Watching::Watching(const std::string &library) : watch_(vulkan::test::openWatch(library)) {
  std::ifstream file(library, std::ios::binary);
  identity_ = toHex(hash128(std::string{std::istreambuf_iterator<char>(file), {}}));
}

std::string Watching::look() {
  vulkan::test::Findings found = watch_.takeFindings();
  modules_ += found.modules + found.tooNew;
  std::string text = describe("validation layer", found.messages) + describe("spirv-val", found.refusals);
  return text.empty() ? text : text.substr(1);
}

} // namespace tegula::conformance
