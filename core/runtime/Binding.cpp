#include "core/runtime/Binding.h"
#include "core/runtime/Configuration.h"
#include "core/runtime/ConstantConversion.h"
#include "core/runtime/ConstantText.h"
#include "core/support/FloatFormats.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <bit>
#include <memory>

namespace tegula {
namespace {

const ConstantValue kNone = std::monostate{};

std::string place(const Prototype &prototype, const std::string &param) {
  return "parameter '" + param + "' of kernel '" + prototype.info.name + "'";
}

std::string plural(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

const char *kindOf(const Argument &argument) {
  constexpr const char *kNames[] = {
      "None",       "a bool",   "an integer", "a float", "a buffer", "a tensor descriptor", "an array of pointers",
      "an address", "a number", "a constant"};
  return kNames[argument.value().index()];
}

/// True if the integer type can represent the value.
bool fits(ScalarType type, int64_t value) {
  unsigned unused = 64 - bitWidth(type);
  auto shifted = static_cast<uint64_t>(value) << unused;
  if (isUnsigned(type))
    return value >= 0 && shifted >> unused == static_cast<uint64_t>(value);
  return static_cast<int64_t>(shifted) >> unused == value;
}

uint64_t maskTo(ScalarType type, uint64_t bits) {
  unsigned width = byteSize(type) * 8;
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

/// The value of an integer scalar; nothing for floats, and for u64 beyond the range of i64.
std::optional<int64_t> integerOf(const TypedScalar &scalar) {
  ScalarType type = toScalarType(scalar.type);
  if (isFloat(type))
    return std::nullopt;
  uint64_t bits = type == ScalarType::I1 ? scalar.bits & 1 : maskTo(type, scalar.bits);
  unsigned unused = 64 - bitWidth(type);
  if (!isUnsigned(type) && type != ScalarType::I1)
    return static_cast<int64_t>(bits << unused) >> unused;
  return bits >> 63 ? std::nullopt : std::optional(static_cast<int64_t>(bits));
}

void requireNoPointer(const Prototype &prototype, const KernelInfo::Param &param, const char *given) {
  if (param.isAnnotatedPointer)
    throw Error(place(prototype, param.name) + " is annotated *" + std::string(name(*param.annotatedType)) + "; " +
                given + " was given, a buffer is expected");
}

void setInteger(BoundArgument &bound, const Prototype &prototype, const KernelInfo::Param &param, int64_t value) {
  bound.kind = ParamType::Kind::Scalar;
  if (!param.annotatedType) {
    bool small = value == static_cast<int32_t>(value);
    bound.type = small ? ScalarType::I32 : ScalarType::I64;
    bound.bits = small ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value);
    return;
  }
  requireNoPointer(prototype, param, "an integer");
  bound.type = *param.annotatedType;
  if (isFloat(bound.type)) {
    bound.bits = encodeFloat(floatFormat(bound.type), static_cast<double>(value));
    return;
  }
  if (!fits(bound.type, value))
    throw Error(place(prototype, param.name) + " is annotated " + std::string(name(bound.type)) + "; " +
                std::to_string(value) + " does not fit");
  bound.bits = maskTo(bound.type, static_cast<uint64_t>(value));
}

void setFloat(BoundArgument &bound, const Prototype &prototype, const KernelInfo::Param &param, double value) {
  bound.kind = ParamType::Kind::Scalar;
  requireNoPointer(prototype, param, "a float");
  bound.type = param.annotatedType.value_or(ScalarType::F32);
  if (!isFloat(bound.type))
    throw Error(place(prototype, param.name) + " is annotated " + std::string(name(bound.type)) + "; the float " +
                describe(ConstantValue(value)) + " was given");
  bound.bits = encodeFloat(floatFormat(bound.type), value);
}

void setScalar(BoundArgument &bound, const Prototype &prototype, const KernelInfo::Param &param,
               const TypedScalar &scalar) {
  ScalarType type = toScalarType(scalar.type);
  if (param.annotatedType && !param.isAnnotatedPointer && *param.annotatedType != type) {
    if (std::optional<int64_t> integer = integerOf(scalar))
      return setInteger(bound, prototype, param, *integer);
    if (isFloat(type))
      return setFloat(bound, prototype, param, decodeFloat(floatFormat(type), scalar.bits));
    throw Error(place(prototype, param.name) + " is annotated " + std::string(name(*param.annotatedType)) + "; " +
                std::to_string(scalar.bits) + " of u64 does not fit");
  }
  requireNoPointer(prototype, param, "a number");
  bound.kind = ParamType::Kind::Scalar;
  bound.type = type;
  bound.bits = type == ScalarType::I1 ? scalar.bits & 1 : maskTo(type, scalar.bits);
}

/// True if elements of type `given` may be read as elements of type `annotated`: the types are equal, or both are
/// integers of one size, or both have one byte (array libraries without booleans or 8-bit floats hold them as 8-bit
/// integers).
bool canStandFor(ScalarType given, ScalarType annotated) {
  if (byteSize(given) != byteSize(annotated))
    return false;
  return given == annotated || byteSize(given) == 1 || (!isFloat(given) && !isFloat(annotated));
}

/// The type's name with its article: `an i32`, `a u8`
std::string withArticle(ScalarType type) {
  std::string text(name(type));
  return (text[0] == 'i' || text[0] == 'f' ? "an " : "a ") + text;
}

/// Stores in `bound` an address of elements of `type`. If the parameter is annotated as a pointer to another type,
/// stores the annotated type. Throws tegula::Error if canStandFor() does not allow that, or if the annotation is a
/// number's.
void setPointer(BoundArgument &bound, const Prototype &prototype, const KernelInfo::Param &param,
                const Argument &argument, ParamType::Kind kind, ScalarType type, uint64_t address) {
  if (param.annotatedType && !param.isAnnotatedPointer)
    throw Error(place(prototype, param.name) + " is annotated " + std::string(name(*param.annotatedType)) + "; " +
                kindOf(argument) + " was given, a number is expected");
  if (param.isAnnotatedPointer && kind == ParamType::Kind::Pointer && !canStandFor(type, *param.annotatedType))
    throw Error(place(prototype, param.name) + " is given " + withArticle(type) + " array for a pointer to " +
                std::string(name(*param.annotatedType)) + "; pass an array of " +
                std::string(name(*param.annotatedType)) + " or change the annotation");
  bound.kind = kind;
  bound.type = param.isAnnotatedPointer && kind == ParamType::Kind::Pointer ? *param.annotatedType : type;
  bound.bits = address;
}

void setMemory(BoundArgument &bound, const Prototype &prototype, const KernelInfo::Param &param,
               const Device::Impl &device, const Argument &argument, const Buffer &buffer, ParamType::Kind kind) {
  const Buffer::Impl &memory = *buffer.impl();
  if (&memory.device() != &device)
    throw Error(place(prototype, param.name) + " is on device " + memory.device().info.name +
                ", the launch is on device " + device.info.name);
  setPointer(bound, prototype, param, argument, kind, toScalarType(memory.type), memory.address());
  bound.set(memory);
}

/// Stores the kind, type and value of one argument in `bound`. The kinds of argument that are frequent in launches are
/// tested first.
void setValue(BoundArgument &bound, const Prototype &prototype, const KernelInfo::Param &param,
              const Device::Impl &device, const Argument &argument) {
  const Argument::Value &value = argument.value();
  if (auto *buffer = std::get_if<Buffer>(&value)) {
    setMemory(bound, prototype, param, device, argument, *buffer, ParamType::Kind::Pointer);
  } else if (auto *integer = std::get_if<int64_t>(&value)) {
    setInteger(bound, prototype, param, *integer);
  } else if (auto *descriptor = std::get_if<TensorDescriptor>(&value)) {
    setMemory(bound, prototype, param, device, argument, descriptor->tensor, ParamType::Kind::Descriptor);
    bound.set(*descriptor);
  } else if (auto *address = std::get_if<DeviceAddress>(&value)) {
    setPointer(bound, prototype, param, argument, ParamType::Kind::Pointer, toScalarType(address->type),
               address->address);
    bound.isAddress = true;
    bound.extent = address->bytes;
  } else if (auto *real = std::get_if<double>(&value)) {
    setFloat(bound, prototype, param, *real);
  } else if (auto *flag = std::get_if<bool>(&value)) {
    if (param.annotatedType)
      return setInteger(bound, prototype, param, *flag);
    bound.kind = ParamType::Kind::Scalar;
    bound.type = ScalarType::I1;
    bound.bits = *flag;
  } else if (auto *pointers = std::get_if<PointerArray>(&value)) {
    setMemory(bound, prototype, param, device, argument, pointers->addresses, ParamType::Kind::PointerToPointers);
    bound.type = toScalarType(pointers->targets[0].type());
    bound.pointers = pointers;
  } else if (auto *scalar = std::get_if<TypedScalar>(&value)) {
    setScalar(bound, prototype, param, *scalar);
  } else if (std::holds_alternative<Constant>(value)) {
    throw Error(place(prototype, param.name) + " is not constexpr; a constant was given for it");
  } else {
    bound.kind = ParamType::Kind::Constant;
    bound.value = &kNone;
  }
}

std::string runtimeNames(const Prototype &prototype) {
  std::vector<std::string> names;
  for (uint32_t index : prototype.runtime)
    names.push_back(prototype.info.params[index].name);
  return listed(names);
}

[[noreturn]] void failCount(const Prototype &prototype, size_t given) {
  std::string message = "kernel '" + prototype.info.name + "' takes " + plural(prototype.runtime.size(), "argument");
  if (!prototype.runtime.empty())
    message += " (" + runtimeNames(prototype) + ")";
  message += ", " + std::to_string(given) + (given == 1 ? " was given" : " were given");
  if (given < prototype.runtime.size())
    message += "; '" + prototype.info.params[prototype.runtime[given]].name + "' is missing";
  else if (prototype.runtime.size() != prototype.info.params.size())
    message += "; constexpr parameters go among the constants, or all " + std::to_string(prototype.info.params.size()) +
               " parameters are given in order";
  throw Error(message);
}

} // namespace

Constant numberOf(const TypedScalar &scalar) {
  ScalarType type = toScalarType(scalar.type);
  if (type == ScalarType::I1)
    return (scalar.bits & 1) != 0;
  if (std::optional<int64_t> integer = integerOf(scalar))
    return *integer;
  return isFloat(type) ? decodeFloat(floatFormat(type), scalar.bits) : static_cast<double>(scalar.bits);
}

bool sameConstant(const Constant &a, const Constant &b) {
  if (a.value().index() != b.value().index())
    return false;
  if (auto *integer = std::get_if<int64_t>(&a.value())) // first: most constants are integers
    return *integer == *std::get_if<int64_t>(&b.value());
  const double *x = std::get_if<double>(&a.value()), *y = std::get_if<double>(&b.value());
  if (x && y)
    return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y);
  return a.value() == b.value();
}

bool sameConstants(const Constants &a, const Constants &b) {
  auto same = [](const auto &x, const auto &y) {
    return x.first == y.first && sameConstant(toConstant(x.second), toConstant(y.second));
  };
  return std::ranges::equal(a, b, same);
}

Prototype::Prototype(KernelInfo kernel) : info(std::move(kernel)), defaults(info.params.size()) {
  for (uint32_t i = 0; i < info.params.size(); ++i) {
    const KernelInfo::Param &param = info.params[i];
    if (!param.isConstexpr)
      runtime.push_back(i);
    if (!param.defaultValue || param.isConstexpr)
      continue;
    if (auto *flag = std::get_if<bool>(&*param.defaultValue))
      defaults[i] = Argument(*flag);
    else if (auto *integer = std::get_if<int64_t>(&*param.defaultValue))
      defaults[i] = Argument(*integer);
    else if (auto *real = std::get_if<double>(&*param.defaultValue))
      defaults[i] = Argument(*real);
  }
}

void BoundArgument::set(const TensorDescriptor &descriptor) {
  const Buffer::Impl &tensor = *descriptor.tensor.impl();
  set(tensor);
  shape = tensor.shape;
  strides = tensor.strides;
  block = &descriptor.block;
  paddingNaN = descriptor.paddingNaN;
}

bool BoundArgument::anyTargetReadOnly() const {
  return std::ranges::any_of(pointers->targets, [](const Buffer &target) { return target.impl()->isReadOnly; });
}

std::optional<std::pair<uint64_t, uint64_t>> BoundArgument::memory() const {
  if (kind != ParamType::Kind::Pointer && kind != ParamType::Kind::Descriptor)
    return std::nullopt;
  uint64_t first = bits, bytes = extent;
  if (buffer) {
    first = buffer->allocation->memory().address + buffer->lowestByte();
    bytes = buffer->bytes;
  } else if (kind == ParamType::Kind::Descriptor) {
    bytes = byteSize(type);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      uint64_t beyond = 0; // bytes from the axis's first element to its last
      bool fits = shape[axis] > 0 && strides[axis] >= 0 &&
                  !__builtin_mul_overflow(uint64_t(shape[axis] - 1), uint64_t(strides[axis]), &beyond) &&
                  !__builtin_mul_overflow(beyond, uint64_t(byteSize(type)), &beyond) &&
                  !__builtin_add_overflow(bytes, beyond, &bytes);
      if (!fits)
        return std::nullopt;
    }
  }
  uint64_t end = 0;
  if ((!buffer && !bytes) || __builtin_add_overflow(first, bytes, &end))
    return std::nullopt;
  return std::pair(first, end);
}

bool BoundArgument::matches(const ParamType &param) const {
  if (kind != param.kind)
    return false;
  if (kind == ParamType::Kind::Constant)
    return *value == param.value;
  return type == param.type && (kind != ParamType::Kind::Descriptor || *block == param.block);
}

uint16_t BoundArgument::typeCode() const {
  return static_cast<uint16_t>(static_cast<unsigned>(kind) << 8 | static_cast<unsigned>(type));
}

ParamType BoundArgument::paramType() const {
  ParamType result;
  result.kind = kind;
  if (kind == ParamType::Kind::Constant) {
    result.value = *value;
    return result;
  }
  result.type = type;
  if (kind == ParamType::Kind::Descriptor)
    result.block = *block;
  return result;
}

bool BoundArgument::hasFacts() const {
  if (kind == ParamType::Kind::Scalar)
    return isInteger(type) && type != ScalarType::I1;
  return kind != ParamType::Kind::Constant;
}

void Binding::assign(const Prototype &prototype, const std::vector<Argument> &values) {
  size_t all = prototype.info.params.size(), runtime = prototype.runtime.size();
  positionalConstants = 0;
  if (values.size() == all) {
    positionalConstants = all - runtime;
    given.resize(all);
    const Argument **next = given.data();
    for (const Argument &value : values)
      *next++ = &value;
    return;
  }
  given.assign(all, nullptr);
  if (values.size() > runtime)
    failCount(prototype, values.size());
  for (size_t i = 0; i < runtime; ++i) {
    uint32_t index = prototype.runtime[i];
    if (i < values.size())
      given[index] = &values[i];
    else if (!prototype.info.params[index].defaultValue)
      failCount(prototype, values.size());
  }
}

/// Throws tegula::Error if an argument is given under a name that no parameter has.
static void refuseUnknown(const Prototype &prototype, const std::map<std::string, Argument> &values) {
  std::vector<std::string> names = parameterNames(prototype.info, false);
  for (const auto &[name, value] : values)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error("kernel '" + prototype.info.name + "' has no parameter '" + name + "'; it has " + listed(names) +
                  suggestion(name, names));
}

void Binding::assign(const Prototype &prototype, const std::map<std::string, Argument> &values) {
  const std::vector<KernelInfo::Param> &params = prototype.info.params;
  given.assign(params.size(), nullptr);
  positionalConstants = 0;
  size_t used = 0;
  for (size_t i = 0; i < params.size(); ++i) {
    auto found = values.find(params[i].name);
    if (found != values.end()) {
      given[i] = &found->second;
      positionalConstants += params[i].isConstexpr;
      ++used;
    } else if (!params[i].isConstexpr && !params[i].defaultValue) {
      refuseUnknown(prototype, values); // first: a misspelt name is the likely cause of a missing argument
      throw Error("kernel '" + prototype.info.name + "' needs an argument for its parameter '" + params[i].name +
                  "'; " + plural(values.size(), "argument") + (values.size() == 1 ? " was given" : " were given"));
    }
  }
  if (used != values.size())
    refuseUnknown(prototype, values);
}

void Binding::resolve(const Prototype &prototype, const Device::Impl &device, BoundArgument &bound,
                      uint32_t index) const {
  const KernelInfo::Param &param = prototype.info.params[index];
  const Argument *argument = given[index];
  if (!argument && prototype.defaults[index])
    argument = &*prototype.defaults[index];
  std::construct_at(&bound);
  if (argument)
    setValue(bound, prototype, param, device, *argument);
  else
    bound.value = &*param.defaultValue; // None, a string or a dtype: assign() has checked that it exists
}

void Binding::resolve(const Prototype &prototype, const Device::Impl &device) {
  arguments.resize(prototype.runtime.size());
  BoundArgument *next = arguments.data();
  for (uint32_t index : prototype.runtime)
    resolve(prototype, device, *next++, index);
}

ApiConstants Binding::mergedConstants(const Prototype &prototype, const ApiConstants &named) const {
  ApiConstants merged = named;
  for (size_t i = 0; i < given.size(); ++i) {
    const KernelInfo::Param &param = prototype.info.params[i];
    if (!given[i] || !param.isConstexpr)
      continue;
    const Argument::Value &value = given[i]->value();
    std::optional<Constant> constant;
    if (std::holds_alternative<std::nullptr_t>(value))
      constant = Constant(nullptr);
    else if (auto *flag = std::get_if<bool>(&value))
      constant = Constant(*flag);
    else if (auto *integer = std::get_if<int64_t>(&value))
      constant = Constant(*integer);
    else if (auto *real = std::get_if<double>(&value))
      constant = Constant(*real);
    else if (auto *whole = std::get_if<Constant>(&value))
      constant = *whole;
    else if (auto *scalar = std::get_if<TypedScalar>(&value))
      constant = numberOf(*scalar);
    else
      throw Error(place(prototype, param.name) + " is constexpr; " + kindOf(*given[i]) +
                  " was given, a constant is expected");
    if (!merged.emplace(param.name, *constant).second)
      throw Error(place(prototype, param.name) + " is given twice, among the arguments and among the constants");
  }
  return merged;
}

std::optional<HostValue> Binding::find(const Prototype &prototype, std::string_view name) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    uint32_t index = prototype.runtime[i];
    if (prototype.info.params[index].name != name)
      continue;
    const Argument *argument = given[index]                ? given[index]
                               : prototype.defaults[index] ? &*prototype.defaults[index]
                                                           : nullptr;
    if (!argument)
      return toHostValue(*arguments[i].value);
    const Argument::Value &value = argument->value();
    if (auto *flag = std::get_if<bool>(&value))
      return *flag;
    if (auto *integer = std::get_if<int64_t>(&value))
      return *integer;
    if (auto *real = std::get_if<double>(&value))
      return *real;
    if (std::holds_alternative<std::nullptr_t>(value))
      return std::monostate();
    if (auto *scalar = std::get_if<TypedScalar>(&value))
      return toHostValue(toConstantValue(numberOf(*scalar)));
    return OpaqueValue();
  }
  return std::nullopt;
}

std::string describe(const ParamType &type) {
  switch (type.kind) {
  case ParamType::Kind::Scalar: return std::string(name(type.type));
  case ParamType::Kind::Pointer: return "*" + std::string(name(type.type));
  case ParamType::Kind::PointerToPointers: return "**" + std::string(name(type.type));
  case ParamType::Kind::Descriptor:
    return "desc<" + describeShape(type.block) + "x" + std::string(name(type.type)) + ">";
  case ParamType::Kind::Constant: return describe(type.value);
  }
  return "?";
}

} // namespace tegula
