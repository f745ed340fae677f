// Binds evaluated arguments to a signature by Python's rules, with messages that name the parameter; readers of single
// arguments that families share.
#include "frontend/language/builtins/Builtins.h"

#include <charconv>

namespace tegula::lang {

namespace {

struct Parameter {
  std::string_view name;
  std::optional<std::string_view> defaultText;
  bool isVariadic = false, isKeywordOnly = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// Splits a signature at commas outside of quotes and parentheses.
std::vector<std::string_view> splitSignature(std::string_view signature) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  char quote = 0;
  for (size_t i = 0; i <= signature.size(); ++i) {
    char c = i < signature.size() ? signature[i] : ',';
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ',') {
      if (auto part = trimmed(signature.substr(begin, i - begin)); !part.empty())
        parts.push_back(part);
      begin = i + 1;
    }
  }
  return parts;
}

std::vector<Parameter> parseSignature(std::string_view signature) {
  std::vector<Parameter> parameters;
  bool keywordOnly = false;
  for (std::string_view part : splitSignature(signature)) {
    if (part == "*") {
      keywordOnly = true;
      continue;
    }
    Parameter p;
    p.isKeywordOnly = keywordOnly;
    if (part.front() == '*') {
      p.isVariadic = true;
      keywordOnly = true;
      part.remove_prefix(1);
    }
    size_t equals = part.find('=');
    p.name = trimmed(part.substr(0, equals));
    if (equals != std::string_view::npos)
      p.defaultText = trimmed(part.substr(equals + 1));
    parameters.push_back(p);
  }
  return parameters;
}

Value defaultValue(std::string_view text) {
  if (text == "None")
    return none();
  if (text == "True" || text == "False")
    return Const(text == "True");
  if (text == "()")
    return Tuple{};
  if (text.front() == '\'' || text.front() == '"') {
    std::string_view body = text.substr(1, text.size() - 2);
    return Const(body == "\\n" ? std::string("\n") : std::string(body));
  }
  if (text.find('.') != std::string_view::npos) {
    double number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc())
      return Const(number);
  }
  int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc())
    return Const(Int(number));
  throw InternalError("a builtin's signature has the default '" + std::string(text) + "', which is not understood");
}

std::string count(size_t n, const char *what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

/// Joins names: "pointer, mask and other".
std::string list(const std::vector<std::string_view> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
  return text;
}

} // namespace

Builtin::Args bindArguments(Emitter &e, std::string_view functionName, std::string_view signature, CallArgs call) {
  const std::string name(functionName);
  std::vector<Parameter> parameters = parseSignature(signature);
  Builtin::Args args;
  args.loc = call.loc;
  args.values.resize(parameters.size());
  args.locs.assign(parameters.size(), call.loc);
  args.given.assign(parameters.size(), false);
  auto set = [&](size_t i, Value value, Loc loc) {
    args.values[i] = std::move(value);
    args.locs[i] = loc;
    args.given[i] = true;
  };

  size_t next = 0, positionals = 0;
  for (const Parameter &p : parameters)
    positionals += !p.isKeywordOnly;
  for (size_t i = 0; i < call.positional.size(); ++i) {
    Loc loc = i < call.positionalLocs.size() ? call.positionalLocs[i] : call.loc;
    if (next < parameters.size() && parameters[next].isVariadic) {
      Tuple rest;
      rest.elements.assign(call.positional.begin() + static_cast<std::ptrdiff_t>(i), call.positional.end());
      set(next++, std::move(rest), loc);
      break;
    }
    if (next >= positionals)
      e.fail(loc,
             name + " takes " +
                 (positionals ? "at most " + count(positionals, "positional argument") : "no positional arguments") +
                 ", found " + std::to_string(call.positional.size()));
    set(next++, std::move(call.positional[i]), loc);
  }

  for (size_t k = 0; k < call.keywords.size(); ++k) {
    auto &[keyword, value] = call.keywords[k];
    Loc loc = k < call.keywordLocs.size() ? call.keywordLocs[k] : call.loc;
    size_t i = 0;
    while (i < parameters.size() && (parameters[i].name != keyword || parameters[i].isVariadic))
      ++i;
    if (i == parameters.size()) {
      std::vector<std::string_view> names;
      for (const Parameter &p : parameters)
        if (!p.isVariadic)
          names.push_back(p.name);
      std::string hint = suggestion(keyword, names);
      if (hint.empty())
        hint = names.empty() ? "; it takes no arguments by name" : "; it takes " + list(names);
      e.fail(loc, name + " has no parameter '" + keyword + "'" + hint);
    }
    if (args.given[i])
      e.fail(loc, name + " got '" + keyword + "' twice");
    set(i, std::move(value), loc);
  }

  std::vector<std::string_view> missing;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (args.given[i])
      continue;
    if (parameters[i].isVariadic)
      args.values[i] = Tuple{};
    else if (parameters[i].defaultText)
      args.values[i] = defaultValue(*parameters[i].defaultText);
    else
      missing.push_back(parameters[i].name);
  }
  if (!missing.empty())
    e.fail(call.loc, name + " needs the argument" + (missing.size() == 1 ? " " : "s ") + list(missing));
  return args;
}

Tensor tensorArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what) {
  return e.tensor(args.locs[i], args[i], what);
}

Tensor asSigned(Emitter &e, Loc loc, const Tensor &numbers) {
  if (!numbers.type.isBool() && !numbers.type.isUnsigned())
    return numbers;
  return e.cast(loc, numbers, bitWidth(numbers.type.scalar) < 32 ? ScalarType::I32 : ScalarType::I64);
}

std::optional<Tensor> optionalTensor(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what) {
  if (args[i].isNone())
    return std::nullopt;
  return tensorArgument(e, args, i, what);
}

bool flagArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what) {
  return e.constantBool(args.locs[i], args[i], what);
}

std::string textArgument(Emitter &e, const Builtin::Args &args, size_t i, const std::string &what) {
  return args[i].isNone() ? std::string() : e.constantString(args.locs[i], args[i], what);
}

Value variadicArgument(const Builtin::Args &args, size_t i) {
  auto *rest = args[i].as<Tuple>();
  if (rest && rest->elements.size() == 1 && rest->elements[0].as<Tuple>())
    return rest->elements[0];
  return args[i];
}

std::optional<int64_t> axisArgument(Emitter &e, const Builtin::Args &args, size_t i, size_t rank,
                                    const std::string &what) {
  if (args[i].isNone())
    return std::nullopt;
  Int axis = e.constantInt(args.locs[i], args[i], what);
  if (axis < INT32_MIN || axis > INT32_MAX)
    e.fail(args.locs[i], what + " is out of range: " + toString(axis));
  return e.normalizeAxis(args.locs[i], static_cast<int64_t>(axis), rank, what);
}

int64_t requiredAxis(Emitter &e, const Builtin::Args &args, size_t i, size_t rank, const std::string &what) {
  if (auto axis = axisArgument(e, args, i, rank, what))
    return *axis;
  e.fail(args.locs[i], what + " must be an integer, found None");
}

bool propagateNanArgument(Emitter &e, const Builtin::Args &args, size_t i) {
  Const c = e.constant(args.locs[i], args[i], "propagate_nan");
  auto *text = std::get_if<std::string>(&c.value);
  if (text && (*text == "ALL" || *text == "NONE"))
    return *text == "ALL";
  e.fail(args.locs[i],
         "propagate_nan must be tl.PropagateNan.ALL or tl.PropagateNan.NONE, found " + args[i].describe());
}

Value tupleOf(std::vector<Tensor> tensors) {
  Tuple tuple;
  for (Tensor &t : tensors)
    tuple.elements.push_back(std::move(t));
  return tuple;
}

} // namespace tegula::lang
