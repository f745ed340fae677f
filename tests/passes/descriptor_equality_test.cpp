// tile-lower-descriptors changes no result: kernels give equal bits on the CPU backend before and after, at all edges.
#include "core/passes/Passes.h"
#include "tests/ir/FlattenFixture.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>
#include <gmock/gmock.h>

namespace tegula::cpu {
namespace {

constexpr int64_t kRows = 7, kColumns = 9, kStride = 12;

/// Bodies of kernels with %x, %y: !tile.desc<4x8xf32>, %rows: !tile.desc<1x8xf32>, %p, %q: !tile.ptr<f32> of 8 x 12
/// floats each, %i, %j, %n: i32. The tensors of descriptors and the memory of %q are compared.
struct Kernel {
  const char *name, *body;
};
const Kernel kKernels[] = {
    {"copy", R"(
  %v = tile.desc_load %x[%i, %j] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  tile.desc_store %y[%j, %i], %v : !tile.desc<4x8xf32>, tensor<4x8xf32>)"},
    {"padding", R"(
  %v = tile.desc_load %x[%i, %j] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  %flat = tile.reshape %v : tensor<4x8xf32> -> tensor<32xf32>
  %at = tile.make_range 0 to 32
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %to = tile.addptr %qs, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %to, %flat : tensor<32x!tile.ptr<f32>>)"},
    {"made", R"(
  %d = tile.make_desc %p, [%n, %j], [%s, %one] padding(nan) : !tile.ptr<f32> -> !tile.desc<4x8xf32>
  %v = tile.desc_load %d[%c1, %c0] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  %e = tile.make_desc %q, [%c8, %c12], [%s, %one] : !tile.ptr<f32> -> !tile.desc<4x8xf32>
  tile.desc_store %e[%i, %c1], %v : !tile.desc<4x8xf32>, tensor<4x8xf32>)"},
    {"unit axes", R"(
  %d = tile.make_desc %p, [%c1, %n, %c8], [%s, %s, %one] : !tile.ptr<f32> -> !tile.desc<1x1x8xf32>
  %v = tile.desc_load %d[%c0, %i, %j] : !tile.desc<1x1x8xf32> -> tensor<8xf32>
  %w = tile.desc_load %d[%i, %c1, %c0] : !tile.desc<1x1x8xf32> -> tensor<1x8xf32>
  %w1 = tile.reshape %w : tensor<1x8xf32> -> tensor<8xf32>
  %sum = arith.addf %v, %w1 : tensor<8xf32>
  %r = tile.reshape %sum : tensor<8xf32> -> tensor<1x8xf32>
  tile.desc_store %rows[%c1, %j], %r : !tile.desc<1x8xf32>, tensor<1x8xf32>)"},
    {"gather and scatter", R"(
  %range = tile.make_range 0 to 8
  %is = tile.splat %i : i32 -> tensor<8xi32>
  %three = arith.constant dense<3> : tensor<8xi32>
  %t = arith.muli %range, %three : tensor<8xi32>
  %at = arith.subi %t, %is : tensor<8xi32>
  %v = tile.desc_gather %rows[%at, %j] : !tile.desc<1x8xf32>, tensor<8xi32>
  %to = arith.addi %range, %is : tensor<8xi32>
  %e = tile.make_desc %q, [%n, %c12], [%s, %one] : !tile.ptr<f32> -> !tile.desc<1x8xf32>
  tile.desc_scatter %e[%to, %c1], %v : !tile.desc<1x8xf32>, tensor<8xi32>, tensor<8x8xf32>)"},
    {"atomic", R"(
  %v = tile.desc_load %x[%i, %j] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  tile.desc_atomic fadd %y[%i, %j], %v : !tile.desc<4x8xf32>, tensor<4x8xf32>
  tile.desc_atomic fmax %y[%c0, %c1], %v : !tile.desc<4x8xf32>, tensor<4x8xf32>)"},
    {"carried by a loop", R"(
  %c = arith.cmpi slt, %i, %c1 : i32
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (!tile.desc<4x8xf32>, !tile.desc<4x8xf32>)
      : i32 {
    %v = tile.desc_load %a[%k, %i] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
    %w = arith.addf %v, %v : tensor<4x8xf32>
    tile.desc_store %b[%i, %k], %w : !tile.desc<4x8xf32>, tensor<4x8xf32>
    %in = scf.for %l = %c0 to %c1 step %c1 iter_args(%d = %a) -> (!tile.desc<4x8xf32>) : i32 {
      %o = arith.select %c, %d, %b : !tile.desc<4x8xf32>
      scf.yield %o : !tile.desc<4x8xf32>
    }
    scf.yield %b, %in : !tile.desc<4x8xf32>, !tile.desc<4x8xf32>
  }
  %z = tile.desc_load %r#1[%c0, %c0] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  %e = tile.make_desc %q, [%c8, %c12], [%s, %one] : !tile.ptr<f32> -> !tile.desc<4x8xf32>
  tile.desc_store %e[%c0, %c0], %z : !tile.desc<4x8xf32>, tensor<4x8xf32>)"},
    {"branches and while", R"(
  %c = arith.cmpi slt, %i, %j : i32
  %d = scf.if %c -> (!tile.desc<4x8xf32>) {
    %m = tile.make_desc %p, [%c8, %c8], [%s, %one] padding(nan) : !tile.ptr<f32> -> !tile.desc<4x8xf32>
    scf.yield %m : !tile.desc<4x8xf32>
  } else {
    scf.yield %x : !tile.desc<4x8xf32>
  }
  %r:2 = scf.while (%k = %c0, %a = %d) : (i32, !tile.desc<4x8xf32>) -> (!tile.desc<4x8xf32>, i32) {
    %go = arith.cmpi slt, %k, %n : i32
    scf.condition(%go) %a, %k : !tile.desc<4x8xf32>, i32
  } do {
  ^bb0(%a: !tile.desc<4x8xf32>, %k: i32):
    %v = tile.desc_load %a[%k, %i] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
    tile.desc_store %y[%k, %k], %v : !tile.desc<4x8xf32>, tensor<4x8xf32>
    %next = arith.addi %k, %c1 : i32
    scf.yield %next, %d : i32, !tile.desc<4x8xf32>
  }
  %v = tile.desc_load %r#0[%i, %r#1] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  %e = tile.make_desc %q, [%c8, %c12], [%s, %one] : !tile.ptr<f32> -> !tile.desc<4x8xf32>
  tile.desc_store %e[%c0, %c0], %v : !tile.desc<4x8xf32>, tensor<4x8xf32>)"},
};

std::string kernelText(const Kernel &kernel) {
  return std::string(R"(
func.func @k(%x: !tile.desc<4x8xf32>, %y: !tile.desc<4x8xf32>, %rows: !tile.desc<1x8xf32>, %p: !tile.ptr<f32>,
             %q: !tile.ptr<f32>, %i: i32, %j: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c12 = arith.constant 12 : i32
  %one = arith.constant 1 : i64
  %s = arith.constant 12 : i64)") +
         kernel.body + "\n  return\n}";
}

class DescriptorEquality : public FlattenTest {
protected:
  Module lowered(const std::string &text, bool scalarizes) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    if (!module)
      throw std::runtime_error("the module does not parse");
    mlir::PassManager passes(&context_);
    passes.addPass(tile::createLowerDescriptors());
    if (scalarizes)
      passes.addPass(tile::createScalarizeUniform());
    if (failed(passes.run(*module)))
      throw std::runtime_error("the pass failed");
    module->walk([](mlir::Operation *op) {
      EXPECT_FALSE((mlir::isa<tile::MakeDescOp, tile::DescLoadOp, tile::DescStoreOp, tile::DescAtomicOp,
                              tile::DescGatherOp, tile::DescScatterOp, mlir::UnrealizedConversionCastOp>(op)))
          << op->getName().getStringRef().str();
    });
    Module result = flatten(*module, "k");
    verify(result);
    return result;
  }

  /// The content of all memory after a run.
  static std::vector<float> memoryAfter(const Program &program, int64_t i, int64_t j, int64_t n, bool nan) {
    constexpr size_t kFloats = 5 * 8 * kStride;
    std::vector<float> memory(kFloats);
    for (size_t k = 0; k < kFloats; ++k)
      memory[k] = float(k % 97) - 40.5f;
    float *x = memory.data(), *y = x + 8 * kStride, *rows = y + 8 * kStride, *p = rows + 8 * kStride,
          *q = p + 8 * kStride;
    DescriptorArgument dx{x, {kRows, kColumns}, {kStride, 1}, nan}, dy{y, {kRows, kColumns}, {kStride, 1}, false},
        dr{rows, {kRows, kColumns}, {kStride, 1}, nan};
    auto plain = [](auto value) {
      return ArgumentValue{.bits = std::bit_cast<uint64_t>(value), .descriptor = nullptr};
    };
    std::vector<ArgumentValue> arguments = {{0, &dx}, {0, &dy}, {0, &dr}, plain(p),
                                            plain(q), plain(i), plain(j), plain(n)};
    LaunchOptions options;
    options.threads = 1;
    program.run(arguments, options);
    return memory;
  }
};

TEST_F(DescriptorEquality, KernelsGiveTheSameBits) {
  for (const Kernel &kernel : kKernels) {
    SCOPED_TRACE(kernel.name);
    const Program before(flattenText(kernelText(kernel)));
    const Program after(lowered(kernelText(kernel), false)), scalar(lowered(kernelText(kernel), true));
    size_t different = 0;
    std::vector<float> untouched;
    for (bool nan : {false, true})
      for (int64_t n : {0, 1, 3})
        for (int64_t i : {0, 1, 5, 6, 7, -1, -3, -4, -100, 2147483647, -2147483647 - 1})
          for (int64_t j : {0, 3, 8, 9, -2, -7, -8, 2147483640}) {
            // Extents of descriptors made in the kernel must not be negative: the executor reports them.
            int64_t extent = std::string(kernel.name) == "made" ? std::clamp<int64_t>(j, 0, 12) : j;
            std::vector<float> expected = memoryAfter(before, i, extent, n, nan);
            for (const Program *program : {&after, &scalar}) {
              std::vector<float> actual = memoryAfter(*program, i, extent, n, nan);
              ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(float)), 0)
                  << "i = " << i << ", j = " << j << ", n = " << n << ", padding " << (nan ? "nan" : "zero")
                  << (program == &scalar ? ", scalarized" : "");
            }
            different += !untouched.empty() &&
                         std::memcmp(untouched.data(), expected.data(), expected.size() * sizeof(float)) != 0;
            untouched = expected;
          }
    EXPECT_GT(different, 10u) << "a kernel that always does the same tests nothing";
  }
}

TEST_F(DescriptorEquality, PaddingHasTheBitsOfTheExecutor) {
  for (const char *type :
       {"f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "i8", "i32"}) {
    SCOPED_TRACE(type);
    std::string text = R"(
func.func @k(%x: !tile.desc<16x@>, %q: !tile.ptr<@>) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %v = tile.desc_load %x[%c4] : !tile.desc<16x@> -> tensor<16x@>
  %at = tile.make_range 0 to 16
  %qs = tile.splat %q : !tile.ptr<@> -> tensor<16x!tile.ptr<@>>
  %to = tile.addptr %qs, %at : tensor<16x!tile.ptr<@>>, tensor<16xi32>
  tile.store %to, %v : tensor<16x!tile.ptr<@>>
  return
})";
    for (size_t at = 0; (at = text.find('@', at)) != std::string::npos;)
      text[at + 1] == 'k' ? ++at : (text.replace(at, 1, type), at);
    const Program before(flattenText(text)), after(lowered(text, false));
    for (bool nan : {false, true}) {
      std::vector<uint64_t> in(16, 0x3c3c3c3c3c3c3c3c);
      DescriptorArgument descriptor{in.data(), {10}, {1}, nan};
      std::vector<std::vector<uint64_t>> outs;
      for (const Program *program : {&before, &after}) {
        outs.emplace_back(16, 0x1111111111111111);
        std::vector<ArgumentValue> arguments = {{0, &descriptor}, pointer(outs.back())};
        LaunchOptions options;
        options.threads = 1;
        program->run(arguments, options);
      }
      EXPECT_EQ(outs[0], outs[1]) << nan;
    }
  }
}

} // namespace
} // namespace tegula::cpu
