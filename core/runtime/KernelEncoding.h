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
/// The functions that decode throw tegula::Error if the bytes are damaged.
Constants decodeConstants(ByteReader &in);
ParamType decodeParamType(ByteReader &in);
KernelInfo decodeKernel(ByteReader &in);

/// Encodes everything that a kernel uses from outside its own file. The contents of files that were read are encoded as
/// 128-bit hashes.
void encode(ByteWriter &out, const Surroundings &surroundings);

/// Encodes the result of `Compiler::inspect`. decodeDescription() reads the imported files and environment variables
/// again, and returns nullopt if one of them has changed since. It throws tegula::Error for damaged bytes.
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
