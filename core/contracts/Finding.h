// Results that `tegula doctor` collects from the compiler library and from code generators.
#pragma once

#include <cstdint>
#include <string>

namespace tegula {

/// One item that was examined on this machine.
struct Finding {
  enum class State : uint8_t {
    Fine,
    Absent, // a feature works less well, or not at all, without it; nothing is broken
    Broken,
  };
  std::string what; // "LLVM"
  State state = State::Fine;
  std::string found;  // the thing that was found; or the consequences of its absence
  std::string remedy; // a command or other advice; empty if nothing is wrong
};

} // namespace tegula
