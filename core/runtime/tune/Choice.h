// Chooses the configuration of a launch: from the call, a record, a table, a measurement, or the kernel's first one
// (docs/tuning.md, "The configuration").
#pragma once

#include "core/runtime/tune/Measure.h"
#include "core/tuning/Config.h"

namespace tegula {

/// The constexpr parameters that a configuration may set: those without a value in `given` that appear in one of the
/// kernel's own configurations or have no default. A parameter that has a default and is in no own configuration may
/// not be set, because the caller may have computed the grid with the default.
std::vector<std::string> openConstants(const KernelInfo &kernel, const Constants &given);

/// The constants that a record, a table or a search space may set: the open constants, and the options for which
/// isTunedOption() is true, unless the call gives them.
std::vector<std::string> settableConstants(const KernelInfo &kernel, const Constants &given);

/// The kernel's own configurations; options that a configuration does not set have their defaults.
std::vector<tuning::Config> ownConfigs(const KernelInfo &kernel);

/// The constants and options that the call fixes, in the text form of records.
std::string describeGiven(const Constants &given, std::optional<int> numWarps, std::optional<int> numStages);

/// True if an integer argument's value is part of the tuning key.
bool isKey(const KernelInfo &kernel, const std::string &argument);

/// The properties of a launch by which records and tables of configurations are searched.
tuning::Query queryFor(const MeasureRequest &request);

/// True if the call leaves a constant open, and records or several configurations of the kernel exist to choose from.
bool isTunable(const Kernel::Impl &kernel, const Device::Impl &device, const Constants &given);

/// The arguments whose buckets are part of the tuning key, as indices of Binding::arguments.
std::vector<uint32_t> keyArguments(const Prototype &prototype, const Binding &binding);

/// Chooses the configuration. `trial` null: nothing is measured. Throws tegula::Error.
std::unique_ptr<Configured> chooseConfiguration(const MeasureRequest &request, Trial *trial);

/// Measures, prints the report that TRITON_PRINT_AUTOTUNING requests, and stores the result as a record. If it cannot
/// be stored, or if the time allowed only one configuration to be measured, a warning is given and nothing is stored.
/// Throws tegula::Error as `measure` does.
Measurement measureAndRecord(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                             const tuning::SearchOptions &search);

} // namespace tegula
