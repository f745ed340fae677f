#include "frontend/language/host/HostYaml.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/YAMLParser.h>

#include <charconv>
#include <cmath>

namespace tegula::lang {
namespace {

namespace yaml = llvm::yaml;

constexpr unsigned kMaxDepth = 100;
constexpr unsigned kMaxNodes = 100000; // aliases may repeat large parts

/// An integer of YAML 1.1: decimal, 0x1f, 0b11, or octal with a leading zero, with `_` between digits.
std::optional<int64_t> integerOf(std::string digits) {
  std::erase(digits, '_');
  bool isNegative = digits.starts_with('-');
  std::string_view rest = digits;
  if (isNegative || rest.starts_with('+'))
    rest.remove_prefix(1);
  int base = 10;
  if (rest.starts_with("0x") || rest.starts_with("0b")) {
    base = rest[1] == 'x' ? 16 : 2;
    rest.remove_prefix(2);
  } else if (rest.size() > 1 && rest[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (rest.empty() || error != std::errc() || end != rest.data() + rest.size() || value > uint64_t(INT64_MAX))
    return std::nullopt;
  return isNegative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

/// A float of YAML 1.1, which has a point, or of JSON, which may have an exponent only.
std::optional<double> floatOf(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+'))
    rest.remove_prefix(1);
  double sign = text.starts_with('-') ? -1 : 1;
  if (rest == ".inf" || rest == ".Inf" || rest == ".INF")
    return sign * HUGE_VAL;
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return NAN;
  bool begins = !rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) || rest[0] == '.');
  double value = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (!begins || error != std::errc() || end != rest.data() + rest.size())
    return std::nullopt;
  return sign * value;
}

HostObject plainScalar(llvm::StringRef text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return {};
  int flag = llvm::StringSwitch<int>(text)
                 .Cases("true", "True", "TRUE", "yes", "Yes", "YES", 1)
                 .Cases("on", "On", "ON", 1)
                 .Cases("false", "False", "FALSE", "no", "No", "NO", 0)
                 .Cases("off", "Off", "OFF", 0)
                 .Default(-1);
  if (flag >= 0)
    return flag == 1;
  if (auto whole = integerOf(text.str()))
    return *whole;
  if (auto real = floatOf(text))
    return *real;
  return text.str();
}

class Reader {
public:
  explicit Reader(std::string &problem) : problem_(problem) {}

  std::optional<HostObject> read(yaml::Node *node, unsigned depth) {
    if (!node)
      return HostObject();
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes) {
      problem_ = "it is nested too deeply, or too long";
      return std::nullopt;
    }
    std::optional<HostObject> value = readNode(*node, depth);
    if (value && !node->getAnchor().empty())
      anchors_[node->getAnchor().str()] = *value;
    return value;
  }

private:
  std::optional<HostObject> readNode(yaml::Node &node, unsigned depth) {
    if (auto *scalar = llvm::dyn_cast<yaml::ScalarNode>(&node)) {
      llvm::StringRef raw = scalar->getRawValue();
      llvm::SmallString<64> storage;
      llvm::StringRef text = scalar->getValue(storage);
      bool isQuoted = raw.starts_with("'") || raw.starts_with("\"");
      return isQuoted ? HostObject(text.str()) : plainScalar(text);
    }
    if (auto *block = llvm::dyn_cast<yaml::BlockScalarNode>(&node))
      return block->getValue().str();
    if (llvm::isa<yaml::NullNode>(&node))
      return HostObject();
    if (auto *alias = llvm::dyn_cast<yaml::AliasNode>(&node)) {
      auto found = anchors_.find(alias->getName().str());
      if (found != anchors_.end())
        return found->second;
      problem_ = "the alias *" + alias->getName().str() + " has no anchor";
      return std::nullopt;
    }
    if (auto *sequence = llvm::dyn_cast<yaml::SequenceNode>(&node)) {
      auto list = std::make_shared<HostList>();
      for (yaml::Node &item : *sequence) {
        std::optional<HostObject> value = read(&item, depth + 1);
        if (!value)
          return std::nullopt;
        list->items.push_back(*value);
      }
      return list;
    }
    if (auto *mapping = llvm::dyn_cast<yaml::MappingNode>(&node))
      return readMapping(*mapping, depth);
    return std::nullopt;
  }

  std::optional<HostObject> readMapping(yaml::MappingNode &mapping, unsigned depth) {
    auto dict = std::make_shared<HostDict>();
    HostDict merged; // `<<: *base`: what the mapping itself does not have
    for (yaml::KeyValueNode &item : mapping) {
      std::optional<HostObject> key = read(item.getKey(), depth + 1);
      std::optional<HostObject> value = key ? read(item.getValue(), depth + 1) : std::nullopt;
      if (!value)
        return std::nullopt;
      auto *text = key->as<std::string>();
      if (text && *text == "<<" && value->dict())
        for (auto &[k, v] : value->dict()->items)
          setItem(merged, k, v);
      else
        setItem(*dict, *key, *value);
    }
    for (auto &[k, v] : dict->items)
      setItem(merged, k, v);
    return std::make_shared<HostDict>(std::move(merged));
  }

  std::string &problem_;
  unsigned nodes_ = 0;
  std::map<std::string, HostObject> anchors_;
};

} // namespace

std::optional<HostObject> readYaml(const std::string &text, std::string &problem) {
  llvm::SourceMgr manager;
  problem.clear();
  manager.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *into) {
        auto &message = *static_cast<std::string *>(into);
        if (message.empty())
          message = "line " + std::to_string(diagnostic.getLineNo()) + ": " + diagnostic.getMessage().str();
      },
      &problem);
  yaml::Stream stream(text, manager);
  yaml::document_iterator document = stream.begin();
  if (document == stream.end())
    return HostObject();
  std::optional<HostObject> value = Reader(problem).read(document->getRoot(), 0);
  return stream.failed() || !problem.empty() ? std::nullopt : value;
}

} // namespace tegula::lang
