// The tile dialect: registers its parts, verifies its attributes, and defines how constants and calls are handled.
#include "core/ir/Register.h"
#include "core/ir/tile/ConditionsAttr.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include "core/ir/tile/TileDialect.cpp.inc"

#include "core/ir/tile/TileEnums.cpp.inc"

using namespace mlir;

namespace tegula::tile {
namespace {

struct TileInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
};

bool isPositiveI32(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(32) && integer.getInt() > 0;
}

/// Verifies that the argument is a descriptor that the launch can derive from earlier arguments, as the attribute
/// states.
LogicalResult verifyTensor(FunctionOpInterface function, unsigned index, Attribute attribute) {
  auto type = dyn_cast<DescType>(function.getArgumentTypes()[index]);
  if (!type)
    return function.emitOpError() << "expected 'tile.tensor' on descriptors only, found argument " << index
                                  << " of type " << function.getArgumentTypes()[index];
  if (!function->hasAttr(kConditionsAttr))
    return function.emitOpError() << "expected 'tile.conditions' beside 'tile.tensor' of argument " << index
                                  << ": code that takes derived descriptors is conditional";
  std::optional<DerivedTensor> tensor = derivedTensor(attribute);
  if (!tensor || tensor->axes.size() != type.getShape().size())
    return function.emitOpError() << "expected 'tile.tensor' of argument " << index
                                  << " to have a pointer and an axis for each of the block's, found " << attribute;
  auto isEarlier = [&](uint32_t argument, bool isPointer) {
    if (argument >= index)
      return false;
    Type other = function.getArgumentTypes()[argument];
    return isPointer ? isa<PtrType>(other) : isa<IntegerType>(other);
  };
  auto areEarlier = [&](const ArgumentProduct &product) {
    return llvm::all_of(product.params, [&](uint32_t argument) { return isEarlier(argument, false); });
  };
  if (!isEarlier(tensor->pointer, true) || !llvm::all_of(tensor->axes, [&](const DerivedTensor::Axis &axis) {
        return areEarlier(axis.extent) && areEarlier(axis.stride);
      }))
    return function.emitOpError() << "expected 'tile.tensor' of argument " << index
                                  << " to name an earlier pointer and earlier integers, found " << attribute;
  return success();
}

/// Verifies `tile.depth_splits` and `tile.grid_factor`.
LogicalResult verifyFactor(Operation *op, NamedAttribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (isa<func::FuncOp>(op) && op->hasAttr(kKernelAttr) && number && number.getType().isSignlessInteger(32) &&
      number.getInt() > 1)
    return success();
  return op->emitOpError() << "expected '" << attribute.getName().getValue()
                           << "' as an i32 above 1 on a kernel only, found " << attribute.getValue();
}

/// Verifies `tile.workspace`, a size on a pointer argument, and `tile.zeroed`, a unit attribute beside it.
LogicalResult verifyWorkspace(FunctionOpInterface function, unsigned index, NamedAttribute attribute) {
  bool isPointer = isa<PtrType>(function.getArgumentTypes()[index]), isZeroed = attribute.getName() == kZeroedAttr;
  auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
  bool isSize = bytes && bytes.getType().isSignlessInteger(64) && bytes.getInt() > 0;
  if (isZeroed ? isa<UnitAttr>(attribute.getValue()) && function.getArgAttr(index, kWorkspaceAttr)
               : isPointer && isSize)
    return success();
  return function.emitOpError() << "expected '" << attribute.getName().getValue() << "' of argument " << index
                                << (isZeroed ? " to be a unit attribute beside 'tile.workspace'"
                                             : " to be a positive i64, and the argument a pointer")
                                << ", found " << attribute.getValue();
}

/// Verifies that the attribute lists expressions of the kernel's integer arguments.
LogicalResult verifyConditions(Operation *op, Attribute attribute) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || !function->hasAttr(kKernelAttr))
    return op->emitOpError() << "expected 'tile.conditions' on a kernel only";
  ArrayRef<Type> types = function.getArgumentTypes();
  auto readsIntegers = [&](const ProgramExpression &expression) {
    return llvm::all_of(expression.nodes, [&](const ProgramExpression::Node &node) {
      return node.kind != ProgramExpression::Kind::Param ||
             (uint64_t(node.value) < types.size() && isa<IntegerType>(types[size_t(node.value)]));
    });
  };
  std::optional<LaunchConditions> conditions = launchConditions(attribute);
  if (!conditions || !llvm::all_of(conditions->positive, readsIntegers))
    return op->emitOpError() << "expected 'tile.conditions' to be expressions of integer arguments, found "
                             << attribute;
  return success();
}

/// Verifies that the attribute lists pairs of the kernel's pointers and descriptors.
LogicalResult verifyApart(Operation *op, Attribute attribute) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || !function->hasAttr(kKernelAttr))
    return op->emitOpError() << "expected 'tile.apart' on a kernel only";
  std::optional<SmallVector<ArgumentPair>> pairs = apartArguments(attribute);
  if (!pairs || !llvm::all_of(*pairs, [&](ArgumentPair pair) {
        return hasMemoryOfCaller(function, pair.first) && hasMemoryOfCaller(function, pair.second);
      }))
    return op->emitOpError() << "expected 'tile.apart' to be pairs of pointers or descriptors of the caller, found "
                             << attribute;
  return success();
}

} // namespace

void TileDialect::initialize() {
  registerTypes();
  registerOps();
  addInterfaces<TileInliner>();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kKernelAttr) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return op->emitOpError() << "expected 'tile.kernel' on a func.func only";
    if (!isa<UnitAttr>(value))
      return op->emitOpError() << "expected 'tile.kernel' to be a unit attribute, found " << value;
    if (function.getNumResults() != 0)
      return op->emitOpError() << "expected a kernel without results, found " << function.getNumResults();
    return success();
  }
  if (name == kNumWarpsAttr || name == kNumStagesAttr || name == kUnrollAttr) {
    bool onModule = isa<ModuleOp>(op) && name != kUnrollAttr;
    bool onLoop = isa<scf::ForOp>(op) && name != kNumWarpsAttr;
    if (!onModule && !onLoop)
      return op->emitOpError() << "expected '" << name << "' on "
                               << (name == kUnrollAttr     ? "an scf.for"
                                   : name == kNumWarpsAttr ? "a module"
                                                           : "a module or an scf.for")
                               << " only";
    if (!isPositiveI32(value))
      return op->emitOpError() << "expected '" << name << "' to be a positive i32, found " << value;
    return success();
  }
  if (name == kCopiedAttr)
    return isa<DescLoadOp, DescStoreOp>(op)
               ? success()
               : op->emitOpError() << "found '" << name
                                   << "', which only a load or store of a block through a descriptor has";
  if (name == kEvictFirstAttr)
    return isa<DescLoadOp>(op)
               ? success()
               : op->emitOpError() << "found '" << name << "', which only a load through a descriptor has";
  if (name == kRoundedAttr)
    return isa<arith::DivFOp, arith::MulFOp, arith::AddFOp, arith::SubFOp>(op)
               ? success()
               : op->emitOpError() << "found '" << name
                                   << "', which only a quotient, product, sum or difference of floats has";
  if (llvm::is_contained({kFlattenAttr, kWarpSpecializeAttr, kDisallowMultiBufferAttr, kDisableLicmAttr}, name)) {
    if (!isa<scf::ForOp>(op))
      return op->emitOpError() << "expected '" << name << "' on an scf.for only";
    if (!isa<UnitAttr>(value))
      return op->emitOpError() << "expected '" << name << "' to be a unit attribute, found " << value;
    return success();
  }
  if (name == kConditionsAttr)
    return verifyConditions(op, value);
  if (name == kApartAttr)
    return verifyApart(op, value);
  if (name == kDepthSplitsAttr || name == kGridFactorAttr)
    return verifyFactor(op, attribute);
  if (name == kLongestFirstAttr) {
    auto axis = dyn_cast<IntegerAttr>(value);
    bool isAxis = axis && axis.getType().isInteger(32) && axis.getInt() >= 0 && axis.getInt() < 3;
    if (!isa<func::FuncOp>(op) || !isAxis)
      return op->emitOpError() << "expected '" << name << "' as an axis, 0 to 2, on a func.func only, found " << value;
    return success();
  }
  return op->emitOpError() << "found unknown attribute '" << name << "' of dialect tile";
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kNameAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError() << "expected 'tile.name' of argument " << index << " to be a string, found "
                               << attribute.getValue();
    return success();
  }
  if (name == kDivisibilityAttr) {
    auto value = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!value || !value.getType().isSignlessInteger(64) || value.getInt() <= 0 || !llvm::isPowerOf2_64(value.getInt()))
      return op->emitOpError() << "expected 'tile.divisibility' of argument " << index
                               << " to be a power of two as i64, found " << attribute.getValue();
    return success();
  }
  auto onIntegers = [&]() -> LogicalResult {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (function && !isa<IntegerType>(function.getArgumentTypes()[index]))
      return op->emitOpError() << "expected '" << name << "' on integer arguments only, found argument " << index
                               << " of type " << function.getArgumentTypes()[index];
    return success();
  };
  if (name == kEqualsAttr) {
    auto value = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!value || !value.getType().isSignlessInteger(64))
      return op->emitOpError() << "expected 'tile.equals' of argument " << index << " to be an i64, found "
                               << attribute.getValue();
    return onIntegers();
  }
  if (name == kNonNegativeAttr) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError() << "expected 'tile.nonnegative' of argument " << index
                               << " to be a unit attribute, found " << attribute.getValue();
    return onIntegers();
  }
  if (name == kWorkspaceAttr || name == kZeroedAttr)
    return verifyWorkspace(cast<FunctionOpInterface>(op), index, attribute);
  if (name == kTensorAttr)
    return verifyTensor(cast<FunctionOpInterface>(op), index, attribute.getValue());
  return op->emitOpError() << "found unknown attribute '" << name << "' of dialect tile on argument " << index;
}

void registerTileDialects(DialectRegistry &registry) {
  registry
      .insert<TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, func::FuncDialect, ub::UBDialect>();
  func::registerInlinerExtension(registry);
}

} // namespace tegula::tile
