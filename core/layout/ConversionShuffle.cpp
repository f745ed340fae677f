// Conversions by shuffles within a warp.
//
// The transfer gives, for register r of lane l, the register r' and lane l' that hold its element: (r, l) -> (r', l').
// The plan needs rounds in which no lane has to give two different registers. In round k, lane l receives its register
// k ^ M l, where M is a linear map from lanes to registers. So lane l asks the lane L(l) = l'(M l, l), XORed with a
// constant of k and the warp. A round is possible exactly if lanes that ask the same lane (equal L) ask for the same
// register.
//
//   transposing 2 registers x 2 lanes, (r, l) -> (l, r):   M = 0: both lanes ask lane k, lane 0 for register 0 and
//   lane 1 for register 1: not possible.   M l = l:  lane l takes register k ^ l from lane k ^ l, where it is register
//   l: round 0: lane 0 asks itself, lane 1 itself;   round 1: lane 0 asks lane 1 for register 0, lane 1 lane 0 for
//   register 1.
//
// A conflict is an l != 0 with l'(0, l) = 0 that needs a register other than the one that lane 0 needs. For each such l
// the plan tries, in this order: a register r = M l with which l asks for the same register as lane 0, or asks another
// lane; a copy of the element in a lane that no lane asks yet; separate rounds for such l, as another *group*.
#include "core/layout/ConversionPlanner.h"

#include <algorithm>
#include <bit>

namespace tegula::layout::conversion {
namespace {

uint64_t below(unsigned bits) { return (uint64_t(1) << bits) - 1; }

/// How lanes receive their elements, for one vector of a basis of the lane bits.
struct Service {
  uint64_t lanes;  // the basis vector
  uint64_t skew;   // M of the basis vector: registers
  uint64_t source; // the flat (register, lane) from which it receives
  bool grouped;    // it receives in rounds of its own group
};

/// Finds the shuffles of one transfer. `copies`: flat (register, lane) vectors of the source that lead from an element
/// to another copy of the same element.
class Rounds {
public:
  Rounds(const LinearLayout &transfer, Vectors copies)
      : transfer_(transfer), copies_(std::move(copies)), registerBits_(transfer.inputBits(kRegister)),
        laneBits_(transfer.inputBits(kLane)), sourceBits_(transfer.outputBits(kRegister)) {}

  std::vector<Service> services() const {
    Vectors units = BitMatrix::identity(laneBits_).columns, reached;
    BitMatrix direct{64, {}};
    for (uint64_t unit : units)
      direct.columns.push_back(laneOf(source(0, unit)));
    Vectors kernel = direct.kernel();
    reached = direct.columns;
    std::vector<Service> result;
    for (uint64_t lanes : kernel) {
      result.push_back(serve(lanes, reached));
      reached.push_back(laneOf(result.back().source));
    }
    for (uint64_t unit : independentOf(kernel, units))
      result.push_back({unit, 0, source(0, unit), false});
    return result;
  }

  /// The flat (register, lane) of the source that holds the element of these destination registers and lanes.
  uint64_t source(uint64_t registers, uint64_t lanes) const {
    return transfer_.applyFlat(registers | lanes << registerBits_) & below(sourceBits_ + laneBits_);
  }
  uint64_t laneOf(uint64_t source) const { return source >> sourceBits_; }
  uint64_t registerOf(uint64_t source) const { return source & below(sourceBits_); }

private:
  /// Chooses the service of a basis vector of those lanes that ask lane 0 when M is 0.
  Service serve(uint64_t lanes, const Vectors &reached) const {
    uint64_t wanted = source(0, lanes);
    if (wanted == 0)
      return {lanes, 0, 0, false};
    BitMatrix ofRegisters{64, {}};
    for (unsigned i = 0; i < registerBits_; ++i)
      ofRegisters.columns.push_back(source(uint64_t(1) << i, 0));
    if (std::optional<uint64_t> same = ofRegisters.solve(wanted))
      return {lanes, *same, 0, false};
    for (unsigned i = 0; i < registerBits_; ++i)
      if (isNew(ofRegisters.columns[i], reached))
        return {lanes, uint64_t(1) << i, wanted ^ ofRegisters.columns[i], false};
    for (uint64_t copy : copies_)
      if (isNew(copy, reached) || (wanted ^ copy) == 0)
        return {lanes, 0, wanted ^ copy, false};
    return {lanes, 0, wanted, true};
  }
  bool isNew(uint64_t source, const Vectors &reached) const {
    return !independentOf(reached, {laneOf(source)}).empty();
  }

  const LinearLayout &transfer_;
  Vectors copies_;
  unsigned registerBits_, laneBits_, sourceBits_;
};

/// The services by lane bit, and for each asked lane the register that it gives.
struct Asking {
  Vectors skew, peer, group; // for each lane bit
  Vectors groupRegister;     // for each group bit: the value that its lanes XOR to the register that they ask for
  BitMatrix askedLanes{64, {}}, askedRegisters{64, {}};

  Asking(const Rounds &rounds, const std::vector<Service> &services) {
    BitMatrix basis{64, {}};
    for (const Service &service : services)
      basis.columns.push_back(service.lanes);
    for (size_t bit = 0; bit < services.size(); ++bit) {
      uint64_t parts = *basis.solve(uint64_t(1) << bit), skewBits = 0, source = 0, groups = 0;
      unsigned groupBit = 0;
      for (size_t i = 0; i < services.size(); ++i) {
        if (parts >> i & 1) {
          skewBits ^= services[i].skew;
          source ^= services[i].source;
          groups |= uint64_t(services[i].grouped) << groupBit;
        }
        groupBit += services[i].grouped;
      }
      skew.push_back(skewBits);
      peer.push_back(rounds.laneOf(source));
      group.push_back(groups);
    }
    for (const Service &service : services)
      if (service.grouped) {
        groupRegister.push_back(rounds.registerOf(service.source));
      } else {
        askedLanes.columns.push_back(rounds.laneOf(service.source));
        askedRegisters.columns.push_back(rounds.registerOf(service.source));
      }
    lanes_ = basisOf(askedLanes.columns);
    complete_ = {
        64, joined(lanes_, independentOf(lanes_, BitMatrix::identity(static_cast<unsigned>(services.size())).columns))};
  }

  /// Whether all lanes that ask the same lane ask for the same register.
  bool isConsistent() const {
    Vectors kernel = askedLanes.kernel();
    return std::all_of(kernel.begin(), kernel.end(), [&](uint64_t same) { return askedRegisters.apply(same) == 0; });
  }

  /// The register that `lane` is asked for; any register if no lane asks it.
  uint64_t registerAskedOf(uint64_t lane) const {
    uint64_t parts = *complete_.solve(lane) & below(static_cast<unsigned>(lanes_.size()));
    return askedRegisters.apply(*askedLanes.solve(BitMatrix{64, lanes_}.apply(parts)));
  }

private:
  Vectors lanes_;
  BitMatrix complete_;
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

std::optional<ShuffleStep> shuffleStep(const Problem &problem, const LinearLayout &transfer) {
  // Copies within a warp: combinations of register and lane bits whose bases XOR to 0.
  BitMatrix inWarp{64, joined(problem.source.flatBases(kRegister), problem.source.flatBases(kLane))};
  Rounds rounds(transfer, inWarp.kernel());
  Asking asking(rounds, rounds.services());
  if (!asking.isConsistent())
    return std::nullopt;
  unsigned registerBits = transfer.inputBits(kRegister), laneBits = transfer.inputBits(kLane);
  unsigned sourceBits = transfer.outputBits(kRegister);

  // The order of slots: first the register bits that do not change the asked lane, as many as fit one word.
  BitMatrix lanesOfRegisters{64, {}};
  for (unsigned i = 0; i < registerBits; ++i)
    lanesOfRegisters.columns.push_back(rounds.laneOf(rounds.source(uint64_t(1) << i, 0)));
  Vectors together = lanesOfRegisters.kernel();
  size_t fit = static_cast<size_t>(std::countr_zero(std::max(1u, 4 / problem.options.elementBytes)));
  together.resize(std::min(together.size(), fit));
  Vectors slots = joined(together, independentOf(together, BitMatrix::identity(registerBits).columns));

  // For slot k in warp w, lane l asks the lane  P k + L l + W w. Lane s gives the register that any solution l for that
  // lane needs.
  Vectors giveSlots, giveLanes, giveWarps, peerSlots, peerWarps;
  for (uint64_t slot : slots) {
    uint64_t source = rounds.source(slot, 0);
    peerSlots.push_back(rounds.laneOf(source));
    giveSlots.push_back(rounds.registerOf(source) ^ asking.registerAskedOf(rounds.laneOf(source)));
  }
  for (unsigned i = 0; i < laneBits; ++i)
    giveLanes.push_back(asking.registerAskedOf(uint64_t(1) << i));
  for (unsigned i = 0; i < transfer.inputBits(kWarp); ++i) {
    Coordinates image = transfer.basis(kWarp, i);
    peerWarps.push_back(image[1]);
    giveWarps.push_back(image[0] ^ asking.registerAskedOf(image[1]));
  }
  // The highest bits of a slot's number are the group.
  Vectors none(asking.groupRegister.size(), 0);
  giveSlots = joined(giveSlots, asking.groupRegister);
  peerSlots = joined(peerSlots, none);
  Vectors intoSlots = joined(slots, none), noWarps(peerWarps.size(), 0);
  return ShuffleStep{uint32_t(1) << together.size(),
                     uint32_t(1) << none.size(),
                     mapTo(kRegister, sourceBits, giveSlots, giveLanes, giveWarps),
                     mapTo(kLane, laneBits, peerSlots, asking.peer, peerWarps),
                     mapTo(kRegister, registerBits, intoSlots, asking.skew, noWarps),
                     mapTo(kRegister, static_cast<unsigned>(none.size()), {}, asking.group, {})};
}

} // namespace tegula::layout::conversion
