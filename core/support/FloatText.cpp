#include "core/support/FloatText.h"

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>

namespace tegula {
namespace {

/// As printf's %.*g.
std::string withDigits(double value, int digits) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(digits);
  out << value;
  return std::move(out).str();
}

bool readsBack(const std::string &text, double value) {
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read == value;
}

} // namespace

std::string floatText(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  std::string text = withDigits(value, 15);
  for (int digits = 16; digits <= 17 && !readsBack(text, value); ++digits)
    text = withDigits(value, digits);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace tegula
