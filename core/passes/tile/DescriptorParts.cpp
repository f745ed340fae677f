#include "core/passes/tile/DescriptorParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tegula::tile {
namespace {

bool isDescriptor(Type type) { return isa<DescType>(type); }
bool carriesDescriptors(TypeRange types) { return llvm::any_of(types, isDescriptor); }

void appendParts(DescType type, SmallVectorImpl<Type> &types) {
  Builder builder(type.getContext());
  types.push_back(PtrType::get(type.getElementType()));
  types.append(2 * type.getShape().size(), builder.getI64Type());
  types.push_back(builder.getI1Type());
}

/// Returns `types`, with each descriptor type replaced by the types of its parts.
SmallVector<Type> expanded(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    if (auto desc = dyn_cast<DescType>(type))
      appendParts(desc, result);
    else
      result.push_back(type);
  return result;
}

/// Returns `values`, with each descriptor replaced by the results of a cast to its parts. The casts are replaced once
/// the parts are known.
SmallVector<Value> expanded(OpBuilder &builder, ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    if (!isDescriptor(value.getType())) {
      result.push_back(value);
      continue;
    }
    auto cast =
        UnrealizedConversionCastOp::create(builder, value.getLoc(), expanded(TypeRange(value.getType())), value);
    llvm::append_range(result, cast.getResults());
  }
  return result;
}

/// Returns values of the types `old` made from `values`, in which each descriptor is replaced by its parts: a
/// descriptor becomes a cast from its parts. The inverse of `expanded`.
SmallVector<Value> joined(OpBuilder &builder, TypeRange old, ValueRange values) {
  SmallVector<Value> result;
  for (Type type : old) {
    size_t count = expanded(TypeRange(type)).size();
    if (!isDescriptor(type)) {
      result.push_back(values.front());
    } else {
      ValueRange parts = values.take_front(count);
      result.push_back(UnrealizedConversionCastOp::create(builder, parts[0].getLoc(), type, parts).getResult(0));
    }
    values = values.drop_front(count);
  }
  return result;
}

void expandArguments(Block &block) {
  SmallVector<Type> old(block.getArgumentTypes());
  if (!carriesDescriptors(old))
    return;
  unsigned count = block.getNumArguments();
  for (BlockArgument argument : llvm::to_vector(block.getArguments()))
    for (Type type : expanded(TypeRange(argument.getType())))
      block.addArgument(type, argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  SmallVector<Value> values = joined(builder, old, block.getArguments().drop_front(count));
  for (unsigned i = 0; i < count; ++i)
    block.getArgument(i).replaceAllUsesWith(values[i]);
  block.eraseArguments(0, count);
}

void expandOperands(Operation *terminator) {
  OpBuilder builder(terminator);
  terminator->setOperands(expanded(builder, terminator->getOperands()));
}

/// Replaces an op by a new one whose operands, results, block arguments and terminators are expanded.
void rebuild(Operation *op) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName(), expanded(builder, op->getOperands()),
                       expanded(op->getResultTypes()), op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *made = builder.create(state);
  for (Region &region : made->getRegions())
    for (Block &block : region) {
      expandArguments(block);
      expandOperands(block.getTerminator());
    }
  builder.setInsertionPointAfter(made);
  op->replaceAllUsesWith(joined(builder, op->getResultTypes(), made->getResults()));
  op->erase();
}

} // namespace

SmallVector<Value> DescriptorParts::all() const {
  SmallVector<Value> values = {base};
  values.append(extents);
  values.append(strides);
  values.push_back(padsNan);
  return values;
}

DescriptorParts DescriptorParts::from(ValueRange all) {
  size_t rank = (all.size() - 2) / 2;
  DescriptorParts parts;
  parts.base = all.front();
  llvm::append_range(parts.extents, all.slice(1, rank));
  llvm::append_range(parts.strides, all.slice(1 + rank, rank));
  parts.padsNan = all.back();
  return parts;
}

DescriptorSplitter::DescriptorSplitter(func::FuncOp function) : function_(function) {
  SmallVector<Operation *> carriers;
  function.walk([&](Operation *op) {
    bool inRegion = llvm::any_of(op->getRegions(), [](Region &region) {
      return llvm::any_of(region, [](Block &block) {
        return carriesDescriptors(block.getArgumentTypes()) ||
               (block.mightHaveTerminator() && carriesDescriptors(block.getTerminator()->getOperandTypes()));
      });
    });
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && (inRegion || carriesDescriptors(op->getResultTypes())))
      carriers.push_back(op);
  });
  for (Operation *op : carriers) // inner ops first
    rebuild(op);
  // All parts are known now: replaces each cast of a descriptor to its parts by the parts.
  function.walk([&](UnrealizedConversionCastOp cast) {
    if (cast.getNumOperands() != 1 || !isDescriptor(cast.getOperand(0).getType()))
      return;
    if (DescriptorParts parts = of(cast.getOperand(0)); parts.base)
      cast->replaceAllUsesWith(parts.all());
  });
}

DescriptorParts DescriptorSplitter::of(Value descriptor) {
  if (auto found = known_.find(descriptor); found != known_.end())
    return found->second;
  auto desc = cast<DescType>(descriptor.getType());
  size_t rank = desc.getShape().size();
  Operation *op = descriptor.getDefiningOp();
  OpBuilder builder(descriptor.getContext());
  op ? builder.setInsertionPointAfter(op) : builder.setInsertionPointToStart(&function_.front());
  Location location = descriptor.getLoc();
  DescriptorParts parts;
  if (auto make = dyn_cast_or_null<MakeDescOp>(op)) {
    parts.base = make.getBase();
    Value zero = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(0));
    for (Value extent : make.getShape()) { // a negative extent counts as 0
      Value counted = arith::MaxSIOp::create(builder, location, extent, zero);
      parts.extents.push_back(arith::ExtSIOp::create(builder, location, builder.getI64Type(), counted));
    }
    llvm::append_range(parts.strides, make.getStrides());
    parts.padsNan =
        arith::ConstantOp::create(builder, location, builder.getBoolAttr(make.getPadding() == Padding::NaN));
  } else if (auto cast = dyn_cast_or_null<UnrealizedConversionCastOp>(op)) {
    return DescriptorParts::from(cast.getOperands());
  } else if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    SmallVector<Value> values;
    DescriptorParts onTrue = of(select.getTrueValue()), onFalse = of(select.getFalseValue());
    if (!onTrue.base || !onFalse.base)
      return {};
    for (auto [a, b] : llvm::zip_equal(onTrue.all(), onFalse.all()))
      values.push_back(arith::SelectOp::create(builder, location, select.getCondition(), a, b));
    parts = DescriptorParts::from(values);
  } else if (!op && descriptor.getParentBlock() == &function_.front()) {
    parts.base = DescBaseOp::create(builder, location, descriptor);
    for (uint32_t axis = 0; axis < rank; ++axis) {
      parts.extents.push_back(DescExtentOp::create(builder, location, descriptor, axis));
      parts.strides.push_back(DescStrideOp::create(builder, location, descriptor, axis));
    }
    parts.padsNan = DescPadsNanOp::create(builder, location, descriptor);
  } else {
    emitError(location) << "expected a descriptor that is made in the kernel or is its argument, found one from "
                        << (op ? op->getName().getStringRef() : "another block");
    return {};
  }
  known_[descriptor] = parts;
  return parts;
}

void DescriptorSplitter::eraseDead() {
  SmallVector<Operation *> dead;
  function_.walk([&](Operation *op) {
    if (isa<UnrealizedConversionCastOp, MakeDescOp, arith::SelectOp>(op) &&
        (carriesDescriptors(op->getResultTypes()) || carriesDescriptors(op->getOperandTypes())))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    if (op->use_empty())
      op->erase();
}

} // namespace tegula::tile
