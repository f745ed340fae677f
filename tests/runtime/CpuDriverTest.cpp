// The CPU device through the public API, with hand-written bytecode: z[i] = x[i] + y[i] for i < n.
#include "backends/cpu/bytecode/Bytecode.h"
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;
using namespace cpu;

constexpr int64_t kBlock = 8;

/// Writes one function, instruction by instruction.
class Writer {
public:
  explicit Writer(Module &module) : function_(module.functions.emplace_back()) {}

  uint32_t type(ElementKind element, std::vector<int64_t> shape = {}, ElementKind pointee = ElementKind::I8) {
    function_.types.push_back({element, pointee, std::move(shape)});
    return static_cast<uint32_t>(function_.types.size() - 1);
  }
  Register make(uint32_t type) {
    function_.registers.push_back(type);
    return static_cast<Register>(function_.registers.size() - 1);
  }
  Register param(uint32_t type) {
    function_.params.push_back(make(type));
    return function_.params.back();
  }
  Register emit(Opcode opcode, uint32_t type, std::vector<Register> operands, std::vector<int64_t> attributes = {}) {
    Register result = make(type);
    put(opcode, {result}, operands, attributes);
    return result;
  }
  void put(Opcode opcode, std::vector<Register> results, std::vector<Register> operands,
           std::vector<int64_t> attributes = {}) {
    Instruction instruction{};
    instruction.opcode = opcode;
    instruction.resultCount = static_cast<uint8_t>(results.size());
    instruction.operandCount = static_cast<uint8_t>(operands.size());
    instruction.results = append(function_.registersUsed, results);
    instruction.operands = append(function_.registersUsed, operands);
    instruction.attributes = append(function_.integers, attributes);
    instruction.location = 1;
    function_.code.push_back(instruction);
  }
  Function &function() { return function_; }

private:
  template <class T> static uint32_t append(std::vector<T> &pool, const std::vector<T> &values) {
    auto first = static_cast<uint32_t>(pool.size());
    pool.insert(pool.end(), values.begin(), values.end());
    return first;
  }
  Function &function_;
};

std::vector<uint8_t> addKernel() {
  Module module;
  module.file = "file.py";
  module.paramNames = {"x_ptr", "y_ptr", "z_ptr", "n"};
  module.locations = {{}, {3, 9, -1}};
  Writer w(module);
  w.function().name = "add";
  std::vector<int64_t> block = {kBlock};
  uint32_t pointer = w.type(ElementKind::Pointer, {}, ElementKind::F32), scalar = w.type(ElementKind::I32);
  uint32_t pointers = w.type(ElementKind::Pointer, block, ElementKind::F32), indices = w.type(ElementKind::I32, block);
  uint32_t mask = w.type(ElementKind::I1, block), floats = w.type(ElementKind::F32, block);
  Register in[3] = {w.param(pointer), w.param(pointer), w.param(pointer)};
  Register n = w.param(scalar);
  Register size = w.emit(Opcode::ConstInt, scalar, {}, {kBlock});
  Register start = w.emit(Opcode::Mul, scalar, {w.emit(Opcode::ProgramId, scalar, {}, {0}), size});
  Register index = w.emit(Opcode::Add, indices,
                          {w.emit(Opcode::Splat, indices, {start}), w.emit(Opcode::MakeRange, indices, {}, {0})});
  Register inside = w.emit(Opcode::CmpI, mask, {index, w.emit(Opcode::Splat, indices, {n})},
                           {static_cast<int64_t>(IntPredicate::LtS)});
  Register at[3];
  for (int i = 0; i < 3; ++i)
    at[i] = w.emit(Opcode::AddPtr, pointers, {w.emit(Opcode::Splat, pointers, {in[i]}), index});
  Register x = w.emit(Opcode::Load, floats, {at[0], inside}, {0}),
           y = w.emit(Opcode::Load, floats, {at[1], inside}, {0});
  w.put(Opcode::Store, {}, {at[2], w.emit(Opcode::AddF, floats, {x, y}), inside}, {0});
  w.put(Opcode::Return, {}, {});
  verify(module);
  return serialize(module);
}

class CpuDevice : public RuntimeTest {
protected:
  CpuDevice() : cpu_(Device::open("cpu")), stream_(cpu_) {
    fake_.kernels = {makeKernel("add", {"x_ptr", "y_ptr", "z_ptr", "n"})};
    fake_.onCompile = [](const CompileRequest &, CompileResult &result) {
      result.artifact->binary = addKernel();
      result.artifact->ignoresFacts = true;
    };
  }
  Buffer upload(const std::vector<float> &values) {
    Buffer buffer(cpu_, DType::F32, {static_cast<int64_t>(values.size())});
    stream_.write(buffer, values.data());
    return buffer;
  }
  Kernel load() { return Kernel::fromSource("import triton\n@triton.jit\ndef add(): x\n", {}, "file.py"); }

  Device cpu_;
  Stream stream_;
};

TEST_F(CpuDevice, AddsVectorsOfAnyLength) {
  Kernel kernel = load();
  for (int64_t n : {0, 1, 7, 8, 9, 1000}) {
    std::vector<float> x(static_cast<size_t>(n)), y(x), z(x.size(), -1), expected(x);
    std::iota(x.begin(), x.end(), 0.5f);
    std::iota(y.begin(), y.end(), 100.0f);
    for (size_t i = 0; i < x.size(); ++i)
      expected[i] = x[i] + y[i];
    Buffer xs = upload(x), ys = upload(y), zs(cpu_, DType::F32, {n});
    Event start = stream_.record();
    kernel.launch(stream_, {cdiv(n, kBlock)}, {xs, ys, zs, n});
    Event end = stream_.record();
    stream_.read(zs, z.data());
    EXPECT_EQ(z, expected);
    EXPECT_GE(end.secondsSince(start), 0.0);
  }
  EXPECT_EQ(fake_.requests.size(), 1u);
}

TEST_F(CpuDevice, CheckedLaunchesFindAccessesOutside) {
  Buffer x = upload(std::vector<float>(16)), y = upload(std::vector<float>(10)), z(cpu_, DType::F32, {16});
  Kernel kernel = load();
  LaunchOptions checked{.checked = true};
  kernel.launch(stream_, {2}, {x, y, z, 10}, checked);
  ApiError::Kind kind{};
  std::string message = messageOf([&] { kernel.launch(stream_, {2}, {x, y, z, 16}, checked); }, &kind);
  EXPECT_EQ(kind, ApiError::Kind::KernelFault);
  EXPECT_THAT(message, HasSubstr("file.py:3:9"));
  EXPECT_THAT(message, HasSubstr("y_ptr"));
  EXPECT_THAT(message, HasSubstr("def add(): x")) << "the source line";
}

TEST_F(CpuDevice, CheckedLaunchesFindReadsBeforeWrites) {
  Buffer x = upload(std::vector<float>(16)), y(cpu_, DType::F32, {16}), z(cpu_, DType::F32, {16});
  Kernel kernel = load();
  LaunchOptions checked{.checked = true};
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {2}, {x, y, z, 16}, checked); }), HasSubstr("y_ptr"));
  stream_.fill(y.view({8}, {1}), 0);
  kernel.launch(stream_, {1}, {x, y, z, 8}, checked);
  kernel.launch(stream_, {1}, {x, z, y, 8}, checked); // the kernel has written z
  EXPECT_NE(messageOf([&] { kernel.launch(stream_, {2}, {x, z, y, 16}, checked); }), "(nothing was thrown)");
  kernel.launch(stream_, {2}, {x, x, z, 16});
  kernel.launch(stream_, {2}, {x, z, x, 16}, checked); // an unchecked launch may have written all of z
}

TEST_F(CpuDevice, TheEnvironmentTurnsCheckingOn) {
  Buffer x = upload(std::vector<float>(8)), z(cpu_, DType::F32, {8});
  Kernel kernel = load();
  ScopedVariable interpret("TRITON_INTERPRET", "1");
  EXPECT_NE(messageOf([&] { kernel.launch(stream_, {2}, {x, x, z, 16}); }), "(nothing was thrown)");
}

TEST_F(CpuDevice, DamagedBytecodeIsAMessage) {
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) {
    result.artifact->binary = addKernel();
    result.artifact->binary.resize(result.artifact->binary.size() / 2);
  };
  Buffer x = upload(std::vector<float>(8));
  ApiError::Kind kind{};
  EXPECT_NE(messageOf([&] { load().launch(stream_, {1}, {x, x, x, 8}); }, &kind), "(nothing was thrown)");
  EXPECT_EQ(kind, ApiError::Kind::Device);
}

TEST_F(CpuDevice, DescribesItself) {
  const Device::Info &info = cpu_.info();
  EXPECT_THAT(info.description, HasSubstr("core"));
  EXPECT_GT(info.memoryBytes, uint64_t(1) << 20);
  EXPECT_FALSE(info.isRealGpu);
}

} // namespace
} // namespace tegula::test
