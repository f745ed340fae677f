// The key by which a repeated launch finds its configuration and variant (docs/tuning.md, "The pick key").
//
//   words 0 ..        facts, one byte an argument: bits 0 to 2 the exponent of its divisibility, bit 3: it equals 1
//   the next words    buckets of the arguments in Deciding::bucketed
//   the last words    values of the arguments in Deciding::exact
#pragma once

#include "core/runtime/Binding.h"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace tegula {

/// What is known of one argument, as a byte of the key.
using ArgumentFacts = uint8_t;
ArgumentFacts factsOf(const BoundArgument &argument);
inline constexpr ArgumentFacts kFactExponent = 7, kFactIsOne = 8; // the byte's parts
/// Of the bits of a value or address, of whatever type; an argument has those of them that its factMask has. 16 has the
/// exponent 4, the greatest that counts.
inline ArgumentFacts factsOf(uint64_t bits) {
  return static_cast<ArgumentFacts>(std::countr_zero(bits | 16) | (bits == 1 ? kFactIsOne : 0));
}
void addFacts(ParamType &type, ArgumentFacts facts);
/// Whether everything that `some` says is also said by `all`.
bool includes(ArgumentFacts all, ArgumentFacts some);

/// What the arguments of a specialization add to a key.
struct Deciding {
  std::vector<ArgumentFacts> masks;      // one an argument: the facts that its type can have
  std::vector<uint32_t> bucketed, exact; // indices of arguments whose values decide the configuration
};
ArgumentFacts factMask(const BoundArgument &argument);

/// The smallest power of two that is not below the value of an integer argument; 0 for values below 1.
uint64_t bucketOf(const BoundArgument &argument);

/// Writes the facts of the arguments, in words, for a specialization with these masks.
void makeFactsKey(std::vector<uint64_t> &words, const Binding &binding, std::span<const ArgumentFacts> masks);

/// Writes the key into `words`, which keeps its storage from launch to launch.
void makePickKey(std::vector<uint64_t> &words, const Prototype &prototype, const Binding &binding,
                 const Deciding &deciding);

/// The first part of a key: one byte an argument.
std::vector<ArgumentFacts> factsOf(const std::vector<BoundArgument> &arguments);

} // namespace tegula
