#include "core/tuning/Sqlite.h"

#include "core/support/Diagnostic.h"

#include <dlfcn.h>
#include <sqlite3.h>

namespace tegula::tuning {

/// The functions that are used, with the types that the header declares.
struct SqliteApi {
#define TEGULA_SQLITE(X)                                                                                               \
  X(open_v2)                                                                                                           \
  X(close_v2)                                                                                                          \
  X(errmsg)                                                                                                            \
  X(busy_timeout) X(prepare_v2) X(step) X(finalize) X(bind_text) X(bind_int64) X(bind_double) X(column_text)           \
      X(column_bytes) X(column_int64) X(column_double) X(extended_result_codes)
#define TEGULA_DECLARE(name) decltype(&sqlite3_##name) name = nullptr;
  TEGULA_SQLITE(TEGULA_DECLARE)
#undef TEGULA_DECLARE
};

namespace {

constexpr int kWaitMilliseconds = 10000;

const SqliteApi *load(std::string &problem) {
  void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = "libsqlite3.so.0 cannot be opened; install SQLite 3 (Debian: libsqlite3-0)";
    return nullptr;
  }
  static SqliteApi api;
  bool whole = true;
#define TEGULA_FIND(name)                                                                                              \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "sqlite3_" #name));                                   \
  whole = whole && api.name;
  TEGULA_SQLITE(TEGULA_FIND)
#undef TEGULA_FIND
  if (!whole)
    problem = "libsqlite3.so.0 lacks functions of SQLite 3";
  return whole ? &api : nullptr;
}

const SqliteApi &sqlite() {
  static std::string problem;
  static const SqliteApi *api = load(problem);
  if (!api)
    throw Error("tuning records cannot be kept: " + problem);
  return *api;
}

} // namespace

Database::Database(const std::string &path) : api_(sqlite()) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW;
  if (api_.open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    std::string why = database_ ? api_.errmsg(database_) : "out of memory";
    api_.close_v2(database_);
    throw Error(why);
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
    throw Error(api_.errmsg(database_));
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
