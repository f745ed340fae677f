// Converts tegula::Error and InternalError, which the rooms throw, to ApiError, which the API throws.
#pragma once

#include "core/runtime/include/tegula/tegula.hpp"
#include "core/support/Diagnostic.h"

#include <new>

namespace tegula {

/// Converts a diagnostic to an error of the API. The message is the formatted diagnostic if that has a location,
/// otherwise only the diagnostic's sentence; it has no line end. If the diagnostic has a `shortage` (the kernel needs
/// more of a resource than the device has), the error's kind is OutOfResources instead of `kind`.
ApiError toApiError(ApiError::Kind kind, const Diagnostic &diagnostic);

/// Runs `body`; a tegula::Error becomes an ApiError of kind `kind`.
template <class F> decltype(auto) translated(ApiError::Kind kind, F &&body) {
  try {
    return body();
  } catch (const ApiError &) {
    throw;
  } catch (const Interrupted &e) {
    throw toApiError(ApiError::Kind::Interrupted, e.diagnostic());
  } catch (const KernelFault &e) {
    throw toApiError(ApiError::Kind::KernelFault, e.diagnostic());
  } catch (const Error &e) {
    throw toApiError(kind, e.diagnostic());
  } catch (const std::bad_alloc &) {
    throw ApiError(ApiError::Kind::Device, "out of host memory");
  } catch (const std::exception &e) {
    throw ApiError(ApiError::Kind::Internal, std::string("internal error: ") + e.what() + "; please report it");
  }
}

} // namespace tegula
