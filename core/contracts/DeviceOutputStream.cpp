#include "core/contracts/DeviceOutputStream.h"

#include "core/support/Environment.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tegula {

size_t outputBytes() {
  constexpr size_t kUsual = size_t(1) << 20, kLeast = size_t(4) << 10, kMost = size_t(1) << 30;
  const char *text = environmentValue(Variable::PrintBytes);
  if (!text)
    return kUsual;
  size_t bytes = 0;
  const char *end = text + std::strlen(text);
  auto [at, error] = std::from_chars(text, end, bytes);
  if (error != std::errc() || at != end || bytes < kLeast || bytes > kMost)
    throw Error("expected TEGULA_PRINT_BYTES to be a number from " + std::to_string(kLeast) + " to " +
                std::to_string(kMost) + ", found '" + text + "'");
  return bytes / 32 * 32;
}

bool DeviceOutputStream::continues(const Messages &messages) const {
  auto isLimit = [](const DeviceMessage &message) { return message.kind == DeviceMessage::Kind::Limit; };
  return messages_ && messages_ == messages && std::ranges::all_of(*messages, isLimit);
}

void DeviceOutputStream::begin(Messages messages, const LaunchRequest &request) {
  messages_ = std::move(messages);
  receiver_ = request.print;
  lines_.clear();
  if (!request.sourceLine)
    return;
  for (const DeviceMessage &message : *messages_)
    if (message.kind != DeviceMessage::Kind::Print)
      for (const SourceLocation &location : message.locations)
        lines_.emplace_back(location.line, request.sourceLine(location.line));
}

DeviceOutputStream::Text DeviceOutputStream::finish(size_t bytes, const Read &read) {
  Messages messages = std::exchange(messages_, nullptr);
  Text text;
  text.receiver_ = std::exchange(receiver_, nullptr);
  std::vector<uint32_t> words(kOutputHeaderWords);
  read(0, words.data(), words.size());
  OutputRoom room(bytes); // computed, because a kernel may have overwritten the header
  words[kLineRoom] = room.lines;
  words[kFailureRoom] = room.failures;
  uint32_t lines = std::min(words[kLineCounter], words[kLineRoom]);
  if (lines == 0 && words[kFailureCounter] == 0 && words[kLimit] == kNoLimit)
    return text;
  // The records of lines follow the space for failures.
  size_t failures = std::min(words[kFailureCounter], room.failures);
  words.resize(kOutputHeaderWords + (lines ? room.failures + lines : failures) * kOutputRecordWords);
  auto readRecords = [&](size_t first, size_t count) {
    size_t begin = kOutputHeaderWords + first * kOutputRecordWords;
    if (count)
      read(begin, words.data() + begin, count * kOutputRecordWords);
  };
  readRecords(0, failures);
  readRecords(room.failures, lines);
  DeviceOutput output = decodeOutput(words, *messages, [&](uint32_t line) {
    for (const auto &[number, text] : lines_)
      if (number == line)
        return text;
    return std::string();
  });
  if (output.lost)
    output.lines += "(" + std::to_string(output.lost) + " more lines were lost: the print buffer was full, " +
                    "TEGULA_PRINT_BYTES makes it larger)\n";
  if (output.failure && !failure_)
    failure_ = std::move(output.failure);
  text.lines_ = std::move(output.lines);
  return text;
}

void DeviceOutputStream::Text::print() const {
  if (lines_.empty())
    return;
  if (receiver_)
    receiver_(lines_);
  else
    std::fwrite(lines_.data(), 1, lines_.size(), stdout);
}

void DeviceOutputStream::throwFailure() {
  if (failure_)
    throw KernelFault(*std::exchange(failure_, std::nullopt));
}

} // namespace tegula
