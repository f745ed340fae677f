// Prints and assertions: the buffer that the driver supplies, and the moments at which the host prints its content.
#include "tests/cuda/CudaFixture.h"

#include "core/contracts/DeviceOutput.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

uint32_t *bufferOf(const fakecuda::Launch &launch) {
  uint64_t address = 0;
  std::memcpy(&address, launch.params.back().data(), sizeof address);
  return reinterpret_cast<uint32_t *>(address);
}

void write(uint32_t *buffer, uint32_t counter, uint32_t message, uint32_t program, uint32_t element, uint32_t value) {
  bool isLine = counter == kLineCounter;
  uint32_t place = buffer[counter]++;
  if (place >= buffer[isLine ? kLineRoom : kFailureRoom])
    return;
  uint32_t record[] = {message, program, 0, 0, element, 0, value, 0};
  std::ranges::copy(record,
                    buffer + kOutputHeaderWords + (place + (isLine ? buffer[kFailureRoom] : 0)) * kOutputRecordWords);
}

class Prints : public CudaTest {
protected:
  Artifact printing() {
    Artifact made = artifact(".param .u64 b");
    made.hidden = {HiddenArgument::PrintBuffer};
    DeviceMessage line, check;
    line.text = " x: ";
    line.format = DeviceMessage::Format::Signed;
    check.kind = DeviceMessage::Kind::Assert;
    check.text = "small";
    check.locations = {{"k.py", 3, 9}};
    made.messages = {line, check};
    return made;
  }
  LaunchRequest request(uint32_t programs) {
    LaunchRequest made;
    made.grid = {programs, 1, 1};
    made.print = [this](std::string_view text) { printed_ += text; };
    made.sourceLine = [](uint32_t line) { return "line " + std::to_string(line); };
    return made;
  }
  std::string printed_;
};

TEST_F(Prints, LinesComeWithSynchronisation) {
  auto kernel = load(printing());
  int32_t round = 0;
  fake_.kernels["k"] = [&](const fakecuda::Launch &launch) {
    for (uint32_t program = launch.grid[0]; program-- > 0;)
      write(bufferOf(launch), kLineCounter, 0, program, 0, uint32_t(-round));
    ++round;
  };
  void *stream = device().createStream();
  device().launch(stream, *kernel, request(2));
  EXPECT_EQ(printed_, "");
  device().synchronize(stream);
  EXPECT_EQ(printed_, "pid (0, 0, 0) idx () x: 0\npid (1, 0, 0) idx () x: 0\n");
  device().synchronize(stream);
  EXPECT_EQ(std::ranges::count(printed_, '\n'), 2); // once only
  // Launch by launch; the second launch's output is printed when its stream ends.
  printed_.clear();
  device().launch(stream, *kernel, request(1));
  device().launch(stream, *kernel, request(1));
  EXPECT_EQ(printed_, "pid (0, 0, 0) idx () x: -1\n");
  size_t buffers = fake_.liveAllocations;
  EXPECT_EQ(buffers, 1u);
  device().destroyStream(stream);
  EXPECT_EQ(printed_, "pid (0, 0, 0) idx () x: -1\npid (0, 0, 0) idx () x: -2\n");
}

TEST_F(Prints, FailedAssertionsFailSynchronisationOnceAndLeaveTheDevice) {
  auto kernel = load(printing());
  int rounds = 0;
  fake_.kernels["k"] = [&](const fakecuda::Launch &launch) {
    write(bufferOf(launch), kLineCounter, 0, 0, 0, 5);
    if (rounds++ < 2)
      for (uint32_t program : {3, 1, 2})
        write(bufferOf(launch), kFailureCounter, 1, program, 0, 0);
  };
  void *stream = device().createStream();
  device().launch(stream, *kernel, request(4));
  try {
    device().synchronize(stream);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const KernelFault &fault) {
    EXPECT_EQ(format(fault.diagnostic()), "k.py:3:9: error: device_assert failed: small, in program (1, 0, 0)\n"
                                          "    line 3\n          ^\n");
  }
  EXPECT_EQ(printed_, "pid (0, 0, 0) idx () x: 5\n");
  device().synchronize(stream); // thrown only once
  // A failure before another launch is thrown at the next synchronisation, or by a copy to the host.
  device().launch(stream, *kernel, request(4));
  device().launch(stream, *kernel, request(4));
  DeviceMemory memory = device().allocate(64);
  uint8_t byte;
  EXPECT_THAT(messageOf([&] { device().copyToHost(stream, &byte, memory, 0, 1); }), HasSubstr("in program (1, 0, 0)"));
  device().launch(stream, *kernel, request(4));
  device().synchronize(stream);
  device().free(memory);
  device().destroyStream(stream);
}

TEST_F(Prints, AFailedAssertionThatNobodyWaitedForIsPrinted) {
  auto kernel = load(printing());
  fake_.kernels["k"] = [&](const fakecuda::Launch &launch) { write(bufferOf(launch), kFailureCounter, 1, 2, 0, 0); };
  void *stream = device().createStream();
  device().launch(stream, *kernel, request(4));
  testing::internal::CaptureStderr();
  device().destroyStream(stream);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("device_assert failed: small, in program (2, 0, 0)"));
}

TEST_F(Prints, AReceiverMayLaunchAndSynchronise) {
  auto kernel = load(printing());
  int32_t round = 0;
  fake_.kernels["k"] = [&](const fakecuda::Launch &launch) {
    write(bufferOf(launch), kLineCounter, 0, 0, 0, uint32_t(++round));
  };
  void *stream = device().createStream();
  LaunchRequest nesting = request(1);
  nesting.print = [&](std::string_view text) {
    printed_ += text;
    device().launch(stream, *kernel, request(1));
    device().synchronize(stream);
  };
  device().launch(stream, *kernel, nesting);
  device().synchronize(stream);
  EXPECT_EQ(printed_, "pid (0, 0, 0) idx () x: 1\npid (0, 0, 0) idx () x: 2\n");
  device().launch(stream, *kernel, nesting);
  device().launch(stream, *kernel, request(1)); // prints the output of the one before
  device().launch(stream, *kernel, nesting);
  device().destroyStream(stream);
  EXPECT_EQ(std::ranges::count(printed_, '\n'), 7);
  EXPECT_EQ(fake_.liveAllocations, 0u);
}

TEST_F(Prints, AFullBufferSaysHowManyLinesWereLost) {
  ScopedEnvironment small("TEGULA_PRINT_BYTES", "4096");
  auto kernel = load(printing());
  fake_.kernels["k"] = [&](const fakecuda::Launch &launch) {
    for (uint32_t program = 0; program < launch.grid[0]; ++program)
      write(bufferOf(launch), kLineCounter, 0, program, 0, program);
  };
  void *stream = device().createStream();
  device().launch(stream, *kernel, request(1000));
  device().synchronize(stream);
  uint32_t room = OutputRoom(4096).lines;
  EXPECT_EQ(std::ranges::count(printed_, '\n'), room + 1);
  EXPECT_THAT(printed_,
              HasSubstr("\n(" + std::to_string(1000 - room) + " more lines were lost: the print buffer was full"));
  device().destroyStream(stream);
  ScopedEnvironment wrong("TEGULA_PRINT_BYTES", "many");
  stream = device().createStream();
  EXPECT_EQ(messageOf([&] { device().launch(stream, *kernel, request(1)); }),
            "expected TEGULA_PRINT_BYTES to be a number from 4096 to 1073741824, found 'many'");
  device().destroyStream(stream);
}

TEST_F(Prints, OtherKernelsPayNothing) {
  auto kernel = load(artifact());
  void *stream = device().createStream();
  device().launch(stream, *kernel, request(1));
  device().synchronize(stream);
  EXPECT_EQ(fake_.liveAllocations, 0u);
  device().destroyStream(stream);
}

} // namespace
} // namespace tegula::test
