#include "tests/emulator/Program.h"
#include "tests/emulator/Decoder.h"
#include "tests/emulator/Wave.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

namespace tegula::emulator {
namespace {

using namespace llvm;
using Elf = object::ELF64LE;

template <class T> T orFault(Expected<T> value, const char *what) {
  if (!value)
    throw Fault(std::string("damaged code object: ") + what + ": " + toString(value.takeError()));
  return std::move(*value);
}

constexpr unsigned kMetadataNote = 32; // NT_AMDGPU_METADATA

/// The bytes at a virtual address, up to the end of the section that holds it.
std::span<const uint8_t> bytesAt(const object::ELFFile<Elf> &file, uint64_t address) {
  for (const Elf::Shdr &section : orFault(file.sections(), "sections"))
    if (section.sh_type == ELF::SHT_PROGBITS && address >= section.sh_addr &&
        address < section.sh_addr + section.sh_size) {
      ArrayRef<uint8_t> content = orFault(file.getSectionContents(section), "content");
      return {content.data() + (address - section.sh_addr), content.size() - size_t(address - section.sh_addr)};
    }
  throw Fault("damaged code object: nothing is at address " + std::to_string(address));
}

uint32_t number(msgpack::MapDocNode &map, StringRef key) {
  auto found = map.find(key);
  if (found == map.end())
    return 0;
  return found->second.getKind() == msgpack::Type::UInt ? uint32_t(found->second.getUInt())
                                                        : uint32_t(found->second.getInt());
}

std::string string(msgpack::MapDocNode &map, StringRef key) {
  auto found = map.find(key);
  return found == map.end() ? std::string() : found->second.getString().str();
}

void readMetadata(msgpack::MapDocNode &map, KernelCode &kernel) {
  kernel.name = string(map, ".name");
  kernel.argumentBytes = number(map, ".kernarg_segment_size");
  kernel.sharedBytes = number(map, ".group_segment_fixed_size");
  kernel.scratchBytes = number(map, ".private_segment_fixed_size");
  kernel.registers = number(map, ".vgpr_count");
  if (uint32_t most = number(map, ".max_flat_workgroup_size"))
    kernel.mostThreads = most;
  auto arguments = map.find(".args");
  if (arguments == map.end())
    return;
  for (msgpack::DocNode &node : arguments->second.getArray()) {
    msgpack::MapDocNode &argument = node.getMap();
    kernel.arguments.push_back(
        {number(argument, ".offset"), number(argument, ".size"), string(argument, ".value_kind")});
  }
}

InitialScalars readDescriptor(const amdhsa::kernel_descriptor_t &descriptor) {
  using namespace amdhsa;
  auto property = [&](uint32_t mask) { return (descriptor.kernel_code_properties & mask) != 0; };
  auto resource = [&](uint32_t mask) { return (descriptor.compute_pgm_rsrc2 & mask) != 0; };
  InitialScalars initial;
  initial.privateSegmentBuffer = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER);
  initial.dispatchPointer = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR);
  initial.queuePointer = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR);
  initial.kernargPointer = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR);
  initial.dispatchId = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID);
  initial.flatScratch = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT);
  initial.privateSegmentSize = property(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE);
  initial.userCount = AMDHSA_BITS_GET(descriptor.compute_pgm_rsrc2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
  initial.workgroupX = resource(COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X);
  initial.workgroupY = resource(COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y);
  initial.workgroupZ = resource(COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z);
  initial.workgroupInfo = resource(COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO);
  initial.privateOffset = resource(COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  return initial;
}

/// MODE as the descriptor asks for it; the bits for clamps and IEEE rules are other ones' from gfx12 on.
uint32_t modeOf(const amdhsa::kernel_descriptor_t &descriptor, Family family) {
  using namespace amdhsa;
  uint32_t first = descriptor.compute_pgm_rsrc1, mode = first >> COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32_SHIFT & 0xff;
  if (family < Family::Gfx12)
    mode |= AMDHSA_BITS_GET(first, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP) << 8 |
            AMDHSA_BITS_GET(first, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE) << 9;
  return mode;
}

std::string architectureOf(uint32_t flags) {
  switch (flags & ELF::EF_AMDGPU_MACH) {
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A: return "gfx90a";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX942: return "gfx942";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX1030: return "gfx1030";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100: return "gfx1100";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX1101: return "gfx1101";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX1151: return "gfx1151";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX1200: return "gfx1200";
  case ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201: return "gfx1201";
  default: return "another architecture";
  }
}

} // namespace

Family familyOf(const std::string &target) {
  if (target == "gfx90a" || target == "gfx942")
    return Family::Gfx9;
  if (target == "gfx1030")
    return Family::Gfx10;
  if (target == "gfx1100" || target == "gfx1101" || target == "gfx1151")
    return Family::Gfx11;
  if (target == "gfx1200" || target == "gfx1201")
    return Family::Gfx12;
  throw Fault("the architecture '" + target + "' is not emulated");
}

const char *disassemblyFeatures(const std::string &target) {
  return familyOf(target) >= Family::Gfx11 ? "-real-true16" : "";
}

Program::Program(std::span<const uint8_t> object, const std::string &target) : family_(familyOf(target)) {
  auto file = orFault(object::ELFFile<Elf>::create({reinterpret_cast<const char *>(object.data()), object.size()}),
                      "no ELF file");
  if (file.getHeader().e_machine != ELF::EM_AMDGPU || architectureOf(file.getHeader().e_flags) != target)
    throw Fault("the code object is for " + architectureOf(file.getHeader().e_flags) + ", the device is " + target);
  std::map<std::string, const Elf::Sym *> symbols;
  for (const Elf::Shdr &section : orFault(file.sections(), "sections"))
    if (section.sh_type == ELF::SHT_DYNSYM) {
      StringRef names = orFault(file.getStringTableForSymtab(section), "symbols' names");
      for (const Elf::Sym &symbol : orFault(file.symbols(&section), "symbols"))
        symbols[orFault(symbol.getName(names), "a symbol's name").str()] = &symbol;
    }
  msgpack::Document metadata;
  for (const Elf::Shdr &section : orFault(file.sections(), "sections")) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    for (const Elf::Note &note : file.notes(section, error))
      if (note.getType() == kMetadataNote) {
        ArrayRef<uint8_t> bytes = note.getDesc(section.sh_addralign);
        if (!metadata.readFromBlob({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, false))
          throw Fault("damaged code object: its metadata");
      }
    if (error)
      throw Fault("damaged code object: its notes: " + toString(std::move(error)));
  }
  if (metadata.getRoot().getKind() != msgpack::Type::Map)
    throw Fault("damaged code object: it has no metadata");
  for (msgpack::DocNode &node : metadata.getRoot().getMap()["amdhsa.kernels"].getArray(true)) {
    KernelCode kernel;
    readMetadata(node.getMap(), kernel);
    auto code = symbols.find(kernel.name), described = symbols.find(string(node.getMap(), ".symbol"));
    if (code == symbols.end() || described == symbols.end())
      throw Fault("damaged code object: it has no kernel '" + kernel.name + "'");
    std::span<const uint8_t> bytes = bytesAt(file, described->second->st_value);
    amdhsa::kernel_descriptor_t descriptor;
    if (bytes.size() < sizeof descriptor)
      throw Fault("damaged code object: the descriptor of '" + kernel.name + "'");
    std::memcpy(&descriptor, bytes.data(), sizeof descriptor);
    kernel.initial = readDescriptor(descriptor);
    kernel.mode = modeOf(descriptor, family_);
    std::span<const uint8_t> machine = bytesAt(file, code->second->st_value);
    kernel.code = decode(machine.first(std::min<size_t>(machine.size(), code->second->st_size)), target);
    kernels_[kernel.name] = std::move(kernel);
  }
}

const KernelCode *Program::find(const std::string &name) const {
  auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

} // namespace tegula::emulator
