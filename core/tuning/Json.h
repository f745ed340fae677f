// JSON with the line of each value, so that a message about a table names the place. Parsing is nlohmann's.
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
  uint32_t line = 0; // on which it begins, from 1

  Json();
  ~Json();
  Json(Json &&) noexcept;
  Json &operator=(Json &&) noexcept;

  template <class T> const T *as() const { return std::get_if<T>(&value); }
  /// Of an integer or a float.
  const double *number(double &storage) const;

  /// Throws tegula::Error located in `file`: a syntax error, a member that stands twice, an integer beyond 64 bits,
  /// nesting beyond 32.
  static Json parse(std::string_view text, const std::string &file);
};

struct JsonMember {
  std::string name;
  Json value;
};

/// Throws tegula::Error located at a line of `file`.
[[noreturn]] void failAt(const std::string &file, uint32_t line, const std::string &message);

/// "an object", for messages.
const char *kindOf(const Json &json);

/// A string as JSON text, quoted.
std::string quoteJson(const std::string &text);

} // namespace tegula::tuning
