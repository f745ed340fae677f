#include "core/tuning/TableFiles.h"

#include "core/support/Environment.h"
#include "core/support/Files.h"
#include "core/support/process/Fork.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

namespace tegula::tuning {
namespace {

/// `share/tegula/tuning` beside the folder of the library or program that contains this code.
std::string installedFolder() {
  Dl_info info{};
  static const char anchor = 0;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return {};
  std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  return (folder / "../share/tegula/tuning").string();
}

/// Adds FOLDER/BACKEND/NAME; for an unknown backend, that file in all subfolders.
void addOfBackend(std::vector<std::string> &files, const std::string &folder, const std::string &backend,
                  const std::string &name) {
  if (!backend.empty()) {
    files.push_back(folder + "/" + backend + "/" + name);
    return;
  }
  std::error_code failed;
  std::vector<std::string> found;
  for (const auto &entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.is_directory(failed))
      found.push_back(entry.path().string() + "/" + name);
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

/// The files in the order in which they are read. A folder of TEGULA_TUNING_PATH is organised like the installed one,
/// or contains the files directly.
std::vector<std::string> candidates(const std::string &backend, const std::string &target, const std::string &path) {
  std::string name = fileNameOf(target) + ".json";
  std::vector<std::string> files;
  for (const std::string &item : split(path, ':')) {
    std::error_code failed;
    if (!std::filesystem::is_directory(item, failed)) {
      files.push_back(item);
      continue;
    }
    addOfBackend(files, item, backend, name);
    files.push_back(item + "/" + name);
  }
  size_t named = files.size();
  addOfBackend(files, installedFolder(), backend, name);
  // A file that TEGULA_TUNING_PATH names must exist; a folder need not contain one.
  std::vector<std::string> found;
  for (size_t i = 0; i < files.size(); ++i) {
    std::error_code failed;
    bool inFolder = i >= named || files[i].ends_with("/" + name);
    if (!inFolder || std::filesystem::exists(files[i], failed))
      found.push_back(files[i]);
  }
  return found;
}

std::vector<Row> readAll(const std::string &backend, const std::string &target, const std::string &path) {
  std::vector<Row> rows;
  for (const std::string &file : candidates(backend, target, path)) {
    try {
      Table table = parseTable(readTextFile(file), file);
      if (table.target == target)
        std::ranges::move(table.rows, std::back_inserter(rows));
    } catch (const Error &e) {
      Diagnostic diagnostic = e.diagnostic();
      diagnostic.severity = Diagnostic::Severity::Warning;
      diagnostic.message += "; this tuning table is not used";
      std::fputs(format(diagnostic).c_str(), stderr);
    }
  }
  return rows;
}

/// Adds the tables below a folder, at any depth, or the file itself.
void addTables(std::vector<TableFile> &tables, const std::string &place) {
  std::error_code failed;
  std::vector<std::string> files;
  if (std::filesystem::is_directory(place, failed)) {
    for (const auto &entry : std::filesystem::recursive_directory_iterator(place, failed))
      if (entry.path().extension() == ".json")
        files.push_back(entry.path().lexically_normal().string());
    std::ranges::sort(files);
  } else {
    files.push_back(place);
  }
  for (const std::string &file : files) {
    TableFile &table = tables.emplace_back(TableFile{file, 0, {}});
    try {
      table.rows = parseTable(readTextFile(file), file).rows.size();
    } catch (const Error &e) {
      table.problem = e.diagnostic().message;
    }
  }
}

} // namespace

std::vector<TableFile> tableFiles() {
  std::vector<TableFile> tables;
  const char *path = environmentValue(Variable::TuningPath);
  for (const std::string &item : split(path ? path : "", ':'))
    addTables(tables, item);
  if (std::string folder = installedFolder(); std::filesystem::exists(folder))
    addTables(tables, folder);
  return tables;
}

std::string fileNameOf(const std::string &target) {
  std::string name = target;
  std::ranges::replace(name, ':', '-');
  return name;
}

const std::vector<Row> &rowsFor(const std::string &backend, const std::string &target) {
  static ForkSafeMutex mutex;
  static auto *known = new std::map<std::vector<std::string>, std::unique_ptr<std::vector<Row>>>;
  const char *path = environmentValue(Variable::TuningPath);
  std::lock_guard lock(mutex);
  std::unique_ptr<std::vector<Row>> &rows = (*known)[{backend, target, path ? path : ""}];
  if (!rows)
    rows = std::make_unique<std::vector<Row>>(readAll(backend, target, path ? path : ""));
  return *rows;
}

} // namespace tegula::tuning
