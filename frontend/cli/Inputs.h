// The arguments of `tegula run`: NAME=VALUE texts become device arrays, scalars and constants of a kernel's parameters.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/HostExpression.h"
#include "core/runtime/include/tegula/tegula.hpp"

#include <map>
#include <string>
#include <vector>

namespace tegula::cli {

class Inputs {
public:
  /// Allocates and fills all arrays. Throws tegula::Error for a name that is no parameter, a repeated name, an invalid
  /// value.
  Inputs(const KernelInfo &kernel, const Stream &stream, const std::vector<std::string> &assignments);

  const std::map<std::string, Argument> &arguments() const { return arguments_; }
  const std::map<std::string, Constant> &constants() const { return constants_; }

  /// Bytes of all arrays.
  uint64_t bytes() const;
  /// The value of a parameter, for use in a grid expression; an OpaqueValue for an array.
  std::optional<HostValue> find(std::string_view name) const;

  /// Writes an array as .npy, in the order of elements in which it was given. `name` is a parameter, or PARAMETER[I] of
  /// a `ptrs:` parameter. Throws tegula::Error where `name` is no array.
  void write(Stream &stream, const std::string &name, const std::string &path) const;
  /// Throws the error that `write` would throw for `name`; called before anything is launched.
  void checkOutput(const std::string &name) const;

private:
  struct Array {
    Buffer dense; // in memory order
    bool fortranOrder;
    std::vector<int64_t> shape; // the shape in the file
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
