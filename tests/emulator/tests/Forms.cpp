#include "tests/emulator/tests/Forms.h"

namespace tegula::emulator::test {
namespace {

const PartForm kParts[] = {{"DWORD", 0, 32},  {"BYTE_0", 0, 8},  {"BYTE_1", 8, 8},  {"BYTE_2", 16, 8},
                           {"BYTE_3", 24, 8}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16}};

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

class Builder {
public:
  Builder(const Row &row, std::string name, const Machine &machine, Random &random)
      : row_(row), name_(std::move(name)), machine_(machine), random_(random) {}

  /// All sources in vector registers.
  Form plain(const std::string &kind, bool isLong) {
    Form form;
    form.kind = kind;
    form.maskIndex = isLong ? kMaskResult : kVcc;
    for (unsigned i = 0; i < row_.sources.size(); ++i) {
      SourceForm source;
      source.type = row_.sources[i];
      source.index = vectorOf(i);
      unsigned words = source.type.bits == 64 ? 2 : 1;
      source.text = registers('v', source.index, words);
      if (source.type.role == Role::Literal) {
        source.kind = SourceForm::Kind::Constant;
        source.constant = anyLiteral(source.type);
        source.text = hex(source.constant);
      } else if (source.type.role != Role::Printed) {
        source.kind = SourceForm::Kind::Hidden;
      } else if (source.type.kind == Class::Mask) {
        source.kind = SourceForm::Kind::Mask;
        source.index = isLong ? kMaskSource : unsigned(kVcc);
        source.text = maskText(source.index);
      }
      form.sources.push_back(source);
    }
    return form;
  }

  void put(Form form, const std::string &suffix, const std::string &modifiers = "") {
    form.text = name_ + suffix;
    std::string separator = " ";
    auto add = [&](const std::string &operand) { form.text += separator + operand, separator = ", "; };
    bool isMask = row_.result.kind == Class::Mask;
    if (!isMask)
      add(registers('v', kDestination, row_.result.bits == 64 ? 2 : 1));
    if ((isMask && !(name_.starts_with("v_cmpx") && !machine_.isGfx9())) || row_.hasFlag)
      add(maskText(form.maskIndex));
    for (const SourceForm &source : form.sources)
      if (source.kind != SourceForm::Kind::Hidden)
        add((source.negate ? "-" : "") + (source.absolute ? "|" + source.text + "|" : source.text));
    form.text += modifiers;
    forms.push_back(std::move(form));
  }

  void withScalars() {
    for (unsigned i = 0; i < row_.sources.size(); ++i) {
      Form form = plain("scalar", false);
      if (!isVector(form.sources[i]))
        continue;
      toScalar(form.sources[i], i);
      put(form, "");
      Form inlined = plain("inline", false), literal = plain("literal", false);
      toInline(inlined.sources[i]);
      put(inlined, "");
      toLiteral(literal.sources[i]);
      put(literal, "");
    }
  }

  void withModifiers(bool clamp, bool multiplies) {
    Form form = plain(clamp ? "clamp" : multiplies ? "omod" : "modifiers", true);
    std::string after;
    for (unsigned i = 0; i < form.sources.size(); ++i) {
      SourceForm &source = form.sources[i];
      if (isVector(source) && chance(random_, 5))
        toScalar(source, i);
      else if (isVector(source) && chance(random_, 6))
        toInline(source);
      if (isVector(source) || source.kind == SourceForm::Kind::Scalar)
        negate(source);
    }
    form.clamp = clamp && (row_.result.kind == Class::Float || row_.clamps);
    if (form.clamp)
      after = " clamp";
    if (multiplies)
      after += chance(random_, 2) ? " mul:2" : chance(random_, 2) ? " mul:4" : " div:2";
    put(form, "_e64", after);
  }

  void withHalves() {
    Form form = plain("op_sel", true);
    std::string list;
    for (SourceForm &source : form.sources)
      if (source.kind == SourceForm::Kind::Vector) {
        source.upper = source.type.bits == 16 && chance(random_, 2);
        list += source.upper ? "1," : "0,";
        negate(source);
      } else if (source.type.role == Role::Old) {
        list += "0,"; // the third source of v_fmac_f16, which is always the lower half
      }
    form.upper = row_.result.bits == 16 && chance(random_, 2);
    put(form, "_e64", " op_sel:[" + list + (form.upper ? "1]" : "0]"));
  }

  void withParts() {
    Form form = plain("sdwa", false);
    form.isSdwa = true;
    std::string after;
    if (row_.result.kind != Class::Mask) {
      form.part = kParts[row_.result.bits == 16 ? 1 + below(random_, 6) : below(random_, 7)];
      form.unused = Form::Unused(below(random_, 3));
      const char *names[] = {"PAD", "SEXT", "PRESERVE"};
      after = std::string(" dst_sel:") + form.part.name + " dst_unused:UNUSED_" + names[unsigned(form.unused)];
    }
    unsigned at = 0;
    for (SourceForm &source : form.sources)
      if (source.kind == SourceForm::Kind::Vector) {
        source.part = kParts[source.type.bits == 16 ? 1 + below(random_, 6) : below(random_, 7)];
        after += " src" + std::to_string(at++) + "_sel:" + source.part.name;
        negate(source);
        if (source.type.kind == Class::Integer && chance(random_, 2)) {
          source.extends = true;
          source.text = "sext(" + source.text + ")";
        }
      }
    put(form, "_sdwa", after);
  }

  void withMoves(bool isLong) {
    Form form = plain("dpp", isLong);
    form.isPartial = chance(random_, 2);
    if (chance(random_, 2) && !form.sources.empty())
      negate(form.sources[0]);
    std::string after = " " + chooseMove(form);
    if (!form.isDpp8) {
      form.rowMask = chance(random_, 2) ? 0xf : below(random_, 16);
      form.bankMask = chance(random_, 2) ? 0xf : below(random_, 16);
      form.boundControl = chance(random_, 2);
      after += " row_mask:" + hex(form.rowMask) + " bank_mask:" + hex(form.bankMask);
      after += form.boundControl ? " bound_ctrl:1" : "";
    }
    form.fetchInactive = chance(random_, 3);
    after += form.fetchInactive ? " fi:1" : "";
    put(form, isLong ? "_e64_dpp" : "_dpp", after);
  }

  std::vector<Form> forms;

private:
  bool isVector(const SourceForm &s) const { return s.kind == SourceForm::Kind::Vector; }
  std::string maskText(unsigned index) const {
    bool isWide = machine_.wave.lanes == 64;
    if (index == kVcc)
      return isWide ? "vcc" : "vcc_lo";
    return registers('s', index, isWide ? 2 : 1);
  }
  void negate(SourceForm &source) {
    if (source.type.kind != Class::Float && source.type.kind != Class::Raw)
      return;
    source.negate = chance(random_, 2);
    source.absolute = chance(random_, 2);
  }
  void toScalar(SourceForm &source, unsigned i) {
    source.kind = SourceForm::Kind::Scalar;
    source.index = scalarOf(i);
    source.text = registers('s', source.index, source.type.bits == 64 ? 2 : 1);
  }
  void toInline(SourceForm &source) {
    source.kind = SourceForm::Kind::Constant;
    if (source.type.kind == Class::Integer || chance(random_, 3)) {
      int64_t value = int64_t(below(random_, 81)) - 16;
      source.constant =
          uint64_t(value) & (source.type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << source.type.bits) - 1);
      source.text = std::to_string(value);
      return;
    }
    static const std::pair<const char *, double> reals[] = {
        {"0.5", 0.5}, {"-0.5", -0.5}, {"1.0", 1},
        {"-1.0", -1}, {"2.0", 2},     {"-2.0", -2},
        {"4.0", 4},   {"-4.0", -4},   {"0.15915494", 0.15915494309189532}};
    auto [text, value] = reals[below(random_, 9)];
    source.text = source.type.bits == 64 && value < 0.2 && value > 0 ? "0.15915494309189532" : text;
    source.constant = source.type.bits == 64   ? std::bit_cast<uint64_t>(value)
                      : source.type.bits == 32 ? std::bit_cast<uint32_t>(float(value))
                                               : std::bit_cast<uint16_t>(_Float16(value));
  }
  uint64_t anyLiteral(const Type &type) {
    uint64_t value = anyValue(type, random_) & 0xffffffff;
    return value <= 64 || value >= 0xffff0000 ? 0x12345678 >> (type.bits == 16 ? 16 : 0) : value;
  }
  /// 32 bits: the upper half of a 64-bit float; extended with its sign to a signed 64-bit integer.
  void toLiteral(SourceForm &source) {
    source.kind = SourceForm::Kind::Constant;
    uint64_t value = anyLiteral(source.type);
    if (source.type.bits == 64 && source.type.isSigned)
      value |= 0x80000000;
    source.text = hex(value);
    source.constant = value;
    if (source.type.bits == 64 && source.type.kind != Class::Integer)
      source.constant = value << 32;
    else if (source.type.bits == 64 && source.type.isSigned)
      source.constant = uint64_t(int64_t(int32_t(uint32_t(value))));
  }

  std::string chooseMove(Form &form) {
    int n = 1 + int(below(random_, 15)), lanes = int(machine_.wave.lanes);
    auto number = std::to_string(n);
    auto inRow = [](int lane, int at) { return at < 0 || at > 15 ? -1 : lane / 16 * 16 + at; };
    switch (below(random_, 14)) {
    case 0: {
      std::array<int, 4> quad = {int(below(random_, 4)), int(below(random_, 4)), int(below(random_, 4)),
                                 int(below(random_, 4))};
      form.moves = [quad](int lane) { return lane / 4 * 4 + quad[size_t(lane % 4)]; };
      return "quad_perm:[" + std::to_string(quad[0]) + "," + std::to_string(quad[1]) + "," + std::to_string(quad[2]) +
             "," + std::to_string(quad[3]) + "]";
    }
    case 1: form.moves = [=](int lane) { return inRow(lane, lane % 16 + n); }; return "row_shl:" + number;
    case 2: form.moves = [=](int lane) { return inRow(lane, lane % 16 - n); }; return "row_shr:" + number;
    case 3: form.moves = [=](int lane) { return inRow(lane, (lane % 16 + 16 - n) % 16); }; return "row_ror:" + number;
    case 4: form.moves = [=](int lane) { return inRow(lane, 15 - lane % 16); }; return "row_mirror";
    case 5: form.moves = [=](int lane) { return lane / 8 * 8 + 7 - lane % 8; }; return "row_half_mirror";
    case 6: form.moves = [=](int lane) { return lane < 16 ? -1 : lane / 16 * 16 - 1; }; return "row_bcast:15";
    case 7: form.moves = [=](int lane) { return lane < 32 ? -1 : 31; }; return "row_bcast:31";
    case 8: form.moves = [=](int lane) { return inRow(lane, n); }; return "row_share:" + number;
    case 9: form.moves = [=](int lane) { return lane ^ n; }; return "row_xmask:" + number;
    case 10: form.moves = [=](int lane) { return inRow(lane, n); }; return "row_newbcast:" + number;
    case 11: form.moves = [=](int lane) { return lane + 1 < lanes ? lane + 1 : -1; }; return "wave_shl:1";
    default: {
      std::array<int, 8> eight;
      std::string text = "dpp8:[";
      for (int &lane : eight)
        text += std::to_string(lane = int(below(random_, 8))) + ",";
      form.moves = [eight](int lane) { return lane / 8 * 8 + eight[size_t(lane % 8)]; };
      form.isDpp8 = true;
      text.back() = ']';
      return text;
    }
    }
  }

  const Row &row_;
  std::string name_;
  const Machine &machine_;
  Random &random_;
};

} // namespace

std::vector<Form> formsOf(const Row &row, const std::string &name, const Machine &machine, Random &random) {
  Builder b(row, name, machine, random);
  b.put(b.plain("plain", false), "");
  b.put(b.plain("plain64", true), "_e64");
  Form partial = b.plain("partial", false);
  partial.isPartial = true;
  b.put(partial, "");
  partial.maskIndex = kMaskResult;
  b.put(partial, "_e64");
  b.withScalars();
  b.withModifiers(false, false);
  b.withModifiers(false, false);
  b.withModifiers(true, false);
  b.withModifiers(false, true);
  b.withHalves();
  b.withHalves();
  b.withParts();
  b.withParts();
  for (int i = 0; i < 3; ++i)
    b.withMoves(false);
  b.withMoves(true);
  b.withMoves(true);
  return std::move(b.forms);
}

} // namespace tegula::emulator::test
