#include "frontend/language/host/HostObject.h"

#include <algorithm>

namespace tegula::lang {

std::optional<ConstantValue> HostObject::constant() const {
  if (as<std::monostate>())
    return ConstantValue();
  if (auto *flag = as<bool>())
    return ConstantValue(*flag);
  if (auto *integer = as<int64_t>())
    return ConstantValue(*integer);
  if (auto *real = as<double>())
    return ConstantValue(*real);
  if (auto *text = as<std::string>())
    return ConstantValue(*text);
  if (auto *type = as<ScalarType>())
    return ConstantValue(*type);
  return std::nullopt;
}

std::optional<bool> HostObject::truth() const {
  if (as<std::monostate>())
    return false;
  if (auto value = number())
    return *value != 0;
  if (auto *text = as<std::string>())
    return !text->empty();
  if (auto *items = list())
    return !items->items.empty();
  if (auto *items = dict())
    return !items->items.empty();
  if (auto *member = as<HostMember>(); member && member->type->base == "IntEnum")
    return member->value->truth();
  if (auto *instance = as<std::shared_ptr<HostInstance>>(); instance && (*instance)->isSpecial)
    return std::nullopt;
  if (as<HostPath>() || as<HostUnknown>()) // of something in a library that is not read
    return std::nullopt;
  return true;
}

std::optional<double> HostObject::number() const {
  if (auto *real = as<double>())
    return *real;
  auto whole = integer();
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<int64_t> HostObject::integer() const {
  if (auto *flag = as<bool>())
    return *flag;
  auto *integer = as<int64_t>();
  return integer ? std::optional(*integer) : std::nullopt;
}

std::shared_ptr<HostList> integersOf(const std::vector<int64_t> &values) {
  auto list = std::make_shared<HostList>();
  list->isTuple = true;
  for (int64_t value : values)
    list->items.push_back(value);
  return list;
}

std::optional<HostObject> callTensor(const HostTensor &tensor, std::string_view name,
                                     const std::vector<HostObject> &args) {
  auto rank = static_cast<int64_t>(tensor.shape.size());
  bool isSize = name == "size";
  if (isSize || name == "stride") {
    const std::vector<int64_t> &values = isSize ? tensor.shape : tensor.strides;
    std::optional<int64_t> axis = args.size() == 1 ? args[0].integer() : std::nullopt;
    if (args.empty())
      return HostObject(integersOf(values));
    if (!axis || *axis < -rank || *axis >= rank)
      return std::nullopt;
    return HostObject(values[static_cast<size_t>(*axis < 0 ? *axis + rank : *axis)]);
  }
  if (!args.empty())
    return std::nullopt;
  if (name == "element_size")
    return HostObject(int64_t(byteSize(tensor.type)));
  if (name == "dim")
    return HostObject(rank);
  int64_t product = 1;
  for (int64_t extent : tensor.shape)
    product *= extent;
  return name == "numel" ? std::optional<HostObject>(product) : std::nullopt;
}

std::optional<HostObject> deepCopy(const HostObject &object, unsigned depth) {
  bool fits = depth > 0;
  auto copied = [&](const HostObject &inner) {
    std::optional<HostObject> result = fits ? deepCopy(inner, depth - 1) : std::nullopt;
    fits = fits && result;
    return result.value_or(HostObject());
  };
  HostObject result = object;
  if (auto *list = object.list()) {
    auto copy = std::make_shared<HostList>();
    copy->isTuple = list->isTuple;
    copy->isSet = list->isSet;
    for (const HostObject &item : list->items)
      copy->items.push_back(copied(item));
    result = copy;
  } else if (auto *dict = object.dict()) {
    auto copy = std::make_shared<HostDict>();
    for (auto &[key, value] : dict->items)
      copy->items.emplace_back(key, copied(value));
    result = copy;
  } else if (auto *instance = object.as<std::shared_ptr<HostInstance>>()) {
    auto copy = std::make_shared<HostInstance>(HostInstance{(*instance)->type, {}, (*instance)->isSpecial});
    for (auto &[name, value] : (*instance)->attributes)
      copy->attributes.emplace(name, copied(value));
    result = copy;
  }
  return fits ? std::optional(result) : std::nullopt;
}

namespace {

/// A member of an IntEnum is a number; other objects are themselves.
const HostObject &plain(const HostObject &object) {
  auto *member = object.as<HostMember>();
  return member && member->type->base == "IntEnum" ? *member->value : object;
}

} // namespace

std::optional<bool> isEqual(const HostObject &x, const HostObject &y) {
  const HostObject &a = plain(x), &b = plain(y);
  auto i = a.integer(), j = b.integer();
  if (i && j)
    return *i == *j;
  auto m = a.number(), n = b.number();
  if (m && n)
    return *m == *n;
  if (auto *u = a.as<HostVersion>(); u && b.as<HostVersion>())
    return u->release == b.as<HostVersion>()->release;
  if (auto *p = a.list(); p && b.list()) {
    auto *q = b.list();
    if (p == q) // it may hold itself
      return true;
    if (p->isTuple != q->isTuple || p->isSet != q->isSet || p->items.size() != q->items.size())
      return false;
    if (p->isSet)
      return std::all_of(p->items.begin(), p->items.end(), [&](const HostObject &x) {
        return std::any_of(q->items.begin(), q->items.end(),
                           [&](const HostObject &y) { return isEqual(x, y) == true; });
      });
    for (size_t k = 0; k < p->items.size(); ++k)
      if (auto same = isEqual(p->items[k], q->items[k]); !same || !*same)
        return same;
    return true;
  }
  if (auto *p = a.as<HostMember>(); p && b.as<HostMember>()) {
    auto *q = b.as<HostMember>();
    if (p->type != q->type)
      return false;
    return p->name == q->name ? true : isEqual(*p->value, *q->value); // two names of one member
  }
  if (auto *p = a.as<std::shared_ptr<HostInstance>>(); p && b.as<std::shared_ptr<HostInstance>>())
    return *p == *b.as<std::shared_ptr<HostInstance>>() ? std::optional(true) : std::nullopt;
  if (auto *p = a.as<HostPath>(); p && b.as<HostPath>() && p->path == b.as<HostPath>()->path)
    return true;
  if (a.as<HostPath>() || b.as<HostPath>()) {
    // What a module that is not read holds is not known, but modules and their classes are never None.
    return std::nullopt;
  }
  auto isSpecial = [](const HostObject &object) {
    auto *instance = object.as<std::shared_ptr<HostInstance>>();
    return instance && (*instance)->isSpecial;
  };
  if (isSpecial(a) || isSpecial(b))
    return std::nullopt;
  auto c = a.constant(), d = b.constant();
  return c && d ? *c == *d : a.v.index() == b.v.index() ? std::nullopt : std::optional(false);
}

std::optional<int> order(const HostObject &a, const HostObject &b) {
  auto sign = [](const auto &x, const auto &y) { return x < y ? -1 : y < x ? 1 : 0; };
  auto i = a.integer(), j = b.integer();
  if (i && j)
    return sign(*i, *j);
  auto x = a.number(), y = b.number();
  if (x && y && *x == *x && *y == *y)
    return sign(*x, *y);
  if (a.as<std::string>() && b.as<std::string>())
    return sign(*a.as<std::string>(), *b.as<std::string>());
  if (a.as<HostVersion>() && b.as<HostVersion>())
    return sign(a.as<HostVersion>()->release, b.as<HostVersion>()->release);
  if (auto *p = a.list(); p && b.list() && !p->isSet && !b.list()->isSet) {
    auto *q = b.list();
    for (size_t k = 0; k < p->items.size() && k < q->items.size(); ++k)
      if (auto o = order(p->items[k], q->items[k]); !o || *o)
        return o;
    return sign(p->items.size(), q->items.size());
  }
  return std::nullopt;
}

std::shared_ptr<HostNames> HostFrames::make(const std::shared_ptr<HostNames> &outer) {
  if (frames_.size() >= 2 * kept_) {
    std::erase_if(frames_, [](const std::weak_ptr<HostNames> &frame) { return frame.expired(); });
    kept_ = std::max(kept_, frames_.size());
  }
  auto made = std::make_shared<HostNames>(outer ? *outer : HostNames());
  frames_.push_back(made);
  return made;
}

HostFrames::~HostFrames() {
  std::vector<std::shared_ptr<HostNames>> alive; // until all are empty
  for (const std::weak_ptr<HostNames> &frame : frames_)
    if (std::shared_ptr<HostNames> names = frame.lock())
      alive.push_back(names);
  for (const std::shared_ptr<HostNames> &names : alive)
    names->clear();
}

} // namespace tegula::lang
