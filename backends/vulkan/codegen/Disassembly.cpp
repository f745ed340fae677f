#include "backends/vulkan/codegen/Disassembly.h"
#include "backends/vulkan/spirv/Newer.h"
#include "core/support/Diagnostic.h"

#include <map>
#include <string_view>

namespace tegula::vulkan {
namespace {

/// Names of enumerators, generated from the SPIR-V header when the build is configured.
using Names = std::map<uint32_t, std::string_view>;
const Names kOps = {
#include "backends/vulkan/SpirvOpNames.inc"
    {4456, "OpTypeCooperativeMatrixKHR"},   {4457, "OpCooperativeMatrixLoadKHR"},
    {4458, "OpCooperativeMatrixStoreKHR"},  {4459, "OpCooperativeMatrixMulAddKHR"},
    {4460, "OpCooperativeMatrixLengthKHR"},
};
const Names kCapabilities = {
#include "backends/vulkan/SpirvCapabilityNames.inc"
    {6022, "CooperativeMatrixKHR"},
};
const Names kDecorations = {
#include "backends/vulkan/SpirvDecorationNames.inc"
};
const Names kExecutionModes = {
#include "backends/vulkan/SpirvExecutionModeNames.inc"
};
const Names kBuiltIns = {
#include "backends/vulkan/SpirvBuiltInNames.inc"
};

std::string nameIn(const Names &names, uint32_t number) {
  auto found = names.find(number);
  return found == names.end() ? std::to_string(number) : std::string(found->second);
}

/// A literal operand as the name of its enumerator, or as a number if it has none.
std::string literalText(std::span<const uint32_t> instruction, size_t at) {
  uint32_t value = instruction[at];
  switch (static_cast<spv::Op>(instruction[0] & spv::OpCodeMask)) {
  case spv::Op::OpCapability: return nameIn(kCapabilities, value);
  case spv::Op::OpExecutionMode: return at == 2 ? nameIn(kExecutionModes, value) : std::to_string(value);
  case spv::Op::OpMemberDecorate: return at == 3 ? nameIn(kDecorations, value) : std::to_string(value);
  case spv::Op::OpDecorate:
    if (at == 3 && instruction[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn))
      return nameIn(kBuiltIns, value);
    return at == 2 ? nameIn(kDecorations, value) : std::to_string(value);
  default: return std::to_string(value);
  }
}

/// The kinds of the operands after result and type: i for an id, l for a literal, s for a string; the last letter
/// repeats. Opcodes that are not listed have only ids.
std::string_view operandsOf(spv::Op op) {
  using spv::Op;
  switch (op) {
  case Op::OpCapability:
  case Op::OpMemoryModel:
  case Op::OpTypeInt:
  case Op::OpTypeFloat:
  case Op::OpConstant: return "l";
  case Op::OpExtension:
  case Op::OpExtInstImport:
  case Op::OpString: return "s";
  case Op::OpEntryPoint: return "lisi";
  case Op::OpName: return "is";
  case Op::OpMemberName: return "ils";
  case Op::OpTypePointer:
  case Op::OpVariable:
  case Op::OpFunction: return "li";
  case Op::OpExecutionMode:
  case Op::OpDecorate:
  case Op::OpMemberDecorate:
  case Op::OpTypeVector:
  case Op::OpCompositeExtract:
  case Op::OpLoad:
  case Op::OpSelectionMerge:
  case Op::OpLine: return "il";
  case Op::OpCompositeInsert:
  case Op::OpStore:
  case Op::OpLoopMerge: return "iil";
  case Op::OpExtInst:
  case Op::OpGroupNonUniformIAdd:
  case Op::OpGroupNonUniformFAdd: return "ili";
  case spirv::newer::OpCooperativeMatrixLoadKHR:
  case spirv::newer::OpCooperativeMatrixMulAddKHR: return "iiil";
  case spirv::newer::OpCooperativeMatrixStoreKHR: return "iiiil";
  default: return "i";
  }
}

struct Shape {
  bool hasResult = false, hasType = false;
};

Shape shapeOf(spv::Op op) {
  switch (op) {
  case spirv::newer::OpTypeCooperativeMatrixKHR: return {true, false};
  case spirv::newer::OpCooperativeMatrixLoadKHR:
  case spirv::newer::OpCooperativeMatrixMulAddKHR:
  case spirv::newer::OpCooperativeMatrixLengthKHR: return {true, true};
  default: break;
  }
  Shape shape;
  spv::HasResultAndType(op, &shape.hasResult, &shape.hasType);
  return shape;
}

std::string stringAt(std::span<const uint32_t> words, size_t &at) {
  std::string text;
  for (; at < words.size(); ++at)
    for (uint32_t byte = 0; byte < 4; ++byte) {
      char c = static_cast<char>(words[at] >> (8 * byte));
      if (!c) {
        ++at;
        return text;
      }
      text += c;
    }
  return text;
}

std::string idText(uint32_t id) { return "%" + std::to_string(id); }

} // namespace

std::string disassemble(std::span<const uint32_t> words) {
  constexpr size_t kHeaderWords = 5;
  if (words.size() < kHeaderWords || words[0] != spv::MagicNumber)
    throw InternalError("not a SPIR-V module");
  std::string text = "; SPIR-V " + std::to_string(words[1] >> 16 & 0xff) + "." + std::to_string(words[1] >> 8 & 0xff) +
                     ", ids below " + std::to_string(words[3]) + "\n";
  for (size_t begin = kHeaderWords; begin < words.size();) {
    size_t count = words[begin] >> 16;
    auto op = static_cast<spv::Op>(words[begin] & spv::OpCodeMask);
    if (count == 0 || begin + count > words.size())
      throw InternalError("a SPIR-V instruction of " + std::to_string(count) + " words at word " +
                          std::to_string(begin));
    std::span<const uint32_t> now = words.subspan(begin, count);
    begin += count;
    Shape shape = shapeOf(op);
    size_t at = 1;
    std::string type = shape.hasType ? " " + idText(now[at++]) : "";
    std::string line = shape.hasResult ? idText(now[at++]) + " = " : "";
    line.insert(0, line.size() < 12 ? 12 - line.size() : 0, ' ');
    line += nameIn(kOps, static_cast<uint32_t>(op)) + type;
    std::string_view kinds = operandsOf(op);
    for (size_t operand = 0; at < now.size(); ++operand) {
      char kind = kinds[std::min(operand, kinds.size() - 1)];
      if (kind == 's')
        line += " \"" + stringAt(now, at) + "\"";
      else
        line += " " + (kind == 'i' ? idText(now[at]) : literalText(now, at)), ++at;
    }
    text += line + "\n";
  }
  return text;
}

} // namespace tegula::vulkan
