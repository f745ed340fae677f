// Matrix instructions: the plain product of small integers, which is exact, over the layouts of AMD's instruction set
// manuals.
#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tegula::emulator::test {
namespace {

struct Place {
  unsigned row, column; // of D and C; of A: row and depth; of B: depth and column
};

struct Shape {
  const char *names;
  unsigned m, n, k;
  bool isBrain; // bf16, otherwise f16
  std::vector<std::string> targets;
  unsigned each; // elements of an operand in a lane
  /// Element e of the operand in a lane: the row of A (the column of B), and the depth.
  Place (*operand)(unsigned lane, unsigned e);
  Place (*sum)(unsigned lane, unsigned r);
};

// MFMA: lanes go through the rows, then through parts of the depth of four elements each.
Place mfma32(unsigned lane, unsigned e) { return {lane % 32, lane / 32 * 4 + e}; }
Place mfma16(unsigned lane, unsigned e) { return {lane % 16, lane / 16 * 4 + e}; }
// Four rows in consecutive registers, then the next lanes' four; after all lanes, the next eight rows.
Place mfmaSum32(unsigned lane, unsigned r) { return {r / 4 * 8 + lane / 32 * 4 + r % 4, lane % 32}; }
Place mfmaSum16(unsigned lane, unsigned r) { return {lane / 16 * 4 + r, lane % 16}; }
// WMMA of gfx11: a lane has a whole row, and lanes 16 to 31 the same again. Rows of D alternate between the halves.
Place wmma11(unsigned lane, unsigned e) { return {lane % 16, e}; }
Place wmmaSum11(unsigned lane, unsigned r) { return {2 * r + lane / 16, lane % 16}; }
// WMMA of gfx12: half of a row each.
Place wmma12(unsigned lane, unsigned e) { return {lane % 16, lane / 16 * 8 + e}; }
Place wmmaSum12(unsigned lane, unsigned r) { return {lane / 16 * 8 + r, lane % 16}; }

const std::vector<std::string> kCdna = {"gfx90a", "gfx942"};
const Shape kShapes[] = {
    {"v_mfma_f32_32x32x8f16 v_mfma_f32_32x32x8_f16", 32, 32, 8, false, kCdna, 4, mfma32, mfmaSum32},
    {"v_mfma_f32_16x16x16f16 v_mfma_f32_16x16x16_f16", 16, 16, 16, false, kCdna, 4, mfma16, mfmaSum16},
    {"v_mfma_f32_32x32x8bf16_1k v_mfma_f32_32x32x8_bf16", 32, 32, 8, true, kCdna, 4, mfma32, mfmaSum32},
    {"v_mfma_f32_16x16x16bf16_1k v_mfma_f32_16x16x16_bf16", 16, 16, 16, true, kCdna, 4, mfma16, mfmaSum16},
    {"v_wmma_f32_16x16x16_f16", 16, 16, 16, false, {"gfx1100"}, 16, wmma11, wmmaSum11},
    {"v_wmma_f32_16x16x16_bf16", 16, 16, 16, true, {"gfx1100"}, 16, wmma11, wmmaSum11},
    {"v_wmma_f32_16x16x16_f16", 16, 16, 16, false, {"gfx1201"}, 8, wmma12, wmmaSum12},
    {"v_wmma_f32_16x16x16_bf16", 16, 16, 16, true, {"gfx1201"}, 8, wmma12, wmmaSum12},
};

uint16_t bitsOf(int value, bool isBrain) {
  return isBrain ? uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16) : TypeOf<_Float16>::bits(_Float16(value));
}

/// Element e of the operand at v[first:...].
uint16_t &element(Machine &m, unsigned first, unsigned lane, unsigned e) {
  auto *halves = reinterpret_cast<uint16_t *>(&m.wave.vectors[(first + e / 2) * m.wave.lanes + lane]);
  return halves[e % 2];
}

void checkShape(const Shape &shape, const std::string &name, const std::string &target, bool inAccumulators) {
  Machine m(target);
  Random random(29);
  m.fill(random);
  auto small = [&] { return int(below(random, 17)) - 8; };
  std::vector<int> a(shape.m * shape.k), b(shape.n * shape.k), c(shape.m * shape.n);
  for (std::vector<int> *matrix : {&a, &b, &c})
    std::ranges::generate(*matrix, small);
  unsigned lanes = m.wave.lanes, sums = shape.m * shape.n / lanes, words = shape.each / 2;
  constexpr unsigned kA = 0, kB = 8, kC = 16, kD = 32;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned e = 0; e < shape.each; ++e) {
      Place at = shape.operand(lane, e);
      element(m, kA, lane, e) = bitsOf(a[at.row * shape.k + at.column], shape.isBrain);
      element(m, kB, lane, e) = bitsOf(b[at.row * shape.k + at.column], shape.isBrain);
    }
    for (unsigned r = 0; r < sums; ++r) {
      Place at = shape.sum(lane, r);
      uint32_t bits = std::bit_cast<uint32_t>(float(c[at.row * shape.n + at.column]));
      (inAccumulators ? m.wave.accumulators : m.wave.vectors)[(kC + r) * lanes + lane] = bits;
    }
  }
  char letter = inAccumulators ? 'a' : 'v';
  m.run(name + " " + registers(letter, kD, sums) + ", " + registers('v', kA, words) + ", " + registers('v', kB, words) +
        ", " + registers(letter, kC, sums));
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned r = 0; r < sums; ++r) {
      Place at = shape.sum(lane, r);
      int want = c[at.row * shape.n + at.column];
      for (unsigned k = 0; k < shape.k; ++k)
        want += a[at.row * shape.k + k] * b[at.column * shape.k + k];
      uint32_t got = (inAccumulators ? m.wave.accumulators : m.wave.vectors)[(kD + r) * lanes + lane];
      ASSERT_EQ(std::bit_cast<float>(got), float(want))
          << target << " " << name << ", row " << at.row << ", column " << at.column;
    }
}

TEST(Matrix, Products) {
  for (const Shape &shape : kShapes)
    for (const std::string &target : shape.targets)
      for (const std::string &name : words(shape.names)) {
        std::string sums = registers('v', 32, shape.m * shape.n / (target.starts_with("gfx9") ? 64 : 32));
        std::string operand = registers('v', 0, shape.each / 2);
        std::vector<Instruction> code =
            instructions(name + " " + sums + ", " + operand + ", " + operand + ", " + sums, target);
        if (code.empty() || code[0].name != name)
          continue;
        checkShape(shape, name, target, false);
        if (target.starts_with("gfx9"))
          checkShape(shape, name, target, true);
      }
}

/// Modifiers of a matrix instruction that the emulator does not have, and lanes that are missing, are faults.
TEST(Matrix, WhatIsNotThereIsAFault) {
  Machine cdna("gfx942"), rdna("gfx1100");
  EXPECT_THROW(cdna.run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1"), Fault);
  EXPECT_THROW(rdna.run("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[0,0,1]"), Fault);
  cdna.wave.setExec(1);
  EXPECT_THROW(cdna.run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"), Fault);
}

} // namespace
} // namespace tegula::emulator::test
