// What was built: for `tegula --version` and `tegula doctor`.
#pragma once

#include <string>

namespace tegula::cli {

/// The commit that the sources are of, with "+" behind it if some differ from it; empty where that is not known.
const char *commit();

/// "tegula 0.1.0, commit 0123456789ab, backends cpu and null"
std::string versionLine();

} // namespace tegula::cli
