// The concatenated text of prelude/*.py; the build generates the definition (core/cmake/TegulaEmbed.cmake).
#pragma once

#include <string_view>

namespace tegula::lang {

std::string_view preludeText();

} // namespace tegula::lang
