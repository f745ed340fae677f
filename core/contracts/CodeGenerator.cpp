#include "core/contracts/CodeGenerator.h"

namespace tegula {

bool CodeGenerator::giveLevels(const Artifact &artifact, const PrintLevel &onLevel) const {
  for (const std::string &level : emits())
    onLevel(level, [&] { return print(artifact, level); });
  return true;
}

} // namespace tegula
