// What kernels decide and print while they are compiled.
#include "EmitKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::lang {

namespace {

/// Emits a kernel with this body, for N = `n` on `target`; gives what static_print wrote.
std::string emitted(const std::string &body, int64_t n = 8, const std::string &target = "cpu") {
  TileContext tile;
  CompileRequest request;
  request.path = "test.py";
  request.source =
      "import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(y, N: tl.constexpr):\n" + body;
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
