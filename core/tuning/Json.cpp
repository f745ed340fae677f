#include "core/tuning/Json.h"

#include "core/support/Diagnostic.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tegula::tuning {
namespace {

constexpr size_t kDeepest = 32;

/// Reads characters, and records the line of the last one that is no white space. That is the line of the value which
/// the parser reports, although the parser reads one character beyond a number.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, uint32_t *line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator &operator++() {
    if (*at_ == '\n')
      ++now_;
    else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r')
      *line_ = now_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator &other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator &other) const { return at_ != other.at_; }

private:
  const char *at_;
  uint32_t *line_, now_ = 1;
};

/// Builds the tree from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  Builder(const std::string &file, const uint32_t &line) : file_(file), line_(line) {}
  Json root;

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(int64_t(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX))
      failAt(file_, line_, "the integer " + std::to_string(value) + " is beyond 64 bits");
    return add(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t &) override { return add(double(value)); }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(Json::Object()); }
  bool start_array(std::size_t) override { return open(Json::Array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    auto &members = std::get<Json::Object>(stack_.back()->value);
    if (std::ranges::any_of(members, [&](const JsonMember &member) { return member.name == name; }))
      failAt(file_, line_, "'" + name + "' stands twice in one object");
    members.emplace_back().name = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string &token, const nlohmann::detail::exception &e) override {
    std::string why = e.what(); // form: "[json.exception.parse_error.101] parse error at line 3, column 5: TEXT"
    size_t text = why.find(": ");
    failAt(file_, line_, "not JSON: " + (text == std::string::npos ? "unexpected " + token : why.substr(text + 2)));
  }

private:
  /// The place in the tree for the next value.
  Json &place() {
    if (stack_.empty())
      return root;
    if (auto *items = std::get_if<Json::Array>(&stack_.back()->value))
      return items->emplace_back();
    return std::get<Json::Object>(stack_.back()->value).back().value;
  }
  bool add(Json::Value value) {
    Json &made = place();
    made.value = std::move(value);
    made.line = line_;
    return true;
  }
  // Pointers in the stack stay valid: only the innermost container grows.
  bool open(Json::Value value) {
    if (stack_.size() >= kDeepest)
      failAt(file_, line_, "nested deeper than " + std::to_string(kDeepest) + " levels");
    Json &made = place();
    made.value = std::move(value);
    made.line = line_;
    stack_.push_back(&made);
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  const std::string &file_;
  const uint32_t &line_;
  std::vector<Json *> stack_;
};

} // namespace

void failAt(const std::string &file, uint32_t line, const std::string &message) {
  Diagnostic diagnostic;
  diagnostic.location = {file, line, 1};
  diagnostic.message = message;
  throw Error(diagnostic);
}

Json::Json() = default;
Json::~Json() = default;
Json::Json(Json &&) noexcept = default;
Json &Json::operator=(Json &&) noexcept = default;

const double *Json::number(double &storage) const {
  if (auto *integer = as<int64_t>()) {
    storage = static_cast<double>(*integer);
    return &storage;
  }
  return as<double>();
}

Json Json::parse(std::string_view text, const std::string &file) {
  uint32_t line = 1;
  Builder builder(file, line);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line),
                            &builder);
  return std::move(builder.root);
}

const char *kindOf(const Json &json) {
  constexpr const char *kNames[] = {"null", "true or false", "an integer", "a number", "a text", "a list", "an object"};
  return kNames[json.value.index()];
}

std::string quoteJson(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace tegula::tuning
