#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "core/support/Suggest.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"

#include <cstdio>

namespace tegula::cli {
namespace {

void list() {
  uint64_t total = 0;
  std::vector<session::CacheEntry> entries = session::cacheEntries();
  for (const session::CacheEntry &entry : entries) {
    total += entry.bytes;
    std::printf("%.12s  %9llu bytes  %-16s %s%s%s%s%s\n", entry.file.c_str(),
                static_cast<unsigned long long>(entry.bytes), entry.kind.c_str(), entry.path.c_str(),
                entry.kernel.empty() ? "" : "::", entry.kernel.c_str(), entry.target.empty() ? "" : " for ",
                entry.target.c_str());
  }
  std::printf("%zu entries, %llu bytes in %s\n", entries.size(), static_cast<unsigned long long>(total),
              session::cacheDirectory().c_str());
}

int verify() {
  size_t damaged = 0;
  std::vector<session::CacheCheck> checks = session::verifyCache();
  for (const session::CacheCheck &check : checks) {
    damaged += !check.problem.empty();
    if (!check.problem.empty())
      std::printf("%s: %s\n", check.file.c_str(), check.problem.c_str());
  }
  std::printf("%zu entries, %zu of them damaged; a launch compiles such a kernel again\n", checks.size(), damaged);
  return damaged ? kFailed : kSuccess;
}

} // namespace

int runCache(const std::vector<std::string> &arguments) {
  CLI::App app("Shows, checks or empties the cache of compiled kernels.", "tegula cache");
  std::string action;
  app.add_option("ACTION", action, "list, verify, clear or path")->required();
  app.footer(
      "Examples:\n"
      "  tegula cache list     what is kept: compiled kernels, what devices made of them, descriptions of files\n"
      "  tegula cache verify   reads every entry as a launch would, and says which are damaged\n"
      "  tegula cache clear    removes all of it; the next launch compiles again\n"
      "  tegula cache path     where it is: in $TEGULA_CACHE_DIR, $TRITON_CACHE_DIR or ~/.cache/tegula");
  if (auto over = parse(app, arguments))
    return *over;
  if (action == "list")
    list();
  else if (action == "verify")
    return verify();
  else if (action == "clear")
    std::printf("%zu entries removed\n", session::clearCache());
  else if (action == "path")
    std::printf("%s\n", session::cacheDirectory().c_str());
  else
    throw Error("unknown action '" + action + "'; expected list, verify, clear or path" +
                suggestion(action, std::vector<std::string>{"list", "verify", "clear", "path"}));
  return kSuccess;
}

} // namespace tegula::cli
