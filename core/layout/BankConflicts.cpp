#include "core/layout/BankConflicts.h"
#include "core/layout/BitMatrix.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tegula::layout {
namespace {

/// The offsets of the lane bits that vary within one phase.
std::vector<uint64_t> phaseOffsets(const WarpAccess &access, const BankModel &model) {
  std::vector<uint64_t> result;
  unsigned bits =
      std::min<unsigned>(model.phaseLaneBits(access.bytes()), static_cast<unsigned>(access.laneOffsets.size()));
  for (unsigned i = 0; i < bits; ++i)
    if (!(access.idleLaneBits >> i & 1))
      result.push_back(access.laneOffsets[i]);
  return result;
}

/// The rounds of a phase: 2^(rank of its words - rank of their banks).
uint32_t roundsOfPhase(const WarpAccess &access, const BankModel &model) {
  std::vector<uint64_t> offsets = phaseOffsets(access, model);
  for (uint32_t element = 1; element < access.elements; element *= 2)
    offsets.push_back(element);
  BitMatrix words{64, {}}, banks{64, {}};
  for (uint64_t offset : offsets) {
    uint64_t word = offset * access.elementBytes / model.bankBytes;
    words.columns.push_back(word);
    banks.columns.push_back(word & (model.banks - 1));
  }
  // A value wider than a bank has further words, in the banks that follow the first word's.
  for (uint64_t word = 1; word * model.bankBytes < access.elementBytes; word *= 2) {
    words.columns.push_back(word);
    banks.columns.push_back(word);
  }
  return uint32_t(1) << (words.rank() - banks.rank());
}

} // namespace

unsigned BankModel::phaseLaneBits(uint32_t accessBytes) const {
  uint32_t words = std::max(1u, accessBytes / bankBytes);
  return static_cast<unsigned>(std::countr_zero(std::max(1u, banks / words)));
}

uint32_t phases(const WarpAccess &access, const BankModel &model) {
  unsigned bits = 0;
  for (unsigned i = model.phaseLaneBits(access.bytes()); i < access.laneOffsets.size(); ++i)
    bits += !(access.idleLaneBits >> i & 1);
  return uint32_t(1) << bits;
}

uint32_t analyseConflicts(const WarpAccess &access, const BankModel &model) {
  return phases(access, model) * (roundsOfPhase(access, model) - 1);
}

std::optional<uint32_t> analyseConflicts(const WarpAccess &access, std::span<const Padding> paddings,
                                         const BankModel &model) {
  uint32_t row = model.banks * model.bankBytes, bytes = access.bytes();
  std::vector<uint64_t> offsets = phaseOffsets(access, model);
  uint64_t all = access.elements - 1;
  for (uint64_t offset : offsets)
    all |= offset;
  bool sameInterval = true;
  for (const Padding &padding : paddings)
    sameInterval =
        sameInterval && all < padding.interval && padding.padding * access.elementBytes % model.bankBytes == 0;
  if (sameInterval)
    return analyseConflicts(access, model); // padding shifts the whole phase by whole banks

  if (paddings.size() != 1 || bytes < model.bankBytes || bytes > row)
    return std::nullopt;
  uint64_t interval = paddings[0].interval, step = uint64_t(paddings[0].padding) * access.elementBytes;
  // Interval q begins in the bank of q * step. These banks differ for 2^m consecutive q, because step is an odd
  // multiple of the vector and 2^m vectors fill at most one row of banks.
  if (interval * access.elementBytes % row != 0 || step % bytes != 0 || step / bytes % 2 == 0)
    return std::nullopt;
  BitMatrix intervals{64, {}};
  for (uint64_t offset : offsets) {
    if (offset % interval != 0)
      return std::nullopt;
    intervals.columns.push_back(offset / interval);
  }
  unsigned rank = intervals.rank();
  bool consecutive = std::all_of(intervals.columns.begin(), intervals.columns.end(),
                                 [&](uint64_t q) { return q < uint64_t(1) << rank; });
  if (!consecutive || (uint64_t(bytes) << rank) > row)
    return std::nullopt;
  return 0;
}

uint32_t countConflicts(std::span<const std::optional<uint64_t>> addresses, uint32_t accessBytes,
                        const BankModel &model) {
  size_t lanesAtOnce = std::max<size_t>(1, model.banks * model.bankBytes / std::max(accessBytes, model.bankBytes));
  uint32_t extra = 0;
  for (size_t first = 0; first < addresses.size(); first += lanesAtOnce) {
    std::vector<std::set<uint64_t>> wordsOfBank(model.banks);
    for (size_t lane = first; lane < std::min(first + lanesAtOnce, addresses.size()); ++lane)
      for (uint64_t byte = 0; addresses[lane] && byte < accessBytes; ++byte) {
        uint64_t word = (*addresses[lane] + byte) / model.bankBytes;
        wordsOfBank[word % model.banks].insert(word);
      }
    size_t rounds = 1;
    for (const std::set<uint64_t> &words : wordsOfBank)
      rounds = std::max(rounds, words.size());
    extra += static_cast<uint32_t>(rounds - 1);
  }
  return extra;
}

} // namespace tegula::layout
