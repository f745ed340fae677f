// Packs narrow elements into 32-bit words and unpacks them.
#include "backends/vulkan/codegen/Printer.h"

using namespace mlir;

namespace tegula::vulkan {

Values Printer::pack(llvm::ArrayRef<Id> elements, ScalarType type) {
  uint32_t each = 4 / byteSize(type);
  if (!scalars.isHeld(byteSize(type) == 1 ? ScalarType::I8 : ScalarType::I16)) {
    Values words;
    for (auto [i, element] : llvm::enumerate(elements)) {
      Id bits = scalars.toWord(type, element);
      if (i % each == 0)
        words.push_back(bits);
      else
        words.back() = scalars.either(words.back(), scalars.shiftLeft(bits, u32(int64_t(i % each * 32 / each))));
    }
    return words;
  }
  Id vector = m.vectorType(memoryType(type), each);
  auto wordOf = [&](llvm::ArrayRef<Id> some) -> Id {
    const Place first = unpacked_.lookup(some.front());
    for (auto [i, element] : llvm::enumerate(some)) {
      const Place place = unpacked_.lookup(element);
      if (place.word != first.word || place.number != i || place.type != type)
        return 0;
    }
    return some.size() == each ? first.word : 0;
  };
  Values words;
  for (size_t at = 0; at < elements.size(); at += each) {
    llvm::ArrayRef<Id> some = elements.slice(at, std::min<size_t>(each, elements.size() - at));
    Id word = wordOf(some);
    if (word || (word = transposedWord(some, type))) {
      words.push_back(word);
      continue;
    }
    Values parts;
    for (size_t i = at; i < at + each; ++i)
      parts.push_back(i < elements.size() ? toMemory(type, elements[i]) : m.constantNull(memoryType(type)));
    words.push_back(b.bitcast(b.construct(vector, parts), m.intType(32)));
  }
  return words;
}

Values Printer::unpack(llvm::ArrayRef<Id> words, uint32_t count, ScalarType type) {
  uint32_t each = 4 / byteSize(type);
  Values elements;
  if (!scalars.isHeld(byteSize(type) == 1 ? ScalarType::I8 : ScalarType::I16)) {
    for (uint32_t i = 0; i < count; ++i) {
      Id word = words[i / each];
      elements.push_back(scalars.fromWord(type, i % each ? scalars.shiftRight(word, u32(i % each * 32 / each)) : word));
    }
    return elements;
  }
  Id vector = m.vectorType(memoryType(type), each);
  for (Id word : words) {
    Id parts = b.bitcast(word, vector);
    for (uint32_t i = 0; i < each && elements.size() < count; ++i) {
      elements.push_back(fromMemory(type, b.extract(parts, i)));
      if (type != ScalarType::I1) // the byte of an i1 may hold other bits, so packing must not reuse the word
        unpacked_[elements.back()] = {word, i, type};
    }
  }
  return elements;
}

/// Builds a word from four bytes if each is byte number i of another word, with one i for all, as in the transpose of a
/// block of 4x4 bytes; returns 0 otherwise. The first step below joins bytes of two words, the second one joins halves
/// of two results of the first. Two calls need the same result of the first step, and drivers compute it once, but only
/// because the byte mask contains unknownZero_: if drivers knew the mask, they would track the used bits and split the
/// block into bytes, with one or two instructions for each.
///
///   w0 = a0 a1 a2 a3, w1 = b0 b1 b2 b3   ->   a0 b0 a2 b2  or  a1 b1 a3 b3
///   a0 b0 a2 b2,      c0 d0 c2 d2        ->   a0 b0 c0 d0  or  a2 b2 c2 d2
Id Printer::transposedWord(llvm::ArrayRef<Id> bytes, ScalarType type) {
  if (!evenBytes_ || byteSize(type) != 1 || bytes.size() != 4 || !scalars.isHeld(ScalarType::I16))
    return 0;
  Values words;
  uint32_t number = unpacked_.lookup(bytes.front()).number;
  for (Id byte : bytes) {
    const Place place = unpacked_.lookup(byte);
    if (!place.word || place.type != type || place.number != number)
      return 0;
    words.push_back(place.word);
  }
  // Emits a word with the even bytes of `even` and the odd bytes of `odd`.
  auto chosen = [&](Id even, Id odd) {
    return scalars.differ(scalars.both(scalars.differ(even, odd), evenBytes_), odd);
  };
  auto pair = [&](Id first, Id second) {
    return number % 2 == 0 ? chosen(first, scalars.shiftLeft(second, u32(8)))
                           : chosen(scalars.shiftRight(first, u32(8)), second);
  };
  Id upper = pair(words[0], words[1]), lower = pair(words[2], words[3]);
  Id halves = m.vectorType(m.intType(16), 2);
  Values picked;
  for (Id each : {upper, lower})
    picked.push_back(b.extract(b.bitcast(each, halves), number / 2));
  return b.bitcast(b.construct(halves, picked), m.intType(32));
}

} // namespace tegula::vulkan
