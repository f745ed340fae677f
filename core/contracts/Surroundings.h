// The data that a compilation may use from outside of its own file: the files of modules that the file imports, and
// environment variables. Describing a file (Compiler::inspect) reads these and records each answer, including that a
// file does not exist. Compiling a kernel uses the record only. Therefore the record is part of the cache key, and a
// cached description is valid as long as each recorded answer is unchanged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// The value of a global name in a file, which replaces the file's own definition: the caller knows it from a running
/// program.
struct GivenName {
  std::string file;  // empty: the kernel's; else the path of an imported module, as Modules finds it
  std::string name;  // or KERNEL.PARAMETER in the kernel's file: makes that parameter constexpr with this value
  std::string value; // an expression; with `from`, a name in that module, or empty for the module itself
  std::string from;  // empty, or the path of a module's file
  bool operator==(const GivenName &) const = default;
};

struct Surroundings {
  /// Folders in which modules are searched, in order, after the folders beside and around the file.
  std::vector<std::string> modulePath;
  std::vector<GivenName> given;
  /// Texts that replace files on the disk, by path: a notebook's cell, for example, has no file.
  std::map<std::string, std::string> texts;

  struct File {
    bool exists = false;             // as a file or a folder
    std::optional<std::string> text; // contents, if the file was read
    bool operator==(const File &) const = default;
  };
  std::map<std::string, File> files; // by path
  std::map<std::string, std::optional<std::string>> environment;
  bool operator==(const Surroundings &) const = default;
};

/// The file's `text`, followed by statements that bind the names given for it; `own`: it is the kernel's file. A module
/// that is given by its path is imported under the name givenModule(path).
std::string withGivenNames(const std::string &text, const std::string &path, bool own,
                           const std::vector<GivenName> &given);
/// The name that is bound in the text for KERNEL.PARAMETER, for values that ConstantValue cannot hold, such as
/// functions and tuples.
std::string givenConstant(const std::string &kernel, const std::string &param);
/// The name `given_module_` followed by the path in hexadecimal; and the inverse, the path of such a name, empty for
/// any other name.
std::string givenModule(const std::string &path);
std::string givenPath(std::string_view module);
/// Throws tegula::Error if the name is no identifier (in the kernel's own file also two with a dot between them), or if
/// the value is not one line of text.
void checkGiven(const GivenName &given);

/// A file's name for use on other machines: for an absolute path, the part below the folder of the kernel's file, or
/// only the last component if the file is outside of that folder. A relative path is returned unchanged.
std::string portablePath(const std::string &path, const std::string &kernelFile);

/// The current answers to the queries that `known` records.
Surroundings lookAgain(const Surroundings &known);
/// The text of a file that a kernel's source imports or reads. Throws tegula::Error if it is no regular file of at most
/// 16 MiB, because pipes and devices may never end.
std::string surroundingText(const std::string &path);
/// True if the file or folder exists.
bool pathExists(const std::string &path);

} // namespace tegula
