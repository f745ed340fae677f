#include "tests/rocm/MachineCode.h"
#include "core/contracts/Compiler.h"
#include "core/support/Files.h"
#include "tests/emulator/Allocations.h"
#include "tests/emulator/Launch.h"

#include <cstring>
#include <stdexcept>

namespace tegula::rocm::test {
namespace {

constexpr int kSide = 64, kStep = 32, kDepth = 96, kRows = 58; // of the product: three iterations, 6 masked rows
constexpr int kBlock = 512, kSummed = 90;                      // of the sum: some warps have no element
constexpr int kCountBlock = 256, kCounted = 300, kCounters = 8;

constexpr uint8_t kUntouched = 0xff; // bytes of outputs before a launch that must write all of them

using Bytes = std::vector<uint8_t>;

template <class T, class Value> Bytes elements(int count, Value &&value) {
  Bytes bytes(size_t(count) * sizeof(T));
  for (int i = 0; i < count; ++i) {
    T element = T(value(i));
    std::memcpy(bytes.data() + size_t(i) * sizeof(T), &element, sizeof element);
  }
  return bytes;
}

// Small integers, so that sums are exact in any order; neighbours differ, so that a wrong place shows.
int left(int row, int k) { return (3 * row + 7 * k + row * k) % 11 - 5; }
int right(int k, int column) { return (5 * k + 2 * column + k * column) % 13 - 6; }
int summand(int i) { return i * i % 31 + 1; }
int cell(int row, int column) { return row * kSide + column; }
int counter(int i) { return i * i % 31 % kCounters; }

/// How a kernel is compiled and launched. The output is the pointer after the inputs.
struct Setup {
  const char *name;
  std::vector<ParamType> signature;
  Constants constants;
  std::vector<Bytes> inputs;
  Bytes output; // before the launch
  std::vector<int32_t> scalars;
  uint32_t programs = 1;
};

ParamType pointer(ScalarType type) {
  ParamType made;
  made.kind = ParamType::Kind::Pointer;
  made.type = type;
  made.divisibility = 16;
  return made;
}

ParamType integer(uint32_t divisibility = 1) {
  ParamType made;
  made.divisibility = divisibility;
  return made;
}

Setup setupOf(Kernel kernel) {
  constexpr auto F16 = ScalarType::F16, F32 = ScalarType::F32, I32 = ScalarType::I32;
  switch (kernel) {
  case Kernel::Matmul:
    return {"matmul",
            {pointer(F16), pointer(F16), pointer(F32), integer(), integer(16)},
            {{"SIDE", int64_t(kSide)}, {"STEP", int64_t(kStep)}},
            {elements<_Float16>(kRows * kDepth, [](int i) { return left(i / kDepth, i % kDepth); }),
             elements<_Float16>(kDepth * kSide, [](int i) { return right(i / kSide, i % kSide); })},
            Bytes(size_t(kSide) * kSide * 4, kUntouched),
            {kRows, kDepth}};
  case Kernel::Total:
    return {"total",
            {pointer(F32), pointer(F32), integer()},
            {{"BLOCK", int64_t(kBlock)}},
            {elements<float>(kSummed, summand)},
            Bytes(4, kUntouched),
            {kSummed}};
  case Kernel::Transpose:
    return {"transpose",
            {pointer(F32), pointer(F32)},
            {{"SIDE", int64_t(kSide)}},
            {elements<float>(kSide * kSide, [](int i) { return cell(i / kSide, i % kSide); })},
            Bytes(size_t(kSide) * kSide * 4, kUntouched),
            {}};
  case Kernel::Count:
    return {"count",
            {pointer(I32), pointer(I32), integer()},
            {{"BLOCK", int64_t(kCountBlock)}},
            {elements<int32_t>(kCounted, counter)},
            Bytes(size_t(kCounters) * 4),
            {kCounted},
            (kCounted + kCountBlock - 1) / kCountBlock};
  }
  throw std::logic_error("no such kernel");
}

} // namespace

Artifact compile(Kernel kernel, const std::string &target) {
  Setup setup = setupOf(kernel);
  CompileRequest request;
  request.path = TEGULA_SOURCE_DIR "/tests/rocm/kernels.py";
  request.source = readTextFile(request.path);
  request.kernel = setup.name;
  request.target = target;
  request.signature = setup.signature;
  request.constants = setup.constants;
  CompileResult result = tegulaCompiler(buildId())->compile(request);
  if (!result.artifact)
    throw std::runtime_error(result.error ? format(*result.error) : result.internalError);
  return *result.artifact;
}

MachineCode::MachineCode(Kernel kernel, const std::string &target) : which_(kernel) {
  Artifact artifact = compile(kernel, target);
  threads_ = artifact.threads;
  sharedBytes_ = artifact.sharedBytes;
  program_ = std::make_unique<const emulator::Program>(artifact.binary, target);
  kernel_ = program_->find(artifact.entry);
}

Outcome MachineCode::run(const Code &code) const {
  Setup setup = setupOf(which_);
  emulator::Allocations memory;
  std::vector<void *> buffers;
  auto place = [&](const Bytes &bytes) {
    buffers.push_back(memory.allocate(bytes.size()));
    std::memcpy(buffers.back(), bytes.data(), bytes.size());
  };
  for (const Bytes &input : setup.inputs)
    place(input);
  place(setup.output);

  // The grid is launched whole: hidden arguments of the runtime, a place in a larger grid, are zero.
  std::vector<uint8_t> arguments((kernel_->argumentBytes / 16 + 1) * 16);
  for (size_t i = 0; i < kernel_->arguments.size(); ++i) {
    uint8_t *to = arguments.data() + kernel_->arguments[i].offset;
    if (i < buffers.size())
      std::memcpy(to, &buffers[i], sizeof buffers[i]);
    else if (i < buffers.size() + setup.scalars.size())
      std::memcpy(to, &setup.scalars[i - buffers.size()], sizeof(int32_t));
  }
  emulator::KernelCode changed = *kernel_;
  changed.code = code;
  emulator::Launch launch = {.program = program_.get(),
                             .kernel = &changed,
                             .grid = {setup.programs, 1, 1},
                             .threads = threads_,
                             .sharedBytes = sharedBytes_,
                             .arguments = arguments,
                             .memory = &memory};
  Outcome outcome;
  try {
    emulator::run(launch);
    outcome.output.resize(setup.output.size());
    std::memcpy(outcome.output.data(), buffers.back(), outcome.output.size());
  } catch (const emulator::Fault &fault) {
    outcome.fault = fault.what();
  }
  for (void *buffer : buffers)
    memory.free(buffer);
  return outcome;
}

std::vector<uint8_t> MachineCode::expected() const {
  switch (which_) {
  case Kernel::Matmul:
    return elements<float>(kSide * kSide, [](int i) {
      int sum = 0;
      for (int k = 0; k < kDepth && i / kSide < kRows; ++k)
        sum += left(i / kSide, k) * right(k, i % kSide);
      return sum;
    });
  case Kernel::Total:
    return elements<float>(1, [](int) {
      int sum = 0;
      for (int i = 0; i < kSummed; ++i)
        sum += summand(i);
      return sum;
    });
  case Kernel::Transpose: return elements<float>(kSide * kSide, [](int i) { return cell(i % kSide, i / kSide); });
  case Kernel::Count:
    return elements<int32_t>(kCounters, [](int value) {
      int count = 0;
      for (int i = 0; i < kCounted; ++i)
        count += counter(i) == value;
      return count;
    });
  }
  throw std::logic_error("no such kernel");
}

} // namespace tegula::rocm::test
