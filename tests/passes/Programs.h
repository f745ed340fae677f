// Random simt kernels with shared buffers, loops and branches, valid by construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::passes_test {

inline constexpr uint32_t kThreads = 8; // two warps of four
inline constexpr uint32_t kInputs = 64; // length of the input array

/// A kernel @k(%x: i32 array of kInputs, %o: i32 array of kThreads) whose result depends on the order of its accesses
/// to shared memory. No buffer has an offset. On every path each element is written before it is read. `orderly`: with
/// a barrier after each access where one is allowed; this version is the reference for the other one of equal seed.
std::string randomProgram(uint64_t seed, bool orderly);

/// Values for %x: [0, 8) and [8, 16) are permutations of 0 to 7, the others random.
std::vector<int32_t> randomInput(uint64_t seed);

} // namespace tegula::passes_test
