#include "core/runtime/launch/Derived.h"

#include <algorithm>

namespace tegula {
namespace {

/// An integer argument as a signed number, even if its type is unsigned, because the code computes positions with
/// signed numbers. For other arguments, their bits.
int64_t valueOf(const BoundArgument &argument) {
  if (argument.kind != ParamType::Kind::Scalar || !isInteger(argument.type) || argument.type == ScalarType::I1)
    return static_cast<int64_t>(argument.bits);
  unsigned unused = 64 - bitWidth(argument.type);
  return static_cast<int64_t>(argument.bits << unused) >> unused;
}

/// The values of the arguments, in a thread-local object that the next call overwrites, so that a repeated launch
/// allocates nothing.
const DerivingValues &valuesOf(const std::vector<BoundArgument> &arguments) {
  thread_local DerivingValues values;
  values.assign(arguments);
  return values;
}

std::span<const int64_t> byParameter(std::span<const uint32_t> sources, const DerivingValues &values) {
  thread_local std::vector<int64_t> ordered;
  ordered.clear();
  for (uint32_t source : sources)
    ordered.push_back(values.values[source]);
  return ordered;
}

} // namespace

void DerivingValues::assign(const std::vector<BoundArgument> &arguments) {
  values.clear();
  memory.clear();
  anyNegative = false;
  for (const BoundArgument &argument : arguments) {
    values.push_back(valueOf(argument));
    memory.push_back(argument.memory());
    anyNegative |= argument.kind == ParamType::Kind::Scalar && isInteger(argument.type) && values.back() < 0;
  }
}

bool meetsConditions(const Artifact &artifact, std::span<const uint32_t> sources, const DerivingValues &values) {
  if (!artifact.conditions)
    return true;
  auto areApart = [&](std::pair<uint32_t, uint32_t> pair) {
    const auto &one = values.memory[sources[pair.first]], &other = values.memory[sources[pair.second]];
    return one && other && (one->second <= other->first || other->second <= one->first);
  };
  if ((values.anyNegative && artifact.conditions->nonNegative) ||
      !std::ranges::all_of(artifact.conditions->apart, areApart))
    return false;
  std::span<const int64_t> ordered = byParameter(sources, values);
  return std::ranges::all_of(artifact.derived(), [&](const ArtifactParam &param) {
    return shapeOf(*param.tensor, byteSize(param.type), ordered).has_value();
  });
}

bool meetsConditions(const Artifact &artifact, std::span<const uint32_t> sources,
                     const std::vector<BoundArgument> &arguments) {
  return !artifact.conditions || meetsConditions(artifact, sources, valuesOf(arguments));
}

void derive(std::vector<DescriptorValue> &descriptors, std::vector<TensorShape> &shapes, const Variant &variant,
            const DerivingValues &values) {
  std::span<const int64_t> ordered = byParameter(variant.sources, values);
  std::span<const ArtifactParam> derived = variant.compiled.artifact.derived();
  shapes.clear();
  shapes.reserve(derived.size()); // no reallocation: descriptors refer to the elements
  for (const ArtifactParam &param : derived) {
    const DerivedTensor &tensor = *param.tensor;
    const TensorShape &shape = shapes.emplace_back(shapeOf(tensor, byteSize(param.type), ordered).value());
    descriptors.push_back({static_cast<uint64_t>(ordered[tensor.pointer]),
                           {shape.extents, tensor.axes.size()},
                           {shape.strides, tensor.axes.size()},
                           false});
  }
}

void derive(std::vector<DescriptorValue> &descriptors, std::vector<TensorShape> &shapes, const Variant &variant,
            const std::vector<BoundArgument> &arguments) {
  derive(descriptors, shapes, variant, valuesOf(arguments));
}

bool fitsGrid(const Variant &variant, const std::vector<BoundArgument> &arguments,
              const std::array<uint32_t, 3> &grid) {
  const std::optional<LaunchConditions> &conditions = variant.compiled.artifact.conditions;
  if (!conditions || conditions->positive.empty())
    return true;
  std::span<const int64_t> ordered = byParameter(variant.sources, valuesOf(arguments));
  return std::ranges::all_of(
      conditions->positive, [&](const ProgramExpression &expression) { return isPositive(expression, ordered, grid); });
}

bool areAccepted(const Variant &variant, const std::vector<BoundArgument> &arguments) {
  DerivingValues values;
  values.assign(arguments);
  return areAccepted(variant, values);
}

bool areAccepted(const Variant &variant, const DerivingValues &values) {
  std::vector<DescriptorValue> descriptors;
  std::vector<TensorShape> shapes;
  derive(descriptors, shapes, variant, values);
  size_t first = variant.compiled.artifact.params.size() - descriptors.size();
  for (size_t i = 0; i < descriptors.size(); ++i)
    if (!variant.kernel->canDescribe(first + i, descriptors[i]))
      return false;
  return true;
}

} // namespace tegula
