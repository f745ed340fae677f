// SQLite, opened at run time: programs that launch kernels do not need it. Only what records need.
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

/// How long a statement waits for other processes and threads.
inline constexpr int kWaitMilliseconds = 10'000;

/// Another process or thread has locked the database.
class BusyError : public Error {
public:
  using Error::Error;
};

/// A statement that is being bound and stepped. Throws tegula::Error with SQLite's message, BusyError after waiting, or
/// at once where SQLite does not wait: while it changes the journal's mode.
class Statement {
public:
  Statement(const SqliteApi &api, sqlite3 *database, std::string_view sql);
  ~Statement();
  Statement(const Statement &) = delete;

  // Values of the parameters, in order.
  Statement &bind(const std::string &text);
  Statement &bind(int64_t value);
  Statement &bind(double value);
  /// True if there is a row.
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
  /// Opens or creates the file; waits up to 10 s for other writers. Throws tegula::Error: no SQLite on this machine, no
  /// database, a file that cannot be opened, or is a symbolic link; folders may be links. Where the file is none of
  /// SQLite's or damaged, the message says what to do.
  explicit Database(const std::string &path);
  ~Database();
  Database(const Database &) = delete;

  Statement prepare(std::string_view sql) const { return Statement(api_, database_, sql); }
  /// A statement without parameters and results.
  void execute(std::string_view sql) const;

private:
  const SqliteApi &api_;
  sqlite3 *database_ = nullptr;
};

} // namespace tegula::tuning
