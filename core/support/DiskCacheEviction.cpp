// Keeps the size of the cache on disk below its limit.
#include "core/support/DiskCache.h"
#include "core/support/Environment.h"
#include "core/support/Log.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace tegula {
namespace {

constexpr uint64_t kDefaultBytes = uint64_t(2) << 30;
constexpr time_t kLeftoverSeconds = 3600;

struct File {
  std::string name;
  uint64_t bytes;
  timespec used;
};

bool isOlder(const File &a, const File &b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
}

} // namespace

uint64_t DiskCache::limit() {
  const char *text = environmentValue(Variable::CacheBytes);
  uint64_t bytes = 0;
  if (!text)
    return kDefaultBytes;
  const char *end = text + std::strlen(text);
  auto [at, error] = std::from_chars(text, end, bytes);
  if (error != std::errc())
    return kDefaultBytes;
  unsigned shift = 0;
  if (at != end)
    switch (*at++) {
    case 'K': shift = 10; break;
    case 'M': shift = 20; break;
    case 'G': shift = 30; break;
    default: return kDefaultBytes;
    }
  return at == end && bytes <= UINT64_MAX >> shift ? bytes << shift : kDefaultBytes;
}

size_t DiskCache::evict(uint64_t limit) const {
  int copy = isUsable() ? openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  std::unique_ptr<DIR, int (*)(DIR *)> stream(copy >= 0 ? fdopendir(copy) : nullptr, &closedir);
  if (!stream)
    return 0;
  std::vector<File> files;
  uint64_t total = 0;
  while (dirent *item = readdir(stream.get())) {
    struct stat status{};
    std::string name = item->d_name;
    bool isLeftover = name.starts_with(kTemporaryPrefix);
    if ((!isLeftover && !name.ends_with(kEntrySuffix)) ||
        fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (isLeftover) {
      if (time(nullptr) - status.st_mtime > kLeftoverSeconds)
        unlinkat(descriptor_, name.c_str(), 0);
      continue;
    }
    total += static_cast<uint64_t>(status.st_size);
    files.push_back({std::move(name), static_cast<uint64_t>(status.st_size), status.st_mtim});
  }
  if (total <= limit)
    return 0;
  std::ranges::sort(files, isOlder);
  size_t removed = 0;
  for (const File &file : files) {
    if (total <= limit / 5 * 4)
      break;
    // Another process may have removed the file, which frees its bytes as well. Readers keep the file that they have
    // opened.
    removed += unlinkat(descriptor_, file.name.c_str(), 0) == 0;
    total -= file.bytes;
  }
  logLine("cache",
          std::to_string(removed) + " entries that were used longest ago are removed from '" + directory_ + "'");
  return removed;
}

} // namespace tegula
