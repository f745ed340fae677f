// What a parameter's annotation says, as Triton reads it. Triton looks at the name of the object that Python found, or
// at the text where the annotation is a string (quoted, or all of them under `from __future__ import annotations`):
//
//   B: tl.constexpr    B: "tl.constexpr"    B: "constexpr"     a constant; "constexpr" anywhere in the text is enough
//   n: tl.int64        n: "i64"    n: "int64_t"    n: int      the number is passed in this type (int is i32)
//   p: "*fp16"         p: tl.pointer_type(tl.float16)          a pointer to this type
//
// Other annotations say nothing.
#pragma once

#include "core/support/ScalarType.h"
#include "frontend/language/names/ModuleNames.h"

namespace tegula::lang {

struct Annotation {
  bool isConstexpr = false;
  std::optional<ScalarType> type; // of the number, or of what the pointer points to
  bool isPointer = false;         // of `type`
};

/// `annotation` may be null. `time` is that of the function, for names of the module.
Annotation readAnnotation(const ModuleNames &names, const Expr *annotation, unsigned time);

/// Whether the annotation of a variable in a kernel is `tl.constexpr`. There a string says nothing, because Triton
/// evaluates the annotation.
bool isConstexprObject(const ModuleNames &names, const Expr *annotation, unsigned time);

} // namespace tegula::lang
