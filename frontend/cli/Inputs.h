// The arguments of `tegula run`: NAME=VALUE texts become device arrays, scalars and constants of a kernel's parameters.
#pragma once

#include "core/runtime/Compiler.h"
#include "core/runtime/HostExpression.h"
#include "core/runtime/include/tegula/tegula.hpp"

#include <map>
#include <string>
#include <vector>

namespace tegula::cli {

class Inputs {
public:
  /// Makes and fills all arrays. Throws tegula::Error for a name that the kernel has not, one given twice, a bad value.
  Inputs(const KernelInfo &kernel, const Stream &stream, const std::vector<std::string> &assignments);

  const std::map<std::string, Argument> &arguments() const { return arguments_; }
  const std::map<std::string, Constant> &constants() const { return constants_; }

  /// Bytes of all arrays.
  uint64_t bytes() const;
  /// Values that a grid may name; arrays are opaque.
  std::optional<HostValue> find(std::string_view name) const;

  /// Writes an array as .npy, in the order it was given in. `name` is a parameter, or PARAMETER[I] of a `ptrs:` one.
  /// Throws tegula::Error where that is no array.
  void write(Stream &stream, const std::string &name, const std::string &path) const;
  /// Throws what `write` would throw for the name, before anything is launched.
  void checkOutput(const std::string &name) const;

private:
  struct Array {
    Buffer dense; // in memory order
    bool fortranOrder;
    std::vector<int64_t> shape; // as the file's
    Buffer view() const;
  };

  void add(const KernelInfo::Param &param, const std::string &text, const Stream &stream, uint64_t position);
  const Array &findArray(const std::string &name) const;

  std::map<std::string, Argument> arguments_;
  std::map<std::string, Constant> constants_;
  std::map<std::string, HostValue, std::less<>> values_;
  std::map<std::string, std::vector<Array>> arrays_;
};

} // namespace tegula::cli
