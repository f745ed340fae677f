// Grids that a callback of the caller's computes from the constants of a launch.
#pragma once

#include "core/runtime/c/Handles.h"

namespace tegula::c {

/// Thrown if the callback returns a status other than TEGULA_OK. The interface's function returns that status, too; its
/// message is the one of the call that failed within the callback, if there was one.
struct Stopped {
  tegula_status status;
};

inline Kernel::GridFunction gridFunction(const tegula_launch_options &options) {
  return [callback = options.grid, user = options.grid_user](const std::map<std::string, Constant> &constants) {
    tegula_meta meta{constants};
    int64_t axes[3] = {1, 1, 1};
    size_t before = failures();
    if (tegula_status status = callback(user, &meta, axes)) {
      if (failures() == before)
        failed(ApiError(ApiError::Kind::BadUse, "the grid function returned status " + std::to_string(int(status))));
      throw Stopped{status};
    }
    return Grid(axes[0], axes[1], axes[2]);
  };
}

/// As `guarded`, for calls that may call a grid callback.
template <class Body> tegula_status guardedWithGrid(Body &&body) {
  try {
    return guarded(std::forward<Body>(body));
  } catch (const Stopped &stopped) {
    return stopped.status;
  }
}

} // namespace tegula::c
