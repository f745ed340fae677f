// Creates the configuration and the variants of a launch from a bundle's artifacts.
#include "core/runtime/CompilerLibrary.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Configure.h"
#include "core/runtime/launch/Derived.h"
#include "core/runtime/launch/Variants.h"

namespace tegula {

namespace {

/// Throws tegula::Error if the bundle has no code for the device and there is no compiler for its tile IR.
void requireCode(const BundledKernel &kernel, const BundleChoice &choice, const Driver &driver) {
  if (choice.code)
    return;
  try {
    expectCompiler();
    compiler();
  } catch (const Error &error) {
    throw Error(lacks(kernel, *choice.instance, driver) + "; " + error.diagnostic().message);
  }
}

/// True if the argument can be passed to code with this parameter: both are numbers, both addresses or both
/// descriptors, and they have the same size.
bool accepts(const ArtifactParam &param, const BoundArgument &argument) {
  switch (param.kind) {
  case ArtifactParam::Kind::Scalar:
    return argument.kind == ParamType::Kind::Scalar && byteSize(param.type) == byteSize(argument.type);
  case ArtifactParam::Kind::Pointer:
    return argument.kind == ParamType::Kind::Pointer || argument.kind == ParamType::Kind::PointerToPointers;
  case ArtifactParam::Kind::Descriptor:
    return argument.kind == ParamType::Kind::Descriptor && param.block == *argument.block;
  }
  return false;
}

} // namespace

std::unique_ptr<Configured> configureBundled(const Kernel::Impl &kernel, const Driver &driver,
                                             const BundleQuery &query) {
  auto made = std::make_unique<Configured>();
  made->bundled = choose(*kernel.bundled, driver, query);
  requireCode(*kernel.bundled, made->bundled, driver);
  const BundleFile::Instance &instance = *made->bundled.instance;
  made->configuration = {instance.constants, instance.numWarps, instance.numStages};
  made->resolved = toApi(instance.constants);
  return made;
}

std::vector<std::unique_ptr<Variant>> loadBundled(const Instance &instance,
                                                  const std::vector<BoundArgument> &arguments) {
  const BundleFile &file = *instance.kernel.bundled->file;
  const BundleFile::Code &code = *instance.configured.bundled.code;
  std::vector<std::unique_ptr<Variant>> variants;
  DerivingValues values;
  values.assign(arguments);
  for (std::span<const uint8_t> bytes : code.artifacts) {
    auto variant = std::make_unique<Variant>();
    variant->compiled.fromDisk = true;
    translated(ApiError::Kind::BadUse, [&] {
      Artifact &artifact = variant->compiled.artifact = deserializeArtifact(bytes);
      if (artifact.target != code.target)
        throw Error("bundle '" + file.path + "': an artifact for target " + artifact.target + " among those for " +
                    code.target);
      variant->sources = matchParams(instance.kernel, instance.specialization.types, artifact);
      for (size_t i = 0; i < variant->sources.size(); ++i)
        if (!accepts(artifact.params[i], arguments[variant->sources[i]]))
          throw Error("bundle '" + file.path + "': the code for " + code.target + " takes another type for '" +
                      artifact.params[i].name + "' than its instance says");
      for (const Guard &guard : artifact.guards)
        if (guard.param >= variant->sources.size())
          throw Error("bundle '" + file.path + "': a guard on a parameter that does not exist");
    });
    translated(ApiError::Kind::Device,
               [&] { variant->kernel = instance.specialization.device->driver->load(variant->compiled.artifact); });
    if (variant->holds(arguments) && !areAccepted(*variant, values))
      continue;
    variants.push_back(std::move(variant));
  }
  if (variants.empty() || !variants.back()->compiled.artifact.servesAll())
    throw ApiError(ApiError::Kind::BadUse,
                   "bundle '" + file.path + "': no artifact for " + code.target + " serves all arguments");
  for (std::unique_ptr<Variant> &variant : variants)
    if (variant->compiled.artifact.conditions)
      for (const std::unique_ptr<Variant> &other : variants)
        if (!other->compiled.artifact.conditions) {
          variant->substitutes.emplace_back(std::make_unique<Variant::Substitute>())->variant = other.get();
          // Code for the same facts gives way again to this one when its conditions hold.
          if (!other->declined && other->compiled.artifact.guards == variant->compiled.artifact.guards) {
            other->declined = variant->compiled.artifact;
            other->declined->binary.clear();
          }
        }
  return variants;
}

} // namespace tegula
