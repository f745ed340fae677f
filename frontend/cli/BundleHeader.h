// The C++ header of a bundle: one function for each kernel and set of types, whose parameters have the exact types that
// the kernel was built for.
#pragma once

#include "core/runtime/bundle/BundleFile.h"

#include <string>

namespace tegula::cli {

/// `name` is the namespace, and the name of the embedded bundle. Throws tegula::Error where it is no identifier.
std::string bundleHeader(const BundleFile &bundle, const std::string &name);
/// C source that embeds the file `path` under that name.
std::string bundleSource(const std::string &path, const std::string &name);

} // namespace tegula::cli
