// Flattens whole-tile ops: products, reductions, scans, maps, permutations, float conversions.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

static_assert(int(tile::InputPrecision::Bf16x6) == int(InputPrecision::Bf16x6));
static_assert(int(tile::FunctionKind::FmaZero) == int(FunctionKind::FmaZero));
static_assert(int(tile::FunctionKind::Hypot) == int(FunctionKind::Hypot));
static_assert(int(tile::RoundingMode::TowardZero) == int(RoundingMode::TowardZero));

/// Flattens the region of a reduce or scan to a function and returns the function's index. Throws if the region
/// branches: the executor runs the function on whole slices, whose elements could take different branches.
int64_t combineFunction(FunctionWriter &writer, Operation *op, const std::string &name) {
  op->getRegion(0).walk([&](Operation *inner) {
    if (inner->getNumRegions() != 0)
      fail(inner->getLoc(), "the cpu backend cannot branch inside the combining function of a " + name +
                                "; choose between values with tl.where");
  });
  return writer.module.regionFunction(op->getRegion(0), name);
}

} // namespace

bool flattenCompute(FunctionWriter &writer, Operation *op) {
  auto emit = [&](Opcode opcode, ArrayRef<int64_t> attributes = {}) {
    writer.emit(opcode, op, attributes);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::DotOp op) { return emit(Opcode::Dot, int64_t(op.getInputPrecision())); })
      .Case([&](tile::ReduceOp op) {
        return emit(Opcode::Reduce, {int64_t(op.getAxis()), combineFunction(writer, op, "reduce")});
      })
      .Case([&](tile::ScanOp op) {
        return emit(Opcode::Scan, {int64_t(op.getAxis()), combineFunction(writer, op, "scan"), op.getReverse()});
      })
      .Case([&](tile::MapElementwiseOp op) {
        return emit(Opcode::MapElements, writer.module.regionFunction(op.getBody(), "map"));
      })
      .Case([&](tile::GatherOp op) { return emit(Opcode::Gather, int64_t(op.getAxis())); })
      .Case([&](tile::HistogramOp) { return emit(Opcode::Histogram); })
      .Case([&](tile::SortOp op) { return emit(Opcode::Sort, {op.getDescending(), op.getIsSigned()}); })
      .Case([&](tile::FunctionOp op) { return emit(Opcode::Function, int64_t(op.getKind())); })
      .Case([&](tile::FpCastOp op) { return emit(Opcode::ConvertF, int64_t(op.getRounding())); })
      .Default(false);
}

} // namespace tegula::cpu
