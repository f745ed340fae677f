// Conformance cases below the tile level: this room compiles a case for a target, prints the planned or simt level, and
// runs what simt says in the simt executor (tests/simt/executor), which knows neither the passes nor a backend. What it
// finds is a mistake of the passes that all GPU targets share. No device is needed and none may enter here.
#pragma once

#include "core/target/TargetDescription.h"
#include "tests/conformance/Case.h"

#include <string>

namespace tegula::conformance {

struct Configured {
  std::string target; // `spirv:sg8`, ...
  std::string level;  // "tile", "planned", "expanded" or "simt"
  /// As a launch compiles it: for the facts that hold of the case's arguments, and with descriptors that a launch
  /// derives. Otherwise for any arguments.
  bool forLaunch = false;
};

/// Text of a case's kernel at a level. Throws tegula::Error with what the compiler says.
std::string textOfKernel(const Case &made, const Configured &configured);
/// The same level printed by the compiler from a text of that level.
std::string printedAgain(const std::string &text, const Configured &configured);
/// The planned level of a kernel, given its text at the tile level, for a target that no backend has.
std::string plannedFor(const TargetDescription &target, const std::string &tile);
/// The simt level of a planned kernel for a target that no backend has.
std::string simtFor(const TargetDescription &target, const std::string &planned);
/// The same for a target that the text describes. `name`: the target's, whose backend's passes run.
std::string simtFor(const std::string &name, const std::string &planned);
/// The planned level of a kernel, given its text at the tile level, for the target `name`, which `planned` describes
/// (the kernel's text at the planned level), but with this much shared memory.
std::string plannedWith(int64_t sharedBytes, const std::string &name, const std::string &tile,
                        const std::string &planned);
/// The text `simt` after the passes that CodeGenerator::addPasses adds for this target.
std::string withLastPasses(const std::string &name, const std::string &simt);
/// Whether the kernel's text follows from the case alone: no configuration or heuristic decides constants.
bool isSelfContained(const Case &made);

} // namespace tegula::conformance
