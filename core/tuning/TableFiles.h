// Where tables lie: the files and folders of TEGULA_TUNING_PATH, then those that are installed with the runtime
// library.
#pragma once

#include "core/tuning/Table.h"

namespace tegula::tuning {

/// The rows of all tables for a target, in the order of preference; `backend` empty: of whatever backend it is; each
/// file is read once in the process, and again where the environment names other files. Does not throw: a file that is
/// refused is a warning, once. The result lives as long as the process.
const std::vector<Row> &rowsFor(const std::string &backend, const std::string &target);

/// A table that launches read, if they are for its target.
struct TableFile {
  std::string file;
  size_t rows = 0;
  std::string problem; // why it is not used; empty where it is
};
/// The tables in TEGULA_TUNING_PATH and in the installed folder, as they are now.
std::vector<TableFile> tableFiles();

/// A target as part of a file's name: a dash for each colon.
std::string fileNameOf(const std::string &target);

} // namespace tegula::tuning
