// Names of Python and of its packages that authors write in kernels by habit, and what a kernel has instead.
#pragma once

#include <string>
#include <string_view>

namespace tegula::lang {

/// What a kernel writes for a function, type or constant that NumPy, PyTorch or Python's math calls `name`: "tl.exp" of
/// `exp`, "tl.float16" of `half`. Empty where there is nothing like it.
std::string kernelSpelling(const std::string &name);

/// "; did you mean 'tl.load'?" for a name that is not defined but is a function or type of triton.language, or nearly
/// one. Empty for others.
std::string languageSuggestion(const std::string &name);

/// Whether a module, by its name in an import, is host code whatever it holds: one of a package whose functions work on
/// arrays.
bool isHostPackage(std::string_view module);

/// The message for `shown`, "np.exp", of a host package: that it is host code, and what to write instead.
std::string hostNameMessage(const std::string &shown, const std::string &name);

} // namespace tegula::lang
