#include "core/tuning/Sqlite.h"

#include <dlfcn.h>
#include <filesystem>
#include <sqlite3.h>

namespace tegula::tuning {

/// The functions of SQLite that are used, with the types that its header declares.
struct SqliteApi {
  decltype(&sqlite3_open_v2) open_v2 = nullptr;
  decltype(&sqlite3_close_v2) close_v2 = nullptr;
  decltype(&sqlite3_errmsg) errmsg = nullptr;
  decltype(&sqlite3_busy_timeout) busy_timeout = nullptr;
  decltype(&sqlite3_prepare_v2) prepare_v2 = nullptr;
  decltype(&sqlite3_step) step = nullptr;
  decltype(&sqlite3_finalize) finalize = nullptr;
  decltype(&sqlite3_bind_text) bind_text = nullptr;
  decltype(&sqlite3_bind_int64) bind_int64 = nullptr;
  decltype(&sqlite3_bind_double) bind_double = nullptr;
  decltype(&sqlite3_column_text) column_text = nullptr;
  decltype(&sqlite3_column_bytes) column_bytes = nullptr;
  decltype(&sqlite3_column_int64) column_int64 = nullptr;
  decltype(&sqlite3_column_double) column_double = nullptr;
};

namespace {

template <class Function> bool find(void *library, Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool findAll(void *library, SqliteApi &api) {
  return find(library, api.open_v2, "sqlite3_open_v2") && find(library, api.close_v2, "sqlite3_close_v2") &&
         find(library, api.errmsg, "sqlite3_errmsg") && find(library, api.busy_timeout, "sqlite3_busy_timeout") &&
         find(library, api.prepare_v2, "sqlite3_prepare_v2") && find(library, api.step, "sqlite3_step") &&
         find(library, api.finalize, "sqlite3_finalize") && find(library, api.bind_text, "sqlite3_bind_text") &&
         find(library, api.bind_int64, "sqlite3_bind_int64") && find(library, api.bind_double, "sqlite3_bind_double") &&
         find(library, api.column_text, "sqlite3_column_text") &&
         find(library, api.column_bytes, "sqlite3_column_bytes") &&
         find(library, api.column_int64, "sqlite3_column_int64") &&
         find(library, api.column_double, "sqlite3_column_double");
}

const SqliteApi *load(std::string &problem) {
  static SqliteApi api;
  void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    problem = "libsqlite3.so.0 cannot be opened; install SQLite 3 (Debian: libsqlite3-0)";
  else if (!findAll(library, api))
    problem = "libsqlite3.so.0 lacks functions of SQLite 3";
  return problem.empty() ? &api : nullptr;
}

const SqliteApi &sqlite() {
  static std::string problem;
  static const SqliteApi *api = load(problem);
  if (!api)
    throw Error("tuning records cannot be kept: " + problem);
  return *api;
}

/// The path with links in its folders resolved. SQLITE_OPEN_NOFOLLOW refuses links in any part of a path, but only the
/// file itself must be no link.
std::string withoutLinks(const std::string &path) {
  std::filesystem::path given(path);
  std::error_code failed;
  std::filesystem::path folder =
      std::filesystem::canonical(given.has_parent_path() ? given.parent_path() : ".", failed);
  return failed ? path : (folder / given.filename()).string();
}

[[noreturn]] void fail(int status, const std::string &why) {
  constexpr int kPrimary = 0xff; // mask of the primary code within an extended one
  if ((status & kPrimary) == SQLITE_CORRUPT || (status & kPrimary) == SQLITE_NOTADB)
    throw Error(why + "; remove the file to begin anew");
  if ((status & kPrimary) == SQLITE_BUSY)
    throw BusyError(why);
  throw Error(why);
}

} // namespace

Database::Database(const std::string &path) : api_(sqlite()) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW;
  if (int status = api_.open_v2(withoutLinks(path).c_str(), &database_, flags, nullptr); status != SQLITE_OK) {
    std::string why = database_ ? api_.errmsg(database_) : "out of memory";
    api_.close_v2(database_);
    fail(status, why);
  }
  api_.busy_timeout(database_, kWaitMilliseconds);
}

Database::~Database() { api_.close_v2(database_); }

void Database::execute(std::string_view sql) const {
  Statement statement = prepare(sql);
  while (statement.step()) {
  }
}

Statement::Statement(const SqliteApi &api, sqlite3 *database, std::string_view sql) : api_(api), database_(database) {
  check(api_.prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement::~Statement() { api_.finalize(statement_); }

void Statement::check(int status) const {
  if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE)
    fail(status, api_.errmsg(database_));
}

Statement &Statement::bind(const std::string &text) {
  check(api_.bind_text(statement_, next_++, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  return *this;
}

Statement &Statement::bind(int64_t value) {
  check(api_.bind_int64(statement_, next_++, value));
  return *this;
}

Statement &Statement::bind(double value) {
  check(api_.bind_double(statement_, next_++, value));
  return *this;
}

bool Statement::step() {
  int status = api_.step(statement_);
  check(status);
  return status == SQLITE_ROW;
}

std::string Statement::text(int column) const {
  const unsigned char *bytes = api_.column_text(statement_, column);
  int count = api_.column_bytes(statement_, column);
  return bytes ? std::string(reinterpret_cast<const char *>(bytes), static_cast<size_t>(count)) : std::string();
}

int64_t Statement::integer(int column) const { return api_.column_int64(statement_, column); }
double Statement::real(int column) const { return api_.column_double(statement_, column); }

} // namespace tegula::tuning
