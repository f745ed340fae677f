// LDS, the shared memory of a workgroup: loads, stores, atomics.
#include "tests/emulator/Accesses.h"

#include <algorithm>

namespace tegula::emulator {
namespace {

using Access = LdsWatch::Access;

/// The bytes of an access of one lane, checked. `fresh`: what it will write there.
uint8_t *placeOf(Wave &w, const Instruction &i, const Operand &address, int64_t offset, size_t bytes, unsigned lane,
                 Access access, const void *fresh = nullptr) {
  uint64_t at = uint32_t(w.word(address, lane) + uint32_t(offset)); // the sum wraps: a negative base is allowed
  if (at + bytes > w.group->lds.size())
    throw Fault("'" + i.text + "' accesses LDS at " + std::to_string(at) + " of " +
                std::to_string(w.group->lds.size()) + " bytes");
  uint8_t *place = w.group->lds.data() + at;
  w.group->watch.access(w.index, at, bytes, access, place, fresh, i);
  return place;
}

void write(Wave &w, const Instruction &i, const Operand &address, int64_t offset, const void *fresh, size_t bytes,
           unsigned lane) {
  std::memcpy(placeOf(w, i, address, offset, bytes, lane, Access::Write, fresh), fresh, bytes);
}

/// Cycles beyond those of an access without conflicts. LDS has 32 banks of 4 bytes; lanes that read the same word share
/// it. An access of w words a lane is served in groups of 32 / w lanes, one group after the other. `offset`: in bytes.
void countConflicts(Wave &w, const Operand &address, int64_t offset, unsigned bytes) {
  constexpr unsigned kBanks = 32;
  unsigned words = std::max(1u, bytes / 4), together = std::max(1u, 32 / words);
  for (unsigned first = 0; first < w.lanes; first += together) {
    std::array<std::vector<uint64_t>, kBanks> banks;
    for (unsigned l = first; l < std::min(first + together, w.lanes); ++l)
      for (unsigned word = 0; w.isActive(l) && word < words; ++word) {
        uint64_t at = (uint64_t(w.word(address, l)) + uint64_t(offset)) / 4 + word;
        std::vector<uint64_t> &bank = banks[at % kBanks];
        if (std::ranges::find(bank, at) == bank.end())
          bank.push_back(at);
      }
    size_t most = 1;
    for (const std::vector<uint64_t> &bank : banks)
      most = std::max(most, bank.size());
    w.counters.bankConflicts += most - 1;
  }
}

template <class T, Form form> void loadNarrow(Wave &w, const Instruction &i) {
  countConflicts(w, i.operands[1], i.immediate, sizeof(T));
  forLanes(w, [&](unsigned l) {
    T value;
    std::memcpy(&value, placeOf(w, i, i.operands[1], i.immediate, sizeof value, l, Access::Read), sizeof value);
    setNarrow<form>(w, i.operands[0], l, value);
  });
}

template <unsigned words> void loadWords(Wave &w, const Instruction &i) {
  countConflicts(w, i.operands[1], i.immediate, 4 * words);
  forLanes(w, [&](unsigned l) {
    std::array<uint32_t, words> loaded;
    std::memcpy(loaded.data(), placeOf(w, i, i.operands[1], i.immediate, 4 * words, l, Access::Read), 4 * words);
    for (unsigned word = 0; word < words; ++word)
      w.setWord(i.operands[0], l, loaded[word], word);
  });
}

template <unsigned bytes, bool upper> void storeNarrow(Wave &w, const Instruction &i) {
  countConflicts(w, i.operands[0], i.immediate, bytes);
  forLanes(w, [&](unsigned l) {
    uint32_t value = w.word(i.operands[1], l) >> (upper ? 16 : 0);
    write(w, i, i.operands[0], i.immediate, &value, bytes, l);
  });
}

template <unsigned words> void storeWords(Wave &w, const Instruction &i) {
  countConflicts(w, i.operands[0], i.immediate, 4 * words);
  forLanes(w, [&](unsigned l) {
    std::array<uint32_t, words> values;
    for (unsigned word = 0; word < words; ++word)
      values[word] = w.word(i.operands[1], l, word);
    write(w, i, i.operands[0], i.immediate, values.data(), 4 * words, l);
  });
}

/// Two elements, at offsets counted in elements, or in 64 of them.
template <unsigned words, unsigned stride> void loadTwo(Wave &w, const Instruction &i) {
  for (int64_t offset : {i.offset0, i.offset1})
    countConflicts(w, i.operands[1], offset * 4 * words * stride, 4 * words);
  forLanes(w, [&](unsigned l) {
    std::array<uint32_t, 2 * words> loaded;
    for (unsigned which = 0; which < 2; ++which)
      std::memcpy(&loaded[which * words],
                  placeOf(w, i, i.operands[1], (which ? i.offset1 : i.offset0) * 4 * words * stride, 4 * words, l,
                          Access::Read),
                  4 * words);
    for (unsigned word = 0; word < 2 * words; ++word)
      w.setWord(i.operands[0], l, loaded[word], word);
  });
}

template <unsigned words, unsigned stride> void storeTwo(Wave &w, const Instruction &i) {
  for (int64_t offset : {i.offset0, i.offset1})
    countConflicts(w, i.operands[0], offset * 4 * words * stride, 4 * words);
  forLanes(w, [&](unsigned l) {
    for (unsigned which = 0; which < 2; ++which) {
      std::array<uint32_t, words> values;
      for (unsigned word = 0; word < words; ++word)
        values[word] = w.word(i.operands[1 + which], l, word);
      write(w, i, i.operands[0], (which ? i.offset1 : i.offset0) * 4 * words * stride, values.data(), 4 * words, l);
    }
  });
}

/// {[old value], address, data}; lanes one after another.
template <class F, bool returns> void modify(Wave &w, const Instruction &i) {
  size_t first = returns ? 1 : 0;
  countConflicts(w, i.operands[first], i.immediate, 4);
  forLanes(w, [&](unsigned l) {
    uint8_t *place = placeOf(w, i, i.operands[first], i.immediate, 4, l, Access::Atomic);
    uint32_t old, data = w.word(i.operands[first + 1], l);
    std::memcpy(&old, place, 4);
    uint32_t fresh = uint32_t(F{}(old, data));
    std::memcpy(place, &fresh, 4);
    if (returns)
      w.setWord(i.operands[0], l, old);
  });
}

template <class F> void addAtomic(HandlerTable &t, std::initializer_list<const char *> names) {
  for (const char *name : names) {
    t.emplace_back(std::string("ds_") + name, modify<F, false>);
    std::string returning = std::string("ds_") + name;
    size_t type = returning.rfind('_');
    t.emplace_back(returning.substr(0, type) + "_rtn" + returning.substr(type), modify<F, true>);
  }
}

} // namespace

void addShared(HandlerTable &t) {
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  add({"ds_read_u8", "ds_load_u8"}, loadNarrow<uint8_t, Form::Zeros>);
  add({"ds_read_i8", "ds_load_i8"}, loadNarrow<int8_t, Form::Sign>);
  add({"ds_read_u16", "ds_load_u16"}, loadNarrow<uint16_t, Form::Zeros>);
  add({"ds_read_i16", "ds_load_i16"}, loadNarrow<int16_t, Form::Sign>);
  add({"ds_read_u8_d16", "ds_load_u8_d16"}, loadNarrow<uint8_t, Form::Low>);
  add({"ds_read_u8_d16_hi", "ds_load_u8_d16_hi"}, loadNarrow<uint8_t, Form::High>);
  add({"ds_read_i8_d16", "ds_load_i8_d16"}, loadNarrow<int8_t, Form::Low>);
  add({"ds_read_i8_d16_hi", "ds_load_i8_d16_hi"}, loadNarrow<int8_t, Form::High>);
  add({"ds_read_u16_d16", "ds_load_u16_d16"}, loadNarrow<uint16_t, Form::Low>);
  add({"ds_read_u16_d16_hi", "ds_load_u16_d16_hi"}, loadNarrow<uint16_t, Form::High>);
  add({"ds_read_b32", "ds_load_b32"}, loadWords<1>);
  add({"ds_read_b64", "ds_load_b64"}, loadWords<2>);
  add({"ds_read_b96", "ds_load_b96"}, loadWords<3>);
  add({"ds_read_b128", "ds_load_b128"}, loadWords<4>);
  add({"ds_read2_b32", "ds_load_2addr_b32"}, loadTwo<1, 1>);
  add({"ds_read2_b64", "ds_load_2addr_b64"}, loadTwo<2, 1>);
  add({"ds_read2st64_b32", "ds_load_2addr_stride64_b32"}, loadTwo<1, 64>);
  add({"ds_read2st64_b64", "ds_load_2addr_stride64_b64"}, loadTwo<2, 64>);
  add({"ds_write_b8", "ds_store_b8"}, storeNarrow<1, false>);
  add({"ds_write_b8_d16_hi", "ds_store_b8_d16_hi"}, storeNarrow<1, true>);
  add({"ds_write_b16", "ds_store_b16"}, storeNarrow<2, false>);
  add({"ds_write_b16_d16_hi", "ds_store_b16_d16_hi"}, storeNarrow<2, true>);
  add({"ds_write_b32", "ds_store_b32"}, storeWords<1>);
  add({"ds_write_b64", "ds_store_b64"}, storeWords<2>);
  add({"ds_write_b96", "ds_store_b96"}, storeWords<3>);
  add({"ds_write_b128", "ds_store_b128"}, storeWords<4>);
  add({"ds_write2_b32", "ds_store_2addr_b32"}, storeTwo<1, 1>);
  add({"ds_write2_b64", "ds_store_2addr_b64"}, storeTwo<2, 1>);
  add({"ds_write2st64_b32", "ds_store_2addr_stride64_b32"}, storeTwo<1, 64>);
  add({"ds_write2st64_b64", "ds_store_2addr_stride64_b64"}, storeTwo<2, 64>);
  using U = uint32_t;
  addAtomic<decltype([](U a, U b) { return a + b; })>(t, {"add_u32"});
  addAtomic<decltype([](U a, U b) { return a - b; })>(t, {"sub_u32"});
  addAtomic<decltype([](U a, U b) { return U(std::min(int32_t(a), int32_t(b))); })>(t, {"min_i32"});
  addAtomic<decltype([](U a, U b) { return U(std::max(int32_t(a), int32_t(b))); })>(t, {"max_i32"});
  addAtomic<decltype([](U a, U b) { return std::min(a, b); })>(t, {"min_u32"});
  addAtomic<decltype([](U a, U b) { return std::max(a, b); })>(t, {"max_u32"});
  addAtomic<decltype([](U a, U b) { return a & b; })>(t, {"and_b32"});
  addAtomic<decltype([](U a, U b) { return a | b; })>(t, {"or_b32"});
  addAtomic<decltype([](U a, U b) { return a ^ b; })>(t, {"xor_b32"});
}

} // namespace tegula::emulator
