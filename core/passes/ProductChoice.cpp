#include "core/passes/ProductChoice.h"

#include "core/ir/Numbers.h"
#include "core/ir/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

#include <tuple>

using namespace mlir;

namespace tegula::tile {
namespace {

struct Extents {
  int64_t batch, m, n, k;
};

Extents extentsOf(DotOp dot) {
  ArrayRef<int64_t> a = shapeOf(dot.getA().getType()), c = shapeOf(dot.getType());
  return {c.size() == 3 ? c[0] : 1, c[c.size() - 2], c.back(), a.back()};
}

/// The offered matrix instructions that take the dot's types. Floats accumulate in f32, integers in i32, as the
/// language promises.
SmallVector<FragmentProduct> ofTypes(DotOp dot, ArrayRef<FragmentProduct> offered) {
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType());
  std::optional<ScalarType> operand = scalarType(a);
  ScalarType accumulator = isa<IntegerType>(a) ? ScalarType::I32 : ScalarType::F32;
  SmallVector<FragmentProduct> result;
  if (a == b && !getElementTypeOrSelf(dot.getType()).isF64())
    for (const FragmentProduct &product : offered)
      if (product.operand == operand && product.accumulator == accumulator)
        result.push_back(product);
  return result;
}

} // namespace

bool isEligible(DotOp dot, ArrayRef<FragmentProduct> offered) { return !ofTypes(dot, offered).empty(); }

int64_t linePadding(Type element) { return 16 / simt::elementBytes(element); }

/// The larger of the sizes with lines along one axis and along the other, which differ in padding.
static int64_t operandBytes(DotOp dot, int64_t extent, int64_t depth) {
  Type element = getElementTypeOrSelf(dot.getA().getType());
  int64_t padding = linePadding(element);
  return extentsOf(dot).batch * std::max(extent * (depth + padding), depth * (extent + padding)) *
         simt::elementBytes(element);
}

int64_t leftBytes(DotOp dot, const FragmentProduct &product, int64_t depth) {
  return operandBytes(dot, std::max(extentsOf(dot).m, product.m), depth);
}

int64_t rightBytes(DotOp dot, const FragmentProduct &product, int64_t depth) {
  return operandBytes(dot, std::max(extentsOf(dot).n, product.n), depth);
}

ProductChoice chooseProduct(DotOp dot, ArrayRef<FragmentProduct> offered, int64_t sharedBytes) {
  if (offered.empty())
    return {{}, "the target has no matrix instructions"};
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType());
  Type c = getElementTypeOrSelf(dot.getType());
  std::string rows;
  for (const FragmentProduct &product : offered)
    rows += (rows.empty() ? "" : ", ") + name(product);
  if (a != b)
    return {{}, "its operands are of two types, " + debugString(a) + " and " + debugString(b)};
  if (c.isF64())
    return {{}, "it accumulates in f64"};
  SmallVector<FragmentProduct> serving = ofTypes(dot, offered);
  if (serving.empty())
    return {{},
            "the target has no instruction for " + debugString(a) + " that accumulates in " +
                (isa<IntegerType>(a) ? "i32" : "f32") + " (it has " + rows + ")"};
  Extents e = extentsOf(dot);
  auto rank = [&](const FragmentProduct &product) {
    int64_t computed = std::max(e.m, product.m) * std::max(e.n, product.n) * std::max(e.k, product.k);
    return std::tuple(computed, -product.m * product.n * product.k);
  };
  auto best = llvm::min_element(serving, [&](auto &left, auto &right) { return rank(left) < rank(right); });
  int64_t least = leftBytes(dot, *best, best->k) + rightBytes(dot, *best, best->k);
  if (least > sharedBytes)
    return {{},
            "its operands take at least " + std::to_string(least) + " bytes of shared memory, the target has " +
                std::to_string(sharedBytes)};
  return {*best, ""};
}

std::optional<simt::CombineKind> rowCombination(ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSrcs().size() != 1 || !getElementTypeOrSelf(reduce.getSrcs()[0].getType()).isF32() ||
      body.getOperations().size() != 2 || body.getTerminator()->getOperand(0).getDefiningOp() != &body.front() ||
      body.front().getOperands() != ValueRange(body.getArguments()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<simt::CombineKind>>(&body.front())
      .Case([](arith::AddFOp) { return simt::CombineKind::AddF; })
      .Case([](arith::MaxNumFOp) { return simt::CombineKind::MaxNumF; })
      .Case([](arith::MinNumFOp) { return simt::CombineKind::MinNumF; })
      .Case([](arith::MaximumFOp) { return simt::CombineKind::MaximumF; })
      .Case([](arith::MinimumFOp) { return simt::CombineKind::MinimumF; })
      .Default([](Operation *) { return std::nullopt; });
}

bool areLinesAligned(const AxisView &view, Value base, Value stride, int64_t line) {
  int64_t bytes = simt::elementBytes(cast<PtrType>(base.getType()).getPointee());
  int64_t wanted = std::min<int64_t>(16, line * bytes);
  return view.of(base).divisor(bytes) >= wanted && view.of(stride).divisor() * bytes >= wanted;
}

std::string describeChoice(DotOp dot, const ProductChoice &choice) {
  Extents e = extentsOf(dot);
  std::string text = e.batch > 1 ? std::to_string(e.batch) + " times " : "";
  return text + std::to_string(e.m) + "x" + std::to_string(e.n) + "x" + std::to_string(e.k) + " of " +
         debugString(getElementTypeOrSelf(dot.getA().getType())) + " into " +
         debugString(getElementTypeOrSelf(dot.getType())) + ": " +
         (choice.product ? name(*choice.product) : "none, because " + choice.reason);
}

} // namespace tegula::tile
