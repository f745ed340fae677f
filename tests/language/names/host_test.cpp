// Values of host code: what decorators, module constants and plain functions compute without Python.
#include "frontend/language/host/HostEvaluator.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/syntax/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

using ::testing::HasSubstr;

std::string show(const HostObject &value);

std::string show(const std::vector<HostObject> &items) {
  std::string text;
  for (const HostObject &item : items)
    text += (text.empty() ? "" : ", ") + show(item);
  return text;
}

std::string show(const HostObject &value) {
  if (value.as<std::monostate>())
    return "None";
  if (auto *flag = value.as<bool>())
    return *flag ? "True" : "False";
  if (auto *integer = value.as<int64_t>())
    return std::to_string(*integer);
  if (auto *real = value.as<double>())
    return std::to_string(*real);
  if (auto *text = value.as<std::string>())
    return "'" + *text + "'";
  if (auto *type = value.as<ScalarType>())
    return std::string(name(*type));
  if (auto *list = value.list())
    return (list->isTuple ? "(" : "[") + show(list->items) + (list->isTuple ? ")" : "]");
  if (auto *dict = value.dict()) {
    std::string text;
    for (auto &[key, item] : dict->items)
      text += (text.empty() ? "" : ", ") + show(key) + ": " + show(item);
    return "{" + text + "}";
  }
  if (auto *path = value.as<HostPath>())
    return path->path;
  return "?";
}

/// The value of `X` after the module has run, or the message.
std::string valueOf(const std::string &source) {
  auto module = parseModule("m.py", "import triton, math, os, itertools\nimport triton.language as tl\n" + source);
  ModuleNames names(*module);
  try {
    return show(HostEvaluator(names).ofName("X", {1, 1}));
  } catch (const Error &error) {
    return error.diagnostic().message;
  }
}

TEST(HostValues, Operators) {
  EXPECT_EQ(valueOf("X = -7 // 2, -7 % 3, 7 / 2, 2 ** 10, 1 << 4 | 3, ~5"), "(-4, 2, 3.500000, 1024, 19, -6)");
  EXPECT_EQ(valueOf("X = [1] + [2] * 2, 'a' + 'b', (1, 2) == (1, 2), [1] == (1,)"), "([1, 2, 2], 'ab', True, False)");
  EXPECT_EQ(valueOf("X = 1 < 2 < 3, 2 in (1, 2), 'k' not in {'k': 1}, 1 is not None, None is None"),
            "(True, True, False, True, True)");
  EXPECT_EQ(valueOf("X = [3, 4, 5][-1], [3, 4, 5][1:], {'a': 7}['a'], (1, (2, 3))[1][0]"), "(5, [4, 5], 7, 2)");
  EXPECT_EQ(valueOf("X = 0 or 5, 0 and f(), 1 if [] else 2"), "(5, 0, 2)");
  EXPECT_EQ(valueOf("X = 1 << 70"), "this constant does not fit 64 bits");
  EXPECT_EQ(valueOf("X = 1 // 0"), "division by zero");
}

TEST(HostValues, Comprehensions) {
  EXPECT_EQ(valueOf("X = [(a, b) for a in (1, 2) for b in range(a) if b != 1]"), "[(1, 0), (2, 0)]");
  EXPECT_EQ(valueOf("X = {k: v * 2 for k, v in zip('ab', [1])}"),
            "the value of this expression cannot be known without "
            "running the host code in Python");
  EXPECT_EQ(valueOf("X = {k: v * 2 for k, v in zip(['a', 'b'], [1, 2])}"), "{'a': 2, 'b': 4}");
  EXPECT_EQ(valueOf("n = 3\nX = list(n * i for i in range(2, 0, -1)), sum(i for i in (1, 2)), n"), "([6, 3], 3, 3)");
  EXPECT_EQ(valueOf("X = [list(p) for p in itertools.product([1, 2], (3, 4))]"), "[[1, 3], [1, 4], [2, 3], [2, 4]]");
}

TEST(HostValues, FunctionsOfPythonAndTriton) {
  EXPECT_EQ(valueOf("X = triton.cdiv(10, 4), triton.next_power_of_2(33), math.ceil(2.1), int(math.log2(8))"),
            "(3, 64, 3, 3)");
  EXPECT_EQ(valueOf("X = max(1, 5, 2), min([3, 2]), len('abc'), sorted([3, 1]), any([0, 1]), abs(-2)"),
            "(5, 2, 3, [1, 3], True, 2)");
  EXPECT_EQ(valueOf("X = tl.constexpr(5).value, tl.float16, 'A'.lower(), f'{1}x{True}'"), "(5, f16, 'a', '1xTrue')");
  EXPECT_EQ(valueOf("X = tl.core.CONSTEXPR_0"), "0");
  EXPECT_EQ(valueOf("X = dict(a=1, **{'b': 2}), {'a': 1}.get('c', 4), {**{'z': 1}, 'y': 2}"),
            "({'a': 1, 'b': 2}, 4, {'z': 1, 'y': 2})");
}

TEST(HostValues, RangesAtTheEndsOfIntegers) {
  std::string unknown = "the value of this expression cannot be known without running the host code in Python";
  EXPECT_EQ(valueOf("X = range(0, -9223372036854775807 - 1, -1)"), unknown);
  EXPECT_EQ(valueOf("X = range(-9223372036854775807 - 1, 9223372036854775807)"), unknown);
  EXPECT_EQ(valueOf("X = range(0, 9223372036854775807, 4611686018427387904)"), "[0, 4611686018427387904]");
  EXPECT_EQ(valueOf("X = range(5, 0, -2), range(0, 5, 2), range(5, 0), range(0, 5, -1)"),
            "([5, 3, 1], [0, 2, 4], [], [])");
  EXPECT_EQ(valueOf("X = range(-9223372036854775807 - 1, 9223372036854775807, 9223372036854775807)"),
            "[-9223372036854775808, -1, 9223372036854775806]");
}

TEST(HostValues, KeywordsAndSets) {
  EXPECT_EQ(valueOf("X = enumerate([7, 8], start=1), enumerate([7], 5), sum([1, 2], start=5), sum([[1]], [0])"),
            "([(1, 7), (2, 8)], [(5, 7)], 8, [0, 1])");
  EXPECT_EQ(valueOf("X = zip([1], [2, 3], strict=False), len(set([1, 2, 1, True])), len(set())"), "([(1, 2)], 2, 0)");
  for (const char *call : {"int('10', base=2)", "sum([1], first=1)", "list(start=1)", "sorted([1, 2], reverse=True)"})
    EXPECT_EQ(valueOf(std::string("X = ") + call),
              "the value of this expression cannot be known without running the host code in Python");
  EXPECT_EQ(valueOf("X = zip([], [2, 3], strict=True)"), "zip() is given sequences of different lengths");
}

TEST(HostValues, PlainFunctions) {
  EXPECT_EQ(valueOf("def f(n, m=2, *rest, k=1):\n"
                    "    out = []\n"
                    "    for i in range(n):\n"
                    "        if i == 3:\n            break\n"
                    "        elif i == 1:\n            continue\n"
                    "        out.append(i * m + k)\n"
                    "    out += [len(rest)]\n"
                    "    return out\n"
                    "X = f(9, 10, 'a', 'b', k=5)\n"),
            "[5, 25, 2]");
  EXPECT_EQ(valueOf("@functools.lru_cache(None)\ndef f(n):\n    return 1 if n < 2 else n * f(n - 1)\nX = f(5)\n"),
            "120");
  EXPECT_EQ(valueOf("@measured\ndef f(n):\n    return n\nX = f(5)\n"),
            "the value of this expression cannot be known without running the host code in Python");
  EXPECT_EQ(valueOf("def f(n):\n    return f(n + 1)\nX = f(0)\n"),
            "this host code takes too many steps to be evaluated");
  EXPECT_EQ(valueOf("def f():\n    while True:\n        pass\nX = f()\n"),
            "this host code takes too many steps to be evaluated");
  EXPECT_EQ(valueOf("X = X + 1\n"), "'X' is not defined");
  EXPECT_EQ(valueOf("A = [1]\nA += [2]\nX = (lambda a: a * 2)(A)\n"), "[1, 2, 1, 2]");
}

TEST(HostValues, ExceptionsThatAreKnown) {
  EXPECT_EQ(valueOf("def f():\n    try:\n        return {}['k']\n    except KeyError:\n        return 3\nX = f()\n"),
            "3");
  EXPECT_EQ(valueOf("def f():\n    try:\n        raise E\n    except:\n        y = 1\n    finally:\n        z = 2\n"
                    "    return y + z\nX = f()\n"),
            "3");
  EXPECT_EQ(valueOf("def f():\n    try:\n        return probe()\n    except:\n        return 1\nX = f()\n"),
            "'probe' is not defined");
}

TEST(HostValues, ClassesOfConstants) {
  std::string memory = "class Memory(Enum):\n    BIG = 200\n    SMALL = 100\n"
                       "    @classmethod\n    def of(cls, name):\n"
                       "        try:\n            return cls[name.upper()].value\n"
                       "        except KeyError:\n            return cls.SMALL.value\n";
  EXPECT_EQ(valueOf(memory + "X = Memory.BIG.value, Memory.of('big'), Memory.of('none'), Memory.BIG.name\n"),
            "(200, 200, 100, 'BIG')");
}

constexpr const char *kDetector = R"(
class Singleton(object):
    _instance = None
    def __new__(cls, *args, **rest):
        if cls._instance is None:
            cls._instance = super(Singleton, cls).__new__(cls)
        return cls._instance
    def __init__(self):
        if not hasattr(self, "made"):
            self.made = []
        self.made.append(len(self.made))
    @property
    def count(self):
        return len(self.made)
)";

TEST(HostValues, ObjectsOfClasses) {
  EXPECT_EQ(valueOf(std::string(kDetector) + "Singleton()\nS = Singleton()\ndef f():\n    s = Singleton()\n"
                                             "    return s.made, s.count, s is Singleton()\nX = f()"),
            "([0, 1], 1, True)");
  EXPECT_EQ(valueOf("class A:\n    def __init__(self, n):\n        self.n = n\n    def twice(self):\n"
                    "        return 2 * self.n\n"
                    "class B(A):\n    def __init__(self):\n        super().__init__(5)\n        self.m = self.twice()\n"
                    "    @staticmethod\n    def of(n):\n        return n + 1\n"
                    "b = B()\nX = b.n, b.m, b.of(3), hasattr(b, 'm'), hasattr(b, 'k')"),
            "(5, 10, 4, True, False)");
  EXPECT_EQ(valueOf("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass D:\n    a: int\n"
                    "    b: str = 'b'\nd = D(a=3)\nX = d.a, d.b"),
            "(3, 'b')");
  EXPECT_EQ(valueOf("class A:\n    pass\nclass B(A):\n    pass\n"
                    "X = isinstance(B(), A), isinstance(A(), B), isinstance(True, (str, int)), isinstance([], tuple)"),
            "(True, False, True, False)");
  EXPECT_EQ(valueOf("class D:\n    pass\nX = D().n"), "this D has no 'n'");
  EXPECT_EQ(valueOf("class D(Other):\n    pass\nX = D()"), "'Other' is not defined");
}

/// The value of `X` where statements of the module change objects; "changed" where it is not known because of them.
std::string changedValue(const std::string &source) {
  std::string value = valueOf(source);
  return value.find("cannot be known without running the host code in Python: line") == std::string::npos ? value
                                                                                                          : "changed";
}

TEST(HostChanges, StatementsThatCanBeEvaluated) {
  EXPECT_EQ(changedValue("X = []\nfor v in (2, 3):\n    X.append({'V': v})\n"), "[{'V': 2}, {'V': 3}]");
  EXPECT_EQ(changedValue("X = [32]\nX[0] = 64\nX.append(X[0] + 1)\nX.extend([1])\n"), "[64, 65, 1]");
  EXPECT_EQ(changedValue("X = {'a': 1}\nX['a'] = 2\nX['a'] += 5\nX.update(b=3)\n"), "{'a': 7, 'b': 3}");
  EXPECT_EQ(changedValue("A = [1, 2, 3]\nX = A.pop(), A.pop()\n"), "(3, 2)");
  EXPECT_EQ(changedValue("A = [1, 2, 3]\nB = A.pop()\nX = A, B\n"), "([1, 2], 3)");
  EXPECT_EQ(changedValue("A = [1]\nB = []\nfor a in A:\n    B.append(a)\n    A[0] = 5\nX = A, B\n"), "([5], [1])");
}

TEST(HostChanges, WhatAStatementMayChangeIsNotKnown) {
  EXPECT_EQ(changedValue("N = 1\ndef init():\n    global N\n    N = 2\ninit()\nX = N\n"), "changed");
  EXPECT_EQ(changedValue("A = [1]\ndef add(n):\n    A.append(n)\nadd(2)\nX = A\n"), "changed");
  EXPECT_EQ(changedValue("import lib\nA = [1]\nlib.sort(A)\nX = A\n"), "changed");
  EXPECT_EQ(changedValue("A = [1]\nB = A\nB.append(2)\nX = A\n"), "changed");
  EXPECT_EQ(changedValue("A = [1]\nB = A\nA += [2]\nX = B\n"), "changed");
  EXPECT_EQ(changedValue("import lib\nA = [1]\nif lib.probe():\n    A.append(2)\nX = A\n"), "changed");
  EXPECT_EQ(changedValue("class C:\n    V = 1\nC.V = 5\nX = C.V\n"), "changed");
  EXPECT_EQ(changedValue("class C:\n    V = 1\nsetattr(C, 'V', 5)\nX = C.V\n"), "changed");
  EXPECT_EQ(changedValue("A = [1]\nwhile A[0] < 3:\n    A[0] += 1\nX = A\n"), "changed");
  EXPECT_EQ(changedValue("X = 1\ndel X\n"), "the value of 'X' cannot be known without running the host code in Python");
}

TEST(HostChanges, WhatChangesNothing) {
  std::string head = "import torch, warnings, logging\nlogger = logging.getLogger(__name__)\nA = [1]\nN = 4\n";
  EXPECT_EQ(changedValue(head + "logger.info('a', A)\nwarnings.filterwarnings('ignore')\nprint(A, N)\n"
                                "torch._dynamo.config.x = 1\nB = len(A), sorted(A)\nX = A, N\n"),
            "([1], 4)");
  EXPECT_EQ(changedValue(head + "torch.register(N, 'a')\nX = N\n"), "4");
  EXPECT_EQ(changedValue(head + "B = A + [2]\nA.append(3)\nX = B, A\n"), "([1, 2], [1, 3])");
  EXPECT_EQ(changedValue(head + "def f(a):\n    a = [a]\n    a.append(N)\n    return a\nf(2)\nX = A, N\n"), "([1], 4)");
}

TEST(HostValues, FunctionsSeeTheModuleOfTheirCall) {
  EXPECT_EQ(valueOf("N = 1\ndef f():\n    return N\nX = f(), (lambda: N)()\nN = 2\n"), "(1, 1)");
  EXPECT_EQ(valueOf("N = 1\ndef f():\n    return N\nN = 2\nX = f()\n"), "2");
}

TEST(HostValues, AugmentedAssignmentsChangeTheObject) {
  EXPECT_EQ(valueOf("def f():\n    a = b = [1]\n    a += (2, 3)\n    c = d = {'k': 1}\n    c |= {'l': 2}\n"
                    "    t = u = (1,)\n    t += (2,)\n    return b, d, u\nX = f()"),
            "([1, 2, 3], {'k': 1, 'l': 2}, (1))");
}

TEST(HostValues, ConstantsOfAConfigurationCannotBeChanged) {
  std::string head = "def f():\n    c = triton.Config({'B': 1})\n    c.kwargs",
              end = "\n    return c.kwargs['B']\nX = f()";
  for (const char *change : {"['B'] = 2", ".update(B=2)", ".pop('B')", " |= {'B': 2}"})
    EXPECT_EQ(valueOf(head + change + end),
              "the value of this expression cannot be known without running the host code in Python");
  EXPECT_EQ(valueOf(head + ".copy()['B'] = 2" + end), "1");
}

TEST(HostValues, AsPythonComputes) {
  std::string unknown = "the value of this expression cannot be known without running the host code in Python";
  EXPECT_EQ(valueOf("X = 1.0 // 0.1, -1.0 // 0.25, True & True, True ^ True, True | 2"),
            "(9.000000, -4.000000, True, False, 3)");
  EXPECT_EQ(valueOf("X = math.floor(2**53 + 1), int('9007199254740993'), len('\xc3\xa9')"),
            "(9007199254740993, 9007199254740993, 1)");
  EXPECT_EQ(valueOf("X = int('1e3')"), unknown);
  EXPECT_EQ(valueOf("X = set([1, 2]) == set([2, 1]), set([1]) == [1], sorted(set([3, 1])), isinstance(set([1]), list)"),
            "(True, False, [1, 3], False)");
  EXPECT_EQ(valueOf("X = list(set([3, 1]))"), unknown);
  EXPECT_EQ(valueOf("def f(a):\n    return a\nX = f(1, a=5)"), "f gets two values for its parameter 'a'");
  EXPECT_EQ(valueOf("X = [1] is [1], triton.next_power_of_2(0), 1 is True"), "(False, 0, False)");
  EXPECT_EQ(valueOf("def f():\n    a = [1]\n    for x in a:\n        if x < 4:\n            a.append(x + 1)\n"
                    "    return a\nX = f()"),
            "[1, 2, 3, 4]");
  EXPECT_EQ(valueOf("def f():\n    g = []\n    for i in range(2):\n        def h(x=i):\n            return x\n"
                    "        g.append(h)\n    return [h() for h in g]\nX = f()"),
            "[0, 1]");
  EXPECT_EQ(valueOf("def f():\n    d = {'B': 1}\n    c = triton.Config(d)\n    d['B'] = 2\n    return 1\nX = f()"),
            unknown);
}

TEST(HostValues, HandlersTakeTheirExceptions) {
  std::string both = "def f():\n    try:\n        try:\n            return {}['a']\n        except IndexError:\n"
                     "            return 1\n    except KeyError:\n        return 2\nX = f()";
  EXPECT_EQ(valueOf(both), "2");
  EXPECT_EQ(valueOf("def f():\n    try:\n        x = 1\n    except KeyError:\n        return 1\n    else:\n"
                    "        return {}['a']\nX = f()"),
            "this dictionary has no such key");
  EXPECT_EQ(valueOf("def f():\n    try:\n        return [][0]\n    except KeyError:\n        return 1\n"
                    "    except (ValueError, LookupError) as e:\n        return 2\nX = f()"),
            "2");
  EXPECT_EQ(valueOf("def f():\n    try:\n        return [][0]\n    except lib.Error:\n        return 1\nX = f()"),
            "the value of this expression cannot be known without running the host code in Python");
}

TEST(HostValues, ImportsInsideOfFunctions) {
  EXPECT_EQ(valueOf("B = 32\ndef f():\n    from math import pi as B\n    return B\nX = f()"), "3.141593");
  EXPECT_EQ(valueOf("B = 32\ndef f():\n    from lib import B\n    return B + 1\nX = f()"),
            "the value of this expression cannot be known without running the host code in Python");
}

TEST(HostValues, BodiesOfClasses) {
  std::string unknown = "the value of this expression cannot be known without running the host code in Python";
  EXPECT_EQ(valueOf("A = 100\nclass C:\n    A = 1\n    B = A * 2\n    A = 5\n    D, E = 1, 2\nX = C.A, C.B"), "(5, 2)");
  EXPECT_EQ(valueOf("class C:\n    A = 1\n    A += 5\nX = C.A"), unknown);
  EXPECT_EQ(valueOf("class C:\n    if True:\n        A = 1\nX = C.A"), unknown);
  std::string head = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\n    y: int = 2\n"
                     "    def __post_init__(self):\n        self.z = self.x + self.y\n";
  EXPECT_EQ(valueOf(head + "X = A().z, A(5).z"), "(3, 7)");
  EXPECT_EQ(valueOf(head + "@dataclass\nclass B(A):\n    w: int = 9\n    x: int = 6\nb = B(10)\nX = b.x, b.w, B().x"),
            "(10, 9, 6)");
  EXPECT_EQ(valueOf("class C:\n    def __bool__(self):\n        return False\nX = 1 if C() else 2"), unknown);
  EXPECT_EQ(valueOf("class C:\n    def __len__(self):\n        return 0\nX = 1 if C() else 2"), unknown);
  EXPECT_EQ(valueOf("class C:\n    def __getattr__(self, n):\n        return 7\nX = C().a"), unknown);
  EXPECT_EQ(
      valueOf("class C:\n    @property\n    def x(self):\n        return 1\n    @x.setter\n"
              "    def x(self, v):\n        self.y = v\ndef f():\n    c = C()\n    c.x = 4\n    return c.x\nX = f()"),
      unknown);
}

TEST(HostValues, NumbersOfEnums) {
  std::string head = "from enum import Enum, IntEnum\nclass E(IntEnum):\n    A = 1\n    Z = 0\n"
                     "class F(Enum):\n    A = 1\n    B = 1\n";
  EXPECT_EQ(valueOf(head + "X = E.A == 1, E.A in (1, 2), 1 if E.Z else 2, F.A == 1, F.A == F.B, len(list(F))"),
            "(True, True, 2, False, True, 1)");
  EXPECT_EQ(valueOf(head + "X = isinstance(E.A, E), isinstance(E.A, int), isinstance(F.A, E), isinstance(E, type)"),
            "(True, True, False, True)");
}

TEST(HostValues, FiltersAndMaps) {
  EXPECT_EQ(valueOf("def odd(n):\n    return n % 2 == 1 or None\n"
                    "X = list(filter(odd, [1, 2, 3])), list(map(lambda n: n * n, (2, 3)))"),
            "([1, 3], [4, 9])");
}

TEST(HostValues, MembersOfEnums) {
  EXPECT_EQ(valueOf("from enum import Enum\nclass V(Enum):\n    A = 0\n    B = 1\n    @classmethod\n"
                    "    def all(cls):\n        return {m.name.lower(): m for m in cls}\n"
                    "X = list(V.all().keys()), V.all()['b'] in [V.A], V.all()['b'] == V.B"),
            "(['a', 'b'], False, True)");
}

TEST(HostValues, VariablesOfModulesAreAssigned) {
  EXPECT_EQ(valueOf("n = None\ndef get():\n    global n\n    n = n or [1]\n    return n\n"
                    "def f():\n    get().append(2)\n    return get(), n\nX = f()"),
            "([1, 2], [1, 2])");
}

TEST(HostValues, FunctionsInsideOfFunctions) {
  EXPECT_EQ(valueOf("def f(a):\n    def g(b=1):\n        return a + b\n    return g() + g(b=10)\nX = f(100)"), "211");
}

TEST(HostValues, WhatIsNotKnownMayStandThere) {
  EXPECT_EQ(valueOf("import torch\ndef f():\n    a, b = torch.probe()\n    c = a + 1\n    return 3\nX = f()"), "3");
  EXPECT_EQ(valueOf("import torch\ndef f():\n    a = torch.probe()\n    return a + 1\nX = f()"),
            "the value of this expression cannot be known without running the host code in Python");
  EXPECT_EQ(valueOf("import torch\ndef f():\n    try:\n        a = torch.probe()\n    except:\n        return 1\n"
                    "    return 2\nX = f()"),
            "the value of this expression cannot be known without running the host code in Python");
}

TEST(HostValues, AProgramWithoutArguments) {
  EXPECT_EQ(valueOf("import argparse\ndef f():\n    p = argparse.ArgumentParser(description='d')\n"
                    "    p.add_argument('-o', '--ops-of', type=str, default='none')\n"
                    "    p.add_argument('--fast', action='store_true')\n    args, rest = p.parse_known_args()\n"
                    "    return args.ops_of, args.fast, rest, p.parse_args().fast\nX = f()"),
            "('none', False, [], False)");
  std::string head = "import argparse\ndef f():\n    p = argparse.ArgumentParser()\n"
                     "    p.add_argument('--verbose', '-v', '--loud', action='store_true')\n"
                     "    p.add_argument('-q', action='store_false')\n    args = p.parse_args()\n";
  EXPECT_EQ(valueOf(head + "    return args.verbose, args.q\nX = f()"), "(False, True)");
  EXPECT_EQ(valueOf(head + "    return 1 if args.v else 2\nX = f()"),
            "the value of this expression cannot be known without running the host code in Python");
}

TEST(HostValues, MethodsOfListsDictionariesAndTexts) {
  EXPECT_EQ(valueOf("def f():\n    a = [3, 1, 2]\n    a.remove(1)\n    a.insert(0, 9)\n    a[-1] = 7\n"
                    "    return a.pop(), a.pop(0), a, a.index(3)\nX = f()"),
            "(7, 9, [3], 0)");
  EXPECT_EQ(valueOf("def f():\n    d = {'a': [1]}\n    import copy\n    return d.pop('a'), d.pop('b', 5), "
                    "d.setdefault('c', 6), d\nX = f()"),
            "([1], 5, 6, {'c': 6})");
  EXPECT_EQ(valueOf("import copy\ndef f():\n    a = {'k': [1]}\n    b = copy.deepcopy(a)\n    b['k'].append(2)\n"
                    "    return a, b\nX = f()"),
            "({'k': [1]}, {'k': [1, 2]})");
  EXPECT_EQ(valueOf("def f():\n    a = []\n    b = {'k': a}\n    a.append([b])\n    return 1\nX = f()"),
            "the value of this expression cannot be known without running the host code in Python");
  EXPECT_EQ(valueOf("X = 'a,b'.split(','), '-'.join(['x', 'y'])"), "(['a', 'b'], 'x-y')");
  EXPECT_EQ(valueOf("X = '{}+{}={n} {{{0}}}'.format(1, 2, n=3)"), "'1+2=3 {1}'");
  EXPECT_EQ(valueOf("X = '{:4}'.format(1)"),
            "the value of this expression cannot be known without running the host code in Python");
}

TEST(HostValues, ThereIsNoDevice) {
  std::string head = "import torch\n";
  EXPECT_EQ(valueOf(head + "X = torch.accelerator.is_available(), torch.accelerator.device_count(), "
                           "torch.accelerator.get_device_capability() >= (8, 0)"),
            "(False, 0, False)");
  EXPECT_EQ(valueOf(head + "X = torch.version.anything is not None"), "False");
  EXPECT_EQ(valueOf("X = triton.runtime.driver.active.get_current_target().backend"), "'none'");
  EXPECT_EQ(valueOf(head + "def f():\n    try:\n        return torch.accelerator.get_device_properties(0)\n"
                           "    except Exception:\n        return 'host'\nX = f()\n"),
            "'host'");
  EXPECT_EQ(valueOf(head + "X = torch.ones(3)"),
            "the value of this expression cannot be known without running the host "
            "code in Python");
}

KernelInfo kernelOf(const std::string &decorators, const std::string &before = "") {
  auto module = parseModule("m.py", "import triton, math, torch\nimport triton.language as tl\n" + before + decorators +
                                        "\n@triton.jit\ndef k(x, n, B: tl.constexpr, C: tl.constexpr):\n    pass\n");
  return inspect(*module).at(0);
}

std::string configsOf(const KernelInfo &kernel) {
  std::string text;
  for (const KernelConfig &config : kernel.configs) {
    for (auto &[name, value] : config.constants)
      text += name + "=" + std::to_string(std::get<int64_t>(value)) + " ";
    text += "w" + std::to_string(config.numWarps.value_or(0)) + "; ";
  }
  return text;
}

TEST(Configurations, FromComprehensionsNamesFunctionsAndSums) {
  EXPECT_EQ(configsOf(kernelOf("@triton.autotune(configs=[triton.Config({'B': b}, num_warps=w) for b in [16, 32] for w "
                               "in W if b * w < 128], key=['n'])",
                               "W = [2, 4]\n")),
            "B=16 w2; B=16 w4; B=32 w2; ");
  EXPECT_EQ(configsOf(kernelOf("@triton.autotune(get(1) + MORE, ['n'])",
                               "def get(n):\n    return [triton.Config({'B': 8 * n}, num_warps=n)]\n"
                               "MORE = [triton.Config(kwargs=dict(B=64, num_warps=8))]\n")),
            "B=8 w1; B=64 w8; ");
  EXPECT_EQ(configsOf(kernelOf("@cached_autotune(configs=[triton.Config({'B': 4}, 2)], key=[])")), "B=4 w2; ");
  EXPECT_THAT(kernelOf("@triton.autotune(configs=probe(), key=[])").configsProblem, HasSubstr("m.py:3:26: error: "));
}

std::string heuristicOf(const std::string &value, const std::string &before = "") {
  KernelInfo kernel = kernelOf("@triton.heuristics({'C': " + value + "})", before);
  const KernelHeuristic &heuristic = kernel.heuristics.at(0);
  return heuristic.problem.empty() ? heuristic.expression : heuristic.problem;
}

TEST(Heuristics, Lambdas) {
  EXPECT_EQ(heuristicOf("lambda args: args['x'] is not None"), "(x is not None)");
  EXPECT_EQ(heuristicOf("lambda a: a['n'] % a['B'] == 0 and not a.get('n') > LIMIT", "LIMIT = 2 * 8\n"),
            "(((n % B) == 0) and (not (n > 16)))");
  EXPECT_EQ(heuristicOf("lambda args: min(triton.next_power_of_2(args['n']), math.ceil(args['n'] / 3))"),
            "min(next_power_of_2(n), ceil((n / 3)))");
  EXPECT_EQ(heuristicOf("lambda args: 'tf32' if args['n'] in (1, 2) else 'ieee'"),
            "('tf32' if (n == 1 or n == 2) else 'ieee')");
  EXPECT_EQ(heuristicOf("lambda args: isinstance(args['x'], torch.Tensor)"), "is_tensor(x)");
  EXPECT_THAT(heuristicOf("lambda args: args['x'].shape[0]"), HasSubstr("m.py:3:39: error: "));
}

TEST(Heuristics, FunctionsAroundAFunction) {
  EXPECT_EQ(heuristicOf("mk(3)", "a = 99\ndef mk(a, b=(1, 2)):\n    return lambda args: args['n'] + a\n"), "(n + 3)");
  EXPECT_EQ(heuristicOf("mk(4)", "a = 99\ndef mk(a):\n    def f(args):\n        return a\n    return f\n"), "4");
  EXPECT_EQ(heuristicOf("[lambda args: i for i in (1, 2)][0]", "i = 7\n"), "2");
  EXPECT_THAT(heuristicOf("mk([1])", "a = 9\ndef mk(a):\n    return lambda args: a[0]\n"), HasSubstr("error: "));
}

TEST(Heuristics, FunctionsAreThoseOfTheirDictionary) {
  EXPECT_EQ(heuristicOf("f", "def f(args):\n    return 1\n"), "1");
  std::string two = "def f(args):\n    return 1\nH = {'C': f}\ndef f(args):\n    return 2\n";
  EXPECT_EQ(kernelOf("@triton.heuristics(H)", two).heuristics.at(0).expression, "1");
  EXPECT_EQ(kernelOf("@triton.heuristics({NAME: lambda args: 1})", "NAME = 'C'\n").heuristics.at(0).name, "C");
  EXPECT_THAT(kernelOf("@triton.heuristics({3: lambda args: 1})").heuristicsProblem, HasSubstr("a parameter's name"));
  EXPECT_EQ(heuristicOf("lambda args: f(args)", "N = 1\ndef f(args, n=N):\n    return n\nN = 2\n"), "1");
  std::string twice = "@twice\ndef f(args):\n    return args['n']\n";
  EXPECT_THAT(heuristicOf("lambda args: f(args)", twice), HasSubstr("error: "));
  EXPECT_THAT(heuristicOf("f", twice), HasSubstr("error: "));
  EXPECT_THAT(heuristicOf("lambda args: f(args, 1, n=2)", "def f(args, n):\n    return n\n"), HasSubstr("error: "));
  EXPECT_THAT(heuristicOf("lambda args: f(args, m=2)", "def f(args, n=1):\n    return n\n"), HasSubstr("error: "));
}

TEST(Heuristics, PlainFunctions) {
  std::string source = "def pick(args):\n"
                       "    n = args['n']\n"
                       "    n += 1\n"
                       "    if n <= 64:\n        return 32\n"
                       "    elif n <= 128:\n        big = 2\n"
                       "    else:\n        big = even(args, 3)\n"
                       "    return big * n\n"
                       "def even(args, k):\n    return args['n'] % k == 0\n";
  EXPECT_EQ(heuristicOf("pick", source),
            "(32 if ((n + 1) <= 64) else ((2 * (n + 1)) if ((n + 1) <= 128) else (((n % 3) == "
            "0) * (n + 1))))");
  EXPECT_EQ(heuristicOf("lambda args: even(args, 4)", source), "((n % 4) == 0)");
  KernelInfo kernel = kernelOf("@triton.heuristics(ALL)", source + "ALL = {'B': pick, **{'C': lambda a: a['n']}}\n");
  ASSERT_EQ(kernel.heuristics.size(), 2u);
  EXPECT_EQ(kernel.heuristics[1].name, "C");
  EXPECT_EQ(kernel.heuristics[1].expression, "n");
  EXPECT_EQ(kernelOf("@triton.heuristics({'C': lambda a: 1, **MORE})", "MORE = {'B': lambda a: 2}\n").heuristics.size(),
            2u);
  EXPECT_THAT(kernelOf("@triton.heuristics(probe())").heuristicsProblem, HasSubstr("m.py:3:20: error: "));
}

} // namespace
} // namespace tegula::lang
