// What tuning does to buffers around each launch of a candidate: `reset_to_zero` and `restore_value`.
#pragma once

#include "core/runtime/Binding.h"

#include <vector>

namespace tegula {

class SavedBuffers {
public:
  /// Copies the buffers to be restored. Throws tegula::Error: a name that is no buffer, one to be cleared that is not
  /// dense, no memory.
  SavedBuffers(const Stream &stream, const Prototype &prototype, const Binding &binding);
  ~SavedBuffers();
  SavedBuffers(const SavedBuffers &) = delete;

  /// Puts all into the state that a launch is to find.
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
