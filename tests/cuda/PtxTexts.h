// Hand-written PTX kernels.
#pragma once

#include <string>

namespace tegula::test {

/// `z[i] = x[i] + y[i]` for i < n, one element a thread of programs of `threads`: params x, y, z (f32 pointers), n
/// (i32).
std::string vectorAddText(const std::string &target);

/// `copy_box(desc, out, row, column)`: copies a box of 32 x 64 f16 at (row, column) by the copy engine to shared memory
/// with 128-byte swizzle, and from there to out[32][64] in row-major order. 128 threads.
std::string copyBoxText();

/// `clusters(out)`: out[program] = rank in the cluster + 100 * programs in the cluster. i32; 32 threads.
std::string clusterText();

/// `shared(out, words)`: each thread writes its share of `words` 32-bit words of dynamic shared memory, and out[i] gets
/// word words-1-i. i32; 128 threads.
std::string sharedText();

/// `count(out, base x y z, size x y z)`: adds 1 to out[0] for each program, and its linear number in the grid to out[1]
/// (both u64 atomics). One thread.
std::string gridText();

/// `fault(out)`: writes to address 8.
std::string faultText();

/// An asynchronous matrix instruction whose accumulator another instruction writes meanwhile: the assembler serialises
/// it and says so.
std::string serializedText();

} // namespace tegula::test
