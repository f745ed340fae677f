// Kernels, helpers that run at compile time, and aggregates.
#include "Sketch.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

TEST(Functions, ParametersOfEveryKind) {
  auto module =
      parseModule("k.py", "@jit\ndef k(a, b: tl.constexpr, c=1, d: int = 2, *args, e, f: 'x' = None):\n  pass\n");
  auto *k = findFunction(*module, "k");
  ASSERT_TRUE(k);
  ASSERT_EQ(k->params.size(), 7u);
  EXPECT_EQ(k->params[0].name, "a");
  EXPECT_EQ(sketch(k->params[1].annotation), "tl.constexpr");
  EXPECT_EQ(sketch(k->params[2].defaultValue), "1");
  EXPECT_EQ(sketch(k->params[3].annotation), "int");
  EXPECT_EQ(sketch(k->params[3].defaultValue), "2");
  EXPECT_TRUE(k->params[4].isVariadic);
  EXPECT_FALSE(k->params[4].isKeywordOnly);
  EXPECT_TRUE(k->params[5].isKeywordOnly);
  EXPECT_EQ(sketch(k->params[6].defaultValue), "None");
  EXPECT_EQ(k->params[1].loc.column, 10u);
}

TEST(Functions, KeywordOnlyAndPositionalOnlyMarkers) {
  auto module = parseModule("k.py", "@jit\ndef k(a, /, b=1, *, c): pass\n");
  auto *k = findFunction(*module, "k");
  ASSERT_TRUE(k);
  ASSERT_EQ(k->params.size(), 3u);
  EXPECT_FALSE(k->params[1].isKeywordOnly);
  EXPECT_TRUE(k->params[2].isKeywordOnly);
}

TEST(Functions, DecoratorsAreHostCode) {
  auto module = parseModule("k.py", "@autotune(configs=[Config({'B': b}) for b in (1, 2)], key=['n'])\n"
                                    "@heuristics({'E': lambda args: args['n'] % 2 == 0})\n"
                                    "@triton.jit(debug=True)\n"
                                    "def k(n): pass\n");
  auto *k = findFunction(*module, "k");
  ASSERT_TRUE(k);
  ASSERT_EQ(k->decorators.size(), 3u);
  EXPECT_EQ(sketch(k->decorators[0]), "(call autotune configs=<list comprehension> key=(list 'n'))");
  EXPECT_EQ(sketch(k->decorators[1]), "(call heuristics (dict 'E':(lambda args: (cmp (% args['n'] 2) == 0))))");
  EXPECT_EQ(sketch(k->decorators[2]), "(call triton.jit debug=True)");
  EXPECT_EQ(k->decorators[0]->loc.line, 1u);
  EXPECT_EQ(k->loc.line, 4u);
  EXPECT_EQ(k->nameLoc.column, 5u);
}

TEST(Functions, HostExpressionsThatTheTreeHasNoNodeFor) {
  auto decorator = [](const std::string &text) {
    auto module = parseModule("k.py", "@d(" + text + ")\n@jit\ndef k(): pass\n");
    return sketch(findFunction(*module, "k")->decorators[0]);
  };
  EXPECT_EQ(decorator("{1, 2}"), "(call d <set>)");
  EXPECT_EQ(decorator("{a for a in b}"), "(call d <set>)");
  EXPECT_EQ(decorator("{a: b for a, b in c}, 1"), "(call d <dictionary comprehension> 1)");
  EXPECT_EQ(decorator("{**a, 'b': 1}"), "(call d (dict _:a 'b':1))");
  EXPECT_EQ(decorator("{'b': 1, **a}, 2"), "(call d (dict 'b':1 _:a) 2)");
  EXPECT_EQ(decorator("a for a in b if c"), "(call d <generator expression>)");
  EXPECT_EQ(decorator("(a async for a in b)"), "(call d <generator expression>)");
  EXPECT_EQ(decorator("(x := 3)"), "(call d <assignment expression>)");
  EXPECT_EQ(decorator("lambda a, b=1, *c, d=lambda: 2, **e: a, f"),
            "(call d <lambda with default or starred parameters> f)");
  EXPECT_EQ(decorator("2j, await f(x), '\\N{DASH}', t'{x}'"),
            "(call d <complex number> <await expression> <string> <template string>)");
}

// As libraries of wrappers have them. Their bodies are Python's: what the parser cannot read refuses only a use.
TEST(Functions, FunctionsForTritonsCompilerAreRead) {
  auto module =
      parseModule("k.py", "@core.extern\ndef f(x, _semantic=None):\n"
                          "  return core.extern_elementwise('', path(), [x], {(core.int32,): ('s', t)}, True)\n"
                          "@tl.core.builtin\ndef g(x):\n  with open('a') as b: print({1, 2})\n"
                          "@extern\ndef h(x):\n  return x +\n"
                          "@jit\ndef k(): pass\n");
  auto *f = findFunction(*module, "f");
  ASSERT_TRUE(f);
  EXPECT_EQ(sketch(f->body),
            "return (call core.extern_elementwise '' (call path) (list x) (dict (tuple core.int32):(tuple 's' t)) "
            "True)");
  EXPECT_TRUE(findFunction(*module, "g"));
  EXPECT_FALSE(findFunction(*module, "h"));
  EXPECT_TRUE(findFunction(*module, "k"));
}

TEST(Functions, DocstringLeavesTheBody) {
  auto module = parseModule("k.py", kernelText("\"\"\"Adds.\n\nMore.\"\"\"\na = 1"));
  auto *k = findFunction(*module, "k");
  EXPECT_EQ(k->docstring, "Adds.\n\n    More.");
  EXPECT_EQ(sketch(k->body), "a = 1");
  module = parseModule("k.py", "@jit\ndef k(): 'text'\n");
  EXPECT_EQ(findFunction(*module, "k")->docstring, "text");
  EXPECT_TRUE(findFunction(*module, "k")->body.empty());
}

TEST(Functions, SourceTextIsExact) {
  std::string text = "@a(1,\n   2)\n@jit  # why\ndef k(x):\n    if x:\n        y = (1 +\n  2)  # last\n";
  auto module = parseModule("k.py", "import a\n\n" + text + "\n    # after\n\nz = 1\n");
  EXPECT_EQ(findFunction(*module, "k")->sourceText + "\n", text);
  module = parseModule("k.py", "@jit\r\ndef k():\r\n  pass\r\n\r\nz = 1\r\n");
  EXPECT_EQ(findFunction(*module, "k")->sourceText, "@jit\r\ndef k():\r\n  pass");
  module = parseModule("k.py", "if a:\n  @jit\n  def k(): '''x\ny'''; pass # end");
  EXPECT_EQ(findFunction(*module, "k")->sourceText, "@jit\n  def k(): '''x\ny'''; pass # end");
}

TEST(Functions, ReturnAnnotation) {
  auto module = parseModule("k.py", "@jit\ndef k(a) -> tuple[int, None]: return a\n");
  EXPECT_EQ(sketch(findFunction(*module, "k")->returns), "tuple[(tuple int None)]");
}

TEST(Functions, ConstexprFunctionsAreHostCode) {
  auto module =
      parseModule("k.py", "@triton.constexpr_function\n"
                          "def f(a, **rest):\n"
                          "    b = [x for x in a]\n"
                          "    try:\n        c = 1\n    except E:\n        pass\n    finally:\n        d = 1\n"
                          "    with open(a) as g, h as i:\n        pass\n"
                          "    import math; from a import b\n"
                          "    def inner():\n        return 1\n"
                          "    match a:\n        case 1: pass\n"
                          "    type X = int\n"
                          "    raise E; e = 2\n"
                          "    return b\n");
  auto *f = findFunction(*module, "f");
  ASSERT_TRUE(f);
  EXPECT_EQ(
      sketch(f->body),
      "b = <list comprehension>; try do[c = 1] except[pass] finally[d = 1]; with (call open a) as g, h as i[pass]; "
      "<import>; <import>; def inner; <statement>; <statement X>; <raise>; e = 2; return b");
  for (size_t i : {3, 6, 8}) {
    auto *opaque = as<OpaqueStmt>(f->body[i]);
    ASSERT_TRUE(opaque) << i;
    EXPECT_NE(opaque->message.find("is not part of the kernel language"), std::string::npos) << i;
  }
}

TEST(Functions, TypeParametersOfHostFunctions) {
  auto module = parseModule("k.py", "@constexpr_function\ndef f[T: (int, str), *Ts](a: T, *b: *Ts): return a\n");
  ASSERT_TRUE(findFunction(*module, "f"));
  EXPECT_EQ(findFunction(*module, "f")->params.size(), 2u);
}

TEST(Aggregates, AreParsedWithTheirMembers) {
  auto module = parseModule("k.py", "@triton.aggregate\n"
                                    "class Pair(Base[int], metaclass=M):\n"
                                    "    first: tl.tensor\n"
                                    "    second: tl.tensor = None\n"
                                    "    KIND = 1\n\n"
                                    "    def __init__(self, first):\n"
                                    "        self.first = first\n\n"
                                    "    @triton.jit\n"
                                    "    def sum(self):\n"
                                    "        return self.first + self.second\n\n"
                                    "    @dec\n"
                                    "    class Inner:\n"
                                    "        pass\n");
  ASSERT_EQ(module->body.size(), 1u);
  auto *pair = as<ClassStmt>(module->body[0]);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->decorators.size(), 1u);
  EXPECT_EQ(sketch(module->body),
            "class Pair [first: tl.tensor; second: tl.tensor = None; KIND = 1; def __init__; def sum; "
            "<class Inner>]");
  auto *sum = as<FunctionStmt>(pair->body[4]);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sketch(sum->body), "return (+ self.first self.second)");
}

} // namespace
} // namespace tegula::lang
