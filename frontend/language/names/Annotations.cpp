#include "frontend/language/names/Annotations.h"

#include "frontend/language/host/HostConstants.h"

namespace tegula::lang {
namespace {

std::string_view withoutSpaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// A type by Triton's or Python's name: "fp32", "int64", "int64_t", "float", "bool".
std::optional<ScalarType> typeNamed(std::string text) {
  if (size_t suffix = text.find("_t"); suffix != std::string::npos)
    text.erase(suffix, 2);
  if (text == "int")
    return ScalarType::I32;
  if (text == "float")
    return ScalarType::F32;
  if (text == "double")
    return ScalarType::F64;
  if (text == "half")
    return ScalarType::F16;
  return parseScalarType(text);
}

/// An annotation that is a string: "*fp32", "const *fp32", "fp32*", "tl.int64".
Annotation readText(std::string_view text) {
  Annotation result;
  text = withoutSpaces(text);
  if (text.find("constexpr") != std::string_view::npos) {
    result.isConstexpr = true;
    return result;
  }
  if (text.starts_with("const "))
    text = withoutSpaces(text.substr(6));
  unsigned depth = 0;
  for (;; ++depth) {
    if (text.starts_with("*k"))
      text.remove_prefix(2);
    else if (text.starts_with("*"))
      text.remove_prefix(1);
    else if (text.ends_with("*"))
      text.remove_suffix(1);
    else
      break;
    text = withoutSpaces(text);
  }
  if (text.starts_with("tl."))
    text.remove_prefix(3);
  if (depth <= 1)
    result.type = typeNamed(std::string(text));
  result.isPointer = depth == 1 && result.type;
  return result;
}

/// The last part of the name that the expression's object has: "constexpr" for `tl.constexpr`, for `C` after `from
/// triton.language import constexpr as C`, and after `C = tl.constexpr`.
std::string objectName(const ModuleNames &names, const Expr &expr, unsigned time, unsigned depth = 0) {
  if (auto *attribute = as<AttributeExpr>(&expr))
    return attribute->name;
  auto *name = as<NameExpr>(&expr);
  if (!name)
    return {};
  const ModuleNames::Binding *binding = names.find(name->id, time);
  if (!binding || !binding->isCertain() || depth > 20)
    return name->id;
  const ModuleNames::Definition &definition = binding->candidates[0];
  if (definition.import) {
    std::string path = importedPath(*definition.import);
    return path.substr(path.rfind('.') + 1);
  }
  if (const Expr *value = HostConstants(names, time).assignedValue(name->id))
    return objectName(names, *value, definition.time, depth + 1);
  return name->id;
}

} // namespace

bool isConstexprObject(const ModuleNames &names, const Expr *annotation, unsigned time) {
  return annotation && objectName(names, *annotation, time) == "constexpr";
}

Annotation readAnnotation(const ModuleNames &names, const Expr *annotation, unsigned time) {
  Annotation result;
  if (!annotation)
    return result;
  if (auto *constant = as<ConstantExpr>(annotation)) {
    auto *text = std::get_if<std::string>(&constant->value);
    return text ? readText(*text) : result;
  }
  if (auto *call = as<CallExpr>(annotation)) { // tl.pointer_type(tl.float32)
    bool isPointerType = objectName(names, *call->callee, time) == "pointer_type" && !call->args.empty();
    result.type = isPointerType ? typeNamed(objectName(names, *call->args[0], time)) : std::nullopt;
    result.isPointer = result.type.has_value();
    return result;
  }
  std::string name = objectName(names, *annotation, time);
  result.isConstexpr = name == "constexpr";
  // `Optional[tl.constexpr]`, `tl.constexpr | None`: the type's text holds the word, too.
  if (name.empty())
    forEachChild(*annotation,
                 [&](const Expr &part) { result.isConstexpr |= readAnnotation(names, &part, time).isConstexpr; });
  else if (!result.isConstexpr)
    result.type = typeNamed(name);
  return result;
}

} // namespace tegula::lang
