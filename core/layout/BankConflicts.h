// What an access to shared memory costs. Memory is split into banks; lanes that want different words of one bank wait
// for each other. Two independent ways to know: by reasoning about the layout, which plans use, and by counting over
// lanes, which tests use to check the reasoning.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tegula::layout {

/// Word i of memory is in bank i % banks. An access of up to 4 bytes a lane is served for as many lanes at once as
/// there are banks, of 8 bytes for half as many, of 16 for a quarter: *phases*. Lanes that want the same word share it.
struct BankModel {
  uint32_t banks = 32;    // a power of two
  uint32_t bankBytes = 4; // a power of two
  /// log2 of the lanes that are served in one phase.
  unsigned phaseLaneBits(uint32_t accessBytes) const;
};

/// One access of a warp. The offset of a lane is the XOR of `laneOffsets` of its bits, and of something that all lanes
/// of the warp share, which changes no count.
struct WarpAccess {
  std::vector<uint64_t> laneOffsets; // for each lane bit, in elements
  uint32_t idleLaneBits = 0;         // only lanes in which all these bits are 0 take part
  uint32_t elements = 1;             // each lane's vector: a power of two; all offsets are its multiples
  uint32_t elementBytes = 4;         // a power of two

  uint32_t bytes() const { return elements * elementBytes; }
};

/// (interval, padding), in elements: after each `interval` elements of the unpadded layout, `padding` are left unused.
struct Padding {
  uint32_t interval; // a power of two
  uint32_t padding;
  bool operator==(const Padding &) const = default;
};

/// Phases in which a lane takes part: what the access costs without conflicts.
uint32_t phases(const WarpAccess &access, const BankModel &model);

/// Extra rounds beyond one for each phase, by rank: the lanes of a phase want 2^w different words, which lie in 2^b
/// banks, w and b the ranks of all the bits of the lanes' word offsets and of those that choose the bank. As the map is
/// linear every bank gets equally many, so the phase takes 2^(w-b) rounds.
uint32_t analyseConflicts(const WarpAccess &access, const BankModel &model);

/// The same in padded memory, which is not linear, where it can be reasoned out; otherwise nothing. Known are accesses
/// that stay in one interval in each phase, and those in which the lanes of a phase are in consecutive intervals that
/// the padding moves to different banks.
std::optional<uint32_t> analyseConflicts(const WarpAccess &access, std::span<const Padding> paddings,
                                         const BankModel &model);

/// Extra rounds, counted lane by lane. Nothing for a lane that takes no part; addresses in bytes.
uint32_t countConflicts(std::span<const std::optional<uint64_t>> addresses, uint32_t accessBytes,
                        const BankModel &model);

} // namespace tegula::layout
