// Kernels for the tests, written by hand with the SPIR-V builder: what the code generator will write, in small.
#pragma once

#include "backends/vulkan/KernelFrame.h"
#include "backends/vulkan/Profiles.h"

#include <functional>

namespace tegula::vulkan::test {

/// What a kernel is made of, apart from its body.
struct KernelShape {
  std::string entry;
  std::vector<ArtifactParam> params;
  std::vector<HiddenArgument> hidden;
  uint32_t threads = 64;
  uint32_t subgroupSize = 0;
  uint32_t sharedBytes = 0;
  KernelBinary::Passing passing = KernelBinary::Passing::Push;
  std::string target = "spirv:generic";
};

/// The module; `before` gives it what stands outside of functions.
std::vector<uint32_t> writeModule(const KernelShape &shape,
                                  const std::function<void(spirv::Builder &, KernelFrame &)> &body,
                                  const std::function<void(spirv::Module &)> &before = nullptr);
Artifact makeArtifact(const KernelShape &shape, std::vector<uint32_t> words);

ArtifactParam pointer(std::string name, ScalarType type);
ArtifactParam scalar(std::string name, ScalarType type);

/// The address `base + index * bytes`; `index` has 32 bits and is not negative.
spirv::Id elementAddress(spirv::Builder &b, spirv::Id base, spirv::Id index, uint32_t bytes);
spirv::Id loadElement(spirv::Builder &b, spirv::Id base, spirv::Id index, spirv::Id type);
void storeElement(spirv::Builder &b, spirv::Id base, spirv::Id index, spirv::Id value);

/// x + y: f32, one element a thread, masked by n. Masked-off loads read the safe address.
Artifact vectorAdd(uint32_t threads = 64);
/// out[program] = sum of `block` elements of x from program * block on, as far as n: each thread adds every threads-th,
/// then halves of the workgroup add in shared memory.
Artifact blockSum(uint32_t threads, uint32_t block);
/// out[linear program id] += 1, by an atomic; a grid of any size. The id counts axis 0 fastest.
Artifact countPrograms();
/// out[i] = scalars of every type, widened to f64 (integers by their sign) or i64; `extra` further i64 make the block
/// large.
Artifact everyScalar(KernelBinary::Passing passing, uint32_t extra);
/// out[i] = the i-th number of a descriptor of rank 2: address, extents, strides, padding.
Artifact readDescriptor();
/// out[i] = x[i] of 8-bit integers + 1, through 8-bit memory.
Artifact incrementBytes();
/// out[thread]: a reduction, an exclusive scan, a shuffle by xor 1 of x over subgroups of the given size; 4 rows.
Artifact subgroupOperations(uint32_t subgroupSize, uint32_t threads, std::string target);
/// out[program * threads + thread] = scratch written and read back: every program has its own part.
Artifact useScratch(uint32_t threads);
/// Spins `rounds` times before it adds 1 to out[0]: work that takes time.
Artifact spin();

/// C (m×n, f32) = A (m×k) · B (k×n) + C by cooperative matrices of the row's shape, one subgroup a tile; leading
/// dimensions are m, n, k given as arguments, all multiples of the row's. f16 and i8 operands.
Artifact matrixMultiply(const MatrixRow &row, uint32_t subgroupSize, std::string target);

} // namespace tegula::vulkan::test
