// Writes loads, stores, atomics and barriers, with the operands that the Vulkan memory model requires (Vulkan
// specification, "Memory Model").
#include "backends/vulkan/spirv/Builder.h"
#include "core/support/Diagnostic.h"

namespace tegula::spirv {
namespace {

constexpr auto bits(spv::MemoryAccessMask mask) { return static_cast<uint32_t>(mask); }

/// Acquire semantics also need MakeVisible, release semantics MakeAvailable.
spv::MemorySemanticsMask withVisibility(spv::MemorySemanticsMask semantics) {
  using Mask = spv::MemorySemanticsMask;
  if ((semantics & (Mask::Release | Mask::AcquireRelease)) != Mask::MaskNone)
    semantics = semantics | Mask::MakeAvailable;
  if ((semantics & (Mask::Acquire | Mask::AcquireRelease)) != Mask::MaskNone)
    semantics = semantics | Mask::MakeVisible;
  return semantics;
}

} // namespace

Id Builder::access(Id base, std::initializer_list<Id> indices) {
  const TypeInfo pointer = module_.infoOf(base);
  Id pointee = pointer.element;
  for (size_t i = 0; i < indices.size(); ++i) {
    const TypeInfo info = module_.info(pointee);
    if (info.op == spv::Op::OpTypeStruct)
      throw InternalError("access to a member of a struct: use accessMember");
    pointee = info.element;
  }
  std::vector<uint32_t> words = {base};
  words.insert(words.end(), indices);
  return op(spv::Op::OpAccessChain, module_.pointerType(pointer.storage, pointee), words);
}

Id Builder::accessMember(Id base, uint32_t member, std::initializer_list<Id> indices) {
  const TypeInfo pointer = module_.infoOf(base);
  const TypeInfo record = module_.info(pointer.element);
  if (record.op != spv::Op::OpTypeStruct || member >= record.members.size())
    throw InternalError("access to member " + std::to_string(member) + " of what has none");
  Id pointee = record.members[member];
  std::vector<uint32_t> words = {base, module_.constantU32(member)};
  for (Id index : indices) {
    words.push_back(index);
    pointee = module_.info(pointee).element;
  }
  return op(spv::Op::OpAccessChain, module_.pointerType(pointer.storage, pointee), words);
}

Id Builder::physicalPointer(Id address, Id pointee) {
  return op(spv::Op::OpConvertUToPtr, module_.pointerType(spv::StorageClass::PhysicalStorageBuffer, pointee),
            {address});
}

/// Appends the memory operands: mask, alignment, scope of availability or visibility.
void Builder::memoryOperands(std::vector<uint32_t> &words, Id pointer, const Access &access) {
  spv::StorageClass storage = module_.infoOf(pointer).storage;
  bool isPhysical = storage == spv::StorageClass::PhysicalStorageBuffer;
  if (isPhysical != (access.alignment != 0))
    throw InternalError(isPhysical ? "an access to a physical storage buffer without its alignment"
                                   : "an alignment on an access to no physical storage buffer");
  bool isShared = isPhysical || storage == spv::StorageClass::Workgroup;
  uint32_t mask = 0;
  if (access.isVolatile)
    mask |= bits(spv::MemoryAccessMask::Volatile);
  if (isPhysical)
    mask |= bits(spv::MemoryAccessMask::Aligned);
  if (access.nontemporal)
    mask |= bits(spv::MemoryAccessMask::Nontemporal);
  if (isShared && access.nonPrivate)
    mask |= bits(spv::MemoryAccessMask::NonPrivatePointer);
  if (mask == 0)
    return;
  words.push_back(mask);
  if (isPhysical)
    words.push_back(access.alignment);
}

Id Builder::load(Id pointer, const Access &access) {
  std::vector<uint32_t> words = {pointer};
  memoryOperands(words, pointer, access);
  return op(spv::Op::OpLoad, module_.infoOf(pointer).element, words);
}

void Builder::store(Id pointer, Id value, const Access &access) {
  std::vector<uint32_t> words = {pointer, value};
  memoryOperands(words, pointer, access);
  effect(spv::Op::OpStore, words);
}

Id Builder::atomic(spv::Op operation, Id pointer, spv::Scope scope, spv::MemorySemanticsMask semantics, Id value) {
  const TypeInfo type = module_.infoOf(value);
  bool isFloat = type.op == spv::Op::OpTypeFloat;
  if (operation == spv::Op::OpAtomicFAddEXT)
    module_.capability(type.bits == 16   ? spv::Capability::AtomicFloat16AddEXT
                       : type.bits == 32 ? spv::Capability::AtomicFloat32AddEXT
                                         : spv::Capability::AtomicFloat64AddEXT);
  else if (operation == spv::Op::OpAtomicFMinEXT || operation == spv::Op::OpAtomicFMaxEXT)
    module_.capability(type.bits == 16   ? spv::Capability::AtomicFloat16MinMaxEXT
                       : type.bits == 32 ? spv::Capability::AtomicFloat32MinMaxEXT
                                         : spv::Capability::AtomicFloat64MinMaxEXT);
  if (type.bits == 64 && !isFloat)
    module_.capability(spv::Capability::Int64Atomics);
  return op(operation, module_.typeOf(value),
            {pointer, scopeConstant(scope), semanticsConstant(withVisibility(semantics)), value});
}

Id Builder::atomicCompareExchange(Id pointer, spv::Scope scope, spv::MemorySemanticsMask semantics, Id expected,
                                  Id desired) {
  using Mask = spv::MemorySemanticsMask;
  const TypeInfo type = module_.infoOf(desired);
  if (type.bits == 64)
    module_.capability(spv::Capability::Int64Atomics);
  // A failed compare-exchange writes nothing, so its memory order can be at most a load's.
  const Mask kOrders = Mask::Acquire | Mask::Release | Mask::AcquireRelease | Mask::SequentiallyConsistent;
  Mask unequal = Mask(static_cast<uint32_t>(semantics) & ~static_cast<uint32_t>(kOrders));
  unequal =
      (semantics & (Mask::Acquire | Mask::AcquireRelease)) != Mask::MaskNone ? unequal | Mask::Acquire : Mask::MaskNone;
  return op(spv::Op::OpAtomicCompareExchange, module_.typeOf(desired),
            {pointer, scopeConstant(scope), semanticsConstant(withVisibility(semantics)),
             semanticsConstant(withVisibility(unequal)), desired, expected});
}

void Builder::barrier(spv::Scope scope, spv::MemorySemanticsMask storage) {
  auto semantics = withVisibility(spv::MemorySemanticsMask::AcquireRelease | storage);
  effect(spv::Op::OpControlBarrier, {scopeConstant(scope), scopeConstant(scope), semanticsConstant(semantics)});
}

void Builder::workgroupBarrier(spv::MemorySemanticsMask storage) { barrier(spv::Scope::Workgroup, storage); }
void Builder::subgroupBarrier(spv::MemorySemanticsMask storage) { barrier(spv::Scope::Subgroup, storage); }

void Builder::fence(spv::Scope scope, spv::MemorySemanticsMask semantics) {
  effect(spv::Op::OpMemoryBarrier, {scopeConstant(scope), semanticsConstant(withVisibility(semantics))});
}

} // namespace tegula::spirv
