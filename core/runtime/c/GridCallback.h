// Grids of the C interface: arrays, and callbacks that compute a grid from the constants of a launch.
#pragma once

#include "core/runtime/c/Handles.h"

namespace tegula::c {

/// Thrown if the callback returns a status other than TEGULA_OK. The C function that called the callback returns the
/// same status. If a call of the C interface failed inside the callback, the thread's last error stays that of this
/// call.
struct Stopped {
  tegula_status status;
};

/// Converts a C array to a grid. In `int64_t grid[3] = {4}` C sets the omitted axes to 0, so zeros after the last axis
/// that is not 0 count as 1. A zero before that axis makes the grid empty.
template <class Integer> Grid gridOfAxes(const Integer *axes) {
  size_t given = 3;
  while (given > 1 && axes[given - 1] == 0)
    --given;
  return Grid(axes[0], given > 1 ? axes[1] : 1, given > 2 ? axes[2] : 1);
}

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

/// Runs `body`, which may call a grid callback, and returns the status of the C function: the callback's status if that
/// is not TEGULA_OK, else the status that guarded() returns.
template <class Body> tegula_status guardedWithGrid(Body &&body) {
  try {
    return guarded(std::forward<Body>(body));
  } catch (const Stopped &stopped) {
    return stopped.status;
  }
}

} // namespace tegula::c
