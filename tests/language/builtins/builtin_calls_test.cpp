// Calls every function of triton.language with arguments of every kind in every position: the frontend must answer with
// IR that verifies or with a located message, never with an internal error, an assertion or a crash.
#include "EmitKernel.h"
#include "tests/support/Turn.h"

#include <gtest/gtest.h>

#include <random>

namespace tegula::lang {

namespace {

/// p: *f32, q: *i32, d: a descriptor of f16 [8, 16], n: i32, f: f32; other values are made in the kernel.
constexpr const char *kPrologue = R"(import triton
import triton.language as tl

@triton.jit
def add(a, b):
    return a + b

@triton.jit
def kernel(p, q, d, n, f, C: tl.constexpr):
    i = tl.arange(0, 16)
    x = tl.load(p + i)
    m = tl.reshape(x, (4, 4))
    h = x.to(tl.float16)
    b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    t = (x, i)
    )";

constexpr const char *kValues[] = {
    "x",
    "i",
    "m",
    "h",
    "p",
    "p + i",
    "q",
    "q + i",
    "n",
    "f",
    "d",
    "b",
    "t",
    "x > 0",
    "n > 0",
    "None",
    "True",
    "0",
    "1",
    "2",
    "-1",
    "16",
    "3000000000",
    "2.5",
    "float('nan')",
    "'text'",
    "'ALL'",
    "()",
    "(4, 4)",
    "[16]",
    "(0,)",
    "(n, n)",
    "C",
    "tl.float32",
    "tl.int8",
    "tl.int1",
    "tl.constexpr",
    "tl.pointer_type(tl.int32)",
    "add",
    "tl",
    "tl.sum",
    "tl.range(4)",
    "...",
    "tl.PropagateNan.ALL",
    "{}",
    "{(tl.float32,): ('__nv_tanhf', tl.float32), (tl.int32,): ('__nv_popc', tl.int32)}",
    "tl.full((), 1, tl.int64)",
    "tl.zeros((1,), tl.float32)",
    "x.to(tl.bfloat16)",
    "m.to(tl.int8)",
    "tl.zeros((4, 2), tl.uint8)",
};

constexpr const char *kKeywords[] = {
    "axis",    "dim",         "mask",       "other",          "dtype",          "keep_dims", "reverse", "descending",
    "bitcast", "acc",         "combine_fn", "boundary_check", "padding_option", "sem",       "k",       "shape",
    "hex",     "can_reorder", "pack"};

std::vector<std::string> callees() {
  std::vector<std::string> names;
  for (std::string_view name : builtinNames())
    names.push_back((findBuiltin(name)->isTensorMethod ? "*" : "tl.") +
                    std::string(name)); // with '*', also called as a method
  for (const char *method : {"load", "store", "gather", "scatter", "atomic_add", "atomic_min", "atomic_xor"})
    names.push_back(std::string("d.") + method);
  for (const char *name :
       {"min", "max", "abs", "len", "range", "float", "int", "bool", "str", "tuple", "print", "isinstance", "getattr"})
    names.push_back(name);
  for (const char *name : {"math.sqrt", "math.floor", "triton.cdiv", "triton.next_power_of_2"})
    names.push_back(name);
  return names;
}

#if __has_feature(address_sanitizer) // about eight times as slow
constexpr uint64_t kTurns = 4;
#else
constexpr uint64_t kTurns = 1;
#endif

class Calls : public testing::Test {
protected:
  /// Whether the statement compiles. Any outcome but IR or a message located in the user's file fails the test.
  bool compiles(const std::string &statement) {
    using S = ScalarType;
    try {
      emitKernel(
          tile_.context, std::string(kPrologue) + statement + "\n",
          {pointerTo(S::F32), pointerTo(S::I32), descriptorOf(S::F16, {8, 16}), scalarOf(S::I32), scalarOf(S::F32)},
          {{"C", int64_t(8)}});
      return true;
    } catch (const Error &error) {
      EXPECT_EQ(error.diagnostic().location.file, "test.py") << statement << "\n" << error.what();
      EXPECT_GT(error.diagnostic().location.line, 0u) << statement << "\n" << error.what();
      EXPECT_FALSE(error.diagnostic().message.empty()) << statement;
    } catch (const std::exception &error) {
      ADD_FAILURE() << statement << "\n" << error.what();
    }
    return false;
  }

  std::string pick() { return kValues[random_() % std::size(kValues)]; }

  std::string callOf(const std::string &callee, size_t arguments, bool withKeyword) {
    std::string call = callee;
    if (callee[0] == '*')
      call = (random_() % 3 == 0 ? "(" + pick() + ")." : "tl.") + callee.substr(1);
    call += "(";
    for (size_t k = 0; k < arguments; ++k)
      call += (k ? ", " : "") + pick();
    if (withKeyword)
      call += std::string(arguments ? ", " : "") + kKeywords[random_() % std::size(kKeywords)] + "=" + pick();
    return call + ")";
  }

  std::mt19937 random_{20240229};
  TileContext tile_;
};

TEST_F(Calls, of_one_argument) {
  size_t good = 0;
  for (const std::string &callee : callees())
    for (const char *value : kValues)
      good += compiles((callee[0] == '*' ? "tl." + callee.substr(1) : callee) + "(" + value + ")");
  EXPECT_GT(good, 200u); // most functions accept at least one of the values
}

TEST_F(Calls, of_two_arguments) {
  uint64_t call = turnOf(kTurns);
  for (const std::string &callee : callees())
    for (const char *first : {"x", "m", "p + i"})
      for (const char *second : kValues)
        if (++call % kTurns == 0)
          compiles((callee[0] == '*' ? "tl." + callee.substr(1) : callee) + "(" + first + ", " + second + ")");
}

TEST_F(Calls, of_several_arguments) {
  random_.seed(20240229 + uint32_t(turnOf(kTurns)));
  size_t good = 0, total = 0;
  for (const std::string &callee : callees())
    for (size_t arguments = 0; arguments <= 6; ++arguments)
      for (uint64_t repeat = 0; repeat < 12 / kTurns; ++repeat) {
        good += compiles("y = " + callOf(callee, arguments, repeat % 3 == 0));
        ++total;
      }
  EXPECT_GT(good, total / 50);
}

TEST_F(Calls, inside_control_flow_and_operators) {
  std::vector<std::string> names = callees();
  for (int repeat = 0; repeat < 600; ++repeat) {
    std::string a = callOf(names[random_() % names.size()], 1 + random_() % 2, false), b = pick();
    constexpr const char *operators[] = {"+", "-",  "*",  "/", "//", "%",   "&",  "|",
                                         "^", "<<", "==", "<", "**", "and", "is", "in"};
    std::string op = operators[random_() % std::size(operators)];
    compiles("y = x\n    for k in range(n):\n        y = " + a + " " + op + " " + b +
             "\n    if n > 3:\n        y = " + b);
    compiles("y = (" + b + ") " + op + " (" + pick() + ")");
    compiles("tl.store(p + i, " + a + " if " + b + " else " + pick() + ")");
  }
}

} // namespace

} // namespace tegula::lang
