#include "frontend/cli/Version.h"
#include "core/runtime/Session.h"
#include "core/support/Suggest.h"

namespace tegula::cli {

std::string versionLine() {
  std::string of = *commit() ? std::string(", commit ") + commit() : std::string();
  return "tegula " TEGULA_VERSION + of + ", backends " + listed(session::backends());
}

} // namespace tegula::cli
