#include "core/tuning/Records.h"

#include "core/support/ByteStream.h"
#include "core/support/DiskCache.h"
#include "core/support/Hash.h"
#include "core/support/Log.h"
#include "core/support/process/Fork.h"

#include <bit>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace tegula::tuning {
namespace {

/// The PRAGMA user_version of Tegula's files; a file with another version is not used.
constexpr int64_t kVersion = 1;

constexpr const char *kCreate = R"(CREATE TABLE IF NOT EXISTS records(
  kernel TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, driver TEXT NOT NULL, build TEXT NOT NULL,
  types TEXT NOT NULL, given TEXT NOT NULL, key TEXT NOT NULL,
  config TEXT NOT NULL, warps INTEGER NOT NULL, stages INTEGER NOT NULL, seconds REAL NOT NULL, spread REAL NOT NULL,
  compared INTEGER NOT NULL, tuned INTEGER NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY(kernel, source, target, driver, build, types, given, key)) WITHOUT ROWID)";
constexpr const char *kColumns = "kernel, source, target, driver, build, types, given, key, config, warps, stages, "
                                 "seconds, spread, compared, tuned, checksum";

/// The checksum of all other columns of the row: SQLite does not detect that a byte of its file has changed.
std::string checksumOf(const Record &record) {
  ByteWriter out;
  for (const std::string *text : {&record.kernel, &record.text, &record.target, &record.driver, &record.build,
                                  &record.types, &record.given, &record.key})
    out.put(*text);
  out.put(toJson(record.config.constants));
  out.put(record.config.numWarps.value_or(0));
  out.put(record.config.numStages.value_or(0));
  out.put(record.seconds);
  out.put(record.spread);
  out.put(record.compared);
  out.put(record.when);
  return toHex(hash128(out.bytes()));
}

/// Throws tegula::Error if the row is damaged.
Record readRow(const Statement &row, const std::string &path) {
  Record record;
  int column = 0;
  for (std::string *text : {&record.kernel, &record.text, &record.target, &record.driver, &record.build, &record.types,
                            &record.given, &record.key})
    *text = row.text(column++);
  record.config.constants = constantsFrom(Json::parse(row.text(column++), path), path);
  for (std::optional<int> *option : {&record.config.numWarps, &record.config.numStages})
    if (int64_t value = row.integer(column++); value > 0 && value <= 32)
      *option = static_cast<int>(value);
  record.seconds = row.real(column++);
  record.spread = row.real(column++);
  record.compared = row.integer(column++);
  record.when = row.integer(column++);
  if (row.text(column) != checksumOf(record))
    throw Error("its checksum does not agree");
  return record;
}

void bindKey(Statement &statement, const Record &key) {
  for (const std::string *text :
       {&key.kernel, &key.text, &key.target, &key.driver, &key.build, &key.types, &key.given, &key.key})
    statement.bind(*text);
}

void insert(const Database &database, const Record &record) {
  Statement statement = database.prepare(std::string("INSERT OR REPLACE INTO records(") + kColumns +
                                         ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  bindKey(statement, record);
  statement.bind(toJson(record.config.constants))
      .bind(int64_t(record.config.numWarps.value_or(0)))
      .bind(int64_t(record.config.numStages.value_or(0)))
      .bind(record.seconds)
      .bind(record.spread)
      .bind(record.compared)
      .bind(record.when)
      .bind(checksumOf(record));
  statement.step();
}

int64_t versionOf(const Database &database) {
  Statement version = database.prepare("PRAGMA user_version");
  return version.step() ? version.integer(0) : 0;
}

/// Initialises a new file. Several processes may find it new at once, and each of them does all of this. While one
/// process changes the journal mode, SQLite reports to the others at once that the file is locked, without waiting; so
/// they try again.
void begin(const Database &database) {
  using Clock = std::chrono::steady_clock;
  for (Clock::time_point end = Clock::now() + std::chrono::milliseconds(kWaitMilliseconds);;) {
    try {
      database.execute("PRAGMA journal_mode=WAL");
      database.execute(kCreate);
      database.execute("PRAGMA user_version=" + std::to_string(kVersion));
      return;
    } catch (const BusyError &) {
      if (Clock::now() > end)
        throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

/// A number made of a file's device and inode number; 0 if the file does not exist.
uint64_t identityOf(const std::string &path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? std::rotl(uint64_t(status.st_dev), 32) ^ uint64_t(status.st_ino) : 0;
}

} // namespace

/// Closes all connections before the process forks; the next use, in the parent or in the child, opens a new one.
/// SQLite forbids that a child uses or closes its parent's connection ("How To Corrupt An SQLite Database File",
/// section 2.6). And if a child opened a new connection beside the old one, SQLite would assume that the process holds
/// the old one's file locks, which fork() does not inherit.
class ForkGuard {
public:
  static ForkGuard &shared() {
    static auto *guard = new ForkGuard; // never destroyed, because it is used during exit
    return *guard;
  }
  void add(Records *records) {
    std::lock_guard lock(mutex_);
    all_.insert(records);
  }
  void remove(Records *records) {
    std::lock_guard lock(mutex_);
    all_.erase(records);
  }

private:
  ForkGuard() {
    addForkHook([] { shared().close(); });
  }
  /// If a fork has waited too long, other threads may hold locks; their connections are not closed.
  void close() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return;
    for (Records *records : all_)
      if (std::unique_lock own(records->mutex_, std::try_to_lock); own)
        records->database_.reset();
  }

  ForkSafeMutex mutex_; // guards `all_`; lock order: before the mutexes of records
  std::set<Records *> all_;
};

Records::Records(std::string path) : path_(std::move(path)) { ForkGuard::shared().add(this); }
Records::~Records() { ForkGuard::shared().remove(this); }

Records &Records::open() {
  static ForkSafeMutex mutex;
  static auto *all = new std::map<std::string, std::unique_ptr<Records>>; // never destroyed: used during exit
  std::string base = cacheBaseDirectory(), path = base.empty() ? std::string() : base + "/tuning.sqlite";
  std::lock_guard lock(mutex);
  std::unique_ptr<Records> &records = (*all)[path];
  if (!records)
    records = std::make_unique<Records>(path);
  return *records;
}

std::string Records::problemWith(const std::string &why) const { return "the tuning records '" + path_ + "': " + why; }

Database *Records::database(bool create) const {
  uint64_t identity = path_.empty() ? 0 : identityOf(path_);
  if (database_ && identity == identity_ && identity)
    return database_.get();
  database_.reset();
  if (!identity && !create)
    return nullptr;
  if (path_.empty())
    throw Error("tuning records cannot be kept: there is no home directory; set TEGULA_CACHE_DIR");
  try {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), failed);
    auto opened = std::make_unique<Database>(path_);
    int64_t found = versionOf(*opened);
    if (found == 0) {
      begin(*opened);
    } else if (found != kVersion) {
      throw Error("its format is " + std::to_string(found) + ", " + std::to_string(kVersion) +
                  " is known; remove the file to begin anew");
    }
    opened->execute("PRAGMA synchronous=NORMAL");
    database_ = std::move(opened);
    identity_ = identityOf(path_);
  } catch (const Error &e) {
    throw Error(problemWith(e.diagnostic().message));
  }
  return database_.get();
}

template <class Body> auto Records::quietly(Body &&body) const -> decltype(body()) {
  std::lock_guard lock(mutex_);
  try {
    return body();
  } catch (const Error &e) {
    database_.reset();
    if (!std::exchange(warned_, true))
      std::fprintf(stderr, "warning: tuning records are not used: %s\n", e.diagnostic().message.c_str());
    return {};
  }
}

std::optional<Record> Records::find(const Record &key) const {
  return quietly([&]() -> std::optional<Record> {
    Database *open = database(false);
    if (!open)
      return std::nullopt;
    Statement statement = open->prepare(
        std::string("SELECT ") + kColumns +
        " FROM records WHERE kernel=? AND source=? AND target=? AND driver=? AND build=? AND types=? AND given=? AND "
        "key=?");
    bindKey(statement, key);
    if (!statement.step())
      return std::nullopt;
    try {
      return readRow(statement, path_);
    } catch (const Error &e) {
      logLine("tuning", "a tuning record of " + key.kernel + " is not used: " + e.diagnostic().message);
      return std::nullopt;
    }
  });
}

bool Records::hasKernel(const std::string &kernel, const std::string &source, const std::string &target) const {
  return quietly([&] {
    Database *open = database(false);
    if (!open)
      return false;
    Statement statement = open->prepare("SELECT 1 FROM records WHERE kernel=? AND source=? AND target=? LIMIT 1");
    statement.bind(kernel).bind(source).bind(target);
    return statement.step();
  });
}

void Records::store(const std::vector<Record> &records) {
  std::lock_guard lock(mutex_);
  Database *open = database(true);
  try {
    open->execute("BEGIN IMMEDIATE");
    for (const Record &record : records)
      insert(*open, record);
    open->execute("COMMIT");
  } catch (const Error &e) {
    database_.reset(); // ends its transaction
    throw Error(problemWith(e.diagnostic().message));
  }
}

std::vector<Record> Records::list() const {
  std::lock_guard lock(mutex_);
  std::vector<Record> records;
  Database *open = database(false);
  if (!open)
    return records;
  try {
    Statement statement = open->prepare(std::string("SELECT ") + kColumns + " FROM records");
    while (statement.step())
      try {
        records.push_back(readRow(statement, path_));
      } catch (const Error &e) {
        logLine("tuning", "a tuning record is not used: " + e.diagnostic().message);
      }
  } catch (const Error &e) {
    database_.reset();
    throw Error(problemWith(e.diagnostic().message));
  }
  return records;
}

} // namespace tegula::tuning
