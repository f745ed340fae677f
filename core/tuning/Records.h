// The user's tuning records: one SQLite file, `tuning.sqlite` beside the cache of compiled kernels. It is in
// write-ahead mode, so that many processes and threads can read and write it at once.
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
  /// The records in the file that the environment names now; the process has one object for each file. Does not throw.
  static Records &open();
  explicit Records(std::string path);
  ~Records();
  Records(const Records &) = delete;
  const std::string &path() const { return path_; }

  // Look-ups do not throw. A missing file has no records. A file that is damaged, or is no database of Tegula, has none
  // either, and one warning is given. A record with a wrong checksum is ignored and logged.
  std::optional<Record> find(const Record &key) const;
  /// True if there are records for a kernel's name and text on a target, whatever the rest of the key is.
  bool hasKernel(const std::string &kernel, const std::string &source, const std::string &target) const;

  /// Stores records. Creates the file if it is missing, and replaces records with the same keys. Throws tegula::Error.
  void store(const std::vector<Record> &records);
  /// All undamaged records. Throws tegula::Error.
  std::vector<Record> list() const;

private:
  friend class ForkGuard;
  /// The open database; null if the file does not exist and `create` is false. Throws tegula::Error.
  Database *database(bool create) const;
  std::string problemWith(const std::string &why) const;
  template <class Body> auto quietly(Body &&body) const -> decltype(body());

  std::string path_;
  mutable ForkSafeMutex mutex_; // guards the members below
  mutable std::unique_ptr<Database> database_;
  mutable uint64_t identity_ = 0; // of the open file, to detect that it was removed or replaced
  mutable bool warned_ = false;
};

} // namespace tegula::tuning
