// Device output: the host's text for records that threads wrote in any order.
#include "core/contracts/DeviceOutputStream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

using namespace tegula;

namespace {

using Format = DeviceMessage::Format;
using Words = std::vector<uint32_t>;

DeviceMessage print(std::string text, Format format, ScalarType type, std::vector<int64_t> shape = {}) {
  DeviceMessage message;
  message.text = std::move(text);
  message.format = format;
  message.type = type;
  message.hasElements = !shape.empty();
  message.shape = std::move(shape);
  return message;
}

DeviceMessage assertion(std::string text, std::vector<int64_t> shape = {}) {
  DeviceMessage message = print(std::move(text), Format::None, ScalarType::I1, std::move(shape));
  message.kind = DeviceMessage::Kind::Assert;
  message.locations = {{"k.py", 7, 5}, {"k.py", 9, 1}};
  return message;
}

struct Record {
  uint32_t message, program, element, thread;
  uint64_t bits;
};

/// A buffer as a device leaves it: records beyond its size are only counted.
Words buffer(const std::vector<Record> &lines, const std::vector<Record> &failures, size_t bytes = 1 << 16) {
  auto header = emptyOutput(bytes);
  Words words(bytes / 4, 0xdeadbeef);
  std::ranges::copy(header, words.begin());
  auto put = [&](const std::vector<Record> &records, uint32_t counter, uint32_t room, size_t first) {
    for (size_t i = 0; i < records.size(); ++i) {
      if (words[counter]++ >= words[room])
        continue;
      const Record &r = records[i];
      uint32_t all[] = {r.message, r.program, 2, 3, r.element, r.thread, uint32_t(r.bits), uint32_t(r.bits >> 32)};
      std::ranges::copy(all, words.begin() + ptrdiff_t(kOutputHeaderWords + (first + i) * kOutputRecordWords));
    }
  };
  put(lines, kLineCounter, kLineRoom, words[kFailureRoom]);
  put(failures, kFailureCounter, kFailureRoom, 0);
  return words;
}

std::string line(Format format, ScalarType type, uint64_t bits) {
  return printedLine(print(" v: ", format, type), {1, 0, 2}, 0, bits);
}

TEST(DeviceOutput, WritesValuesAsTheCpuDoes) {
  EXPECT_EQ(line(Format::Signed, ScalarType::I8, 0xfd), "pid (1, 0, 2) idx () v: -3");
  EXPECT_EQ(line(Format::Unsigned, ScalarType::I8, 0xfd), "pid (1, 0, 2) idx () v: 253");
  EXPECT_EQ(line(Format::Unsigned, ScalarType::I64, ~uint64_t(0)), "pid (1, 0, 2) idx () v: 18446744073709551615");
  EXPECT_EQ(line(Format::Signed, ScalarType::I64, ~uint64_t(0)), "pid (1, 0, 2) idx () v: -1");
  EXPECT_EQ(line(Format::Signed, ScalarType::I1, 1), "pid (1, 0, 2) idx () v: 1");
  EXPECT_EQ(line(Format::Hex, ScalarType::I32, 255), "pid (1, 0, 2) idx () v: 0x000000ff");
  EXPECT_EQ(line(Format::Hex, ScalarType::F16, 0x3c00), "pid (1, 0, 2) idx () v: 0x3c00");
  EXPECT_EQ(line(Format::Hex, ScalarType::I1, 1), "pid (1, 0, 2) idx () v: 0x1");
  EXPECT_EQ(line(Format::Float, ScalarType::F16, 0x3c00), "pid (1, 0, 2) idx () v: 1.000000");
  EXPECT_EQ(line(Format::Float, ScalarType::BF16, 0xbfc0), "pid (1, 0, 2) idx () v: -1.500000");
  EXPECT_EQ(line(Format::Float, ScalarType::F64, std::bit_cast<uint64_t>(0.1)), "pid (1, 0, 2) idx () v: 0.100000");
  EXPECT_EQ(line(Format::Address, ScalarType::I64, 4096), "pid (1, 0, 2) idx () v: 0x1000");
  EXPECT_EQ(printedLine(print(" here", Format::None, ScalarType::I32), {}, 0, 0), "pid (0, 0, 0) here");
  EXPECT_EQ(printedLine(print(" x: ", Format::Signed, ScalarType::I32, {2, 11}), {}, 14, 5),
            "pid (0, 0, 0) idx (1,  3) x: 5");
}

/// The records of `threads` threads that each run a loop of three prints, merged in a random order that keeps each
/// thread's.
std::vector<Record> interleaved(std::mt19937 &random, uint32_t programs, uint32_t threads) {
  std::vector<std::vector<Record>> sources;
  for (uint32_t p = 0; p < programs; ++p)
    for (uint32_t t = 0; t < threads; ++t) {
      std::vector<Record> &mine = sources.emplace_back();
      for (uint32_t k = 0; k < 3; ++k) {
        if (t == 0)
          mine.push_back({1, p, 0, t, k});
        for (uint32_t e = t; e < 12; e += threads)
          mine.push_back({0, p, e, t, 100 * k + e});
      }
    }
  std::vector<Record> merged;
  std::vector<size_t> next(sources.size());
  while (merged.size() < size_t(programs) * 39) {
    size_t source = random() % sources.size();
    if (next[source] < sources[source].size())
      merged.push_back(sources[source][next[source]++]);
  }
  return merged;
}

TEST(DeviceOutput, LinesAreInTheProgramsOrderWhateverTheThreadsOrder) {
  std::vector<DeviceMessage> messages = {print(" x: ", Format::Signed, ScalarType::I32, {12}),
                                         print(" k: ", Format::Signed, ScalarType::I32)};
  std::string expected;
  for (uint32_t p = 0; p < 3; ++p)
    for (uint32_t k = 0; k < 3; ++k) {
      expected += printedLine(messages[1], {p, 2, 3}, 0, k) + "\n";
      for (uint32_t e = 0; e < 12; ++e)
        expected += printedLine(messages[0], {p, 2, 3}, e, 100 * k + e) + "\n";
    }
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    EXPECT_EQ(decodeOutput(buffer(interleaved(random, 3, 1 + seed % 5), {}), messages, {}).lines, expected) << seed;
  }
}

TEST(DeviceOutput, ProgramsCountAlongAxis0First) {
  std::vector<DeviceMessage> messages = {print("", Format::None, ScalarType::I32)};
  Words words = buffer({{0, 1, 0, 0, 0}, {0, 0, 0, 0, 0}}, {});
  size_t first = kOutputHeaderWords + words[kFailureRoom] * kOutputRecordWords;
  words[first + 3] = 0; // the first record is that of program (1, 2, 0)
  EXPECT_EQ(decodeOutput(words, messages, {}).lines, "pid (1, 2, 0)\npid (0, 2, 3)\n");
}

TEST(DeviceOutput, SaysHowMuchWasLost) {
  std::vector<DeviceMessage> messages = {print("", Format::Signed, ScalarType::I32, {1024})};
  std::vector<Record> lines;
  for (uint32_t e = 0; e < 1024; ++e)
    lines.push_back({0, 0, e, 0, e});
  DeviceOutput output = decodeOutput(buffer(lines, {}, 4096), messages, {});
  OutputRoom room(4096);
  EXPECT_EQ(room.lines + room.failures, 127u);
  EXPECT_EQ(std::ranges::count(output.lines, '\n'), room.lines);
  EXPECT_EQ(output.lost, 1024 - room.lines);
}

TEST(DeviceOutput, CountsBeyondTheBufferAreCutToIt) {
  auto messages = std::make_shared<std::vector<DeviceMessage>>();
  messages->push_back(print("", Format::Signed, ScalarType::I32, {1024}));
  std::vector<Record> lines(1024);
  for (size_t bytes : {4096, 8192}) {
    OutputRoom room(bytes);
    for (uint32_t claimedRoom : {room.lines, 1000000u, ~uint32_t(0)}) {
      Words words = buffer(lines, {}, bytes);
      words[kLineCounter] = words[kFailureCounter] = ~uint32_t(0);
      words[kLineRoom] = claimedRoom;
      if (claimedRoom != room.lines)
        words[kFailureRoom] = claimedRoom;
      std::fill_n(words.begin() + kOutputHeaderWords, room.failures * kOutputRecordWords, 0);
      DeviceOutputStream stream;
      std::string said;
      LaunchRequest request;
      request.print = [&](std::string_view text) { said += text; };
      stream.begin(messages, request);
      size_t read = 0;
      auto copy = [&](size_t first, uint32_t *to, size_t count) {
        ASSERT_LE(first + count, words.size());
        std::copy_n(words.begin() + ptrdiff_t(first), count, to);
        read += count;
      };
      // Records of failures name a message that is none: an error, not an access beyond the buffer.
      EXPECT_THROW((void)stream.finish(bytes, copy), Error);
      EXPECT_EQ(read, kOutputHeaderWords + (room.failures + room.lines) * kOutputRecordWords);
      words[kFailureCounter] = 0;
      stream.begin(messages, request);
      stream.finish(bytes, copy).print();
      EXPECT_EQ(std::ranges::count(said, '\n'), room.lines + 1);
      EXPECT_THAT(said, testing::HasSubstr("(" + std::to_string(~uint32_t(0) - room.lines) + " more lines were lost"));
    }
  }
}

TEST(DeviceOutput, FailureIsTheFirstOfTheLowestProgram) {
  std::vector<DeviceMessage> messages = {assertion("later", {8}), assertion("first", {4, 8})};
  auto text = [&](std::vector<Record> failures) {
    return format(*decodeOutput(buffer({}, failures), messages, [](uint32_t line) {
                     return line == 7 ? std::string("    check(x)") : std::string();
                   }).failure);
  };
  std::string expected = "k.py:7:5: error: device_assert failed for element [0, 6]: first, in program (1, 2, 3)\n"
                         "        check(x)\n        ^\nk.py:9:1: note: called from here\n";
  EXPECT_EQ(text({{0, 4, 0, 0, 0}, {1, 1, 9, 5, 0}, {1, 1, 6, 2, 0}, {0, 1, 3, 0, 0}}), expected);
  // A later iteration of a loop fails at a lower element.
  EXPECT_EQ(text({{1, 1, 6, 2, 0}, {1, 1, 6, 2, 0}, {1, 1, 0, 2, 0}}), expected);
}

TEST(DeviceOutput, LimitsOfTheDeviceComeBeforeAssertions) {
  DeviceMessage limit = assertion("the device gives up; use another");
  limit.kind = DeviceMessage::Kind::Limit;
  std::vector<DeviceMessage> messages = {assertion("a consequence"), limit};
  Words words = buffer({}, {{0, 0, 0, 0, 0}});
  EXPECT_EQ(words[kLimit], kNoLimit);
  words[kLimit] = 1;
  EXPECT_EQ(format(*decodeOutput(words, messages, {}).failure),
            "k.py:7:5: error: the device gives up; use another\nk.py:9:1: note: called from here\n");
  for (uint32_t wrong : {0, 2}) {
    words[kLimit] = wrong;
    EXPECT_THROW(decodeOutput(words, messages, {}), Error) << wrong;
  }
}

TEST(DeviceOutput, FailureWithoutRoomIsOneStill) {
  std::vector<DeviceMessage> messages = {assertion("x")};
  Words words = buffer({}, {{0, 0, 0, 0, 0}}, 64);
  EXPECT_EQ(words[kFailureRoom], 0u);
  EXPECT_THAT(decodeOutput(words, messages, {}).failure->message, testing::HasSubstr("too small to say where"));
}

TEST(DeviceOutput, RefusesRecordsOfOtherKernels) {
  std::vector<DeviceMessage> messages = {assertion("x")};
  EXPECT_THROW(decodeOutput(buffer({{0, 0, 0, 0, 0}}, {}), messages, {}), Error);
  EXPECT_THROW(decodeOutput(buffer({}, {{1, 0, 0, 0, 0}}), messages, {}), Error);
}

} // namespace
