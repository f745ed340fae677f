#include "core/contracts/Surroundings.h"

#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/Files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

namespace tegula {
namespace {

constexpr std::string_view kGivenPrefix = "given_module_";

bool isIdentifier(const std::string &text) {
  auto isLetter = [](unsigned char c) { return std::isalpha(c) || c == '_' || c >= 0x80; };
  return !text.empty() && isLetter(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [&](unsigned char c) { return isLetter(c) || std::isdigit(c); });
}

} // namespace

std::string givenModule(const std::string &path) {
  std::string name(kGivenPrefix);
  for (unsigned char c : path)
    for (unsigned digit : {c >> 4, c & 15})
      name += "0123456789abcdef"[digit];
  return name;
}

std::string givenPath(std::string_view module) {
  if (!module.starts_with(kGivenPrefix))
    return {};
  module.remove_prefix(kGivenPrefix.size());
  std::string path;
  for (size_t i = 0; i + 1 < module.size(); i += 2) {
    unsigned byte = 0;
    if (std::from_chars(module.data() + i, module.data() + i + 2, byte, 16).ptr != module.data() + i + 2)
      return {};
    path += static_cast<char>(byte);
  }
  return path;
}

std::string givenConstant(const std::string &kernel, const std::string &param) {
  return "given_constant_" + kernel + "_" + param;
}

void checkGiven(const GivenName &given) {
  size_t dot = given.name.find('.');
  bool isConstant = dot != std::string::npos && given.file.empty() && isIdentifier(given.name.substr(0, dot)) &&
                    isIdentifier(given.name.substr(dot + 1));
  if (!isConstant && !isIdentifier(given.name))
    throw Error("a value is given for the global '" + given.name + "', which is no name");
  if (given.value.find_first_of("\r\n") != std::string::npos)
    throw Error("the value given for the global '" + given.name + "' has several lines; one expression is expected");
  if (given.from.empty() ? given.value.empty() : !given.value.empty() && !isIdentifier(given.value))
    throw Error("the global '" + given.name + "' is given " +
                (given.from.empty() ? "no value" : "'" + given.value + "' of " + given.from + ", which is no name"));
}

std::string withGivenNames(const std::string &text, const std::string &path, bool own,
                           const std::vector<GivenName> &given) {
  std::string result = text;
  for (const GivenName &name : given) {
    if (name.file.empty() ? !own : name.file != path)
      continue;
    if (!result.ends_with('\n'))
      result += '\n';
    size_t dot = name.name.find('.');
    std::string bound =
        dot == std::string::npos ? name.name : givenConstant(name.name.substr(0, dot), name.name.substr(dot + 1));
    if (name.from.empty())
      result += bound + " = " + name.value + "\n";
    else if (name.value.empty())
      result += "import " + givenModule(name.from) + " as " + bound + "\n";
    else
      result += "from " + givenModule(name.from) + " import " + name.value + " as " + bound + "\n";
  }
  return result;
}

std::string surroundingText(const std::string &path) { return readRegularText(path, uint64_t(1) << 24); }

bool pathExists(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string portablePath(const std::string &path, const std::string &kernelFile) {
  namespace fs = std::filesystem;
  fs::path file(path);
  if (!file.is_absolute())
    return path;
  fs::path below =
      file.lexically_normal().lexically_relative(fs::absolute(kernelFile).lexically_normal().parent_path());
  bool isBelow = !below.empty() && *below.begin() != "..";
  return (isBelow ? below : file.filename()).string();
}

Surroundings lookAgain(const Surroundings &known) {
  Surroundings now;
  now.modulePath = known.modulePath;
  now.given = known.given;
  now.texts = known.texts;
  for (const auto &[path, before] : known.files) {
    Surroundings::File &file = now.files[path];
    file.exists = pathExists(path);
    if (!file.exists || !before.text)
      continue;
    try {
      file.text = surroundingText(path);
    } catch (const Error &) {
      // The file is no longer readable; its answer differs from the recorded one.
    }
  }
  for (const auto &[name, before] : known.environment)
    now.environment[name] = foreignVariable(name);
  return now;
}

} // namespace tegula
