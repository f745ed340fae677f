// Scratch: shared buffers that live for one exchange; and the exchanges in which each thread reads registers of other
// threads. An exchange that needs more than the available memory (ExchangeRoom.h) is divided into parts, which run one
// after another and can share storage.
#include "core/passes/tosimt/Lowering.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tegula::tosimt {

Type Lowering::scratchElement(Type element) {
  if (simt::elementBytes(element) >= target_.features.sharedElementBytes)
    return element;
  return b_.getIntegerType(unsigned(target_.features.sharedElementBytes * 8));
}

int64_t Lowering::scratchBytes(Type element) {
  return std::max(simt::elementBytes(element), target_.features.sharedElementBytes);
}

int64_t Lowering::atOnce(int64_t most, int64_t bytesEach, int64_t bytesBeside) const {
  if (most * bytesEach <= room_)
    return most;
  int64_t fitting = (room_ - bytesBeside) / bytesEach;
  return fitting < 1 ? 1 : int64_t(llvm::bit_floor(uint64_t(fitting)));
}

Value Lowering::scratch(int64_t count, Type element) {
  auto type = simt::SharedType::get(b_.getContext(), {count}, scratchElement(element), layout_ir::SharedAttr());
  return simt::SharedAllocOp::create(b_, location_, type, IntegerAttr());
}

void Lowering::storeShared(Value buffer, Value offsets, Value values) {
  Type element = elementOf(values), stored = cast<simt::SharedType>(buffer.getType()).getElementType();
  auto like = [&](Type type) {
    return isa<VectorType>(values.getType()) ? Type(vectorOf(countOf(values), type)) : type;
  };
  if (element != stored) {
    if (isa<FloatType>(element))
      values =
          arith::BitcastOp::create(b_, location_, like(b_.getIntegerType(element.getIntOrFloatBitWidth())), values);
    values = arith::ExtUIOp::create(b_, location_, like(stored), values);
  }
  simt::SharedStoreOp::create(b_, location_, buffer, offsets, values);
}

Value Lowering::loadShared(Value buffer, Value offsets, int64_t count, Type element) {
  Type stored = cast<simt::SharedType>(buffer.getType()).getElementType();
  Value loaded = simt::SharedLoadOp::create(b_, location_, vectorOf(count, stored), buffer, offsets);
  if (element == stored)
    return loaded;
  Type narrow = b_.getIntegerType(element.getIntOrFloatBitWidth());
  loaded = arith::TruncIOp::create(b_, location_, vectorOf(count, narrow), loaded);
  return narrow == element ? loaded : Value(arith::BitcastOp::create(b_, location_, vectorOf(count, element), loaded));
}

Value Lowering::isBelow(Value numbers, int64_t limit) {
  return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ult, numbers,
                               splat(constant(limit), countOf(numbers)));
}

void Lowering::storeWhere(Value buffer, Value isIn, Value places, int64_t size, Value values) {
  Value idle = splat(arith::AddIOp::create(b_, location_, thread_, constant(size)), countOf(values));
  storeShared(buffer, select(isIn, places, idle), values);
}

Value Lowering::slice(Value vector, int64_t begin, int64_t count) {
  if (count == countOf(vector))
    return vector;
  return simt::SliceOp::create(b_, location_, vectorOf(count, elementOf(vector)), vector,
                               b_.getI32IntegerAttr(int32_t(begin)));
}

Value Lowering::places(int64_t count) {
  SmallVector<int64_t> rows;
  for (int64_t row = 0; row < count; ++row)
    rows.push_back(row * threads());
  return constants(rows, b_.getI32Type());
}

Value Lowering::placesOfThread(Value thread, int64_t count) {
  return arith::AddIOp::create(b_, location_, splat(thread, count), places(count));
}

Value Lowering::share(Value vector) {
  Value buffer = scratch(countOf(vector) * threads(), elementOf(vector));
  storeShared(buffer, placesOfThread(thread_, countOf(vector)), vector);
  return buffer;
}

Value Lowering::fromThread(Value vector, Value from) { return fromThread(Values{vector}, from)[0]; }

Values Lowering::fromThread(const Values &vectors, Value from) {
  int64_t count = countOf(vectors[0]), bytes = 0; // of one register of each vector, in all threads
  for (Value vector : vectors)
    bytes += threads() * scratchBytes(elementOf(vector));
  Values received;
  if (vectors.size() > 1 && bytes > room_) {
    for (Value vector : vectors)
      received.push_back(fromThread(vector, from));
    return received;
  }
  if (int64_t part = atOnce(count, bytes); part < count)
    return inParts(vectors, part, [&](const Values &some) { return fromThread(some, from); });
  SmallVector<Value> buffers = llvm::map_to_vector(vectors, [&](Value vector) { return share(vector); });
  Value at = placesOfThread(from, count);
  for (auto [buffer, vector] : llvm::zip_equal(buffers, vectors))
    received.push_back(loadShared(buffer, at, count, elementOf(vector)));
  return received;
}

Values Lowering::inParts(const Values &values, int64_t part, function_ref<Values(const Values &)> make) {
  int64_t count = countOf(values[0]);
  SmallVector<SmallVector<Value>> made(values.size());
  for (int64_t begin = 0; begin < count; begin += part) {
    Values some;
    for (Value value : values)
      some.push_back(slice(value, begin, part));
    for (auto [parts, value] : llvm::zip_equal(made, make(some)))
      parts.push_back(value);
  }
  Values result;
  for (auto [parts, value] : llvm::zip_equal(made, values))
    result.push_back(concat(parts, count, elementOf(value)));
  return result;
}

Values Lowering::combineWarps(const Values &values, ArrayRef<int64_t> warpBits,
                              function_ref<Values(ValueRange, ValueRange)> combine) {
  int64_t count = countOf(values[0]), mask = 0, all = 0, largest = 0;
  for (int64_t bit : warpBits)
    mask |= bit;
  for (Value value : values) {
    all += threads() * scratchBytes(elementOf(value));
    largest = std::max(largest, threads() * scratchBytes(elementOf(value)));
  }
  // If shared memory can hold one register of every value at a time, all values are exchanged together, with one
  // barrier; else one value after the other.
  bool isTogether = all <= room_;
  int64_t part = atOnce(count, isTogether ? all : largest);
  if (part < count)
    return inParts(values, part, [&](const Values &some) { return combineWarps(some, warpBits, combine); });
  SmallVector<Value> buffers;
  if (isTogether)
    for (Value value : values)
      buffers.push_back(share(value));
  Value origin = arith::AndIOp::create(b_, location_, thread_, constant(~(mask * warpSize_) & (threads() - 1)));
  SmallVector<Value> at;
  for (int64_t number = 0; number < int64_t(1) << warpBits.size(); ++number) {
    int64_t from = 0;
    for (auto [position, bit] : llvm::enumerate(warpBits))
      from |= number >> position & 1 ? bit : 0;
    Value peer = arith::AddIOp::create(b_, location_, origin, constant(from * warpSize_));
    at.push_back(placesOfThread(peer, count));
  }
  SmallVector<Values> parts(at.size());
  if (!isTogether)
    for (Value value : values) {
      Value buffer = share(value);
      for (auto [number, offsets] : llvm::enumerate(at))
        parts[number].push_back(loadShared(buffer, offsets, count, elementOf(value)));
    }
  Values sum;
  for (auto [number, offsets] : llvm::enumerate(at)) {
    if (isTogether)
      for (auto [buffer, value] : llvm::zip_equal(buffers, values))
        parts[number].push_back(loadShared(buffer, offsets, count, elementOf(value)));
    sum = number == 0 ? parts[number] : combine(sum, parts[number]);
  }
  return sum;
}

} // namespace tegula::tosimt
