#include "core/runtime/Translate.h"

namespace tegula {

ApiError toApiError(ApiError::Kind kind, const Diagnostic &diagnostic) {
  bool located = !diagnostic.location.file.empty();
  if (!located && diagnostic.notes.empty())
    return ApiError(kind, diagnostic.message);
  std::string text = format(diagnostic);
  while (text.ends_with('\n'))
    text.pop_back();
  return ApiError(kind, text,
                  {diagnostic.location.file, diagnostic.message, diagnostic.location.line, diagnostic.location.column});
}

} // namespace tegula
