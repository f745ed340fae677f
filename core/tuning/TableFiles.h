// Finds tables: in the files and folders of TEGULA_TUNING_PATH, then in the folder that is installed with the runtime
// library.
#pragma once

#include "core/tuning/Table.h"

namespace tegula::tuning {

/// The rows of all tables for a target, in order of preference; `backend` empty: of any backend. The process reads each
/// file once, and again if the environment names other files. Does not throw: for a file that is refused, one warning
/// is given. The result is valid until the process ends.
const std::vector<Row> &rowsFor(const std::string &backend, const std::string &target);

/// A table that launches read if they are for its target.
struct TableFile {
  std::string file;
  size_t rows = 0;
  std::string problem; // why it is not used; empty if it is used
};
/// The tables that are now in TEGULA_TUNING_PATH and in the installed folder.
std::vector<TableFile> tableFiles();

/// A target's name as part of a file's name: colons become dashes.
std::string fileNameOf(const std::string &target);

} // namespace tegula::tuning
