#include "frontend/cli/Shapes.h"

#include "core/runtime/ConstantConversion.h"
#include "core/runtime/HostExpression.h"
#include "core/support/Diagnostic.h"
#include "frontend/cli/Values.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace tegula::cli {
namespace {

constexpr size_t kMostConfigs = 100000;

/// One part more than there are separators.
std::vector<std::string> splitAt(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool isName(const std::string &text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string word; in >> word;)
    found.push_back(word);
  return found;
}

int64_t integerOf(const std::string &text, const std::string &label, const Sizes &shape) {
  auto lookup = [&](std::string_view name) -> std::optional<HostValue> {
    auto found = shape.find(name);
    return found == shape.end() ? std::nullopt : std::optional<HostValue>(found->second);
  };
  std::vector<std::string> names;
  for (const auto &[name, value] : shape)
    names.push_back(name);
  return HostExpression::parse(text, label).evaluateInteger(lookup, names);
}

Sizes parseSizes(const std::string &text) {
  Sizes shape;
  for (const std::string &word : words(text)) {
    std::vector<std::string> parts = splitAt(word, '=');
    bool isSize = parts.size() > 1 && !parts.back().empty() && std::all_of(parts.begin(), parts.end() - 1, isName);
    if (!isSize)
      throw Error("'" + word +
                  "' in --shapes is no size; NAME=VALUE is expected, such as M=1024 or M=N=1024, with blanks between");
    int64_t value = integerOf(parts.back(), "--shapes", shape);
    parts.pop_back();
    for (const std::string &name : parts)
      if (!shape.emplace(name, value).second)
        throw Error("'" + name + "' stands twice in the shape '" + text + "' of --shapes");
  }
  return shape;
}

/// The values of one name of a space, as configurations that set only it.
void add(Config &config, const std::string &name, const std::string &text) {
  bool isWarps = name == "num_warps";
  if (!isWarps && name != "num_stages") {
    config.constants.insert_or_assign(name, toConstant(parseConstant(name, text)));
    return;
  }
  int64_t value = integerOf(text, "--space", {});
  const int least = isWarps ? 1 : 0;
  if (value < least || value > 32)
    throw Error("'" + name + "' in --space is " + std::to_string(value) + "; it must be from " + std::to_string(least) +
                " to 32");
  (isWarps ? config.numWarps : config.numStages) = static_cast<int>(value);
}

std::string substitute(const std::string &text, const Sizes &shape) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t open = text.find('{', at);
    result += text.substr(at, open - at);
    if (open == std::string::npos)
      break;
    size_t close = text.find('}', open);
    if (close == std::string::npos)
      throw Error("'" + text + "' has a '{' without '}'; {EXPR} stands for a size of the shape");
    result += std::to_string(integerOf(text.substr(open + 1, close - open - 1), text, shape));
    at = close + 1;
  }
  return result;
}

} // namespace

std::vector<Sizes> parseShapes(const std::string &text) {
  std::vector<Sizes> shapes;
  for (const std::string &part : splitAt(text, ';'))
    if (Sizes shape = parseSizes(part); !shape.empty())
      shapes.push_back(std::move(shape));
  if (shapes.empty())
    throw Error("--shapes is empty; sizes are expected, such as 'M=N=K=1024; M=64 N=4096 K=4096'");
  return shapes;
}

std::vector<Config> parseSpace(const std::string &text) {
  std::vector<Config> space(1);
  for (const std::string &word : words(text)) {
    size_t equals = word.find('=');
    std::vector<std::string> choices =
        splitAt(word.substr(equals == std::string::npos ? word.size() : equals + 1), '|');
    if (!isName(word.substr(0, equals)) || std::ranges::any_of(choices, &std::string::empty))
      throw Error("'" + word + "' in --space is no list of values; NAME=A|B|C is expected, such as BLOCK_M=32|64");
    std::vector<Config> next;
    for (const Config &config : space)
      for (const std::string &choice : choices) {
        next.push_back(config);
        add(next.back(), word.substr(0, equals), choice);
      }
    if (next.size() > kMostConfigs)
      throw Error("--space has more than " + std::to_string(kMostConfigs) + " configurations; leave some values out");
    space = std::move(next);
  }
  if (words(text).empty())
    space.clear();
  return space;
}

std::vector<std::string> valuesOf(const Sizes &shape, const std::vector<std::string> &values,
                                  const KernelInfo &kernel) {
  std::vector<std::string> result;
  for (const std::string &value : values)
    result.push_back(substitute(value, shape));
  for (const auto &[name, value] : shape) {
    bool isParam = std::ranges::any_of(kernel.params, [&](auto &param) { return param.name == name; });
    bool isGiven = std::ranges::any_of(result, [&](auto &text) { return text.starts_with(name + "="); });
    if (isParam && !isGiven)
      result.push_back(name + "=" + std::to_string(value));
  }
  return result;
}

std::string describe(const Sizes &shape) {
  std::string text;
  for (const auto &[name, value] : shape)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

} // namespace tegula::cli
