// JSON in which each value has its line, so that a message about a table can state the location. nlohmann's library
// parses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tegula::tuning {

struct JsonMember;

class Json {
public:
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>; // in the order of the text
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object>;

  Value value;
  uint32_t line = 0; // line on which the value begins, from 1

  Json();
  ~Json();
  Json(Json &&) noexcept;
  Json &operator=(Json &&) noexcept;

  template <class T> const T *as() const { return std::get_if<T>(&value); }
  /// The value of an integer or a float.
  const double *number(double &storage) const;

  /// Throws tegula::Error located in `file`: a syntax error, a member that occurs twice, an integer beyond 64 bits,
  /// nesting deeper than 32.
  static Json parse(std::string_view text, const std::string &file);
};

struct JsonMember {
  std::string name;
  Json value;
};

/// Throws tegula::Error located at a line of `file`.
[[noreturn]] void failAt(const std::string &file, uint32_t line, const std::string &message);

/// The kind of a value with its article, for messages: "an object".
const char *kindOf(const Json &json);

/// A string as JSON text, quoted.
std::string quoteJson(const std::string &text);

} // namespace tegula::tuning
