// Products by matrix instructions whose operands and results are in registers.
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/tosimt/Lowering.h"

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

} // namespace tegula::tosimt
