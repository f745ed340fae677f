// Exchanges between the lanes of a wave, and moves between vector, scalar and accumulation registers.
#include "tests/emulator/Wave.h"

namespace tegula::emulator {
namespace {

/// Words of all lanes, as they are before the result is written.
std::vector<uint32_t> wordsOf(const Wave &w, const Operand &o) {
  std::vector<uint32_t> words(w.lanes);
  for (unsigned l = 0; l < w.lanes; ++l)
    words[l] = w.word(o, l);
  return words;
}

void readFirstLane(Wave &w, const Instruction &i) {
  uint64_t exec = w.exec();
  w.setScalar32(i.operands[0], w.word(i.operands[1], exec ? unsigned(std::countr_zero(exec)) : 0));
}

void readLane(Wave &w, const Instruction &i) {
  w.setScalar32(i.operands[0], w.word(i.operands[1], w.scalar32(i.operands[2]) & (w.lanes - 1)));
}

void writeLane(Wave &w, const Instruction &i) {
  w.setWord(i.operands[0], w.scalar32(i.operands[2]) & (w.lanes - 1), w.scalar32(i.operands[1]));
}

/// In rows of 16 lanes, lane l reads the lane that 4 bits of the two selectors name: of its own row, or (`crosses`) of
/// the other row of its pair.
template <bool crosses> void permute16(Wave &w, const Instruction &i) {
  std::vector<uint32_t> from = wordsOf(w, i.operands[1]);
  uint64_t selectors = w.scalar32(i.operands[2]) | uint64_t(w.scalar32(i.operands[3])) << 32, exec = w.exec();
  bool fetchInactive = i.opSel & 1, boundControl = i.opSel & 2;
  forLanes(w, [&](unsigned l) {
    unsigned row = (l & ~15u) ^ (crosses ? 16 : 0), at = row + unsigned(selectors >> 4 * (l & 15) & 15);
    if (fetchInactive || exec >> at & 1)
      w.setWord(i.operands[0], l, from[at]);
    else if (boundControl)
      w.setWord(i.operands[0], l, 0);
  });
}

/// Exchanges the halves of a wave of 64 lanes; with 32 it does nothing.
void permute64(Wave &w, const Instruction &i) {
  if (w.lanes == 32)
    return;
  std::vector<uint32_t> from = wordsOf(w, i.operands[1]);
  forLanes(w, [&](unsigned l) { w.setWord(i.operands[0], l, from[(l + 32) % w.lanes]); });
}

/// {result, address, data}: the data of lane address / 4, of an inactive lane zero.
void pull(Wave &w, const Instruction &i) {
  std::vector<uint32_t> data = wordsOf(w, i.operands[2]), address = wordsOf(w, i.operands[1]);
  uint64_t exec = w.exec();
  forLanes(w, [&](unsigned l) {
    unsigned from = (address[l] + uint32_t(i.immediate)) / 4 & (w.lanes - 1);
    w.setWord(i.operands[0], l, exec >> from & 1 ? data[from] : 0);
  });
}

/// The data goes to lane address / 4; of several, the last one's.
void push(Wave &w, const Instruction &i) {
  std::vector<uint32_t> data = wordsOf(w, i.operands[2]), address = wordsOf(w, i.operands[1]);
  std::vector<uint32_t> result(w.lanes, 0);
  forLanes(w, [&](unsigned l) { result[(address[l] + uint32_t(i.immediate)) / 4 & (w.lanes - 1)] = data[l]; });
  forLanes(w, [&](unsigned l) { w.setWord(i.operands[0], l, result[l]); });
}

/// The lane that `lane` reads, of the same 32. The offset's upper bits say how: from 0xc000 on a rotation, by bits 5 to
/// 9 to the left or (bit 10) to the right, of the lane's bits that the lower five do not name; from 0x8000 on a
/// permutation of each four lanes, 2 bits a lane; below ((lane & and) | or) ^ xor, with 5 bits each.
unsigned swizzled(unsigned lane, uint32_t offset) {
  unsigned base = lane & ~31u, l = lane & 31, low = offset & 31, middle = offset >> 5 & 31;
  if (offset >= 0xe000)
    throw Fault("the emulator has no ds_swizzle for Fourier transforms");
  if (offset >= 0xc000)
    return base | (l & low) | ((offset & 0x400 ? l - middle : l + middle) & 31 & ~low);
  if (offset >= 0x8000)
    return (lane & ~3u) | (offset >> 2 * (lane & 3) & 3);
  return base | (((l & low) | middle) ^ (offset >> 10 & 31));
}

void swizzle(Wave &w, const Instruction &i) {
  std::vector<uint32_t> from = wordsOf(w, i.operands[1]);
  uint32_t offset = uint32_t(i.immediate);
  uint64_t exec = w.exec();
  forLanes(w, [&](unsigned l) {
    unsigned at = swizzled(l, offset);
    w.setWord(i.operands[0], l, exec >> at & 1 ? from[at] : 0);
  });
}

void move(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setWord(i.operands[0], l, w.word(i.operands[1], l)); });
}

/// Register numbers that M0 is added to: of the source, or of the destination.
template <bool isDestination> void moveRelative(Wave &w, const Instruction &i) {
  Operand to = i.operands[0], from = i.operands[1];
  Operand &moved = isDestination ? to : from;
  uint64_t index = uint64_t(moved.index) + w.scalars[kM0];
  if (index >= w.vectors.size() / w.lanes)
    throw Fault("'" + i.text + "' with M0 " + std::to_string(w.scalars[kM0]) + " names no vector register");
  moved.index = uint16_t(index);
  forLanes(w, [&](unsigned l) { w.setWord(to, l, w.word(from, l)); });
}

} // namespace

void addLanes(HandlerTable &t) {
  t.emplace_back("v_readfirstlane_b32", readFirstLane);
  t.emplace_back("v_readlane_b32", readLane);
  t.emplace_back("v_writelane_b32", writeLane);
  t.emplace_back("v_permlane16_b32", permute16<false>);
  t.emplace_back("v_permlanex16_b32", permute16<true>);
  t.emplace_back("v_permlane64_b32", permute64);
  t.emplace_back("v_movrels_b32", moveRelative<false>);
  t.emplace_back("v_movreld_b32", moveRelative<true>);
  t.emplace_back("ds_bpermute_b32", pull);
  t.emplace_back("ds_permute_b32", push);
  t.emplace_back("ds_swizzle_b32", swizzle);
  for (const char *name : {"v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"})
    t.emplace_back(name, move);
}

} // namespace tegula::emulator
