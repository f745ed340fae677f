#include "core/layout/BitMatrix.h"
#include "core/layout/Conversion.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {
namespace {

unsigned log2(uint64_t value) { return static_cast<unsigned>(std::countr_zero(value)); }

uint64_t allBits(const std::vector<uint64_t> &bases) {
  uint64_t bits = 0;
  for (uint64_t basis : bases)
    bits |= basis;
  return bits;
}

/// How many register bits change bits of the offset that lanes or warps also change.
size_t exchangedBits(const LinearLayout &offsets) {
  uint64_t ofThreads = allBits(offsets.flatBases(kLane)) | allBits(offsets.flatBases(kWarp));
  size_t count = 0;
  for (uint64_t basis : offsets.flatBases(kRegister))
    count += (basis & ofThreads) != 0;
  return count;
}

/// The conflicts of the warp's access at offset 0. Other accesses and other warps have the same conflicts if their
/// offset differs, in all lanes, by one multiple of an access.
uint32_t conflictsOf(const LinearLayout &offsets, const SharedLayout &memory, const SharedAccess &access,
                     const ConversionOptions &options) {
  std::vector<uint64_t> lanes = offsets.flatBases(kLane);
  std::vector<std::optional<uint64_t>> addresses;
  for (uint32_t lane = 0; lane < 1u << lanes.size(); ++lane) {
    uint64_t offset = BitMatrix{64, lanes}.apply(lane);
    bool isIdle = lane & access.idleLanes;
    addresses.push_back(isIdle ? std::nullopt : std::optional(memory.addressOfOffset(offset) * options.elementBytes));
  }
  return countConflicts(addresses, access.width * options.elementBytes, options.banks);
}

/// Whether the accesses of one side (stores or loads) to the new memory have the same width, offsets that are all sums,
/// and no more conflicts.
bool isAsGood(const LinearLayout &offsets, const SharedLayout &memory, const SharedAccess &access,
              const ConversionOptions &options) {
  uint64_t within = access.width - 1;
  std::vector<uint64_t> registers = offsets.flatBases(kRegister);
  for (unsigned bit = 0; bit < log2(access.width); ++bit)
    if (std::count(registers.begin(), registers.end(), uint64_t(1) << bit) == 0)
      return false;
  uint64_t others = allBits(offsets.flatBases(kLane)) | allBits(offsets.flatBases(kWarp));
  for (uint64_t basis : registers)
    others |= basis > within ? basis : 0;
  return (others & within) == 0 && exchangedBits(offsets) == 0 &&
         conflictsOf(offsets, memory, access, options) <= access.conflicts;
}

} // namespace

std::optional<SharedLayout> paddedInstead(const LinearLayout &source, const LinearLayout &destination,
                                          const SharedStep &step, const ConversionOptions &options) {
  const LinearLayout &linear = step.memory.linear();
  std::vector<uint64_t> bases = linear.flatBases(kOffset);
  unsigned piece = log2(std::max(step.store.width, step.load.width));
  unsigned row = log2(options.banks.banks * options.banks.bankBytes / options.elementBytes);
  if (step.passes != 1 || row <= piece || bases.size() <= row)
    return std::nullopt;
  // The swizzle to be removed: the components of the row bits' bases along the bases of bits that choose a piece within
  // a row.
  Echelon pieces;
  for (unsigned bit = piece; bit < row; ++bit)
    pieces.add(bases[bit]);
  InputBases offset{kOffset, {}};
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    offset.bases.push_back(linear.unpackOutput(bit < row ? bases[bit] : pieces.reduce(bases[bit]).rest));
  SharedLayout padded({{offset}, linear.outputs()}, {{uint32_t(1) << row, uint32_t(1) << piece}});

  LinearLayout stored = padded.offsetsOf(source), loaded = padded.offsetsOf(destination);
  bool isBetter = exchangedBits(step.memory.offsetsOf(source)) + exchangedBits(step.memory.offsetsOf(destination)) > 0;
  if (!isBetter || !isAsGood(stored, padded, step.store, options) || !isAsGood(loaded, padded, step.load, options))
    return std::nullopt;
  return padded;
}

} // namespace tegula::layout
