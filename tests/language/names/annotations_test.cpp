// Annotations of parameters, as objects and as strings.
#include "frontend/language/names/Annotations.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/syntax/Parser.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

/// "constexpr", "i64", "*f32" or "-" for the annotation of a parameter, below `imports`.
std::string read(const std::string &annotation, const std::string &imports = "import triton.language as tl\n") {
  auto module = parseModule("m.py", imports + "@jit\ndef k(p: " + annotation + "): pass\n");
  ModuleNames names(*module);
  const FunctionStmt *function = names.function("k");
  Annotation result = readAnnotation(names, function->params[0].annotation.get(), names.timeOf(*function));
  if (result.isConstexpr)
    return "constexpr";
  return result.type ? (result.isPointer ? "*" : "") + std::string(name(*result.type)) : "-";
}

TEST(Annotations, Constants) {
  for (const char *text : {"tl.constexpr", "'tl.constexpr'", "\"constexpr\"", "'triton.language.constexpr'",
                           "Optional[tl.constexpr]", "tl.constexpr | None", "'Optional[tl.constexpr]'"})
    EXPECT_EQ(read(text), "constexpr") << text;
  EXPECT_EQ(read("C", "from triton.language import constexpr as C\n"), "constexpr");
  EXPECT_EQ(read("C", "import triton.language as T\nC = T.constexpr\n"), "constexpr");
  EXPECT_EQ(read("T.constexpr", "import triton.language as T\n"), "constexpr");
  EXPECT_EQ(read("T.constexpr", "import tegula.language as T\n"), "constexpr");
  EXPECT_EQ(read("C", "from tegula.language import constexpr as C\n"), "constexpr");
  EXPECT_EQ(read("tegula.language.constexpr", "import tegula.language\n"), "constexpr");
  EXPECT_EQ(read("'T.constexpr'", "from __future__ import annotations\nimport triton.language as T\n"), "constexpr");
}

TEST(Annotations, Types) {
  for (const char *text : {"tl.int64", "'tl.int64'", "'int64'", "'i64'", "'int64_t'", " 'i64 '"})
    EXPECT_EQ(read(text), "i64") << text;
  EXPECT_EQ(read("int"), "i32");
  EXPECT_EQ(read("float"), "f32");
  EXPECT_EQ(read("bool"), "i1");
  EXPECT_EQ(read("'fp16'"), "f16");
  EXPECT_EQ(read("N", "import triton.language as tl\nN = tl.uint8\n"), "u8");
}

TEST(Annotations, Pointers) {
  for (const char *text :
       {"'*fp32'", "'fp32*'", "'const *fp32'", "'*kfp32'", "'*tl.float32'", "tl.pointer_type(tl.float32)"})
    EXPECT_EQ(read(text), "*f32") << text;
}

TEST(Annotations, OthersSayNothing) {
  for (const char *text : {"torch.Tensor", "tl.tensor", "'some words'", "3", "None", "List[int]", "'**fp32'", "x.y(z)"})
    EXPECT_EQ(read(text), "-") << text;
}

TEST(Annotations, AreInTheDescriptionOfAKernel) {
  auto kernels = inspect(*parseModule("m.py", "@jit\ndef k(p: '*fp16', n: 'u8', B: 'tl.constexpr', m: int): pass\n"));
  ASSERT_EQ(kernels.size(), 1u);
  auto &params = kernels[0].params;
  EXPECT_TRUE(params[0].isAnnotatedPointer && params[0].annotatedType == ScalarType::F16);
  EXPECT_TRUE(!params[1].isAnnotatedPointer && params[1].annotatedType == ScalarType::U8);
  EXPECT_TRUE(params[2].isConstexpr && !params[2].annotatedType);
  EXPECT_EQ(params[3].annotatedType, ScalarType::I32);
}

} // namespace
} // namespace tegula::lang
