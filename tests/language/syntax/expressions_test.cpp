// Operators, their precedence and places.
#include "Sketch.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

struct Case {
  const char *text, *expected;
};

class Precedence : public testing::TestWithParam<Case> {};

TEST_P(Precedence, Sketch) { EXPECT_EQ(sketchExpression(GetParam().text), GetParam().expected); }

constexpr Case kOperators[] = {
    {"a + b * c", "(+ a (* b c))"},
    {"(a + b) * c", "(* (+ a b) c)"},
    {"a - b - c", "(- (- a b) c)"},
    {"a / b // c % d @ e", "(@ (% (// (/ a b) c) d) e)"},
    {"a | b ^ c & d << e + f", "(| a (^ b (& c (<< d (+ e f)))))"},
    {"a >> b << c", "(<< (>> a b) c)"},
    {"-a ** b", "(- (** a b))"},
    {"a ** -b", "(** a (- b))"},
    {"a ** b ** c", "(** a (** b c))"},
    {"-a * b", "(* (- a) b)"},
    {"~-+a", "(~ (- (+ a)))"},
    {"a.b ** c[0]", "(** a.b c[0])"},
    {"not a == b", "(not (cmp a == b))"},
    {"not not a", "(not (not a))"},
    {"a and b and c", "(and a b c)"},
    {"a or b and not c", "(or a (and b (not c)))"},
    {"(a or b) and c", "(and (or a b) c)"},
    {"a < b + 1", "(cmp a < (+ b 1))"},
    {"a & b == c", "(cmp (& a b) == c)"},
    {"(a < b) & (c < d)", "(& (cmp a < b) (cmp c < d))"},
    {"a < b <= c != d", "(cmp a < b <= c != d)"},
    {"a > b >= c == d", "(cmp a > b >= c == d)"},
    {"a is None", "(cmp a is None)"},
    {"a is not None", "(cmp a is-not None)"},
    {"a in b", "(cmp a in b)"},
    {"a not in b", "(cmp a not-in b)"},
    {"a if b else c", "(if b a c)"},
    {"a if b else c if d else e", "(if b a (if d c e))"},
    {"(a if b else c) if d else e", "(if d (if b a c) e)"},
    {"a or b if c and d else e", "(if (and c d) (or a b) e)"},
    {"1if a else 2", "(if a 1 2)"},
    {"lambda: 1", "(lambda: 1)"},
    {"lambda x, y: x + y", "(lambda x y: (+ x y))"},
    {"lambda x: x if x else lambda y: y", "(lambda x: (if x x (lambda y: y)))"},
    {"a, b", "(tuple a b)"},
    {"a,", "(tuple a)"},
    {"*a, b", "(tuple (star a) b)"},
    {"a if b else c, d", "(tuple (if b a c) d)"},
};
INSTANTIATE_TEST_SUITE_P(Operators, Precedence, testing::ValuesIn(kOperators));

constexpr Case kAtoms[] = {
    {"()", "(tuple)"},
    {"(a)", "a"},
    {"(a,)", "(tuple a)"},
    {"(a, *b)", "(tuple a (star b))"},
    {"((a, b), c)", "(tuple (tuple a b) c)"},
    {"[]", "(list)"},
    {"[a, b,]", "(list a b)"},
    {"[*a, b]", "(list (star a) b)"},
    {"{}", "(dict)"},
    {"{'a': 1, b: [2],}", "(dict 'a':1 b:(list 2))"},
    {"None, True, False, ...", "(tuple None True False ...)"},
    {"f()", "(call f)"},
    {"f(a, b,)", "(call f a b)"},
    {"f(a, k=b, *c, **d)", "(call f a (star c) k=b **d)"},
    {"f(*a if b else c)", "(call f (star (if b a c)))"},
    {"f(g(x), y=h(z))", "(call f (call g x) y=(call h z))"},
    {"tl.load(p + i, mask=i < n, other=0.0)", "(call tl.load (+ p i) mask=(cmp i < n) other=0f)"},
    {"a.b.c(d)[e].f", "(call a.b.c d)[e].f"},
    {"a[1]", "a[1]"},
    {"a[:]", "a[(slice _ _ _)]"},
    {"a[1:]", "a[(slice 1 _ _)]"},
    {"a[:n]", "a[(slice _ n _)]"},
    {"a[::2]", "a[(slice _ _ 2)]"},
    {"a[b:c:d]", "a[(slice b c d)]"},
    {"a[b::]", "a[(slice b _ _)]"},
    {"a[:, None]", "a[(tuple (slice _ _ _) None)]"},
    {"a[None, :, 1:2]", "a[(tuple None (slice _ _ _) (slice 1 2 _))]"},
    {"a[1,]", "a[(tuple 1)]"},
    {"a[*b]", "a[(tuple (star b))]"},
    {"a[..., 0]", "a[(tuple ... 0)]"},
    {"x.T", "x.T"},
    {"match.case.type", "match.case.type"},
};
INSTANTIATE_TEST_SUITE_P(Atoms, Precedence, testing::ValuesIn(kAtoms));

TEST(Expressions, SpanLinesAsInsideBrackets) {
  EXPECT_EQ(sketchExpression("a +\n  b  # comment\n  * c\n"), "(+ a (* b c))");
  EXPECT_EQ(sketchExpression("f(\n    a,  # first\n\n    b)"), "(call f a b)");
}

TEST(Expressions, KeepTheirPlaces) {
  ExprPtr e = parseExpression("e", "aa + bb.cc(x, k=1)[i]");
  auto *sum = as<BinaryExpr>(e);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->loc.column, 1u);
  EXPECT_EQ(sum->opLoc.column, 4u);
  auto *element = as<SubscriptExpr>(sum->rhs);
  ASSERT_TRUE(element);
  EXPECT_EQ(element->loc.column, 6u);
  EXPECT_EQ(element->index->loc.column, 20u);
  auto *call = as<CallExpr>(element->base);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->keywords[0].loc.column, 15u);
  auto *attribute = as<AttributeExpr>(call->callee);
  ASSERT_TRUE(attribute);
  EXPECT_EQ(attribute->loc.column, 6u);
  EXPECT_EQ(attribute->nameLoc.column, 9u);
}

TEST(Expressions, PlacesOfOperatorsInAChainAndOverLines) {
  ExprPtr e = parseExpression("e", "a <\n  b is\nnot c");
  auto *compare = as<CompareExpr>(e);
  ASSERT_TRUE(compare);
  ASSERT_EQ(compare->opLocs.size(), 2u);
  EXPECT_EQ(compare->opLocs[0].line, 1u);
  EXPECT_EQ(compare->opLocs[0].column, 3u);
  EXPECT_EQ(compare->opLocs[1].line, 2u);
  EXPECT_EQ(compare->opLocs[1].column, 5u);
  EXPECT_EQ(compare->operands[2]->loc.line, 3u);
  EXPECT_EQ(compare->operands[2]->loc.column, 5u);
}

TEST(Expressions, ATupleBeginsAtItsParenthesis) {
  EXPECT_EQ(parseExpression("e", "  (a, b)")->loc.column, 3u);
  EXPECT_EQ(parseExpression("e", "  a, b")->loc.column, 3u);
  EXPECT_EQ(parseExpression("e", "  [a]")->loc.column, 3u);
}

TEST(Expressions, HeightCountsLevels) {
  EXPECT_EQ(parseExpression("e", "a")->height, 1u);
  EXPECT_EQ(parseExpression("e", "a + b")->height, 2u);
  EXPECT_EQ(parseExpression("e", "a + b + c")->height, 3u);
  EXPECT_EQ(parseExpression("e", "f(a, k=[b + c])")->height, 4u);
}

TEST(Expressions, ChildrenComeInSourceOrder) {
  ExprPtr e = parseExpression("e", "f(a, *b, k=c) if d else {e: g}[h:i, -j]");
  std::string names;
  std::function<void(const Expr &)> visit = [&](const Expr &child) {
    if (auto *name = as<NameExpr>(&child))
      names += name->id;
    forEachChild(child, visit);
  };
  visit(*e);
  EXPECT_EQ(names, "fabcdeghij");
}

} // namespace
} // namespace tegula::lang
