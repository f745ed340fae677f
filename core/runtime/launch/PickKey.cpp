#include "core/runtime/launch/PickKey.h"

#include <algorithm>
#include <bit>

namespace tegula {
namespace {

int64_t signedValue(const BoundArgument &argument) {
  unsigned unused = 64 - byteSize(argument.type) * 8;
  return isUnsigned(argument.type) ? static_cast<int64_t>(argument.bits)
                                   : static_cast<int64_t>(argument.bits << unused) >> unused;
}

/// The bits by which a key identifies the value of an argument in Deciding::exact: all bits of the number that the
/// caller gave, because heuristics see that number, not the converted value that the kernel gets.
uint64_t exactBits(const Prototype &prototype, const Binding &binding, uint32_t index) {
  const Argument *given = binding.given[prototype.runtime[index]];
  if (const double *real = given ? std::get_if<double>(&given->value()) : nullptr)
    return std::bit_cast<uint64_t>(*real);
  if (const int64_t *integer = given ? std::get_if<int64_t>(&given->value()) : nullptr)
    return static_cast<uint64_t>(*integer);
  if (const TypedScalar *scalar = given ? std::get_if<TypedScalar>(&given->value()) : nullptr)
    return scalar->bits;
  return binding.arguments[index].bits;
}

} // namespace

ArgumentFacts factMask(const BoundArgument &argument) {
  if (!argument.hasFacts())
    return 0;
  return argument.kind == ParamType::Kind::Scalar ? kFactExponent | kFactIsOne : kFactExponent;
}

ArgumentFacts factsOf(const BoundArgument &argument) { return factsOf(argument.bits) & factMask(argument); }

void addFacts(ParamType &type, ArgumentFacts facts) {
  type.divisibility = 1u << (facts & kFactExponent);
  type.isOne = facts & kFactIsOne;
}

bool includes(ArgumentFacts all, ArgumentFacts some) {
  return (all & kFactExponent) >= (some & kFactExponent) && (all & kFactIsOne) >= (some & kFactIsOne);
}

std::vector<ArgumentFacts> factsOf(const std::vector<BoundArgument> &arguments) {
  std::vector<ArgumentFacts> facts;
  for (const BoundArgument &argument : arguments)
    facts.push_back(factsOf(argument));
  return facts;
}

uint64_t bucketOf(const BoundArgument &argument) {
  int64_t value = signedValue(argument);
  if (isUnsigned(argument.type) ? argument.bits == 0 : value < 1)
    return 0;
  return argument.bits > uint64_t(1) << 62 ? uint64_t(1) << 63 : std::bit_ceil(static_cast<uint64_t>(value));
}

void makeFactsKey(std::vector<uint64_t> &words, const Binding &binding, std::span<const ArgumentFacts> masks) {
  constexpr size_t kPerWord = sizeof(uint64_t);
  size_t count = binding.arguments.size();
  words.resize((count + kPerWord - 1) / kPerWord);
  if (words.empty())
    return;
  words.back() = 0; // clears the bytes after the last argument's
  auto *facts = reinterpret_cast<ArgumentFacts *>(words.data());
  const ArgumentFacts *mask = masks.data();
  for (const BoundArgument &argument : binding.arguments)
    *facts++ = factsOf(argument.bits) & *mask++;
}

void makePickKey(std::vector<uint64_t> &words, const Prototype &prototype, const Binding &binding,
                 const Deciding &deciding) {
  makeFactsKey(words, binding, deciding.masks);
  for (uint32_t index : deciding.bucketed)
    words.push_back(bucketOf(binding.arguments[index]));
  for (uint32_t index : deciding.exact)
    words.push_back(exactBits(prototype, binding, index));
}

} // namespace tegula
