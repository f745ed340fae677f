// Links LLVM's object to the code object that HIP loads: a shared library of GPU machine code, linked by lld.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::rocm {

/// Links one relocatable object. Throws tegula::Error with the linker's messages; `name` is the kernel's name.
std::vector<uint8_t> linkCodeObject(const std::string &object, const std::string &name);

} // namespace tegula::rocm
