// Products by matrix instructions whose results are in registers: with operands in registers, and asynchronous ones
// with operands in shared memory.
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/tosimt/Lowering.h"
#include "core/passes/tosimt/UnderWay.h"

using namespace mlir;

namespace tegula::tosimt {

LogicalResult Lowering::lowerRegisterProduct(tile::DotOp op, simt::InstructionAttr instruction) {
  std::array<int32_t, 3> tiles = tile::tilesOfWarp(op, instruction);
  Value a = get(op.getA()), b = get(op.getB()), c = get(op.getC());
  // One matrix of a batch after another; a warp has the same number of matrices of each operand.
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
  for (int64_t entry = 0; entry < entries; ++entry)
    sums.push_back(b_.create<simt::MmaOp>(location_, slice(a, entry * ofA, ofA), slice(b, entry * ofB, ofB),
                                          slice(c, entry * ofC, ofC), instruction.getName(), ArrayRef<int32_t>(tiles)));
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
  SmallVector<Value, 2> position = {constant(0), constant(0)};
  position[axis] = number;
  return b_.create<simt::PartOp>(location_, *part, view, position);
}

LogicalResult Lowering::lowerProduct(simt::ProductOp op) {
  auto [rows, columns] = tile::partsOfProduct(op);
  int64_t ofInstruction = warps() / (rows * columns);
  Value group = b_.create<arith::DivUIOp>(location_, warp_, constant(ofInstruction));
  Value row = b_.create<arith::DivUIOp>(location_, group, constant(columns));
  Value column = b_.create<arith::RemUIOp>(location_, group, constant(columns));
  Value a = get(op.getA());
  if (isa<simt::SharedType>(a.getType()))
    a = partOfView(a, 0, rows, row);
  Value b = partOfView(get(op.getB()), 1, columns, column);
  set(op, b_.create<simt::MatmulAsyncOp>(location_, get(op.getC()).getType(), a, b, get(op.getC()), Value(),
                                         op.getInstruction().getName()));
  return success();
}

LogicalResult Lowering::lowerWaitProducts(simt::WaitProductsOp op) {
  int64_t younger = startedAfter(op.getProduct(), op);
  Value accumulator = get(op.getProduct());
  if (younger == kUnbounded) {
    set(op, accumulator);
  } else if (op.getResult().use_empty()) {
    b_.create<simt::MatmulWaitOp>(location_, uint32_t(younger), ValueRange());
  } else {
    auto wait = b_.create<simt::MatmulWaitOp>(location_, uint32_t(younger), accumulator);
    set(op, wait.getResult(0));
  }
  return success();
}

} // namespace tegula::tosimt
