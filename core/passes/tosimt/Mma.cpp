// Products by matrix instructions with results in registers: synchronous products with operands in registers, and
// asynchronous products with operands in shared memory.
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/InFlight.h"
#include "core/passes/tosimt/Lowering.h"
#include "core/passes/tosimt/OperandParts.h"

using namespace mlir;

namespace tegula::tosimt {

Value Lowering::multiplyNarrowed(simt::InstructionAttr instruction, std::array<int32_t, 3> tiles, Value a, Value b,
                                 Value c, int64_t parts) {
  auto [m, n, k] = tiles;
  auto type = cast<FloatType>(instruction.getA().getElementType());
  // Takes from an operand the registers of step `number` along the depth. `count`: how many tiles the operand has along
  // its rows (A) or columns (B); k tiles along the depth follow each other in the registers.
  auto step = [&](Value operand, int32_t count, int32_t number) {
    int64_t each = countOf(operand) / (count * k);
    SmallVector<Value> taken;
    for (int32_t i = 0; i < count; ++i)
      taken.push_back(slice(operand, (i * k + number) * each, each));
    return concat(taken, count * each, elementOf(operand));
  };
  for (int32_t number = 0; number < k; ++number) {
    OperandParts left = divideOperand(b_, location_, step(a, m, number), type, parts);
    OperandParts right = divideOperand(b_, location_, step(b, n, number), type, parts);
    // Adds the products of the parts from the smallest to the largest. Infinities and NaN enter only the largest, the
    // product of both first parts; all others take 0 in their place.
    for (int64_t order = parts - 1; order >= 0; --order)
      for (int64_t i = 0; i <= order; ++i) {
        auto part = [&](OperandParts &of, int64_t at) {
          return at == 0 && order > 0 ? of.finiteFirst : of.parts[size_t(at)];
        };
        c = simt::MmaOp::create(b_, location_, part(left, i), part(right, order - i), c, instruction.getName(),
                                ArrayRef<int32_t>({m, n, 1}));
      }
  }
  return c;
}

LogicalResult Lowering::lowerRegisterProduct(tile::DotOp op, simt::InstructionAttr instruction) {
  if (instruction.isOpaque())
    return op->emitOpError("expected its result in fragments (tile-place-fragments)");
  std::array<int32_t, 3> tiles = tile::tilesOfWarp(op, instruction);
  Value a = get(op.getA()), b = get(op.getB()), c = get(op.getC());
  // If the product has a batch axis, this warp multiplies its matrices of the batch one after another. `share` returns
  // how many registers of an operand belong to one matrix, given its `count` of instruction tiles; A, B and C have the
  // same number of matrices (`entries`) in a warp.
  auto share = [&](const simt::OperandAttr &operand, int64_t count) {
    return count << (operand.getLayout().getRegisters().size() / 2);
  };
  int64_t ofA = share(instruction.getA(), tiles[0] * tiles[2]), ofB = share(instruction.getB(), tiles[1] * tiles[2]),
          ofC = share(instruction.getC(), tiles[0] * tiles[1]);
  int64_t entries = countOf(c) / ofC;
  if (countOf(a) != ofA * entries || countOf(b) != ofB * entries || countOf(c) != ofC * entries)
    return op->emitOpError() << "expected operands in the layouts of " << instruction.getName() << " for "
                             << op.getA().getType() << " and " << op.getB().getType();
  SmallVector<Value> sums;
  for (int64_t entry = 0; entry < entries; ++entry) {
    Value left = slice(a, entry * ofA, ofA), right = slice(b, entry * ofB, ofB), sum = slice(c, entry * ofC, ofC);
    if (elementOf(a) != instruction.getA().getElementType())
      sums.push_back(
          multiplyNarrowed(instruction, tiles, left, right, sum, tile::partsOfOperands(op.getInputPrecision())));
    else
      sums.push_back(simt::MmaOp::create(b_, location_, left, right, sum, instruction.getName(), ArrayRef(tiles)));
  }
  set(op, concat(sums, countOf(c), elementOf(c)));
  return success();
}

Value Lowering::partOfView(Value view, unsigned axis, int64_t parts, Value number) {
  if (parts == 1)
    return view;
  auto whole = cast<simt::SharedType>(view.getType());
  SmallVector<int64_t> extents(whole.getShape());
  extents[axis] /= parts;
  std::optional<simt::SharedType> part = whole.getPartType(extents);
  assert(part && "buffers of operands are divisible along both axes");
  SmallVector<Value> position(extents.size(), constant(0));
  position[axis] = number;
  return simt::PartOp::create(b_, location_, *part, view, position);
}

LogicalResult Lowering::lowerProduct(simt::ProductOp op) {
  auto [rows, columns] = tile::partsOfProduct(op);
  int64_t ofInstruction = warps() / (rows * columns);
  Value group = arith::DivUIOp::create(b_, location_, warp_, constant(ofInstruction));
  Value row = arith::DivUIOp::create(b_, location_, group, constant(columns));
  Value column = arith::RemUIOp::create(b_, location_, group, constant(columns));
  Value a = get(op.getA());
  if (isa<simt::SharedType>(a.getType()))
    a = partOfView(a, 0, rows, row);
  Value b = partOfView(get(op.getB()), 1, columns, column);
  // If the accumulator is zero, the first product overwrites its result: zeroing registers would touch them while other
  // products are in flight.
  Value sum = get(op.getC());
  bool addsZeros = matchPattern(sum, m_PosZeroFloat()) || matchPattern(sum, m_Zero());
  Value accumulate = addsZeros ? arith::ConstantOp::create(b_, location_, b_.getBoolAttr(false)) : Value();
  set(op,
      simt::MatmulAsyncOp::create(b_, location_, sum.getType(), a, b, sum, accumulate, op.getInstruction().getName()));
  return success();
}

LogicalResult Lowering::lowerWaitProducts(simt::WaitProductsOp op) {
  int64_t younger = startedAfter(op.getProduct(), op);
  Value accumulator = get(op.getProduct());
  if (younger == kUnbounded) {
    set(op, accumulator);
  } else if (op.getResult().use_empty()) {
    simt::MatmulWaitOp::create(b_, location_, uint32_t(younger), ValueRange());
  } else {
    auto wait = simt::MatmulWaitOp::create(b_, location_, uint32_t(younger), accumulator);
    set(op, wait.getResult(0));
  }
  return success();
}

} // namespace tegula::tosimt
