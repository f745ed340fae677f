// Loads and stores of global, constant and private memory.
#include "tests/emulator/Accesses.h"
#include "tests/emulator/Atomics.h"

namespace tegula::emulator {
namespace {

using Kind = Operand::Kind;

/// The address of a lane: {.., address, .., base or off}. With a scalar base the lane's part is an offset of 32 bits.
uint64_t globalAddress(const Wave &w, const Instruction &i, const Operand &address, const Operand *base,
                       unsigned lane) {
  if (base && base->kind == Kind::Scalar && base->index != kNull)
    return w.scalar64(*base) + w.word(address, lane) + uint64_t(i.immediate);
  return w.b64(address, lane) + uint64_t(i.immediate);
}

void checkPrivate(const Wave &w, int64_t at, size_t bytes, const Instruction &i) {
  if (at < 0 || uint64_t(at) + bytes > w.scratchBytes)
    throw Fault("'" + i.text + "' accesses private memory at " + std::to_string(at) + " of " +
                std::to_string(w.scratchBytes) + " bytes");
}

/// A flat address whose upper word is that of an aperture: the lower word is one of LDS or of private memory.
uint8_t *aperturePlace(Wave &w, const Instruction &i, uint64_t address, size_t bytes, unsigned lane) {
  uint32_t at = uint32_t(address);
  if (address >> 32 == kPrivateAperture) {
    checkPrivate(w, at, bytes, i);
    return w.scratch.data() + size_t(lane) * w.scratchBytes + at;
  }
  if (at + bytes > w.group->lds.size())
    throw Fault("'" + i.text + "' accesses LDS at " + std::to_string(at) + " of " +
                std::to_string(w.group->lds.size()) + " bytes");
  w.group->watch.define(at, bytes);
  return w.group->lds.data() + at;
}

/// Where an access of a lane goes: the host's address, after it was checked. `first`: the index of the address operand.
/// scratch_* have {vector or off, scalar or off}, in bytes of the lane's private memory.
uint8_t *placeOf(Wave &w, const Instruction &i, size_t first, size_t bytes, unsigned lane, bool isPrivate) {
  const Operand &address = i.operands.at(first);
  const Operand *base = nullptr; // behind the address, and behind the data of a store
  for (size_t at = first + 1; at < i.operands.size(); ++at)
    if (i.operands[at].kind == Kind::Off || i.operands[at].kind == Kind::Scalar)
      base = &i.operands[at];
  if (!isPrivate) {
    uint64_t at = globalAddress(w, i, address, base, lane);
    if (i.isFlat && (at >> 32 == kSharedAperture || at >> 32 == kPrivateAperture))
      return aperturePlace(w, i, at, bytes, lane);
    if (!w.isArgument(at, bytes))
      w.access(at, bytes, i);
    return reinterpret_cast<uint8_t *>(at);
  }
  int64_t at = i.immediate;
  if (address.kind != Kind::Off)
    at += int32_t(address.kind == Kind::Scalar ? w.scalar32(address) : w.word(address, lane));
  if (base && base->kind == Kind::Scalar && base->index != kNull)
    at += int32_t(w.scalar32(*base));
  checkPrivate(w, at, bytes, i);
  return w.scratch.data() + size_t(lane) * w.scratchBytes + size_t(at);
}

/// How a loaded element of less than a word is put in its register.
/// Global memory, or the private memory of lanes.
template <bool isPrivate> struct Space {
  template <class T, Form form> static void loadNarrow(Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      T value;
      std::memcpy(&value, placeOf(w, i, 1, sizeof value, l, isPrivate), sizeof value);
      setNarrow<form>(w, i.operands[0], l, value);
    });
  }

  template <unsigned words> static void loadWords(Wave &w, const Instruction &i) {
    std::vector<uint32_t> loaded(size_t(words) * w.lanes); // the address may be overwritten
    forLanes(w, [&](unsigned l) {
      std::memcpy(&loaded[size_t(words) * l], placeOf(w, i, 1, 4 * words, l, isPrivate), 4 * words);
    });
    forLanes(w, [&](unsigned l) {
      for (unsigned word = 0; word < words; ++word)
        w.setWord(i.operands[0], l, loaded[size_t(words) * l + word], word);
    });
  }

  template <unsigned bytes, bool upper> static void storeNarrow(Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      uint32_t value = w.word(i.operands[1], l) >> (upper ? 16 : 0);
      std::memcpy(placeOf(w, i, 0, bytes, l, isPrivate), &value, bytes);
    });
  }

  template <unsigned words> static void storeWords(Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      uint8_t *place = placeOf(w, i, 0, 4 * words, l, isPrivate);
      for (unsigned word = 0; word < words; ++word) {
        uint32_t value = w.word(i.operands[1], l, word);
        std::memcpy(place + 4 * word, &value, 4);
      }
    });
  }
};

/// The address of {registers, base, offset}, checked.
const uint8_t *scalarPlace(Wave &w, const Instruction &i, size_t bytes) {
  uint64_t address = w.scalar64(i.operands[1]) + uint64_t(i.immediate);
  if (i.operands.size() > 2) {
    const Operand &offset = i.operands[2];
    address += offset.kind == Kind::Scalar ? w.scalar32(offset) : uint64_t(offset.bits);
  }
  if (bytes >= 4)
    address &= ~uint64_t(3);
  if (!w.isArgument(address, bytes))
    w.group->memory->check(address, bytes, i.text.c_str());
  return reinterpret_cast<const uint8_t *>(address);
}

template <class T> void loadNarrowScalar(Wave &w, const Instruction &i) {
  T value;
  std::memcpy(&value, scalarPlace(w, i, sizeof value), sizeof value);
  w.setScalar32(i.operands[0], uint32_t(int32_t(value)));
}

/// Words of constant memory to scalar registers.
template <unsigned words> void loadScalars(Wave &w, const Instruction &i) {
  const uint8_t *from = scalarPlace(w, i, 4 * words);
  for (unsigned word = 0; word < words; ++word) {
    uint32_t value;
    std::memcpy(&value, from + 4 * word, 4);
    w.setScalarWord(i.operands[0], word, value);
  }
}

} // namespace

uint8_t *globalPlace(Wave &w, const Instruction &i, size_t first, size_t bytes, unsigned lane) {
  return placeOf(w, i, first, bytes, lane, false);
}

void addMemory(HandlerTable &t) {
  addAccesses<Space<false>>(t, "global");
  addAccesses<Space<false>>(t, "flat");
  addAccesses<Space<true>>(t, "scratch");
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  add({"s_load_dword", "s_load_b32"}, loadScalars<1>);
  add({"s_load_dwordx2", "s_load_b64"}, loadScalars<2>);
  add({"s_load_u8"}, loadNarrowScalar<uint8_t>);
  add({"s_load_i8"}, loadNarrowScalar<int8_t>);
  add({"s_load_u16"}, loadNarrowScalar<uint16_t>);
  add({"s_load_i16"}, loadNarrowScalar<int16_t>);
  add({"s_load_b96"}, loadScalars<3>);
  add({"s_load_dwordx4", "s_load_b128"}, loadScalars<4>);
  add({"s_load_dwordx8", "s_load_b256"}, loadScalars<8>);
  add({"s_load_dwordx16", "s_load_b512"}, loadScalars<16>);
  addAtomics(t);
}

} // namespace tegula::emulator
