// Pointers, loads and stores.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/EnumText.h"

namespace tegula::lang {

using namespace mlir;

namespace {

tile::CacheModifier cacheModifier(Emitter &e, Loc loc, const std::string &text) {
  using C = tile::CacheModifier;
  return enumOf<C>(e, loc, text, "cache modifier",
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
  return enumOf<E>(
      e, loc, text, "eviction policy",
      {{"", E::Normal}, {"evict_normal", E::Normal}, {"evict_first", E::EvictFirst}, {"evict_last", E::EvictLast}});
}

/// The pointers of a load, broadcast to the shape that they have together with its mask or its other values.
Tensor widened(Emitter &e, Loc loc, const Tensor &pointers, const std::optional<Tensor> &by, const std::string &what) {
  if (!by)
    return pointers;
  if (pointers.shape.empty() && !by->shape.empty())
    e.fail(loc, "the " + what + " of a load through a scalar pointer must be a scalar, found " + by->str() +
                    "; add offsets such as tl.arange to the pointer");
  return e.broadcast(loc, pointers, *by, "the shapes of the pointers and of the " + what + ",").first;
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
  return wrap(tile::AddPtrOp::create(builder, at(loc), p.value, o.value), pointer.type, p.shape);
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
  address = widened(*this, loc, widened(*this, loc, address, mask, "mask"), other, "'other'");
  if (mask)
    mask = broadcastTo(loc, toBool(loc, *mask), address.shape);
  if (other)
    other = broadcastTo(loc, cast(loc, *other, stored), address.shape);
  auto op = tile::LoadOp::create(builder, at(loc), address.value, valueOf(mask), valueOf(other),
                                 cacheModifier(*this, loc, cache), evictionPolicy(*this, loc, eviction), isVolatile);
  Tensor result = wrap(op, stored, address.shape);
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
  tile::StoreOp::create(builder, at(loc), address.value, converted.value, valueOf(mask),
                        cacheModifier(*this, loc, cache), evictionPolicy(*this, loc, eviction));
}

} // namespace tegula::lang
