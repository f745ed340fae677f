// Prints plans as text for a human reader.
#include "core/layout/Conversion.h"

#include <algorithm>

namespace tegula::layout {
namespace {

std::string number(uint64_t value) { return std::to_string(value); }

std::string counted(uint64_t count, const std::string &what, const std::string &plural) {
  return number(count) + " " + (count == 1 ? what : plural);
}

std::string registers(const LinearLayout &map) {
  std::string out;
  uint32_t count = map.inputSize(kRegister), shown = std::min(count, 16u);
  for (uint32_t i = 0; i < shown; ++i)
    out += (i ? " " : "") + number(map.applyFlat(i));
  return out + (shown < count ? " ..." : "");
}

std::string describe(const RegisterStep &step, const ConversionOptions &) {
  return "registers: new 0, 1, 2, ... are old " + registers(step.source) + "\n";
}

/// The text form of the layout's bases, without the output sizes.
std::string bases(const LinearLayout &map) {
  std::string text = map.toText();
  return text.substr(0, text.find(" ->"));
}

std::string describe(const PairStep &step, const ConversionOptions &) {
  return "pair: lanes that differ in bit " + number(step.bit) + " exchange their registers; a new register is a " +
         "register of the one of them with this bit\n  register, lane        " + bases(step.source) + "\n";
}

std::string describe(const SwapStep &step, const ConversionOptions &) {
  return "swap: bit " + number(step.lane) + " of the lanes and bit " + number(step.reg) +
         " of the registers change places\n";
}

std::string describe(const ShuffleStep &step, const ConversionOptions &options) {
  std::string out = "shuffle: " + counted(step.rounds(), "round", "rounds") + " of " +
                    counted(step.elementsPerRound, "element", "elements") + " (" +
                    number(step.elementsPerRound * options.elementBytes) + " bytes); slot = round * " +
                    number(step.elementsPerRound) + " + element, in place of register\n";
  out += "  lane gives register   " + bases(step.give) + "\n";
  out += "  and takes from lane   " + bases(step.peer) + "\n";
  out += "  into register         " + bases(step.into) + "\n";
  if (step.groups > 1)
    out += "  in " + number(step.groups) + " groups, each its share of the rounds; a lane's is " +
           bases(step.groupOf.sublayoutOfInputs({kLane})) + "\n";
  return out;
}

std::string describe(const char *verb, const SharedAccess &access, const ConversionOptions &options) {
  std::string out = std::string("  ") + verb + " " + counted(access.count(), "access", "accesses") + " of " +
                    counted(access.width, "element", "elements") + " (" + number(access.width * options.elementBytes) +
                    " bytes) a thread, " + counted(access.phases, "phase", "phases") + " each, " +
                    (access.conflicts ? counted(access.conflicts, "extra round", "extra rounds") + " of conflicts"
                                      : std::string("no conflicts")) +
                    "\n";
  out += "    registers in order: " + registers(access.order) + "\n";
  out += "    offsets: " + bases(access.offsets) + "\n";
  if (access.idleLanes || access.idleWarps)
    out += "    only lanes without bits " + number(access.idleLanes) + " and warps without bits " +
           number(access.idleWarps) + "; the others hold copies\n";
  return out;
}

std::string describe(const SharedStep &step, const ConversionOptions &options) {
  return "shared: " + number(step.passElements() * options.elementBytes) + " bytes" +
         (step.passes > 1 ? " in each of " + number(step.passes) + " passes" : std::string()) + "\n  memory " +
         bases(step.memory.linear()) + "\n" + describe("store:", step.store, options) + "  barrier\n" +
         describe("load: ", step.load, options) + (step.passes > 1 ? "  barrier before the next pass\n" : "");
}

} // namespace

std::string_view name(ConversionPlan::Kind kind) {
  switch (kind) {
  case ConversionPlan::Kind::Nothing: return "nothing";
  case ConversionPlan::Kind::Registers: return "registers";
  case ConversionPlan::Kind::Pair: return "pair";
  case ConversionPlan::Kind::Swap: return "swap";
  case ConversionPlan::Kind::Shuffle: return "shuffle";
  case ConversionPlan::Kind::Shared: return "shared";
  }
  return "unknown";
}

std::string ConversionPlan::print() const {
  std::string out = "from " + source_.toText() + "\nto   " + destination_.toText() + "\n";
  if (steps_.empty())
    out += "nothing: every thread has what it needs\n";
  for (const Step &step : steps_)
    out += std::visit([&](const auto &s) { return describe(s, options_); }, step);
  return out;
}

} // namespace tegula::layout
