// What `tegula doctor` asks of the compiler library and of code generators.
#pragma once

#include <cstdint>
#include <string>

namespace tegula {

/// One thing that was looked at on this machine.
struct Finding {
  enum class State : uint8_t {
    Fine,
    Absent, // something works less well without it, or not at all; nothing is broken
    Broken,
  };
  std::string what; // "LLVM"
  State state = State::Fine;
  std::string found;  // what was found, or what it means that nothing was
  std::string remedy; // a command, or what else to do; empty where it is fine
};

} // namespace tegula
