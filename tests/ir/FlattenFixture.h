// Flattens modules given as text and runs them on host memory.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/codegen/Flatten.h"
#include "backends/cpu/executor/Executor.h"
#include "core/ir/Register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace tegula::cpu {

class FlattenTest : public ::testing::Test {
protected:
  FlattenTest() : context_(registry()) {}

  /// The function `k` of the text, flattened and verified.
  Module flattenText(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    if (!module)
      throw std::runtime_error("the module does not parse");
    Module result = flatten(*module, "k");
    verify(result);
    return result;
  }

  /// Runs one program of `k` with these arguments.
  void run(const std::string &text, std::vector<ArgumentValue> arguments) {
    LaunchOptions options;
    options.threads = 1;
    Program(flattenText(text)).run(arguments, options);
  }

  template <typename T> static ArgumentValue pointer(std::vector<T> &data) {
    return {.bits = std::bit_cast<uint64_t>(data.data()), .descriptor = nullptr};
  }
  static ArgumentValue integer(int64_t value) { return {.bits = uint64_t(value), .descriptor = nullptr}; }

  /// The error message of flattening the text; empty where it succeeds.
  std::string errorOf(const std::string &text, SourceLocation *location = nullptr) {
    try {
      flattenText(text);
    } catch (const Error &error) {
      if (location)
        *location = error.diagnostic().location;
      return error.diagnostic().message;
    }
    return "";
  }

  mlir::MLIRContext context_;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    return registry;
  }
};

inline size_t countOf(const Function &function, Opcode opcode) {
  size_t count = 0;
  for (const Instruction &instruction : function.code)
    count += instruction.opcode == opcode;
  return count;
}

} // namespace tegula::cpu
