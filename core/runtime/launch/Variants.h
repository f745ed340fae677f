// Variants of one configuration: which one suits the arguments of a launch, and the compilation of new ones.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// What all variants of a configuration are compiled from.
struct Instance {
  const Kernel::Impl &kernel;
  const Specialization &specialization;
  Configured &configured;
};

/// The variant that a launch with these arguments deserves (docs/tuning.md, "The variant"), compiled and loaded if it
/// is not there. `mayWait` false: where an existing variant fits, that one, with `better` set if it is not the best.
/// The configuration's turn is held. Throws tegula::Error or ApiError.
const Variant *chooseVariant(const Instance &instance, const Binding &binding, bool mayWait, bool &better);

/// The same artifact, not loaded; compiled also where a bundle has code.
std::unique_ptr<Variant> compileFitting(const Instance &instance, const Binding &binding);

/// What compiles a variant for arguments of the specialization's types that have these facts; `facts` empty: none.
CompileRequest requestFor(const Instance &instance, const std::vector<ArgumentFacts> &facts);

/// For each parameter of the artifact, the index of its argument. Throws InternalError where their numbers differ.
std::vector<uint32_t> matchParams(const Kernel::Impl &kernel, const std::vector<ParamType> &types,
                                  const Artifact &artifact);

/// The variants that a bundle has for the configuration, loaded; one serves all arguments. Throws ApiError.
std::vector<std::unique_ptr<Variant>> loadBundled(const Instance &instance,
                                                  const std::vector<BoundArgument> &arguments);

/// Loads a compiled variant on the device. Throws ApiError.
void loadVariant(const Instance &instance, Variant &variant);

/// The same for a launch with these arguments. Where the driver refuses the descriptors that the variant derives from
/// them, `variant` becomes one for the same facts that is not conditional.
void loadAccepted(const Instance &instance, std::unique_ptr<Variant> &variant, const Binding &binding);

/// The variant, which holds for the arguments, or, where its code is not right in this grid, one that is. A repeated
/// call takes no lock. Throws ApiError.
const Variant &variantForGrid(const Variant &variant, Driver &driver, const std::vector<BoundArgument> &arguments,
                              const std::array<uint32_t, 3> &grid);

/// A variant of the same configuration that is not conditional and holds for the arguments; it is compiled at the first
/// call. Throws ApiError.
const Variant &unconditionalVariant(const Variant &variant, Driver &driver,
                                    const std::vector<BoundArgument> &arguments);

/// The compilation that `better` of chooseVariant announces, for a thread in the background. A compilation that fails
/// is logged and leaves the pick as it is.
void improveInBackground(const Instance &instance, const Binding &binding, Pick &pick);

} // namespace tegula
