// The prelude: builtins written in Triton's language, embedded as text and parsed once.
#include "frontend/language/PreludeText.h"
#include "frontend/language/builtins/Builtins.h"
#include "frontend/language/syntax/Parser.h"

namespace tegula::lang {

const ModuleScope &preludeScope() {
  static const ModuleScope scope(parseModule("<prelude>", std::string(preludeText())), /*isPrelude=*/true);
  return scope;
}

} // namespace tegula::lang
