#include "core/passes/programs/TileScheduler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {
namespace {

// Chosen by measurement, docs/lab/2026-11-25-persistent-loop.md.
constexpr int32_t kGroupRows = 16, kSortedLines = 16;

std::array<Value, 3> placeInPlanes(OpBuilder &b, Location location, Value program, std::array<Value, 3> grid,
                                   Value plane) {
  auto make = [&](auto op, Value left, Value right) -> Value { return decltype(op)::create(b, location, left, right); };
  Value rows = arith::ConstantOp::create(b, location, b.getI32IntegerAttr(kGroupRows));
  Value z = make(arith::DivUIOp(), program, plane), inPlane = make(arith::RemUIOp(), program, plane);
  Value inGroup = make(arith::MulIOp(), rows, grid[1]);
  Value first = make(arith::MulIOp(), make(arith::DivUIOp(), inPlane, inGroup), rows);
  Value height = make(arith::MinUIOp(), make(arith::SubIOp(), grid[0], first), rows);
  Value within = make(arith::RemUIOp(), inPlane, inGroup);
  Value x = make(arith::AddIOp(), first, make(arith::RemUIOp(), within, height));
  return {x, make(arith::DivUIOp(), within, height), z};
}

} // namespace

std::array<Value, 3> placeInGrid(OpBuilder &b, Location location, Value program, std::array<Value, 3> grid, Value plane,
                                 Value all) {
  Value zero = arith::ConstantOp::create(b, location, b.getI32IntegerAttr(0));
  Value isAlongAxis0 = arith::CmpIOp::create(b, location, arith::CmpIPredicate::eq, grid[0], all);
  auto branch = scf::IfOp::create(b, location, TypeRange{b.getI32Type(), b.getI32Type(), b.getI32Type()}, isAlongAxis0,
                                  /*withElse=*/true);
  branch->setAttr(simt::kUniformAttr, b.getUnitAttr());
  OpBuilder alongAxis0 = branch.getThenBodyBuilder(), inGrid = branch.getElseBodyBuilder();
  scf::YieldOp::create(alongAxis0, location, ValueRange{program, zero, zero});
  scf::YieldOp::create(inGrid, location, placeInPlanes(inGrid, location, program, grid, plane));
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

std::array<Value, 3> placeInLines(OpBuilder &b, Location location, Value program, std::array<Value, 3> grid,
                                  unsigned along) {
  auto make = [&](auto op, Value left, Value right) -> Value { return decltype(op)::create(b, location, left, right); };
  unsigned across = along == 0 ? 1 : 0, last = 3 - along - across;
  Value lines = make(arith::MulIOp(), grid[across], grid[last]);
  Value sorted =
      make(arith::MinUIOp(), lines, arith::ConstantOp::create(b, location, b.getI32IntegerAttr(kSortedLines)));
  Value lineByLine = make(arith::SubIOp(), lines, sorted);
  Value before = make(arith::MulIOp(), lineByLine, grid[along]);
  Value isBefore = arith::CmpIOp::create(b, location, arith::CmpIPredicate::ult, program, before);
  auto choose = [&](Value inLine, Value other) -> Value {
    return arith::SelectOp::create(b, location, isBefore, inLine, other);
  };
  Value within = choose(program, make(arith::SubIOp(), program, before)), divisor = choose(grid[along], sorted);
  Value quotient = make(arith::DivUIOp(), within, divisor), rest = make(arith::RemUIOp(), within, divisor);
  Value line = choose(quotient, make(arith::AddIOp(), lineByLine, rest));
  std::array<Value, 3> place;
  place[along] = choose(rest, quotient);
  place[across] = make(arith::RemUIOp(), line, grid[across]);
  place[last] = make(arith::DivUIOp(), line, grid[across]);
  return place;
}

} // namespace tegula::tile
