// Any bytes are a tree or a tegula::Error: nothing else is thrown, nothing aborts, no memory is misused.
#include "core/support/Diagnostic.h"
#include "frontend/language/Parser.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  try {
    std::unique_ptr<tegula::lang::Module> module = tegula::lang::parseModule("fuzz.py", text);
    // The dump visits every node, so that a tree with a hole in it is found.
    tegula::lang::dump(*module);
  } catch (const tegula::Error &) {
  }
  try {
    tegula::lang::parseExpression("fuzz.py", text);
  } catch (const tegula::Error &) {
  }
  return 0;
}
