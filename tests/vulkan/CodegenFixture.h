// Compiles simt modules for each Vulkan device of the machine and runs them there, and in the simt executor on the same
// bytes.
#pragma once

#include "core/contracts/Compiler.h"
#include "tests/vulkan/DriverFixture.h"

#include <cstring>
#include <string>

namespace tegula::vulkan::test {

using Bytes = std::vector<std::byte>;

template <class T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The artifact of a module for a target. Fails the test where compilation fails.
Artifact compileFor(const std::string &text, const std::string &target);
/// The formatted message of the failing compilation.
std::string compileError(const std::string &text, const std::string &target);
/// The text with each occurrence of `first` replaced by `second`, for each pair.
std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>> &by);

class CodegenTest : public VulkanDevice {
protected:
  /// The device's own target, and the lanes of a warp in it.
  std::string target() const { return driver_->info().target; }
  uint32_t lanes() const { return facts().subgroupSize; }

  /// Compiles for this device, validates the module, runs it on copies of the buffers (one for each pointer, in order)
  /// with the scalars' bits. Returns the buffers.
  std::vector<Bytes> runHere(const std::string &text, const std::vector<Bytes> &buffers,
                             const std::vector<uint64_t> &scalars = {}, std::array<uint32_t, 3> grid = {1, 1, 1});
  /// Runs the module in the simt executor; its reports fail the test.
  static std::vector<Bytes> runInExecutor(const std::string &text, std::vector<Bytes> buffers,
                                          const std::vector<uint64_t> &scalars = {},
                                          std::array<uint32_t, 3> grid = {1, 1, 1});
  /// Device and executor agree bit for bit.
  void expectSame(const std::string &text, const std::vector<Bytes> &buffers, const std::vector<uint64_t> &scalars = {},
                  std::array<uint32_t, 3> grid = {1, 1, 1});
  /// A kernel @k of `warps` warps of this device's lanes around a body. The body can use pointers %x to `in` and %o to
  /// `out`, thread %t, lane %l, warp %w, constants %c0, %c1, %c2, %c4, %c8.
  std::string body(const std::string &text, const std::string &in, const std::string &out, uint32_t warps = 2) const;
};

} // namespace tegula::vulkan::test
