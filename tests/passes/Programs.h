// Random simt kernels with shared buffers, loops and branches, valid by construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::passes_test {

inline constexpr uint32_t kThreads = 8; // two warps of four
inline constexpr uint32_t kInputs = 64; // numbers that the kernel reads

/// A kernel @k(%x: i32 array of kInputs, %o: i32 array of kThreads) whose result depends on the order of its accesses
/// to shared memory. No buffer has a place. Nothing is read before all of it is written, on any path. `orderly`: a
/// barrier after each access that may have one; what the other version, with the same seed, is compared with.
std::string randomProgram(uint64_t seed, bool orderly);

/// Numbers for %x: [0, 8) a permutation of 0 to 7, then another, the rest random.
std::vector<int32_t> randomInput(uint64_t seed);

} // namespace tegula::passes_test
