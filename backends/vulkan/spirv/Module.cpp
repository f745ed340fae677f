#include "backends/vulkan/spirv/Module.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::spirv {
namespace {

constexpr uint32_t kMaxInstructionWords = 0xffff;

/// The extension that a capability needs in SPIR-V 1.5; empty for core capabilities.
std::string_view extensionOf(spv::Capability capability) {
  switch (capability) {
  case newer::CooperativeMatrixKHR: return "SPV_KHR_cooperative_matrix";
  case newer::CooperativeMatrixReductionsNV:
  case newer::CooperativeMatrixConversionsNV:
  case newer::CooperativeMatrixPerElementOperationsNV:
  case newer::CooperativeMatrixTensorAddressingNV:
  case newer::CooperativeMatrixBlockLoadsNV: return "SPV_NV_cooperative_matrix2";
  case newer::TensorAddressingNV: return "SPV_NV_tensor_addressing";
  case newer::BFloat16TypeKHR:
  case newer::BFloat16DotProductKHR:
  case newer::BFloat16CooperativeMatrixKHR: return "SPV_KHR_bfloat16";
  case newer::Float8EXT:
  case newer::Float8CooperativeMatrixEXT: return "SPV_EXT_float8";
  case spv::Capability::WorkgroupMemoryExplicitLayoutKHR:
  case spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR:
  case spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR: return "SPV_KHR_workgroup_memory_explicit_layout";
  case spv::Capability::AtomicFloat32AddEXT:
  case spv::Capability::AtomicFloat64AddEXT: return "SPV_EXT_shader_atomic_float_add";
  case spv::Capability::AtomicFloat16AddEXT: return "SPV_EXT_shader_atomic_float16_add";
  case spv::Capability::AtomicFloat16MinMaxEXT:
  case spv::Capability::AtomicFloat32MinMaxEXT:
  case spv::Capability::AtomicFloat64MinMaxEXT: return "SPV_EXT_shader_atomic_float_min_max";
  default: return {};
  }
}

} // namespace

void append(std::vector<uint32_t> &to, spv::Op op, std::span<const uint32_t> operands) {
  if (operands.size() + 1 > kMaxInstructionWords)
    throw InternalError("a SPIR-V instruction of " + std::to_string(operands.size() + 1) + " words; at most 65535 fit");
  to.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(op));
  to.insert(to.end(), operands.begin(), operands.end());
}

void appendString(std::vector<uint32_t> &to, std::string_view text) {
  size_t words = text.size() / 4 + 1, begin = to.size();
  to.resize(begin + words, 0);
  for (size_t i = 0; i < text.size(); ++i)
    to[begin + i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (i % 4 * 8);
}

Module::Module(uint32_t version) : version_(version) {
  capability(spv::Capability::Shader);
  capability(spv::Capability::VulkanMemoryModel);
  capability(spv::Capability::PhysicalStorageBufferAddresses);
  capability(spv::Capability::Int64); // for arithmetic on addresses
}

Id Module::newId(Id type) {
  types_.push_back(type);
  return static_cast<Id>(types_.size() - 1);
}

Id Module::typeOf(Id value) const {
  if (value >= types_.size() || types_[value] == 0)
    throw InternalError("SPIR-V id %" + std::to_string(value) + " is no value");
  return types_[value];
}

void Module::capability(spv::Capability capability) {
  if (!capabilities_.insert(capability).second)
    return;
  std::string_view name = extensionOf(capability);
  if (!name.empty())
    extension(name);
  if (name == "SPV_NV_cooperative_matrix2") // "requires SPIR-V 1.6"
    version_ = std::max(version_, kVersion16);
}

void Module::extension(std::string_view name) { extensions_.emplace(name); }

void Module::decorate(Id target, spv::Decoration decoration, std::initializer_list<uint32_t> operands) {
  std::vector<uint32_t> words = {target, static_cast<uint32_t>(decoration)};
  words.insert(words.end(), operands);
  append(decorationWords_, spv::Op::OpDecorate, words);
}

void Module::decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                            std::initializer_list<uint32_t> operands) {
  std::vector<uint32_t> words = {type, member, static_cast<uint32_t>(decoration)};
  words.insert(words.end(), operands);
  append(decorationWords_, spv::Op::OpMemberDecorate, words);
}

void Module::name(Id target, std::string_view name) {
  std::vector<uint32_t> words = {target};
  appendString(words, name);
  append(nameWords_, spv::Op::OpName, words);
}

void Module::nameMember(Id type, uint32_t member, std::string_view name) {
  std::vector<uint32_t> words = {type, member};
  appendString(words, name);
  append(nameWords_, spv::Op::OpMemberName, words);
}

Id Module::file(std::string_view path) {
  auto [entry, isNew] = files_.try_emplace(std::string(path), 0);
  if (isNew) {
    entry->second = newId();
    std::vector<uint32_t> words = {entry->second};
    appendString(words, path);
    append(stringWords_, spv::Op::OpString, words);
  }
  return entry->second;
}

Id Module::import(std::string_view set) {
  auto [entry, isNew] = imports_.try_emplace(std::string(set), 0);
  if (isNew) {
    entry->second = newId();
    std::vector<uint32_t> words = {entry->second};
    appendString(words, set);
    append(importWords_, spv::Op::OpExtInstImport, words);
  }
  return entry->second;
}

void Module::kernel(Id function, std::string_view name, std::array<uint32_t, 3> localSize) {
  if (!entryWords_.empty())
    throw InternalError("a second entry point in a SPIR-V module");
  std::vector<uint32_t> words = {static_cast<uint32_t>(spv::ExecutionModel::GLCompute), function};
  appendString(words, name);
  words.insert(words.end(), interface_.begin(), interface_.end());
  append(entryWords_, spv::Op::OpEntryPoint, words);
  uint32_t size[] = {function, static_cast<uint32_t>(spv::ExecutionMode::LocalSize), localSize[0], localSize[1],
                     localSize[2]};
  append(modeWords_, spv::Op::OpExecutionMode, size);
}

std::vector<uint32_t> Module::words() const {
  if (entryWords_.empty())
    throw InternalError("a SPIR-V module without an entry point");
  // Header: magic, version, generator (none registered), bound of ids, schema.
  std::vector<uint32_t> words = {spv::MagicNumber, version_, 0, static_cast<uint32_t>(types_.size()), 0};
  for (spv::Capability capability : capabilities_) {
    uint32_t operand[] = {static_cast<uint32_t>(capability)};
    append(words, spv::Op::OpCapability, operand);
  }
  for (const std::string &extension : extensions_) {
    std::vector<uint32_t> operands;
    appendString(operands, extension);
    append(words, spv::Op::OpExtension, operands);
  }
  words.insert(words.end(), importWords_.begin(), importWords_.end());
  uint32_t model[] = {static_cast<uint32_t>(spv::AddressingModel::PhysicalStorageBuffer64),
                      static_cast<uint32_t>(spv::MemoryModel::Vulkan)};
  append(words, spv::Op::OpMemoryModel, model);
  for (const auto *section :
       {&entryWords_, &modeWords_, &stringWords_, &nameWords_, &decorationWords_, &globalWords_, &functionWords_})
    words.insert(words.end(), section->begin(), section->end());
  return words;
}

} // namespace tegula::spirv
