// Enumerations that kernels give as text, such as cache_modifier=".cg".
#pragma once

#include "frontend/language/emit/Emitter.h"

namespace tegula::lang {

/// The value beside `text` in `rows`; `what` names the enumeration in the message for other texts.
template <class Enum>
Enum enumOf(Emitter &e, Loc loc, const std::string &text, const char *what,
            std::initializer_list<std::pair<const char *, Enum>> rows) {
  std::string known;
  for (auto &[name, value] : rows) {
    if (text == name)
      return value;
    if (*name)
      known += std::string(known.empty() ? "" : ", ") + name;
  }
  e.fail(loc, std::string("unknown ") + what + " '" + text + "'; known: " + known);
}

} // namespace tegula::lang
