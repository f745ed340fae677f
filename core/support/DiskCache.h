// The cache on disk: results of the compiler by everything that they depend on.
//
// One file an entry, named by a hash of its key: magic, version, checksum, the complete key, the payload. An entry is
// used only where all of it is as expected; a damaged, foreign or colliding one is no entry, and storing replaces it.
// Files are written under another name and renamed, so readers see whole entries, whatever the writers do.
//
// The directory is `kernels` inside $TEGULA_CACHE_DIR, else $TRITON_CACHE_DIR, else ~/.cache/tegula (XDG). Entries are
// programs: whoever can write them runs code as the user. So the directory is made with mode 0700, and one that belongs
// to somebody else or that others can enter is not used; a warning says so once. Files are reached from the open
// directory, never again through its path.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

class DiskCache {
public:
  /// As the environment says now. Throws nothing: a cache that cannot be used loads and stores nothing.
  static DiskCache open();
  /// `directory` holds the entries; made with its parents where missing.
  explicit DiskCache(const std::string &directory);
  ~DiskCache();
  DiskCache(DiskCache &&other) noexcept;
  DiskCache &operator=(DiskCache &&) = delete;

  bool isUsable() const { return descriptor_ >= 0; }
  /// Where entries go; empty where there is no home directory.
  const std::string &directory() const { return directory_; }

  std::optional<std::vector<uint8_t>> load(const std::string &key) const;
  /// A failure (a full disk) is logged and leaves the former state.
  void store(const std::string &key, std::span<const uint8_t> payload) const;

  struct Entry {
    std::string file; // in `directory()`
    uint64_t bytes = 0;
    std::string key; // empty where damaged or of another version
  };
  std::vector<Entry> list() const;
  /// Removes entries, and what interrupted writers left; other files stay. Returns how many entries it removed.
  size_t clear() const;

  static std::string fileName(const std::string &key);

private:
  std::optional<std::vector<uint8_t>> readEntry(const std::string &file, std::string &key) const;

  std::string directory_;
  int descriptor_ = -1;
};

/// The first part of keys of what a device's own compiler made of a kernel; then the kernel and the device as text, and
/// what it was made of. Other keys: KernelEncoding.h.
inline constexpr std::string_view kDeviceCodeKey = "device code";
std::string deviceCodeKey(const std::string &kernel, const std::string &device, std::span<const uint8_t> madeOf);

/// The directory that the environment names, before `kernels`; empty where there is none.
std::string cacheBaseDirectory();

/// A line on standard error where TEGULA_LOG is set.
void logLine(const std::string &line);

} // namespace tegula
