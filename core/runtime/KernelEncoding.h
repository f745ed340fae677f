// The results of the compiler that go to the disk cache besides artifacts, and the material of which cache keys are
// made.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/support/ByteStream.h"

#include <span>
#include <string>
#include <vector>

namespace tegula {

void encode(ByteWriter &out, const ConstantValue &value);
void encode(ByteWriter &out, const Constants &constants);
void encode(ByteWriter &out, const ParamType &type);

/// What `Compiler::inspect` found. Reading throws tegula::Error on bytes that encoding cannot have made.
std::vector<uint8_t> encodeKernels(const std::vector<KernelInfo> &kernels);
std::vector<KernelInfo> decodeKernels(std::span<const uint8_t> bytes);

/// Everything that a compilation depends on, for comparison byte by byte. Build id and environment are in it.
std::string compileKey(const CompileRequest &request);
std::string inspectKey(const std::string &path, const std::string &source);

/// What a key of the cache stands for, for listings.
struct KeyDescription {
  std::string kind;                 // "kernel", "description"; "of another build" and "damaged" are not used any more
  std::string path, kernel, target; // where known
};
KeyDescription describeKey(const std::string &key);

} // namespace tegula
