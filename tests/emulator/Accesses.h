// What loads and stores of global, private and buffer memory share: their names, in both spellings, and how a loaded
// element of less than a word is put in its register (LDS, too). global_load_dwordx2 of gfx9 and gfx10 is
// global_load_b64 later.
#pragma once

#include "tests/emulator/Wave.h"

namespace tegula::emulator {

/// How a loaded element of less than a word is put in its register. Low and High keep the register's other half.
enum class Form { Zeros, Sign, Low, High };

/// Puts the element in its register. The type's sign says whether it is extended with zeros or with its sign.
template <Form form, class T> void setNarrow(Wave &w, const Operand &to, unsigned lane, T value) {
  uint32_t old = w.word(to, lane), bits = uint32_t(int32_t(value));
  if (form == Form::Low)
    bits = (old & 0xffff0000) | (bits & 0xffff);
  else if (form == Form::High)
    bits = (old & 0xffff) | bits << 16;
  w.setWord(to, lane, bits);
}

/// Adds the handlers of a kind of memory. Space has the static function templates loadNarrow<type, form>,
/// loadWords<words>, storeNarrow<bytes, whether of the upper half> and storeWords<words>.
template <class Space> void addAccesses(HandlerTable &t, const std::string &space) {
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(space + name, handler);
  };
  add({"_load_ubyte", "_load_u8"}, Space::template loadNarrow<uint8_t, Form::Zeros>);
  add({"_load_sbyte", "_load_i8"}, Space::template loadNarrow<int8_t, Form::Sign>);
  add({"_load_ushort", "_load_u16"}, Space::template loadNarrow<uint16_t, Form::Zeros>);
  add({"_load_sshort", "_load_i16"}, Space::template loadNarrow<int16_t, Form::Sign>);
  add({"_load_ubyte_d16", "_load_d16_u8"}, Space::template loadNarrow<uint8_t, Form::Low>);
  add({"_load_sbyte_d16", "_load_d16_i8"}, Space::template loadNarrow<int8_t, Form::Low>);
  add({"_load_short_d16", "_load_d16_b16"}, Space::template loadNarrow<uint16_t, Form::Low>);
  add({"_load_ubyte_d16_hi", "_load_d16_hi_u8"}, Space::template loadNarrow<uint8_t, Form::High>);
  add({"_load_sbyte_d16_hi", "_load_d16_hi_i8"}, Space::template loadNarrow<int8_t, Form::High>);
  add({"_load_short_d16_hi", "_load_d16_hi_b16"}, Space::template loadNarrow<uint16_t, Form::High>);
  add({"_load_dword", "_load_b32"}, Space::template loadWords<1>);
  add({"_load_dwordx2", "_load_b64"}, Space::template loadWords<2>);
  add({"_load_dwordx3", "_load_b96"}, Space::template loadWords<3>);
  add({"_load_dwordx4", "_load_b128"}, Space::template loadWords<4>);
  add({"_store_byte", "_store_b8"}, Space::template storeNarrow<1, false>);
  add({"_store_byte_d16_hi", "_store_d16_hi_b8"}, Space::template storeNarrow<1, true>);
  add({"_store_short", "_store_b16"}, Space::template storeNarrow<2, false>);
  add({"_store_short_d16_hi", "_store_d16_hi_b16"}, Space::template storeNarrow<2, true>);
  add({"_store_dword", "_store_b32"}, Space::template storeWords<1>);
  add({"_store_dwordx2", "_store_b64"}, Space::template storeWords<2>);
  add({"_store_dwordx3", "_store_b96"}, Space::template storeWords<3>);
  add({"_store_dwordx4", "_store_b128"}, Space::template storeWords<4>);
}

} // namespace tegula::emulator
