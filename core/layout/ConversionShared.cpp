// Conversions through shared memory: chooses the layout of the shared buffer.
//
// The layout of 2^n elements in memory is a basis of the tensor's space with n vectors, offset bit by offset bit:
//
//     [ V: within a vector | E: of the wider vector only | B: which banks | S: which row of banks ]
//
// Vectors. A thread can move 2^v elements at once if V, of v vectors, lies in the span of its registers' bases, and the
// bases of lanes and warps do not change these offset bits. Stores and loads each need a V; the narrower V is a part of
// the wider V.
//
// Conflicts. The lanes of a phase access the elements of a coset of W = V + span(lanes of the phase). Two of these
// elements are in one bank, in different rows, exactly if their difference lies in S. So S must intersect the W of the
// stores in 0 only, and the W of the loads as well: a common complement, see Subspace.h.
#include "core/layout/ConversionPlanner.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>

namespace tegula::layout::conversion {
namespace {

unsigned log2(uint64_t value) { return static_cast<unsigned>(std::countr_zero(value)); }

/// The bases of the stores or of the loads of a conversion; bits that only make copies are excluded.
struct Side {
  Vectors registers, lanes, warps; // the bases that are not excluded
  // registerMask: the bits that are included; idleLanes, idleWarps: the bits that are excluded
  uint32_t registerMask, idleLanes, idleWarps;
  Vectors threads() const { return joined(lanes, warps); }
};

/// The stores' side: each element is stored once. Bases of lanes and warps are included first, then the register bases
/// that are independent of them.
Side storingSide(const LinearLayout &source) {
  LinearLayout ordered = source.transposeInputs({kLane, kWarp, kRegister});
  Side side{{}, {}, {}, 0, ordered.freeVariables(kLane), ordered.freeVariables(kWarp)};
  uint32_t copies = ordered.freeVariables(kRegister);
  side.registerMask = ordered.inputSize(kRegister) - 1 - copies;
  auto kept = [&](Dim dim, uint32_t without) {
    Vectors bases = ordered.flatBases(dim), result;
    for (unsigned i = 0; i < bases.size(); ++i)
      if (!(without >> i & 1))
        result.push_back(bases[i]);
    return result;
  };
  side.lanes = kept(kLane, side.idleLanes);
  side.warps = kept(kWarp, side.idleWarps);
  side.registers = kept(kRegister, copies);
  return side;
}

/// The loads' side: every thread loads all its registers. The destination has no repeated registers here.
Side loadingSide(const LinearLayout &destination) {
  return {destination.flatBases(kRegister),
          destination.flatBases(kLane),
          destination.flatBases(kWarp),
          destination.inputSize(kRegister) - 1,
          0,
          0};
}

/// The bases of the lane bits that vary within one phase. An idle bit counts among the phase's bits, but its basis is
/// left out of the result.
Vectors phaseLanes(const LinearLayout &layout, uint32_t idle, unsigned phaseBits) {
  Vectors bases = layout.flatBases(kLane), result;
  for (unsigned i = 0; i < std::min<size_t>(phaseBits, bases.size()); ++i)
    if (!(idle >> i & 1))
      result.push_back(bases[i]);
  return result;
}

class Memory {
public:
  explicit Memory(const Problem &problem)
      : problem_(problem), store_(storingSide(problem.source)), load_(loadingSide(problem.destination)),
        space_(joined(joined(store_.lanes, store_.warps), store_.registers)) {}

  SharedStep best() const {
    unsigned most = log2(std::max(1u, problem_.options.maxAccessBytes / problem_.options.elementBytes));
    std::optional<SharedStep> best;
    uint64_t bestCost = 0;
    for (unsigned v = 0; v <= most; ++v)
      for (unsigned w = 0; w <= most; ++w) {
        std::optional<SharedStep> step = build(v, w);
        if (!step)
          continue;
        uint64_t total = cost(step->store) + cost(step->load);
        if (problem_.options.keepsRegisters)
          total += moves(step->store);
        if (!best || total < bestCost)
          best = step, bestCost = total;
      }
    if (!best)
      throw InternalError("layout: no shared layout for " + problem_.source.toText() + " to " +
                          problem_.destination.toText());
    return *best;
  }

private:
  /// The cost of all accesses: for each access, its rounds in shared memory and one round for issuing it.
  static uint64_t cost(const SharedAccess &access) {
    return uint64_t(access.count()) * (1 + access.phases + access.conflicts);
  }

  /// The cost of moves between registers before the stores. It arises if an access needs words in an order that the
  /// thread does not have them in. It is 0 if words must be packed from several registers anyway (one instruction
  /// each), because packing can use any order.
  uint64_t moves(const SharedAccess &access) const {
    unsigned wordBits = log2(std::max(1u, 4 / problem_.options.elementBytes)), width = log2(access.width);
    auto isInPlace = [&](unsigned bit) { return access.order.basis(kRegister, bit)[0] == 1u << bit; };
    bool hasWords = true, inOrder = true;
    for (unsigned bit = 0; bit < width; ++bit)
      (bit < wordBits ? hasWords : inOrder) &= isInPlace(bit);
    return hasWords && !inOrder ? access.order.inputSize(kRegister) >> wordBits : 0;
  }

  std::optional<SharedStep> build(unsigned storeBits, unsigned loadBits) const {
    bool storeIsWider = storeBits >= loadBits;
    const Side &wide = storeIsWider ? store_ : load_, &narrow = storeIsWider ? load_ : store_;
    unsigned wideBits = std::max(storeBits, loadBits), narrowBits = std::min(storeBits, loadBits);
    const BankModel &banks = problem_.options.banks;
    uint32_t bytes = problem_.options.elementBytes;

    // V: vectors in the span of both sides' registers, independent of both sides' lanes and warps.
    Vectors threads = basisOf(joined(wide.threads(), narrow.threads()));
    Vectors vector = independentOf(threads, intersection(wide.registers, narrow.registers));
    if (vector.size() < narrowBits)
      return std::nullopt;
    vector.resize(narrowBits);
    // E: preferably bases of the narrow side's lanes; these lanes then share words.
    Vectors lanesOfNarrow = phaseLanes(narrow, narrowBits, bytes);
    Vectors candidates = problem_.options.keepsRegisters && !storeIsWider
                             ? wide.registers
                             : joined(intersection(wide.registers, lanesOfNarrow), wide.registers);
    Vectors extra = independentOf(joined(vector, wide.threads()), candidates);
    if (extra.size() < wideBits - narrowBits)
      return std::nullopt;
    extra.resize(wideBits - narrowBits);
    Vectors within = joined(vector, extra);
    if (independentOf(joined(wide.threads(), extra), vector).size() != vector.size())
      return std::nullopt;

    // The remaining offset bits: first the bases of the wide side's lanes and warps.
    Vectors rest = independentOf(within, joined(joined(basisOf(wide.threads()), narrow.threads()), space_));
    Vectors wideLanes = phaseLanes(wide, wideBits, bytes);
    Vectors narrowLanes = project(within, rest, lanesOfNarrow);
    unsigned bankRow = log2(banks.banks * banks.bankBytes / bytes); // elements in one row of all banks
    size_t free = std::min<size_t>(rest.size(), bankRow > wideBits ? bankRow - wideBits : 0);
    // Elements narrower than a bank share words: preferably the elements along bases that lanes of both sides have.
    unsigned wordBits = log2(std::max(1u, banks.bankBytes / bytes));
    Vectors words = basisOf(joined(intersection(wideLanes, narrowLanes), joined(joined(wideLanes, narrowLanes), rest)));
    words.resize(std::min<size_t>(words.size(), wordBits > wideBits ? wordBits - wideBits : 0));
    Vectors rows = commonComplement(basisOf(joined(words, wideLanes)), basisOf(joined(words, narrowLanes)), rest,
                                    rest.size() - free);
    if (independentOf(words, rows).size() != rows.size())
      return std::nullopt;
    Vectors bankBits = independentOf(joined(words, rows), joined(joined(wideLanes, narrowLanes), rest));
    return assemble(joined(joined(within, words), joined(bankBits, rows)), storeBits, loadBits);
  }

  Vectors phaseLanes(const Side &side, unsigned vectorBits, uint32_t elementBytes) const {
    bool stores = &side == &store_;
    return conversion::phaseLanes(stores ? problem_.source : problem_.destination, side.idleLanes,
                                  problem_.options.banks.phaseLaneBits(elementBytes << vectorBits));
  }

  /// The components along `rest` of vectors in the span of (within, rest).
  static Vectors project(const Vectors &within, const Vectors &rest, const Vectors &vectors) {
    BitMatrix basis{64, joined(within, rest)}, tail{64, rest};
    Vectors result;
    for (uint64_t vector : vectors)
      result.push_back(tail.apply(*basis.solve(vector) >> within.size()));
    return basisOf(result);
  }

  std::optional<SharedStep> assemble(const Vectors &columns, unsigned storeBits, unsigned loadBits) const {
    InputBases offset{kOffset, {}};
    for (uint64_t column : columns)
      offset.bases.push_back(problem_.source.unpackOutput(column));
    LinearLayout memory({offset}, problem_.source.outputs());
    std::optional<SharedAccess> store = access(problem_.source, store_, memory, storeBits);
    std::optional<SharedAccess> load = access(problem_.destination, load_, memory, loadBits);
    if (!store || !load)
      return std::nullopt;
    uint32_t passes = passesFor(columns.size());
    if (columns.size() < log2(passes) + std::max(storeBits, loadBits))
      return std::nullopt;
    return SharedStep{SharedLayout::ofPart(memory), passes, *store, *load};
  }

  uint32_t passesFor(size_t bits) const {
    uint64_t bytes = (uint64_t(1) << bits) * problem_.options.elementBytes;
    uint64_t passes = 1;
    while (bytes / passes > problem_.options.sharedBytes) {
      passes *= 2;
      if (passes > uint64_t(1) << std::min<size_t>(bits, 30))
        throw Error("layout: a conversion may use " + std::to_string(problem_.options.sharedBytes) +
                    " bytes of shared memory; it needs at least one element, " +
                    std::to_string(problem_.options.elementBytes));
    }
    return static_cast<uint32_t>(passes);
  }

  std::optional<SharedAccess> access(const LinearLayout &layout, const Side &side, const LinearLayout &memory,
                                     unsigned widthBits) const {
    LinearLayout offsets = layout.invertAndCompose(memory);
    Vectors ofRegisters = offsets.flatBases(kRegister);
    uint64_t within = (uint64_t(1) << widthBits) - 1;
    // The offsets of lanes and warps must be multiples of the access width.
    WarpAccess warp{offsets.flatBases(kLane), side.idleLanes, uint32_t(1) << widthBits, problem_.options.elementBytes};
    for (unsigned i = 0; i < warp.laneOffsets.size(); ++i)
      if (!(side.idleLanes >> i & 1) && warp.laneOffsets[i] & within)
        return std::nullopt;
    Vectors ofWarps = offsets.flatBases(kWarp);
    for (unsigned i = 0; i < ofWarps.size(); ++i)
      if (!(side.idleWarps >> i & 1) && ofWarps[i] & within)
        return std::nullopt;
    // The order of registers in accesses: first the bits within a vector, in the order of their offsets, then the bits
    // that number the vectors.
    Vectors bits;
    BitMatrix participating{64, ofRegisters};
    for (unsigned i = 0; i < ofRegisters.size(); ++i)
      if (!(side.registerMask >> i & 1))
        participating.columns[i] = 0;
    for (unsigned i = 0; i < widthBits; ++i) {
      std::optional<uint64_t> registers = participating.solve(uint64_t(1) << i);
      if (!registers)
        return std::nullopt;
      bits.push_back(*registers);
    }
    BitMatrix vectorRegisters{64, bits};
    Vectors others;
    for (unsigned i = 0; i < ofRegisters.size(); ++i)
      if (side.registerMask >> i & 1)
        others.push_back(uint64_t(1) << i ^ vectorRegisters.apply(ofRegisters[i] & within));
    bits = joined(bits, independentOf(bits, others));
    InputBases order{kRegister, {}};
    for (uint64_t registers : bits)
      order.bases.push_back({static_cast<uint32_t>(registers)});
    LinearLayout orderMap({order}, {{kRegister, layout.inputSize(kRegister)}});
    LinearLayout threads = offsets.sublayoutOfInputs({kLane, kWarp});
    LinearLayout ordered = orderMap.compose(offsets.sublayoutOfInputs({kRegister})).concatInputs(threads);
    const BankModel &banks = problem_.options.banks;
    return SharedAccess{uint32_t(1) << widthBits,      orderMap,           ordered, side.idleLanes, side.idleWarps,
                        analyseConflicts(warp, banks), phases(warp, banks)};
  }

  const Problem &problem_;
  Side store_, load_;
  Vectors space_; // spans all elements to be stored
};

} // namespace

SharedStep sharedStep(const Problem &problem) { return Memory(problem).best(); }

} // namespace tegula::layout::conversion
