#include "tests/emulator/Text.h"
#include "tests/emulator/Wave.h"

#include <charconv>
#include <map>
#include <optional>

namespace tegula::emulator {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// Parts between separators that are not inside of brackets, parentheses or quotes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    char c = at < text.size() ? text[at] : separator;
    depth += c == '[' || c == '(';
    depth -= c == ']' || c == ')';
    if (at == text.size() || (c == separator && depth == 0)) {
      if (std::string_view part = trimmed(text.substr(begin, at - begin)); !part.empty())
        parts.push_back(part);
      begin = at + 1;
    }
  }
  return parts;
}

std::optional<int64_t> integer(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative)
    text.remove_prefix(1);
  bool hex = text.starts_with("0x");
  if (hex)
    text.remove_prefix(2);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return negative ? -int64_t(value) : int64_t(value);
}

/// "12" or "[12:15]" behind a register's letter.
bool readRegisters(std::string_view text, Operand &operand) {
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    size_t colon = text.find(':');
    std::optional<int64_t> first = integer(text.substr(0, colon));
    std::optional<int64_t> last = colon == std::string_view::npos ? first : integer(text.substr(colon + 1));
    if (!first || !last)
      return false;
    operand.index = uint16_t(*first);
    operand.words = uint8_t(*last - *first + 1);
    return true;
  }
  std::optional<int64_t> number = integer(text);
  if (!number || text.starts_with("0x"))
    return false;
  operand.index = uint16_t(*number);
  return true;
}

bool readSpecial(std::string_view text, Operand &operand) {
  struct Special {
    uint16_t index;
    uint8_t words;
  };
  static const std::map<std::string_view, Special> specials = {
      {"vcc", {kVcc, 2}},
      {"vcc_lo", {kVcc, 1}},
      {"vcc_hi", {kVcc + 1, 1}},
      {"exec", {kExec, 2}},
      {"exec_lo", {kExec, 1}},
      {"exec_hi", {kExec + 1, 1}},
      {"m0", {kM0, 1}},
      {"null", {kNull, 1}},
      {"flat_scratch", {102, 2}},
      {"flat_scratch_lo", {102, 1}},
      {"flat_scratch_hi", {103, 1}},
      {"src_shared_base", {kShared, 2}},
      {"src_shared_limit", {kShared + 2, 2}},
      {"src_private_base", {kPrivate, 2}},
      {"src_private_limit", {kPrivate + 2, 2}},
  };
  auto found = specials.find(text);
  if (found == specials.end())
    return false;
  operand.kind = Operand::Kind::Scalar;
  operand.index = found->second.index;
  operand.words = found->second.words;
  return true;
}

Operand readOperand(std::string_view text) {
  Operand operand;
  std::string_view whole = text;
  auto unwrap = [&](std::string_view begin, std::string_view end) {
    if (!text.starts_with(begin) || !text.ends_with(end) || text.size() < begin.size() + end.size())
      return false;
    text = text.substr(begin.size(), text.size() - begin.size() - end.size());
    return true;
  };
  if (unwrap("neg(", ")"))
    operand.negate = true;
  else if (text.size() > 1 && text.front() == '-' && !std::isdigit(text[1])) {
    operand.negate = true;
    text.remove_prefix(1);
  }
  if (unwrap("|", "|") || unwrap("abs(", ")"))
    operand.absolute = true;
  if (unwrap("sext(", ")"))
    operand.extends = true;
  if (unwrap("lit(", ")") || unwrap("lit64(", ")")) {
  }
  if (text == "off") {
    operand.kind = Operand::Kind::Off;
    return operand;
  }
  if (readSpecial(text, operand))
    return operand;
  auto registers = [&](std::string_view letters, Operand::Kind kind, unsigned first) {
    if (!text.starts_with(letters) || !readRegisters(text.substr(letters.size()), operand))
      return false;
    operand.kind = kind;
    operand.index = uint16_t(operand.index + first);
    return true;
  };
  if (registers("ttmp", Operand::Kind::Scalar, kTtmp0) || registers("v", Operand::Kind::Vector, 0) ||
      registers("s", Operand::Kind::Scalar, 0) || registers("a", Operand::Kind::Accumulator, 0))
    return operand;
  if (text == "src_scc" || text == "scc") {
    operand.kind = Operand::Kind::Scalar;
    operand.index = kScc;
    return operand;
  }
  if (std::optional<int64_t> number = integer(text)) {
    operand.kind = text.starts_with("0x") ? Operand::Kind::Literal : Operand::Kind::Integer;
    operand.bits = *number;
    return operand;
  }
  std::string number(text);
  char *end = nullptr;
  double real = std::strtod(number.c_str(), &end);
  if (end && *end == 0 && !number.empty()) {
    operand.kind = Operand::Kind::Real;
    // 1 / (2 pi) is printed rounded; instructions have the nearest float of their type.
    operand.real = number.starts_with("0.15915494") ? 0.15915494309189532 : real;
    return operand;
  }
  throw Fault("the operand '" + std::string(whole) + "' is unknown to the emulator");
}

/// "[1,0,3,2]" as numbers.
std::vector<int64_t> list(std::string_view text) {
  std::vector<int64_t> numbers;
  if (text.starts_with('[') && text.ends_with(']'))
    for (std::string_view part : split(text.substr(1, text.size() - 2), ','))
      numbers.push_back(integer(part).value_or(0));
  return numbers;
}

uint8_t bitsOf(std::string_view text) {
  uint8_t bits = 0;
  unsigned at = 0;
  for (int64_t bit : list(text))
    bits = uint8_t(bits | (bit ? 1u << at : 0u)), ++at;
  return bits;
}

bool readDataParallel(std::string_view name, std::string_view value, DataParallel &dpp) {
  using Kind = DataParallel::Kind;
  static const std::map<std::string_view, Kind> kinds = {
      {"row_shl", Kind::RowShl},     {"row_shr", Kind::RowShr},       {"row_ror", Kind::RowRor},
      {"wave_shl", Kind::WaveShl},   {"wave_rol", Kind::WaveRol},     {"wave_shr", Kind::WaveShr},
      {"wave_ror", Kind::WaveRor},   {"row_mirror", Kind::RowMirror}, {"row_half_mirror", Kind::RowHalfMirror},
      {"row_share", Kind::RowShare}, {"row_xmask", Kind::RowXmask},   {"row_newbcast", Kind::RowNewbcast},
  };
  auto number = [&] { return uint32_t(integer(value).value_or(0)); };
  if (auto found = kinds.find(name); found != kinds.end()) {
    dpp.kind = found->second;
    dpp.control = number();
  } else if (name == "row_bcast") {
    dpp.kind = number() == 15 ? Kind::RowBcast15 : Kind::RowBcast31;
  } else if (name == "quad_perm" || name == "dpp8") {
    bool quad = name == "quad_perm";
    dpp.kind = quad ? Kind::QuadPerm : Kind::Dpp8;
    unsigned shift = 0;
    dpp.control = 0;
    for (int64_t lane : list(value)) {
      dpp.control |= uint32_t(lane) << shift;
      shift += quad ? 2 : 3;
    }
  } else if (name == "row_mask") {
    dpp.rowMask = uint8_t(number());
  } else if (name == "bank_mask") {
    dpp.bankMask = uint8_t(number());
  } else if (name == "bound_ctrl") {
    dpp.boundCtrl = true; // printed only where it is set
  } else if (name == "fi") {
    dpp.fetchInactive = number() != 0;
  } else {
    return false;
  }
  return true;
}

Operand::Part partOf(std::string_view text) {
  static const std::map<std::string_view, Operand::Part> parts = {
      {"DWORD", Operand::Part::Word},   {"BYTE_0", Operand::Part::Byte0}, {"BYTE_1", Operand::Part::Byte1},
      {"BYTE_2", Operand::Part::Byte2}, {"BYTE_3", Operand::Part::Byte3}, {"WORD_0", Operand::Part::Half0},
      {"WORD_1", Operand::Part::Half1}};
  auto found = parts.find(text);
  return found == parts.end() ? Operand::Part::Word : found->second;
}

void readModifier(std::string_view token, Instruction &made) {
  size_t colon = token.find(':');
  std::string_view name = token.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : token.substr(colon + 1);
  auto number = [&] { return integer(value).value_or(0); };
  auto operand = [&](size_t index) -> Operand & {
    static Operand none;
    return index < made.operands.size() ? made.operands[index] : none;
  };
  if (readDataParallel(name, value, made.dpp))
    return;
  if (name == "offset")
    made.immediate = number();
  else if (name == "offset0")
    made.offset0 = number();
  else if (name == "offset1")
    made.offset1 = number();
  else if (name == "byte_sel")
    made.byteSel = uint8_t(number());
  else if (name == "op_sel")
    made.opSel = bitsOf(value);
  else if (name == "op_sel_hi")
    made.opSelHi = bitsOf(value), made.hasOpSelHi = true;
  else if (name == "neg_lo")
    made.negLo = bitsOf(value);
  else if (name == "neg_hi")
    made.negHi = bitsOf(value);
  else if (name == "clamp")
    made.clamp = true;
  else if (name == "glc" || name == "sc0" || (name == "th" && value.ends_with("_RETURN")))
    made.glc = made.returns = true;
  else if (name == "idxen")
    made.idxen = true;
  else if (name == "offen")
    made.offen = true;
  else if (name == "lds")
    made.lds = true;
  else if (name == "cbsz")
    made.codes[0] = uint32_t(number());
  else if (name == "abid")
    made.codes[1] = uint32_t(number());
  else if (name == "blgp")
    made.codes[2] = uint32_t(number());
  else if (name == "neg") // of MFMA in f64
    made.negLo = bitsOf(value);
  else if (name == "dst_sel")
    operand(0).part = partOf(value);
  else if (name == "src0_sel")
    operand(made.sourceFirst).part = partOf(value);
  else if (name == "src1_sel")
    operand(made.sourceFirst + 1).part = partOf(value);
  else if (name == "dst_unused") {
    made.unusedPreserve = value == "UNUSED_PRESERVE";
    made.unusedSext = value == "UNUSED_SEXT";
  }
  // Others (mul:, div:, which do nothing while denormal numbers are kept; dlc, slc, nt, sc1, scope:, th:) are about
  // caches.
}

/// "hwreg(HW_REG_MODE, 4, 2)": 2 bits from bit 4 on; without numbers all 32.
void readHardwareRegister(std::string_view text, Instruction &made) {
  text.remove_prefix(std::string_view("hwreg(").size());
  text.remove_suffix(1);
  std::vector<std::string_view> parts = split(text, ',');
  made.hardwareRegister = parts.at(0) == "HW_REG_WAVE_MODE" ? "HW_REG_MODE" : parts.at(0); // gfx12's name
  if (parts.size() == 3) {
    made.fieldOffset = uint8_t(integer(parts[1]).value_or(0));
    made.fieldBits = uint8_t(integer(parts[2]).value_or(32));
  }
}

/// Removes the name of an encoding from the end.
bool stripped(std::string &name, std::string_view suffix) {
  if (!name.ends_with(suffix))
    return false;
  name.resize(name.size() - suffix.size());
  return true;
}

/// Instructions whose operands are no registers: what they wait for, which caches they concern.
bool hasFreeOperands(std::string_view name) {
  for (std::string_view begin : {"s_waitcnt", "s_wait_", "s_delay_alu", "s_sendmsg", "s_clause", "s_nop", "s_sleep",
                                 "s_setprio", "s_inst_prefetch", "s_set_inst_prefetch_distance", "buffer_wb",
                                 "buffer_inv", "buffer_gl", "global_inv", "global_wb", "s_barrier_"})
    if (name.starts_with(begin))
      return true;
  return false;
}

/// Of gfx9: most instructions with a 16-bit result clear the upper half. Source: the list of exceptions in LLVM's
/// AMDGPU backend (zeroesHigh16BitsOfDest), and that what came with gfx9 writes the half that op_sel chooses.
bool keepsUpper(std::string_view name) {
  for (std::string_view begin : {"v_fmac_", "v_fmaak_", "v_fmamk_", "v_madak_", "v_madmk_", "v_min3_", "v_max3_",
                                 "v_med3_", "v_add_i16", "v_sub_i16"})
    if (name.starts_with(begin))
      return true;
  return false;
}

} // namespace

Instruction readText(std::string_view text) {
  Instruction made;
  text = trimmed(text);
  made.text = text;
  size_t space = text.find_first_of(" \t");
  made.name = text.substr(0, space);
  std::string_view rest = space == std::string_view::npos ? std::string_view() : trimmed(text.substr(space));
  bool dual = made.name.starts_with("v_dual_");
  if (dual)
    made.name = "v_" + made.name.substr(7);
  made.sdwa = stripped(made.name, "_sdwa");
  if (stripped(made.name, "_dpp8") || stripped(made.name, "_dpp")) {
  }
  stripped(made.name, "_e32");
  made.isVop3 = stripped(made.name, "_e64");
  if (hasFreeOperands(made.name))
    return made;

  std::vector<std::string_view> modifiers;
  for (std::string_view part : split(rest, ',')) {
    std::vector<std::string_view> tokens = split(part, ' ');
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0 || tokens[0].find(':') < tokens[0].find('[')) { // "offset:4" without an operand before it
        modifiers.push_back(tokens[i]);
        continue;
      }
      if (tokens[0].starts_with("hwreg(")) {
        readHardwareRegister(tokens[0], made);
        continue;
      }
      made.operands.push_back(readOperand(tokens[0]));
    }
  }
  // Sources begin behind the destination, and behind the mask of a carry.
  made.sourceFirst = made.name.starts_with("v_add_co_u32") || made.name.starts_with("v_sub_co_u32") ||
                             made.name.starts_with("v_subrev_co_u32") ||
                             made.name.find("_co_ci_u32") != std::string::npos || made.name.starts_with("v_addc_co") ||
                             made.name.starts_with("v_subb")
                         ? 2
                         : 1;
  made.isFlat = made.name.starts_with("flat_");
  made.writesExec = made.name.starts_with("v_cmpx_");
  if (made.writesExec && made.operands.size() == 2) // from gfx10 on
    made.sourceFirst = 0;
  made.keepsUpper = keepsUpper(made.name);
  if (made.name.find("_i64") != std::string::npos) // signed: a literal is extended with its sign
    for (Operand &operand : made.operands)
      if (operand.kind == Operand::Kind::Literal)
        operand.bits = int32_t(uint32_t(operand.bits));
  for (std::string_view token : modifiers)
    readModifier(token, made);
  if (made.operands.size() == made.sourceFirst + 2 && made.opSel & 4) // behind two sources the destination's bit
    made.opSel = uint8_t((made.opSel & 3) | 8);
  if (!made.name.starts_with("v_pk_") && made.name.find("_mix") == std::string::npos) // op_sel of single elements
    for (size_t i = made.sourceFirst; i < made.operands.size(); ++i)
      made.operands[i].upper = made.opSel >> (i - made.sourceFirst) & 1;
  if (dual && made.name == "v_cndmask_b32" && made.operands.size() == 3) {
    Operand vcc;
    readSpecial("vcc_lo", vcc);
    made.operands.push_back(vcc);
  }
  return made;
}

} // namespace tegula::emulator
