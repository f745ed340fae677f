#include "tests/conformance/Compare.h"
#include "tests/conformance/Fills.h"

#include <algorithm>
#include <cstring>

namespace tegula::conformance {

namespace {

/// A place on the number line in steps of one ulp; -0 and +0 are the same place.
int64_t place(DType type, Number value) {
  uint64_t bits = encode(type, value), sign = uint64_t(1) << (bitsOf(type) - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

class Comparison {
public:
  Comparison(const BufferSpec &spec, const Denormals &flushed) : type_(spec.type), policy_(spec.policy) {
    auto smallest = [&](DType type) {
      return flushed.contains(type) ? decode(type, uint64_t(1) << (precisionOf(type) - 1)) : 0;
    };
    smallest_ = smallest(type_);
    if (policy_.through)
      smallestThrough_ = smallest(*policy_.through);
  }

  bool agree(Number actual, Number expected) const {
    if (std::isnan(actual) || std::isnan(expected))
      return std::isnan(actual) && std::isnan(expected);
    if (actual == expected)
      return policy_.anyZero || actual != 0 || smallest_ > 0 || std::signbit(actual) == std::signbit(expected);
    // A result that rounds to the smallest normal number may have been flushed before it was rounded.
    if (std::abs(actual) < smallest_ && std::abs(expected) <= smallest_)
      return true;
    if (actual == 0 && std::abs(expected) <= smallestThrough_)
      return true;
    if (policy_.kind != Policy::Kind::Close)
      return false;
    if (isFloat(type_) && std::abs(static_cast<Number>(place(type_, actual)) -
                                   static_cast<Number>(place(type_, expected))) <= policy_.ulps)
      return true;
    return std::isfinite(actual) &&
           std::abs(actual - expected) <= policy_.relative * std::abs(expected) + policy_.absolute;
  }

private:
  DType type_;
  Policy policy_;
  Number smallest_ = 0;        // below it, what is not zero is denormal; 0: denormals are kept
  Number smallestThrough_ = 0; // the same of the type on the way
};

Number elementOf(DType type, const std::vector<uint8_t> &bytes, int64_t i) {
  size_t size = byteSize(type);
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[static_cast<size_t>(i) * size], size);
  return decode(type, bits);
}

std::string shown(DType type, Number value) {
  char text[64];
  if (isFloat(type))
    std::snprintf(text, sizeof text, "%.*Lg", type == DType::F64 ? 17 : 9, value);
  else
    std::snprintf(text, sizeof text, "%.0Lf", value);
  return text;
}

std::string placeOf(const BufferSpec &spec, int64_t i) {
  int64_t index = i - spec.lead;
  if (index < 0)
    return "[" + std::to_string(index) + ", before the first]";
  return "[" + std::to_string(index) + (index >= spec.count ? ", past the end]" : "]");
}

std::vector<Number> sorted(DType type, const std::vector<uint8_t> &bytes, int64_t count) {
  std::vector<Number> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(elementOf(type, bytes, i));
  std::sort(values.begin(), values.end());
  return values;
}

} // namespace

std::optional<std::string> differences(const BufferSpec &spec, const std::vector<uint8_t> &actual,
                                       const std::vector<uint8_t> &expected, const Denormals &flushed) {
  if (spec.policy.kind == Policy::Kind::Ignored || actual == expected)
    return std::nullopt;
  int64_t count = static_cast<int64_t>(actual.size() / byteSize(spec.type));
  std::vector<Number> left, right;
  bool anyOrder = spec.policy.kind == Policy::Kind::Multiset;
  if (anyOrder) {
    left = sorted(spec.type, actual, count);
    right = sorted(spec.type, expected, count);
  }
  Comparison comparison(spec, flushed);
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < count; ++i) {
    Number a = anyOrder ? left[static_cast<size_t>(i)] : elementOf(spec.type, actual, i);
    Number b = anyOrder ? right[static_cast<size_t>(i)] : elementOf(spec.type, expected, i);
    if (comparison.agree(a, b))
      continue;
    if (++wrong <= 3)
      first += (wrong == 1 ? "" : "; ") + (anyOrder ? "the " + std::to_string(i) + "th in order" : placeOf(spec, i)) +
               " is " + shown(spec.type, a) + ", expected " + shown(spec.type, b);
  }
  if (wrong == 0)
    return std::nullopt;
  return std::to_string(wrong) + " of " + std::to_string(spec.count) + " elements of " + std::string(name(spec.type)) +
         " are wrong: " + first;
}

} // namespace tegula::conformance
