// Which cases a device runs: all of them, a part that rotates from commit to commit, or a quick choice.
#pragma once

#include "tests/conformance/Case.h"

namespace tegula::conformance {

/// Written behind a device's name: `vulkan:0/generic@1/8`, `cpu@quick`; nothing behind it: all.
struct Share {
  enum class Kind : uint8_t {
    All,
    Rotating, // one of `parts` parts; consecutive seeds take consecutive parts
    Quick,    // one case for each kernel and class of type, and a twentieth of the others
  };
  Kind kind = Kind::All;
  unsigned parts = 1;
};

/// Throws std::invalid_argument for a text that is neither `1/N` nor `quick`.
Share parseShare(const std::string &text);

/// For each of `cases`, in order, whether the share has it. A case's part depends on its name alone, so that `parts`
/// consecutive seeds reach every case even when cases were added between them.
std::vector<bool> chosenBy(const Share &share, const std::vector<const Case *> &cases, uint64_t seed);

} // namespace tegula::conformance
