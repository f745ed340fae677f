// Plans for the conversion of a tensor from one distributed layout to another. A compiler lowers a plan, a person can
// print it, and tests execute it.
//
//   nothing    every thread has its elements in the right registers
//   registers  every thread has its elements, in other registers that are the same in all threads: registers are
//   renamed
//   pair       what a thread lacks, one other lane has: all registers of both lanes of a pair are exchanged
//   swap       bits of the lane's number and of the register's number trade places: for each such bit, a lane sends
//   half
//              of its registers to the lane that differs from it in this bit, and receives as many
//   shuffle    every warp has its elements: rounds in which each lane gives one register and takes one from a peer
//   shared     through shared memory, in a layout for which stores and loads have no bank conflicts, if there is one
//
// Both layouts may have copies (free variables): of several threads that hold an element in the source one supplies it,
// and each thread that holds it in the destination gets it.
#pragma once

#include "core/layout/SharedLayout.h"

#include <variant>

namespace tegula::layout {

struct ConversionOptions {
  uint32_t elementBytes = 4;       // a power of two up to 8
  uint32_t maxAccessBytes = 16;    // of one lane's access to shared memory
  uint64_t sharedBytes = 48 << 10; // that the conversion may use; a larger tensor takes several passes
  uint32_t maxShuffles = 64;       // use shared memory if more 32-bit shuffles of a warp are needed; 0: never shuffle
  bool exchangesPairs = false;     // whether a plan may be an exchange between the lanes of pairs
  uint32_t maxSwaps = 0;           // of lane bits with register bits that a plan may be; 0: none
  /// Whether to count the moves between registers before stores, and to let a load that is wider than the stores take
  /// the lowest of its registers that the layout allows, in which an instruction may need it. If not, it takes elements
  /// of different lanes of a store, which then share words of memory.
  bool keepsRegisters = false;
  BankModel banks;
};

/// New register r takes old register source(r): kRegister -> kRegister.
struct RegisterStep {
  LinearLayout source;
  bool operator==(const RegisterStep &) const = default;
};

/// An exchange between the lanes l and l ^ bit, where `bit` is a power of two. New register r of both is register
/// source(r)[0] of the one of them whose number has in `bit` what source(r)[1] has:
///
///     rows of 4 in 2 lanes, every other element each, to whole rows in both: (0,2); lane (0,1)  ->  (0,1) (0,2); (0,0)
///     bit 1,  new registers 0 1 2 3  are  registers 0 0 1 1  of  lanes 0 1 0 1
struct PairStep {
  uint32_t bit;
  LinearLayout source; // kRegister -> (kRegister, kLane)
  bool operator==(const PairStep &) const = default;
};

/// Bit `lane` of the lane's number and bit `reg` of the register's number trade places; both are powers of two. Of the
/// lanes l and l ^ lane, the one whose number has bit `lane` clear sends its registers whose numbers have `reg` set;
/// the other one sends those that have it clear:
///
///     register (0,1); lane (1,0), two of a row in each lane, becomes  register (1,0); lane (0,1), two of a column
///     lane 0 has  00 01  and gives 01 for 10;   lane 1 has  10 11  and gives 10 for 01
struct SwapStep {
  uint32_t lane, reg;
  bool operator==(const SwapStep &) const = default;
};

/// Rounds of shuffles. A *slot* is (round * elementsPerRound + element). In each slot, lane l of warp w gives its
/// register give(slot, l, w), and stores the register that lane peer(slot, l, w) gives in its register into(slot, l).
/// Slots are the input dimension kRegister. All elements of one round come from one peer, so they travel in one word.
/// Lanes that need different registers of one peer are in different *groups*: a lane receives only in the slots whose
/// highest bits are the number of its group. With one group, it receives in all slots.
struct ShuffleStep {
  uint32_t elementsPerRound;
  uint32_t groups;
  LinearLayout give;    // (kRegister, kLane, kWarp) -> kRegister
  LinearLayout peer;    // (kRegister, kLane, kWarp) -> kLane
  LinearLayout into;    // (kRegister, kLane) -> kRegister
  LinearLayout groupOf; // kLane -> kRegister, the group's number
  uint32_t rounds() const { return give.inputSize(kRegister) / elementsPerRound; }
  uint32_t groupOfSlot(uint32_t slot) const { return slot / (give.inputSize(kRegister) / groups); }
  bool operator==(const ShuffleStep &) const = default;
};

/// One side of a conversion through shared memory: each thread makes `count()` accesses of `width` elements. Access i
/// moves registers order(i * width + 0), order(i * width + 1), ... to or from consecutive offsets.
struct SharedAccess {
  uint32_t width;
  LinearLayout order;                    // kRegister (access * width + element) -> kRegister
  LinearLayout offsets;                  // (kRegister as in order, kLane, kWarp) -> kOffset
  uint32_t idleLanes = 0, idleWarps = 0; // threads with one of these bits set hold copies and take no part
  uint32_t conflicts = 0;                // extra rounds of each access of a warp, computed from the layouts; an upper
                                         // bound if passes leave lanes out
  uint32_t phases = 1;                   // rounds of each access without conflicts
  uint32_t count() const { return order.inputSize(kRegister) / width; }
  bool operator==(const SharedAccess &) const = default;
};

/// Store, barrier, load; once for each pass, with a barrier between passes. Pass p moves the offsets from
/// p * passElements() to below (p + 1) * passElements(); a thread makes an access in the pass that its offset lies in.
struct SharedStep {
  SharedLayout memory;
  uint32_t passes = 1;
  SharedAccess store, load;
  uint64_t passElements() const { return (uint64_t(1) << memory.linear().totalInputBits()) / passes; }
  bool operator==(const SharedStep &) const = default;
};

class ConversionPlan {
public:
  enum class Kind : uint8_t { Nothing, Registers, Pair, Swap, Shuffle, Shared };
  using Step = std::variant<RegisterStep, PairStep, SwapStep, ShuffleStep, SharedStep>;

  ConversionPlan(LinearLayout source, LinearLayout destination, ConversionOptions options, std::vector<Step> steps);

  Kind kind() const;
  const std::vector<Step> &steps() const { return steps_; }
  const LinearLayout &source() const { return source_; }
  const LinearLayout &destination() const { return destination_; }
  const ConversionOptions &options() const { return options_; }
  const SharedStep *shared() const;

  /// Runs the plan on the registers of all threads of a block: element (warp * lanes + lane) * registers + register.
  /// Only the plan's steps are used, so a wrong plan gives wrong values; reading shared memory that no store of the
  /// pass has written throws InternalError.
  std::vector<uint64_t> execute(std::span<const uint64_t> registers) const;

  /// One access of one warp as it happens: the byte address of each lane that takes part.
  struct Traced {
    bool isStore;
    uint32_t pass, warp, access;
    std::vector<std::optional<uint64_t>> addresses;
    uint32_t bytes;
    uint32_t claimedConflicts;
  };
  std::vector<Traced> trace() const;

  /// The plan in words and tables, for people.
  std::string print() const;

private:
  LinearLayout source_, destination_;
  ConversionOptions options_;
  std::vector<Step> steps_;
};

/// `nothing`, `registers`, `pair`, `shuffle`, `shared`
std::string_view name(ConversionPlan::Kind kind);

/// Both layouts map (kRegister, kLane, kWarp[, kBlock]) to the same tensor, with the same numbers of lanes, warps and
/// blocks; each element of the destination must be in the same block of the source. Throws tegula::Error if that does
/// not hold, or if one pass does not fit `sharedBytes`.
ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &destination,
                              const ConversionOptions &options = {});

/// A layout of the memory of a step of one pass, with padding in place of the swizzle: each row of all banks is
/// followed by an unused piece of the wider access. Offsets are then sums of a part of the thread and one of the
/// register, which is an immediate of an instruction, and not their XOR, which takes a register for each value:
///
///     rows of 8 pieces     swizzled     0 1 2 3 4 5 6 7        padded     0 1 2 3 4 5 6 7 -
///                                       1 0 3 2 5 4 7 6                   0 1 2 3 4 5 6 7 -
///
/// None if the step has no swizzle, or if stores and loads would be narrower, have more conflicts, or still no sums.
std::optional<SharedLayout> paddedInstead(const LinearLayout &source, const LinearLayout &destination,
                                          const SharedStep &step, const ConversionOptions &options);

} // namespace tegula::layout
