// `--shapes` and `--space` of `tegula tune` and `tegula bench`: lists of sizes and of configurations.
//
//   --shapes='M=N=K=1024; M=64 N=4096 K=4096'   two shapes; names of one `=` chain get one value
//   a_ptr='rand:f16:{M}x{K}'  stride_am='{K}'   a VALUE in which `{EXPR}` stands for an integer of the shape
//   --space='BLOCK_M=32|64 num_warps=4|8'       four configurations: every combination
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/include/tegula/tegula.hpp"

#include <map>
#include <string>
#include <vector>

namespace tegula::cli {

using Sizes = std::map<std::string, int64_t, std::less<>>;

/// All throw tegula::Error that names the option and what was expected.
std::vector<Sizes> parseShapes(const std::string &text);
std::vector<Config> parseSpace(const std::string &text);

/// The texts NAME=VALUE of one shape: `{EXPR}` replaced in each of `values`, and the shape's own names that are
/// parameters of the kernel added where `values` has none for them.
std::vector<std::string> valuesOf(const Sizes &shape, const std::vector<std::string> &values, const KernelInfo &kernel);

/// `M=1024 N=512`
std::string describe(const Sizes &shape);

} // namespace tegula::cli
