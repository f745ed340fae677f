// Variants of one configuration: finds the one that suits a launch's arguments, and compiles new ones.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// The objects that all variants of a configuration are compiled from.
struct Instance {
  const Kernel::Impl &kernel;
  const Specialization &specialization;
  Configured &configured;
};

/// The best variant for a launch with these arguments (docs/tuning.md, "The variant"); it is compiled and loaded if it
/// does not exist. `mayWait` false: if an existing variant fits, returns that one, and sets `better` if it is not the
/// best. The caller holds the configuration's `turn`. Throws tegula::Error or ApiError.
const Variant *chooseVariant(const Instance &instance, const Binding &binding, bool mayWait, bool &better);

/// Compiles the variant that chooseVariant() would choose, without loading it. Compiles even if a bundle has code for
/// the launch.
std::unique_ptr<Variant> compileFitting(const Instance &instance, const Binding &binding);

/// The request that compiles a variant for arguments with the specialization's types and these facts. If `facts` is
/// empty, the arguments have no facts.
CompileRequest requestFor(const Instance &instance, const std::vector<ArgumentFacts> &facts);

/// For each parameter of the artifact that the caller passes, the index of its argument in Binding::arguments. Throws
/// InternalError if the artifact has another number of such parameters than `types` has arguments to pass.
std::vector<uint32_t> matchParams(const Kernel::Impl &kernel, const std::vector<ParamType> &types,
                                  const Artifact &artifact);

/// The configuration's variants in a bundle, loaded; one of them serves all arguments. Throws ApiError.
std::vector<std::unique_ptr<Variant>> loadBundled(const Instance &instance,
                                                  const std::vector<BoundArgument> &arguments);

/// Loads a compiled variant on the device. Throws ApiError.
void loadVariant(const Instance &instance, Variant &variant);

/// Loads a variant for a launch with these arguments. If the driver refuses the descriptors that the variant derives
/// from them, `variant` is replaced by one for the same facts without conditions. Throws ApiError.
void loadAccepted(const Instance &instance, std::unique_ptr<Variant> &variant, const Binding &binding);

/// Returns `variant` if its code is correct in this grid, else the variant that unconditionalVariant() returns.
/// Variant::holds must be true for the arguments. A repeated call takes no lock. Throws ApiError.
const Variant &variantForGrid(const Variant &variant, Driver &driver, const std::vector<BoundArgument> &arguments,
                              const std::array<uint32_t, 3> &grid);

/// A variant of the same configuration that has no conditions and holds for the arguments. The first call compiles it.
/// Throws ApiError.
const Variant &unconditionalVariant(const Variant &variant, Driver &driver,
                                    const std::vector<BoundArgument> &arguments);

/// Compiles the better variant that chooseVariant announced by `better`, in the background thread. A compilation that
/// fails is logged and leaves the pick unchanged.
void improveInBackground(const Instance &instance, const Binding &binding, Pick &pick);

} // namespace tegula
