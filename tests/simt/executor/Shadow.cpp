#include "Shadow.h"

namespace tegula::simt_test {

void Shadow::noteRead(Cell &cell, const Actor &actor, Judge &judge) {
  // An earlier read that happened before this one need not be kept: whoever waits for this one has waited for both.
  auto replaces = [&](const Access &earlier) {
    return !earlier.exists() || earlier.agent == actor.access.agent || judge.covered(*actor.clock, earlier);
  };
  if (replaces(cell.read)) {
    cell.read = actor.access;
    return;
  }
  if (cell.more == 0) {
    more_.emplace_back();
    cell.more = static_cast<uint32_t>(more_.size());
  }
  std::vector<Access> &more = more_[cell.more - 1];
  for (Access &earlier : more)
    if (earlier.agent == actor.access.agent) {
      earlier = actor.access;
      return;
    }
  more.push_back(actor.access);
}

void Shadow::read(const Actor &actor, size_t byte, size_t bytes, Judge &judge) {
  for (size_t at = byte / granule_, end = (byte + bytes + granule_ - 1) / granule_; at < end; ++at) {
    Cell &cell = cells_[at];
    if (!cell.write.exists()) {
      if (checksWritten_)
        judge.uninitialized(actor, at * granule_);
    } else if (!judge.covered(*actor.clock, cell.write)) {
      judge.conflict(actor, false, cell.write, true, at * granule_);
    } else if (actor.fenced && !judge.fenced(*actor.fenced, cell.write)) {
      judge.unfenced(actor, false, cell.write, true, at * granule_);
    }
    noteRead(cell, actor, judge);
  }
}

void Shadow::afterRead(const Access &read, const Actor &actor, size_t byte, Judge &judge) {
  if (!read.exists())
    return;
  if (!judge.covered(*actor.clock, read))
    judge.conflict(actor, true, read, false, byte);
  else if (actor.fenced && !judge.fenced(*actor.fenced, read))
    judge.unfenced(actor, true, read, false, byte);
}

void Shadow::write(const Actor &actor, size_t byte, size_t bytes, bool unchanged, Judge &judge) {
  for (size_t at = byte / granule_, end = (byte + bytes + granule_ - 1) / granule_; at < end; ++at) {
    Cell &cell = cells_[at];
    bool together = unchanged && cell.write.instruction == actor.access.instruction;
    if (cell.write.exists() && !together && !judge.covered(*actor.clock, cell.write))
      judge.conflict(actor, true, cell.write, true, at * granule_);
    else if (cell.write.exists() && actor.fenced && !judge.fenced(*actor.fenced, cell.write))
      judge.unfenced(actor, true, cell.write, true, at * granule_);
    afterRead(cell.read, actor, at * granule_, judge);
    if (cell.more != 0) {
      for (const Access &read : more_[cell.more - 1])
        afterRead(read, actor, at * granule_, judge);
      more_[cell.more - 1].clear();
    }
    cell.read = {};
    cell.write = actor.access;
  }
}

} // namespace tegula::simt_test
