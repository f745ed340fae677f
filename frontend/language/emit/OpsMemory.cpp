// Pointers, loads and stores, and the matrix product.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"

namespace tegula::lang {

using namespace mlir;

namespace {

template <class Enum>
Enum modifier(Emitter &e, Loc loc, const std::string &text, const char *what,
              std::initializer_list<std::pair<const char *, Enum>> rows) {
  std::string known;
  for (auto &[name, value] : rows) {
    if (text == name)
      return value;
    if (*name)
      known += std::string(known.empty() ? "" : ", ") + name;
  }
  e.fail(loc, std::string("unknown ") + what + " '" + text + "'; known: " + known);
}

tile::CacheModifier cacheModifier(Emitter &e, Loc loc, const std::string &text) {
  using C = tile::CacheModifier;
  return modifier<C>(e, loc, text, "cache modifier",
                     {{"", C::None},
                      {".ca", C::CacheAll},
                      {".cg", C::CacheGlobal},
                      {".cs", C::Streaming},
                      {".cv", C::Volatile},
                      {".wb", C::WriteBack},
                      {".wt", C::WriteThrough}});
}

tile::EvictionPolicy evictionPolicy(Emitter &e, Loc loc, const std::string &text) {
  using E = tile::EvictionPolicy;
  return modifier<E>(
      e, loc, text, "eviction policy",
      {{"", E::Normal}, {"evict_normal", E::Normal}, {"evict_first", E::EvictFirst}, {"evict_last", E::EvictLast}});
}

mlir::Value valueOf(const std::optional<Tensor> &tensor) { return tensor ? tensor->value : mlir::Value(); }

} // namespace

Tensor Emitter::addPointer(Loc loc, const Tensor &pointer, const Tensor &offset) {
  if (!offset.type.isInteger())
    fail(loc, "a pointer's offset must be an integer, found " + offset.str() + "; convert it with .to(tl.int32)");
  Tensor wide = offset;
  // tile.addptr takes signed offsets: an unsigned one of fewer than 64 bits is extended to the next width.
  if (wide.type.isBool())
    wide = cast(loc, wide, ScalarType::I32);
  else if (wide.type.isUnsigned() && wide.type.bits() < 64)
    wide = cast(loc, wide, ScalarType::I64);
  auto [p, o] = broadcast(loc, pointer, wide);
  return wrap(builder.create<tile::AddPtrOp>(at(loc), p.value, o.value), pointer.type, p.shape);
}

Tensor Emitter::load(Loc loc, const Tensor &pointer, std::optional<Tensor> mask, std::optional<Tensor> other,
                     const std::string &cache, const std::string &eviction, bool isVolatile) {
  if (!pointer.type.isPointer())
    fail(loc, "load needs a pointer or a tensor of pointers, found " + pointer.str());
  if (other && !mask)
    fail(loc, "load has an 'other' but no 'mask'; 'other' is what masked-off elements read");
  ElementType element = pointer.type.pointee();
  Tensor address = element.isBool() ? cast(loc, pointer, ElementType(ScalarType::I8, 1)) : pointer;
  ElementType stored = element.isBool() ? ElementType(ScalarType::I8) : element;
  if (mask)
    mask = broadcastTo(loc, toBool(loc, *mask), pointer.shape, "the mask");
  if (other)
    other = broadcastTo(loc, cast(loc, *other, stored), pointer.shape, "'other'");
  auto op =
      builder.create<tile::LoadOp>(at(loc), address.value, valueOf(mask), valueOf(other),
                                   cacheModifier(*this, loc, cache), evictionPolicy(*this, loc, eviction), isVolatile);
  Tensor result = wrap(op, stored, pointer.shape);
  return element.isBool() ? toBool(loc, result) : result;
}

void Emitter::store(Loc loc, const Tensor &pointer, const Tensor &value, std::optional<Tensor> mask,
                    const std::string &cache, const std::string &eviction) {
  if (!pointer.type.isPointer())
    fail(loc, "store needs a pointer or a tensor of pointers, found " + pointer.str());
  if (pointer.type.isConst)
    fail(loc, "cannot store through a pointer to constant elements");
  if (pointer.shape.empty() && !value.shape.empty())
    fail(loc, "cannot store " + value.str() + " through a scalar pointer; add offsets such as tl.arange to it");
  ElementType element = pointer.type.pointee();
  Tensor address = element.isBool() ? cast(loc, pointer, ElementType(ScalarType::I8, 1)) : pointer;
  ElementType stored = element.isBool() ? ElementType(ScalarType::I8) : element;
  Tensor converted = element.isBool() ? cast(loc, toBool(loc, value), stored) : cast(loc, value, stored);
  converted = broadcastTo(loc, converted, pointer.shape, "the value");
  if (mask)
    mask = broadcastTo(loc, toBool(loc, *mask), pointer.shape, "the mask");
  builder.create<tile::StoreOp>(at(loc), address.value, converted.value, valueOf(mask),
                                cacheModifier(*this, loc, cache), evictionPolicy(*this, loc, eviction));
}

Tensor Emitter::dot(Loc loc, Tensor lhs, Tensor rhs, std::optional<Tensor> acc, const std::string &inputPrecision,
                    ElementType outType, int64_t maxImprecise) {
  size_t rank = lhs.shape.size();
  if ((rank != 2 && rank != 3) || rhs.shape.size() != rank)
    fail(loc, "dot needs two tensors of rank 2, or of rank 3 for a batch, found shapes " + str(lhs.shape) + " and " +
                  str(rhs.shape));
  bool sameBatch = rank == 2 || lhs.shape[0] == rhs.shape[0];
  if (lhs.shape[rank - 1] != rhs.shape[rank - 2] || !sameBatch)
    fail(loc, "dot's operands do not fit: " + str(lhs.shape) + " and " + str(rhs.shape) +
                  "; the columns of the first must be the rows of the second");
  bool bothFp8 = isFp8(lhs.type.scalar) && isFp8(rhs.type.scalar);
  if (lhs.type.isPointer() || rhs.type.isPointer() || (!(lhs.type == rhs.type) && !bothFp8))
    fail(loc, "dot's operands must have one type, found " + lhs.type.str() + " and " + rhs.type.str() +
                  "; convert one with .to()");
  if (lhs.type.isInteger() && !(lhs.type == ElementType(ScalarType::I8)))
    fail(loc, "dot takes i8 or floating-point operands, found " + lhs.type.str() + "; convert them with .to()");
  ElementType result = outType;
  if (lhs.type.isInteger())
    result = ScalarType::I32;
  else if (lhs.type == ElementType(ScalarType::F64))
    result = ScalarType::F64;
  else if (!(outType == ElementType(ScalarType::F16)) && !(outType == ElementType(ScalarType::F32)))
    fail(loc, "dot's out_dtype must be f32 or f16 for " + lhs.type.str() + " operands, found " + outType.str());
  else if (lhs.type == ElementType(ScalarType::F32) || lhs.type == ElementType(ScalarType::BF16))
    result = ScalarType::F32;
  Shape shape = lhs.shape;
  shape[rank - 1] = rhs.shape[rank - 1];
  checkSize(loc, shape);
  if (acc && acc->shape != shape)
    fail(loc, "dot's accumulator has shape " + str(acc->shape) + ", expected " + str(shape));
  if (acc && acc->type.isFloat() && acc->type == ElementType(ScalarType::F16) &&
      lhs.type == ElementType(ScalarType::F16))
    result = ScalarType::F16;
  if (acc && !(acc->type == result))
    fail(loc, "dot's accumulator is " + acc->type.str() + ", expected " + result.str());
  Tensor start = acc ? *acc : fullTensor(loc, shape, scalarConstant(loc, Const(Int(0)), result));
  using P = tile::InputPrecision;
  P precision = modifier<P>(
      *this, loc, inputPrecision, "input precision",
      {{"tf32", P::Tf32}, {"ieee", P::Ieee}, {"tf32x3", P::Tf32x3}, {"bf16x3", P::Bf16x3}, {"bf16x6", P::Bf16x6}});
  auto op = builder.create<tile::DotOp>(at(loc), lhs.value, rhs.value, start.value, precision,
                                        static_cast<int32_t>(maxImprecise));
  return wrap(op, result, shape);
}

} // namespace tegula::lang
