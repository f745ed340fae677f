// The hash of a kernel's normalized text, by which tuning knows it.
#include "frontend/language/names/Inspect.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

const std::string kKernel =
    "import triton\nfrom helpers import half\n\n\n@triton.jit\ndef k(x, n):\n    x += half(n)\n";

Surroundings with(const std::string &path, const std::string &text) {
  Surroundings made;
  made.files[path] = {true, text};
  return made;
}

TEST(TextHash, LeavesOutWhatDoesNotMatter) {
  const std::string text = textHash("/a/k.py", kKernel, with("/a/helpers.py", "def half(n):\n    return n // 2\n"));
  EXPECT_EQ(text.size(), 32u);
  const std::string commented = "# first\nimport triton\nfrom helpers import half\n@triton.jit\n"
                                "def k( x,n ):   # of x\n\n        x  +=  half(n)\n";
  Surroundings elsewhere = with("/b/c/helpers.py", "def half(n):  # rounds down\n  return n//2\n");
  elsewhere.files["/b/c/other.py"] = {false, std::nullopt};
  EXPECT_EQ(textHash("/b/c/k.py", commented, elsewhere), text) << "comments, spaces and paths";
}

TEST(TextHash, HasWhatMatters) {
  const Surroundings none;
  const std::string text = textHash("k.py", kKernel, none);
  EXPECT_NE(textHash("k.py", kKernel + "y = 2\n", none), text);
  EXPECT_NE(textHash("k.py", kKernel, with("helpers.py", "def half(n):\n    return n / 2\n")), text);
  EXPECT_NE(textHash("k.py", "y = (2\n", none), textHash("k.py", "y = (3\n", none)) << "not Python: its bytes";
  Surroundings changed;
  changed.environment["SIZE"] = "4";
  EXPECT_NE(textHash("k.py", kKernel, changed), text);
  changed = none;
  changed.given.push_back({"", "SIZE", "4", ""});
  EXPECT_NE(textHash("k.py", kKernel, changed), text);
  const std::string string = "s = 'a b'\n", other = "s = 'a  b'\n";
  EXPECT_NE(textHash("k.py", string, none), textHash("k.py", other, none)) << "spaces inside of a string";
}

} // namespace
} // namespace tegula::lang
