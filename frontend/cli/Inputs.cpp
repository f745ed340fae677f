#include "frontend/cli/Inputs.h"
#include "core/contracts/KernelOptions.h"
#include "core/runtime/ConstantConversion.h"
#include "core/support/Diagnostic.h"
#include "core/support/Npy.h"
#include "core/support/Suggest.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Values.h"

#include <algorithm>
#include <charconv>

namespace tegula::cli {
namespace {

DType toDType(ScalarType type) { return static_cast<DType>(type); }

Argument toArgument(const HostValue &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag;
  if (auto *integer = std::get_if<int64_t>(&value))
    return *integer;
  if (auto *real = std::get_if<double>(&value))
    return *real;
  return nullptr;
}

const KernelInfo::Param &findParam(const KernelInfo &kernel, const std::string &name) {
  std::vector<std::string> names;
  for (const KernelInfo::Param &param : kernel.params) {
    if (param.name == name)
      return param;
    names.push_back(param.name);
  }
  throw Error("kernel '" + kernel.name + "' has no parameter '" + name + "'" +
              (names.empty() ? "" : "; it has " + listed(names)) + suggestion(name, names));
}

} // namespace

Buffer Inputs::Array::view() const {
  if (!fortranOrder)
    return dense;
  std::vector<int64_t> strides = dense.strides();
  std::reverse(strides.begin(), strides.end());
  return dense.view(shape, strides);
}

Inputs::Inputs(const KernelInfo &kernel, const Stream &stream, const std::vector<std::string> &assignments) {
  for (size_t i = 0; i < assignments.size(); ++i) {
    auto [name, text] = parseAssignment(assignments[i]);
    if (values_.contains(name) || constants_.contains(name))
      throw Error("parameter '" + name + "' is given twice");
    if (isOption(kernel, name))
      constants_.emplace(name, toConstant(parseConstant(name, text)));
    else
      add(findParam(kernel, name), text, stream, i);
  }
}

void Inputs::add(const KernelInfo::Param &param, const std::string &text, const Stream &stream, uint64_t position) {
  if (param.isConstexpr) {
    ConstantValue value = parseConstant(param.name, text);
    constants_.emplace(param.name, toConstant(value));
    values_[param.name] = toHostValue(value);
    return;
  }
  // An array exists twice during its copy to the device; on the CPU both copies are in the same memory.
  uint64_t memory = stream.device().info().memoryBytes, used = bytes();
  Value value = memory ? parseValue(param.name, text, position, memory > used ? (memory - used) / 2 : 0)
                       : parseValue(param.name, text, position);
  values_[param.name] = value.kind == Value::Kind::Scalar ? value.scalar : HostValue(OpaqueValue());
  std::vector<Array> arrays;
  for (HostArray &host : value.arrays) {
    std::vector<int64_t> stored = host.shape;
    if (host.fortranOrder)
      std::reverse(stored.begin(), stored.end());
    arrays.push_back({Buffer(stream.device(), toDType(host.type), stored), host.fortranOrder, host.shape});
    if (host.defined)
      Stream(stream).write(arrays.back().dense, host.data.data());
    host.data = {};
  }
  switch (value.kind) {
  case Value::Kind::Scalar: arguments_.emplace(param.name, toArgument(value.scalar)); break;
  case Value::Kind::Array: arguments_.emplace(param.name, arrays[0].view()); break;
  case Value::Kind::Descriptor: arguments_.emplace(param.name, TensorDescriptor(arrays[0].view(), value.block)); break;
  case Value::Kind::Pointers: {
    std::vector<Buffer> targets;
    for (const Array &array : arrays)
      targets.push_back(array.view());
    arguments_.emplace(param.name, PointerArray(stream, std::move(targets)));
    break;
  }
  }
  if (!arrays.empty())
    arrays_.emplace(param.name, std::move(arrays));
}

uint64_t Inputs::bytes() const {
  uint64_t total = 0;
  for (const auto &[name, arrays] : arrays_)
    for (const Array &array : arrays)
      total += array.dense.bytes();
  return total;
}

std::optional<HostValue> Inputs::find(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

const Inputs::Array &Inputs::findArray(const std::string &name) const {
  std::string base = name.substr(0, name.find('['));
  auto found = arrays_.find(base);
  if (found == arrays_.end()) {
    std::vector<std::string> names;
    for (const auto &[known, arrays] : arrays_)
      names.push_back(known);
    throw Error("--out " + name + ": " +
                (values_.contains(base) ? "it is not an array" : "no array argument of that name") +
                (names.empty() ? "" : "; the arrays are " + listed(names)));
  }
  size_t index = 0;
  if (base.size() != name.size()) {
    const char *start = name.data() + base.size() + 1, *end = name.data() + name.size();
    auto [next, failed] = std::from_chars(start, end, index);
    if (failed != std::errc() || next + 1 != end || *next != ']')
      throw Error("--out " + name + ": expected NAME or NAME[INDEX]");
  } else if (found->second.size() > 1) {
    throw Error("--out " + name + ": it is " + std::to_string(found->second.size()) + " arrays; choose one, e.g. " +
                name + "[0]");
  }
  if (index >= found->second.size())
    throw Error("--out " + name + ": there are " + std::to_string(found->second.size()) + " arrays");
  return found->second[index];
}

void Inputs::checkOutput(const std::string &name) const { findArray(name); }

void Inputs::write(Stream &stream, const std::string &name, const std::string &path) const {
  const Array &array = findArray(name);
  NpyArray file;
  setItemType(file, static_cast<ScalarType>(array.dense.type()));
  file.fortranOrder = array.fortranOrder;
  file.shape = array.shape;
  file.data.resize(array.dense.bytes());
  stream.read(array.dense, file.data.data());
  writeNpy(path, file);
}

} // namespace tegula::cli
