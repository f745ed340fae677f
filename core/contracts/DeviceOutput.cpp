#include "core/contracts/DeviceOutput.h"

#include "core/support/FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <map>

namespace tegula {
namespace {

constexpr size_t kOutputHeaderBytes = kOutputHeaderWords * 4, kOutputRecordBytes = kOutputRecordWords * 4;

template <class... Arguments> void append(std::string &text, const char *format, Arguments... arguments) {
  char buffer[512]; // the longest number, -DBL_MAX in %f, has 317 characters
  std::snprintf(buffer, sizeof buffer, format, arguments...);
  text += buffer;
}

double toNumber(ScalarType type, uint64_t bits) {
  if (type == ScalarType::F64)
    return std::bit_cast<double>(bits);
  if (type == ScalarType::F32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return decodeFloat(floatFormat(type), bits);
}

void appendValue(std::string &text, const DeviceMessage &message, uint64_t bits) {
  unsigned width = bitWidth(message.type), unused = 64 - width;
  uint64_t low = bits << unused >> unused;
  switch (message.format) {
  case DeviceMessage::Format::None: break;
  case DeviceMessage::Format::Signed:
    if (width > 1) {
      append(text, "%" PRId64, static_cast<int64_t>(bits << unused) >> unused);
      break;
    }
    [[fallthrough]]; // a boolean is printed as 0 or 1
  case DeviceMessage::Format::Unsigned: append(text, "%" PRIu64, low); break;
  case DeviceMessage::Format::Float: append(text, "%f", toNumber(message.type, low)); break;
  case DeviceMessage::Format::Hex: append(text, "0x%0*" PRIx64, static_cast<int>(std::max(1u, width / 4)), low); break;
  case DeviceMessage::Format::Address: append(text, "0x%" PRIx64, bits); break;
  }
}

/// The element's index along each axis.
std::vector<int64_t> indexOf(const std::vector<int64_t> &shape, uint32_t element) {
  std::vector<int64_t> index(shape.size());
  int64_t left = element;
  for (size_t axis = shape.size(); axis-- > 0; left /= shape[axis])
    index[axis] = left % shape[axis];
  return index;
}

struct Record {
  uint32_t message = 0;
  std::array<uint32_t, 3> program = {};
  uint32_t element = 0;
  uint64_t bits = 0;
  size_t slot = 0; // position in the buffer; a thread's records are there in the order of time

  /// A sort key that orders programs by axis 2, then 1, then 0, so that axis 0 varies fastest.
  std::array<uint32_t, 3> place() const { return {program[2], program[1], program[0]}; }
};

std::vector<Record> readRecords(std::span<const uint32_t> words, DeviceMessage::Kind kind,
                                std::span<const DeviceMessage> messages) {
  std::vector<Record> records;
  for (; words.size() >= kOutputRecordWords; words = words.subspan(kOutputRecordWords)) {
    Record record{
        words[0], {words[1], words[2], words[3]}, words[4], words[6] | uint64_t(words[7]) << 32, records.size()};
    if (record.message >= messages.size() || messages[record.message].kind != kind)
      throw Error("damaged device output: record " + std::to_string(records.size()) + " is of message " +
                  std::to_string(record.message) + ", the kernel has " + std::to_string(messages.size()));
    records.push_back(record);
  }
  return records;
}

/// Sorts the records of one program's lines from the order of slots to the order in which the CPU backend prints them.
void sortProgram(std::span<Record> records) {
  struct Print {
    bool hasFirst = false; // a record of element 0 exists; its slot is the print's position
    size_t slot = 0;       // of the record of element 0; without one, the lowest slot
    auto operator<=>(const Print &other) const = default;
  };
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> times; // (message, element) -> number of records so far
  std::map<std::pair<uint32_t, uint32_t>, Print> prints;   // (message, its earlier prints) -> print
  std::vector<std::pair<uint32_t, uint32_t>> printOf;
  for (const Record &record : records) {
    std::pair<uint32_t, uint32_t> print = {record.message, times[{record.message, record.element}]++};
    printOf.push_back(print);
    auto [it, isNew] = prints.try_emplace(print, Print{false, record.slot});
    if (record.element == 0)
      it->second = {true, record.slot};
  }
  std::vector<size_t> order(records.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto key = [&](size_t i) {
    const Print &print = prints.at(printOf[i]);
    return std::tuple(!print.hasFirst, print.slot, printOf[i], records[i].element);
  };
  std::ranges::sort(order, {}, key);
  std::vector<Record> sorted;
  for (size_t i : order)
    sorted.push_back(records[i]);
  std::ranges::copy(sorted, records.begin());
}

std::string linesOf(const std::vector<Record> &records, std::span<const DeviceMessage> messages) {
  std::map<std::array<uint32_t, 3>, std::vector<Record>> programs; // program -> its records in slot order
  for (const Record &record : records)
    programs[record.place()].push_back(record);
  std::string lines;
  for (auto &[place, program] : programs) {
    sortProgram(program);
    for (const Record &record : program)
      lines += printedLine(messages[record.message], record.program, record.element, record.bits) + "\n";
  }
  return lines;
}

/// A diagnostic without text, located at the message's place; call sites are added as notes.
Diagnostic locatedAt(const DeviceMessage &message, const SourceLine &sourceLine) {
  auto at = [&](size_t i) {
    Diagnostic diagnostic;
    if (i < message.locations.size()) {
      diagnostic.location = message.locations[i];
      if (sourceLine && diagnostic.location.line)
        diagnostic.sourceLine = sourceLine(diagnostic.location.line);
    }
    return diagnostic;
  };
  Diagnostic diagnostic = at(0);
  for (size_t i = 1; i < message.locations.size(); ++i) {
    Diagnostic note = at(i);
    note.severity = Diagnostic::Severity::Note;
    note.message = "called from here";
    diagnostic.notes.push_back(std::move(note));
  }
  return diagnostic;
}

std::optional<Diagnostic> limitOf(uint32_t number, std::span<const DeviceMessage> messages,
                                  const SourceLine &sourceLine) {
  if (number == kNoLimit)
    return std::nullopt;
  if (number >= messages.size() || messages[number].kind != DeviceMessage::Kind::Limit)
    throw Error("damaged device output: message " + std::to_string(number) + " is no limit, the kernel has " +
                std::to_string(messages.size()) + " messages");
  Diagnostic diagnostic = locatedAt(messages[number], sourceLine);
  diagnostic.message = messages[number].text;
  return diagnostic;
}

std::optional<Diagnostic> failureOf(std::vector<Record> &records, std::span<const DeviceMessage> messages,
                                    const SourceLine &sourceLine) {
  if (records.empty())
    return std::nullopt;
  // A barrier separates the assertions of a program, so the first record belongs to the assertion that failed first.
  // The records of its other elements follow, up to a record of another assertion, or of an element that has occurred
  // already (in the next iteration of a loop).
  auto first = std::ranges::min_element(records, {}, [](const Record &r) { return std::pair(r.place(), r.slot); });
  uint32_t element = first->element;
  std::vector<uint32_t> seen;
  for (auto next = first; next != records.end(); ++next) {
    if (next->program != first->program)
      continue;
    if (next->message != first->message || std::ranges::count(seen, next->element))
      break;
    seen.push_back(next->element);
    element = std::min(element, next->element);
    if (seen.size() > 4096)
      break; // one failed assertion is reported
  }
  const DeviceMessage &message = messages[first->message];
  Diagnostic diagnostic = locatedAt(message, sourceLine);
  diagnostic.message = "device_assert failed";
  if (message.hasElements) {
    std::string index;
    for (int64_t place : indexOf(message.shape, element))
      index += (index.empty() ? "" : ", ") + std::to_string(place);
    diagnostic.message += " for element [" + index + "]";
  }
  if (!message.text.empty())
    diagnostic.message += ": " + message.text;
  const auto &program = first->program;
  diagnostic.message += ", in program (" + std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " +
                        std::to_string(program[2]) + ")";
  return diagnostic;
}

} // namespace

OutputRoom::OutputRoom(size_t bytes) {
  size_t records = bytes < kOutputHeaderBytes ? 0 : (bytes - kOutputHeaderBytes) / kOutputRecordBytes;
  records = std::min<size_t>(records, size_t(1) << 27); // so that offsets in words fit 31 bits
  failures = static_cast<uint32_t>(records / 4);
  lines = static_cast<uint32_t>(records - failures);
}

std::array<uint32_t, kOutputHeaderWords> emptyOutput(size_t bytes) {
  OutputRoom room(bytes);
  return {0, room.lines, 0, room.failures, kNoLimit};
}

DeviceOutput decodeOutput(std::span<const uint32_t> buffer, std::span<const DeviceMessage> messages,
                          const SourceLine &sourceLine) {
  auto part = [&](size_t firstRecord, size_t count) {
    size_t begin = std::min(buffer.size(), kOutputHeaderWords + firstRecord * kOutputRecordWords);
    return buffer.subspan(begin, std::min(buffer.size() - begin, count * kOutputRecordWords));
  };
  if (buffer.size() < kOutputHeaderWords)
    throw InternalError("device output of " + std::to_string(buffer.size()) + " words");
  uint32_t lines = std::min(buffer[kLineCounter], buffer[kLineRoom]);
  uint32_t failures = std::min(buffer[kFailureCounter], buffer[kFailureRoom]);
  std::vector<Record> printed = readRecords(part(buffer[kFailureRoom], lines), DeviceMessage::Kind::Print, messages);
  std::vector<Record> failed = readRecords(part(0, failures), DeviceMessage::Kind::Assert, messages);
  DeviceOutput output;
  output.lost = buffer[kLineCounter] - lines;
  output.lines = linesOf(printed, messages);
  output.failure = limitOf(buffer[kLimit], messages, sourceLine);
  if (!output.failure) // after a limit was reached, assertions may have failed because of it
    output.failure = failureOf(failed, messages, sourceLine);
  if (buffer[kFailureCounter] && !output.failure) {
    output.failure.emplace();
    output.failure->message = "device_assert failed, and the print buffer is too small to say where";
  }
  return output;
}

std::string printedLine(const DeviceMessage &message, const std::array<uint32_t, 3> &program, uint32_t element,
                        uint64_t bits) {
  std::string line;
  append(line, "pid (%u, %u, %u)", program[0], program[1], program[2]);
  if (message.format == DeviceMessage::Format::None)
    return line + message.text;
  line += " idx (";
  std::vector<int64_t> index = indexOf(message.shape, element);
  for (size_t axis = 0; axis < index.size(); ++axis)
    append(line, axis ? ", %*" PRId64 : "%*" PRId64, static_cast<int>(std::to_string(message.shape[axis] - 1).size()),
           index[axis]);
  line += ")" + message.text;
  appendValue(line, message, bits);
  return line;
}

} // namespace tegula
