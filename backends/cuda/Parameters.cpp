#include "backends/cuda/Parameters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <elf.h>
#include <string>

namespace tegula::cuda {
namespace {

using Bytes = std::span<const uint8_t>;

/// Reads a value at byte `offset`, aligned or not; nothing if it would end beyond the bytes.
template <class T> std::optional<T> readAt(Bytes bytes, uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<Bytes> part(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size)
    return std::nullopt;
  return bytes.subspan(offset, size);
}

std::optional<Bytes> sectionOf(Bytes elf, std::string_view name) {
  std::optional<Elf64_Ehdr> header = readAt<Elf64_Ehdr>(elf, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  auto section = [&](uint64_t index) { return readAt<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr)); };
  std::optional<Elf64_Shdr> names = section(header->e_shstrndx);
  std::optional<Bytes> texts = names ? part(elf, names->sh_offset, names->sh_size) : std::nullopt;
  for (uint64_t i = 0; texts && i < header->e_shnum; ++i) {
    std::optional<Elf64_Shdr> found = section(i);
    if (!found || found->sh_name >= texts->size())
      return std::nullopt;
    Bytes rest = texts->subspan(found->sh_name);
    std::string_view text(reinterpret_cast<const char *>(rest.data()), rest.size());
    if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '\0')
      return part(elf, found->sh_offset, found->sh_size);
  }
  return std::nullopt;
}

/// A record is one byte of format, one byte of attribute and 16 bits. The 16 bits are the record's value, or with
/// format kSized the number of bytes that follow.
std::optional<size_t> parameterRecords(Bytes info) {
  constexpr uint8_t kSized = 4, kParameter = 0x17;
  size_t count = 0;
  for (uint64_t at = 0; at < info.size();) {
    std::optional<uint16_t> value = readAt<uint16_t>(info, at + 2);
    if (!value)
      return std::nullopt;
    count += info[at] == kSized && info[at + 1] == kParameter;
    at += 4 + (info[at] == kSized ? *value : 0);
  }
  return count;
}

std::optional<size_t> parametersInText(std::string_view text, std::string_view entry) {
  auto skipSpaces = [&](size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    return at;
  };
  constexpr std::string_view directive = ".entry", parameter = ".param";
  for (size_t at = text.find(directive); at != std::string_view::npos; at = text.find(directive, at)) {
    at = skipSpaces(at + directive.size());
    if (!text.substr(at).starts_with(entry))
      continue;
    at = skipSpaces(at + entry.size());
    if (at == text.size() || (text[at] != '(' && text[at] != '{'))
      continue; // a longer name that begins alike, or directives without a parameter list
    std::string_view list = text[at] == '(' ? text.substr(at, text.find(')', at) - at) : std::string_view();
    size_t count = 0;
    for (size_t found = list.find(parameter); found != std::string_view::npos; found = list.find(parameter, found + 1))
      ++count;
    return count;
  }
  return std::nullopt;
}

} // namespace

bool isCubin(Bytes code) {
  constexpr std::array<uint8_t, 4> elf = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3};
  return code.size() >= elf.size() && std::equal(elf.begin(), elf.end(), code.begin());
}

std::optional<size_t> parametersOf(Bytes code, std::string_view entry) {
  if (!isCubin(code))
    return parametersInText({reinterpret_cast<const char *>(code.data()), code.size()}, entry);
  std::optional<Bytes> info = sectionOf(code, ".nv.info." + std::string(entry));
  return info ? parameterRecords(*info) : std::nullopt;
}

} // namespace tegula::cuda
