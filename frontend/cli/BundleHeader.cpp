#include "frontend/cli/BundleHeader.h"
#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace tegula::cli {
namespace {

const std::set<std::string, std::less<>> kReserved = {
    "and", "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue", "default", "delete", "do",
    "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "new", "not", "operator", "or", "private", "public", "register", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "this", "throw", "true", "try", "typename", "union", "using", "void",
    "virtual", "volatile", "while", "xor", "mutable", "typedef", "template", "concept", "requires", "alignas",
    "alignof", "and_eq", "asm", "bitand", "bitor", "char16_t", "char32_t", "char8_t", "co_await", "co_return",
    "co_yield", "compl", "const_cast", "consteval", "constexpr", "constinit", "decltype", "dynamic_cast", "noexcept",
    "not_eq", "nullptr", "or_eq", "reinterpret_cast", "static_assert", "static_cast", "thread_local", "typeid",
    "wchar_t", "xor_eq",
    // macros of the headers and of compilers
    "errno", "linux", "unix",
    // names that the functions use themselves
    "stream", "grid", "options", "kernel", "bundle", "std", "tegula"};

std::string renamed(const std::string &name) { return kReserved.contains(name) ? name + "_" : name; }

/// A name in capitals may be a macro, such as EOF.
std::string parameterName(const std::string &name) {
  bool isInCapitals = std::ranges::none_of(name, [](unsigned char c) { return std::islower(c); });
  return isInCapitals ? name + "_" : renamed(name);
}

void checkName(const std::string &name) {
  bool isName = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && !kReserved.contains(name) &&
                std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!isName)
    throw Error("'" + name + "' is no name of a namespace; give one by --namespace");
}

std::string dtype(ScalarType type) {
  std::string text(name(type));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "tegula::DType::" + text;
}

/// The C++ type of a scalar argument.
std::string scalarType(ScalarType type) {
  if (type == ScalarType::I1)
    return "bool";
  if (isFloat(type))
    return type == ScalarType::F64 ? "double" : "float";
  return std::string(isUnsigned(type) ? "uint" : "int") + std::to_string(bitWidth(type)) + "_t";
}

std::string parameterType(const ParamType &type) {
  switch (type.kind) {
  case ParamType::Kind::Scalar: return "std::same_as<" + scalarType(type.type) + "> auto ";
  case ParamType::Kind::Pointer: return "const tegula::Tensor<" + dtype(type.type) + "> &";
  case ParamType::Kind::Descriptor: return "const tegula::TensorDescriptor &";
  case ParamType::Kind::PointerToPointers: return "const tegula::PointerArray &";
  case ParamType::Kind::Constant: break;
  }
  throw InternalError("a constant has no parameter");
}

/// What the function passes on: integers and doubles with their types, which a launch would choose by the value.
std::string argument(const ParamType &type, const std::string &name) {
  if (type.kind == ParamType::Kind::Constant)
    return "nullptr";
  bool isTyped = type.kind == ParamType::Kind::Scalar &&
                 (isInteger(type.type) ? bitWidth(type.type) > 1 : bitWidth(type.type) == 64);
  if (isTyped)
    return "tegula::TypedScalar{" + dtype(type.type) + ", " +
           (isFloat(type.type) ? "std::bit_cast<std::uint64_t>(" : "static_cast<std::uint64_t>(") + name + ")}";
  return name;
}

std::string function(const BundleFile &bundle, const BundleFile::Instance &instance) {
  const BundleFile::Kernel &kernel = bundle.kernels[instance.kernel];
  std::string parameters, arguments, types;
  size_t next = 0;
  for (const KernelInfo::Param &param : kernel.info.params) {
    if (param.isConstexpr)
      continue;
    const ParamType &type = instance.types[next++];
    std::string name = parameterName(param.name);
    arguments += (arguments.empty() ? "" : ", ") + argument(type, name);
    types += (types.empty() ? "" : ", ") + param.name + ": " + session::describe(type);
    if (type.kind != ParamType::Kind::Constant)
      parameters += ",\n    " + parameterType(type) + name;
  }
  std::string name = renamed(kernel.info.name), code;
  // Two overloads, because a braced grid has no type to deduce.
  for (const char *grid : {"tegula::Grid grid", "const tegula::Kernel::GridFunction &grid"})
    code += "inline void " + name + "(const tegula::Stream &stream, " + grid + parameters +
            ",\n    const tegula::LaunchOptions &options = {}) {\n  static const tegula::Kernel kernel = " +
            "bundle().kernel(\"" + kernel.info.name +
            "\");\n  kernel.launch(stream, grid, std::vector<tegula::Argument>{" + arguments + "}, options);\n}\n";
  return "/// " + kernel.info.name + "(" + types + "), " + std::filesystem::path(kernel.path).filename().string() +
         ":" + std::to_string(kernel.info.line) +
         "\n/// `grid`: programs along the axes, or a function of the constants that gives them.\n" + code;
}

/// Types that make the same C++ function: those of blocks of descriptors do not count.
std::string signatureOf(const BundleFile::Instance &instance) {
  std::string text = std::to_string(instance.kernel);
  for (const ParamType &type : instance.types)
    text += "," + (type.kind == ParamType::Kind::Constant ? std::string("None") : parameterType(type));
  return text;
}

} // namespace

std::string bundleHeader(const BundleFile &bundle, const std::string &name) {
  checkName(name);
  std::string text =
      "// Written by `tegula build`: the kernels of the bundle " + name +
      ".\n// Each function launches its kernel with arguments of exactly these types.\n#pragma once\n\n"
      "#include <bit>\n#include <concepts>\n#include <cstddef>\n#include <cstdint>\n\n#include <tegula/tegula.hpp>\n\n"
      "extern \"C\" const std::byte " +
      name + "_begin[], " + name + "_end[];\n\nnamespace " + name +
      " {\n\n/// The embedded bundle, read at the first call.\ninline const tegula::Bundle &bundle() {\n"
      "  static const tegula::Bundle opened =\n      tegula::Bundle::fromMemory({" +
      name + "_begin, " + name + "_end}, \"" + name + "\");\n  return opened;\n}\n";
  std::set<std::string> written;
  for (const BundleFile::Instance &instance : bundle.instances)
    if (written.insert(signatureOf(instance)).second)
      text += "\n" + function(bundle, instance);
  return text + "\n} // namespace " + name + "\n";
}

std::string bundleSource(const std::string &path, const std::string &name) {
  checkName(name);
  std::string quoted;
  for (char c : path)
    quoted += c == '"' || c == '\\' ? std::string("\\\\\\") + c : std::string(1, c);
  return "/* Written by `tegula build`: the bundle " + name + " as part of a program. */\n__asm__(\n" +
         "    \".section .rodata\\n.balign 16\\n.globl " + name + "_begin\\n" + name +
         "_begin:\\n\"\n    \".incbin \\\"" + quoted + "\\\"\\n\"\n    \".globl " + name + "_end\\n" + name +
         "_end:\\n.byte 0\\n.previous\\n\");\n";
}

} // namespace tegula::cli
