// The configuration of a launch: from the call, a record, a table, a measurement, or the kernel's first one
// (docs/tuning.md, "The configuration").
#pragma once

#include "core/runtime/tune/Measure.h"
#include "core/tuning/Config.h"

namespace tegula {

/// The constants that a source of configurations may choose: those that the kernel's own configurations set, and those
/// without which the call would fail. A default is no invitation: the caller may have computed the grid with it.
std::vector<std::string> openConstants(const KernelInfo &kernel, const Constants &given);

/// What a record, a table or a space may set: the open constants, and the options of isTunedOption.
std::vector<std::string> settableConstants(const KernelInfo &kernel, const Constants &given);

/// The kernel's own configurations, with the options that they take where they name none.
std::vector<tuning::Config> ownConfigs(const KernelInfo &kernel);

/// The constants and options that a call fixes, as records have them.
std::string describeGiven(const Constants &given, std::optional<int> numWarps, std::optional<int> numStages);

/// Whether tuning looks at an integer argument's value.
bool isKey(const KernelInfo &kernel, const std::string &argument);

/// What tuning knows a launch by.
tuning::Query queryFor(const MeasureRequest &request);

/// Whether the call leaves a constant open, and some source of configurations has anything on the kernel.
bool isTunable(const Kernel::Impl &kernel, const Device::Impl &device, const Constants &given);

/// The arguments whose buckets tell launches apart for tuning, as indices of Binding::arguments.
std::vector<uint32_t> keyArguments(const Prototype &prototype, const Binding &binding);

/// `trial` null: nothing is measured. Throws tegula::Error.
std::unique_ptr<Configured> chooseConfiguration(const MeasureRequest &request, Trial *trial);

/// Measures, prints what TRITON_PRINT_AUTOTUNING asks for, and stores the result as a record. One that cannot be
/// stored, or was compared with no other because the time was spent, is a warning and not kept. Throws tegula::Error as
/// `measure` does.
Measurement measureAndRecord(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                             const tuning::SearchOptions &search);

} // namespace tegula
