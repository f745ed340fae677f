// Declares types, constants and global variables of a module, each once.
#include "backends/vulkan/spirv/Module.h"
#include "core/support/Diagnostic.h"

#include <bit>

namespace tegula::spirv {
namespace {

bool isFloatingNarrow(const TypeInfo &info) { return info.op == spv::Op::OpTypeFloat && info.bits < 32; }

} // namespace

size_t Module::WordsHash::operator()(const std::vector<uint32_t> &words) const {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a over words
  for (uint32_t word : words)
    hash = (hash ^ word) * 0x100000001b3;
  return static_cast<size_t>(hash ^ hash >> 29);
}

/// Appends an instruction to the section of globals, unless an equal one was declared. `more` distinguishes
/// declarations with equal operands but different decorations.
Id Module::unique(spv::Op op, Id resultType, std::vector<uint32_t> operands, const std::vector<uint32_t> &more) {
  std::vector<uint32_t> key = {static_cast<uint32_t>(op), resultType};
  key.insert(key.end(), operands.begin(), operands.end());
  key.insert(key.end(), more.begin(), more.end());
  if (auto found = uniqued_.find(key); found != uniqued_.end())
    return found->second;
  Id id = newId(resultType);
  operands.insert(operands.begin(), id);
  if (resultType)
    operands.insert(operands.begin(), resultType);
  append(globalWords_, op, operands);
  uniqued_.emplace(std::move(key), id);
  return id;
}

Id Module::type(const TypeInfo &info, std::vector<uint32_t> operands, const std::vector<uint32_t> &more) {
  Id id = unique(info.op, 0, std::move(operands), more);
  infos_.try_emplace(id, info);
  return id;
}

const TypeInfo &Module::info(Id type) const {
  auto found = infos_.find(type);
  if (found == infos_.end())
    throw InternalError("SPIR-V id %" + std::to_string(type) + " is no type");
  return found->second;
}

Id Module::voidType() { return type({spv::Op::OpTypeVoid}, {}); }
Id Module::boolType() { return type({spv::Op::OpTypeBool}, {}); }

Id Module::intType(uint32_t bits) {
  switch (bits) {
  case 8: capability(spv::Capability::Int8); break;
  case 16: capability(spv::Capability::Int16); break;
  case 64: capability(spv::Capability::Int64); break;
  case 32: break;
  default: throw InternalError("a SPIR-V integer of " + std::to_string(bits) + " bits");
  }
  return type({.op = spv::Op::OpTypeInt, .bits = bits}, {bits, 0});
}

Id Module::floatType(uint32_t bits, FloatFormat format) {
  TypeInfo info{.op = spv::Op::OpTypeFloat, .bits = bits, .format = format};
  switch (format) {
  case FloatFormat::Ieee:
    if (bits == 16)
      capability(spv::Capability::Float16);
    else if (bits == 64)
      capability(spv::Capability::Float64);
    else if (bits != 32)
      throw InternalError("a SPIR-V float of " + std::to_string(bits) + " bits");
    return type(info, {bits});
  case FloatFormat::BFloat16: capability(newer::BFloat16TypeKHR); return type(info, {bits, newer::kEncodingBFloat16});
  case FloatFormat::F8E4M3: capability(newer::Float8EXT); return type(info, {bits, newer::kEncodingFloat8E4M3});
  case FloatFormat::F8E5M2: capability(newer::Float8EXT); return type(info, {bits, newer::kEncodingFloat8E5M2});
  }
  throw InternalError("unknown float format");
}

Id Module::vectorType(Id element, uint32_t count) {
  return type({.op = spv::Op::OpTypeVector, .element = element, .count = count}, {element, count});
}

Id Module::arrayType(Id element, uint32_t count, uint32_t stride) {
  Id length = constantU32(count);
  size_t before = types_.size();
  Id id = type({.op = spv::Op::OpTypeArray, .element = element, .count = count}, {element, length}, {stride});
  if (stride && id >= before)
    decorate(id, spv::Decoration::ArrayStride, {stride});
  return id;
}

Id Module::structType(std::span<const Member> members, bool block) {
  std::vector<uint32_t> operands, offsets = {block};
  for (const Member &member : members) {
    operands.push_back(member.type);
    offsets.push_back(member.offset);
  }
  size_t before = types_.size();
  Id id = type({.op = spv::Op::OpTypeStruct, .members = operands}, operands, offsets);
  if (id < before)
    return id;
  if (block)
    decorate(id, spv::Decoration::Block);
  for (uint32_t i = 0; i < members.size(); ++i)
    decorateMember(id, i, spv::Decoration::Offset, {members[i].offset});
  return id;
}

/// Declares the capability for elements of 8 or 16 bits in memory of the storage class PhysicalStorageBuffer. Throws
/// InternalError for such elements in a push constant.
void Module::layoutCapabilities(spv::StorageClass storage, Id pointee) {
  const TypeInfo *element = &info(pointee);
  while (element->op == spv::Op::OpTypeVector || element->op == spv::Op::OpTypeArray)
    element = &info(element->element);
  if (element->op != spv::Op::OpTypeInt && element->op != spv::Op::OpTypeFloat)
    return;
  bool is8 = element->bits == 8, is16 = element->bits == 16;
  if (storage == spv::StorageClass::PhysicalStorageBuffer && is8)
    capability(spv::Capability::StorageBuffer8BitAccess);
  if (storage == spv::StorageClass::PhysicalStorageBuffer && is16)
    capability(spv::Capability::StorageBuffer16BitAccess);
  if (storage == spv::StorageClass::PushConstant && (is8 || is16))
    throw InternalError("a push constant narrower than 32 bits");
}

Id Module::pointerType(spv::StorageClass storage, Id pointee) {
  layoutCapabilities(storage, pointee);
  return type({.op = spv::Op::OpTypePointer, .element = pointee, .storage = storage},
              {static_cast<uint32_t>(storage), pointee});
}

Id Module::functionType(Id result, std::span<const Id> params) {
  std::vector<uint32_t> operands = {result};
  operands.insert(operands.end(), params.begin(), params.end());
  return type({.op = spv::Op::OpTypeFunction, .element = result}, operands);
}

Id Module::matrixType(Id component, spv::Scope scope, uint32_t rows, uint32_t columns, MatrixUse use) {
  capability(newer::CooperativeMatrixKHR);
  const TypeInfo &element = info(component);
  if (isFloatingNarrow(element) && element.format == FloatFormat::BFloat16)
    capability(newer::BFloat16CooperativeMatrixKHR);
  if (isFloatingNarrow(element) && element.bits == 8)
    capability(newer::Float8CooperativeMatrixEXT);
  return type({.op = newer::OpTypeCooperativeMatrixKHR, .element = component, .count = columns, .rows = rows},
              {component, constantU32(static_cast<uint32_t>(scope)), constantU32(rows), constantU32(columns),
               constantU32(static_cast<uint32_t>(use))});
}

Id Module::constant(Id type, uint64_t bits) {
  const TypeInfo &scalar = info(type);
  if (scalar.op != spv::Op::OpTypeInt && scalar.op != spv::Op::OpTypeFloat)
    throw InternalError("a SPIR-V constant that is neither an integer nor a float");
  if (scalar.bits == 64)
    return unique(spv::Op::OpConstant, type, {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)});
  // Integers are signless, so a literal of a narrow type must be zero-extended (2.2.1 "Literal").
  uint64_t mask = (uint64_t(1) << scalar.bits) - 1;
  uint64_t high = bits & ~mask;
  if (high != 0 && high != ~mask)
    throw InternalError("the constant " + std::to_string(bits) + " does not fit " + std::to_string(scalar.bits) +
                        " bits");
  return unique(spv::Op::OpConstant, type, {static_cast<uint32_t>(bits & mask)});
}

Id Module::constantF32(float value) { return constant(floatType(32), std::bit_cast<uint32_t>(value)); }

Id Module::constantBool(bool value) {
  return unique(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, boolType(), {});
}

Id Module::constantNull(Id type) { return unique(spv::Op::OpConstantNull, type, {}); }
Id Module::undef(Id type) { return unique(spv::Op::OpUndef, type, {}); }

Id Module::constantComposite(Id type, std::span<const Id> parts) {
  return unique(spv::Op::OpConstantComposite, type, {parts.begin(), parts.end()});
}

Id Module::constantSplat(Id type, Id component) {
  const TypeInfo &composite = info(type);
  // A constant cooperative matrix has one constituent, the value of all its components.
  size_t parts = composite.op == newer::OpTypeCooperativeMatrixKHR ? 1 : composite.count;
  return constantComposite(type, std::vector<Id>(parts, component));
}

Id Module::variable(spv::StorageClass storage, Id pointee) {
  Id pointer = pointerType(storage, pointee), id = newId(pointer);
  uint32_t operands[] = {pointer, id, static_cast<uint32_t>(storage)};
  append(globalWords_, spv::Op::OpVariable, operands);
  interface_.push_back(id);
  return id;
}

Id Module::builtin(spv::BuiltIn builtIn, Id type) {
  auto [entry, isNew] = builtins_.try_emplace(static_cast<uint32_t>(builtIn), 0);
  if (isNew) {
    switch (builtIn) {
    case spv::BuiltIn::SubgroupSize:
    case spv::BuiltIn::SubgroupLocalInvocationId:
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::NumSubgroups: capability(spv::Capability::GroupNonUniform); break;
    default: break;
    }
    entry->second = variable(spv::StorageClass::Input, type);
    decorate(entry->second, spv::Decoration::BuiltIn, {static_cast<uint32_t>(builtIn)});
  }
  return entry->second;
}

Id Module::pushConstants(std::span<const Member> members) {
  for (const Member &member : members)
    layoutCapabilities(spv::StorageClass::PushConstant, member.type);
  return variable(spv::StorageClass::PushConstant, structType(members, true));
}

Id Module::workgroupArray(Id element, uint32_t count) {
  return variable(spv::StorageClass::Workgroup, arrayType(element, count));
}

Id Module::workgroupBlock(Id element, uint32_t count) {
  capability(spv::Capability::WorkgroupMemoryExplicitLayoutKHR);
  const TypeInfo *scalar = &info(element);
  uint32_t parts = 1;
  if (scalar->op == spv::Op::OpTypeVector) {
    parts = scalar->count;
    scalar = &info(scalar->element);
  }
  if (scalar->bits == 8)
    capability(spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR);
  if (scalar->bits == 16)
    capability(spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR);
  Member array[] = {{arrayType(element, count, scalar->bits / 8 * parts), 0}};
  Id id = variable(spv::StorageClass::Workgroup, structType(array, true));
  decorate(id, spv::Decoration::Aliased);
  return id;
}

} // namespace tegula::spirv
