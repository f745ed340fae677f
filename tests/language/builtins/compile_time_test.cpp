// What kernels decide and print while they are compiled.
#include "EmitKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::lang {

namespace {

/// Emits a kernel with this body, for N = `n` on `target`; gives what static_print wrote.
/// `before`: what stands before the kernel.
std::string emitted(const std::string &body, int64_t n = 8, const std::string &target = "cpu",
                    const std::string &before = "") {
  TileContext tile;
  CompileRequest request;
  request.path = "test.py";
  request.source = "import triton\nimport triton.language as tl\n\n" + before +
                   "@triton.jit\ndef kernel(y, N: tl.constexpr):\n" + body;
  request.kernel = "kernel";
  request.target = target;
  request.signature = {pointerTo(ScalarType::I32)};
  request.constants = {{"N", n}};
  ModuleScope scope(parseModule(request.path, request.source));
  Emitter emitter(tile.context, scope, request);
  emitter.emit();
  return emitter.staticOutput;
}

TEST(CompileTime, static_assert) {
  const char *body = "    tl.static_assert(N % 4 == 0, f'N must be a multiple of 4, found {N}')\n"
                     "    assert N > 0, 'N must be positive'\n"
                     "    tl.store(y, N)\n";
  EXPECT_NO_THROW(emitted(body, 8));
  try {
    emitted(body, 7);
    FAIL() << "no message";
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("N must be a multiple of 4, found 7"));
  }
}

TEST(CompileTime, static_print) {
  EXPECT_EQ(emitted("    tl.static_print('N is', N, (1, 2), sep='|')\n    tl.store(y, N)\n"), "N is|8|(1, 2)\n");
  EXPECT_EQ(
      emitted("    x = N * 2\n    tl.static_print(f'{x} {(1, 'a')} {tl.float16} {y.dtype}')\n    tl.store(y, N)\n"),
      "16 (1, 'a') f16 *i32\n");
}

TEST(CompileTime, target_info) {
  const char *body = "    tl.static_print(tl.target_info.is_cuda(), tl.target_info.is_hip(), "
                     "tl.target_info.cuda_capability_geq(7, 5), tl.target_info.cuda_capability_geq(99))\n";
  struct Row {
    const char *target, *answers;
  };
  for (const Row &row : {Row{"cpu", "False False False False\n"}, Row{"sm_90a", "True False True False\n"},
                         Row{"sm_70", "True False False False\n"}, Row{"compute_80", "True False True False\n"},
                         Row{"gfx942", "False True False False\n"}, Row{"spirv:generic", "False False False False\n"}})
    EXPECT_EQ(emitted(body, 8, row.target), row.answers) << row.target;
}

// As in Triton, a number that a function returns has the type of a variable that is assigned it.
TEST(CompileTime, results_of_functions_have_types) {
  const char *before = "@triton.jit\ndef three(): return 3\n"
                       "@triton.jit\ndef half(): return 0.5\n"
                       "@triton.jit\ndef pair(): return 5000000000, True\n";
  const char *body = "    x = tl.load(y).to(tl.int8)\n"
                     "    tl.static_print((x * three()).dtype, (x * 3).dtype, (x.to(tl.float16) * half()).dtype)\n"
                     "    tl.static_print(pair()[0].dtype, pair()[1].dtype)\n"
                     "    tl.store(y + tl.arange(0, three() + 1), 0)\n"; // still known
  EXPECT_EQ(emitted(body, 8, "cpu", before), "i32 i8 f32\ni64 i1\n");
}

TEST(CompileTime, constants_keep_their_types_in_calls) {
  const char *before = "@triton.jit\ndef times(x, s: tl.constexpr): return x * s\n";
  const char *body = "    s = tl.full((), 100000, tl.int64)\n"
                     "    i = tl.program_id(0)\n"
                     "    tl.static_print(times(i, s).dtype, times(i, 100000).dtype)\n";
  EXPECT_EQ(emitted(body, 8, "cpu", before), "i64 i32\n");
}

// Elements wrap, so their sum is not what Python computes.
TEST(CompileTime, only_exact_results_are_known) {
  for (const char *length : {"tl.full((), 64, tl.int8) + tl.full((), 64, tl.int8)",
                             "tl.full((), 128, tl.uint8) + tl.full((), 128, tl.uint8)"})
    try {
      emitted("    n = " + std::string(length) + "\n    tl.store(y + tl.arange(0, n), 0)\n");
      FAIL() << length;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("must be known when the kernel is compiled")) << length;
    }
  EXPECT_NO_THROW(emitted("    n = tl.full((), 64, tl.int32).to(tl.int8)\n    tl.store(y + tl.arange(0, n), 0)\n"));
}

// Python runs them: its division, its loops.
TEST(CompileTime, constexpr_functions) {
  const char *before = "@triton.constexpr_function\ndef halved(x): return -x // 2\n"
                       "@triton.constexpr_function\ndef log2(n):\n"
                       "    r = 0\n    while n > 1:\n        n //= 2\n        r += 1\n    return r\n"
                       "@triton.constexpr_function\ndef width(n): return n.bit_length() - 1\n"
                       "@triton.constexpr_function\ndef both(a, b=3): return (log2(a), halved(b))\n";
  const char *body = "    tl.static_print(halved(7), log2(N * 8), width(64), both(a=16))\n"
                     "    x: tl.constexpr = both(1024, b=5)[0]\n"
                     "    tl.static_print(x)\n";
  EXPECT_EQ(emitted(body, 8, "cpu", before), "-4 6 6 (4, -2)\n10\n");
}

// Where an argument is no constant, the body is code of the kernel, in which numbers are Python's all the same.
TEST(CompileTime, constexpr_functions_of_tensors) {
  const char *before = "@triton.constexpr_function\ndef scaled(t, n):\n"
                       "    m = -n * t.shape[0]\n    for i in range(3):\n        m -= 1\n    return m // 8\n";
  EXPECT_EQ(emitted("    tl.static_print(scaled(tl.load(y + tl.arange(0, 4)), 7))\n", 8, "cpu", before), "-4\n");
  const char *loops = "@triton.constexpr_function\ndef log2(t, n):\n    r = 0\n    while n > 1:\n        n //= 2\n"
                      "        r += 1\n    for i in range(100000):\n        r += 1\n    return r - 100000\n";
  EXPECT_EQ(
      emitted("    tl.static_assert(log2(tl.load(y), 64) == 6)\n    tl.static_print(log2(y, -7))\n", 8, "cpu", loops),
      "0\n");
}

TEST(CompileTime, constexpr_functions_that_fail) {
  const char *before = "@triton.constexpr_function\ndef bad(n):\n    if n > 3:\n"
                       "        raise ValueError('n is too large')\n    return n\n";
  try {
    emitted("    tl.static_print(bad(N))\n", 8, "cpu", before);
    FAIL() << "no message";
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("n is too large"));
  }
}

// Functions that Triton's compiler runs as Python return numbers without a type.
TEST(CompileTime, results_of_builtins_have_no_types) {
  const char *before = "@tl.core.extern\ndef three(_semantic=None): return 3\n";
  EXPECT_EQ(emitted("    tl.static_assert(three() == 3)\n"
                    "    tl.static_print((tl.load(y).to(tl.int8) * three()).dtype)\n",
                    8, "cpu", before),
            "i8\n");
}

TEST(CompileTime, types) {
  for (const char *nonsense : {"x.type.is_foo()", "x.type.primitive_bitwidth", "tl.block_type(tl.int32, [])"})
    EXPECT_THROW(emitted("    x = tl.load(y + tl.arange(0, 4))\n    tl.static_print(" + std::string(nonsense) + ")\n"),
                 Error)
        << nonsense;
  const char *body =
      "    x = tl.load(y + tl.arange(0, 4))\n"
      "    tl.static_assert(x.type.is_block() and not y.type.is_block() and not x.dtype.is_block())\n"
      "    tl.static_assert(x.type == tl.block_type(tl.int32, [4]) and x.type != x.dtype and x.type.scalar == "
      "tl.int32)\n"
      "    tl.static_assert(x.type.shape[0] == 4 and x.type.numel == 4 and x.type.element_ty == tl.int32)\n"
      "    tl.static_assert(isinstance(x.type, tl.block_type) and not isinstance(x.dtype, tl.block_type))\n"
      "    tl.static_assert(not x.type.is_int32() and x.type.nbytes == 16)\n"
      "    tl.static_assert(hasattr(x, 'dtype') and not hasattr(x, 'colour'))\n"
      "    tl.static_assert(tl.float16.kind() > tl.int64.kind() and tl.int8.kind() > tl.int1.kind())\n"
      "    tl.static_assert(tl.int1.kind() == tl.dtype.KIND.BOOLEAN and tl.uint8.kind() == tl.dtype.KIND.INTEGRAL)\n"
      "    tl.static_assert(tl.bfloat16.kind() == tl.dtype.KIND.FLOATING)\n"
      "    tl.static_print(tl.int8.get_int_min_value(), tl.uint64.get_int_max_value(), x.type)\n"
      "    tl.static_print(x.dtype.name, y.dtype.name, tl.bfloat16.name, tl.float8e4nv.name, tl.uint16.name)\n";
  EXPECT_EQ(emitted(body), "-128 18446744073709551615 i32 [4]\nint32 pointer<int32> bf16 fp8e4nv uint16\n");
}

// What grows without bound while a kernel is compiled ends with a message.
TEST(CompileTime, growth) {
  for (auto [body, message] : {
           std::pair("    t = (1, 2)\n    for i in tl.static_range(40):\n        t = t + t\n", "are possible"),
           std::pair("    t = (1, 2)\n    for i in tl.static_range(40):\n        t = (t, t)\n", "are possible"),
           std::pair("    t = ()\n    for i in tl.static_range(40):\n        t = (t, t)\n", "are possible"),
           std::pair("    t = ()\n    for i in tl.static_range(1000):\n        t = (t,)\n", "deep"),
           std::pair("    t = (1,)\n    for i in tl.static_range(40):\n        t = [t for j in range(2)]\n",
                     "are possible"),
           std::pair("    t: tl.constexpr = 'a'\n    for i in tl.static_range(40):\n        t = t + t\n", "bytes"),
           std::pair("    for i in tl.static_range(100):\n        for j in tl.static_range(100):\n"
                     "            for k in tl.static_range(100):\n                tl.store(y + i + j + k, 1)\n",
                     "more than 131072 times in all"),
       })
    try {
      emitted(body);
      FAIL() << body;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
    }
}

// Of tl.extra.cuda, on every target: nothing to wait for, and the program's size.
TEST(CompileTime, functions_of_extra) {
  const char *body = "    tl.extra.cuda.gdc_wait()\n    tl.extra.cuda.gdc_launch_dependents()\n"
                     "    tl.static_print(tl.extra.cuda.num_warps(), tl.extra.cuda.num_threads())\n";
  EXPECT_EQ(emitted(body, 8, "sm_90a"), "4 128\n");
  EXPECT_EQ(emitted(body, 8, "spirv:generic"), "4 128\n");
  EXPECT_EQ(emitted(body, 8, "gfx942"), "4 256\n");
}

} // namespace

} // namespace tegula::lang
