// Any bytes give a tree or a tegula::Error: no other exception, no abort, no invalid memory access.
#include "core/support/Diagnostic.h"
#include "frontend/language/syntax/Parser.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  try {
    std::unique_ptr<tegula::lang::Module> module = tegula::lang::parseModule("fuzz.py", text);
    // The dump visits every node, so it detects an incomplete tree.
    tegula::lang::dump(*module);
  } catch (const tegula::Error &) {
  }
  try {
    tegula::lang::parseExpression("fuzz.py", text);
  } catch (const tegula::Error &) {
  }
  return 0;
}
