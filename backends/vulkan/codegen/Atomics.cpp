// Prints atomics of global memory, one element after another; a mask becomes a branch. An operation that the profile
// does not have becomes a compare-exchange loop; for a narrow element the loop works on the 32-bit word that contains
// it.
#include "backends/vulkan/codegen/Loops.h"
#include "backends/vulkan/codegen/Printer.h"

using namespace mlir;
using Code = spv::Op;

namespace tegula::vulkan {
namespace {

using Mask = spv::MemorySemanticsMask;

Mask semanticsOf(tile::MemoryOrder order) {
  const Mask kStorage = Mask::UniformMemory | Mask::WorkgroupMemory;
  switch (order) {
  case tile::MemoryOrder::Relaxed: return Mask::MaskNone;
  case tile::MemoryOrder::Acquire: return Mask::Acquire | kStorage;
  case tile::MemoryOrder::Release: return Mask::Release | kStorage;
  case tile::MemoryOrder::AcquireRelease: return Mask::AcquireRelease | kStorage;
  }
  llvm_unreachable("all orders are listed");
}

/// The atomic instruction for integers of 32 and 64 bits; OpNop for float operations.
Code integerOperation(tile::AtomicKind kind) {
  using K = tile::AtomicKind;
  switch (kind) {
  case K::Add: return Code::OpAtomicIAdd;
  case K::Min: return Code::OpAtomicSMin;
  case K::Max: return Code::OpAtomicSMax;
  case K::UMin: return Code::OpAtomicUMin;
  case K::UMax: return Code::OpAtomicUMax;
  case K::And: return Code::OpAtomicAnd;
  case K::Or: return Code::OpAtomicOr;
  case K::Xor: return Code::OpAtomicXor;
  case K::Exchange: return Code::OpAtomicExchange;
  case K::FAdd:
  case K::FMin:
  case K::FMax: return Code::OpNop;
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace

Printer::AtomicPlace Printer::atomicPlace(tile::MemoryOrder order, tile::Scope scope, Id address) {
  // All kernels run on queues of one family, so the scope QueueFamily stands for the device and the system.
  return {address, scope == tile::Scope::Block ? spv::Scope::Workgroup : spv::Scope::QueueFamily, semanticsOf(order)};
}

/// A compare-exchange loop. It replaces the element, which has `bits` bits, by next(old bits) and returns the old bits.
/// A narrow element is replaced within its 32-bit word, whose other elements may change concurrently.
Id Printer::loopOfCas(const AtomicPlace &place, uint32_t bits, const std::function<Id(Id old)> &next) {
  Id word = m.intType(bits == 64 ? 64 : 32), address = place.address, shift = 0, mask = 0;
  if (bits < 32) {
    std::tie(address, shift) = wordAround(address);
    mask = scalars.shiftLeft(u32((int64_t(1) << bits) - 1), shift);
  }
  auto partOf = [&](Id whole) {
    return bits < 32 ? scalars.both(scalars.shiftRight(whole, shift), u32((int64_t(1) << bits) - 1)) : whole;
  };
  auto wholeOf = [&](Id part, Id whole) {
    if (bits >= 32)
      return part;
    return scalars.either(scalars.both(whole, b.unary(Code::OpNot, mask)), scalars.shiftLeft(part, shift));
  };
  Id pointer = b.physicalPointer(address, word);
  if (bits == 64)
    m.capability(spv::Capability::Int64Atomics);
  Id first = b.op(Code::OpAtomicLoad, word, {pointer, u32(int64_t(place.scope)), u32(0)});
  Id start[] = {first, m.constantBool(false)};
  Values last = b.loop(
      start,
      [&](const Values &carried, Values &forwarded) {
        forwarded = carried;
        return scalars.invert(carried[1]);
      },
      [&](const Values &now) {
        Id wanted = wholeOf(next(partOf(now[0])), now[0]);
        Id seen = b.atomicCompareExchange(pointer, place.scope, place.semantics, now[0], wanted);
        return Values{seen, scalars.same(seen, now[0])};
      });
  return partOf(last[0]);
}

/// Returns the bits of an atomic's operand as an integer. llvmpipe of Mesa 22.3 drops bitcasts: if an f64 computation
/// makes the operand, it passes an atomic of doubles to its compiler (LLVM 15), which has no code for that: "Cannot
/// select: f64,ch = AtomicCmpSwap". An integer operation that compilers cannot fold keeps the operand an integer.
Id Printer::atomicBits(ScalarType type, Id value) {
  Id bits = scalars.bits(type, value);
  return type == ScalarType::F64 ? scalars.differ(bits, b.cast(Code::OpUConvert, unknownZero_, m.intType(64))) : bits;
}

/// The compare-exchange loop for an element of type `type`; returns the old element.
Id Printer::loopOfCas(const AtomicPlace &place, ScalarType type, const std::function<Id(Id old)> &next) {
  if (bitWidth(type) >= 32)
    return scalars.fromBits(type, loopOfCas(place, bitWidth(type), [&](Id old) {
                              return atomicBits(type, next(scalars.fromBits(type, old)));
                            }));
  return scalars.fromWord(type, loopOfCas(place, byteSize(type) * 8, [&](Id old) {
                            return scalars.toWord(type, next(scalars.fromWord(type, old)));
                          }));
}

Id Printer::atomicRmw(const AtomicPlace &place, tile::AtomicKind kind, ScalarType type, Id value) {
  using K = tile::AtomicKind;
  if (isAtomicInstruction(kind, type, profile_)) {
    if (kind == K::FAdd)
      return b.atomic(Code::OpAtomicFAddEXT, b.physicalPointer(place.address, scalars.type(type)), place.scope,
                      place.semantics, value);
    Id raw = atomicBits(type, value), pointer = b.physicalPointer(place.address, m.typeOf(raw));
    return scalars.fromBits(type, b.atomic(integerOperation(kind), pointer, place.scope, place.semantics, raw));
  }
  return loopOfCas(place, type, [&](Id old) -> Id {
    switch (kind) {
    case K::FAdd: return scalars.arithmetic(Code::OpFAdd, type, old, value);
    case K::FMin: return scalars.extremum(type, old, value, false, true);
    case K::FMax: return scalars.extremum(type, old, value, true, true);
    case K::Add:
      return type == ScalarType::I1 ? scalars.differ(old, value) : scalars.integer(Code::OpIAdd, type, old, value);
    case K::Min: return scalars.extremumInteger(type, old, value, false, true);
    case K::Max: return scalars.extremumInteger(type, old, value, true, true);
    case K::UMin: return scalars.extremumInteger(type, old, value, false, false);
    case K::UMax: return scalars.extremumInteger(type, old, value, true, false);
    case K::And: return scalars.both(old, value);
    case K::Or: return scalars.either(old, value);
    case K::Xor: return scalars.differ(old, value);
    case K::Exchange: return value;
    }
    llvm_unreachable("all kinds are listed");
  });
}

Id Printer::atomicCas(const AtomicPlace &place, ScalarType type, Id expected, Id value) {
  if (bitWidth(type) >= 32) {
    Id raw = atomicBits(type, value), pointer = b.physicalPointer(place.address, m.typeOf(raw));
    return scalars.fromBits(
        type, b.atomicCompareExchange(pointer, place.scope, place.semantics, atomicBits(type, expected), raw));
  }
  return loopOfCas(place, type, [&](Id old) {
    Id equal = type == ScalarType::I1 ? scalars.invert(scalars.differ(old, expected))
                                      : scalars.same(scalars.bits(type, old), scalars.bits(type, expected));
    return b.select(equal, value, old);
  });
}

void Printer::printAtomicRmw(simt::AtomicRmwOp op) {
  const Values offsets = get(op.getOffset()), values = get(op.getValue()),
               masks = op.getMask() ? get(op.getMask()) : Values();
  ScalarType type = scalarOf(op.getResult());
  size_t width = values.size() / offsets.size();
  // A thread with several atomics executes one fence before them and one behind, and the atomics unordered.
  AtomicPlace ordered = atomicPlace(op.getOrder(), op.getScope(), {});
  bool isFenced = values.size() > 1 && ordered.semantics != Mask::MaskNone;
  tile::MemoryOrder order = isFenced ? tile::MemoryOrder::Relaxed : op.getOrder();
  if (isFenced)
    b.fence(ordered.scope, ordered.semantics);
  Values result;
  for (size_t i = 0; i < values.size(); ++i) {
    auto once = [&] {
      Id address = elementAddress(one(op.getBase()), offsets[i / width], byteSize(type));
      if (size_t behind = i % width)
        address = add(address, m.constantU64(behind * byteSize(type)));
      return Values{atomicRmw(atomicPlace(order, op.getScope(), address), op.getKind(), type, values[i])};
    };
    Values old = masks.empty()
                     ? once()
                     : b.ifThenElse(masks[i / width], once, [&] { return Values{scalars.constant(type, 0)}; });
    result.push_back(old.front());
  }
  if (isFenced)
    b.fence(ordered.scope, ordered.semantics);
  set(op, result);
}

void Printer::printAtomicCas(simt::AtomicCasOp op) {
  const Values offsets = get(op.getOffset()), expected = get(op.getExpected()), values = get(op.getValue());
  ScalarType type = scalarOf(op.getResult());
  Values result;
  for (size_t i = 0; i < offsets.size(); ++i) {
    Id address = elementAddress(one(op.getBase()), offsets[i], byteSize(type));
    result.push_back(atomicCas(atomicPlace(op.getOrder(), op.getScope(), address), type, expected[i], values[i]));
  }
  set(op, result);
}

bool Printer::printAtomics(Operation *op) {
  if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op))
    printAtomicRmw(rmw);
  else if (auto cas = dyn_cast<simt::AtomicCasOp>(op))
    printAtomicCas(cas);
  else
    return false;
  return true;
}

} // namespace tegula::vulkan
