// `base.name` and `base[index]`: modules, types, tensors, tuples, descriptors, instances of aggregates.
#include "core/ir/tile/Tile.h"
#include "core/support/FloatFormats.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/emit/HostNames.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tegula::lang {

using namespace mlir;

namespace {

Tuple shapeTuple(const Shape &shape) {
  Tuple tuple;
  for (int64_t extent : shape)
    tuple.elements.push_back(Const(Int(extent)));
  return tuple;
}

/// The type that a name of `triton.language` denotes.
std::optional<TypeValue> typeByName(std::string_view name) {
  if (name == "constexpr" || name == "constexpr_type")
    return TypeValue{{}, true, false};
  if (name == "void")
    return TypeValue{{}, false, true};
  if (name == "pi32_t")
    return TypeValue{ElementType(ScalarType::I32, 1)};
  // tl has only Triton's own spellings as attributes; the short ones are for strings and signatures.
  bool isTritonSpelling =
      name.starts_with("int") || name.starts_with("uint") || name.starts_with("float") || name == "bfloat16";
  if (isTritonSpelling)
    if (auto scalar = parseScalarType(name))
      return TypeValue{*scalar};
  return std::nullopt;
}

/// A member of `PropagateNan`, by name, or of `dtype.KIND`, as `dtype.kind()` numbers them.
std::optional<Value> memberOfEnum(std::string_view path, const std::string &name) {
  if (path == "triton.language.PropagateNan")
    return name == "ALL" || name == "NONE" ? std::optional<Value>(Const(name)) : std::nullopt;
  constexpr std::string_view kKinds[] = {"BOOLEAN", "INTEGRAL", "FLOATING"};
  const auto *found = std::find(std::begin(kKinds), std::end(kKinds), name);
  return found == std::end(kKinds) ? std::nullopt : std::optional<Value>(Const(Int(found - std::begin(kKinds))));
}

} // namespace

std::optional<Value> memberOf(const Namespace &space, const std::string &name) {
  std::string path = space.path;
  if (path.starts_with("triton.language.extra.")) // of one vendor: see below
    path = path.ends_with(".libdevice") ? "triton.language.libdevice" : "triton.language.extra";
  if (path == "math") {
    if (name == "pi")
      return Const(3.14159265358979323846);
    if (name == "e")
      return Const(2.71828182845904523536);
    if (name == "inf")
      return Const(std::numeric_limits<double>::infinity());
    if (name == "nan")
      return Const(std::numeric_limits<double>::quiet_NaN());
    if (name == "log2e")
      return Const(1.44269504088896340736);
    if (const Builtin *builtin = findPythonBuiltin("math." + name))
      return BuiltinValue{builtin, nullptr};
    return std::nullopt;
  }
  if (path == "triton") {
    if (name == "language")
      return Namespace{"triton.language"};
    if (name == "cdiv" || name == "next_power_of_2")
      return BuiltinValue{name == "cdiv" ? findBuiltin("cdiv") : findPythonBuiltin("next_power_of_2"), nullptr};
    return std::nullopt;
  }
  if (path == "triton.language.dtype.KIND" || path == "triton.language.PropagateNan")
    return memberOfEnum(path, name);
  // Every target has the functions of libdevice, whichever vendor's module they are imported from.
  if (path == "triton.language.extra") {
    if (name == "libdevice")
      return Namespace{"triton.language.libdevice"};
    if (const Builtin *builtin = findBuiltin("extra." + name))
      return BuiltinValue{builtin, nullptr};
    return isVendorModule(name) ? std::optional<Value>(Namespace{path}) : std::nullopt;
  }
  if (path == "triton.language.libdevice")
    return libdeviceMember(name);
  if (name == "extra")
    return Namespace{"triton.language.extra"};
  if (name == "libdevice" && path == "triton.language")
    return Namespace{"triton.language.libdevice"};
  if (name == "random" && path == "triton.language")
    return Namespace{path};
  if (name == "math" || name == "core" || name == "standard" || name == "semantic")
    return Namespace{"triton.language" + std::string(name == "math" ? ".math" : "")};
  if (name == "TRITON_MAX_TENSOR_NUMEL")
    return Const(Int(1048576));
  if (name == "target_info" || name == "PropagateNan")
    return Namespace{"triton.language." + name};
  if (auto type = typeByName(name))
    return Const(*type);
  if (const Builtin *builtin = findBuiltin(name))
    return BuiltinValue{builtin, nullptr};
  if (path == "triton.language.math") // where earlier versions of Triton have them
    if (auto function = libdeviceMember(name))
      return function;
  return preludeMember(name);
}

namespace {

Value namespaceAttribute(Emitter &e, Loc loc, const Namespace &space, const std::string &name) {
  if (auto member = memberOf(space, name))
    return *member;
  const std::string &path = space.path;
  if (path == "math")
    e.fail(loc, hostNameMessage("math." + name, name));
  if (path == "triton") {
    if (name == "jit" || name == "autotune" || name == "heuristics" || name == "Config")
      e.fail(loc, "triton." + name + " belongs to host code");
    e.fail(loc, "the module triton has no '" + name + "' that a kernel can use");
  }
  if (path == "triton.language.dtype.KIND")
    e.fail(loc, "tl.dtype.KIND is BOOLEAN, INTEGRAL or FLOATING, found '" + name + "'");
  if (path == "triton.language.PropagateNan")
    e.fail(loc, "PropagateNan is ALL or NONE, found '" + name + "'");
  if (auto why = unavailable(name); !why.empty())
    e.fail(loc, std::string(why));
  std::string shown = path.starts_with("triton.language") ? "tl" + path.substr(15) : path;
  e.fail(loc, shown + " has no '" + name + "'" + suggestion(name, builtinNames()));
}

/// Triton's name of an element's type: "fp32", "int1", "pointer<fp16>".
std::string tritonName(ElementType type) {
  if (type.isPointer())
    return (type.isConst ? "const_pointer<" : "pointer<") + tritonName(type.pointee()) + ">";
  switch (type.scalar) {
  case ScalarType::F8E4M3: return "fp8e4nv";
  case ScalarType::F8E5M2: return "fp8e5";
  case ScalarType::F8E4M3FNUZ: return "fp8e4b8";
  case ScalarType::F8E5M2FNUZ: return "fp8e5b16";
  case ScalarType::BF16: return "bf16";
  default: break;
  }
  std::string kind = type.isFloat() ? "fp" : type.isUnsigned() ? "uint" : "int";
  return kind + std::to_string(type.bits());
}

/// An attribute of the type of a tensor (Triton's block_type) other than the queries `is_...`.
Value blockAttribute(Emitter &e, Loc loc, const TypeValue &type, const std::string &name) {
  if (name == "element_ty" || name == "scalar")
    return Const(TypeValue{type.type});
  if (name == "shape")
    return shapeTuple(type.block);
  if (name == "get_block_shapes")
    return BuiltinValue{findBuiltin("block_type.get_block_shapes"), std::make_shared<Value>(Const(type))};
  if (name == "numel" || name == "nbytes")
    return Const(Int(elementCount(type.block) * (name == "nbytes" ? type.type.bits() / 8 : 1)));
  e.fail(loc, "the type of a tensor has no attribute '" + name + "'; its elements' type is '.scalar'");
}

Value typeAttribute(Emitter &e, Loc loc, const TypeValue &type, const std::string &name) {
  const ElementType &t = type.type;
  bool isQuery = name.starts_with("is_"), isBlock = !type.block.empty();
  if (isBlock && !isQuery)
    return blockAttribute(e, loc, type, name);
  if (name == "element_ty" && t.isPointer())
    return Const(TypeValue{t.pointee()});
  if (name == "scalar" || name == "value") // `value`: of a type that is a constexpr parameter
    return Const(type);
  if (name == "fp_mantissa_width" && t.isFloat())
    return Const(Int(floatFormat(t.scalar).mantissaBits));
  if (name == "primitive_bitwidth" || name == "int_bitwidth" || name == "itemsize")
    return Const(Int(name == "itemsize" ? (t.bits() + 7) / 8 : t.bits()));
  if (name == "name")
    return Const(tritonName(t));
  struct Query {
    const char *name;
    bool answer;
  };
  auto is = [&](ScalarType s) { return t == ElementType(s); };
  const Query queries[] = {
      {"is_ptr", t.isPointer()},
      {"is_floating", t.isFloat()},
      {"is_int", t.isInteger()},
      {"is_bool", t.isBool()},
      {"is_int1", t.isBool()},
      {"is_int_signed", t.isInteger() && !t.isUnsigned() && !t.isBool()},
      {"is_int_unsigned", t.isUnsigned() || t.isBool()},
      {"is_fp8", t.isFloat() && isFp8(t.scalar)},
      {"is_fp16", is(ScalarType::F16)},
      {"is_bf16", is(ScalarType::BF16)},
      {"is_fp32", is(ScalarType::F32)},
      {"is_fp64", is(ScalarType::F64)},
      {"is_int8", is(ScalarType::I8)},
      {"is_int16", is(ScalarType::I16)},
      {"is_int32", is(ScalarType::I32)},
      {"is_int64", is(ScalarType::I64)},
      {"is_uint8", is(ScalarType::U8)},
      {"is_uint16", is(ScalarType::U16)},
      {"is_uint32", is(ScalarType::U32)},
      {"is_uint64", is(ScalarType::U64)},
      {"is_fp8e4nv", is(ScalarType::F8E4M3)},
      {"is_fp8e5", is(ScalarType::F8E5M2)},
      {"is_fp8e4b8", is(ScalarType::F8E4M3FNUZ)},
      {"is_fp8e5b16", is(ScalarType::F8E5M2FNUZ)},
      {"is_standard_floating", t.isFloat() && !isFp8(t.scalar)},
      {"is_block", isBlock},
      {"is_void", type.isVoid},
  };
  for (const Query &q : queries)
    if (name == q.name) {
      // A query such as is_fp16 is a method: Emitter::call returns the constant when it is called without arguments.
      // For the type of a tensor every query but is_block is false, as in Triton.
      return Const(q.answer && (!isBlock || name == "is_block"));
    }
  if (const Builtin *builtin = findBuiltin("dtype." + name))
    return BuiltinValue{builtin, std::make_shared<Value>(Const(type))};
  e.fail(loc, "a type has no attribute '" + name + "'");
}

Value tensorAttribute(Emitter &e, Loc loc, const Tensor &tensor, const std::string &name) {
  if (name == "dtype")
    return Const(TypeValue{tensor.type});
  if (name == "type")
    return Const(TypeValue{tensor.type, false, false, tensor.shape});
  if (name == "shape")
    return shapeTuple(tensor.shape);
  if (name == "numel")
    return Const(Int(elementCount(tensor.shape)));
  if (name == "T") {
    if (tensor.shape.size() != 2)
      e.fail(loc, ".T needs a tensor of rank 2, found " + tensor.str() + "; use tl.permute");
    return e.permute(loc, tensor, {1, 0});
  }
  if (name == "value")
    return tensor;
  if (const Builtin *builtin = findBuiltin(name); builtin && builtin->isTensorMethod)
    return BuiltinValue{builtin, std::make_shared<Value>(tensor)};
  if (const Builtin *builtin = findBuiltin("tensor." + name))
    return BuiltinValue{builtin, std::make_shared<Value>(tensor)};
  std::vector<std::string_view> methods = {"dtype", "shape", "numel", "T"};
  for (std::string_view known : builtinNames())
    if (findBuiltin(known)->isTensorMethod)
      methods.push_back(known);
  e.fail(loc, "a tensor has no attribute '" + name + "'" + suggestion(name, methods));
}

Tuple tensorTuple(const std::vector<Tensor> &tensors) {
  Tuple tuple;
  for (const Tensor &t : tensors)
    tuple.elements.push_back(t);
  return tuple;
}

Value descriptorAttribute(Emitter &e, Loc loc, const Descriptor &descriptor, const std::string &name) {
  if (name == "block_shape")
    return shapeTuple(descriptor.block);
  if (name == "dtype")
    return Const(TypeValue{descriptor.type});
  if (name == "shape" || name == "strides") {
    if (descriptor.shape.empty())
      e.fail(loc,
             "the " + name + " of a descriptor that is a parameter is not known in the kernel; pass it as an argument");
    return tensorTuple(name == "shape" ? descriptor.shape : descriptor.strides);
  }
  if (const Builtin *builtin = findBuiltin("descriptor." + name))
    return BuiltinValue{builtin, std::make_shared<Value>(descriptor)};
  e.fail(loc, "a tensor descriptor has no attribute '" + name +
                  "'; it has load, store, gather, scatter, atomic_add and the other atomics, block_shape, dtype, "
                  "shape, strides");
}

std::optional<Value> aggregateAttribute(const Tuple &tuple, const std::string &name) {
  for (size_t i = 0; i < tuple.names.size(); ++i)
    if (tuple.names[i] == name)
      return tuple.elements[i];
  if (tuple.aggregate && name != kConstructor)
    if (auto *method = methodOf(*tuple.aggregate, name))
      return FunctionValue{method, tuple.scope, std::make_shared<Value>(tuple)};
  return std::nullopt;
}

} // namespace

Value Emitter::attribute(Loc loc, const Value &base, const std::string &name) {
  if (auto *space = base.as<Namespace>())
    return namespaceAttribute(*this, loc, *space, name);
  if (auto *module = base.as<ModuleValue>())
    return importedValue(loc, name, module->scope->names.modules()->member(*module->scope, name));
  if (auto *tensor = base.as<Tensor>())
    return tensorAttribute(*this, loc, *tensor, name);
  if (auto *descriptor = base.as<Descriptor>())
    return descriptorAttribute(*this, loc, *descriptor, name);
  if (auto *c = base.as<Const>()) {
    if (auto *type = std::get_if<TypeValue>(&c->value))
      return typeAttribute(*this, loc, *type, name);
    if (name == "value") // constexpr.value
      return base;
    if (name == "dtype" && c->isNumber())
      return Const(TypeValue{tensor(loc, base).type});
    if (c->isNumber())
      return tensorAttribute(*this, loc, tensor(loc, base), name);
  }
  if (auto *pointer = base.as<BlockPointer>()) {
    if (name == "dtype")
      return Const(TypeValue{pointer->base.type});
    if (name == "block_shape" || name == "shape")
      return shapeTuple(pointer->block);
    if (name == "advance")
      return BuiltinValue{findBuiltin("advance"), std::make_shared<Value>(base)};
  }
  if (auto *tuple = base.as<Tuple>()) {
    if (auto found = aggregateAttribute(*tuple, name)) {
      if (auto *unusable = found->as<Unusable>())
        fail(loc, unusable->why);
      return *found;
    }
    if (tuple->aggregate)
      fail(loc, tuple->aggregate->name + " has no field or method '" + name + "'");
    constexpr std::string_view changes[] = {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"};
    if (std::ranges::count(changes, name))
      fail(loc, "a list of a kernel is a tuple and has no '" + name +
                    "'; make a longer one by '+', as in items = items + [x]");
  }
  if (auto *type = base.as<ClassValue>(); type && name != kConstructor)
    if (auto *method = methodOf(*type->aggregate, name))
      return FunctionValue{method, type->scope, nullptr};
  if (auto *function = base.as<FunctionValue>()) {
    if (name == "__name__")
      return Const(function->function->name);
    if (name == "fn")
      return base;
  }
  if (auto *function = base.as<BuiltinValue>(); function && function->builtin == findBuiltin("dtype") && name == "KIND")
    return Namespace{"triton.language.dtype.KIND"};
  fail(loc, base.describe() + " has no attribute '" + name + "'");
}

Value Emitter::subscript(Loc loc, const Value &base, const Value &index) {
  if (auto *tuple = base.as<Tuple>()) {
    int64_t size = static_cast<int64_t>(tuple->elements.size());
    if (auto *slice = index.as<SliceValue>()) {
      auto bound = [&](const Value &v, int64_t absent) {
        if (v.isNone())
          return absent;
        Int i = constantInt(loc, v, "a slice's bound");
        i = i < 0 ? i + size : i;
        return static_cast<int64_t>(std::clamp<Int>(i, 0, size));
      };
      if (!slice->step->isNone() && constantInt(loc, *slice->step, "a slice's step") != 1)
        fail(loc, "slices of tuples take no step");
      int64_t from = bound(*slice->lower, 0), to = bound(*slice->upper, size);
      Tuple part;
      for (int64_t i = from; i < to; ++i)
        part.elements.push_back(tuple->elements[i]);
      return part;
    }
    Int i = constantInt(loc, index, "a tuple's index");
    if (i < -size || i >= size)
      fail(loc, "the index " + str(i) + " is outside a tuple of " + std::to_string(size));
    return tuple->elements[static_cast<size_t>(i < 0 ? i + size : i)];
  }
  if (base.as<Dictionary>())
    fail(loc, "dictionaries are not part of the kernel language; use a tuple");
  if (auto *c = base.as<Const>(); c && !c->isNumber())
    fail(loc, base.describe() + " cannot be indexed");
  Tensor result = tensor(loc, base, "what is indexed");
  std::vector<Value> parts = elements(index);
  // None adds an axis, ':' and '...' keep axes; a single element of a tile cannot be read.
  int64_t axis = 0;
  bool sawEllipsis = false;
  const bool isScalar = result.shape.empty();
  for (size_t i = 0; i < parts.size(); ++i) {
    const Value &part = parts[i];
    auto *c = part.as<Const>();
    if (c && c->isNone()) {
      // A scalar becomes a tensor of one axis wherever its first None stands, as in Triton.
      if (isScalar && result.shape.empty())
        result = expandDims(loc, result, 0);
      else if (axis > static_cast<int64_t>(result.shape.size()))
        fail(loc, "too many indices for " + base.describe());
      else
        result = expandDims(loc, result, axis);
      ++axis;
    } else if (c && std::holds_alternative<EllipsisValue>(c->value)) {
      // '...' stands for the axes that the ':' after it do not take.
      int64_t behind =
          std::count_if(parts.begin() + i, parts.end(), [](const Value &p) { return p.as<SliceValue>() != nullptr; });
      int64_t target = static_cast<int64_t>(result.shape.size()) - behind;
      if (target < axis || std::exchange(sawEllipsis, true))
        fail(loc, "too many indices for " + base.describe());
      axis = target;
    } else if (auto *slice = part.as<SliceValue>()) {
      if (!slice->lower->isNone() || !slice->upper->isNone() || !slice->step->isNone())
        fail(loc, "a tile can be indexed with ':', None and '...' only; to take a part of it use tl.gather, tl.split "
                  "or a mask");
      if (!isScalar && axis >= static_cast<int64_t>(result.shape.size()))
        fail(loc, "too many indices for " + base.describe());
      ++axis;
    } else {
      fail(loc, "a tile can be indexed with ':', None and '...' only, found " + part.describe() +
                    "; to take single elements use tl.gather or a reduction with tl.where");
    }
  }
  return result;
}

} // namespace tegula::lang
