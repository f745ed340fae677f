#include "core/passes/layouts/ProductLayouts.h"

#include "core/passes/analysis/Uniform.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using layout_ir::DistributedAttr;
using simt::InstructionAttr;

/// Whether elements of the value flow, through ops on single elements and conversions, to the left operand of another
/// product or to a reduction of rows.
bool leadsToRows(Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto dot = dyn_cast<DotOp>(user); dot && use.getOperandNumber() == 0)
        return true;
      if (auto reduce = dyn_cast<ReduceOp>(user);
          reduce && int64_t(reduce.getAxis()) + 1 == int64_t(shapeOf(reached[i].getType()).size()))
        return true;
      if (isElementwise(user))
        for (Value result : user->getResults())
          if (isTensor(result))
            reached.insert(result);
    }
  return false;
}

/// Whether elements of the value come, through ops on single elements, from a product.
bool comesFromProduct(Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    if (isa_and_nonnull<DotOp>(op))
      return true;
    if (op && isElementwise(op))
      for (Value operand : op->getOperands())
        if (isTensor(operand))
          reached.insert(operand);
  }
  return false;
}

/// Warps along the batch, the rows and the columns; their product may be less than the number of warps.
struct Division {
  int64_t batch = 1, rows = 1, columns = 1;
};

Division divide(DotOp dot, InstructionAttr instruction, ThreadShape threads) {
  DotExtents e = extentsOf(dot);
  Division division;
  int64_t rows = std::max<int64_t>(e.m / instruction.getM(), 1),
          columns = std::max<int64_t>(e.n / instruction.getN(), 1);
  bool wholeRows = rows >= threads.warps && (leadsToRows(dot.getResult()) || comesFromProduct(dot.getA()));
  for (int64_t left = threads.warps; left > 1; left /= 2) {
    if (e.batch > division.batch) {
      division.batch *= 2;
    } else if (rows > 1 && (wholeRows || columns == 1 || rows * instruction.getM() >= columns * instruction.getN())) {
      division.rows *= 2;
      rows /= 2;
    } else if (columns > 1) {
      division.columns *= 2;
      columns /= 2;
    }
  }
  return division;
}

/// Bases of a layout of rank 2 or 3, built from those of one tile.
class Bases {
public:
  Bases(unsigned rank, int64_t rows, int64_t columns) : rank_(rank), extents_{rows, columns} {}

  /// The bases of the instruction's own layout; a coordinate beyond the extents becomes 0.
  void append(ArrayRef<int64_t> ofTile) {
    for (size_t at = 0; at < ofTile.size(); at += 2) {
      bool isInside = ofTile[at] < extents_[0] && ofTile[at + 1] < extents_[1];
      add(isInside ? ofTile[at] : 0, isInside ? ofTile[at + 1] : 0);
    }
  }
  /// `count` steps, doubling from `first`, along the batch (axis 0), the rows (1) or the columns (2).
  void along(unsigned axis, int64_t first, int64_t count) {
    for (int64_t step = first; count > 1; count /= 2, step *= 2)
      add(axis == 1 ? step : 0, axis == 2 ? step : 0, axis == 0 ? step : 0);
  }
  /// `count` copies.
  void copies(int64_t count) {
    for (; count > 1; count /= 2)
      add(0, 0);
  }

  SmallVector<int64_t> numbers;

private:
  void add(int64_t row, int64_t column, int64_t batch = 0) {
    if (rank_ == 3)
      numbers.push_back(batch);
    numbers.append({row, column});
  }

  unsigned rank_;
  std::array<int64_t, 2> extents_;
};

/// What a tensor is to a product.
enum class Role : uint8_t { A, B, C };

/// The layout of A, B or C. Each warp has a block of the tensor, made of the instruction's tiles. Warps that divide the
/// result by rows divide A and C by rows and hold copies of B; warps that divide it by columns divide B and C by
/// columns and hold copies of A.
DistributedAttr repeated(DotOp dot, InstructionAttr instruction, Role role, Division division, int64_t warps) {
  DotExtents e = extentsOf(dot);
  simt::OperandAttr operand = role == Role::A   ? instruction.getA()
                              : role == Role::B ? instruction.getB()
                                                : instruction.getC();
  bool dividesRows = role != Role::B, dividesColumns = role != Role::A;
  int64_t rows = dividesRows ? e.m : e.k, columns = dividesColumns ? e.n : e.k;
  int64_t tileRows = dividesRows ? instruction.getM() : instruction.getK();
  int64_t tileColumns = dividesColumns ? instruction.getN() : instruction.getK();
  int64_t rowsOfWarp = dividesRows ? rows / division.rows : rows;
  int64_t columnsOfWarp = dividesColumns ? columns / division.columns : columns;
  unsigned rank = shapeOf(dot.getType()).size();
  Bases registers(rank, rows, columns), lanes(rank, rows, columns), ofWarps(rank, rows, columns);
  registers.append(operand.getLayout().getRegisters());
  // Tiles are numbered along the depth first in A and B, along a row first in C.
  if (role == Role::B) {
    registers.along(1, tileRows, rowsOfWarp / tileRows);
    registers.along(2, tileColumns, columnsOfWarp / tileColumns);
  } else {
    registers.along(2, tileColumns, columnsOfWarp / tileColumns);
    registers.along(1, tileRows, rowsOfWarp / tileRows);
  }
  registers.along(0, 1, e.batch / division.batch);
  lanes.append(operand.getLayout().getLanes());
  if (dividesColumns)
    ofWarps.along(2, columnsOfWarp, division.columns);
  else
    ofWarps.copies(division.columns);
  if (dividesRows)
    ofWarps.along(1, rowsOfWarp, division.rows);
  else
    ofWarps.copies(division.rows);
  ofWarps.along(0, e.batch / division.batch, division.batch);
  ofWarps.copies(warps / (division.batch * division.rows * division.columns));
  return DistributedAttr::get(dot.getContext(), rank, registers.numbers, lanes.numbers, ofWarps.numbers, {});
}

} // namespace

DotExtents extentsOf(DotOp dot) {
  ArrayRef<int64_t> a = shapeOf(dot.getA().getType()), c = shapeOf(dot.getType());
  return {c.size() == 3 ? c[0] : 1, c[c.size() - 2], c.back(), a.back()};
}

bool ProductLayouts::copiesInC() const {
  unsigned rank = c.getRank();
  ArrayRef<int64_t> bases = c.getRegisters();
  for (size_t at = 0; at < bases.size(); at += rank)
    if (llvm::all_of(bases.slice(at, rank), [](int64_t coordinate) { return coordinate == 0; }))
      return true;
  return false;
}

bool fitsRegisters(InstructionAttr instruction, DotOp dot) {
  auto isInRegisters = [](simt::OperandAttr operand) {
    return operand.getPlace() == OperandPlace::Registers && operand.getLayout().getWarps().empty();
  };
  return isInRegisters(instruction.getA()) && isInRegisters(instruction.getB()) && isInRegisters(instruction.getC()) &&
         extentsOf(dot).k >= instruction.getK();
}

ProductLayouts productLayouts(DotOp dot, InstructionAttr instruction, ThreadShape threads) {
  Division division = divide(dot, instruction, threads);
  auto of = [&](Role role) { return repeated(dot, instruction, role, division, threads.warps); };
  return {of(Role::A), of(Role::B), of(Role::C)};
}

std::array<int32_t, 3> tilesOfWarp(DotOp dot, InstructionAttr instruction) {
  DotExtents e = extentsOf(dot);
  auto layout = cast<DistributedAttr>(cast<RankedTensorType>(dot.getType()).getEncoding());
  // Warp bits with a basis along an axis divide it.
  unsigned rank = layout.getRank();
  int64_t rows = e.m, columns = e.n;
  for (size_t at = 0; at < layout.getWarps().size(); at += rank) {
    rows /= layout.getWarps()[at + rank - 2] ? 2 : 1;
    columns /= layout.getWarps()[at + rank - 1] ? 2 : 1;
  }
  auto tiles = [](int64_t extent, int64_t tile) { return int32_t(std::max<int64_t>(extent / tile, 1)); };
  return {tiles(rows, instruction.getM()), tiles(columns, instruction.getN()), tiles(e.k, instruction.getK())};
}

} // namespace tegula::tile
