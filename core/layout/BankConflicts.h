// The cost of an access to shared memory. Memory is divided into banks; lanes that access different words of one bank
// are served one after another. The cost is computed in two independent ways: from the layout (analyseConflicts, used
// by plans), and by counting lane by lane (countConflicts, used by tests to check the former).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tegula::layout {

/// Word i of memory is in bank i % banks. An access is served in *phases*: with up to 4 bytes for each lane, a phase
/// serves as many lanes as there are banks; with 8 bytes half as many; with 16 bytes a quarter. Lanes that access the
/// same word share it.
struct BankModel {
  uint32_t banks = 32;    // a power of two
  uint32_t bankBytes = 4; // a power of two
  /// log2 of the lanes that are served in one phase.
  unsigned phaseLaneBits(uint32_t accessBytes) const;
};

/// One access of a warp. The offset of a lane is the XOR of `laneOffsets` over the lane's set bits; an offset that all
/// lanes share does not change the cost.
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

/// The number of phases in which at least one lane takes part: the cost without conflicts.
uint32_t phases(const WarpAccess &access, const BankModel &model);

/// The extra rounds of an access: each phase takes at least one round, and conflicts add more. The lanes of a phase
/// access 2^w different words in 2^b banks, where w is the rank of the lanes' word offsets and b the rank of the offset
/// bits that choose the bank. The map is linear, so every bank gets equally many words, and a phase takes 2^(w-b)
/// rounds.
uint32_t analyseConflicts(const WarpAccess &access, const BankModel &model);

/// The extra rounds of an access to padded memory, where addresses are not linear in the lane number. Nothing if no
/// rule covers the access. One rule covers accesses that stay within one interval in each phase; the other covers
/// accesses whose lanes, in each phase, are in consecutive intervals that the padding moves to different banks.
std::optional<uint32_t> analyseConflicts(const WarpAccess &access, std::span<const Padding> paddings,
                                         const BankModel &model);

/// The extra rounds, counted lane by lane. `addresses` are in bytes; a lane that takes no part has no address.
uint32_t countConflicts(std::span<const std::optional<uint64_t>> addresses, uint32_t accessBytes,
                        const BankModel &model);

} // namespace tegula::layout
