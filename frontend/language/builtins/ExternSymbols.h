// Symbols of vendors' device libraries, such as __nv_tanhf or __ocml_tanh_f32, and the function of
// triton.language.extra.libdevice that computes the same on every target.
#pragma once

#include "core/support/ScalarType.h"

#include <string>
#include <string_view>
#include <vector>

namespace tegula::lang {

/// One form of a symbol. A few symbols have several, which differ in their types.
struct ExternSymbol {
  std::string function; // of libdevice, or of triton.language (maximum)
  ScalarType result;
  std::vector<ScalarType> arguments;
};

/// The forms of the symbol; none for a symbol that is not known.
std::vector<ExternSymbol> externSymbols(const std::string &name);
/// All known symbols, sorted.
std::vector<std::string> externSymbolNames();

} // namespace tegula::lang
