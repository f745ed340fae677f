// The configuration of a launch: from the call, a record, a table, a measurement, or the kernel's first one
// (docs/tuning.md, "The configuration").
#pragma once

#include "core/runtime/tune/Measure.h"
#include "core/tuning/Config.h"

namespace tegula {

/// What tuning knows a launch by.
tuning::Query queryFor(const MeasureRequest &request);

/// Whether the call leaves a constant open, and some source of configurations has anything on the kernel.
bool isTunable(const Kernel::Impl &kernel, const Device::Impl &device, const Constants &given);

/// The arguments whose buckets tell launches apart for tuning, as indices of Binding::arguments.
std::vector<uint32_t> keyArguments(const Prototype &prototype, const Binding &binding);

/// `trial` null: nothing is measured. Throws tegula::Error.
std::unique_ptr<Configured> chooseConfiguration(const MeasureRequest &request, Trial *trial);

/// Measures, prints what TRITON_PRINT_AUTOTUNING asks for, and stores the result as a record; a record that cannot be
/// stored is a warning. Throws tegula::Error as `measure` does.
Measurement measureAndRecord(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                             const tuning::SearchOptions &search);

} // namespace tegula
