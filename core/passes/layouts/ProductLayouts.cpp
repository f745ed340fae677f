#include "core/passes/layouts/ProductLayouts.h"

#include "core/passes/analysis/Uniform.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using layout_ir::DistributedAttr;
using simt::InstructionAttr;

/// Into how many parts the batch, the rows and the columns of a product are divided. Each part is computed by the warps
/// that execute an instruction together. There may be fewer parts than such units of warps.
struct Division {
  int64_t batch = 1, rows = 1, columns = 1;
};

/// A product of tiles: a tile.dot or a simt.product.
struct TileProduct {
  InstructionAttr instruction;
  DotExtents e;
  unsigned rank; // rank of the result; 3 with a batch
  Value a;       // the left operand; null if it is in shared memory
  Value result;
  bool loadsLeft = false;
};

Division divide(const TileProduct &product, ThreadShape threads) {
  const DotExtents &e = product.e;
  InstructionAttr instruction = product.instruction;
  Division division;
  int64_t rows = std::max<int64_t>(e.m / instruction.getM(), 1),
          columns = std::max<int64_t>(e.n / instruction.getN(), 1), groups = threads.warps / warpsOf(instruction);
  bool wholeRows = rows >= groups && (leadsToRows(product.result) || (product.a && comesFromProduct(product.a)));
  for (int64_t left = groups; left > 1; left /= 2) {
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

/// The smallest step along the depth (axis `axis`) that a register bit of the operand makes; 0 if no register bit does.
int64_t lowestInRegisters(simt::OperandAttr operand, unsigned axis) {
  if (operand.getPlace() != OperandPlace::Registers)
    return 0;
  ArrayRef<int64_t> bases = operand.getLayout().getRegisters();
  int64_t found = 0;
  for (size_t at = 0; at < bases.size(); at += 2)
    if (int64_t depth = bases[at + axis]; depth && (!found || depth < found))
      found = depth;
  return found;
}

/// The bases of the instruction's operand A or B, with the depth reordered so that a thread's registers hold
/// neighbours. A sum is the same for any order of the depth that A and B share. The lowest depth bit that registers of
/// A and B hold becomes bit 0, and the bits below it, which lanes hold, move up by one. Example, tf32 with a depth of
/// 8: a thread holds columns t and t + 4 of A, which are renamed 2t and 2t + 1. A thread's accesses become wider,
/// accesses of several lanes lie in different banks, and the columns of A are distributed like those of C: a result
/// becomes a left operand without an exchange.
SmallVector<int64_t> reordered(ArrayRef<int64_t> bases, unsigned depthAxis, InstructionAttr instruction) {
  SmallVector<int64_t> made(bases);
  int64_t first = lowestInRegisters(instruction.getA(), 1);
  if (first == 0 || first != lowestInRegisters(instruction.getB(), 0))
    return made;
  for (size_t at = depthAxis; at < made.size(); at += 2)
    if (made[at] <= first)
      made[at] = made[at] == first ? 1 : 2 * made[at];
  return made;
}

/// The bases of A or C of an instruction of 64 rows, with the rows renumbered so that threads can load an A that lies
/// across the depth (MN-major). The product is correct for any order of rows that A and C share. With g = lane / 4 and
/// t = lane % 4, the instruction gives a thread rows g and g + 8 of each 16:
///
///     8 bits    They become rows 2g and 2g + 1, which are neighbours in a line. `simt.load_matrix` moves such pairs of
///               bytes: a thread gets the pairs of four lines, and makes one word for each of the two rows.
///     32 bits   They become two neighbours as well, and rows of neighbouring g become rows 16 apart. Shared memory
///               serves 16 lanes with 8 bytes each at a time: lines t = 0 to 3, and for each line two pieces of 16
///               bytes. Pieces are swizzled by the number of their line, so the eight pieces lie in different banks.
SmallVector<int64_t> withRowsAcross(ArrayRef<int64_t> bases, int64_t elementBytes) {
  auto renumbered = [&](int64_t row) -> int64_t {
    if (elementBytes == 1)
      return row == 8 ? 1 : row < 8 ? 2 * row : row;
    switch (row) {
    case 8: return 1;
    case 1: return 2;
    case 2: return 16;
    case 16: return 8;
    default: return row; // 4, 32, and 0 (the basis moves along the other axis)
    }
  };
  SmallVector<int64_t> made(bases);
  for (size_t at = 0; at < made.size(); at += 2)
    made[at] = renumbered(made[at]);
  return made;
}

/// Builds the bases of a layout of rank 2 or 3 from those of one tile.
class Bases {
public:
  Bases(unsigned rank, int64_t rows, int64_t columns) : rank_(rank), extents_{rows, columns} {}

  /// Adds the bases of one tile; a coordinate beyond the extents becomes 0.
  void append(ArrayRef<int64_t> ofTile) {
    for (size_t at = 0; at < ofTile.size(); at += 2) {
      bool isInside = ofTile[at] < extents_[0] && ofTile[at + 1] < extents_[1];
      add(isInside ? ofTile[at] : 0, isInside ? ofTile[at + 1] : 0);
    }
  }
  /// Adds log2(count) bases to the layout: steps of `first`, 2 * first, 4 * first, ... along the batch (axis 0), the
  /// rows (1) or the columns (2).
  void along(unsigned axis, int64_t first, int64_t count) {
    for (int64_t step = first; count > 1; count /= 2, step *= 2)
      add(axis == 1 ? step : 0, axis == 2 ? step : 0, axis == 0 ? step : 0);
  }
  /// Adds log2(count) bases of zeros, which make `count` copies.
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

/// The role of a tensor in a product.
enum class Role : uint8_t { A, B, C };

/// The layout of A, B or C. Each warp has a block of the tensor, made of the instruction's tiles. Warps that divide the
/// result by rows divide A and C by rows and hold copies of B; warps that divide it by columns divide B and C by
/// columns and hold copies of A.
DistributedAttr repeated(const TileProduct &product, Role role, Division division, int64_t warps) {
  const DotExtents &e = product.e;
  InstructionAttr instruction = product.instruction;
  simt::OperandAttr operand = role == Role::A   ? instruction.getA()
                              : role == Role::B ? instruction.getB()
                                                : instruction.getC();
  bool dividesRows = role != Role::B, dividesColumns = role != Role::A;
  int64_t rows = dividesRows ? e.m : e.k, columns = dividesColumns ? e.n : e.k;
  int64_t tileRows = dividesRows ? instruction.getM() : instruction.getK();
  int64_t tileColumns = dividesColumns ? instruction.getN() : instruction.getK();
  int64_t rowsOfWarp = dividesRows ? rows / division.rows : rows;
  int64_t columnsOfWarp = dividesColumns ? columns / division.columns : columns;
  unsigned rank = product.rank;
  Bases registers(rank, rows, columns), lanes(rank, rows, columns), ofWarps(rank, rows, columns);
  auto ofTile = [&](ArrayRef<int64_t> bases) {
    if (product.loadsLeft)
      return withRowsAcross(bases, simt::elementBytes(instruction.getA().getElementType()));
    return role == Role::C ? SmallVector<int64_t>(bases) : reordered(bases, role == Role::A ? 1 : 0, instruction);
  };
  registers.append(ofTile(operand.getLayout().getRegisters()));
  // The order in which register numbers count the tiles of a warp: A and B along the depth first, C along a row of
  // tiles first.
  if (role == Role::B) {
    registers.along(1, tileRows, rowsOfWarp / tileRows);
    registers.along(2, tileColumns, columnsOfWarp / tileColumns);
  } else {
    registers.along(2, tileColumns, columnsOfWarp / tileColumns);
    registers.along(1, tileRows, rowsOfWarp / tileRows);
  }
  registers.along(0, 1, e.batch / division.batch);
  lanes.append(ofTile(operand.getLayout().getLanes()));
  ofWarps.append(ofTile(operand.getLayout().getWarps()));
  if (dividesColumns)
    ofWarps.along(2, columnsOfWarp, division.columns);
  else
    ofWarps.copies(division.columns);
  if (dividesRows)
    ofWarps.along(1, rowsOfWarp, division.rows);
  else
    ofWarps.copies(division.rows);
  ofWarps.along(0, e.batch / division.batch, division.batch);
  ofWarps.copies(warps / warpsOf(instruction) / (division.batch * division.rows * division.columns));
  return DistributedAttr::get(instruction.getContext(), rank, registers.numbers, lanes.numbers, ofWarps.numbers, {});
}

TileProduct productOf(DotOp dot, InstructionAttr instruction) {
  return {instruction, extentsOf(dot), unsigned(shapeOf(dot.getType()).size()), dot.getA(), dot.getResult()};
}

TileProduct productOf(simt::ProductOp product) {
  Value a = isTensor(product.getA()) ? product.getA() : Value();
  return {product.getInstruction(), extentsOf(product), 2, a, product.getResult(), loadsLeft(product)};
}

} // namespace

bool leadsToRows(Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<DotOp, simt::ProductOp>(user) && use.getOperandNumber() == 0)
        return true;
      if (auto reduce = dyn_cast<ReduceOp>(user);
          reduce && int64_t(reduce.getAxis()) + 1 == int64_t(shapeOf(reached[i].getType()).size()))
        return true;
      if (isElementwise(user) || isa<simt::WaitProductsOp>(user))
        for (Value result : user->getResults())
          if (isTensor(result))
            reached.insert(result);
    }
  return false;
}

bool comesFromProduct(Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    if (isa_and_nonnull<DotOp, simt::WaitProductsOp>(op))
      return true;
    if (op && isElementwise(op))
      for (Value operand : op->getOperands())
        if (isTensor(operand))
          reached.insert(operand);
  }
  return false;
}

bool wantsWholeRows(DotOp dot) { return leadsToRows(dot.getResult()) || comesFromProduct(dot.getA()); }

DotExtents extentsOf(simt::ProductOp product) {
  ArrayRef<int64_t> b = product.getB().getType().getShape(), c = shapeOf(product.getType());
  return {1, c[0], c[1], b[0]};
}

int64_t registerBytesOf(scf::ForOp loop, int64_t threads) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += tensor.getNumElements() * simt::elementBytes(tensor.getElementType()) / threads;
  };
  for (Type type : loop.getResultTypes())
    add(type);
  for (auto product : loop.getBody()->getOps<simt::ProductOp>())
    if (isa_and_nonnull<arith::ConstantOp>(product.getC().getDefiningOp()))
      add(product.getType());
  for (auto product : loop.getBody()->getOps<simt::ProductOp>()) // the loop carries a delayed product's left operand
    if (simt::scheduleOf(product) && simt::scheduleOf(product).getAhead() < 0)
      add(product.getA().getType());
  for (auto load : loop.getBody()->getOps<LoadOp>()) // the loop carries one value for each iteration ahead
    for (int64_t i = 0; simt::isMadeAhead(load) && i < simt::scheduleOf(load).getAhead(); ++i)
      add(load.getType());
  return bytes;
}

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

int64_t warpsOf(InstructionAttr instruction) {
  return int64_t(1) << instruction.getC().getLayout().getWarps().size() / 2;
}

bool readsShared(InstructionAttr instruction) { return instruction.getB().mayBe(OperandPlace::Shared); }

bool loadsLeft(simt::ProductOp product) { return bool(product.getA().getDefiningOp<simt::SharedLoadOp>()); }

bool readsKMajorOnly(Type element) { return simt::elementBytes(element) != 2; }

bool fitsShared(InstructionAttr instruction, DotOp dot, int64_t warps) {
  if (!instruction.getA().mayBe(OperandPlace::Shared) || !readsShared(instruction))
    return false;
  DotExtents e = extentsOf(dot);
  int64_t groups = warps / warpsOf(instruction), ofRows = std::min(groups, e.m / instruction.getM());
  // If there are more groups of warps than parts of rows, the groups also divide the columns. Each group's part of B
  // then begins in the middle of a line, and must begin at a multiple of 32 bytes, the span of the narrowest swizzle.
  int64_t lineBytes = instruction.getN() * simt::elementBytes(instruction.getB().getElementType());
  if (groups > ofRows && lineBytes < 32)
    return false;
  return groups * warpsOf(instruction) == warps && ofRows >= 1 && shapeOf(dot.getType()).size() == 2 &&
         e.k >= instruction.getK() && e.n == instruction.getN() * (groups / ofRows);
}

ProductLayouts productLayouts(DotOp dot, InstructionAttr instruction, ThreadShape threads) {
  TileProduct product = productOf(dot, instruction);
  Division division = divide(product, threads);
  auto of = [&](Role role) { return repeated(product, role, division, threads.warps); };
  return {of(Role::A), of(Role::B), of(Role::C)};
}

ProductLayouts productLayouts(simt::ProductOp product, ThreadShape threads) {
  TileProduct tiles = productOf(product);
  Division division = divide(tiles, threads);
  ProductLayouts layouts;
  if (tiles.a)
    layouts.a = repeated(tiles, Role::A, division, threads.warps);
  layouts.c = repeated(tiles, Role::C, division, threads.warps);
  return layouts;
}

std::array<int64_t, 2> partsOfProduct(simt::ProductOp product) {
  auto layout = cast<DistributedAttr>(cast<RankedTensorType>(product.getType()).getEncoding());
  ArrayRef<int64_t> bases = layout.getWarps().drop_front(product.getInstruction().getC().getLayout().getWarps().size());
  int64_t rows = 1, columns = 1;
  for (size_t at = 0; at < bases.size(); at += 2) {
    rows *= bases[at] ? 2 : 1;
    columns *= bases[at + 1] ? 2 : 1;
  }
  return {rows, columns};
}

std::array<int32_t, 3> tilesOfWarp(DotOp dot, InstructionAttr instruction) {
  DotExtents e = extentsOf(dot);
  auto layout = cast<DistributedAttr>(cast<RankedTensorType>(dot.getType()).getEncoding());
  // Each bit of the warp number whose basis is a step along an axis halves the extent that one warp has along this
  // axis.
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
