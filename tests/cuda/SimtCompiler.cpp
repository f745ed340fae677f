#include "tests/cuda/SimtCompiler.h"
#include "core/support/Files.h"

#include <gtest/gtest.h>

namespace tegula::test {

CompileResult compileSimt(const std::string &text, const std::string &target, const std::string &emit) {
  CompileRequest request;
  request.path = "test.mlir";
  request.source = text;
  request.target = target;
  request.startFrom = "simt";
  request.hasSignature = false;
  if (!emit.empty()) {
    request.emit = {emit};
    request.emitOnly = true;
  }
  return tegulaCompiler(buildId())->compile(request);
}

std::string ptxOf(const std::string &text, const std::string &target) {
  CompileResult result = compileSimt(text, target, "ptx");
  if (result.error)
    ADD_FAILURE() << format(*result.error);
  EXPECT_EQ(result.internalError, "");
  return result.prints.empty() ? "" : result.prints[0];
}

std::string errorOf(const std::string &text, const std::string &target) {
  CompileResult result = compileSimt(text, target, "ptx");
  EXPECT_EQ(result.internalError, "");
  if (!result.error) {
    ADD_FAILURE() << "no error";
    return "";
  }
  return format(*result.error);
}

std::string kernelText(const std::string &body, int warps, const std::string &element) {
  return "func.func @k(%p: !tile.ptr<" + element +
         "> {tile.name = \"p\", tile.divisibility = 16 : i64}, %n: i32 "
         "{tile.name = \"n\"})\n    attributes {tile.kernel, simt.warps = " +
         std::to_string(warps) + " : i32, simt.warp_size = 32 : i32} {\n" + body + "\n  return\n}\n";
}

std::string moduleText(const std::string &name) {
  return readTextFile(TEGULA_SOURCE_DIR "/tests/simt/" + name + ".mlir");
}

size_t countOf(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++count;
  return count;
}

} // namespace tegula::test
