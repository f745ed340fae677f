// The file format of a module: little-endian; magic and version first, then the module's members in order of
// declaration.
#include "backends/cpu/bytecode/Bytecode.h"

#include "core/support/ByteStream.h"

namespace tegula::cpu {

namespace {

constexpr uint32_t kMagic = 0x43424754; // "TGBC"

void write(ByteWriter &out, const Function &f) {
  out.put(f.name);
  out.put(static_cast<uint32_t>(f.types.size()));
  for (const TileType &type : f.types) {
    out.put(type.element);
    out.put(type.pointee);
    out.put(static_cast<uint8_t>(type.shape.size()));
    for (int64_t extent : type.shape)
      out.put(extent);
  }
  auto words = [&](const auto &list) {
    out.put(static_cast<uint32_t>(list.size()));
    for (auto word : list)
      out.put(word);
  };
  words(f.registers);
  words(f.params);
  words(f.registersUsed);
  words(f.integers);
  out.put(static_cast<uint32_t>(f.code.size()));
  for (const Instruction &i : f.code) {
    out.put(i.opcode);
    out.put(i.resultCount);
    out.put(i.operandCount);
    out.put(i.results);
    out.put(i.operands);
    out.put(i.attributes);
    out.put(i.location);
  }
}

Function readFunction(ByteReader &in) {
  Function f;
  f.name = in.getString();
  f.types.resize(in.getCount(3));
  for (TileType &type : f.types) {
    type.element = in.getEnum(ElementKind::Descriptor);
    type.pointee = in.getEnum(ElementKind::Descriptor);
    type.shape.resize(in.get<uint8_t>());
    for (int64_t &extent : type.shape)
      extent = in.get<int64_t>();
  }
  auto words = [&](auto &list) {
    using Word = typename std::remove_reference_t<decltype(list)>::value_type;
    list.resize(in.getCount(sizeof(Word)));
    for (Word &word : list)
      word = in.get<Word>();
  };
  words(f.registers);
  words(f.params);
  words(f.registersUsed);
  words(f.integers);
  f.code.resize(in.getCount(20));
  for (Instruction &i : f.code) {
    i.opcode = in.getEnum(Opcode::Return);
    i.resultCount = in.get<uint8_t>();
    i.operandCount = in.get<uint8_t>();
    i.results = in.get<uint32_t>();
    i.operands = in.get<uint32_t>();
    i.attributes = in.get<uint32_t>();
    i.location = in.get<uint32_t>();
  }
  return f;
}

} // namespace

std::vector<uint8_t> serialize(const Module &module) {
  ByteWriter out;
  out.put(kMagic);
  out.put(kBytecodeVersion);
  out.put(module.file);
  auto texts = [&](const std::vector<std::string> &list) {
    out.put(static_cast<uint32_t>(list.size()));
    for (const std::string &text : list)
      out.put(text);
  };
  texts(module.paramNames);
  out.put(static_cast<uint32_t>(module.functions.size()));
  for (const Function &f : module.functions)
    write(out, f);
  texts(module.strings);
  out.putBytes(module.data);
  out.put(static_cast<uint32_t>(module.locations.size()));
  for (const Location &l : module.locations) {
    out.put(l.line);
    out.put(l.column);
    out.put(l.caller);
  }
  return out.take();
}

Module deserialize(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  if (bytes.size() < 8 || in.get<uint32_t>() != kMagic)
    throw Error("not CPU bytecode: the file does not start with its magic number");
  if (const auto version = in.get<uint32_t>(); version != kBytecodeVersion)
    throw Error("CPU bytecode of version " + std::to_string(version) + ", expected " +
                std::to_string(kBytecodeVersion) + "; compile the kernel again");
  Module module;
  module.file = in.getString();
  auto texts = [&](std::vector<std::string> &list) {
    list.resize(in.getCount(4));
    for (std::string &text : list)
      text = in.getString();
  };
  texts(module.paramNames);
  const uint32_t functions = in.getCount(28);
  for (uint32_t i = 0; i < functions; ++i)
    module.functions.push_back(readFunction(in));
  texts(module.strings);
  const std::span<const uint8_t> data = in.getBytes();
  module.data.assign(data.begin(), data.end());
  module.locations.resize(in.getCount(12));
  for (Location &l : module.locations) {
    l.line = in.get<uint32_t>();
    l.column = in.get<uint32_t>();
    l.caller = in.get<int32_t>();
  }
  if (in.left())
    throw Error("damaged CPU bytecode: " + std::to_string(in.left()) + " bytes follow its end");
  verify(module);
  return module;
}

} // namespace tegula::cpu
