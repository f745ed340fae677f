#include "tests/emulator/DataParallel.h"

namespace tegula::emulator {
namespace {

using Kind = DataParallel::Kind;

/// The lane that lane `l` reads; negative: none. Rows have 16 lanes.
int sourceLane(const DataParallel &dpp, int l, int lanes) {
  int control = int(dpp.control), row = l & ~15, in = l & 15;
  auto inRow = [&](int at) { return at >= 0 && at < 16 ? row + at : -1; };
  switch (dpp.kind) {
  case Kind::QuadPerm: return (l & ~3) | (control >> 2 * (l & 3) & 3);
  case Kind::Dpp8: return (l & ~7) | (control >> 3 * (l & 7) & 7);
  case Kind::RowShl: return inRow(in + control);
  case Kind::RowShr: return inRow(in - control);
  case Kind::RowRor: return row + ((in - control) & 15);
  case Kind::RowMirror: return row + 15 - in;
  case Kind::RowHalfMirror: return (l & ~7) + 7 - (l & 7);
  case Kind::RowShare:
  case Kind::RowNewbcast: return row + control;
  case Kind::RowXmask: return row + (in ^ control);
  case Kind::RowBcast15: return row == 0 ? -1 : row - 1;
  case Kind::RowBcast31: return l < 32 ? -1 : 31;
  case Kind::WaveShl: return l + 1 < lanes ? l + 1 : -1;
  case Kind::WaveShr: return l - 1;
  case Kind::WaveRol: return (l + 1) % lanes;
  case Kind::WaveRor: return (l + lanes - 1) % lanes;
  case Kind::None: return l;
  }
  return -1;
}

} // namespace

bool prepare(Wave &w, const Instruction &i, const Operand &source, uint64_t &writes) {
  if (source.kind != Operand::Kind::Vector)
    return false;
  writes = 0;
  w.moved.resize(size_t(source.words) * w.lanes);
  for (unsigned l = 0; l < w.lanes; ++l) {
    bool enabled = i.dpp.rowMask >> (l >> 4 & 3) & 1 && i.dpp.bankMask >> (l >> 2 & 3) & 1;
    int from = sourceLane(i.dpp, int(l), int(w.lanes));
    bool valid = from >= 0 && (i.dpp.fetchInactive || w.isActive(unsigned(from)));
    for (unsigned word = 0; word < source.words; ++word)
      w.moved[word * w.lanes + l] = valid ? w.word(source, unsigned(from), word) : 0;
    if (enabled && (valid || i.dpp.boundCtrl || i.dpp.kind == Kind::Dpp8))
      writes |= uint64_t(1) << l;
  }
  return true;
}

} // namespace tegula::emulator
