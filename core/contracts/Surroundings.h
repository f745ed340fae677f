// What a compilation may know of the world outside of its own file: the files of modules that the file imports, and
// environment variables. Describing a file looks at the world and records each answer, also that something is not
// there; compiling a kernel has only the record. So the record is the part of the cache key that stands for the world,
// and a description from the cache holds as long as each recorded answer is still the same.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// A name of a file and what it stands for, whatever the file says: the caller knows it from a running program.
struct GivenName {
  std::string file;  // empty: the kernel's own; else the path of an imported module, as Modules finds it
  std::string name;  // or KERNEL.PARAMETER, of the kernel's own file: the value of that constexpr parameter
  std::string value; // text of an expression; with `from`, a name in that module, or empty: the module itself
  std::string from;  // the path of a module's file
  bool operator==(const GivenName &) const = default;
};

struct Surroundings {
  /// Folders that are searched for modules after those beside and around the file, in order.
  std::vector<std::string> modulePath;
  std::vector<GivenName> given;
  /// Texts of files that the caller has, by path, whatever is on the disk: a notebook's cell has no file.
  std::map<std::string, std::string> texts;

  struct File {
    bool exists = false;             // a file or a folder
    std::optional<std::string> text; // of a file that was read
    bool operator==(const File &) const = default;
  };
  std::map<std::string, File> files; // by path
  std::map<std::string, std::optional<std::string>> environment;
  bool operator==(const Surroundings &) const = default;
};

/// `text` of the file, with statements behind it that bind the names given for it; `own`: it is the kernel's. A module
/// given by its path is imported by the name givenModule(path).
std::string withGivenNames(const std::string &text, const std::string &path, bool own,
                           const std::vector<GivenName> &given);
/// The name that KERNEL.PARAMETER is bound by in the text: values that no ConstantValue has, such as functions and
/// tuples.
std::string givenConstant(const std::string &kernel, const std::string &param);
/// `given_module_` and the path in hexadecimal; and the path of such a name, empty of any other.
std::string givenModule(const std::string &path);
std::string givenPath(std::string_view module);
/// Throws tegula::Error where the name is no identifier, or two with a dot between for the kernel's own file, or the
/// value not one line of text.
void checkGiven(const GivenName &given);

/// A name of a file for those who have it elsewhere: of an absolute path, the part below the folder of the kernel's
/// file, or only the last component where the file is outside of that folder. A relative path stays as it is.
std::string portablePath(const std::string &path, const std::string &kernelFile);

/// The present answers to the questions that are recorded in `known`.
Surroundings lookAgain(const Surroundings &known);
/// The text of a file that a kernel's source imports or reads. Throws tegula::Error for what is no regular file of at
/// most 16 MiB: pipes and devices may never end.
std::string surroundingText(const std::string &path);
/// Whether there is such a file or folder.
bool pathExists(const std::string &path);

} // namespace tegula
