#include "core/tuning/Config.h"

#include "core/support/FloatFormats.h"

#include <cmath>

namespace tegula::tuning {
namespace {

std::string constantText(const ConstantValue &value) {
  struct Text {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(int64_t integer) const { return std::to_string(integer); }
    std::string operator()(double real) const {
      if (!std::isfinite(real)) // JSON cannot express infinity and NaN
        return "{\"float\": \"" + std::string(std::isnan(real) ? "nan" : real < 0 ? "-inf" : "inf") + "\"}";
      return floatText(real);
    }
    std::string operator()(const std::string &text) const { return quoteJson(text); }
    std::string operator()(ScalarType type) const { return "{\"dtype\": \"" + std::string(name(type)) + "\"}"; }
  };
  return std::visit(Text(), value);
}

/// Parses {"dtype": "f16"} and {"float": "inf"}.
ConstantValue taggedFrom(const Json &json, const std::string &name, const std::string &file) {
  const auto *members = json.as<Json::Object>();
  const auto *text = members && members->size() == 1 ? members->front().value.as<std::string>() : nullptr;
  if (text && members->front().name == "dtype")
    if (std::optional<ScalarType> type = parseScalarType(*text))
      return *type;
  if (text && members->front().name == "float")
    for (double value : {HUGE_VAL, -HUGE_VAL, std::nan("")})
      if (*text == (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf"))
        return value;
  failAt(file, json.line,
         "'" + name + "' is " + kindOf(json) + R"(; expected a number, a text, true, false, null or {"dtype": "f16"})");
}

} // namespace

std::string describeKey(const Query &query) {
  std::string text;
  for (const auto &[name, bucket] : query.key)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(bucket);
  return text;
}

Record recordFor(const Query &query) {
  return {query.kernel, query.text,  query.target,       query.driver, query.build,
          query.types,  query.given, describeKey(query), {},           0};
}

std::string toJson(const Constants &constants) {
  std::string text = "{";
  for (const auto &[name, value] : constants)
    text += (text.size() == 1 ? "" : ", ") + quoteJson(name) + ": " + constantText(value);
  return text + "}";
}

Constants constantsFrom(const Json &json, const std::string &file) {
  const auto *members = json.as<Json::Object>();
  if (!members)
    failAt(file, json.line, std::string("'config' is ") + kindOf(json) + "; an object is expected");
  Constants constants;
  for (const auto &[name, value] : *members) {
    if (value.as<std::monostate>())
      constants[name] = std::monostate();
    else if (auto *flag = value.as<bool>())
      constants[name] = *flag;
    else if (auto *integer = value.as<int64_t>())
      constants[name] = *integer;
    else if (auto *real = value.as<double>())
      constants[name] = *real;
    else if (auto *text = value.as<std::string>())
      constants[name] = *text;
    else
      constants[name] = taggedFrom(value, name, file);
  }
  return constants;
}

int optionFrom(const Json &json, const std::string &name, const std::string &file) {
  const auto *value = json.as<int64_t>();
  bool isWarps = name == "num_warps";
  int64_t most = isWarps ? 32 : 16;
  if (!value || *value < 1 || *value > most || (isWarps && (*value & (*value - 1))))
    failAt(file, json.line,
           "'" + name + "' is " + (value ? std::to_string(*value) : kindOf(json)) + "; expected " +
               (isWarps ? "a power of two" : "an integer") + " from 1 to " + std::to_string(most));
  return static_cast<int>(*value);
}

} // namespace tegula::tuning
