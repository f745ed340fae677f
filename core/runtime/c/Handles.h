// Implements the C interface on top of the C++ interface: each handle holds one object of tegula.hpp; each function
// converts its arguments, makes the call, and converts an ApiError to a status. Rules that both interfaces share belong
// to core/runtime.
#pragma once

#include "core/runtime/KernelImpl.h"
#include "core/runtime/include/tegula/tegula.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/runtime/launch/PreparedLaunch.h"

#include <cstring>

struct tegula_device {
  tegula::Device value;
};
struct tegula_buffer {
  tegula::Buffer value;
};
struct tegula_stream {
  tegula::Stream value;
};
struct tegula_event {
  tegula::Event value;
};
struct tegula_graph {
  tegula::Graph value;
};
struct tegula_kernel {
  tegula::Kernel value;
};
struct tegula_pointers {
  tegula::PointerArray value;
};
struct tegula_launcher {
  tegula::PreparedLaunch value;
};
struct tegula_meta {
  const std::map<std::string, tegula::Constant> &constants;
};

namespace tegula::c {

[[noreturn]] void badUse(const std::string &message);

/// Stores `error` as the calling thread's last error, and returns the status for its kind.
tegula_status failed(const ApiError &error);
/// The number of errors that were set in the calling thread.
size_t failures();

/// Runs `body` and returns TEGULA_OK. If `body` throws, stores the exception as the thread's last error and returns its
/// status.
template <class Body> tegula_status guarded(Body &&body) {
  try {
    body();
    return TEGULA_OK;
  } catch (const ApiError &error) {
    return failed(error);
  } catch (const std::bad_alloc &) {
    return failed(ApiError(ApiError::Kind::Device, "out of host memory"));
  } catch (const std::exception &error) {
    return failed(
        ApiError(ApiError::Kind::Internal, std::string("internal error: ") + error.what() + "; please report it"));
  }
}

/// The object that a pointer argument points to. If the pointer is null, throws an ApiError of kind BadUse, in which
/// `what` names the argument.
template <class T> T &required(T *pointer, const char *what) {
  if (!pointer)
    badUse(std::string(what) + " is null");
  return *pointer;
}

/// Copies a structure of the caller, which may have been compiled with an older or a newer header. Members beyond the
/// structure's `struct_size` are read as zero. Members that this library does not know must be zero.
template <class T> T received(const T *given, const char *what) {
  T known{};
  if (!given)
    return known;
  size_t size = given->struct_size;
  if (size < sizeof(size_t) || size > 4096)
    badUse(std::string(what) + ".struct_size is " + std::to_string(size) + "; set it to sizeof the structure");
  std::memcpy(&known, given, size < sizeof(T) ? size : sizeof(T));
  for (size_t i = sizeof(T); i < size; ++i)
    if (reinterpret_cast<const char *>(given)[i])
      badUse(std::string(what) + " has members that this version of the library does not know; update the library");
  return known;
}

/// Copies `value` to the caller's structure `*out`, at most `struct_size` bytes: with an older header, the caller's
/// structure may lack the last members.
template <class T> void give(T *out, T value, const char *what) {
  size_t size = required(out, what).struct_size;
  if (size < sizeof(size_t) || size > 4096)
    badUse(std::string(what) + "->struct_size is " + std::to_string(size) + "; set it to sizeof the structure");
  value.struct_size = size;
  std::memcpy(out, &value, size < sizeof(T) ? size : sizeof(T));
}

/// Creates a handle and stores it in `*out`.
template <class Handle, class... Values> void make(Handle **out, Values &&...values) {
  Handle *&place = required(out, "out");
  place = new Handle{std::forward<Values>(values)...};
}

DType dtype(tegula_dtype type);
std::vector<int64_t> extents(const int64_t *values, size_t rank, const char *what);
std::string text(const char *given, const char *what);
Constant constant(const tegula_value &value, const char *what);
/// Converts a constant to a C value. The C value of a string points into the constant, so the constant must live as
/// long as the C value.
tegula_value value(const Constant::Value &constant);
tegula_value value(const ConstantValue &constant);

/// The arguments of one launch, converted from the structs of the C interface to the types of the C++ interface:
/// `byName` if they are `named`, else `byPosition`.
struct Arguments {
  Arguments(size_t count, const tegula_argument *given);
  bool named = false;
  std::vector<Argument> byPosition;
  std::map<std::string, Argument> byName;
};
std::map<std::string, Constant> constants(const tegula_constant *given, size_t count);
LaunchOptions launchOptions(const tegula_launch_options &options);

} // namespace tegula::c
