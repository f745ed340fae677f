// A case's arguments in host memory: what any executor of the case starts from, whether through the launch API or not.
#pragma once

#include "tests/conformance/Case.h"

#include <set>

namespace tegula::conformance {

/// Which types' denormal numbers a device replaces by zero. Inputs of these types hold none, and where a result would
/// be denormal, zero is accepted.
using Denormals = std::set<DType>;

/// One allocation: `lead` elements that the kernel must leave alone, the elements, and after an output 16 more that it
/// must leave alone.
struct HostBuffer {
  const BufferSpec *spec = nullptr;
  std::vector<uint8_t> bytes;
  int64_t allocated = 0;      // elements
  Number at(int64_t i) const; // of the allocation
};

struct HostCase {
  std::vector<HostBuffer> buffers; // as Case::buffers()
  Inputs inputs() const;
};

/// The same data each time. `flushed`: without denormals of these types.
HostCase materialise(const Case &made, const Denormals &flushed = {});
/// What each output must hold according to its reference, with lead and guard as they were; nothing for buffers that
/// are not outputs or have no reference.
std::vector<std::optional<std::vector<uint8_t>>> referenceOf(const Case &made, const HostCase &host);

/// Types of the parameters that are not constexpr, as `tegula compile --signature` takes them: `*f32:16, i32,
/// desc<8x16xf16>`.
std::string signatureOf(const Case &made);
/// A constant as `--const NAME=VALUE` takes it.
std::string textOf(const Constant &constant);
/// FNV-1a, which is the same on every platform.
uint64_t hashOf(const std::string &text);
/// Whether a buffer or a constant of the case has this type.
bool uses(const Case &made, DType type);

} // namespace tegula::conformance
