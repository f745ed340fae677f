// The prelude: builtins written in Triton's language, embedded as text and parsed once.
#include "frontend/language/Builtins.h"
#include "frontend/language/Parser.h"
#include "frontend/language/PreludeText.h"

namespace tegula::lang {

const ModuleScope &preludeScope() {
  static const ModuleScope scope(parseModule("<prelude>", std::string(preludeText())), /*isPrelude=*/true);
  return scope;
}

} // namespace tegula::lang
