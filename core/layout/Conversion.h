// Plans for the conversion of a tensor from one distributed layout to another. A compiler lowers a plan, a person can
// print it, and tests execute it.
//
// Of the ways that are possible, the plan takes the one of the least price (ConversionPrices):
//
//   nothing    every thread has its elements in the right registers
//   registers  every thread has its elements, in other registers that are the same in all threads: registers are
//   renamed
//   pair       one other lane has all elements that a thread lacks: the two lanes of a pair exchange all registers
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

#include <limits>
#include <variant>

namespace tegula::layout {

/// What a warp pays for the parts of a plan. The unit is one access of a warp to shared memory without bank conflicts:
/// a word of 32 bits for each of 32 lanes. A way whose price is kNever is not taken; through shared memory it is always
/// possible.
struct ConversionPrices {
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  double pair = kNever, swap = kNever, shuffle = kNever; // one word of each lane, moved by a step of this kind
  double select = 0.5; // one word of each lane, chosen by a bit of the lane's or warp's number
  /// The barrier between stores and loads and the time until a load returns. A block of one warp pays an eighth.
  double barrier = 16;
};

struct ConversionOptions {
  uint32_t elementBytes = 4;       // a power of two up to 8
  uint32_t maxAccessBytes = 16;    // the widest access of one lane to shared memory
  uint64_t sharedBytes = 48 << 10; // shared memory for the conversion; a larger tensor takes several passes
  ConversionPrices prices = {};
  /// What plans through shared memory optimize for when loads are wider than stores. True: loads return neighbouring
  /// registers in the order in which an instruction needs them, and moves between registers before the stores count as
  /// a cost. False: the elements of a wide load were stored by different lanes of one store, so that these lanes share
  /// words of memory.
  bool keepsRegisters = false;
  BankModel banks;
};

/// New register r takes old register source(r): kRegister -> kRegister.
struct RegisterStep {
  LinearLayout source;
  bool operator==(const RegisterStep &) const = default;
};

/// An exchange between the lanes l and l ^ bit, where `bit` is a power of two. In both lanes, new register r is a copy
/// of register source(r)[0] of one of the two lanes: of the lane in whose number `bit` is set if source(r)[1] is not 0,
/// else of the other lane.
///
///     rows of 4 in 2 lanes, every other element each, to whole rows in both: (0,2); lane (0,1)  ->  (0,1) (0,2); (0,0)
///     bit 1,  new registers 0 1 2 3  are  registers 0 0 1 1  of  lanes 0 1 0 1
struct PairStep {
  uint32_t bit;
  LinearLayout source; // kRegister -> (kRegister, kLane)
  bool operator==(const PairStep &) const = default;
};

/// Swaps bit `lane` of the lane number with bit `reg` of the register number; both are powers of two. Of the lanes l
/// and l ^ lane, the lane whose number has bit `lane` clear sends its registers whose numbers have `reg` set; the other
/// lane sends the registers whose numbers have it clear:
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
  LinearLayout groupOf; // kLane -> kRegister: the number of the lane's group
  uint32_t rounds() const { return give.inputSize(kRegister) / elementsPerRound; }
  uint32_t groupOfSlot(uint32_t slot) const { return slot / (give.inputSize(kRegister) / groups); }
  bool operator==(const ShuffleStep &) const = default;
};

/// One side of a conversion through shared memory: each thread makes `count()` accesses of `width` elements. Access i
/// moves registers order(i * width + 0), order(i * width + 1), ... to or from consecutive offsets.
struct SharedAccess {
  uint32_t width;
  LinearLayout order;   // kRegister (access * width + element) -> kRegister
  LinearLayout offsets; // (kRegister as in order, kLane, kWarp) -> kOffset
  // lanes (warps) whose number has one of these bits set hold copies and make no access
  uint32_t idleLanes = 0, idleWarps = 0;
  uint32_t conflicts = 0; // extra rounds of each access of a warp, computed from the layouts; an upper
                          // bound if passes leave lanes out
  uint32_t phases = 1;    // rounds of each access without conflicts
  uint32_t count() const { return order.inputSize(kRegister) / width; }
  bool operator==(const SharedAccess &) const = default;
};

/// Store, barrier, load: once for each pass, with a barrier between passes. A pass moves passElements() consecutive
/// offsets; a thread makes each access in the pass that contains the access' offset.
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

  ConversionPlan(LinearLayout source, LinearLayout destination, ConversionOptions options, std::vector<Step> steps,
                 double price);

  Kind kind() const;
  const std::vector<Step> &steps() const { return steps_; }
  const LinearLayout &source() const { return source_; }
  const LinearLayout &destination() const { return destination_; }
  const ConversionOptions &options() const { return options_; }
  /// What a warp pays for the steps, by options().prices.
  double price() const { return price_; }
  const SharedStep *shared() const;

  /// Runs the plan on the registers of all threads of a block: element (warp * lanes + lane) * registers + register.
  /// Only the plan's steps are used, so a wrong plan gives wrong values; reading shared memory that no store of the
  /// pass has written throws InternalError.
  std::vector<uint64_t> execute(std::span<const uint64_t> registers) const;

  /// One access of one warp in an execution of the plan: the byte address of each lane that takes part.
  struct Traced {
    bool isStore;
    uint32_t pass, warp, access;
    std::vector<std::optional<uint64_t>> addresses;
    uint32_t bytes;
    uint32_t claimedConflicts;
  };
  std::vector<Traced> trace() const;

  /// The plan as text and tables for a human reader.
  std::string print() const;

private:
  LinearLayout source_, destination_;
  ConversionOptions options_;
  std::vector<Step> steps_;
  double price_;
};

/// `nothing`, `registers`, `pair`, `shuffle`, `shared`
std::string_view name(ConversionPlan::Kind kind);

/// Both layouts map (kRegister, kLane, kWarp[, kBlock]) to the same tensor, with the same numbers of lanes, warps and
/// blocks; each element of the destination must be in the same block of the source. Throws tegula::Error if that does
/// not hold, or if one pass does not fit `sharedBytes`.
ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &destination,
                              const ConversionOptions &options = {});

/// A padded shared-memory layout for a one-pass step, which replaces the step's swizzle: after each row across all
/// banks, one piece of the wider access stays unused. The offset of an access is then the sum of a thread's part and a
/// register's part, and the register's part is an immediate of the instruction. In a swizzled layout the offset is
/// their XOR, which takes a register for each value:
///
///     rows of 8 pieces     swizzled     0 1 2 3 4 5 6 7        padded     0 1 2 3 4 5 6 7 -
///                                       1 0 3 2 5 4 7 6                   0 1 2 3 4 5 6 7 -
///
/// Nothing if the step has no swizzle, if stores or loads would be narrower or have more conflicts, or if some offset
/// would still need an XOR.
std::optional<SharedLayout> paddedInstead(const LinearLayout &source, const LinearLayout &destination,
                                          const SharedStep &step, const ConversionOptions &options);

} // namespace tegula::layout
