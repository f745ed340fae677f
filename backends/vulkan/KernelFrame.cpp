#include "backends/vulkan/KernelFrame.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::vulkan {

using spirv::Id;
using spirv::Member;

KernelFrame::KernelFrame(spirv::Builder &builder, std::span<const ArtifactParam> params,
                         std::span<const HiddenArgument> hidden, KernelBinary::Passing passing)
    : builder_(builder), params_(params.begin(), params.end()), hidden_(hidden.begin(), hidden.end()),
      layout_(params, hidden) {
  spirv::Module &module = builder.module();
  Id block = 0;
  if (passing == KernelBinary::Passing::Buffer) {
    Member address[] = {{module.intType(64), 0}};
    block = module.pushConstants(address);
  } else if (!layout_.slots.empty()) {
    std::vector<Member> members;
    for (const ArgumentSlot &slot : layout_.slots)
      members.push_back({module.intType(slot.bytes * 8), slot.offset});
    block = module.pushConstants(members);
  }
  function_ = builder.beginFunction(module.voidType(), {});
  loadSlots(passing, block);
  thread_ = builder.extract(loadBuiltin(spv::BuiltIn::LocalInvocationId), 0);
  workgroup_ = loadBuiltin(spv::BuiltIn::WorkgroupId);
  workgroups_ = loadBuiltin(spv::BuiltIn::NumWorkgroups);
}

Id KernelFrame::loadBuiltin(spv::BuiltIn builtIn) {
  spirv::Module &module = builder_.module();
  return builder_.load(module.builtin(builtIn, module.vectorType(module.intType(32), 3)));
}

void KernelFrame::loadSlots(KernelBinary::Passing passing, Id block) {
  spirv::Module &module = builder_.module();
  if (passing == KernelBinary::Passing::Push) {
    for (uint32_t i = 0; i < layout_.slots.size(); ++i)
      slots_.push_back(builder_.load(builder_.accessMember(block, i)));
    return;
  }
  Id base = builder_.load(builder_.accessMember(block, 0));
  for (const ArgumentSlot &slot : layout_.slots) {
    Id address = builder_.binary(spv::Op::OpIAdd, base, module.constantU64(slot.offset));
    Id pointer = builder_.physicalPointer(address, module.intType(slot.bytes * 8));
    // The access is private: the host writes the block before the launch, and no invocation writes it.
    slots_.push_back(builder_.load(pointer, {.alignment = slot.bytes, .nonPrivate = false}));
  }
}

Id KernelFrame::param(size_t index) {
  spirv::Module &module = builder_.module();
  const ArtifactParam &param = params_[index];
  Id value = slots_[layout_.first[index]];
  if (param.kind != ArtifactParam::Kind::Scalar)
    return value;
  switch (param.type) {
  case ScalarType::F32:
  case ScalarType::F64: return builder_.bitcast(value, module.floatType(bitWidth(param.type)));
  default: return value;
  }
}

bool KernelFrame::has(HiddenArgument argument) const {
  return std::find(hidden_.begin(), hidden_.end(), argument) != hidden_.end();
}

size_t KernelFrame::hiddenSlot(HiddenArgument argument) const {
  auto found = std::find(hidden_.begin(), hidden_.end(), argument);
  if (found == hidden_.end())
    throw InternalError("a kernel uses a hidden argument that it does not have");
  return layout_.first[params_.size() + static_cast<size_t>(found - hidden_.begin())];
}

Id KernelFrame::hiddenAddress(HiddenArgument argument) { return slots_[hiddenSlot(argument)]; }

Id KernelFrame::programId(uint32_t axis) {
  Id here = builder_.extract(workgroup_, axis);
  return has(HiddenArgument::GridBase)
             ? builder_.binary(spv::Op::OpIAdd, here, slots_[hiddenSlot(HiddenArgument::GridBase) + axis])
             : here;
}

Id KernelFrame::programCount(uint32_t axis) {
  return has(HiddenArgument::GridSize) ? slots_[hiddenSlot(HiddenArgument::GridSize) + axis]
                                       : builder_.extract(workgroups_, axis);
}

void KernelFrame::finish(std::string_view entry, uint32_t threads) {
  builder_.ret();
  builder_.endFunction();
  builder_.module().name(function_, entry);
  builder_.module().kernel(function_, entry, {threads, 1, 1});
}

} // namespace tegula::vulkan
