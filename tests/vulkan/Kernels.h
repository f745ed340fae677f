// Kernels written with the SPIR-V builder, small versions of the code generator's output.
#pragma once

#include "backends/vulkan/KernelFrame.h"
#include "backends/vulkan/Profiles.h"

#include <functional>

namespace tegula::vulkan::test {

/// The parts of a kernel apart from its body.
struct KernelShape {
  std::string entry;
  std::vector<ArtifactParam> params;
  std::vector<HiddenArgument> hidden;
  uint32_t threads = 64;
  uint32_t subgroupSize = 0;
  uint32_t sharedBytes = 0;
  KernelBinary::Passing passing = KernelBinary::Passing::Push;
  std::string target = "spirv:generic-bounded"; // every device has what it promises
};

/// Writes the module; `before` declares its parts outside of functions.
std::vector<uint32_t> writeModule(const KernelShape &shape,
                                  const std::function<void(spirv::Builder &, KernelFrame &)> &body,
                                  const std::function<void(spirv::Module &)> &before = nullptr);
Artifact makeArtifact(const KernelShape &shape, std::vector<uint32_t> words);

ArtifactParam pointer(std::string name, ScalarType type);
ArtifactParam scalar(std::string name, ScalarType type);

/// The address base + index * bytes; `index` has 32 bits and is not negative.
spirv::Id elementAddress(spirv::Builder &b, spirv::Id base, spirv::Id index, uint32_t bytes);
spirv::Id loadElement(spirv::Builder &b, spirv::Id base, spirv::Id index, spirv::Id type);
void storeElement(spirv::Builder &b, spirv::Id base, spirv::Id index, spirv::Id value);

/// x + y: f32, one element a thread, masked by n. Masked-off loads read the safe address.
Artifact vectorAdd(uint32_t threads = 64);
/// out[program] = sum of the `block` elements of x from program * block on, up to n: each thread adds every threads-th
/// element, then halves of the workgroup add in shared memory.
Artifact blockSum(uint32_t threads, uint32_t block);
/// out[linear program id] += 1 by an atomic, for a grid of any size. Axis 0 varies fastest in the id.
/// `line`: of kernel.py, from which the instructions come; 0: none.
Artifact countPrograms(uint32_t line = 0);
/// out[i] = scalars of every type, widened to f64 (integers: to i64 by their sign); `extra` further i64 enlarge the
/// block.
Artifact everyScalar(KernelBinary::Passing passing, uint32_t extra);
/// out[i] = the i-th number of a descriptor of rank 2: address, extents, strides, padding.
Artifact readDescriptor();
/// out[i] = x[i] + 1 on 8-bit integers, through 8-bit memory.
Artifact incrementBytes();
/// out[row * threads + thread] for rows 0 to 3: reduction, exclusive scan, shuffle by xor 1 and broadcast of the first
/// x, over subgroups of the given size.
Artifact subgroupOperations(uint32_t subgroupSize, uint32_t threads, std::string target);
/// out[program * threads + thread] = a value written to and read from scratch memory: each program has its own part.
Artifact useScratch(uint32_t threads);
/// Loops `rounds` times before it adds 1 to out[0]: a kernel that takes time.
Artifact spin();

/// C (m×n, f32) = A (m×k) · B (k×n) + C by cooperative matrices of the shape of `product`, one subgroup for each
/// tile. m, n, k are arguments, multiples of the product's, and the leading dimensions. f16 and i8 operands.
Artifact matrixMultiply(const MatrixInstruction &product, uint32_t subgroupSize, std::string target);

} // namespace tegula::vulkan::test
