// The order of instructions by their use: its laws on random code, and when it is taken.
#include "core/schedule/UseOrder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tegula::schedule;
using testing::ElementsAre;

namespace {

/// `tiles` ops, one after the other, on tiles of `elements`: loads, then a chain, then stores.
std::vector<Instruction> chain(uint32_t elements, uint32_t tiles) {
  std::vector<Instruction> code;
  for (uint32_t tile = 0; tile <= tiles + 1; ++tile)
    for (uint32_t i = 0; i < elements; ++i) {
      bool isLoad = tile == 0, isStore = tile == tiles + 1;
      Instruction step;
      if (!isLoad)
        step.operands = {uint32_t(code.size()) - elements};
      step.registers = isStore ? 0 : tile == 1 ? 4 : 1; // the first op makes wide values
      step.isFixed = isLoad || isStore;
      code.push_back(step);
    }
  return code;
}

/// The registers alive after each step, counted from the definition.
uint32_t mostAliveByDefinition(const std::vector<Instruction> &code, const std::vector<uint32_t> &order) {
  uint32_t most = 0;
  for (size_t now = 0; now < order.size(); ++now) {
    uint32_t alive = 0;
    for (size_t at = 0; at <= now; ++at) {
      bool isUsed = at == now || code[order[at]].isUsedAfter;
      for (size_t later = now + 1; later < order.size(); ++later)
        isUsed |= std::ranges::count(code[order[later]].operands, order[at]) > 0;
      alive += isUsed ? code[order[at]].registers : 0;
    }
    most = std::max(most, alive);
  }
  return most;
}

TEST(UseOrder, ElementsOneAfterTheOther) {
  std::vector<Instruction> code = chain(2, 2); // loads 0 1, then 2 3, then 4 5, stores 6 7
  EXPECT_THAT(orderedByUse(code), ElementsAre(0, 1, 2, 4, 6, 3, 5, 7));
}

TEST(UseOrder, ValuesForLaterOneAfterTheOther) {
  std::vector<Instruction> code = chain(2, 2); // what was stored is used after the code, which ends in a branch
  code[6].isFixed = code[7].isFixed = false;
  code[6].isUsedAfter = code[7].isUsedAfter = true;
  code.push_back({.operands = {}, .registers = 0, .isFixed = true});
  EXPECT_THAT(orderedByUse(code), ElementsAre(0, 1, 2, 4, 6, 3, 5, 7, 8));
}

TEST(UseOrder, IsTakenWhereManyRegistersWouldBeAlive) {
  std::vector<Instruction> few = chain(8, 3), many = chain(64, 3);
  EXPECT_FALSE(orderForPressure(few));
  std::vector<uint32_t> given(many.size());
  std::iota(given.begin(), given.end(), 0U);
  EXPECT_EQ(registerPressure(many, given), 4U * 64);
  std::optional<std::vector<uint32_t>> order = orderForPressure(many);
  ASSERT_TRUE(order);
  EXPECT_LE(registerPressure(many, *order), 64U + 4); // what was loaded, and one element
}

TEST(UseOrder, LawsOnRandomCode) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Instruction> code(random() % 40 + 1);
    for (uint32_t i = 0; i < code.size(); ++i) {
      code[i] = {{}, uint32_t(random() % 4), random() % 4 == 0, random() % 8 == 0};
      for (uint32_t operands = i ? random() % 4 : 0; operands > 0; --operands)
        code[i].operands.push_back(uint32_t(random() % i));
    }
    code.back().isFixed = true;
    std::vector<uint32_t> order = orderedByUse(code), sorted = order, fixed, place(code.size());
    std::ranges::sort(sorted);
    for (uint32_t i = 0; i < code.size(); ++i) {
      EXPECT_EQ(sorted[i], i);
      place[order[i]] = i;
      if (code[order[i]].isFixed)
        fixed.push_back(order[i]);
    }
    EXPECT_TRUE(std::ranges::is_sorted(fixed));
    EXPECT_EQ(order.back(), code.size() - 1);
    for (uint32_t i = 0; i < code.size(); ++i)
      for (uint32_t operand : code[i].operands)
        EXPECT_LT(place[operand], place[i]);
    EXPECT_EQ(registerPressure(code, order), mostAliveByDefinition(code, order));
  }
}

} // namespace
