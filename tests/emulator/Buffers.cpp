// Loads and stores through a buffer resource (MUBUF), which tests their range, and s_buffer_load.
//
// A resource is four scalar registers: the address (48 bits), the stride (14 bits), the number of records, flags. The
// rules are those of "Buffer Addressing" and "Range Checking" in the instruction set manuals of CDNA 3 and RDNA 3:
//
//   - An access aligned to 4 bytes tests each of its words separately. A word out of range loads zero; a store to it
//     has no effect.
//   - Devices differ if only some bytes of a word are in range, or only some words of an unaligned access. The emulator
//     ends the launch then (Fault).
//   - The tested offset includes the scalar offset on gfx9, and does not on later devices.
//
// An access that passes the range test must also lie within the device's allocations, like every other access.
#include "tests/emulator/Accesses.h"

namespace tegula::emulator {
namespace {

using Kind = Operand::Kind;

struct Resource {
  uint64_t base = 0;
  uint32_t stride = 0, records = 0, check = 0; // check: OOB_SELECT, from gfx10 on
  bool isPrivate() const { return base == 0; } // the resource that a wave gets for its private memory (Launch.cpp)
};

Resource resourceOf(const Wave &w, const Instruction &i, const Operand &o) {
  uint32_t second = w.scalarWord(o, 1), flags = w.scalarWord(o, 3);
  Resource r{w.scalarWord(o, 0) | uint64_t(second & 0xffff) << 32, second >> 16 & 0x3fff, w.scalarWord(o, 2),
             flags >> 28 & 3};
  constexpr uint32_t kAddThread = 1u << 23, kType = 3u << 30;
  bool swizzles = w.family >= Family::Gfx11 ? second >> 30 != 0 : second >> 31 != 0;
  if (!r.isPrivate() && (swizzles || flags & (kAddThread | kType)))
    throw Fault("'" + i.text + "' has a resource that swizzles, adds the lane's number, or is no buffer's");
  return r;
}

/// Whether the byte at `offset` of record `index` is out of range.
bool isOutside(const Wave &w, const Instruction &i, const Resource &r, uint32_t index, uint64_t offset,
               uint32_t scalarOffset) {
  bool beyondStride = i.idxen && offset >= r.stride;
  if (w.family == Family::Gfx9)
    return r.stride == 0 ? offset + scalarOffset >= r.records : index >= r.records || beyondStride;
  enum : uint32_t { kStructured, kIndex, kNever, kRaw };
  switch (r.check) {
  case kStructured:
    if (r.stride == 0)
      throw Fault("'" + i.text + "' has a resource without a stride that asks for a test against the stride");
    return index >= r.records || beyondStride;
  case kIndex: return index >= r.records;
  case kNever: return r.records == 0;
  default: return offset >= r.records;
  }
}

/// The places of the words (or of the one part of a word) of an access in a lane; null: out of range.
/// Operands: data, {off, index, offset, or index and offset}, resource, scalar offset.
template <unsigned count> struct Places {
  std::array<uint8_t *, count> at = {};

  Places(Wave &w, const Instruction &i, unsigned lane, unsigned bytes) {
    const Operand &address = i.operands.at(1);
    Resource r = resourceOf(w, i, i.operands.at(2));
    uint32_t scalarOffset = w.scalar32(i.operands.at(3));
    uint32_t index = i.idxen ? w.word(address, lane) : 0;
    uint64_t offset = uint64_t(i.immediate) + (i.offen ? w.word(address, lane, i.idxen ? 1 : 0) : 0);
    if (r.isPrivate()) { // the scalar offset is the wave's: as many times a lane's as there are lanes
      uint64_t begin = offset + scalarOffset / w.lanes;
      if (begin + count * bytes > w.scratchBytes)
        throw Fault("'" + i.text + "' accesses private memory at " + std::to_string(begin) + " of " +
                    std::to_string(w.scratchBytes) + " bytes");
      for (unsigned word = 0; word < count; ++word)
        at[word] = w.scratch.data() + size_t(lane) * w.scratchBytes + begin + word * bytes;
      return;
    }
    uint64_t begin = r.base + scalarOffset + uint64_t(index) * r.stride + offset;
    bool isFirstOutside = isOutside(w, i, r, index, offset, scalarOffset);
    for (unsigned word = 0; word < count; ++word) {
      bool outside = isOutside(w, i, r, index, offset + word * bytes, scalarOffset);
      bool end = isOutside(w, i, r, index, offset + word * bytes + bytes - 1, scalarOffset);
      if (outside != end || (begin % 4 && outside != isFirstOutside))
        throw Fault("'" + i.text + "' is partly out of its buffer's range, at byte " + std::to_string(offset) +
                    ": devices differ in what they do then");
      if (outside)
        continue;
      w.access(begin + word * bytes, bytes, i);
      at[word] = reinterpret_cast<uint8_t *>(begin + word * bytes);
    }
  }
};

struct Buffer {
  template <class T, Form form> static void loadNarrow(Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      T value = 0;
      if (Places<1> place(w, i, l, sizeof value); place.at[0])
        std::memcpy(&value, place.at[0], sizeof value);
      setNarrow<form>(w, i.operands[0], l, value);
    });
  }

  template <unsigned words> static void loadWords(Wave &w, const Instruction &i) {
    if (i.lds)
      throw Fault("the emulator has no loads from a buffer to LDS: '" + i.text + "'");
    forLanes(w, [&](unsigned l) {
      Places<words> places(w, i, l, 4);
      for (unsigned word = 0; word < words; ++word) {
        uint32_t value = 0;
        if (places.at[word])
          std::memcpy(&value, places.at[word], 4);
        w.setWord(i.operands[0], l, value, word);
      }
    });
  }

  template <unsigned bytes, bool upper> static void storeNarrow(Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      uint32_t value = w.word(i.operands[0], l) >> (upper ? 16 : 0);
      if (Places<1> place(w, i, l, bytes); place.at[0])
        std::memcpy(place.at[0], &value, bytes);
    });
  }

  template <unsigned words> static void storeWords(Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      Places<words> places(w, i, l, 4);
      for (unsigned word = 0; word < words; ++word) {
        uint32_t value = w.word(i.operands[0], l, word);
        if (places.at[word])
          std::memcpy(places.at[word], &value, 4);
      }
    });
  }
};

/// {registers, resource, offset}; the resource is tested as one without stride, of records times stride bytes.
template <unsigned words> void loadScalars(Wave &w, const Instruction &i) {
  Resource r = resourceOf(w, i, i.operands[1]);
  uint64_t bytes = r.stride ? uint64_t(r.records) * r.stride : r.records, offset = uint64_t(i.immediate);
  if (i.operands.size() > 2)
    offset += w.scalar32(i.operands[2]);
  offset &= ~uint64_t(3);
  std::array<uint32_t, words> loaded = {};
  for (unsigned word = 0; word < words; ++word) {
    if (offset + 4 * word + 4 > bytes)
      continue;
    uint64_t address = r.base + offset + 4 * word;
    w.group->memory->check(address, 4, i.text.c_str());
    std::memcpy(&loaded[word], reinterpret_cast<const void *>(address), 4);
  }
  for (unsigned word = 0; word < words; ++word)
    w.setScalarWord(i.operands[0], word, loaded[word]);
}

} // namespace

void addBuffers(HandlerTable &t) {
  addAccesses<Buffer>(t, "buffer");
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  add({"s_buffer_load_dword", "s_buffer_load_b32"}, loadScalars<1>);
  add({"s_buffer_load_dwordx2", "s_buffer_load_b64"}, loadScalars<2>);
  add({"s_buffer_load_b96"}, loadScalars<3>);
  add({"s_buffer_load_dwordx4", "s_buffer_load_b128"}, loadScalars<4>);
  add({"s_buffer_load_dwordx8", "s_buffer_load_b256"}, loadScalars<8>);
  add({"s_buffer_load_dwordx16", "s_buffer_load_b512"}, loadScalars<16>);
}

} // namespace tegula::emulator
