#include "tests/conformance/Watching.h"

#include <cstdio>

namespace tegula::conformance {

namespace {

constexpr size_t kPrinted = 10; // one defect is found in thousands of cases

} // namespace

Watching::Watching(const std::string &library) : watch_(vulkan::test::openWatch(library)) {
  watch_.useValidationLayer();
}

void Watching::print(const std::string &where, const char *who, const std::vector<std::string> &texts) {
  for (const std::string &text : texts)
    if (printed_++ < kPrinted)
      std::printf("%s: %s: %s\n", where.c_str(), who, text.c_str());
}

void Watching::look(const std::string &where) {
  vulkan::test::Findings found = watch_.takeFindings();
  messages_ += found.messages.size();
  refusals_ += found.refusals.size();
  modules_ += found.modules;
  tooNew_ += found.tooNew;
  print(where, "validation layer", found.messages);
  print(where, "spirv-val", found.refusals);
}

bool Watching::conclude() const {
  std::printf("%zu validation messages\n", messages_);
  std::printf("%zu modules, %zu of them refused by spirv-val", modules_, refusals_);
  if (tooNew_)
    std::printf("; %zu more use what it does not know and were left to the validation layer", tooNew_);
  std::printf("\n");
  // Without a module nothing was watched.
  return messages_ == 0 && refusals_ == 0 && modules_ + tooNew_ > 0;
}

} // namespace tegula::conformance
