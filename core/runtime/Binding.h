// From the arguments of one launch to typed values in the order of the kernel's parameters. A Binding is reused from
// launch to launch so that its vectors keep their storage.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/HostExpression.h"
#include "core/runtime/Memory.h"

namespace tegula {

/// A kernel's parameters, prepared once for binding.
struct Prototype {
  explicit Prototype(KernelInfo info);

  KernelInfo info;
  std::vector<uint32_t> runtime; // indices of the parameters that are not constexpr
  /// Per parameter; nothing where there is no default or it is not a number.
  std::vector<std::optional<Argument>> defaults;
};

/// The argument of one parameter that is not constexpr.
struct BoundArgument {
  ParamType::Kind kind = ParamType::Kind::Constant;
  ScalarType type = ScalarType::I32;
  bool isAddress = false;                      // a bare address: `buffer` and `pointers` are null, memory is not known
  bool paddingNaN = false;                     // of a descriptor
  uint64_t bits = 0;                           // of a scalar; the address of others
  const Buffer::Impl *buffer = nullptr;        // of others that are not bare addresses
  std::span<const int64_t> shape, strides;     // of a descriptor's tensor
  const std::vector<int64_t> *block = nullptr; // of a descriptor
  const PointerArray *pointers = nullptr;
  const ConstantValue *value = nullptr; // of a Constant: None, or a default that is no number

  /// Sets address and memory, or those of a descriptor's tensor and the rest of the descriptor; not kind and type.
  void set(const Buffer::Impl &memory) {
    buffer = &memory;
    bits = memory.address();
  }
  void set(const TensorDescriptor &descriptor);
  /// Whether some of its memory must not be written.
  bool isReadOnly() const { return pointers ? anyTargetReadOnly() : buffer && buffer->isReadOnly; }
  /// Whether a kernel compiled for `param` accepts this argument, apart from divisibility.
  bool matches(const ParamType &param) const;
  /// Kind and element type. Arguments with equal codes have equal types, apart from the block of a descriptor and the
  /// value of a constant.
  uint16_t typeCode() const;
  /// Its type, without facts about its value.
  ParamType paramType() const;
  /// Whether code may rely on facts about it: an integer or an address.
  bool hasFacts() const;

private:
  bool anyTargetReadOnly() const;
};

using ApiConstants = std::map<std::string, Constant>;

struct Binding {
  std::vector<const Argument *> given;  // per parameter; null: not given
  std::vector<BoundArgument> arguments; // per Prototype::runtime
  mutable std::vector<uint64_t> key;    // storage of the selection's, PickKey.h
  size_t positionalConstants = 0;       // arguments that stand at the positions of constexpr parameters

  /// All throw tegula::Error that names the kernel and the parameter.
  void assign(const Prototype &prototype, const std::vector<Argument> &values);
  void assign(const Prototype &prototype, const std::map<std::string, Argument> &values);
  /// Determines the arguments' types; buffers must be on `device`.
  void resolve(const Prototype &prototype, const Device::Impl &device);
  /// The same for one argument, that of the parameter with this index in KernelInfo::params.
  void resolve(const Prototype &prototype, const Device::Impl &device, BoundArgument &bound, uint32_t param) const;
  /// The positional constants merged with `named`, the launch's named ones. A constant that is given twice is an error.
  ApiConstants mergedConstants(const Prototype &prototype, const ApiConstants &named) const;
  /// For heuristics: scalars by value, memory opaque.
  std::optional<HostValue> find(const Prototype &prototype, std::string_view name) const;
};

/// A scalar's value; u64 beyond the range of i64 as a float.
Constant numberOf(const TypedScalar &scalar);
/// Bit for bit: a NaN equals itself, 0.0 and -0.0 differ, as do 1 and True.
bool sameConstant(const Constant &a, const Constant &b);
bool sameConstants(const Constants &a, const Constants &b);

/// `*f32`, `i32`, `desc<64x64xf16>`, `**f32`, `None`
std::string describe(const ParamType &type);

} // namespace tegula
