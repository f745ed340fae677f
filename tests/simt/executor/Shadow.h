// Beside each few bytes of memory: who wrote them last, and who has read them since.
#pragma once

#include "Clock.h"

#include <vector>

namespace tegula::simt_test {

struct Instruction;

/// Someone who accesses memory: an agent at a time, with what it has seen.
struct Actor {
  Access access;
  const Clock *clock = nullptr;
  /// Of an asynchronous unit: up to when the ordinary accesses of each thread are visible to it. Null for threads.
  const Clock *fenced = nullptr;
  uint32_t thread = 0; // that started it
};

/// Judges what a Shadow finds.
class Judge {
public:
  virtual ~Judge() = default;
  /// Whether who has this clock has seen the access.
  virtual bool covered(const Clock &clock, const Access &access) const = 0;
  /// Whether an asynchronous unit with this clock of fences sees what the access wrote.
  virtual bool fenced(const Clock &fences, const Access &access) const = 0;
  virtual void conflict(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) = 0;
  virtual void unfenced(const Actor &actor, bool writes, const Access &earlier, size_t byte) = 0;
  virtual void uninitialized(const Actor &actor, size_t byte) = 0;
};

class Shadow {
public:
  /// Granules of so many bytes; `checksWritten`: a read of what nothing wrote is reported.
  Shadow(size_t bytes, uint32_t granule, bool checksWritten)
      : granule_(granule), checksWritten_(checksWritten), cells_((bytes + granule - 1) / granule) {}
  void read(const Actor &actor, size_t byte, size_t bytes, Judge &judge);
  /// `unchanged`: the bytes are there already; then threads may meet in one op, each with the same value.
  void write(const Actor &actor, size_t byte, size_t bytes, bool unchanged, Judge &judge);

private:
  struct Cell {
    Access write, read;
    uint32_t more = 0; // further reads are in more_[more - 1]
  };
  void noteRead(Cell &cell, const Actor &actor, Judge &judge);

  uint32_t granule_;
  bool checksWritten_;
  std::vector<Cell> cells_;
  std::vector<std::vector<Access>> more_;
};

} // namespace tegula::simt_test
