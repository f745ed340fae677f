// Compiles a simt module's text to PTX, with the assembler's messages.
#pragma once

#include "backends/cuda/Ptxas.h"
#include "core/contracts/Compiler.h"

#include <string>

namespace tegula::test {

/// The compiler's result for a module's text; `emit` as in CompileRequest.
CompileResult compileSimt(const std::string &text, const std::string &target, const std::string &emit = "");
/// The module's PTX; fails the test where compilation fails.
std::string ptxOf(const std::string &text, const std::string &target);
/// The formatted error message; fails the test where compilation succeeds.
std::string errorOf(const std::string &text, const std::string &target);
/// A kernel `k` of `warps` warps around a body, with a pointer %p to `element` and an i32 %n.
std::string kernelText(const std::string &body, int warps = 4, const std::string &element = "f32");
/// A file of tests/simt.
std::string moduleText(const std::string &name);

/// How often `what` is in the text; occurrences do not overlap.
size_t countOf(const std::string &text, const std::string &what);

} // namespace tegula::test
