// Methods of lists, dictionaries, strings, files and parsers of arguments in host code.
#include "frontend/language/host/HostBudget.h"

#include <algorithm>
#include <bit>

namespace tegula::lang {

/// `text.format(...)` with fields of the forms {}, {0} and {name}.
HostObject HostEvaluator::formatText(const std::string &text, const Call &call) const {
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool isDouble = i + 1 < text.size() && text[i + 1] == c;
    if (c != '{' && c != '}') {
      result += c;
    } else if (isDouble) {
      result += c;
      ++i;
    } else {
      size_t end = text.find('}', i);
      std::string field = c == '{' && end != std::string::npos ? text.substr(i + 1, end - i - 1) : "!";
      bool isNumber = !field.empty() && field.find_first_not_of("0123456789") == std::string::npos;
      if (field.find_first_of("!:.[{") != std::string::npos || (isNumber && field.size() > 3))
        notKnown(call.loc);
      const HostObject *value =
          field.empty() || isNumber ? call.find(isNumber ? std::stoul(field) : next++, "") : call.find(SIZE_MAX, field);
      auto shown = value ? convert("str", {call.loc, {*value}, {}}) : std::nullopt;
      if (!shown)
        notKnown(call.loc);
      result += *shown->as<std::string>();
      i = end;
    }
  }
  return result;
}

/// `text.lower()` and others.
HostObject HostEvaluator::methodOfText(const std::string &text, const std::string &name, const Call &call) const {
  if (name == "lower" || name == "upper") {
    std::string changed = text;
    for (char &c : changed)
      c = static_cast<char>(name == "lower" ? std::tolower(static_cast<unsigned char>(c))
                                            : std::toupper(static_cast<unsigned char>(c)));
    return changed;
  }
  if (name == "strip" && call.args.empty()) {
    size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
  }
  auto *first = call.args.empty() ? nullptr : call.args[0].as<std::string>();
  if (name == "split" && call.args.size() == 1 && first && !first->empty()) {
    auto parts = std::make_shared<HostList>();
    size_t begin = 0;
    for (size_t end; (end = text.find(*first, begin)) != std::string::npos; begin = end + first->size())
      parts->items.push_back(text.substr(begin, end - begin));
    parts->items.push_back(text.substr(begin));
    return parts;
  }
  if (name == "format")
    return formatText(text, call);
  if (name == "join" && call.args.size() == 1) {
    std::string all;
    std::vector<HostObject> parts = elements(call.loc, call.args[0]);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].as<std::string>())
        notKnown(call.loc);
      all += (i ? text : std::string()) + *parts[i].as<std::string>();
    }
    return all;
  }
  if ((name == "startswith" || name == "endswith") && call.args.size() == 1 && call.args[0].as<std::string>())
    return name == "startswith" ? text.starts_with(*call.args[0].as<std::string>())
                                : text.ends_with(*call.args[0].as<std::string>());
  notKnown(call.loc);
}

/// Whether an object is a list, or has one in it. Ends, because no list is ever put into itself.
static bool isOrHolds(const HostObject &object, const HostList &list) {
  if (auto *held = object.as<std::shared_ptr<HostList>>())
    return held->get() == &list || std::any_of((*held)->items.begin(), (*held)->items.end(),
                                               [&](const HostObject &item) { return isOrHolds(item, list); });
  if (auto *held = object.as<std::shared_ptr<HostDict>>())
    return std::any_of((*held)->items.begin(), (*held)->items.end(),
                       [&](const auto &item) { return isOrHolds(item.second, list); });
  return false;
}

HostObject HostEvaluator::methodOfList(HostList &list, const std::string &name, const Call &call) const {
  if ((list.isTuple && name != "index") || list.isSet)
    notKnown(call.loc);
  auto &items = list.items;
  auto size = static_cast<int64_t>(items.size());
  std::optional<int64_t> index = call.args.empty() ? std::nullopt : call.args[0].integer();
  // A list that holds itself would never be freed.
  if ((name == "append" || name == "insert") && !call.args.empty() && isOrHolds(call.args.back(), list))
    notKnown(call.loc);
  if (name == "append" && call.args.size() == 1) {
    items.push_back(call.args[0]);
    return {};
  }
  if (name == "extend" && call.args.size() == 1) {
    for (HostObject &item : elements(call.loc, call.args[0]))
      items.push_back(std::move(item));
    return {};
  }
  if (name == "insert" && call.args.size() == 2 && index) {
    items.insert(items.begin() + std::clamp(*index < 0 ? *index + size : *index, int64_t(0), size), call.args[1]);
    return {};
  }
  if (name == "pop" && (call.args.empty() || index)) {
    int64_t at = index.value_or(-1) < 0 ? index.value_or(-1) + size : *index;
    if (at < 0 || at >= size)
      raise(call.loc, "the list of " + std::to_string(size) + " has no such element", "IndexError");
    HostObject item = items[static_cast<size_t>(at)];
    items.erase(items.begin() + at);
    return item;
  }
  if ((name == "remove" || name == "index") && call.args.size() == 1) {
    for (int64_t i = 0; i < size; ++i) {
      auto same = isEqual(items[static_cast<size_t>(i)], call.args[0]);
      if (!same)
        notKnown(call.loc);
      if (!*same)
        continue;
      if (name == "index")
        return i;
      items.erase(items.begin() + i);
      return {};
    }
    raise(call.loc, "the list has no such element", "ValueError");
  }
  if (name == "copy" && call.args.empty())
    return std::make_shared<HostList>(list);
  notKnown(call.loc);
}

HostObject HostEvaluator::methodOfDict(HostDict &dict, const std::string &name, const Call &call) const {
  if (name == "items" || name == "keys" || name == "values") {
    auto result = std::make_shared<HostList>();
    for (auto &[key, value] : dict.items)
      result->items.push_back(name == "keys" ? key
                              : name == "values"
                                  ? value
                                  : HostObject(std::make_shared<HostList>(HostList{{key, value}, true})));
    return result;
  }
  if (dict.isFixed && name != "get" && name != "copy")
    notKnown(call.loc);
  bool takesKey = name == "get" || name == "pop" || name == "setdefault";
  if (takesKey && !call.args.empty()) {
    auto found = std::find_if(dict.items.begin(), dict.items.end(),
                              [&](const auto &item) { return isEqual(item.first, call.args[0]) == true; });
    if (found == dict.items.end()) {
      if (name == "pop" && call.args.size() == 1)
        raise(call.loc, "this dictionary has no such key", "KeyError");
      HostObject absent = call.args.size() > 1 ? call.args[1] : HostObject();
      if (name == "setdefault")
        setItem(dict, call.args[0], absent);
      return absent;
    }
    HostObject value = found->second;
    if (name == "pop")
      dict.items.erase(found);
    return value;
  }
  if (name == "update" && call.args.size() <= 1) {
    if (!call.args.empty() && !call.args[0].dict())
      notKnown(call.loc);
    if (!call.args.empty())
      for (auto &[key, value] : HostDict(*call.args[0].dict()).items)
        setItem(dict, key, value);
    for (auto &[key, value] : call.keywords)
      setItem(dict, key, value);
    return {};
  }
  if (name == "copy" && call.args.empty())
    return std::make_shared<HostDict>(HostDict{dict.items});
  notKnown(call.loc);
}

/// Methods of `argparse.ArgumentParser()`; the program has no arguments, so that each has its default.
HostObject HostEvaluator::methodOfArguments(const HostArguments &parser, const std::string &name,
                                            const Call &call) const {
  if (name == "parse_args" || name == "parse_known_args") {
    HostObject found = parser;
    if (name == "parse_args")
      return found;
    return std::make_shared<HostList>(HostList{{found, std::make_shared<HostList>()}, true});
  }
  const std::string *flag = nullptr; // names the value: the first long one, else the first
  for (const HostObject &arg : call.args) {
    auto *text = arg.as<std::string>();
    if (!text)
      notKnown(call.loc);
    if (!flag || (!flag->starts_with("--") && text->starts_with("--")))
      flag = text;
  }
  auto *target = call.find(99, "dest"), *absent = call.find(99, "default"), *action = call.find(99, "action");
  auto *destination = target ? target->as<std::string>() : nullptr;
  if (name != "add_argument" || !flag || (target && !destination))
    notKnown(call.loc);
  std::string key = destination ? *destination : flag->substr(std::min(flag->find_first_not_of('-'), flag->size()));
  std::replace(key.begin(), key.end(), '-', '_');
  auto *kind = action ? action->as<std::string>() : nullptr;
  HostObject value = absent ? *absent : HostObject();
  if (!absent && kind && (*kind == "store_true" || *kind == "store_false"))
    value = *kind == "store_false";
  setItem(*parser.values, key, value);
  return {};
}

HostObject HostEvaluator::callMethod(const HostMethod &method, const Call &call) const {
  if (auto *list = method.self->as<std::shared_ptr<HostList>>())
    return methodOfList(**list, method.name, call);
  if (auto *dict = method.self->as<std::shared_ptr<HostDict>>())
    return methodOfDict(**dict, method.name, call);
  if (auto *text = method.self->as<std::string>())
    return methodOfText(*text, method.name, call);
  if (auto integer = method.self->integer(); integer && method.name == "bit_length" && call.args.empty()) {
    auto magnitude = static_cast<uint64_t>(*integer);
    return int64_t(std::bit_width(*integer < 0 ? 0 - magnitude : magnitude));
  }
  if (auto *parser = method.self->as<HostArguments>())
    return methodOfArguments(*parser, method.name, call);
  if (auto *file = method.self->as<HostFile>(); file && method.name == "read" && call.args.empty())
    return file->text;
  if (auto *tensor = method.self->as<HostTensor>())
    if (auto answer = callTensor(*tensor, method.name, call.args))
      return *answer;
  notKnown(call.loc);
}

} // namespace tegula::lang
