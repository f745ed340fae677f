#include "core/support/Files.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tegula {
namespace {

[[noreturn]] void fail(const std::string &path, const std::string &what, int reason) {
  throw Error("cannot " + what + " '" + path + "': " + std::strerror(reason));
}

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int fd) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

/// A file descriptor, and the status of its file.
struct Opened {
  Descriptor file;
  struct stat status{};
  bool isRegular() const { return S_ISREG(status.st_mode); }
};

Opened openToRead(const std::string &path, int flags) {
  Opened opened{Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | flags))};
  if (opened.file.fd < 0 || fstat(opened.file.fd, &opened.status) != 0)
    fail(path, "read", errno);
  if (S_ISDIR(opened.status.st_mode))
    throw Error("cannot read '" + path + "': it is a directory, a file is expected");
  return opened;
}

std::vector<uint8_t> readAll(const std::string &path, const Opened &opened, uint64_t maxBytes) {
  std::vector<uint8_t> bytes;
  auto tooLarge = [&] {
    return Error("cannot read '" + path + "': larger than " + std::to_string(maxBytes) + " bytes" +
                 (opened.isRegular() ? "" : ", the most that is read from what is no regular file"));
  };
  if (opened.isRegular()) {
    if (static_cast<uint64_t>(opened.status.st_size) > maxBytes)
      throw tooLarge();
    bytes.reserve(static_cast<size_t>(opened.status.st_size) + 1); // one byte more, to detect the end without growing
  }
  // The size is only a hint: pipes have none, and a file may grow while it is read.
  constexpr size_t kStep = 1 << 20;
  while (true) {
    size_t have = bytes.size();
    size_t step = bytes.capacity() > have ? std::min(bytes.capacity() - have, kStep) : kStep;
    bytes.resize(have + step);
    ssize_t got = read(opened.file.fd, bytes.data() + have, step);
    if (got < 0 && errno != EINTR)
      fail(path, "read", errno);
    bytes.resize(have + static_cast<size_t>(got > 0 ? got : 0));
    if (got == 0)
      return bytes;
    if (bytes.size() > maxBytes)
      throw tooLarge();
  }
}

} // namespace

std::vector<uint8_t> readFile(const std::string &path, uint64_t maxBytes) {
  Opened opened = openToRead(path, 0);
  return readAll(path, opened, opened.isRegular() ? maxBytes : std::min(maxBytes, kMostStreamed));
}

std::string readTextFile(const std::string &path) {
  std::vector<uint8_t> bytes = readFile(path, kMostText);
  return std::string(bytes.begin(), bytes.end());
}

std::string readRegularText(const std::string &path, uint64_t maxBytes) {
  Opened opened = openToRead(path, O_NONBLOCK | O_NOCTTY);
  if (!opened.isRegular())
    throw Error("cannot read '" + path + "': it is no regular file");
  std::vector<uint8_t> bytes = readAll(path, opened, maxBytes);
  return std::string(bytes.begin(), bytes.end());
}

void writeFile(const std::string &path, std::span<const uint8_t> bytes) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "wbe"), &std::fclose);
  if (!file)
    fail(path, "write", errno);
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  int reason = errno;
  if (std::fclose(file.release()) != 0 && written) {
    written = false;
    reason = errno;
  }
  if (written)
    return;
  // A half-written file must not be taken for a complete one, so it is removed; devices such as /dev/full are not.
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    unlink(path.c_str());
  fail(path, "write", reason);
}

void writeFile(const std::string &path, std::string_view text) {
  writeFile(path, std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

} // namespace tegula
