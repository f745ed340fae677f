#include "core/contracts/Surroundings.h"

#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/Files.h"

#include <filesystem>

namespace tegula {

bool pathExists(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Surroundings lookAgain(const Surroundings &known) {
  Surroundings now;
  now.modulePath = known.modulePath;
  for (const auto &[path, before] : known.files) {
    Surroundings::File &file = now.files[path];
    file.exists = pathExists(path);
    if (!file.exists || !before.text)
      continue;
    try {
      file.text = readTextFile(path);
    } catch (const Error &) {
      // No longer readable: differs from what is known.
    }
  }
  for (const auto &[name, before] : known.environment)
    now.environment[name] = foreignVariable(name);
  return now;
}

} // namespace tegula
