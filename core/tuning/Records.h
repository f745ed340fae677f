// The user's tuning records: one SQLite file, `tuning.sqlite` beside the cache of compiled kernels, in write-ahead
// mode, which many processes and threads read and write at once.
#pragma once

#include "core/support/process/Fork.h"
#include "core/tuning/Config.h"
#include "core/tuning/Sqlite.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

class Records {
public:
  /// The records that the environment names at this moment; one object a file in the process. Does not throw.
  static Records &open();
  explicit Records(std::string path);
  ~Records();
  Records(const Records &) = delete;
  const std::string &path() const { return path_; }

  // Look-ups do not throw: a file that is absent has no records, and one that is no database of ours, or is damaged,
  // has none either, which a warning says once. A record whose checksum does not agree is not used, and logged.
  std::optional<Record> find(const Record &key) const;
  /// Whether there are records for a kernel's name and source on a target, whatever the rest of the key.
  bool hasKernel(const std::string &kernel, const std::string &source, const std::string &target) const;

  /// Creates the file if it is absent; a record with the same key is replaced. Throws tegula::Error.
  void store(const std::vector<Record> &records);
  /// All of them that are whole. Throws tegula::Error.
  std::vector<Record> list() const;

private:
  friend class ForkGuard;
  /// The open database; null where there is no file and `create` is false. Throws tegula::Error.
  Database *database(bool create) const;
  std::string problemWith(const std::string &why) const;
  template <class Body> auto quietly(Body &&body) const -> decltype(body());

  std::string path_;
  mutable ForkSafeMutex mutex_; // guards all below
  mutable std::unique_ptr<Database> database_;
  mutable uint64_t identity_ = 0; // of the open file: it may be removed while it is open
  mutable bool warned_ = false;
};

} // namespace tegula::tuning
