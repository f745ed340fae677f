// Calls in host code: Python's own functions, a few of its modules, triton's host functions.
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/names/ModuleScope.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace tegula::lang {
namespace {

constexpr std::string_view kBuiltins[] = {
    "abs", "all",    "any",  "bool", "dict",  "enumerate", "filter",     "float", "getattr",   "hasattr",
    "int", "len",    "list", "map",  "max",   "min",       "print",      "range", "reversed",  "round",
    "set", "sorted", "str",  "sum",  "tuple", "zip",       "isinstance", "type",  "frozenset", "open"};

constexpr size_t kMostInSet = 1000; // elements, each of which is compared with all others

/// Whether callBuiltin knows what a keyword of this function means.
bool takesKeyword(std::string_view function, std::string_view keyword) {
  if (function == "enumerate" || function == "sum")
    return keyword == "start";
  return function == "dict" || function == "print" || (function == "zip" && keyword == "strict");
}

std::shared_ptr<HostList> listOf(std::vector<HostObject> items, bool isTuple = false) {
  return std::make_shared<HostList>(HostList{std::move(items), isTuple});
}

/// The release numbers of a version: 3, 6, 0, 0 of "3.6.0+git1234". Missing ones are zero.
HostVersion versionOf(std::string_view text) {
  HostVersion version;
  for (const char *at = text.data(), *end = at + text.size(); at != end && version.release.size() < 4; ++at) {
    int number = 0;
    auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc())
      break;
    version.release.push_back(number);
    at = next;
    if (at == end || *at != '.')
      break;
  }
  version.release.resize(4);
  return version;
}

std::optional<double> floatOf(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Decimal digits alone; Python knows more forms.
std::optional<int64_t> integerOf(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Code points of UTF-8.
int64_t lengthOf(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

} // namespace

bool isHostBuiltin(std::string_view name) {
  return std::find(std::begin(kBuiltins), std::end(kBuiltins), name) != std::end(kBuiltins);
}

const HostObject *HostEvaluator::Call::find(size_t position, std::string_view keyword) const {
  for (auto &[name, value] : keywords)
    if (name == keyword)
      return &value;
  return position < args.size() ? &args[position] : nullptr;
}

/// Calls that are answered by their text, because what they ask is not a value: `hasattr(tl, "gather")`.
std::optional<HostObject> HostEvaluator::callOfText(const CallExpr &expr) const {
  auto *callee = as<NameExpr>(expr.callee);
  auto *attribute = as<AttributeExpr>(expr.callee);
  std::string_view last = attribute ? std::string_view(attribute->name) : callee ? std::string_view(callee->id) : "";
  bool isVersion = last == "parse" || last == "Version" || last == "LooseVersion"; // whoever's they are
  if (isVersion && expr.args.size() == 1 && expr.keywords.empty()) {
    HostObject text = eval(*expr.args[0]);
    if (text.as<std::string>())
      return HostObject(versionOf(*text.as<std::string>()));
    return std::nullopt;
  }
  if (!callee || callee->id != "hasattr" || expr.args.size() != 2 || names_.find(callee->id, time_))
    return std::nullopt;
  auto *constant = as<ConstantExpr>(expr.args[1]);
  auto *text = constant ? std::get_if<std::string>(&constant->value) : nullptr;
  if (!text)
    return std::nullopt;
  HostObject base = eval(*expr.args[0]);
  if (auto *path = base.as<HostPath>())
    if (auto exists = HostConstants::memberExists(path->path, *text))
      return HostObject(*exists);
  if (auto *instance = base.as<std::shared_ptr<HostInstance>>();
      instance && findMember((*instance)->type, "__getattr__"))
    return std::nullopt;
  else if (instance)
    return HostObject((*instance)->attributes.contains(*text) || findMember((*instance)->type, *text));
  if (auto *type = base.as<HostClass>())
    return HostObject(findMember(*type, *text).has_value());
  if (auto *scope = base.as<const ModuleScope *>())
    return HostObject(names_.modules()->member(**scope, *text).kind != Imported::Kind::Missing);
  return std::nullopt;
}

HostObject HostEvaluator::call(const CallExpr &expr) const {
  if (auto answer = callOfText(expr))
    return *answer;
  if (auto *name = as<NameExpr>(expr.callee); name && name->id == "super" && locals_)
    return superOf(expr);
  HostObject callee = eval(*expr.callee);
  Call call;
  call.loc = expr.loc;
  for (auto &arg : expr.args) {
    if (auto *starred = as<StarredExpr>(arg))
      for (HostObject &item : elements(arg->loc, eval(*starred->value)))
        call.args.push_back(std::move(item));
    else
      call.args.push_back(eval(*arg));
  }
  for (const Keyword &keyword : expr.keywords) {
    if (!keyword.name.empty()) {
      call.keywords.emplace_back(keyword.name, eval(*keyword.value));
      continue;
    }
    HostObject mapping = eval(*keyword.value);
    if (!mapping.dict())
      notKnown(keyword.loc);
    for (auto &[key, value] : mapping.dict()->items)
      if (auto *name = key.as<std::string>())
        call.keywords.emplace_back(*name, value);
  }
  if (auto *path = callee.as<HostPath>())
    return callPath(path->path, call);
  if (auto *function = callee.as<HostFunction>())
    return callFunction(*function, call);
  if (auto *lambda = callee.as<HostLambda>())
    return callLambda(*lambda, call);
  if (auto *method = callee.as<HostMethod>())
    return callMethod(*method, call);
  if (auto *type = callee.as<HostClass>())
    return instantiate(*type, call);
  notKnown(expr.loc);
}

HostObject HostEvaluator::callPath(const std::string &path, const Call &call) const {
  std::string last = path.substr(path.rfind('.') + 1);
  std::string module = path.substr(0, path.size() - last.size());
  auto *first = call.args.empty() ? nullptr : &call.args[0];
  if (auto answer = callFiles(path, call))
    return *answer;
  if (module == "builtins.")
    return callBuiltin(last, call);
  if (last == "Config" && module.starts_with("triton"))
    return makeConfig(call);
  if (auto answer = callTriton(path, call))
    return *answer;
  if (module == "math.")
    return callMath(last, call);
  if ((path == "os.environ.get" || path == "os.getenv") && first && first->as<std::string>() && names_.modules()) {
    if (auto value = names_.modules()->environment(*first->as<std::string>()))
      return *value;
    auto *absent = call.find(1, "default");
    return absent ? *absent : HostObject();
  }
  if (auto answer = aboutDevices(path, call))
    return *answer;
  if (path == "logging.getLogger")
    return HostPath{"logging.Logger"};
  if (module.starts_with("logging.") || module == "warnings.")
    return {};
  if (path == "itertools.product") {
    std::vector<std::vector<HostObject>> rows(1);
    for (const HostObject &arg : call.args) {
      std::vector<std::vector<HostObject>> longer;
      for (auto &row : rows)
        for (HostObject &item : elements(call.loc, arg)) {
          longer.push_back(row);
          longer.back().push_back(std::move(item));
        }
      if (longer.size() > 100000)
        notKnown(call.loc);
      rows = std::move(longer);
    }
    auto result = std::make_shared<HostList>();
    for (auto &row : rows)
      result->items.push_back(listOf(std::move(row), true));
    return result;
  }
  // A cache around a function does not change its results.
  if ((last == "lru_cache" || last == "cache") && call.args.size() == 1 && first->as<HostFunction>())
    return *first;
  notKnown(call.loc);
}

/// Questions about devices and their drivers, which have no device to answer for, and about settings of a program that
/// does not run.
std::optional<HostObject> HostEvaluator::aboutDevices(const std::string &path, const Call &call) const {
  std::string last = path.substr(path.rfind('.') + 1);
  if (path == "triton.runtime.driver.active.get_current_target")
    return HostTarget{};
  if (path.starts_with("triton.runtime.driver.active."))
    raise(call.loc, "this asks for a device, and the kernel is read without one");
  if (!path.starts_with("torch."))
    return std::nullopt;
  if (last == "is_available")
    return HostObject(false);
  if (last == "device_count")
    return HostObject(int64_t(0));
  // A device without any capability: what depends on one takes the way for devices that lack it.
  if (last == "get_device_capability")
    return HostObject(listOf({HostObject(int64_t(0)), HostObject(int64_t(0))}, true));
  if (last == "get_device_properties" || last == "get_device_name" || last == "current_device")
    raise(call.loc, "this asks for a device, and the kernel is read without one");
  if (path == "torch.are_deterministic_algorithms_enabled") // as long as no program has asked for them
    return HostObject(false);
  return std::nullopt;
}

HostObject HostEvaluator::callMath(const std::string &name, const Call &call) const {
  std::vector<double> x;
  for (const HostObject &arg : call.args) {
    auto number = arg.number();
    if (!number)
      notKnown(call.loc);
    x.push_back(*number);
  }
  bool rounds = name == "ceil" || name == "floor" || name == "trunc";
  if (auto exact = x.size() == 1 && rounds ? call.args[0].integer() : std::nullopt)
    return *exact;
  auto whole = [&](double value) -> HostObject {
    if (!(value >= -0x1p62 && value <= 0x1p62))
      fail(call.loc, "this constant does not fit 64 bits");
    return static_cast<int64_t>(value);
  };
  auto positive = [&] {
    if (!(x[0] > 0))
      fail(call.loc, "math." + name + " needs a positive number");
    return x[0];
  };
  if (x.size() == 1) {
    if (rounds)
      return whole(name == "ceil" ? std::ceil(x[0]) : name == "floor" ? std::floor(x[0]) : std::trunc(x[0]));
    if (name == "sqrt" && x[0] >= 0)
      return std::sqrt(x[0]);
    if (name == "exp")
      return std::exp(x[0]);
    if (name == "log2")
      return std::log2(positive());
    if (name == "log")
      return std::log(positive());
    if (name == "fabs")
      return std::fabs(x[0]);
  }
  if (x.size() == 2 && name == "pow")
    return std::pow(x[0], x[1]);
  if (x.size() == 2 && name == "log")
    return std::log(positive()) / std::log(x[1]);
  notKnown(call.loc);
}

/// The numbers of a range, as a list.
HostObject HostEvaluator::range(const Call &call) const {
  const std::vector<HostObject> &args = call.args;
  std::vector<int64_t> bounds;
  for (const HostObject &arg : args) {
    if (!arg.integer() || args.size() > 3)
      notKnown(call.loc);
    bounds.push_back(*arg.integer());
  }
  int64_t start = bounds.size() > 1 ? bounds[0] : 0, stop = bounds.size() > 1 ? bounds[1] : bounds[0];
  int64_t step = bounds.size() > 2 ? bounds[2] : 1;
  if (step == 0)
    notKnown(call.loc);
  Int distance = Int(stop) - start, count = (distance + step - (step > 0 ? 1 : -1)) / step;
  if (count > 100000)
    notKnown(call.loc);
  auto result = std::make_shared<HostList>();
  for (Int i = 0; i < count; ++i)
    result->items.push_back(static_cast<int64_t>(start + i * step));
  return result;
}

/// Functions of Python that make sequences.
std::optional<HostObject> HostEvaluator::makeSequence(const std::string &name, const Call &call) const {
  const std::vector<HostObject> &args = call.args;
  auto all = [&](size_t i) { return elements(call.loc, args.at(i)); };
  if (name == "range" && !args.empty())
    return range(call);
  if (name == "list" || name == "tuple" || name == "sorted" || name == "reversed") {
    auto result = listOf(args.empty() ? std::vector<HostObject>() : elements(call.loc, args[0], name == "sorted"),
                         name == "tuple");
    if (name == "sorted") {
      if (!call.keywords.empty())
        notKnown(call.loc);
      for (const HostObject &item : result->items)
        if (!order(item, result->items[0]))
          notKnown(call.loc);
      std::stable_sort(result->items.begin(), result->items.end(),
                       [](const HostObject &a, const HostObject &b) { return order(a, b).value_or(0) < 0; });
    } else if (name == "reversed") {
      std::reverse(result->items.begin(), result->items.end());
    }
    return HostObject(result);
  }
  if ((name == "filter" || name == "map") && args.size() == 2) {
    auto result = std::make_shared<HostList>();
    for (const HostObject &item : all(1)) {
      HostObject value = this->call(args[0], {item}, {}, call.loc);
      auto keeps = name == "filter" ? value.truth() : std::nullopt;
      if (name == "filter" && !keeps)
        notKnown(call.loc);
      if (name == "map" || *keeps)
        result->items.push_back(name == "map" ? value : item);
    }
    return HostObject(result);
  }
  if (name == "dict" && args.empty()) {
    auto result = std::make_shared<HostDict>();
    for (auto &[key, value] : call.keywords)
      setItem(*result, key, value);
    return HostObject(result);
  }
  if (name == "enumerate" && !args.empty() && args.size() <= 2) {
    auto *start = call.find(1, "start");
    HostObject number = start ? *start : HostObject(int64_t(0));
    auto result = std::make_shared<HostList>();
    for (HostObject &item : all(0)) {
      result->items.push_back(listOf({number, std::move(item)}, true));
      number = binary(call.loc, BinaryOp::Add, number, int64_t(1));
    }
    return HostObject(result);
  }
  if (name == "zip")
    return zip(call);
  return std::nullopt;
}

HostObject HostEvaluator::zip(const Call &call) const {
  std::vector<std::vector<HostObject>> columns;
  for (const HostObject &arg : call.args)
    columns.push_back(elements(call.loc, arg));
  auto bySize = [](const auto &a, const auto &b) { return a.size() < b.size(); };
  auto [shortest, longest] = std::minmax_element(columns.begin(), columns.end(), bySize);
  size_t rows = columns.empty() ? 0 : shortest->size();
  auto *strict = call.find(SIZE_MAX, "strict");
  if (strict && strict->truth() != false && !columns.empty() && longest->size() != rows)
    raise(call.loc, "zip() is given sequences of different lengths", "ValueError");
  auto result = std::make_shared<HostList>();
  for (size_t row = 0; row < rows; ++row) {
    std::vector<HostObject> items;
    for (auto &column : columns)
      items.push_back(column[row]);
    result->items.push_back(listOf(std::move(items), true));
  }
  return result;
}

/// The elements without repetitions, in the order in which they come first.
HostObject HostEvaluator::makeSet(const Call &call) const {
  std::vector<HostObject> items;
  for (HostObject &item : call.args.empty() ? std::vector<HostObject>() : elements(call.loc, call.args[0], true)) {
    bool isNew = items.size() < kMostInSet;
    for (const HostObject &other : items) {
      auto same = isEqual(other, item);
      if (!same || !isNew)
        notKnown(call.loc);
      if (*same) {
        isNew = false;
        break;
      }
    }
    if (isNew)
      items.push_back(std::move(item));
  }
  return std::make_shared<HostList>(HostList{std::move(items), false, true});
}

/// abs, float, int and str.
std::optional<HostObject> HostEvaluator::convert(const std::string &name, const Call &call) const {
  const std::vector<HostObject> &args = call.args;
  if (name == "abs" && args.size() == 1) {
    if (auto whole = args[0].integer(); whole && *whole != INT64_MIN)
      return HostObject(std::abs(*whole));
    if (auto *real = args[0].as<double>())
      return HostObject(std::fabs(*real));
  }
  if (name == "float" && args.size() == 1) {
    auto *text = args[0].as<std::string>();
    if (auto number = text ? floatOf(*text) : args[0].number())
      return HostObject(*number);
  }
  if (name == "int" && args.size() == 1) {
    if (auto whole = args[0].integer())
      return HostObject(*whole);
    if (auto *text = args[0].as<std::string>()) {
      if (auto whole = integerOf(*text))
        return HostObject(*whole);
      return std::nullopt;
    }
    auto number = args[0].number();
    if (number && std::fabs(*number) < 0x1p62)
      return HostObject(static_cast<int64_t>(*number));
  }
  if (name == "str" && args.size() == 1) {
    if (auto *text = args[0].as<std::string>())
      return HostObject(*text);
    if (auto *whole = args[0].as<int64_t>())
      return HostObject(std::to_string(*whole));
  }
  return std::nullopt;
}

/// The first of the smallest elements, or of the largest ones.
HostObject HostEvaluator::extreme(bool isLeast, const std::vector<HostObject> &items, Loc loc) const {
  if (items.empty())
    notKnown(loc);
  const HostObject *best = &items[0];
  for (const HostObject &item : std::span(items).subspan(1)) {
    auto sign = order(item, *best);
    if (!sign)
      notKnown(loc);
    if (isLeast ? *sign < 0 : *sign > 0)
      best = &item;
  }
  return *best;
}

HostObject HostEvaluator::callBuiltin(const std::string &name, const Call &call) const {
  for (auto &[keyword, value] : call.keywords)
    if (!takesKeyword(name, keyword))
      notKnown(call.loc);
  if (auto sequence = makeSequence(name, call))
    return *sequence;
  const std::vector<HostObject> &args = call.args;
  auto all = [&](size_t i) { return elements(call.loc, args.at(i), true); }; // no result depends on their order
  auto truthOf = [&](const HostObject &value) {
    auto holds = value.truth();
    if (!holds)
      notKnown(call.loc);
    return *holds;
  };
  if (name == "len" && args.size() == 1) {
    if (auto *text = args[0].as<std::string>())
      return lengthOf(*text);
    return static_cast<int64_t>(all(0).size());
  }
  if ((name == "min" || name == "max") && !args.empty())
    return extreme(name == "min", args.size() == 1 ? all(0) : args, call.loc);
  if (name == "sum" && !args.empty() && args.size() <= 2) {
    auto *start = call.find(1, "start");
    HostObject total = start ? *start : HostObject(int64_t(0));
    for (const HostObject &item : all(0))
      total = binary(call.loc, BinaryOp::Add, total, item);
    return total;
  }
  if ((name == "any" || name == "all") && args.size() == 1) {
    for (const HostObject &item : all(0))
      if (truthOf(item) == (name == "any"))
        return name == "any";
    return name == "all";
  }
  if (name == "bool" && args.size() == 1)
    return truthOf(args[0]);
  if (auto number = convert(name, call))
    return *number;
  if (name == "getattr" && args.size() >= 2 && args[1].as<std::string>())
    if (auto *path = args[0].as<HostPath>())
      return pathMember(path->path, *args[1].as<std::string>());
  if (name == "set" || name == "frozenset") // without order; only what is in it may be asked
    return makeSet(call);
  if (name == "isinstance" && args.size() == 2)
    return isInstance(args[0], args[1], call.loc);
  if (name == "print")
    return {};
  notKnown(call.loc);
}

} // namespace tegula::lang
