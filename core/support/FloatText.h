// Floats as text that reads back as the same number.
#pragma once

#include <string>

namespace tegula {

/// A number with as few digits as tell it apart, but at most 15 where these are enough, and with a point or an
/// exponent: 0.1, 1.0, 1e+20; inf, -inf, nan. Any locale of the program is without effect. (std::to_chars of floats
/// would add 100 KB of tables to the runtime library.)
std::string floatText(double value);

} // namespace tegula
