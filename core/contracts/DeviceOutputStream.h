// Tracks the device output of one stream: which launch the buffer belongs to, when it must be read, and the failure
// that was found. Memory and copies are the driver's task.
#pragma once

#include "core/contracts/Backend.h"
#include "core/contracts/DeviceOutput.h"

namespace tegula {

/// The bytes of a print buffer: TEGULA_PRINT_BYTES, or 1 MiB by default; at least 4 KiB, at most 1 GiB. Throws
/// tegula::Error if the variable is no such number.
size_t outputBytes();

/// Must be used by one thread at a time. One buffer serves all launches: a launch that may print waits for the previous
/// launch's output, so that lines are printed launch by launch. Only launches of one kernel whose messages are all
/// limits of the device share the buffer without waiting.
class DeviceOutputStream {
public:
  using Messages = std::shared_ptr<const std::vector<DeviceMessage>>;

  /// True if a launch was submitted whose output has not been read.
  bool isPending() const { return messages_ != nullptr; }
  /// True if a launch with these messages can share the buffer with the pending launch: that one is of the same kernel,
  /// which only tests limits. Then begin() is not called for the launch.
  bool continues(const Messages &messages) const;
  /// Called after a launch was submitted. Looks up the source lines of its assertions and limits, because
  /// `request.sourceLine` is valid only during this call.
  void begin(Messages messages, const LaunchRequest &request);
  /// Copies `words` words of the buffer, from word `first` on, to the host.
  using Read = std::function<void(size_t first, uint32_t *to, size_t words)>;
  /// The lines of a launch. Their receiver may be the caller's code, which may use the stream: call print() without
  /// holding the stream's mutex.
  class Text {
  public:
    void print() const;

  private:
    friend class DeviceOutputStream;
    std::string lines_;
    std::function<void(std::string_view)> receiver_; // empty: standard output
  };
  /// Called when the launch is done. Calls `read` for the words that it has written into the buffer of `bytes` bytes,
  /// and never for words beyond the buffer, even if the header is corrupt. Returns the lines, and keeps the first
  /// failure for throwFailure(). If the device failed, call abandon() instead.
  [[nodiscard]] Text finish(size_t bytes, const Read &read);
  /// Called if the device failed: the output is not read.
  void abandon() { messages_ = nullptr; }
  /// Throws KernelFault for the first assertion that has failed since the last call, if there is one.
  void throwFailure();

private:
  Messages messages_;
  std::function<void(std::string_view)> receiver_;
  std::vector<std::pair<uint32_t, std::string>> lines_;
  std::optional<Diagnostic> failure_;
};

} // namespace tegula
