// The key by which a repeated launch finds its configuration and variant (docs/tuning.md, "The pick key").
//
//   words 0 ..        facts, one byte for each argument: bits 0 to 2: log2 of its divisor (0 to 4), bit 3: it equals 1
//   the next words    buckets of the arguments in Deciding::bucketed
//   the last words    values of the arguments in Deciding::exact
#pragma once

#include "core/runtime/Binding.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace tegula {

/// The facts of one argument, as a byte of the key.
using ArgumentFacts = uint8_t;
ArgumentFacts factsOf(const BoundArgument &argument);
inline constexpr ArgumentFacts kFactExponent = 7, kFactIsOne = 8; // the parts of the byte
/// The facts that the bits of a value or an address satisfy, whatever its type; factMask selects the facts that apply
/// to an argument. The largest exponent is 4, for a multiple of 16.
inline ArgumentFacts factsOf(uint64_t bits) {
  return static_cast<ArgumentFacts>(std::countr_zero(bits | 16) | (bits == 1 ? kFactIsOne : 0));
}
void addFacts(ParamType &type, ArgumentFacts facts);
/// True if `all` contains every fact in `some`.
bool includes(ArgumentFacts all, ArgumentFacts some);

/// How the arguments of a specialization contribute to a key.
struct Deciding {
  std::vector<ArgumentFacts> masks;      // for each argument, the facts that its type can have
  std::vector<uint32_t> bucketed, exact; // indices of arguments whose values decide the configuration
};
ArgumentFacts factMask(const BoundArgument &argument);

/// The value of an integer argument rounded up to a power of two; 0 for values below 1.
uint64_t bucketOf(const BoundArgument &argument);

/// Writes the arguments' facts into `words`, packed eight to a word. `masks`: for each argument, the facts that its
/// type can have (Deciding::masks); other facts are left out.
void makeFactsKey(std::vector<uint64_t> &words, const Binding &binding, std::span<const ArgumentFacts> masks);

/// Writes the pick key into `words`, which keeps its storage from launch to launch.
void makePickKey(std::vector<uint64_t> &words, const Prototype &prototype, const Binding &binding,
                 const Deciding &deciding);

/// The facts of the arguments, one byte each: the first part of a key.
std::vector<ArgumentFacts> factsOf(const std::vector<BoundArgument> &arguments);

} // namespace tegula
