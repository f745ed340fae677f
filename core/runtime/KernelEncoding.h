// Encodes kernel descriptions for the disk cache, and builds cache keys.
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
/// The decoders throw tegula::Error for damaged bytes.
Constants decodeConstants(ByteReader &in);
ParamType decodeParamType(ByteReader &in);
KernelInfo decodeKernel(ByteReader &in);

/// Encodes the parts of other files that a kernel uses. The texts of files are encoded as 128-bit hashes.
void encode(ByteWriter &out, const Surroundings &surroundings);

/// Encodes the results of `Compiler::inspect`. Decoding reads the surroundings (imported files, given names) again: the
/// result is empty if they differ from those in the description. Throws tegula::Error for damaged bytes.
std::vector<uint8_t> encodeDescription(const FileDescription &description);
std::optional<FileDescription> decodeDescription(std::span<const uint8_t> bytes);

/// A key that contains everything a compilation depends on, including the build id and the environment. Keys are
/// compared byte by byte.
std::string compileKey(const CompileRequest &request);
std::string inspectKey(const std::string &path, const std::string &source, const Surroundings &start);

/// A cache key in readable form, for `tegula cache list`.
struct KeyDescription {
  std::string kind;                 // "kernel", "description"; entries "of another build" and "damaged" are never used
  std::string path, kernel, target; // where known
};
KeyDescription describeKey(const std::string &key);

} // namespace tegula
