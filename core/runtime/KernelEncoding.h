// The encoding of kernel descriptions for the disk cache, and the contents of cache keys.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/Compilation.h"
#include "core/support/ByteStream.h"

#include <span>
#include <string>
#include <vector>

namespace tegula {

void encode(ByteWriter &out, const ConstantValue &value);
void encode(ByteWriter &out, const Constants &constants);
void encode(ByteWriter &out, const ParamType &type);
void encode(ByteWriter &out, const KernelInfo &kernel);
/// Throw tegula::Error for damaged bytes.
Constants decodeConstants(ByteReader &in);
ParamType decodeParamType(ByteReader &in);
KernelInfo decodeKernel(ByteReader &in);

/// Texts of files as hashes of 128 bits.
void encode(ByteWriter &out, const Surroundings &surroundings);

/// The results of `Compiler::inspect`. Decoding looks at the surroundings again: nothing where they differ from those
/// of the description. Throws tegula::Error for damaged bytes.
std::vector<uint8_t> encodeDescription(const FileDescription &description);
std::optional<FileDescription> decodeDescription(std::span<const uint8_t> bytes);

/// Everything that a compilation depends on, including the build id and the environment; keys are compared byte by
/// byte.
std::string compileKey(const CompileRequest &request);
std::string inspectKey(const std::string &path, const std::string &source, const Surroundings &start);

/// A key in readable form, for `tegula cache list`.
struct KeyDescription {
  std::string kind;                 // "kernel", "description"; "of another build" and "damaged" are not used any more
  std::string path, kernel, target; // where known
};
KeyDescription describeKey(const std::string &key);

} // namespace tegula
