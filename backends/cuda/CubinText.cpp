#include "backends/cuda/CubinText.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace tegula::cuda {
namespace {

/// Copies the ELF header table with `count` entries at byte `offset`; empty if the table would end beyond the end of
/// the file.
template <class Header> std::vector<Header> table(const std::vector<uint8_t> &elf, uint64_t offset, uint64_t count) {
  std::vector<Header> headers;
  if (offset <= elf.size() && count <= (elf.size() - offset) / sizeof(Header)) {
    headers.resize(count);
    std::memcpy(headers.data(), elf.data() + offset, count * sizeof(Header));
  }
  return headers;
}

template <class Header> void put(std::vector<uint8_t> &elf, uint64_t offset, const std::vector<Header> &headers) {
  std::memcpy(elf.data() + offset, headers.data(), headers.size() * sizeof(Header));
}

std::string_view nameOf(const std::vector<uint8_t> &elf, const Elf64_Shdr &names, const Elf64_Shdr &section) {
  uint64_t at = names.sh_offset + section.sh_name;
  if (at >= elf.size())
    return {};
  const char *text = reinterpret_cast<const char *>(elf.data() + at);
  return {text, strnlen(text, elf.size() - at)};
}

/// Removes the bytes of the section `name` from the file. Their number is rounded down to a multiple of the largest
/// alignment of any section, so that the sections after them stay aligned. The section's header stays, because headers
/// refer to each other by number.
void empty(std::vector<uint8_t> &elf, std::string_view name) {
  std::vector<Elf64_Ehdr> header = table<Elf64_Ehdr>(elf, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0)
    return;
  std::vector<Elf64_Shdr> sections = table<Elf64_Shdr>(elf, header[0].e_shoff, header[0].e_shnum);
  std::vector<Elf64_Phdr> segments = table<Elf64_Phdr>(elf, header[0].e_phoff, header[0].e_phnum);
  if (header[0].e_shstrndx >= sections.size() || segments.size() != header[0].e_phnum)
    return;
  const Elf64_Shdr names = sections[header[0].e_shstrndx];
  auto found = std::ranges::find_if(sections, [&](const Elf64_Shdr &each) { return nameOf(elf, names, each) == name; });
  if (found == sections.end() || found->sh_offset > elf.size() || found->sh_size > elf.size() - found->sh_offset)
    return;
  uint64_t begin = found->sh_offset, alignment = 1;
  for (const Elf64_Shdr &section : sections)
    alignment = std::max<uint64_t>(alignment, section.sh_addralign);
  uint64_t removed = found->sh_size / alignment * alignment;
  for (const Elf64_Phdr &segment : segments)
    if (segment.p_offset <= begin && begin < segment.p_offset + segment.p_filesz)
      return; // part of a segment that the driver loads
  auto shift = [&](uint64_t &offset) { offset -= offset > begin ? removed : 0; };
  found->sh_size = 0;
  for (Elf64_Shdr &section : sections)
    shift(section.sh_offset);
  for (Elf64_Phdr &segment : segments)
    shift(segment.p_offset);
  shift(header[0].e_shoff);
  shift(header[0].e_phoff);
  elf.erase(elf.begin() + std::ptrdiff_t(begin), elf.begin() + std::ptrdiff_t(begin + removed));
  put(elf, 0, header);
  put(elf, header[0].e_shoff, sections);
  put(elf, header[0].e_phoff, segments);
}

} // namespace

void removePtx(std::vector<uint8_t> &cubin) {
  for (std::string_view name : {".rela.nv_debug_line_sass", ".nv_debug_line_sass", ".nv_debug_ptx_txt"})
    empty(cubin, name);
}

} // namespace tegula::cuda
