// Atomic read-modify-write operations; each returns the old value.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;
using Kind = tile::AtomicKind;

tile::MemoryOrder orderArgument(Emitter &e, const Args &args, size_t i) {
  std::string text = textArgument(e, args, i, "sem");
  if (text.empty() || text == "acq_rel")
    return tile::MemoryOrder::AcquireRelease;
  if (text == "relaxed")
    return tile::MemoryOrder::Relaxed;
  if (text == "acquire")
    return tile::MemoryOrder::Acquire;
  if (text == "release")
    return tile::MemoryOrder::Release;
  e.fail(args.locs[i], "sem must be 'relaxed', 'acquire', 'release' or 'acq_rel', found '" + text + "'");
}

tile::Scope scopeArgument(Emitter &e, const Args &args, size_t i) {
  std::string text = textArgument(e, args, i, "scope");
  if (text.empty() || text == "gpu")
    return tile::Scope::Device;
  if (text == "cta")
    return tile::Scope::Block;
  if (text == "sys")
    return tile::Scope::System;
  e.fail(args.locs[i], "scope must be 'cta', 'gpu' or 'sys', found '" + text + "'");
}

Tensor pointerArgument(Emitter &e, const Args &args, const std::string &name) {
  Tensor pointer = tensorArgument(e, args, 0, name + "'s pointer");
  if (pointer.type.pointerDepth != 1)
    e.fail(args.locs[0], name + " needs a pointer to numbers, found " + pointer.str());
  if (pointer.type.isConst)
    e.fail(args.locs[0], "cannot store through a pointer to constant elements");
  return pointer;
}

/// The operand in the pointer's pointee type and shape.
Tensor operandArgument(Emitter &e, const Args &args, size_t i, const Tensor &pointer, const std::string &what) {
  Tensor value = e.cast(args.locs[i], tensorArgument(e, args, i, what), pointer.type.pointee());
  if (pointer.shape.empty() && !value.shape.empty())
    e.fail(args.locs[i], what + " must be a scalar as the pointer is, found " + value.str());
  return e.broadcastTo(args.locs[i], value, pointer.shape, what);
}

/// The atomic kinds of an operation for signed, unsigned and float elements.
struct Kinds {
  Kind forSigned, forUnsigned;
  std::optional<Kind> forFloat;
};

constexpr Kinds kAdd{Kind::Add, Kind::Add, Kind::FAdd};
constexpr Kinds kMin{Kind::Min, Kind::UMin, Kind::FMin};
constexpr Kinds kMax{Kind::Max, Kind::UMax, Kind::FMax};
constexpr Kinds kAnd{Kind::And, Kind::And, std::nullopt};
constexpr Kinds kOr{Kind::Or, Kind::Or, std::nullopt};
constexpr Kinds kXor{Kind::Xor, Kind::Xor, std::nullopt};
constexpr Kinds kExchange{Kind::Exchange, Kind::Exchange, Kind::Exchange};

template <const Kinds &kinds, FixedName name> Value atomic(Emitter &e, const Args &args) {
  Tensor pointer = pointerArgument(e, args, name.str());
  ElementType type = pointer.type.pointee();
  bool isAdd = &kinds == &kAdd;
  bool isWide = type.bits() >= 32 || (isAdd && type.isFloat() && type.bits() == 16);
  if (!isWide || (type.isFloat() && !kinds.forFloat))
    e.fail(args.locs[0],
           name.str() + " is not defined for elements of " + type.str() +
               (type.isFloat() && type.bits() >= 32 ? "; use integers" : "; use elements of 32 or 64 bits"));
  Tensor value = operandArgument(e, args, 1, pointer, name.str() + "'s value");
  mlir::Value mask;
  if (auto given = optionalTensor(e, args, 2, name.str() + "'s mask"))
    mask = e.broadcastTo(args.locs[2], e.toBool(args.locs[2], *given), pointer.shape, "the mask").value;
  Kind kind = type.isFloat() ? *kinds.forFloat : type.isUnsigned() ? kinds.forUnsigned : kinds.forSigned;
  auto op = tile::AtomicRmwOp::create(e.builder, e.at(args.loc), kind, orderArgument(e, args, 3),
                                      scopeArgument(e, args, 4), pointer.value, value.value, mask);
  return e.wrap(op, type, pointer.shape);
}

Value compareAndSwap(Emitter &e, const Args &args) {
  Tensor pointer = pointerArgument(e, args, "atomic_cas");
  ElementType type = pointer.type.pointee();
  if (type.bits() != 16 && type.bits() != 32 && type.bits() != 64)
    e.fail(args.locs[0], "atomic_cas needs elements of 16, 32 or 64 bits, found " + type.str());
  Tensor expected = operandArgument(e, args, 1, pointer, "atomic_cas's cmp");
  Tensor desired = operandArgument(e, args, 2, pointer, "atomic_cas's val");
  auto op = tile::AtomicCasOp::create(e.builder, e.at(args.loc), orderArgument(e, args, 3), scopeArgument(e, args, 4),
                                      pointer.value, expected.value, desired.value);
  return e.wrap(op, type, pointer.shape);
}

} // namespace

std::span<const Builtin> atomicBuiltins() {
  static constexpr std::string_view signature = "pointer, val, mask=None, sem=None, scope=None";
  static constexpr Builtin table[] = {
      {"atomic_add", signature, atomic<kAdd, "atomic_add">, true},
      {"atomic_min", signature, atomic<kMin, "atomic_min">, true},
      {"atomic_max", signature, atomic<kMax, "atomic_max">, true},
      {"atomic_and", signature, atomic<kAnd, "atomic_and">, true},
      {"atomic_or", signature, atomic<kOr, "atomic_or">, true},
      {"atomic_xor", signature, atomic<kXor, "atomic_xor">, true},
      {"atomic_xchg", signature, atomic<kExchange, "atomic_xchg">, true},
      {"atomic_cas", "pointer, cmp, val, sem=None, scope=None", compareAndSwap, true},
  };
  return table;
}

} // namespace tegula::lang
