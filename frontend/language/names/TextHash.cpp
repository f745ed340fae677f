#include "core/support/ByteStream.h"
#include "core/support/Hash.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/syntax/Lexer.h"

#include <algorithm>

namespace tegula::lang {
namespace {

std::string hashOfTokens(const std::string &path, std::string text) {
  const SourceFile file{path, std::move(text)};
  ByteWriter out;
  try {
    for (const Token &token : tokenize(file)) {
      out.put(static_cast<uint8_t>(token.kind));
      out.put(std::string(token.text));
    }
  } catch (const Error &) {
    return toHex(hash128(file.text));
  }
  return toHex(hash128(out.bytes()));
}

} // namespace

std::string textHash(const std::string &path, const std::string &source, const Surroundings &surroundings) {
  std::vector<std::string> modules;
  for (const auto &[file, found] : surroundings.files)
    if (found.text)
      modules.push_back(hashOfTokens(file, withGivenNames(*found.text, file, false, surroundings.given)));
  for (const auto &[file, text] : surroundings.texts)
    modules.push_back(hashOfTokens(file, withGivenNames(text, file, false, surroundings.given)));
  std::ranges::sort(modules);
  ByteWriter out;
  out.put(hashOfTokens(path, withGivenNames(source, path, true, surroundings.given)));
  for (const std::string &module : modules)
    out.put(module);
  for (const auto &[name, value] : surroundings.environment) {
    out.put(name);
    out.put(value.has_value());
    out.put(value.value_or(""));
  }
  return toHex(hash128(out.bytes()));
}

} // namespace tegula::lang
