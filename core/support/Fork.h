// fork(): a child of a process with threads has their memory and none of them.
#pragma once

#include <cstdint>

namespace tegula {

/// How often the processes that led to this one were forked since the first call in any of them: what was made at
/// another generation was made by a parent of this process. The first call registers the counting, so whoever compares
/// generations calls this before the fork. A call reads one variable.
uint64_t forkGeneration();

} // namespace tegula
