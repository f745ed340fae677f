// tile-load-fragments (TilePasses.td): lets matrix instructions load fragments of their operands from global memory.
//
// Emits the scalars of all operands, then runs axis analysis to learn their alignment, then rewrites the products.
#include "backends/vulkan/passes/Passes.h"
#include "core/passes/Explain.h"
#include "core/passes/analysis/LinearForm.h"
#include "core/passes/products/ProductChoice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <vector>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_LOADFRAGMENTS
#include "backends/vulkan/passes/TilePasses.h.inc"

namespace {

/// An operand of a product, if the operand is a matrix in global memory.
struct Operand {
  LoadOp load;
  unsigned number = 0; // 0: A, 1: B
  Value base, stride;
  bool columns = false;
  int64_t line = 0; // elements of a fragment's line
  SmallVector<Value> conditions;
  std::string obstacle;
};

struct Product {
  DotOp dot;
  SmallVector<Operand, 2> operands;
};

/// Strides must fit 27 bits: some drivers multiply a stride by a line number of up to 15 in 32 bits.
constexpr unsigned kStrideBits = 27;

bool isOne(Value step) { return step && matchPattern(step, m_One()); }

/// Whether the load can move down to `dot`, which is in the same block: no op between them may write memory.
bool canWait(LoadOp load, DotOp dot) {
  for (Operation *op = load->getNextNode(); op != dot; op = op->getNextNode())
    if (!isa<LoadOp>(op) && !accessesNoMemory(op))
      return false;
  return true;
}

/// Fills in the members of `operand`, or sets `obstacle` if fragments cannot be loaded from memory.
void describe(Operand &operand, DotOp dot, simt::InstructionAttr product) {
  auto is = [&](const char *obstacle) { operand.obstacle = obstacle; };
  bool isLeft = operand.number == 0;
  ArrayRef<int64_t> shape = shapeOf(dot->getOperand(operand.number).getType());
  SmallVector<int64_t, 2> fragment = isLeft ? product.getShapeOfA() : product.getShapeOfB();
  LoadOp load = operand.load = dot->getOperand(operand.number).getDefiningOp<LoadOp>();
  if (!load)
    return is("it is not loaded as it is");
  if (!load->hasOneUse())
    return is("it is used elsewhere, too");
  if (load.getIsVolatile() || load.getCache() != CacheModifier::None)
    return is("its load is volatile or names a cache");
  if (load->getBlock() != dot->getBlock())
    return is("its load stands elsewhere");
  if (!canWait(load, dot))
    return is("memory may change between its load and the product");
  if (shape.size() != 2 || shape[0] < fragment[0] || shape[1] < fragment[1])
    return is("it is smaller than a fragment, or one of several matrices");
  OpBuilder builder(dot);
  LinearForms forms(builder, load.getLoc());
  std::optional<LinearForms::Pointers> pointers = forms.ofPointers(load.getPtr());
  if (!pointers)
    return is("its addresses are not a base and steps along its axes");
  ArrayRef<Value> steps = pointers->offsets.steps;
  operand.columns = !isOne(steps[1]);
  Value stride = steps[operand.columns ? 1 : 0];
  if (!isOne(steps[operand.columns ? 0 : 1]) || !stride)
    return is("its elements do not lie side by side along an axis");
  if (load.getMask() && !forms.requireAll(load.getMask()))
    return is("its mask is not made of limits along its axes");
  forms.requireWithin(stride, 1, kStrideBits);
  if (!forms.mayHold())
    return is("its mask or its stride never allows it");
  operand.base = pointers->base;
  if (Value start = pointers->offsets.start)
    operand.base = AddPtrOp::create(builder, load.getLoc(), operand.base, start);
  operand.stride = stride;
  operand.line = fragment[operand.columns ? 0 : 1];
  llvm::append_range(operand.conditions, forms.conditions());
}

/// Sinks ops into the branch's else region if only that region uses them: addresses and masks of loads that are rarely
/// executed.
void sink(scf::IfOp branch) {
  Region &into = branch.getElseRegion();
  for (Operation *op = branch->getPrevNode(), *previous; op; op = previous) {
    previous = op->getPrevNode();
    bool isUsedThere = !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
      return into.isAncestor(user->getParentRegion());
    });
    if (isUsedThere && isMemoryEffectFree(op))
      op->moveBefore(&into.front(), into.front().begin());
  }
}

/// Makes the product load from global memory those of its operands that have no obstacle. If such loads have
/// conditions, the product is put into a branch on their conjunction, and loads fragments from global memory in the
/// then region only.
void rewrite(Product &product) {
  DotOp dot = product.dot;
  OpBuilder builder(dot);
  Value all;
  for (Operand &operand : product.operands)
    for (Value condition : operand.conditions)
      all = all ? builder.createOrFold<arith::AndIOp>(dot.getLoc(), all, condition) : condition;
  auto direct = [&](OpBuilder inside) {
    IRMapping mapping;
    for (Operand &operand : product.operands)
      mapping.map(operand.load.getResult(), LoadStridedOp::create(inside, operand.load.getLoc(), operand.load.getType(),
                                                                  operand.base, operand.stride, operand.columns));
    return inside.clone(*dot, mapping)->getResult(0);
  };
  if (!all) {
    dot.replaceAllUsesWith(direct(builder));
    dot.erase();
    for (Operand &operand : product.operands)
      operand.load.erase();
    return;
  }
  auto branch = scf::IfOp::create(builder, dot.getLoc(), dot.getType(), all, /*withElseRegion=*/true);
  OpBuilder whole = branch.getThenBodyBuilder();
  Value made = direct(whole);
  whole.setInsertionPointAfterValue(made);
  scf::YieldOp::create(whole, dot.getLoc(), made);
  dot.replaceAllUsesWith(branch.getResult(0));
  OpBuilder partly = branch.getElseBodyBuilder();
  for (Operand &operand : product.operands)
    operand.load->moveBefore(partly.getInsertionBlock(), partly.getInsertionBlock()->end());
  dot->moveBefore(partly.getInsertionBlock(), partly.getInsertionBlock()->end());
  partly.setInsertionPointToEnd(partly.getInsertionBlock());
  scf::YieldOp::create(partly, dot.getLoc(), dot.getResult());
  sink(branch);
}

struct LoadFragmentsPass : impl::LoadFragmentsBase<LoadFragmentsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      std::vector<Product> products;
      function.walk([&](DotOp dot) {
        if (simt::InstructionAttr instruction = simt::instructionOf(dot); instruction && instruction.isOpaque())
          products.push_back({dot, {}});
      });
      if (products.empty())
        return;
      for (Product &product : products) {
        for (unsigned number : {0u, 1u}) {
          Operand &operand = product.operands.emplace_back();
          operand.number = number;
          describe(operand, product.dot, simt::instructionOf(product.dot));
        }
      }
      AxisAnalysis axes(function);
      for (Product &product : products) {
        for (Operand &operand : product.operands)
          if (operand.obstacle.empty() && !areLinesAligned(axes, operand.base, operand.stride, operand.line))
            operand.obstacle = "its lines may begin anywhere";
        report(product);
        llvm::erase_if(product.operands, [](const Operand &operand) { return !operand.obstacle.empty(); });
        if (!product.operands.empty())
          rewrite(product);
      }
    });
  }

  static void report(Product &product) {
    InFlightDiagnostic remark = explain(product.dot.getLoc(), "dot");
    for (Operand &operand : product.operands) {
      remark << (operand.number ? "; B " : "A ");
      if (!operand.obstacle.empty())
        remark << "through shared memory: " << operand.obstacle;
      else if (operand.conditions.empty())
        remark << "straight from global memory";
      else
        remark << "straight from global memory where all of the tile lies there";
    }
  }
};

} // namespace
} // namespace tegula::tile
