#include "core/runtime/c/Handles.h"
#include "core/support/ScalarType.h"

namespace tegula::c {
namespace {

thread_local std::string lastMessage_;
thread_local ApiError::Place lastPlace_;
thread_local ApiError::Shortage lastShortage_;
thread_local size_t failures_ = 0;

} // namespace

void badUse(const std::string &message) { throw ApiError(ApiError::Kind::BadUse, message); }

tegula_status failed(const ApiError &error) {
  lastMessage_ = error.what();
  lastPlace_ = error.place();
  lastShortage_ = error.shortage();
  ++failures_;
  return static_cast<tegula_status>(static_cast<int>(error.kind()) + 1);
}

size_t failures() { return failures_; }

DType dtype(tegula_dtype type) {
  if (static_cast<unsigned>(type) >= kScalarTypeCount)
    badUse("unknown element type " + std::to_string(static_cast<int>(type)));
  return static_cast<DType>(type);
}

std::vector<int64_t> extents(const int64_t *values, size_t rank, const char *what) {
  if (rank > 64)
    badUse("a rank of " + std::to_string(rank) + "; at most 8 axes are supported");
  if (rank && !values)
    badUse(std::string(what) + " is null");
  return values ? std::vector<int64_t>(values, values + rank) : std::vector<int64_t>();
}

std::string text(const char *given, const char *what) { return &required(given, what); }

Constant constant(const tegula_value &value, const char *what) {
  switch (value.kind) {
  case TEGULA_NONE: return nullptr;
  case TEGULA_BOOL: return value.as.integer != 0;
  case TEGULA_INTEGER: return value.as.integer;
  case TEGULA_REAL: return value.as.real;
  case TEGULA_TEXT: return text(value.as.text, what);
  case TEGULA_DTYPE: return dtype(value.as.dtype);
  }
  badUse(std::string(what) + " is of the unknown kind " + std::to_string(static_cast<int>(value.kind)));
}

template <class Variant> tegula_value valueOf(const Variant &given) {
  tegula_value result{};
  if (auto *flag = std::get_if<bool>(&given)) {
    result.kind = TEGULA_BOOL;
    result.as.integer = *flag;
  } else if (auto *integer = std::get_if<int64_t>(&given)) {
    result.kind = TEGULA_INTEGER;
    result.as.integer = *integer;
  } else if (auto *real = std::get_if<double>(&given)) {
    result.kind = TEGULA_REAL;
    result.as.real = *real;
  } else if (auto *text = std::get_if<std::string>(&given)) {
    result.kind = TEGULA_TEXT;
    result.as.text = text->c_str();
  } else if (auto *type = std::get_if<std::variant_size_v<Variant> - 1>(&given)) {
    result.kind = TEGULA_DTYPE;
    result.as.dtype = static_cast<tegula_dtype>(*type);
  }
  return result;
}

tegula_value value(const Constant::Value &constant) { return valueOf(constant); }
tegula_value value(const ConstantValue &constant) { return valueOf(constant); }

} // namespace tegula::c

using namespace tegula;
using namespace tegula::c;

tegula_status tegula_require(uint32_t version) {
  return guarded([&] {
    if (version < TEGULA_ABI_OLDEST || version > TEGULA_ABI_VERSION)
      badUse("this program was compiled with version " + std::to_string(version) +
             " of tegula.h, the library serves versions " + std::to_string(TEGULA_ABI_OLDEST) + " to " +
             std::to_string(TEGULA_ABI_VERSION) + "; " +
             (version > TEGULA_ABI_VERSION ? "update the library" : "compile the program again"));
  });
}

uint32_t tegula_abi_version() { return TEGULA_ABI_VERSION; }
const char *tegula_version() { return TEGULA_PROJECT_VERSION; }
const char *tegula_last_error() { return lastMessage_.c_str(); }

tegula_status tegula_last_error_place(tegula_error_place *place) {
  return guarded([&] {
    give(place,
         {0, lastPlace_.file.c_str(), lastPlace_.file.empty() ? lastMessage_.c_str() : lastPlace_.sentence.c_str(),
          lastPlace_.line, lastPlace_.column},
         "place");
  });
}

tegula_status tegula_last_error_shortage(tegula_error_shortage *shortage) {
  return guarded([&] {
    give(shortage, {0, lastShortage_.resource.c_str(), lastShortage_.required, lastShortage_.limit}, "shortage");
  });
}

tegula_status tegula_allow_compiler(int32_t allowed) {
  return guarded([&] { allowCompiler(allowed != 0); });
}

tegula_status tegula_set_interruption(tegula_interruption_callback is_interrupted, void *user) {
  return guarded([&] {
    if (!is_interrupted)
      return setInterruption({});
    setInterruption([is_interrupted, user] { return is_interrupted(user) != 0; });
  });
}

tegula_status tegula_set_diagnostics(tegula_diagnostic_callback callback, void *user) {
  return guarded([&] {
    if (!callback)
      return setDiagnostics({});
    setDiagnostics([callback, user](Severity severity, const std::string &text) {
      callback(user, static_cast<tegula_severity>(severity), text.c_str());
    });
  });
}

tegula_status tegula_dtype_parse(const char *text, tegula_dtype *out) {
  return guarded([&] { required(out, "out") = static_cast<tegula_dtype>(parseDType(&required(text, "text"))); });
}

const char *tegula_dtype_name(tegula_dtype type) {
  return static_cast<unsigned>(type) < kScalarTypeCount ? name(static_cast<DType>(type)).data() : nullptr;
}

size_t tegula_dtype_bytes(tegula_dtype type) {
  return static_cast<unsigned>(type) < kScalarTypeCount ? byteSize(static_cast<DType>(type)) : 0;
}
