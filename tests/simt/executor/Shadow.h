// A shadow of memory: for every few bytes the last write and the reads since.
#pragma once

#include "Clock.h"

#include <vector>

namespace tegula::simt_test {

struct Instruction;

/// The actor of an access: an agent at a time, with its clock.
struct Actor {
  Access access;
  const Clock *clock = nullptr;
  /// For an asynchronous unit: for each thread the time up to which its ordinary accesses come before the unit's. Null
  /// for threads.
  const Clock *fenced = nullptr;
  uint32_t thread = 0; // the thread that started the access
};

/// Decides about the accesses that a Shadow compares, and receives its findings.
class Judge {
public:
  virtual ~Judge() = default;
  /// Whether an actor with this clock has seen the access.
  virtual bool covered(const Clock &clock, const Access &access) const = 0;
  /// Whether these fences order the access before those of an asynchronous unit.
  virtual bool fenced(const Clock &fences, const Access &access) const = 0;
  virtual void conflict(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) = 0;
  virtual void unfenced(const Actor &actor, bool writes, const Access &earlier, bool earlierWrote, size_t byte) = 0;
  virtual void uninitialized(const Actor &actor, size_t byte) = 0;
};

class Shadow {
public:
  /// `granule`: bytes that share a record; `checksWritten`: reports reads of bytes that were never written.
  Shadow(size_t bytes, uint32_t granule, bool checksWritten)
      : granule_(granule), checksWritten_(checksWritten), cells_((bytes + granule - 1) / granule) {}
  void read(const Actor &actor, size_t byte, size_t bytes, Judge &judge);
  /// `unchanged`: the write stores what is there already; then several threads may write the same value in one op.
  void write(const Actor &actor, size_t byte, size_t bytes, bool unchanged, Judge &judge);

private:
  struct Cell {
    Access write, read;
    uint32_t more = 0; // further reads are in more_[more - 1]; 0: none
  };
  void noteRead(Cell &cell, const Actor &actor, Judge &judge);
  /// Compares a write of the actor with an earlier read.
  static void afterRead(const Access &read, const Actor &actor, size_t byte, Judge &judge);

  uint32_t granule_;
  bool checksWritten_;
  std::vector<Cell> cells_;
  std::vector<std::vector<Access>> more_;
};

} // namespace tegula::simt_test
