// The statements of kernels.
#include "Sketch.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

TEST(Statements, Assignments) {
  EXPECT_EQ(sketchKernel("a = 1"), "a = 1");
  EXPECT_EQ(sketchKernel("a = b = c"), "a = b = c");
  EXPECT_EQ(sketchKernel("a, b = b, a"), "(tuple a b) = (tuple b a)");
  EXPECT_EQ(sketchKernel("(a, [b, *c]) = d"), "(tuple a (list b (star c))) = d");
  EXPECT_EQ(sketchKernel("a[0], a.b = c"), "(tuple a[0] a.b) = c");
  EXPECT_EQ(sketchKernel("a = *b, c"), "a = (tuple (star b) c)");
}

TEST(Statements, AugmentedAssignments) {
  EXPECT_EQ(sketchKernel("a += 1\na -= 1\na *= 1\na /= 1\na //= 1\na %= 1\na **= 1\na @= 1"),
            "a += 1; a -= 1; a *= 1; a /= 1; a //= 1; a %= 1; a **= 1; a @= 1");
  EXPECT_EQ(sketchKernel("a &= 1\na |= 1\na ^= 1\na <<= 1\na >>= 1"), "a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1");
  EXPECT_EQ(sketchKernel("a[i].b += c, d"), "a[i].b += (tuple c d)");
}

TEST(Statements, AnnotatedAssignments) {
  EXPECT_EQ(sketchKernel("a: tl.constexpr = 4"), "a: tl.constexpr = 4");
  EXPECT_EQ(sketchKernel("a: int"), "a: int");
  EXPECT_EQ(sketchKernel("a.b: 'x' = 1, 2"), "a.b: 'x' = (tuple 1 2)");
}

TEST(Statements, Branches) {
  EXPECT_EQ(sketchKernel("if a:\n    b\nelif c:\n    d\nelse:\n    e"), "if a then[b] else[if c then[d] else[e]]");
  EXPECT_EQ(sketchKernel("if a: b; c\nelse: d"), "if a then[b; c] else[d]");
  EXPECT_EQ(sketchKernel("if a:\n    if b:\n        c\nelse:\n    d"), "if a then[if b then[c]] else[d]");
}

TEST(Statements, Loops) {
  EXPECT_EQ(sketchKernel("for i in range(n):\n    a += i"), "for i in (call range n) do[a += i]");
  EXPECT_EQ(sketchKernel("for a, (b, c) in d: pass"), "for (tuple a (tuple b c)) in d do[pass]");
  EXPECT_EQ(sketchKernel("for i in a, b:\n    break\nelse:\n    c"), "for i in (tuple a b) do[break] else[c]");
  EXPECT_EQ(sketchKernel("while a < b:\n    continue\nelse:\n    c"), "while (cmp a < b) do[continue] else[c]");
}

TEST(Statements, Others) {
  EXPECT_EQ(sketchKernel("return"), "return");
  EXPECT_EQ(sketchKernel("return a, *b"), "return (tuple a (star b))");
  EXPECT_EQ(sketchKernel("if a: return"), "if a then[return]");
  EXPECT_EQ(sketchKernel("pass; pass;"), "pass; pass");
  EXPECT_EQ(sketchKernel("assert a == b"), "assert (cmp a == b)");
  EXPECT_EQ(sketchKernel("assert a, f'{b}'"), "assert a, (f {b})");
  EXPECT_EQ(sketchKernel("tl.store(p, x)"), "(call tl.store p x)");
  EXPECT_EQ(sketchKernel("match = type + case"), "match = (+ type case)");
}

TEST(Statements, LinesJoinByBackslashAndBracket) {
  EXPECT_EQ(sketchKernel("a = b + \\\n  c\nd = (e\n+ f)\n"), "a = (+ b c); d = (+ e f)");
}

TEST(Statements, CommentsAndBlankLinesDoNotCount) {
  EXPECT_EQ(messageOf("@jit\ndef k():\n  # a\n\n      # b\n  x = 1  # c\n\n# d\n  y = 2\n  # e\n"), "");
  EXPECT_EQ(sketchKernel("a = 1\n\n\nb = 2"), "a = 1; b = 2");
}

TEST(Statements, KeepTheirPlaces) {
  auto module = parseModule("k.py", kernelText("if a:\n    b += c\nelif d: return"));
  auto *branch = as<IfStmt>(findFunction(*module, "k")->body[0]);
  ASSERT_TRUE(branch);
  EXPECT_EQ(branch->loc.line, 3u);
  EXPECT_EQ(branch->loc.column, 5u);
  auto *sum = as<AugAssignStmt>(branch->body[0]);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->loc.line, 4u);
  EXPECT_EQ(sum->opLoc.column, 11u);
  ASSERT_EQ(branch->orelse.size(), 1u);
  EXPECT_EQ(branch->orelse[0]->loc.line, 5u);
}

TEST(Statements, RaiseWaitsUntilItIsReached) {
  // Public kernels end a chain of constexpr conditions with a raise; every valid use removes this branch.
  auto module = parseModule("k.py", kernelText("if A:\n    pass\nelse:\n    raise ValueError('no')\nb = 1"));
  auto *branch = as<IfStmt>(findFunction(*module, "k")->body[0]);
  ASSERT_TRUE(branch);
  auto *raise = as<OpaqueStmt>(branch->orelse[0]);
  ASSERT_TRUE(raise);
  EXPECT_EQ(raise->loc.line, 6u);
  EXPECT_EQ(raise->message,
            "\"raise\" is not part of the kernel language; check with tl.static_assert what is known at "
            "compile time, with tl.device_assert the rest");
}

} // namespace
} // namespace tegula::lang
