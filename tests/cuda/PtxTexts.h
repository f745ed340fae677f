// Kernels written by hand, as text for the assembler.
#pragma once

#include <string>

namespace tegula::test {

/// `z[i] = x[i] + y[i]` for i < n, one element a thread of programs of `threads`: params x, y, z (f32 pointers), n
/// (i32).
std::string vectorAddText(const std::string &target);

/// `copy_box(desc, out, row, column)`: a box of 32 x 64 f16 at (row, column) comes by the copy engine into shared
/// memory, 128-byte swizzle, and goes to out[32][64] in order. 128 threads.
std::string copyBoxText();

/// `clusters(out)`: out[program] = rank in the cluster + 100 * programs in the cluster. i32; 32 threads.
std::string clusterText();

/// `shared(out, words)`: each thread writes its share of `words` 32-bit words of dynamic shared memory, and out[i] gets
/// word words-1-i. i32; 128 threads.
std::string sharedText();

/// `count(out, base x y z, size x y z)`: adds 1 to out[0] for each program, and its place in the grid to out[1] (both
/// u64 atomics). 1 thread does it.
std::string gridText();

/// `fault(out)`: writes to address 8.
std::string faultText();

/// An asynchronous matrix multiply whose accumulator is written by another instruction while it runs: slow, and said
/// so.
std::string serializedText();

} // namespace tegula::test
