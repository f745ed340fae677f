#include "core/contracts/BackendNames.h"
#include "core/runtime/Session.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"

#include <cstdio>

namespace tegula::cli {

int runTargets(const std::vector<std::string> &arguments) {
  CLI::App app("Lists the targets that this build compiles for, with or without such a device.", "tegula targets");
  app.footer("Examples:\n"
             "  tegula targets\n"
             "  tegula compile add.py --target=\"$(tegula targets | head -n 1 | cut -d' ' -f2)\" --emit=tile ...\n\n"
             "A line for each backend: its name, then its targets. `tegula devices` names the target of each device.");
  if (auto over = parse(app, arguments))
    return *over;
  for (const TargetFamily &family : session::targetFamilies()) {
    std::printf("%s:", family.backend.c_str());
    for (const std::string &target : family.targets)
      std::printf(" %s", target.c_str());
    std::printf("\n");
  }
  return kSuccess;
}

} // namespace tegula::cli
