// Saves the contents of buffers before a measurement, and before each launch of a candidate clears the buffers named in
// `reset_to_zero` of @triton.autotune and restores those named in `restore_value`.
#pragma once

#include "core/runtime/Binding.h"

#include <vector>

namespace tegula {

class SavedBuffers {
public:
  /// Saves the contents of the buffers in `restore_value`. Throws tegula::Error if a name in one of the lists is no
  /// argument that is a buffer, if a buffer to clear is not dense, or if there is not enough memory.
  SavedBuffers(const Stream &stream, const Prototype &prototype, const Binding &binding);
  ~SavedBuffers();
  SavedBuffers(const SavedBuffers &) = delete;

  /// Prepares the buffers for the next launch: clears those in `reset_to_zero`, and copies the saved contents back to
  /// those in `restore_value`.
  void prepare() const;
  bool isEmpty() const { return cleared_.empty() && saved_.empty(); }

private:
  explicit SavedBuffers(const Stream &stream) : stream_(stream) {}
  struct Saved {
    const Buffer::Impl *buffer;
    DeviceMemory copy;
  };
  const Stream &stream_;
  std::vector<const Buffer::Impl *> cleared_;
  std::vector<Saved> saved_;
};

} // namespace tegula
