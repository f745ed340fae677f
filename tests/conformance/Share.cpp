#include "tests/conformance/Share.h"
#include "tests/conformance/Host.h"

#include <set>
#include <stdexcept>

namespace tegula::conformance {

namespace {

/// A quick run takes one in this many of the cases that no kernel and class of type needs.
constexpr uint64_t kQuickRest = 20;

/// Types that one piece of the compiler or of a device usually handles alike.
char classOf(DType type) {
  if (type == DType::I1)
    return 'b';
  if (isFp8(type))
    return '8';
  if (isFloat(type))
    return byteSize(type) == 2 ? 'h' : byteSize(type) == 8 ? 'd' : 'f';
  return byteSize(type) == 8 ? 'l' : byteSize(type) == 4 ? 'i' : 's';
}

std::string kernelAndClass(const Case &made) {
  std::set<char> classes;
  for (const BufferSpec *buffer : made.buffers())
    classes.insert(classOf(buffer->type));
  return made.file + "::" + made.kernel + " " + std::string(classes.begin(), classes.end());
}

} // namespace

Share parseShare(const std::string &text) {
  if (text == "quick")
    return {Share::Kind::Quick};
  unsigned parts = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "1/%u%c", &parts, &rest) != 1 || parts == 0)
    throw std::invalid_argument("'" + text + "' is no share of the cases; 1/N or quick is expected, e.g. @1/8");
  return {Share::Kind::Rotating, parts};
}

std::vector<bool> chosenBy(const Share &share, const std::vector<const Case *> &cases, uint64_t seed) {
  std::vector<bool> chosen;
  std::set<std::string> covered;
  for (const Case *made : cases) {
    switch (share.kind) {
    case Share::Kind::All: chosen.push_back(true); break;
    case Share::Kind::Rotating: chosen.push_back(hashOf(made->name) % share.parts == seed % share.parts); break;
    case Share::Kind::Quick:
      chosen.push_back(covered.insert(kernelAndClass(*made)).second ||
                       hashOf(made->name + "#" + std::to_string(seed)) % kQuickRest == 0);
      break;
    }
  }
  return chosen;
}

} // namespace tegula::conformance
