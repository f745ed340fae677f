// The cache of compiled kernels on disk. The key contains everything that the result depends on.
//
// One file for each entry, named by a hash of its key: magic, version, checksum, the complete key, the payload. A file
// that is damaged, foreign or of another key with the same hash is treated as absent, and storing replaces it. A file
// is written under a temporary name and renamed, so readers only see complete entries.
//
// Loading an entry renews the time of its file, at most once an hour. Once the entries take more than
// TEGULA_CACHE_BYTES (2 GiB without it), storing removes those that were used longest ago, down to four fifths.
//
// The directory is `kernels` inside $TEGULA_CACHE_DIR, else $TRITON_CACHE_DIR, else ~/.cache/tegula (XDG). Entries are
// programs, so a user who can write entries can run code as their reader. The directory is therefore created with mode
// 0700, and a directory that another user owns or can enter is not used; a warning says so once. Files are opened
// relative to the open directory, so that nobody can exchange it.
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
  /// Opens the cache that the environment variables name now. Does not throw: a cache that cannot be used loads and
  /// stores nothing.
  static DiskCache open();
  /// `directory` contains the entries; it and its parents are created if they are missing.
  explicit DiskCache(const std::string &directory);
  ~DiskCache();
  DiskCache(DiskCache &&other) noexcept;
  DiskCache &operator=(DiskCache &&) = delete;

  bool isUsable() const { return descriptor_ >= 0; }
  /// The directory of the entries; empty if the user has no home directory.
  const std::string &directory() const { return directory_; }

  std::optional<std::vector<uint8_t>> load(const std::string &key) const;
  /// Stores an entry; may remove other entries. A failure, such as a full disk, is logged and leaves the cache
  /// unchanged.
  void store(const std::string &key, std::span<const uint8_t> payload) const;

  struct Entry {
    std::string file; // in `directory()`
    uint64_t bytes = 0;
    std::string key; // empty if the file is damaged or of another version
  };
  std::vector<Entry> list() const;
  /// Removes all entries, and temporary files of interrupted writers, but no other files. Returns the number of removed
  /// entries.
  size_t clear() const;

  static std::string fileName(const std::string &key);

  /// Removes the least recently used entries as `store` does, and files of writers that were interrupted over an hour
  /// ago. Returns the number of removed entries.
  size_t evict(uint64_t limit) const;
  /// The value of TEGULA_CACHE_BYTES, a number with an optional suffix K, M or G for 2^10, 2^20 or 2^30. 2 GiB if it is
  /// unset or malformed.
  static uint64_t limit();

private:
  static constexpr std::string_view kEntrySuffix = ".tgk";
  static constexpr std::string_view kTemporaryPrefix = ".new-";
  bool write(const std::string &key, std::span<const uint8_t> payload) const;
  std::optional<std::vector<uint8_t>> readEntry(const std::string &file, std::string &key) const;

  std::string directory_;
  int descriptor_ = -1;
};

/// Prefix of cache keys for machine code produced by the device driver's compiler. The key continues with the kernel's
/// and the device's names as text, and with a hash of the bytes (`madeOf`) that the driver compiled. KernelEncoding.h
/// builds the keys of Tegula's own artifacts.
inline constexpr std::string_view kDeviceCodeKey = "device code";
std::string deviceCodeKey(const std::string &kernel, const std::string &device, std::span<const uint8_t> madeOf);

/// The directory that contains `kernels`, from the environment; empty if there is none.
std::string cacheBaseDirectory();

} // namespace tegula
