// The parts of SQLite that records need. The library is opened at run time, because programs that only launch kernels
// do not need it.
#pragma once

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tegula::tuning {

struct SqliteApi;

/// How long a statement waits for locks of other processes and threads.
inline constexpr int kWaitMilliseconds = 10'000;

/// Another process or thread has locked the database.
class BusyError : public Error {
public:
  using Error::Error;
};

/// A statement whose parameters are bound and whose rows are read. Throws tegula::Error with SQLite's message. Throws
/// BusyError after waiting, or at once while another process changes the journal mode, for which SQLite does not wait.
class Statement {
public:
  Statement(const SqliteApi &api, sqlite3 *database, std::string_view sql);
  ~Statement();
  Statement(const Statement &) = delete;

  // Bind the next parameter.
  Statement &bind(const std::string &text);
  Statement &bind(int64_t value);
  Statement &bind(double value);
  /// Advances to the next row; false if there is none.
  bool step();
  std::string text(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;

private:
  void check(int status) const;

  const SqliteApi &api_;
  sqlite3 *database_;
  sqlite3_stmt *statement_ = nullptr;
  int next_ = 1;
};

class Database {
public:
  /// Opens or creates the file; waits up to 10 s for other writers. Throws tegula::Error: SQLite is not installed, the
  /// file is no database, it cannot be opened, or it is a symbolic link (folders may be links). If the file is damaged
  /// or no file of SQLite, the message says what to do.
  explicit Database(const std::string &path);
  ~Database();
  Database(const Database &) = delete;

  Statement prepare(std::string_view sql) const { return Statement(api_, database_, sql); }
  /// Executes a statement that has neither parameters nor results.
  void execute(std::string_view sql) const;

private:
  const SqliteApi &api_;
  sqlite3 *database_ = nullptr;
};

} // namespace tegula::tuning
