// The simt dialect: registers its parts and verifies its attributes.
#include "core/ir/Register.h"
#include "core/ir/simt/SimtVerify.h"
#include "core/ir/simt/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include "core/ir/simt/SimtDialect.cpp.inc"

#include "core/ir/simt/SimtEnums.cpp.inc"

#include "core/ir/simt/SimtInterfaces.cpp.inc"

using namespace mlir;

namespace tegula::simt {
namespace {

bool isPositiveI32(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(32) && integer.getInt() > 0;
}

LogicalResult verifyFunctionAttribute(Operation *op, StringRef name, Attribute value) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitOpError() << "expected '" << name << "' on a func.func only";
  if (!isPositiveI32(value))
    return op->emitOpError() << "expected '" << name << "' to be a positive i32, found " << value;
  if (name == kWarpSizeAttr && !llvm::isPowerOf2_64(cast<IntegerAttr>(value).getInt()))
    return op->emitOpError() << "expected '" << name << "' to be a power of two, found " << value;
  if (!function->hasAttr(kWarpsAttr))
    return op->emitOpError() << "expected 'simt.warps' beside '" << name << "'";
  return name == kWarpsAttr ? verifyKernel(function) : success();
}

} // namespace

/// Prints each instruction once, as an alias at the head of the module.
struct InstructionAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &name) const override {
    if (!isa<InstructionAttr>(attribute))
      return AliasResult::NoAlias;
    name << "instruction";
    return AliasResult::FinalAlias;
  }
};

void SimtDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  addInterfaces<InstructionAliases>();
}

static LogicalResult verifyProgramsLoop(Operation *op, Attribute value) {
  auto kernel = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !isa<UnitAttr>(value) || !kernel || !kernel->hasAttr(kResidentAttr))
    return op->emitOpError() << "expected '" << kProgramsAttr << "' as a unit attribute on an scf.for in the body of a "
                             << "kernel with '" << kResidentAttr << "' only, found " << value;
  if (loop->getNumResults() != 0 || !loop.getInductionVar().getType().isInteger(32))
    return op->emitOpError() << "expected the loop over programs to number them in i32 and to carry nothing";
  return success();
}

LogicalResult SimtDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (llvm::is_contained({kWarpsAttr, kWarpSizeAttr, kClusterAttr, kMaxRegistersAttr}, name))
    return verifyFunctionAttribute(op, name, value);
  if (llvm::is_contained({kResidentAttr, kPairsAttr}, name)) {
    if (!isa<func::FuncOp>(op) || !isa<UnitAttr>(value))
      return op->emitOpError() << "expected '" << name << "' as a unit attribute on a func.func only, found " << value;
    return success();
  }
  if (name == kProgramsAttr)
    return verifyProgramsLoop(op, value);
  if (name == kUniformAttr || name == kDivergentAttr) {
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      return op->emitOpError() << "expected '" << name << "' on an scf.if, scf.for or scf.while only";
    if (!isa<UnitAttr>(value) && !(name == kUniformAttr && isPositiveI32(value)))
      return op->emitOpError() << "expected '" << name << "' to be a unit attribute"
                               << (name == kUniformAttr ? " or a positive number of warps as i32" : "") << ", found "
                               << value;
    return success();
  }
  if (name == kSoleAttr) {
    if (!isa<LoadOp>(op) || !isa<UnitAttr>(value))
      return op->emitOpError() << "expected '" << name << "' as a unit attribute on a simt.load only, found " << value;
    return success();
  }
  if (name == kMaskedDeadAttr) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || !load.getMask() || load.getOther() || !isa<UnitAttr>(value))
      return op->emitOpError() << "expected '" << name
                               << "' as a unit attribute on a simt.load with a mask and without 'other' only, found "
                               << value;
    return success();
  }
  if (name == kPartAttr) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!isa<LoadOp, StoreOp>(op) || !number || !number.getType().isSignlessInteger(32))
      return op->emitOpError() << "expected '" << name << "' as an i32 on a simt.load or simt.store only, found "
                               << value;
    return success();
  }
  if (name == kReleasesAttr) {
    if (!isa<BarrierOp>(op) || !isa<tile::ScopeAttr>(value))
      return op->emitOpError() << "expected '" << name << "' as a scope on a simt.barrier only, found " << value;
    return success();
  }
  if (name == kInstructionAttr) {
    if (!isa<tile::DotOp>(op) || !isa<InstructionAttr>(value))
      return op->emitOpError() << "expected '" << name << "' as a #simt.instruction on a tile.dot only, found "
                               << value;
    return success();
  }
  if (name == kScheduleAttr)
    return verifySchedule(op, value);
  if (name == kTargetAttr)
    return verifyTarget(op, value);
  return op->emitOpError() << "found unknown attribute '" << name << "' of dialect simt";
}

void registerSimtDialects(DialectRegistry &registry) {
  tile::registerTileDialects(registry);
  registry.insert<SimtDialect, layout_ir::LayoutDialect>();
}

} // namespace tegula::simt
