#include "backends/gpu/Kernel.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <array>

namespace tegula::gpu {
namespace {

std::string describe(const Extent3 &extent) {
  return std::to_string(extent[0]) + "x" + std::to_string(extent[1]) + "x" + std::to_string(extent[2]);
}

/// Describes the hidden argument's value as a noun, for messages.
std::string_view describe(HiddenArgument hidden) {
  switch (hidden) {
  case HiddenArgument::GridBase: return "its place in a split grid";
  case HiddenArgument::GridSize: return "the size of a split grid";
  case HiddenArgument::Scratch: return "a scratch buffer";
  case HiddenArgument::PrintBuffer: return "a print buffer";
  case HiddenArgument::SafeAddress: return "an address that masked-off lanes may read";
  }
  throw InternalError("unknown hidden argument");
}

// Function attributes; their numbers are the same in both APIs.
constexpr int kFunctionLocalBytes = 3, kFunctionRegisters = 4;

constexpr size_t argumentsOf(HiddenArgument hidden) {
  return hidden == HiddenArgument::GridBase || hidden == HiddenArgument::GridSize ? 3 : 1;
}

size_t bytesOf(HiddenArgument hidden) { return argumentsOf(hidden) == 3 ? sizeof(uint32_t) : sizeof(Address); }

size_t bytesOf(const ArtifactParam &param) {
  switch (param.kind) {
  case ArtifactParam::Kind::Scalar: return byteSize(param.type);
  case ArtifactParam::Kind::Pointer: return sizeof(Address);
  case ArtifactParam::Kind::Descriptor: return sizeof(EncodedDescriptor);
  }
  throw InternalError("unknown kind of parameter");
}

/// The largest grid, in programs, for kernels that execute several in one launched program: their code computes up to
/// 16 times the number of programs in 32 bits.
constexpr uint64_t kMostPrograms = uint64_t(1) << 27;

/// In a grid with at least this many programs for each multiprocessor, each launched program executes two programs of
/// the grid. In a smaller grid it executes one: multiprocessors without work would wait for the last pairs, and that
/// costs more than pairs gain (docs/lab/2026-11-28-causal-attention.md).
constexpr uint64_t kLeastForPairs = 10;

/// The number of 64-bit words of a descriptor of this rank that is passed in parts (Artifact.h): address, extents,
/// strides, padding.
constexpr size_t partWords(size_t rank) { return 2 + 2 * rank; }

} // namespace

Kernel::Module::~Module() {
  if (!handle)
    return;
  try {
    CurrentContext current(*device);
    device->platform->api.moduleUnload(handle);
  } catch (const std::exception &) {
    // Unloading fails if the device has failed. A destructor must not throw; the next call to the device reports the
    // failure.
  }
}

Kernel::Kernel(std::shared_ptr<const OpenDevice> device, const Artifact &artifact)
    : device_(std::move(device)), entry_(artifact.entry), params_(artifact.params), hidden_(artifact.hidden) {
  const Platform &platform = *device_->platform;
  const std::string &name = device_->traits.info.name;
  platform.checkTarget(artifact, device_->traits);
  checkDemands(artifact);
  takeRecipes(artifact);
  auto has = [&](HiddenArgument hidden) { return std::ranges::count(hidden_, hidden) != 0; };
  if (has(HiddenArgument::PrintBuffer))
    messages_ = std::make_shared<const std::vector<DeviceMessage>>(artifact.messages);
  canSplit_ =
      has(HiddenArgument::GridBase) && has(HiddenArgument::GridSize) && !(artifact.launchFlags & kLaunchTogether);
  shape_.threads = artifact.threads;
  shape_.sharedBytes = artifact.sharedBytes;
  shape_.clusterSize = artifact.clusterSize;
  shape_.flags = artifact.launchFlags;
  module_.handle = platform.loadModule(artifact, device_->traits);
  module_.device = device_.get();
  platform.call(
      platform.api.moduleFunction, [&] { return "find " + named() + " in its code, on device " + name; }, &function_,
      module_.handle, entry_.c_str());
  checkParams(artifact);
  if (uint32_t most = platform.maxThreads(function_); artifact.threads > most)
    throw Error(named() + " runs " + std::to_string(artifact.threads) +
                    " threads a program, but with the registers that it uses device " + name + " runs at most " +
                    std::to_string(most) + "; compile it with fewer warps or a register cap",
                Shortage{"threads", artifact.threads, most});
  platform.prepare(function_, artifact, device_->traits);
}

KernelUsage Kernel::usage() const {
  KernelUsage usage;
  const auto &attribute = device_->platform->api.functionAttribute;
  try {
    CurrentContext current(*device_);
    if (attribute(&usage.registers, kFunctionRegisters, function_) != kSuccess)
      usage.registers = -1;
    if (attribute(&usage.spillBytes, kFunctionLocalBytes, function_) != kSuccess)
      usage.spillBytes = -1;
  } catch (const Error &) {
    return {}; // the device has failed; the next call to it reports that
  }
  return usage;
}

bool Kernel::canDescribe(size_t param, const DescriptorValue &tensor) const {
  if (!descriptors_[param])
    return true; // passed in parts
  try {
    CurrentContext current(*device_);
    EncodedDescriptor encoded;
    device_->platform->encodeDescriptor(descriptors_[param]->recipe, params_[param], tensor, encoded);
  } catch (const Error &) {
    return false; // the tensor breaks a rule of the driver
  }
  return true;
}

void Kernel::checkDemands(const Artifact &artifact) const {
  const DeviceTraits &traits = device_->traits;
  auto within = [&](const Shortage &demand, const char *what, const char *remedy) {
    if (demand.required > demand.limit)
      throw Error(named() + " asks for " + std::to_string(demand.required) + " " + what + ", device " +
                      traits.info.name + " has " + std::to_string(demand.limit) + "; compile it with " + remedy,
                  demand);
  };
  within({"threads", artifact.threads, traits.maxThreads}, "threads a program", "fewer warps");
  within({"shared memory", artifact.sharedBytes, traits.sharedBytes}, "bytes of shared memory",
         "smaller blocks or fewer stages");
  auto needs = [&](std::string_view feature) {
    if (!std::ranges::count(traits.features, feature))
      throw Error(named() + " needs the feature '" + std::string(feature) + "', which device " + traits.info.name +
                  " has not");
  };
  for (const std::string &feature : artifact.requiredFeatures)
    needs(feature);
  if (artifact.clusterSize > 1)
    needs(kFeatureClusters);
  within({"programs of a cluster", artifact.clusterSize, traits.maxCluster}, "programs a cluster", "smaller clusters");
  if (!artifact.descriptors.empty())
    needs(kFeatureDescriptors);
  if (artifact.launchFlags & kLaunchTogether)
    needs(kFeatureLaunchTogether);
  if (artifact.launchFlags & kLaunchEarly)
    needs(kFeatureLaunchEarly);
  if (artifact.launchFlags & kLaunchSeveral && !std::ranges::count(artifact.hidden, HiddenArgument::GridSize))
    throw Error("damaged artifact: " + named() + " loops over the grid's programs and is not told their number");
  if (artifact.launchFlags & kLaunchInPairs && (artifact.launchFlags & kLaunchResident || artifact.clusterSize > 1))
    throw Error("damaged artifact: " + named() + " is launched in pairs, and as resident programs or clusters");
  if (artifact.threads == 0 || artifact.clusterSize == 0)
    throw Error("damaged artifact: " + named() + " of " + std::to_string(artifact.threads) +
                " threads and clusters of " + std::to_string(artifact.clusterSize));
  for (HiddenArgument hidden : artifact.hidden)
    if (hidden != HiddenArgument::GridBase && hidden != HiddenArgument::GridSize &&
        hidden != HiddenArgument::PrintBuffer)
      throw Error(named() + " wants " + std::string(describe(hidden)) + ", which device " + traits.info.name +
                  " does not supply");
}

void Kernel::takeRecipes(const Artifact &artifact) {
  descriptors_.resize(params_.size());
  for (const DescriptorRecipe &recipe : artifact.descriptors) {
    descriptors_.at(recipe.param) = std::make_unique<Descriptor>();
    descriptors_[recipe.param]->recipe = recipe;
  }
  for (size_t i = 0; i < params_.size(); ++i) {
    bool described = params_[i].kind == ArtifactParam::Kind::Descriptor;
    if (descriptors_[i] && !described)
      throw Error("damaged artifact: parameter '" + params_[i].name + "' of " + named() +
                  " and its descriptor recipe do not agree");
    passed_.push_back(descriptors_[i] ? Passed::Encoded : described ? Passed::Parts : Passed::Bits);
    if (passed_.back() == Passed::Parts)
      partWords_ += partWords(params_[i].block.size());
  }
  descriptorCount_ = artifact.descriptors.size();
  pointerCount_ = params_.size();
  for (HiddenArgument hidden : hidden_)
    pointerCount_ += argumentsOf(hidden);
}

void Kernel::checkParams(const Artifact &artifact) const {
  const Platform &platform = *device_->platform;
  const EntryPoint<Status(FunctionHandle, size_t, size_t *, size_t *)> &query = platform.api.functionParam;
  std::vector<std::pair<std::string, size_t>> expected;
  for (size_t i = 0; i < params_.size(); ++i) {
    expected.emplace_back("parameter '" + params_[i].name + "'",
                          passed_[i] == Passed::Parts ? partWords(params_[i].block.size()) * sizeof(uint64_t)
                                                      : bytesOf(params_[i]));
  }
  for (HiddenArgument hidden : hidden_)
    for (size_t i = 0; i < argumentsOf(hidden); ++i)
      expected.emplace_back("hidden argument " + std::to_string(expected.size() - params_.size()), bytesOf(hidden));
  size_t offset = 0, size = 0;
  for (size_t i = 0; query && i < expected.size(); ++i) { // an older driver lacks the query
    bool known = query(function_, i, &offset, &size) == kSuccess;
    if (!known || size != expected[i].second)
      throw Error("damaged artifact: " + expected[i].first + " of " + named() + " takes " +
                  std::to_string(expected[i].second) + " bytes, " +
                  (known ? "its code expects " + std::to_string(size) : "its code has no such parameter"));
  }
  if (platform.parameterCount(artifact).value_or(0) > expected.size())
    throw Error("damaged artifact: " + named() + " passes " + std::to_string(expected.size()) +
                " arguments, its code expects more");
}

void Kernel::checkRank(size_t param, size_t rank, const DescriptorValue *value) const {
  if (!value || value->shape.size() != rank || value->strides.size() != rank)
    throw InternalError("no descriptor of rank " + std::to_string(rank) + " for parameter '" + params_[param].name +
                        "' of " + named());
}

void *Kernel::appendParts(ArgumentBuffer &buffer, size_t param, const DescriptorValue *value) const {
  checkRank(param, params_[param].block.size(), value);
  size_t first = buffer.parts.size();
  buffer.parts.push_back(value->address);
  buffer.parts.insert(buffer.parts.end(), value->shape.begin(), value->shape.end());
  buffer.parts.insert(buffer.parts.end(), value->strides.begin(), value->strides.end());
  buffer.parts.push_back(value->paddingNaN); // little-endian: the flag's 32 bits, then zeros
  return &buffer.parts[first];
}

void Kernel::encode(EncodedDescriptor &encoded, size_t param, const DescriptorValue *value) const {
  const Descriptor &descriptor = *descriptors_[param];
  checkRank(param, descriptor.recipe.box.size(), value);
  if (descriptor.cache.find(*value, encoded))
    return;
  device_->platform->encodeDescriptor(descriptor.recipe, params_[param], *value, encoded);
  descriptor.cache.insert(*value, encoded);
}

void Kernel::setArguments(ArgumentBuffer &buffer, const LaunchRequest &request) const {
  buffer.pointers.resize(pointerCount_);
  buffer.descriptors.resize(descriptorCount_); // before pointers to its elements are taken
  buffer.parts.clear();
  buffer.parts.reserve(partWords_);
  void **pointer = buffer.pointers.data();
  EncodedDescriptor *encoded = buffer.descriptors.data();
  const Passed *passed = passed_.data();
  for (const LaunchArgument &argument : request.arguments) {
    if (*passed == Passed::Bits) { // little-endian: low bytes first
      *pointer = const_cast<uint64_t *>(&argument.bits);
    } else if (size_t param = static_cast<size_t>(passed - passed_.data()); *passed == Passed::Parts) {
      *pointer = appendParts(buffer, param, argument.descriptor);
    } else {
      encode(*encoded, param, argument.descriptor);
      *pointer = encoded++;
    }
    ++pointer, ++passed;
  }
  for (HiddenArgument hidden : hidden_)
    if (hidden == HiddenArgument::PrintBuffer)
      *pointer++ = &buffer.printBuffer;
    else
      for (uint32_t &axis : hidden == HiddenArgument::GridBase ? buffer.gridBase : buffer.gridSize)
        *pointer++ = &axis;
}

void Kernel::launchPiece(StreamHandle stream, ArgumentBuffer &buffer, const Extent3 &size) const {
  const Platform &platform = *device_->platform;
  Status status;
  const char *entry = platform.api.launch.name;
  if (shape_.clusterSize > 1 || shape_.flags & ~uint32_t(kLaunchSeveral)) {
    LaunchShape shape = shape_;
    shape.grid = size;
    status = platform.launchShaped(shape, function_, stream, buffer.pointers.data(), entry);
  } else {
    status = platform.api.launch(function_, size[0], size[1], size[2], shape_.threads, 1, 1, shape_.sharedBytes, stream,
                                 buffer.pointers.data(), nullptr);
  }
  if (status != kSuccess) [[unlikely]]
    platform.fail(entry, status,
                  "launch " + named() + " with grid " + describe(size) + " of " + std::to_string(shape_.threads) +
                      " threads on device " + device_->traits.info.name,
                  Platform::Call::Launch);
}

void Kernel::launchSeveral(StreamHandle stream, ArgumentBuffer &buffer, const Extent3 &grid) const {
  uint64_t programs = uint64_t(grid[0]) * grid[1]; // both factors have 32 bits
  if (programs > kMostPrograms || programs * grid[2] > kMostPrograms)
    throw Error("the grid of " + named() + " is " + describe(grid) + "; its code counts up to " +
                std::to_string(kMostPrograms) + " programs");
  programs *= grid[2];
  uint32_t multiprocessors = device_->traits.multiprocessors;
  if (shape_.flags & kLaunchInPairs) {
    bool arePairs = programs / multiprocessors >= kLeastForPairs;
    return launchPiece(stream, buffer, {uint32_t(arePairs ? (programs + 1) / 2 : programs), 1, 1});
  }
  // A persistent kernel: launches whole clusters, with at most one program for each multiprocessor, so that all are
  // resident at a time; each executes several programs of the grid. The last cluster may have programs beyond the
  // grid's end.
  uint32_t cluster = shape_.clusterSize, most = std::max(multiprocessors / cluster, 1U);
  auto clusters = uint32_t(std::min<uint64_t>((programs + cluster - 1) / cluster, most));
  launchPiece(stream, buffer, {clusters * cluster, 1, 1});
}

void Kernel::launch(StreamHandle stream, const LaunchRequest &request, Address printBuffer) const {
  if (request.arguments.size() != params_.size())
    throw InternalError(named() + " takes " + std::to_string(params_.size()) + " arguments, " +
                        std::to_string(request.arguments.size()) + " arrived");
  if (request.grid[0] % shape_.clusterSize && !(shape_.flags & kLaunchSeveral))
    throw Error("the grid of " + named() + " is " + describe(request.grid) +
                "; axis 0 must be a multiple of its cluster of " + std::to_string(shape_.clusterSize) + " programs");
  thread_local ArgumentBuffer buffer;
  setArguments(buffer, request);
  buffer.printBuffer = printBuffer;
  buffer.gridBase = {};
  buffer.gridSize = request.grid;
  if (shape_.flags & kLaunchSeveral)
    return launchSeveral(stream, buffer, request.grid);
  const Extent3 &limits = device_->traits.maxGrid;
  if (fits(request.grid, limits))
    return launchPiece(stream, buffer, request.grid);
  if (!canSplit_)
    throw Error("the grid of " + named() + " is " + describe(request.grid) + "; device " + device_->traits.info.name +
                " takes up to " + describe(limits) +
                " at once, and the kernel was not compiled to be launched in pieces");
  forEachPiece(request.grid, limits, shape_.clusterSize, [&](const Extent3 &base, const Extent3 &size) {
    buffer.gridBase = base;
    launchPiece(stream, buffer, size);
  });
}

} // namespace tegula::gpu
