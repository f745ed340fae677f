#include "backends/vulkan/Profiles.h"

#include <algorithm>

namespace tegula::vulkan {
namespace {

const FeatureSet kSubgroups = {Feature::SubgroupBasic,     Feature::SubgroupVote,    Feature::SubgroupArithmetic,
                               Feature::SubgroupBallot,    Feature::SubgroupShuffle, Feature::SubgroupShuffleRelative,
                               Feature::SignedZeroInfNan32};

FeatureSet operator|(FeatureSet a, const FeatureSet &b) {
  for (const FeatureRow &row : featureTable())
    if (b.has(row.feature))
      a.add(row.feature);
  return a;
}

/// The features for types of fewer than 32 bits.
const FeatureSet kNarrow = {Feature::Float16,  Feature::Int8,      Feature::Int16,
                            Feature::Storage8, Feature::Storage16, Feature::SubgroupExtendedTypes};

const FeatureSet kMatrices = {Feature::CooperativeMatrix, Feature::SharedExplicitLayout, Feature::SharedExplicitLayout8,
                              Feature::SharedExplicitLayout16};

/// Adds the features of NV_cooperative_matrix2 that allow row-wise ops on accumulators without leaving fragments
/// (TargetPolicies::rowsInFragments).
Profile withRows(std::string_view name, Profile profile) {
  profile.name = name;
  profile.features =
      profile.features | FeatureSet{Feature::MatrixReductions, Feature::MatrixConversions, Feature::MatrixPerElement};
  return profile;
}

/// Adds the bf16 matrix instructions, which need a newer driver.
Profile withBFloat16(std::string_view name, Profile profile) {
  profile.name = name;
  profile.features.add(Feature::BFloat16);
  profile.features.add(Feature::BFloat16Matrix);
  profile.matrices.push_back(fragmentInstruction(16, 16, 16, ScalarType::BF16, ScalarType::F32));
  return profile;
}

/// A profile for devices that end loops early (without Feature::UnboundedLoops): the same code with a check after the
/// loops, so that a launch fails if a loop was ended (codegen/CheckRounds.cpp). Only profiles that software devices
/// satisfy have this form.
Profile bounded(std::string_view name, Profile profile) {
  profile.name = name;
  profile.features.remove(Feature::UnboundedLoops);
  return profile;
}

std::vector<Profile> makeProfiles() {
  using enum ScalarType;
  constexpr uint32_t KiB = 1024;
  const Profile sm90 = {
      .name = "nvidia-sm90",
      .subgroupSize = 32,
      .sharedBytes = 48 * KiB,
      .pushBytes = 256,
      .features = kSubgroups | kNarrow | kMatrices |
                  FeatureSet{Feature::Float64, Feature::RoundToNearest16, Feature::FusedMultiplyAdd32, Feature::Exp2,
                             Feature::PredicatedBranches, Feature::Float32Add, Feature::Int64Atomics},
      .matrices = {fragmentInstruction(16, 16, 16, F16, F32), fragmentInstruction(16, 8, 16, F16, F32),
                   fragmentInstruction(16, 16, 16, F16, F16), fragmentInstruction(16, 8, 16, F16, F16),
                   fragmentInstruction(16, 16, 32, I8, I32), fragmentInstruction(16, 8, 32, I8, I32)}};
  const Profile lavapipe = {.name = "lavapipe-cm-khr",
                            .subgroupSize = 8,
                            .sharedBytes = 32 * KiB,
                            .features = kSubgroups | kNarrow | kMatrices | FeatureSet{Feature::FragmentsFromMemory},
                            .matrices = {fragmentInstruction(8, 8, 8, F16, F32), fragmentInstruction(8, 8, 8, F16, F16),
                                         fragmentInstruction(8, 8, 8, I8, I32)}};
  std::vector<Profile> table = {
      withBFloat16("nvidia-sm90-bf16", withRows("nvidia-sm90-cm2", sm90)),
      withRows("nvidia-sm90-cm2", sm90),
      sm90,
      withRows("lavapipe-cm", lavapipe),
      lavapipe,
      {.name = "sg64", .subgroupSize = 64, .sharedBytes = 32 * KiB, .features = kSubgroups | kNarrow},
      {.name = "sg32", .subgroupSize = 32, .sharedBytes = 32 * KiB, .features = kSubgroups | kNarrow},
      {.name = "sg16", .subgroupSize = 16, .sharedBytes = 32 * KiB, .features = kSubgroups | kNarrow},
      {.name = "sg8", .subgroupSize = 8, .sharedBytes = 32 * KiB, .features = kSubgroups | kNarrow},
      {.name = "sg4", .subgroupSize = 4, .sharedBytes = 32 * KiB, .features = kSubgroups | kNarrow},
      // Devices without types of fewer than 32 bits.
      {.name = "sg64-words", .subgroupSize = 64, .sharedBytes = 32 * KiB, .features = kSubgroups},
      {.name = "sg32-words", .subgroupSize = 32, .sharedBytes = 32 * KiB, .features = kSubgroups},
      {.name = "sg16-words", .subgroupSize = 16, .sharedBytes = 32 * KiB, .features = kSubgroups},
      {.name = "sg8-words", .subgroupSize = 8, .sharedBytes = 32 * KiB, .features = kSubgroups},
      {.name = "sg4-words", .subgroupSize = 4, .sharedBytes = 32 * KiB, .features = kSubgroups},
      // Vulkan's guarantees only, with the least shared memory and push constants that a device may have.
      {.name = "generic", .sharedBytes = 16 * KiB},
  };
  for (Profile &profile : table)
    profile.features.add(Feature::UnboundedLoops);
  constexpr std::pair<std::string_view, std::string_view> kBounded[] = {
      {"sg16", "sg16-bounded"},
      {"sg8", "sg8-bounded"},
      {"sg4", "sg4-bounded"},
      {"sg16-words", "sg16-words-bounded"},
      {"sg8-words", "sg8-words-bounded"},
      {"sg4-words", "sg4-words-bounded"},
      {"generic", "generic-bounded"}, // last, because every device satisfies it
  };
  for (auto [name, boundedName] : kBounded)
    table.push_back(bounded(boundedName, *std::ranges::find(table, name, &Profile::name)));
  return table;
}

} // namespace

std::span<const Profile> profiles() {
  static const std::vector<Profile> table = makeProfiles();
  return table;
}

const Profile *findProfile(std::string_view target) {
  constexpr std::string_view kPrefix = "spirv:";
  std::string_view wanted = target == "spirv" ? "generic" : "";
  if (target.starts_with(kPrefix))
    wanted = target.substr(kPrefix.size());
  for (const Profile &profile : profiles())
    if (profile.name == wanted)
      return &profile;
  return nullptr;
}

std::string targetName(const Profile &profile) { return "spirv:" + std::string(profile.name); }

std::string whyNot(const Profile &profile, const Capacity &device) {
  if (profile.subgroupSize &&
      (profile.subgroupSize < device.minSubgroupSize || profile.subgroupSize > device.maxSubgroupSize))
    return "subgroups of " + std::to_string(profile.subgroupSize) + " invocations (it has " +
           (device.minSubgroupSize == device.maxSubgroupSize
                ? std::to_string(device.minSubgroupSize)
                : std::to_string(device.minSubgroupSize) + " to " + std::to_string(device.maxSubgroupSize)) +
           ")";
  if (profile.sharedBytes > device.sharedBytes)
    return std::to_string(profile.sharedBytes) + " bytes of shared memory (it has " +
           std::to_string(device.sharedBytes) + ")";
  if (profile.pushBytes > device.pushBytes)
    return std::to_string(profile.pushBytes) + " bytes of push constants (it has " + std::to_string(device.pushBytes) +
           ")";
  for (const FeatureRow &row : featureTable())
    if (profile.features.has(row.feature) && !device.features.has(row.feature))
      return std::string(row.name);
  for (const MatrixInstruction &product : profile.matrices)
    if (std::find(device.matrices.begin(), device.matrices.end(), product) == device.matrices.end())
      return "cooperative matrices " + product.name;
  return {};
}

const Profile &bestProfile(const Capacity &device) {
  for (const Profile &profile : profiles())
    if (whyNot(profile, device).empty())
      return profile;
  return profiles().back();
}

} // namespace tegula::vulkan
