// How many parameters PTX text and a cubin declare.
#include "backends/cuda/Parameters.h"

#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace tegula::cuda {
namespace {

using Bytes = std::vector<uint8_t>;

std::optional<size_t> inText(std::string_view text) {
  return parametersOf({reinterpret_cast<const uint8_t *>(text.data()), text.size()}, "k");
}

TEST(Parameters, OfText) {
  EXPECT_EQ(inText(".visible .entry k(\n  .param .u64 x, .param .align 64 .b8 d[128], .param .u32 n)\n{ ret; }"), 3u);
  EXPECT_EQ(inText(".entry k()\n{\n ld.param.u32 %r0, [n];\n}"), 0u);
  EXPECT_EQ(inText(".entry k\n{ ret; }"), 0u);
  EXPECT_EQ(inText(".entry k2(.param .u32 n) { ret; }\n.entry k(.param .u32 n, .param .u32 m) { ret; }"), 2u);
  EXPECT_EQ(inText(".entry k2(.param .u32 n) { ret; }"), std::nullopt);
  EXPECT_EQ(inText(""), std::nullopt);
  EXPECT_EQ(inText(".entry k"), std::nullopt);
}

void append(Bytes &to, const void *from, size_t bytes) {
  const auto *first = static_cast<const uint8_t *>(from);
  to.insert(to.end(), first, first + bytes);
}

/// An ELF file whose only content is a section `.nv.info.k`, made of the bytes `info`.
Bytes cubin(const Bytes &info) {
  const std::string names("\0.shstrtab\0.nv.info.k\0", 22);
  Bytes file(sizeof(Elf64_Ehdr));
  auto section = [&](uint32_t name, const void *content, size_t bytes) {
    Elf64_Shdr header = {};
    header.sh_name = name;
    header.sh_offset = file.size();
    header.sh_size = bytes;
    append(file, content, bytes);
    return header;
  };
  const Elf64_Shdr sections[] = {{}, section(1, names.data(), names.size()), section(11, info.data(), info.size())};
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shoff = file.size();
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  std::memcpy(file.data(), &header, sizeof(header));
  append(file, sections, sizeof(sections));
  return file;
}

TEST(Parameters, OfCubin) {
  // As ptxas 13.0 writes them: a sized record, two parameters, a record whose 16 bits are its value.
  const Bytes info = {0x04, 0x37, 0x04, 0x00, 0x82, 0x00, 0x00, 0x00, 0x04, 0x17, 0x0c, 0x00, 0x00, 0x00, 0x00,
                      0x00, 0x01, 0x00, 0x08, 0x00, 0x00, 0xf0, 0x11, 0x00, 0x04, 0x17, 0x0c, 0x00, 0x00, 0x00,
                      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0x21, 0x00, 0x03, 0x17, 0x04, 0x17};
  Bytes file = cubin(info);
  EXPECT_TRUE(isCubin(file));
  EXPECT_EQ(parametersOf(file, "k"), 2u);
  EXPECT_EQ(parametersOf(file, "other"), std::nullopt);
  EXPECT_EQ(parametersOf(cubin({}), "k"), 0u);
  EXPECT_EQ(parametersOf(cubin({0x04, 0x17}), "k"), std::nullopt);
  // Of a damaged file nothing is known, and nothing beyond its end is read.
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_EQ(parametersOf(std::span(file).first(size), "k"), std::nullopt) << size;
  for (size_t at = SELFMAG; at < file.size(); ++at) {
    Bytes damaged = file;
    damaged[at] ^= 0xff;
    parametersOf(damaged, "k");
  }
}

} // namespace
} // namespace tegula::cuda
