// Saves and restores buffers around each launch of a tuning candidate: `reset_to_zero` and `restore_value`.
#pragma once

#include "core/runtime/Binding.h"

#include <vector>

namespace tegula {

class SavedBuffers {
public:
  /// Copies the buffers to restore. Throws tegula::Error if a name is no buffer, if a buffer to clear is not dense, or
  /// if there is not enough memory.
  SavedBuffers(const Stream &stream, const Prototype &prototype, const Binding &binding);
  ~SavedBuffers();
  SavedBuffers(const SavedBuffers &) = delete;

  /// Brings all buffers into the state that a launch must find.
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
