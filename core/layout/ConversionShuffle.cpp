// Conversions within a warp.
//
// The transfer says which register of which lane holds what register r of lane l wants: (r, l) -> (r', l'). Rounds must
// be found in which no lane is asked for two different registers. Round k serves register k ^ M l in lane l, M a linear
// map from lanes to registers; then lane l asks lane  L(l) = l'(M l, l)  (plus what k and the warp add to all). That
// works exactly if whatever L does not tell apart asks for the same register, too.
//
//   transposing 2 registers x 2 lanes, (r, l) -> (l, r):   M = 0: both lanes ask lane k, lane 0 for register 0 and
//   lane 1 for register 1: no.   M l = l:  lane l takes register k ^ l from lane k ^ l, where it is register l:
//   round 0: lane 0 asks itself, lane 1 itself;   round 1: lane 0 asks lane 1 for register 0, lane 1 lane 0 for
//   register 1.
#include "core/layout/ConversionPlanner.h"

#include <algorithm>
#include <bit>

namespace tegula::layout::conversion {
namespace {

uint64_t below(unsigned bits) { return (uint64_t(1) << bits) - 1; }

/// Finds shuffles for one transfer: vectors of registers and lanes as in the transfer's flat numbers.
class Rounds {
public:
  explicit Rounds(const LinearLayout &transfer)
      : transfer_(transfer), registerBits_(transfer.inputBits(kRegister)), laneBits_(transfer.inputBits(kLane)),
        sourceBits_(transfer.outputBits(kRegister)) {}

  /// M, a register mask for each lane bit.
  std::optional<Vectors> findSkew() const {
    // Lanes that ask the same lane at M = 0.
    BitMatrix direct{64, {}};
    for (unsigned i = 0; i < laneBits_; ++i)
      direct.columns.push_back(laneOf(0, uint64_t(1) << i));
    Vectors kernel = direct.kernel(), skewOfKernel, reached = direct.columns;
    for (uint64_t lanes : kernel) {
      std::optional<uint64_t> skew = skewFor(registerOf(0, lanes), reached);
      if (!skew)
        return std::nullopt;
      skewOfKernel.push_back(*skew);
      reached.push_back(laneOf(*skew, 0));
    }
    // M is 0 on lanes that complete the kernel to all lanes.
    Vectors units = BitMatrix::identity(laneBits_).columns;
    BitMatrix basis{laneBits_, joined(kernel, independentOf(kernel, units))};
    BitMatrix skews{64, skewOfKernel};
    Vectors result;
    for (uint64_t unit : units)
      result.push_back(skews.apply(*basis.solve(unit) & below(static_cast<unsigned>(kernel.size()))));
    return works(result) ? std::optional(result) : std::nullopt;
  }

  uint64_t laneOf(uint64_t registers, uint64_t lanes) const { return source(registers, lanes) >> sourceBits_; }
  uint64_t registerOf(uint64_t registers, uint64_t lanes) const {
    return source(registers, lanes) & below(sourceBits_);
  }

private:
  uint64_t source(uint64_t registers, uint64_t lanes) const {
    return transfer_.applyFlat(registers | lanes << registerBits_);
  }

  /// A register that makes the lanes of a kernel vector ask for the same, or ask different lanes.
  std::optional<uint64_t> skewFor(uint64_t wanted, const Vectors &reached) const {
    if (wanted == 0)
      return 0;
    BitMatrix sources{64, {}};
    for (unsigned i = 0; i < registerBits_; ++i)
      sources.columns.push_back(source(uint64_t(1) << i, 0));
    if (std::optional<uint64_t> same = sources.solve(wanted))
      return same;
    for (unsigned i = 0; i < registerBits_; ++i)
      if (!independentOf(reached, {laneOf(uint64_t(1) << i, 0)}).empty())
        return uint64_t(1) << i;
    return std::nullopt;
  }

  bool works(const Vectors &skew) const {
    BitMatrix lanes{64, {}}, registers{64, {}};
    for (unsigned i = 0; i < laneBits_; ++i) {
      lanes.columns.push_back(laneOf(skew[i], uint64_t(1) << i));
      registers.columns.push_back(registerOf(skew[i], uint64_t(1) << i));
    }
    Vectors kernel = lanes.kernel();
    return std::all_of(kernel.begin(), kernel.end(), [&](uint64_t same) { return registers.apply(same) == 0; });
  }

  const LinearLayout &transfer_;
  unsigned registerBits_, laneBits_, sourceBits_;
};

/// A map (kRegister, kLane, kWarp) -> one dimension from its columns.
LinearLayout mapTo(Dim out, unsigned outBits, const Vectors &slots, const Vectors &lanes, const Vectors &warps) {
  std::vector<InputBases> bases = {{kRegister, {}}, {kLane, {}}, {kWarp, {}}};
  const Vectors *columns[] = {&slots, &lanes, &warps};
  for (size_t i = 0; i < 3; ++i)
    for (uint64_t column : *columns[i])
      bases[i].bases.push_back({static_cast<uint32_t>(column)});
  return LinearLayout(bases, {{out, uint32_t(1) << outBits}});
}

} // namespace

uint32_t shuffleCount(const ShuffleStep &step, const ConversionOptions &options) {
  return step.rounds() * std::max(1u, step.elementsPerRound * options.elementBytes / 4);
}

std::optional<ShuffleStep> shuffleStep(const Problem &problem, const LinearLayout &transfer) {
  Rounds rounds(transfer);
  std::optional<Vectors> skew = rounds.findSkew();
  if (!skew)
    return std::nullopt;
  unsigned registerBits = transfer.inputBits(kRegister), laneBits = transfer.inputBits(kLane);
  unsigned sourceBits = transfer.outputBits(kRegister);

  // Slots: first the registers that come from the same lane as their neighbour, as many as fit into one word.
  BitMatrix lanesOfRegisters{64, {}};
  for (unsigned i = 0; i < registerBits; ++i)
    lanesOfRegisters.columns.push_back(rounds.laneOf(uint64_t(1) << i, 0));
  Vectors together = lanesOfRegisters.kernel();
  size_t fit = static_cast<size_t>(std::countr_zero(std::max(1u, 4 / problem.options.elementBytes)));
  together.resize(std::min(together.size(), fit));
  Vectors slots = joined(together, independentOf(together, BitMatrix::identity(registerBits).columns));

  // Who asks whom: lane' = P k + L l + W w; what is asked there follows through a solution of L.
  BitMatrix asked{64, {}}, askedRegister{64, {}};
  for (unsigned i = 0; i < laneBits; ++i) {
    asked.columns.push_back(rounds.laneOf((*skew)[i], uint64_t(1) << i));
    askedRegister.columns.push_back(rounds.registerOf((*skew)[i], uint64_t(1) << i));
  }
  Vectors basis = basisOf(asked.columns);
  Vectors outside = independentOf(basis, BitMatrix::identity(laneBits).columns);
  BitMatrix complete{64, joined(basis, outside)};
  auto registerAskedOf = [&](uint64_t lane) { // of a lane that nobody asks: whatever
    uint64_t inside = BitMatrix{64, basis}.apply(*complete.solve(lane) & below(static_cast<unsigned>(basis.size())));
    return askedRegister.apply(*asked.solve(inside));
  };
  Vectors giveSlots, giveLanes, giveWarps, peerSlots, peerWarps, intoSlots = slots;
  for (uint64_t slot : slots) {
    peerSlots.push_back(rounds.laneOf(slot, 0));
    giveSlots.push_back(rounds.registerOf(slot, 0) ^ registerAskedOf(rounds.laneOf(slot, 0)));
  }
  for (unsigned i = 0; i < laneBits; ++i)
    giveLanes.push_back(registerAskedOf(uint64_t(1) << i));
  for (unsigned i = 0; i < transfer.inputBits(kWarp); ++i) {
    Coordinates image = transfer.basis(kWarp, i);
    peerWarps.push_back(image[1]);
    giveWarps.push_back(image[0] ^ registerAskedOf(image[1]));
  }
  return ShuffleStep{uint32_t(1) << together.size(), mapTo(kRegister, sourceBits, giveSlots, giveLanes, giveWarps),
                     mapTo(kLane, laneBits, peerSlots, asked.columns, peerWarps),
                     mapTo(kRegister, registerBits, intoSlots, *skew, Vectors(peerWarps.size(), 0))};
}

} // namespace tegula::layout::conversion
