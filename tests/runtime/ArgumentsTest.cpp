// Arguments: their types, and the messages where they do not fit the kernel.
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <bit>
#include <limits>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class Arguments : public RuntimeTest {
protected:
  Arguments() : x_(device_, DType::F32, {16}), y_(device_, DType::F16, {4, 4}) {
    fake_.kernels = {makeKernel("add", {"x_ptr", "n", "BLOCK"})};
  }
  /// The signature of the compiler's last request.
  std::vector<ParamType> types() const { return fake_.requests.back().signature; }
  uint64_t bits(size_t argument) const { return launches().back().arguments.at(argument).bits; }

  LaunchOptions block_{.constants = {{"BLOCK", 64}}};
  Buffer x_, y_;
};

TEST_F(Arguments, ScalarsAreTypedByTheirValue) {
  struct Case {
    Argument argument;
    ScalarType type;
    uint64_t bits;
  };
  const Case cases[] = {{5, ScalarType::I32, 5},
                        {-5, ScalarType::I32, 0xfffffffbu},
                        {int64_t(1) << 31, ScalarType::I64, uint64_t(1) << 31},
                        {std::numeric_limits<int32_t>::min(), ScalarType::I32, 0x80000000u},
                        {int64_t(-1) << 40, ScalarType::I64, static_cast<uint64_t>(int64_t(-1) << 40)},
                        {1.5, ScalarType::F32, std::bit_cast<uint32_t>(1.5f)},
                        {1e-5f, ScalarType::F32, std::bit_cast<uint32_t>(1e-5f)},
                        {true, ScalarType::I1, 1}};
  for (const Case &c : cases) {
    load("source " + std::to_string(&c - cases)).launch(stream_, {1}, {x_, c.argument}, block_);
    EXPECT_EQ(types()[1].kind, ParamType::Kind::Scalar);
    EXPECT_EQ(types()[1].type, c.type);
    EXPECT_EQ(bits(1), c.bits);
  }
  EXPECT_EQ(types()[0].kind, ParamType::Kind::Pointer);
  EXPECT_EQ(types()[0].type, ScalarType::F32);
  EXPECT_EQ(bits(0), x_.address());
}

TEST_F(Arguments, AnnotationsDecideTheType) {
  auto launch = [&](ScalarType annotated, Argument value) {
    fake_.kernels[0].params[1].annotatedType = annotated;
    load(std::string(name(annotated))).launch(stream_, {1}, {x_, value}, block_);
    return bits(1);
  };
  EXPECT_EQ(launch(ScalarType::I64, -1), ~uint64_t(0));
  EXPECT_EQ(launch(ScalarType::I8, -1), 0xffu);
  EXPECT_EQ(launch(ScalarType::U8, 255), 0xffu);
  EXPECT_EQ(launch(ScalarType::F16, 1.0), 0x3c00u);
  EXPECT_EQ(launch(ScalarType::F64, 3), std::bit_cast<uint64_t>(3.0));
  EXPECT_EQ(launch(ScalarType::I32, true), 1u);
  EXPECT_EQ(types()[1].type, ScalarType::I32);
  EXPECT_THAT(messageOf([&] { launch(ScalarType::I8, 128); }),
              HasSubstr("parameter 'n' of kernel 'add' is annotated i8; 128 does not fit"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::U32, -1); }), HasSubstr("annotated u32; -1 does not fit"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::I32, 1.5); }), HasSubstr("annotated i32; the float 1.5 was given"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::I32, y_); }),
              HasSubstr("annotated i32; a buffer was given, a number is expected"));
}

TEST_F(Arguments, ArraysSuitAnnotatedPointers) {
  auto launch = [&](ScalarType annotated, DType given, bool asAddress = false) {
    KernelInfo::Param &param = fake_.kernels[0].params[0];
    param.annotatedType = annotated;
    param.isAnnotatedPointer = true;
    Buffer array(device_, given, {4});
    Argument argument = asAddress ? Argument(DeviceAddress{array.address(), given}) : Argument(array);
    load(std::string(name(annotated))).launch(stream_, {1}, {argument, 4}, block_);
    return types()[0].type;
  };
  EXPECT_EQ(launch(ScalarType::I64, DType::I64), ScalarType::I64);
  EXPECT_EQ(launch(ScalarType::U32, DType::I32), ScalarType::U32);
  EXPECT_EQ(launch(ScalarType::I1, DType::U8), ScalarType::I1);
  EXPECT_EQ(launch(ScalarType::F8E5M2, DType::U8), ScalarType::F8E5M2);
  EXPECT_THAT(
      messageOf([&] { launch(ScalarType::I64, DType::I32); }),
      HasSubstr("parameter 'x_ptr' of kernel 'add' is given an i32 array for a pointer to i64; pass an array of "
                "i64 or change the annotation"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::I64, DType::I32, true); }),
              HasSubstr("an i32 array for a pointer to i64"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::I32, DType::F32); }), HasSubstr("an f32 array for a pointer to i32"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::F16, DType::BF16); }), HasSubstr("a bf16 array for a pointer to f16"));
  EXPECT_THAT(messageOf([&] { launch(ScalarType::I8, DType::I16); }), HasSubstr("an i16 array for a pointer to i8"));
  fake_.kernels[0].params[0].annotatedType = ScalarType::I64;
  for (const Argument &number : {Argument(5), Argument(5.0), Argument(true)})
    EXPECT_THAT(messageOf([&] { load("number").launch(stream_, {1}, {number, 4}, block_); }),
                HasSubstr("is annotated *i64; "));
}

TEST_F(Arguments, NoneIsSpecialised) {
  Kernel kernel = load();
  kernel.launch(stream_, {1}, {nullptr, 4}, block_);
  EXPECT_EQ(types()[0].kind, ParamType::Kind::Constant);
  EXPECT_EQ(launches().back().arguments.size(), 1u);
  EXPECT_EQ(bits(0), 4u);
}

TEST_F(Arguments, DescriptorsAndPointerArrays) {
  Kernel kernel = load();
  kernel.launch(stream_, {1}, {TensorDescriptor(y_, {2, 4}), 4}, block_);
  EXPECT_EQ(types()[0].kind, ParamType::Kind::Descriptor);
  EXPECT_EQ(types()[0].type, ScalarType::F16);
  EXPECT_EQ(types()[0].block, (std::vector<int64_t>{2, 4}));
  PointerArray pointers(stream_, {x_, x_});
  kernel.launch(stream_, {1}, {pointers, 4}, block_);
  EXPECT_EQ(types()[0].kind, ParamType::Kind::PointerToPointers);
  EXPECT_EQ(types()[0].type, ScalarType::F32);
  uint64_t addresses[2] = {};
  stream_.read(pointers.addresses, addresses);
  EXPECT_EQ(addresses[0], x_.address());
  EXPECT_THAT(messageOf([&] { PointerArray(stream_, {x_, y_}); }),
              HasSubstr("pointers to f32 and to f16 in one array"));
  EXPECT_THAT(messageOf([&] { PointerArray(stream_, {}); }), HasSubstr("no pointers"));
}

TEST_F(Arguments, BadDescriptors) {
  EXPECT_THAT(messageOf([&] { TensorDescriptor(y_, {4}); }),
              HasSubstr("block of rank 1 (4) over a tensor of rank 2 (4x4)"));
  EXPECT_THAT(messageOf([&] { TensorDescriptor(y_, {4, 3}); }), HasSubstr("power of two"));
  EXPECT_THAT(messageOf([&] { TensorDescriptor(y_.transposed(), {4, 4}); }),
              HasSubstr("last stride is 4; it must be 1"));
  Buffer ints(device_, DType::I32, {4});
  EXPECT_THAT(messageOf([&] { TensorDescriptor(ints, {4}, true); }), HasSubstr("only floats have NaN"));
}

TEST_F(Arguments, CountsAreChecked) {
  Kernel kernel = load();
  ApiError::Kind kind{};
  EXPECT_EQ(messageOf([&] { kernel.launch(stream_, {1}, {x_}, block_); }, &kind),
            "kernel 'add' takes 2 arguments (x_ptr and n), 1 was given; 'n' is missing");
  EXPECT_EQ(kind, ApiError::Kind::BadUse);
  EXPECT_EQ(messageOf([&] { kernel.launch(stream_, {1}, {x_, 1, 2, 3}, block_); }),
            "kernel 'add' takes 2 arguments (x_ptr and n), 4 were given; constexpr parameters go among the constants, "
            "or all 3 parameters "
            "are given in order");
  EXPECT_EQ(messageOf([&] { kernel.launch(stream_, {1}, NamedArguments{{"x_ptr", x_}}, block_); }),
            "kernel 'add' needs an argument for its parameter 'n'; 1 argument was given");
  EXPECT_EQ(
      messageOf([&] { kernel.launch(stream_, {1}, NamedArguments{{"x_ptr", x_}, {"n", 1}, {"xptr", x_}}, block_); }),
      "kernel 'add' has no parameter 'xptr'; it has x_ptr, n and BLOCK; did you mean 'x_ptr'?");
  EXPECT_EQ(messageOf([&] { kernel.launch(stream_, {1}, NamedArguments{{"xptr", x_}, {"n", 1}}, block_); }),
            "kernel 'add' has no parameter 'xptr'; it has x_ptr, n and BLOCK; did you mean 'x_ptr'?");
  EXPECT_TRUE(fake_.requests.empty());
}

TEST_F(Arguments, TwoBuffersInBracesAreTwoArguments) {
  fake_.kernels = {makeKernel("copy", {"x_ptr", "y_ptr"})};
  Kernel kernel = load();
  kernel.launch(stream_, {1}, {x_, y_});
  kernel.launch(stream_, {1}, {{"y_ptr", y_}, {"x_ptr", x_}});
  ASSERT_EQ(launches().size(), 2u);
  EXPECT_EQ(launches()[0].arguments[1].bits, launches()[1].arguments[1].bits);
}

TEST_F(Arguments, ConstantsMayStandAtTheirPlace) {
  Kernel kernel = load();
  kernel.launch(stream_, {1}, {x_, 4, 128});
  EXPECT_EQ(fake_.requests.back().constants.at("BLOCK"), ConstantValue(int64_t(128)));
  kernel.launch(stream_, {1}, NamedArguments{{"x_ptr", x_}, {"n", 4}, {"BLOCK", 256}});
  EXPECT_EQ(fake_.requests.back().constants.at("BLOCK"), ConstantValue(int64_t(256)));
  EXPECT_EQ(messageOf([&] { kernel.launch(stream_, {1}, {x_, 4, 128}, block_); }),
            "parameter 'BLOCK' of kernel 'add' is given twice, among the arguments and among the constants");
  EXPECT_EQ(messageOf([&] { kernel.launch(stream_, {1}, {x_, 4, x_}); }),
            "parameter 'BLOCK' of kernel 'add' is constexpr; a buffer was given, a constant is expected");
}

TEST_F(Arguments, DefaultsFillIn) {
  fake_.kernels[0].params[1].defaultValue = ConstantValue(int64_t(7));
  Kernel kernel = load();
  kernel.launch(stream_, {1}, {{"x_ptr", x_}}, block_);
  EXPECT_EQ(bits(1), 7u);
  kernel.launch(stream_, {1}, std::vector<Argument>{x_}, block_);
  EXPECT_EQ(bits(1), 7u);
  fake_.kernels[0].params[1].defaultValue = ConstantValue(std::string("relu"));
  load("other").launch(stream_, {1}, {{"x_ptr", x_}}, block_);
  EXPECT_EQ(types()[1].value, ConstantValue(std::string("relu")));
}

TEST_F(Arguments, BuffersOfAnotherDeviceAreNamed) {
  Device other = Device::open("cpu");
  Buffer there(other, DType::F32, {16});
  EXPECT_EQ(messageOf([&] { load().launch(stream_, {1}, {there, 4}, block_); }),
            "parameter 'x_ptr' of kernel 'add' is on device cpu, the launch is on device null");
  EXPECT_THAT(messageOf([&] { stream_.fill(there, 0); }),
              HasSubstr("cannot fill a buffer of device cpu on a stream of device null"));
}

TEST_F(Arguments, OpeningADeviceTwiceSharesIt) {
  Buffer again(Device::open("null"), DType::F32, {16});
  load().launch(stream_, {1}, {again, 4}, block_);
  EXPECT_EQ(bits(0), again.address());
}

TEST_F(Arguments, GridsAreChecked) {
  Kernel kernel = load();
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {4, -1}, {x_, 4}, block_); }),
              HasSubstr("grid axis 1 of kernel 'add' is -1; it must be from 0 to 2147483647"));
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {int64_t(1) << 31}, {x_, 4}, block_); }),
              HasSubstr("grid axis 0"));
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {1 << 30, 1 << 30, 1 << 30}, {x_, 4}, block_); }),
              HasSubstr("more than 2^63 programs"));
  kernel.launch(stream_, {4, 0}, {x_, 4}, block_);
  EXPECT_TRUE(launches().empty());
  kernel.launch(stream_, {3, 2}, {x_, 4}, block_);
  EXPECT_EQ(launches().back().grid, (std::array<uint32_t, 3>{3, 2, 1}));
}

TEST_F(Arguments, GridFunctionsSeeTheResolvedConstants) {
  fake_.kernels[0].params[2].defaultValue = ConstantValue(int64_t(32));
  load().launch(
      stream_,
      [](const std::map<std::string, Constant> &c) { return Grid(std::get<int64_t>(c.at("BLOCK").value()) / 8); },
      {x_, 4});
  EXPECT_EQ(launches().back().grid[0], 4u);
}

TEST_F(Arguments, CheckedLaunchesNeedADeviceThatCan) {
  EXPECT_THAT(messageOf([&] { load().launch(stream_, {1}, {x_, 4}, {.constants = {{"BLOCK", 64}}, .checked = true}); }),
              HasSubstr("device null cannot check launches"));
  ScopedVariable interpret("TRITON_INTERPRET", "1");
  EXPECT_THAT(messageOf([&] { load().launch(stream_, {1}, {x_, 4}, block_); }), HasSubstr("cannot check launches"));
  load().launch(stream_, {1}, {x_, 4}, {.constants = {{"BLOCK", 64}}, .checked = false});
  EXPECT_EQ(launches().size(), 1u);
}

} // namespace
} // namespace tegula::test
