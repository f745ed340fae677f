// The device output of one stream, apart from memory and copies, which the driver has: which launch the buffer belongs
// to, when it must be read, and which failure was found.
#pragma once

#include "core/contracts/Backend.h"
#include "core/contracts/DeviceOutput.h"

namespace tegula {

/// Bytes of a print buffer: TEGULA_PRINT_BYTES, or 1 MiB; at least 4 KiB, at most 1 GiB. Throws tegula::Error where the
/// variable is no such number.
size_t outputBytes();

/// Used by one thread at a time. One buffer serves one launch after another: a launch that may print waits for the
/// output of the one before, so that lines come launch by launch. Only launches of one kernel whose messages are all
/// limits of the device share the buffer without waiting.
class DeviceOutputStream {
public:
  using Messages = std::shared_ptr<const std::vector<DeviceMessage>>;

  /// Whether a launch is under way whose output has not been read.
  bool isPending() const { return messages_ != nullptr; }
  /// Whether a launch with these messages needs no buffer of its own: the pending launch is of the same kernel, which
  /// only tests limits. Then begin() is not called for it.
  bool continues(const Messages &messages) const;
  /// A launch has been submitted. Looks up the source lines of its assertions and limits now, because
  /// `request.sourceLine` is valid during the call only.
  void begin(Messages messages, const LaunchRequest &request);
  /// Copies `words` words of the buffer, from word `first` on, to the host.
  using Read = std::function<void(size_t first, uint32_t *to, size_t words)>;
  /// Lines of a launch. The receiver may be the caller's code, which may use the stream: print without a mutex of its.
  class Text {
  public:
    void print() const;

  private:
    friend class DeviceOutputStream;
    std::string lines_;
    std::function<void(std::string_view)> receiver_; // empty: standard output
  };
  /// The launch is done; `read` is called for what it has written into the buffer of `bytes`, and never for words
  /// beyond it, whatever the launch has left in the header. Returns the lines and keeps the first failure for
  /// throwFailure(). If the device failed, call abandon() instead.
  [[nodiscard]] Text finish(size_t bytes, const Read &read);
  /// The device failed: nothing will be read.
  void abandon() { messages_ = nullptr; }
  /// Throws KernelFault for the first assertion that failed since the last call, if one did.
  void throwFailure();

private:
  Messages messages_;
  std::function<void(std::string_view)> receiver_;
  std::vector<std::pair<uint32_t, std::string>> lines_;
  std::optional<Diagnostic> failure_;
};

} // namespace tegula
