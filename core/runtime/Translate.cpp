#include "core/runtime/Translate.h"

namespace tegula {

ApiError toApiError(ApiError::Kind kind, const Diagnostic &diagnostic) {
  const SourceLocation &location = diagnostic.location;
  std::string text = diagnostic.message;
  ApiError::Place place;
  if (!location.file.empty() || !diagnostic.notes.empty()) {
    text = format(diagnostic);
    while (text.ends_with('\n'))
      text.pop_back();
    place = {location.file, diagnostic.message, location.line, location.column};
  }
  if (const std::optional<Shortage> &lacking = diagnostic.shortage)
    return ApiError({lacking->resource, lacking->required, lacking->limit}, text, place);
  return ApiError(kind, text, place);
}

} // namespace tegula
