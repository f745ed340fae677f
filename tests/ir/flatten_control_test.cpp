// Control flow: results of flattened loops and branches, and correctness of last uses in them.
#include "tests/ir/FlattenFixture.h"

#include <set>

namespace tegula::cpu {
namespace {

bool isJump(Opcode opcode) {
  return opcode == Opcode::Jump || opcode == Opcode::BranchIfFalse || opcode == Opcode::ForTest;
}

/// Walks all paths to a fixed point: no register may be read after an operand marked as last use, or before its
/// definition. Returns the number of marked operands.
size_t checkLastUses(const Function &function) {
  using Registers = std::set<Register>; // registers that hold a value
  std::set<std::pair<size_t, Registers>> seen;
  std::vector<std::pair<size_t, Registers>> work = {{0, Registers(function.params.begin(), function.params.end())}};
  std::set<size_t> marked;
  while (!work.empty()) {
    auto [pc, held] = work.back();
    work.pop_back();
    if (!seen.insert({pc, held}).second)
      continue;
    const Instruction &instruction = function.code.at(pc);
    for (unsigned i = 0; i < instruction.operandCount; ++i) {
      uint32_t operand = function.registersUsed[instruction.operands + i];
      EXPECT_TRUE(held.contains(operand & ~kLastUse)) << "instruction " << pc << " reads r" << (operand & ~kLastUse);
    }
    for (unsigned i = 0; i < instruction.operandCount; ++i)
      if (uint32_t operand = function.registersUsed[instruction.operands + i]; operand & kLastUse) {
        held.erase(operand & ~kLastUse);
        marked.insert(instruction.operands + i);
      }
    for (unsigned i = 0; i < instruction.resultCount; ++i)
      held.insert(function.registersUsed[instruction.results + i]);
    if (instruction.opcode == Opcode::Return)
      continue;
    if (isJump(instruction.opcode))
      work.emplace_back(size_t(function.integers[instruction.attributes]), held);
    if (instruction.opcode != Opcode::Jump)
      work.emplace_back(pc + 1, held);
  }
  return marked.size();
}

// Fibonacci: the yield exchanges carried values, so the moves must be parallel.
const char *const kFibonacci = R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
    %s = arith.addi %a, %b : i32
    scf.yield %b, %s : i32, i32
  }
  tile.store %out, %r#0 : !tile.ptr<i32>
  return
})";

TEST_F(FlattenTest, ForCarriesValues) {
  const std::pair<int, int> expected[] = {{0, 0}, {1, 1}, {2, 1}, {10, 55}, {30, 832040}, {-5, 0}};
  for (auto [n, fibonacci] : expected) {
    std::vector<int32_t> out = {-1};
    run(kFibonacci, {pointer(out), integer(n)});
    EXPECT_EQ(out[0], fibonacci) << "n = " << n;
  }
}

// Three values in a ring: all moves form one cycle.
TEST_F(FlattenTest, ForRotatesValues) {
  const char *text = R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 100 : i32
  %y = arith.constant 20 : i32
  %z = arith.constant 3 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (i32, i32, i32) : i32 {
    scf.yield %b, %c, %a : i32, i32, i32
  }
  %two = arith.constant 2 : i32
  tile.store %out, %r#0 : !tile.ptr<i32>
  %p1 = tile.addptr %out, %c1 : !tile.ptr<i32>, i32
  tile.store %p1, %r#1 : !tile.ptr<i32>
  %p2 = tile.addptr %out, %two : !tile.ptr<i32>, i32
  tile.store %p2, %r#2 : !tile.ptr<i32>
  return
})";
  const std::vector<int32_t> turns[] = {{100, 20, 3}, {20, 3, 100}, {3, 100, 20}, {100, 20, 3}};
  for (int n = 0; n < 4; ++n) {
    std::vector<int32_t> out(3);
    run(text, {pointer(out), integer(n)});
    EXPECT_EQ(out, turns[n]) << "n = " << n;
  }
}

// A tile from outside is read in every iteration of an inner loop, whose result enters the outer loop.
const char *const kNested = R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.make_range 1 to 5
  %zero = arith.constant dense<0> : tensor<4xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<4xi32>) : i32 {
    %inner = scf.for %j = %c0 to %m step %c1 iter_args(%b = %a) -> (tensor<4xi32>) : i32 {
      %s = arith.addi %b, %r : tensor<4xi32>
      scf.yield %s : tensor<4xi32>
    }
    %t = arith.addi %inner, %a : tensor<4xi32>
    scf.yield %t : tensor<4xi32>
  }
  %o = tile.make_range 0 to 4
  %ps = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %ps, %o : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %p, %sum : tensor<4x!tile.ptr<i32>>
  return
})";

TEST_F(FlattenTest, NestedLoops) {
  std::vector<int32_t> out(4);
  run(kNested, {pointer(out), integer(3), integer(2)});
  // a -> 2a + 2r, three times from zero, is 14 r.
  EXPECT_EQ(out, (std::vector<int32_t>{14, 28, 42, 56}));
  run(kNested, {pointer(out), integer(0), integer(2)});
  EXPECT_EQ(out, (std::vector<int32_t>{0, 0, 0, 0}));
}

const char *const kBranches = R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%even = %c0, %odd = %c0) -> (i32, i32) : i32 {
    %m = arith.remsi %i, %c2 : i32
    %c = arith.cmpi eq, %m, %c0 : i32
    %s:2 = scf.if %c -> (i32, i32) {
      %t = arith.addi %even, %i : i32
      scf.yield %t, %odd : i32, i32
    } else {
      %t = arith.addi %odd, %i : i32
      scf.yield %even, %t : i32, i32
    }
    scf.if %c {
      tile.store %out, %i : !tile.ptr<i32>
    }
    scf.yield %s#0, %s#1 : i32, i32
  }
  %p1 = tile.addptr %out, %c1 : !tile.ptr<i32>, i32
  tile.store %p1, %r#0 : !tile.ptr<i32>
  %p2 = tile.addptr %out, %c2 : !tile.ptr<i32>, i32
  tile.store %p2, %r#1 : !tile.ptr<i32>
  return
})";

TEST_F(FlattenTest, BranchesInLoops) {
  std::vector<int32_t> out(3);
  run(kBranches, {pointer(out), integer(10)});
  EXPECT_EQ(out, (std::vector<int32_t>{8, 20, 25}));
}

// Euclid: the after region exchanges the before region's results.
const char *const kEuclid = R"(
func.func @k(%out: !tile.ptr<i32>, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : i32
  %r:2 = scf.while (%a = %x, %b = %y) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi ne, %b, %c0 : i32
    scf.condition(%c) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    %m = arith.remsi %a, %b : i32
    scf.yield %b, %m : i32, i32
  }
  tile.store %out, %r#0 : !tile.ptr<i32>
  return
})";

TEST_F(FlattenTest, While) {
  for (auto [x, y, expected] : {std::tuple{48, 36, 12}, {7, 0, 7}, {17, 5, 1}, {5, 17, 1}}) {
    std::vector<int32_t> out(1);
    run(kEuclid, {pointer(out), integer(x), integer(y)});
    EXPECT_EQ(out[0], expected) << x << ", " << y;
  }
}

// A while loop's results may differ from its carried values.
TEST_F(FlattenTest, WhileResultsFromTheBeforeRegion) {
  const char *text = R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %r = scf.while (%a = %c1) : (i32) -> i32 {
    %d = arith.addi %a, %a : i32
    %c = arith.cmpi slt, %d, %n : i32
    scf.condition(%c) %d : i32
  } do {
  ^bb0(%d: i32):
    scf.yield %d : i32
  }
  tile.store %out, %r : !tile.ptr<i32>
  return
})";
  std::vector<int32_t> out(1);
  run(text, {pointer(out), integer(100)});
  EXPECT_EQ(out[0], 128);
}

// Loops have the width of their variable's type, and any step.
TEST_F(FlattenTest, LoopsIn64Bits) {
  const char *text = R"(
func.func @k(%out: !tile.ptr<i64>, %from: i64, %to: i64, %step: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r:2 = scf.for %i = %from to %to step %step iter_args(%n = %c0, %last = %c0) -> (i64, i64) : i64 {
    %m = arith.addi %n, %c1 : i64
    scf.yield %m, %i : i64, i64
  }
  tile.store %out, %r#0 : !tile.ptr<i64>
  %p = tile.addptr %out, %c1 : !tile.ptr<i64>, i64
  tile.store %p, %r#1 : !tile.ptr<i64>
  return
})";
  std::vector<int64_t> out(2);
  run(text, {pointer(out), integer(5000000000), integer(5000000010), integer(4)});
  EXPECT_EQ(out, (std::vector<int64_t>{3, 5000000008}));
}

TEST_F(FlattenTest, LastUsesHoldOnEveryPath) {
  for (const char *text : {kFibonacci, kNested, kBranches, kEuclid}) {
    Module module = flattenText(text);
    EXPECT_GT(checkLastUses(module.functions[0]), 2u);
  }
}

// The tile that the inner loop reads has no last use in it; the loop's carried value has one.
TEST_F(FlattenTest, LastUsesInLoops) {
  Module module = flattenText(kNested);
  const Function &function = module.functions[0];
  Register range = kNoRegister;
  for (const Instruction &instruction : function.code) {
    if (instruction.opcode == Opcode::MakeRange && function.integers[instruction.attributes] == 1)
      range = function.registersUsed[instruction.results];
    if (instruction.opcode != Opcode::Add)
      continue;
    for (unsigned i = 0; i < 2; ++i)
      EXPECT_NE(function.registersUsed[instruction.operands + i], range | kLastUse);
  }
  ASSERT_NE(range, kNoRegister);
}

} // namespace
} // namespace tegula::cpu
