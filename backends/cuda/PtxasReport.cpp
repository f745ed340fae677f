#include "backends/cuda/Ptxas.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tegula::cuda {
namespace {

/// Returns `text` without leading and trailing white space.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

std::optional<uint32_t> numberAt(std::string_view text) {
  uint32_t value = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// The number before `words`, such as 30 in `Used 30 registers`; nothing if `words` is absent.
std::optional<uint32_t> numberBefore(std::string_view text, std::string_view words) {
  size_t at = text.find(words);
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  size_t end = at;
  while (end > 0 && text[end - 1] == ' ')
    --end;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])))
    --begin;
  return numberAt(text.substr(begin, end - begin));
}

/// The number after `words`; 0 if `words` is absent.
uint32_t numberBehind(std::string_view text, std::string_view words) {
  size_t at = text.find(words);
  return at == std::string_view::npos ? 0 : numberAt(text.substr(at + words.size())).value_or(0);
}

/// The first text that is enclosed in single quotes.
std::string quoted(std::string_view text) {
  size_t begin = text.find('\''), end = text.find('\'', begin + 1);
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return {};
  return std::string(text.substr(begin + 1, end - begin - 1));
}

/// Parses one line: `ptxas [FILE, line N; ]KIND : [(CODE) ]TEXT`.
class Parser {
public:
  explicit Parser(PtxasReport &report) : report_(report) {}

  void line(std::string_view text) {
    size_t colon = text.find(" : ");
    if (!text.starts_with("ptxas") || colon == std::string_view::npos) {
      statistics(text);
      return;
    }
    std::string_view head = trimmed(text.substr(0, colon)), body = trimmed(text.substr(colon + 3));
    if (head.ends_with("error") || head.ends_with("fatal"))
      failure(head, body);
    else if (head.ends_with("warning") || body.starts_with("(C"))
      remark(body);
    else
      statistics(body);
  }

private:
  void failure(std::string_view head, std::string_view body) {
    PtxasReport::Failure failure;
    failure.text = body;
    // The line number stands before the message, after the file's name (`FILE, line N`; the last ", line " counts,
    // because the name may contain it, too), or within the message (`at line N`).
    if (size_t at = head.rfind(", line "); at != std::string_view::npos)
      failure.line = numberAt(head.substr(at + 7)).value_or(0);
    else if (size_t place = body.find("at line "); place != std::string_view::npos)
      failure.line = numberAt(body.substr(place + 8)).value_or(0);
    // `lacksRegisters` is set for these two messages: "Insufficient registers (128) to compile instruction at line 9 in
    // function k. Try to compile with register target of 154 or higher.", "Register allocation failed with register
    // count of '64'. Compile the program with ..."
    failure.lacksRegisters = body.find("Insufficient registers") != std::string_view::npos ||
                             body.find("Register allocation failed") != std::string_view::npos;
    if (failure.lacksRegisters) {
      failure.registersNeeded = numberBehind(body, "register target of ");
      failure.registersAllowed =
          std::max(numberBehind(body, "Insufficient registers ("), numberBehind(body, "register count of '"));
    }
    report_.failures.push_back(std::move(failure));
  }

  void remark(std::string_view body) {
    PtxasReport::Remark remark;
    size_t close = body.find(')');
    if (body.starts_with("(C") && close != std::string_view::npos) {
      remark.code = body.substr(1, close - 1);
      body = trimmed(body.substr(close + 1));
    }
    remark.text = body;
    remark.serializesMatmul =
        body.find("wgmma") != std::string_view::npos && body.find("serialized") != std::string_view::npos;
    report_.remarks.push_back(std::move(remark));
  }

  void statistics(std::string_view text) {
    if (text.starts_with("Compiling entry function"))
      report_.kernels.push_back({quoted(text), 0, 0, 0, 0, 0, 0});
    if (report_.kernels.empty())
      return;
    PtxasReport::Kernel &kernel = report_.kernels.back();
    auto take = [&](std::string_view words, uint32_t &field) {
      if (std::optional<uint32_t> value = numberBefore(text, words))
        field = *value;
    };
    take("bytes stack frame", kernel.stackBytes);
    take("bytes spill stores", kernel.spillStoreBytes);
    take("bytes spill loads", kernel.spillLoadBytes);
    take("registers", kernel.registers);
    take("barriers", kernel.barriers);
    take("bytes smem", kernel.sharedBytes);
  }

  PtxasReport &report_;
};

} // namespace

PtxasReport parsePtxasReport(std::string_view output) {
  PtxasReport report;
  Parser parser(report);
  while (!output.empty()) {
    size_t end = output.find('\n');
    parser.line(trimmed(output.substr(0, end)));
    output = end == std::string_view::npos ? std::string_view() : output.substr(end + 1);
  }
  return report;
}

const PtxasReport::Kernel *PtxasReport::find(std::string_view kernel) const {
  auto found = std::ranges::find(kernels, kernel, &Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

bool PtxasReport::serializesMatmul() const { return std::ranges::any_of(remarks, &Remark::serializesMatmul); }

} // namespace tegula::cuda
