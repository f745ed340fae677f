#include "core/support/DiskCache.h"
#include "core/support/ByteStream.h"
#include "core/support/Environment.h"
#include "core/support/Hash.h"
#include "core/support/Log.h"
#include "core/support/process/Fork.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace tegula {
namespace {

constexpr std::string_view kEntryMagic = "TGULACHE";
constexpr uint32_t kEntryVersion = 1;
constexpr off_t kMaxEntryBytes = off_t(1) << 30;
constexpr time_t kRenewSeconds = 3600; // age at which a file's time is renewed, or a leftover file is removed

void warnOnce(const std::string &directory, const std::string &why) {
  static ForkSafeMutex mutex;
  static auto *warned = new std::set<std::string>;
  std::lock_guard lock(mutex);
  if (warned->insert(directory).second)
    std::fprintf(stderr, "warning: the kernel cache '%s' is not used: %s\n", directory.c_str(), why.c_str());
}

/// Creates the last component with mode 0700, and its parents with modes by the user's umask.
bool makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (mkdir(path.substr(0, slash).c_str(), 0777 & ~S_IWGRP & ~S_IWOTH) != 0 && errno != EEXIST)
      return false;
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

/// The reason why a directory must not be trusted; empty if it may be.
std::string distrust(const struct stat &status) {
  if (!S_ISDIR(status.st_mode))
    return "it is not a directory";
  if (status.st_uid != geteuid())
    return "it belongs to another user";
  if (status.st_mode & (S_IRWXG | S_IRWXO))
    return "others can enter it; chmod 700 it";
  return {};
}

/// The reason why a parent directory must not be trusted: a user who may rename entries in it can replace the cache's
/// directory by another one. The sticky bit prevents that.
std::string distrustParent(const struct stat &status) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return "the directory around it belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) && !(status.st_mode & S_ISVTX))
    return "others can write the directory around it; chmod go-w it";
  return {};
}

int openTrusted(const std::string &path) {
  if (!makeDirectories(path)) {
    warnOnce(path, std::string("it cannot be made: ") + std::strerror(errno));
    return -1;
  }
  struct stat status{};
  size_t slash = path.rfind('/');
  std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  std::string why;
  if (stat(parent.c_str(), &status) == 0)
    why = distrustParent(status);
  int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0)
    why = std::strerror(errno);
  else if (why.empty())
    why = fstat(descriptor, &status) == 0 ? distrust(status) : std::strerror(errno);
  if (why.empty())
    return descriptor;
  warnOnce(path, why);
  if (descriptor >= 0)
    close(descriptor);
  return -1;
}

bool writeAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool readAll(int file, std::vector<uint8_t> &bytes) {
  size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = read(file, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    have += static_cast<size_t>(got);
  }
  return true;
}

} // namespace

std::string cacheBaseDirectory() {
  for (Variable variable : {Variable::CacheDir, Variable::TritonCacheDir})
    if (const char *value = environmentValue(variable))
      return value;
  std::optional<std::string> user = userCacheDirectory();
  return user ? *user + "/tegula" : std::string();
}

DiskCache DiskCache::open() {
  std::string base = cacheBaseDirectory();
  while (base.size() > 1 && base.back() == '/')
    base.pop_back();
  return DiskCache(base.empty() ? base : base + "/kernels");
}

DiskCache::DiskCache(const std::string &directory) : directory_(directory) {
  if (directory.empty())
    warnOnce("~/.cache/tegula", "there is no home directory; set TEGULA_CACHE_DIR");
  else
    descriptor_ = openTrusted(directory);
}

DiskCache::~DiskCache() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

DiskCache::DiskCache(DiskCache &&other) noexcept
    : directory_(std::move(other.directory_)), descriptor_(other.descriptor_) {
  other.descriptor_ = -1;
}

std::string deviceCodeKey(const std::string &kernel, const std::string &device, std::span<const uint8_t> madeOf) {
  ByteWriter out;
  out.put(kDeviceCodeKey);
  out.put(kernel);
  out.put(device);
  out.putRaw(hash128(madeOf));
  return std::string(out.bytes().begin(), out.bytes().end());
}

std::string DiskCache::fileName(const std::string &key) { return toHex(hash128(key)) + std::string(kEntrySuffix); }

std::optional<std::vector<uint8_t>> DiskCache::readEntry(const std::string &file, std::string &key) const {
  int descriptor = openat(descriptor_, file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status{};
  std::vector<uint8_t> bytes;
  bool whole = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
               status.st_size <= kMaxEntryBytes;
  if (whole) {
    bytes.resize(static_cast<size_t>(status.st_size));
    whole = readAll(descriptor, bytes);
    if (time(nullptr) - status.st_mtime > kRenewSeconds)
      futimens(descriptor, nullptr); // now
  }
  close(descriptor);
  if (!whole)
    return std::nullopt;
  try {
    ByteReader in(bytes);
    std::span<const uint8_t> magic = in.getRaw(kEntryMagic.size());
    if (!std::equal(magic.begin(), magic.end(), kEntryMagic.begin()))
      throw Error("foreign");
    if (auto version = in.get<uint32_t>(); version != kEntryVersion)
      throw Error("of version " + std::to_string(version));
    std::span<const uint8_t> stored = in.getRaw(sizeof(Hash128));
    Hash128 sum = hash128(std::span<const uint8_t>(bytes).last(in.left()));
    if (!std::equal(sum.begin(), sum.end(), stored.begin()))
      throw Error("damaged: its checksum does not agree");
    std::span<const uint8_t> keyBytes = in.getBytes(), payload = in.getBytes();
    if (in.left())
      throw Error("damaged: bytes after its end");
    key.assign(keyBytes.begin(), keyBytes.end());
    return std::vector<uint8_t>(payload.begin(), payload.end());
  } catch (const Error &e) {
    logLine("cache", "cache entry " + file + " is not used: " + e.diagnostic().message);
    return std::nullopt;
  }
}

std::optional<std::vector<uint8_t>> DiskCache::load(const std::string &key) const {
  if (!isUsable())
    return std::nullopt;
  std::string stored;
  std::optional<std::vector<uint8_t>> payload = readEntry(fileName(key), stored);
  return payload && stored == key ? payload : std::nullopt;
}

void DiskCache::store(const std::string &key, std::span<const uint8_t> payload) const {
  if (!isUsable() || !write(key, payload))
    return;
  // Scanning all files at each store would cost more than the store itself. Therefore they are scanned at the process's
  // first store, and again whenever the process has stored 1/32 of the limit.
  static std::atomic<uint64_t> stored = UINT64_MAX / 2;
  uint64_t most = limit();
  if (stored.fetch_add(payload.size()) + payload.size() < most / 32)
    return;
  stored = 0;
  evict(most);
}

bool DiskCache::write(const std::string &key, std::span<const uint8_t> payload) const {
  ByteWriter body;
  body.putBytes(std::span(reinterpret_cast<const uint8_t *>(key.data()), key.size()));
  body.putBytes(payload);
  ByteWriter out;
  out.putRaw(std::span(reinterpret_cast<const uint8_t *>(kEntryMagic.data()), kEntryMagic.size()));
  out.put(kEntryVersion);
  out.putRaw(hash128(body.bytes()));
  out.putRaw(body.bytes());

  // Process ids repeat across containers that share a directory, so a random number is used.
  static const uint32_t process = std::random_device()();
  static std::atomic<uint64_t> counter = 0;
  std::string temporary = std::string(kTemporaryPrefix) + std::to_string(getpid()) + "-" + std::to_string(process) +
                          "-" + std::to_string(counter++);
  int file = openat(descriptor_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool written = file >= 0 && writeAll(file, out.bytes());
  if (file >= 0)
    written = close(file) == 0 && written;
  if (written && renameat(descriptor_, temporary.c_str(), descriptor_, fileName(key).c_str()) == 0)
    return true;
  logLine("cache", "cannot store a cache entry in '" + directory_ + "': " + std::strerror(errno));
  unlinkat(descriptor_, temporary.c_str(), 0);
  return false;
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  std::vector<Entry> entries;
  int copy = isUsable() ? openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  std::unique_ptr<DIR, int (*)(DIR *)> stream(copy >= 0 ? fdopendir(copy) : nullptr, &closedir);
  if (!stream)
    return entries;
  while (dirent *item = readdir(stream.get())) {
    Entry entry;
    entry.file = item->d_name;
    if (!entry.file.ends_with(kEntrySuffix) || entry.file.starts_with('.'))
      continue;
    struct stat status{};
    if (fstatat(descriptor_, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    entry.bytes = static_cast<uint64_t>(status.st_size);
    readEntry(entry.file, entry.key);
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.file < b.file; });
  return entries;
}

size_t DiskCache::clear() const {
  size_t removed = 0;
  int copy = isUsable() ? openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  std::unique_ptr<DIR, int (*)(DIR *)> stream(copy >= 0 ? fdopendir(copy) : nullptr, &closedir);
  if (!stream)
    return removed;
  while (dirent *item = readdir(stream.get())) {
    std::string_view file = item->d_name;
    bool isEntry = file.ends_with(kEntrySuffix);
    if ((isEntry || file.starts_with(kTemporaryPrefix)) && unlinkat(descriptor_, item->d_name, 0) == 0)
      removed += isEntry;
  }
  return removed;
}

} // namespace tegula
