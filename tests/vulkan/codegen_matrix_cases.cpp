// Writes kernels with cooperative matrices, compiled for the newer lavapipe, with inputs and expected results, for
// codegen_matrix_test: `vulkan_codegen_matrix_cases FILE`. Expected results are plain sums in double. The program
// checks that the simt executor gives the same, and that the newer spirv-val accepts each module; otherwise its exit
// status is 1.
#include "backends/vulkan/Binary.h"
#include "core/contracts/Compiler.h"
#include "core/support/Files.h"
#include "core/support/FloatFormats.h"
#include "tests/simt/Kernel.h"
#include "tests/vulkan/CodegenCase.h"
#include "tests/vulkan/SpirvTools.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>

namespace tegula::vulkan::test {
namespace {

using Bytes = std::vector<std::byte>;

Artifact compileCase(const std::string &text) {
  CompileRequest request;
  request.path = "case.mlir";
  request.source = text;
  request.target = "spirv:lavapipe-cm";
  request.startFrom = "simt";
  request.hasSignature = false;
  CompileResult result = tegulaCompiler(buildId())->compile(request);
  if (result.error)
    throw Error(*result.error);
  if (!result.artifact)
    throw Error("no artifact: " + result.internalError);
  return *result.artifact;
}

double decodeAs(ScalarType type, const Bytes &bytes, size_t index) {
  uint64_t bits = 0;
  size_t each = byteSize(type);
  std::memcpy(&bits, &bytes[index * each], each);
  if (isFloat(type))
    return decodeFloat(floatFormat(type), bits);
  unsigned unused = 64 - bitWidth(type);
  return double(int64_t(bits << unused) >> unused);
}

Bytes encodeAs(ScalarType type, const std::vector<double> &values) {
  size_t each = byteSize(type);
  Bytes bytes(values.size() * each);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = isFloat(type) ? encodeFloat(floatFormat(type), values[i]) : uint64_t(int64_t(values[i]));
    std::memcpy(&bytes[i * each], &bits, each);
  }
  return bytes;
}

void finish(CodegenCase &made, const std::string &text) {
  made.artifact = compileCase(text);
  if (auto verdict = validateNewer(decodeBinary(made.artifact.binary).words); verdict && !verdict->empty())
    throw Error(made.name + ": " + *verdict);
  simt_test::Kernel kernel(text);
  simt_test::SimtExecutor executor = kernel.executor();
  std::vector<Bytes> buffers = made.buffers;
  for (Bytes &buffer : buffers)
    executor.pointer(std::span(buffer), "buffer");
  for (uint64_t scalar : made.scalars)
    executor.integer(int64_t(scalar));
  if (std::string reports = executor.run(made.grid).text(); !reports.empty())
    throw Error(made.name + ": the executor reports " + reports);
  ScalarType type = made.artifact.params[made.result].type;
  for (size_t i = 0; i < made.expected.size(); ++i) {
    double found = decodeAs(type, buffers[made.result], i), expected = made.expected[i];
    if (!(std::fabs(found - expected) <= made.tolerance * std::max(1.0, std::fabs(expected))))
      throw Error(made.name + ": the executor has " + std::to_string(found) + " where " + std::to_string(expected) +
                  " is expected");
  }
}

std::vector<double> halves(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const FloatFormat &format = floatFormat(ScalarType::F16);
  std::vector<double> values(count);
  for (double &value : values)
    value = decodeFloat(format, encodeFloat(format, uniform(generator)));
  return values;
}

std::vector<double> wholes(size_t count, uint32_t seed, int limit) {
  std::mt19937 generator(seed);
  std::vector<double> values(count);
  for (double &value : values)
    value = int(generator() % (2 * limit + 1)) - limit;
  return values;
}

CodegenCase matmul(uint32_t m, uint32_t n, uint32_t k) {
  uint32_t lda = k + 8, ldb = n + 16, ldc = n + 8;
  std::vector<double> a = halves(m * lda, 1), b = halves(k * ldb, 2), c(m * ldc, -7);
  CodegenCase made{
      .name = "matmul_cooperative " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k),
      .buffers = {encodeAs(ScalarType::F16, a), encodeAs(ScalarType::F16, b), encodeAs(ScalarType::F32, c)},
      .scalars = {m, n, k, lda, ldb, ldc},
      .grid = {m / 32, n / 32, 1},
      .result = 2,
      .tolerance = 0x1p-18};
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      c[i * ldc + j] = 0;
      for (uint32_t l = 0; l < k; ++l)
        c[i * ldc + j] += a[i * lda + l] * b[l * ldb + j];
    }
  made.expected = c;
  finish(made, readTextFile(std::string(TEGULA_SOURCE_DIR) + "/tests/simt/matmul_cooperative.mlir"));
  return made;
}

/// D = relu(A * B + C) * 2 for one 8x8x8 product of one warp, by all ways of access: B by columns from global memory, C
/// through shared memory by columns, D element by element.
CodegenCase allWays(const std::string &in, const std::string &acc, ScalarType inType, ScalarType accType) {
  bool isInteger = acc == "i32";
  std::string text = R"(
func.func @k(%a: !tile.ptr<IN> {tile.name = "a"}, %b: !tile.ptr<IN> {tile.name = "b"},
             %c: !tile.ptr<ACC> {tile.name = "c"}, %d: !tile.ptr<ACC> {tile.name = "d"})
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c12 = arith.constant 12 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant ZERO : ACC
  %zeros = arith.constant dense<ZERO> : vector<8xACC>
  %s = simt.shared_alloc at 0 : !simt.shared<64xACC>
  %t = simt.thread_id : i32
  %at = arith.muli %t, %c8 : i32
  %row = simt.load %c[%at] : !tile.ptr<ACC>, i32 -> vector<8xACC>
  simt.shared_store %s[%at], %row : !simt.shared<64xACC>, i32, vector<8xACC>
  simt.barrier
  %fa = simt.fragment_load row %a[%c0] stride %c12 : !tile.ptr<IN> -> !simt.fragment<8x8xIN, a>
  %fb = simt.fragment_load column %b[%c0] stride %c8 : !tile.ptr<IN> -> !simt.fragment<8x8xIN, b>
  %fc = simt.fragment_load column %s[%c0] stride %c8 : !simt.shared<64xACC> -> !simt.fragment<8x8xACC, acc>
  %fz = simt.fragment_fill %zero : ACC -> !simt.fragment<8x8xACC, acc>
  %fd0 = simt.fragment_mma %fa, %fb, %fc
      : !simt.fragment<8x8xIN, a>, !simt.fragment<8x8xIN, b>, !simt.fragment<8x8xACC, acc>
  %fd = simt.fragment_mma %fa, %fb, %fz
      : !simt.fragment<8x8xIN, a>, !simt.fragment<8x8xIN, b>, !simt.fragment<8x8xACC, acc>
  %v = simt.fragment_elements %fd0 : !simt.fragment<8x8xACC, acc> -> vector<8xACC>
  %w = simt.fragment_elements %fd : !simt.fragment<8x8xACC, acc> -> vector<8xACC>
  %sum = arith.ADD %v, %w : vector<8xACC>
  %r = arith.MAX %sum, %zeros : vector<8xACC>
  %fr = simt.fragment_from_elements %r : vector<8xACC> -> !simt.fragment<8x8xACC, acc>
  simt.barrier
  simt.fragment_store column %fr, %s[%c0] stride %c8 : !simt.fragment<8x8xACC, acc>, !simt.shared<64xACC>
  simt.barrier
  %u = simt.shared_load %s[%at] : !simt.shared<64xACC>, i32 -> vector<8xACC>
  simt.store %d[%at], %u : !tile.ptr<ACC>, i32, vector<8xACC>
  simt.fragment_store row %fr, %d[%c64] stride %c8 : !simt.fragment<8x8xACC, acc>, !tile.ptr<ACC>
  return
}
)";
  for (auto [from, to] : {std::pair<std::string, std::string>("IN", in),
                          {"ACC", acc},
                          {"ZERO", isInteger ? "0" : "0.0"},
                          {"ADD", isInteger ? "addi" : "addf"},
                          {"MAX", isInteger ? "maxsi" : "maximumf"}})
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  // Small whole numbers: exact in every type.
  std::vector<double> a = wholes(12 * 8, 3, 3), b = wholes(64, 4, 3), c = wholes(64, 5, 50), d(128, -1);
  CodegenCase made{.name = "all ways " + in + " to " + acc,
                   .buffers = {encodeAs(inType, a), encodeAs(inType, b), encodeAs(accType, c), encodeAs(accType, d)},
                   .result = 3};
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 8; ++j) {
      double sum = 0; // element (l, j) of B is at 8 j + l, (i, j) of C at 8 j + i
      for (size_t l = 0; l < 8; ++l)
        sum += a[i * 12 + l] * b[j * 8 + l];
      double value = std::max(0.0, 2 * sum + c[j * 8 + i]);
      d[j * 8 + i] = value;
      d[64 + i * 8 + j] = value;
    }
  made.expected = d;
  finish(made, text);
  return made;
}

/// D = (C's rows combined by `kind`, plus the number of each position) * B: reduced, numbered and converted in
/// fragments.
CodegenCase rowsOf(const std::string &kind, const std::function<double(double, double)> &combine) {
  std::string text = R"(
func.func @k(%b: !tile.ptr<f16> {tile.name = "b"}, %c: !tile.ptr<f32> {tile.name = "c"},
             %d: !tile.ptr<f32> {tile.name = "d"})
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %fb = simt.fragment_load row %b[%c0] stride %c8 : !tile.ptr<f16> -> !simt.fragment<8x8xf16, b>
  %fc = simt.fragment_load row %c[%c0] stride %c8 : !tile.ptr<f32> -> !simt.fragment<8x8xf32, acc>
  %fz = simt.fragment_fill %zero : f32 -> !simt.fragment<8x8xf32, acc>
  %fr = simt.fragment_reduce_rows KIND %fc : !simt.fragment<8x8xf32, acc>
  %r = simt.fragment_elements %fr : !simt.fragment<8x8xf32, acc> -> vector<8xf32>
  %i, %j = simt.fragment_coordinates of !simt.fragment<8x8xf32, acc> : vector<8xi32>, vector<8xi32>
  %c8s = simt.splat %c8 : i32 -> vector<8xi32>
  %i8 = arith.muli %i, %c8s : vector<8xi32>
  %at = arith.addi %i8, %j : vector<8xi32>
  %places = arith.sitofp %at : vector<8xi32> to vector<8xf32>
  %v = arith.addf %r, %places : vector<8xf32>
  %f = simt.fragment_from_elements %v : vector<8xf32> -> !simt.fragment<8x8xf32, acc>
  %fa = simt.fragment_convert %f : !simt.fragment<8x8xf32, acc> -> !simt.fragment<8x8xf16, a>
  %fd = simt.fragment_mma %fa, %fb, %fz
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
  simt.fragment_store row %fd, %d[%c0] stride %c8 : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>
  return
}
)";
  text.replace(text.find("KIND"), 4, kind);
  std::vector<double> b = wholes(64, 6, 3), c = wholes(64, 7, 9), d(64, 0);
  CodegenCase made{.name = "rows by " + kind,
                   .buffers = {encodeAs(ScalarType::F16, b), encodeAs(ScalarType::F32, c),
                               encodeAs(ScalarType::F32, std::vector<double>(64, -1))},
                   .result = 2};
  for (size_t i = 0; i < 8; ++i) {
    double row = c[i * 8];
    for (size_t l = 1; l < 8; ++l)
      row = combine(row, c[i * 8 + l]);
    for (size_t j = 0; j < 8; ++j)
      for (size_t l = 0; l < 8; ++l)
        d[i * 8 + j] += (row + double(i * 8 + l)) * b[l * 8 + j];
  }
  made.expected = d;
  finish(made, text);
  return made;
}

} // namespace
} // namespace tegula::vulkan::test

int main(int argc, char **argv) {
  using namespace tegula;
  using namespace tegula::vulkan::test;
  if (argc != 2) {
    std::fprintf(stderr, "usage: vulkan_codegen_matrix_cases FILE\n");
    return 2;
  }
  try {
    writeCases(argv[1],
               {matmul(64, 64, 80), matmul(96, 128, 16), allWays("f16", "f32", ScalarType::F16, ScalarType::F32),
                allWays("f16", "f16", ScalarType::F16, ScalarType::F16),
                allWays("i8", "i32", ScalarType::I8, ScalarType::I32),
                rowsOf("addf", [](double x, double y) { return x + y; }),
                rowsOf("maxnumf", [](double x, double y) { return std::max(x, y); }),
                rowsOf("minimumf", [](double x, double y) { return std::min(x, y); })});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "vulkan_codegen_matrix_cases: %s\n", error.what());
    return 1;
  }
  return 0;
}
