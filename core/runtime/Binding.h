// Converts the arguments of one launch to typed values in the order of the kernel's parameters. A Binding is reused
// from launch to launch, so that its vectors keep their storage.
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/HostExpression.h"
#include "core/runtime/Memory.h"

namespace tegula {

/// A kernel's description, with what every launch needs to bind arguments: which parameters are not constexpr, and the
/// defaults as arguments. Made once for each kernel.
struct Prototype {
  explicit Prototype(KernelInfo info);

  KernelInfo info;
  std::vector<uint32_t> runtime; // indices of the parameters that are not constexpr
  /// The default of each parameter; nothing if there is no default or it is not a number.
  std::vector<std::optional<Argument>> defaults;
};

/// The argument of one parameter that is not constexpr.
struct BoundArgument {
  ParamType::Kind kind = ParamType::Kind::Constant;
  ScalarType type = ScalarType::I32;
  bool isAddress = false;                  // a bare address: `buffer` and `pointers` are null, its memory is unknown
  bool paddingNaN = false;                 // of a descriptor: padding is NaN
  uint64_t bits = 0;                       // the bits of a scalar; for all other kinds the address
  uint64_t extent = 0;                     // of a bare address: bytes of its memory from there on; 0: not known
  const Buffer::Impl *buffer = nullptr;    // the memory of an argument with an address, unless it is bare
  std::span<const int64_t> shape, strides; // of a descriptor's tensor, in elements
  const std::vector<int64_t> *block = nullptr; // extents of a descriptor's block
  const PointerArray *pointers = nullptr;
  const ConstantValue *value = nullptr; // of a Constant: None, or a default that is not a number

  /// Both overloads set `buffer`, and `bits` to the address of its first element; the overload for a descriptor also
  /// sets its shape, strides, block and padding. Kind and type are left unchanged.
  void set(const Buffer::Impl &memory) {
    buffer = &memory;
    bits = memory.address();
  }
  void set(const TensorDescriptor &descriptor);
  /// True if some of the argument's memory must not be written.
  bool isReadOnly() const { return pointers ? anyTargetReadOnly() : buffer && buffer->isReadOnly; }
  /// The addresses of a pointer's or descriptor's memory, from its first byte to behind its last; nothing if they are
  /// not known.
  std::optional<std::pair<uint64_t, uint64_t>> memory() const;
  /// True if a kernel compiled for `param` accepts this argument. Divisibility is not tested.
  bool matches(const ParamType &param) const;
  /// Encodes kind and element type. Arguments with equal codes have equal types, except for a descriptor's block and a
  /// constant's value.
  uint16_t typeCode() const;
  /// The argument's type, without facts about its value.
  ParamType paramType() const;
  /// True if compiled code may rely on facts about the argument: it is an integer or an address.
  bool hasFacts() const;

private:
  bool anyTargetReadOnly() const;
};

using ApiConstants = std::map<std::string, Constant>;

struct Binding {
  std::vector<const Argument *> given;  // the argument of each parameter; null: not given
  std::vector<BoundArgument> arguments; // per Prototype::runtime
  mutable std::vector<uint64_t> key;    // storage of the pick key (PickKey.h)
  size_t positionalConstants = 0;       // number of arguments at the positions of constexpr parameters

  /// assign() stores pointers to the arguments of a launch, which are given by position (a vector) or by name (a map).
  /// If an argument does not fit its parameter, all functions of this struct throw a tegula::Error that names the
  /// kernel and the parameter.
  void assign(const Prototype &prototype, const std::vector<Argument> &values);
  void assign(const Prototype &prototype, const std::map<std::string, Argument> &values);
  /// Determines the arguments' types. Buffers must belong to `device`.
  void resolve(const Prototype &prototype, const Device::Impl &device);
  /// Determines the type of one argument, which belongs to parameter `param`, an index in KernelInfo::params.
  void resolve(const Prototype &prototype, const Device::Impl &device, BoundArgument &bound, uint32_t param) const;
  /// Merges the constants given at the positions of constexpr parameters with `named`, the constants given by name.
  /// Throws if a constant is given in both ways.
  ApiConstants mergedConstants(const Prototype &prototype, const ApiConstants &named) const;
  /// Finds an argument's value for heuristics: the value of a scalar, OpaqueValue for memory.
  std::optional<HostValue> find(const Prototype &prototype, std::string_view name) const;
};

/// The value of a scalar. A u64 beyond the range of i64 becomes a float.
Constant numberOf(const TypedScalar &scalar);
/// Compares bit for bit: a NaN equals itself; 0.0 and -0.0 differ, and so do 1 and True.
bool sameConstant(const Constant &a, const Constant &b);
bool sameConstants(const Constants &a, const Constants &b);

/// The type as text: `*f32`, `i32`, `desc<64x64xf16>`, `**f32`, `None`
std::string describe(const ParamType &type);

} // namespace tegula
