// Whole files: parsed and skipped parts, and the names that remain known.
#include "Sketch.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

std::string sketchModule(const std::string &text) { return sketch(parseModule("m.py", text)->body); }

TEST(Modules, MayBeEmpty) {
  EXPECT_EQ(sketchModule(""), "");
  EXPECT_EQ(sketchModule("\n\n   # only a comment"), "");
}

TEST(Modules, Imports) {
  EXPECT_EQ(sketchModule("import a"), "import a//a");
  EXPECT_EQ(sketchModule("import a.b.c, d as e"), "import a.b.c//a d//e");
  EXPECT_EQ(sketchModule("import a.b as c"), "import a.b//c");
  EXPECT_EQ(sketchModule("from a.b import c, d as e"), "import a.b/c/c a.b/d/e");
  EXPECT_EQ(sketchModule("from a import (\n  b,  # first\n  c as d,\n)"), "import a/b/b a/c/d");
  EXPECT_EQ(sketchModule("from . import a\nfrom ...b import c\nfrom .... import d"),
            "import ./a/a; import ...b/c/c; import ..../d/d");
  EXPECT_EQ(sketchModule("from a import *"), "import a/*/");
}

TEST(Modules, Assignments) {
  EXPECT_EQ(sketchModule("A = 1; B: int = 2"), "A = 1; B: int = 2");
  EXPECT_EQ(sketchModule("A, B = C = 1, 2"), "(tuple A B) = C = (tuple 1 2)");
  EXPECT_EQ(sketchModule("d['k'] = 1"), "d['k'] = 1");
  EXPECT_EQ(sketchModule("f = lambda x: x + 1"), "f = (lambda x: (+ x 1))");
  EXPECT_EQ(sketchModule("A: tl.constexpr = tl.constexpr(3)"), "A: tl.constexpr = (call tl.constexpr 3)");
}

TEST(Modules, AssignmentsThatOnlyPythonUnderstands) {
  EXPECT_EQ(sketchModule("(A, *B), C.d, E[i], f(x).g = {1}"), "<assignment A B>");
  EXPECT_EQ(sketchModule("A = (y := f()); B = 2"), "<assignment A>; B = 2");
  EXPECT_EQ(sketchModule("A = 1" + std::string(60, '0')), "<assignment A>");
  EXPECT_EQ(sketchModule("A = await b"), "<assignment A>");
  EXPECT_EQ(sketchModule("type A = int | str"), "<assignment A>");
  EXPECT_EQ(sketchModule("A = not valid python at all"), "<assignment A>");
}

TEST(Modules, AssignmentsOfHostValues) {
  EXPECT_EQ(sketchModule("A = [x for x in y]"), "A = <list comprehension>");
  EXPECT_EQ(sketchModule("A = B = f(x for x in y)"), "A = B = (call f <generator expression>)");
  EXPECT_EQ(sketchModule("A: List[int] = {**b}"), "A: List[int] = (dict _:b)");
  EXPECT_EQ(sketchModule("A = 2 ** 1 if (y := f()) else 3j; B = 2"),
            "A = (if <assignment expression> (** 2 1) <complex number>); B = 2"); // a part may lack a node
  EXPECT_EQ(sketchModule("A += 1"), "A += 1");
}

TEST(Modules, AnUnreadableKernelIsKeptWithItsError) {
  std::string text = "@triton.jit\ndef a(x):\n    yield x\n@triton.jit\ndef b(x):\n    pass\n";
  EXPECT_THROW(parseModule("k.py", text), Error);
  auto module = parseModule("k.py", text, OnError::Keep);
  EXPECT_EQ(sketch(module->body), "<function a>; def b");
  auto *a = as<OpaqueStmt>(module->body[0]);
  ASSERT_TRUE(a && a->problem);
  EXPECT_EQ(a->problem->location.line, 3u);
}

TEST(Modules, HostDefinitionsAreParsedWhereTheyAreNeeded) {
  auto module = parseModule("k.py", "if X:\n    @cache\n    def f(a, b=2):\n        return [a] + b\n\nclass C(Enum):\n"
                                    "    A = 1\n\n    @classmethod\n    def g(cls):\n        raise E\n\nD = 2\n");
  auto *branch = as<IfStmt>(module->body[0]);
  ASSERT_TRUE(branch);
  StmtPtr f = parseHostDefinition(*module->source, *as<OpaqueStmt>(branch->body[0]));
  ASSERT_TRUE(as<FunctionStmt>(f));
  EXPECT_EQ(as<FunctionStmt>(f)->nameLoc.line, 3u);
  EXPECT_EQ(as<FunctionStmt>(f)->nameLoc.column, 9u);
  EXPECT_EQ(sketch(as<FunctionStmt>(f)->body), "return (+ (list a) b)");
  StmtPtr c = parseHostDefinition(*module->source, *as<OpaqueStmt>(module->body[1]));
  ASSERT_TRUE(as<ClassStmt>(c));
  EXPECT_EQ(as<ClassStmt>(c)->base, "Enum");
  EXPECT_EQ(as<ClassStmt>(c)->body.size(), 2u);
}

TEST(Modules, OtherStatements) {
  EXPECT_EQ(sketchModule("'''doc'''\nprint('x', end='')\nassert a, b\ndel x"),
            "<statement>; <statement>; <statement>; <del x>");
  EXPECT_EQ(sketchModule("print 'python 2'"), "<statement>");
  EXPECT_EQ(sketchModule("x.y\nlambda: 0"), "<statement>; <statement>");
}

TEST(Modules, HostFunctionsAndClasses) {
  EXPECT_EQ(sketchModule("def f(a, b: 'x' = {1: 2}) -> None:\n    return [i for i in a]\n\nA = 1"),
            "<function f>; A = 1");
  EXPECT_EQ(sketchModule("async def f(): await g()\nA = 1"), "<function f>; A = 1");
  EXPECT_EQ(sketchModule("class C(B, metaclass=M):\n    x = 1\n\n    def f(self):\n        pass\nA = 1"),
            "<class C>; A = 1");
  EXPECT_EQ(sketchModule("@dec(lambda: 0)\n# between\n@other\ndef f(): pass\n@d\nclass C: pass"),
            "<function f>; <class C>");
  EXPECT_EQ(sketchModule("def f[T](x: T) -> T:\n    type Y = T\n    return x\n"), "<function f>");
}

TEST(Modules, DecoratorsOfNothing) {
  EXPECT_EQ(sketchModule("while x:\n  @dec\nA = 1"), "while do[<function>]; A = 1");
  EXPECT_EQ(sketchModule("@dec"), "<function>");
  EXPECT_EQ(messageOf("@dec\n    def f(): pass\n"),
            "2:5: error: unexpected indentation; expected this line to begin below the statement before it");
  EXPECT_EQ(messageOf("@aggregate\nclass C:\n  @dec\nA = 1"),
            "4:1: error: expected \"def\" after the decorators of a function, found the end of the block");
}

TEST(Modules, ModernHostCodeIsSkipped) {
  const char *text = "def run(command):\n"
                     "    match command.split():\n"
                     "        case [\"go\", direction] if direction in {'n', 's'}:\n"
                     "            return f\"{command!r:>{10 + 2}} {'nested ' + f'{direction}'}\"\n"
                     "        case {'a': 1, **rest} | Point(x=0):\n"
                     "            if (n := len(rest)) > 10: print(f'{n=}')\n"
                     "        case _:\n"
                     "            raise ValueError from None\n"
                     "    async with a as b, c() as d:\n"
                     "        async for x in y: yield x\n"
                     "    try: pass\n"
                     "    except* OSError as e: ...\n"
                     "    x = 0xFFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FF + 1e400j\n"
                     "    π = \"\"\"a \" b\n  '' dedented in a string\n\"\"\"\n"
                     "    return lambda *a, k=1, **kw: (yield)\n"
                     "A = 1\n";
  EXPECT_EQ(sketchModule(text), "<function run>; A = 1");
}

TEST(Modules, MatchAtModuleLevel) {
  EXPECT_EQ(sketchModule("match x:\n    case 1:\n        A = 1\nB = 2"), "<statement>; B = 2");
  EXPECT_EQ(sketchModule("match = 3\nmatch.a = match[0]"), "match = 3; match.a = match[0]");
}

TEST(Modules, KernelsInsideOfBlocksAreFound) {
  const char *text = "try:\n"
                     "    import triton\n"
                     "    HAS = True\n"
                     "except ImportError:\n"
                     "    HAS = False\n"
                     "else:\n"
                     "    pass\n"
                     "if HAS and (lambda: 1)():\n"
                     "    @triton.jit\n"
                     "    def a(): pass\n"
                     "    if X:\n"
                     "        @jit\n"
                     "        def b(): pass\n"
                     "elif Y: import c\n"
                     "else:\n"
                     "    def a(): raise E\n"
                     "with d as e, f() as (g):\n"
                     "    B = 2\n"
                     "for h, i in j:\n"
                     "    k()\n";
  EXPECT_EQ(sketchModule(text), "try do[import triton//triton; HAS = True] except[HAS = False]; "
                                "if (and HAS (call (lambda: 1))) then[def a; if X then[def b]] "
                                "else[if Y then[import c//c] else[<function a>]]; "
                                "with e do[B = 2]; for h i do[<statement>]");
}

TEST(Modules, BlocksThatOnlyPythonUnderstands) {
  EXPECT_EQ(sketchModule("if (x := f()) and [y for y in x]: A = 1\nelif 3j in {}: B = 2"),
            "if (and <assignment expression> <list comprehension>) then[A = 1] "
            "else[if (cmp <complex number> in (dict)) then[B = 2]]");
  EXPECT_EQ(sketchModule("if a b c: A = 1\nelse: A = 2"), "if <condition> then[A = 1] else[A = 2]");
  EXPECT_EQ(sketchModule("try: A = 1\nexcept* (E, F) as e: A = 2\nexcept G:\n  raise\nelse: B = 1\nfinally: C = 1"),
            "try do[A = 1] except[A = 2] except[<raise>] else[B = 1] finally[C = 1]");
  EXPECT_EQ(sketchModule("async with a as b: A = 1\nasync for c in d:\n  A = 2\nelse: A = 3"),
            "with b do[A = 1]; for c do[A = 2] else[A = 3]");
  EXPECT_EQ(
      messageOf("A = 1\nelse:\n  A = 2"),
      "2:1: error: \"else\" follows no matching block; expected an if, for or while with the same indentation before "
      "it");
}

TEST(Modules, LambdaInABlockHeader) {
  EXPECT_EQ(sketchModule("while lambda x: lambda: 0: A = 1\nB = 2"), "while do[A = 1]; B = 2");
  EXPECT_EQ(sketchModule("if lambda x: lambda: 0: A = 1\nB = 2"), "if (lambda x: (lambda: 0)) then[A = 1]; B = 2");
}

TEST(Modules, TheMainGuardIsHostCode) {
  EXPECT_EQ(sketchModule("if __name__ == '__main__':\n    import a\n    @jit\n    def k(): pass\nA = 1"),
            "if (cmp __name__ == '__main__'); A = 1");
  EXPECT_EQ(sketchModule("if \"__main__\" == __name__: A = 1\nB = 2"), "if (cmp '__main__' == __name__); B = 2");
  EXPECT_EQ(sketchModule("if __name__ == '__main__':\n  A = 1\nelse:\n  A = 2"),
            "if (cmp __name__ == '__main__') else[A = 2]");
}

TEST(Modules, OnlyTheDecoratorsNameDecides) {
  EXPECT_EQ(
      sketchModule("@jit\ndef a(): pass\n@x.y.jit(1)\ndef b(): pass\n@jit.x\ndef c(): pass\n@f(jit)\ndef d(): pass\n"),
      "def a; def b; <function c>; <function d>");
  EXPECT_EQ(sketchModule("@aggregate\ndef a(): pass\n@jit\nclass B: pass\n@tl.core._aggregate\nclass C: pass"),
            "<function a>; <class B>; class C [pass]");
}

TEST(Modules, DecoratorsMayHaveOtherNames) {
  auto module = parseModule("k.py", "from triton import jit as j, autotune as tune\nfrom numba import jit as n\n"
                                    "@tune(configs=[], key=[])\n@j\ndef k(x): pass\n@n\ndef f(x): pass\n"
                                    "@j\ndef product(x, j): return x @ j\n");
  auto *k = findFunction(*module, "k");
  ASSERT_TRUE(k);
  EXPECT_EQ(sketch(k->decorators[0]), "(call autotune configs=(list) key=(list))");
  EXPECT_EQ(sketch(k->decorators[1]), "jit");
  EXPECT_FALSE(findFunction(*module, "f"));
  auto *product = findFunction(*module, "product");
  ASSERT_TRUE(product);
  EXPECT_EQ(product->sourceText, "@j\ndef product(x, j): return x @ j");
}

TEST(Modules, LineEndsTabsAndMarks) {
  const char *expected = "import a//a; def k; A = 1";
  EXPECT_EQ(sketchModule("import a\n@jit\ndef k():\n\tif b:\n\t\tpass\nA = 1\n"), expected);
  EXPECT_EQ(sketchModule("import a\r\n@jit\r\ndef k():\r\n    x = (1,\r\n 2)\r\nA = 1\r\n"), expected);
  EXPECT_EQ(sketchModule("import a\r@jit\rdef k():\r    pass\rA = 1"), expected);
  EXPECT_EQ(sketchModule("\xEF\xBB\xBFimport a\n\f\n@jit\ndef k():\n    pass\n\f\nA = 1"), expected);
}

TEST(Modules, PlacesAfterAByteOrderMark) {
  auto module = parseModule("m.py", "\xEF\xBB\xBFimport a\n");
  EXPECT_EQ(module->body[0]->loc.column, 1u);
  EXPECT_EQ(module->source->line(1), "import a");
}

TEST(Modules, SourceLines) {
  SourceFile file{"a", "one\ntwo\r\n\rfour"};
  EXPECT_EQ(file.line(1), "one");
  EXPECT_EQ(file.line(2), "two");
  EXPECT_EQ(file.line(3), "");
  EXPECT_EQ(file.line(4), "four");
  EXPECT_EQ(file.line(5), "");
  EXPECT_EQ(file.line(0), "");
}

TEST(Modules, NonAsciiNamesAndText) {
  EXPECT_EQ(sketchModule("α = 1\n# “quoted”\nβγ2 = α"), "α = 1; βγ2 = α");
  EXPECT_EQ(sketchModule("x = “a”\nA = 1"), "<assignment x>; A = 1");
}

TEST(Modules, DumpShowsEveryNode) {
  auto module = parseModule("m.py", "import triton.language as tl\n"
                                    "@jit\n"
                                    "def k(p, B: tl.constexpr = 4, *, m=None):\n"
                                    "  'doc'\n"
                                    "  x = p[:, 1] if not B else -1.0\n"
                                    "  for i in range(3):\n"
                                    "    x += f(i, k='a\\n')\n"
                                    "  else: pass\n"
                                    "def host(): pass\n");
  EXPECT_EQ(dump(*module), "Import triton.language=tl @1:1\n"
                           "Function name=k @3:1\n"
                           "  decorator: Name id=jit @2:2\n"
                           "  Param name=p @3:7\n"
                           "  Param name=B @3:10\n"
                           "    annotation: Attribute name=constexpr @3:13\n"
                           "      base: Name id=tl @3:13\n"
                           "    default: Constant value=4 @3:28\n"
                           "  Param name=m keyword-only @3:34\n"
                           "    default: Constant value=None @3:36\n"
                           "  docstring: \"doc\"\n"
                           "  body:\n"
                           "    Assign @5:3\n"
                           "      target: Name id=x @5:3\n"
                           "      value: IfExp @5:7\n"
                           "        condition: Unary op=not @5:18\n"
                           "          Name id=B @5:22\n"
                           "        value: Subscript @5:7\n"
                           "          base: Name id=p @5:7\n"
                           "          index: Tuple @5:9\n"
                           "            Slice @5:9\n"
                           "            Constant value=1 @5:12\n"
                           "        other: Unary op=- @5:29\n"
                           "          Constant value=1.0 @5:30\n"
                           "    For @6:3\n"
                           "      target: Name id=i @6:7\n"
                           "      iterable: Call @6:12\n"
                           "        callee: Name id=range @6:12\n"
                           "        arg: Constant value=3 @6:18\n"
                           "      body:\n"
                           "        AugAssign op=+ @7:5\n"
                           "          target: Name id=x @7:5\n"
                           "          value: Call @7:10\n"
                           "            callee: Name id=f @7:10\n"
                           "            arg: Name id=i @7:12\n"
                           "            k=: Constant value=\"a\\n\" @7:17\n"
                           "      else:\n"
                           "        Pass @8:9\n"
                           "Opaque what=function names=host @9:1\n");
}

TEST(Modules, DumpOfOneFunction) {
  auto module = parseModule("m.py", "A = 1\n@jit\ndef k(): pass\n@jit\ndef l(): pass\n");
  EXPECT_EQ(dump(*findFunction(*module, "l")),
            "Function name=l @5:1\n  decorator: Name id=jit @4:2\n  body:\n    Pass @5:10\n");
}

} // namespace
} // namespace tegula::lang
