// What a compilation may know of the world outside of its own file: the files of modules that the file imports, and
// environment variables. Describing a file looks at the world and records each answer, also that something is not
// there; compiling a kernel has only the record. So the record is the part of the cache key that stands for the world,
// and a description from the cache holds as long as each recorded answer is still the same.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tegula {

struct Surroundings {
  /// Folders that are searched for modules after those beside and around the file, in order.
  std::vector<std::string> modulePath;

  struct File {
    bool exists = false;             // a file or a folder
    std::optional<std::string> text; // of a file that was read
    bool operator==(const File &) const = default;
  };
  std::map<std::string, File> files; // by path
  std::map<std::string, std::optional<std::string>> environment;
  bool operator==(const Surroundings &) const = default;
};

/// The present answers to the questions that are recorded in `known`.
Surroundings lookAgain(const Surroundings &known);
/// Whether there is such a file or folder.
bool pathExists(const std::string &path);

} // namespace tegula
