#include "tests/conformance/Memory.h"
#include "core/support/Environment.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace tegula::conformance {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kKeptDays = 60;

int64_t today() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::hours>(now).count() / 24;
}

std::string costKey(const std::string &device, const std::string &name) { return device + " " + name; }

/// Lines of `<number> <text>`; others are left out.
template <class Number> void readLines(const std::string &path, std::map<std::string, Number> &to) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Number number;
    std::string text;
    if (words >> number && words.get() == ' ' && std::getline(words, text))
      to[text] = number;
  }
}

template <class Number> void writeLines(const std::string &path, const std::map<std::string, Number> &lines) {
  std::string part = path + "." + std::to_string(getpid());
  std::ofstream file(part);
  for (const auto &[text, number] : lines)
    file << number << ' ' << text << '\n';
  file.close();
  std::error_code ignored;
  if (file)
    fs::rename(part, path, ignored);
  else
    fs::remove(part, ignored);
}

/// One process at a time reads and writes the files.
class Lock {
public:
  explicit Lock(const std::string &folder)
      : file_(open((folder + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ >= 0)
      flock(file_, LOCK_EX);
  }
  ~Lock() {
    if (file_ >= 0)
      close(file_);
  }
  Lock(const Lock &) = delete;

private:
  int file_;
};

} // namespace

std::string Memory::standardFolder() {
  std::optional<std::string> base = userCacheDirectory();
  return base ? *base + "/tegula/conformance" : "";
}

Memory::Memory(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty())
    return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  Lock lock(folder_);
  readLines(folder_ + "/passed", passed_);
  readLines(folder_ + "/costs", costs_);
}

double Memory::cost(const std::string &device, const std::string &name) const {
  auto found = costs_.find(costKey(device, name));
  return found == costs_.end() ? -1 : found->second;
}

void Memory::setCost(const std::string &device, const std::string &name, double seconds) {
  newCosts_[costKey(device, name)] = seconds;
}

void Memory::save() {
  if (folder_.empty())
    return;
  Lock lock(folder_);
  readLines(folder_ + "/passed", passed_);
  readLines(folder_ + "/costs", costs_);
  for (const std::string &key : used_)
    passed_[key] = today();
  std::erase_if(passed_, [](const auto &entry) { return entry.second < today() - kKeptDays; });
  for (const auto &[key, seconds] : newCosts_)
    costs_[key] = seconds;
  writeLines(folder_ + "/passed", passed_);
  writeLines(folder_ + "/costs", costs_);
}

} // namespace tegula::conformance
