#include "backends/llvm/Printer.h"
#include "core/ir/Locations.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tegula::llvmir {

Printer::Printer(llvm::LLVMContext &context, func::FuncOp kernel, std::string target)
    : b(context), kernel_(kernel), target_(std::move(target)), warpSize_(simt::kernelWarpSize(kernel)),
      module_(std::make_unique<llvm::Module>(kernel.getName(), context)) {
  region_.warps = simt::kernelWarps(kernel);
}

Printer::~Printer() = default;

void Printer::fail(Operation *op, const llvm::Twine &message) const { tile::failAt(op, message); }

void Printer::needThreads(int64_t most) const {
  int64_t threads = kernelThreads();
  if (threads > most)
    tile::failAt(kernel(),
                 "expected at most " + llvm::Twine(most / warpSize()) + " warps of " + llvm::Twine(warpSize()) +
                     " threads on target " + target_ + ", found " + llvm::Twine(threads / warpSize()) +
                     "; choose a smaller num_warps",
                 {"threads", static_cast<uint64_t>(threads), static_cast<uint64_t>(most)});
}

void Printer::failMissing(Operation *op) const { fail(op, "target " + target_ + " has no code for this op"); }

llvm::Type *Printer::elementType(mlir::Type type) const {
  llvm::LLVMContext &context = module_->getContext();
  if (auto shaped = dyn_cast<VectorType>(type))
    type = shaped.getElementType();
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::IntegerType::get(context, integer.getWidth());
  if (type.isF16())
    return llvm::Type::getHalfTy(context);
  if (type.isBF16())
    return llvm::Type::getBFloatTy(context);
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  if (tile::isFp8Scalar(type))
    return llvm::Type::getInt8Ty(context);
  if (isa<tile::PtrType>(type))
    return llvm::PointerType::get(context, kGlobalSpace);
  if (isa<simt::SharedType, simt::BarriersType>(type))
    return llvm::PointerType::get(context, kSharedSpace);
  if (isa<tile::DescType>(type))
    return llvm::PointerType::get(context, descriptorSpace());
  fail(kernel_, "target " + target_ + " has no registers for the type " + debugString(type));
}

void Printer::set(mlir::Value value, Values elements) {
  bool fresh = values_.insert({value, std::move(elements)}).second;
  (void)fresh;
  assert(fresh && "a value is printed once");
}

llvm::Value *Printer::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments,
                                llvm::ArrayRef<llvm::Type *> types) {
  return b.CreateIntrinsic(id, types, arguments);
}

llvm::BasicBlock *Printer::newBlock(const llvm::Twine &name) {
  return llvm::BasicBlock::Create(b.getContext(), name, function_);
}

namespace {

bool readsGrid(func::FuncOp kernel, unsigned firstAxis) {
  return kernel
      .walk([&](Operation *op) {
        if (auto id = dyn_cast<tile::ProgramIdOp>(op); id && id.getAxis() >= firstAxis)
          return WalkResult::interrupt();
        if (auto size = dyn_cast<tile::NumProgramsOp>(op); size && size.getAxis() >= firstAxis)
          return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

void Printer::createFunction(Artifact &artifact) {
  findBoxedDescriptors();
  llvm::SmallVector<llvm::Type *> types;
  for (mlir::Type type : kernel_.getArgumentTypes()) {
    if (isa<tile::DescType>(type))
      types.push_back(elementType(type));
    else // an i1 argument is passed as a byte
      types.push_back(type.isInteger(1) ? b.getInt8Ty() : elementType(type));
  }
  bool isResident = kernel_->hasAttr(simt::kResidentAttr);
  if (isResident)
    artifact.launchFlags |= kernel_->hasAttr(simt::kPairsAttr) ? kLaunchInPairs : kLaunchResident;
  bool hidden = isResident || readsGrid(kernel_, firstSplitAxis());
  if (hidden) {
    artifact.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize};
    types.append(6, b.getInt32Ty());
  }
  bool speaks = kernel_.walk([](simt::HiddenArgumentOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (speaks) {
    artifact.hidden.push_back(HiddenArgument::PrintBuffer);
    types.push_back(llvm::PointerType::get(b.getContext(), kGlobalSpace));
  }
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kernel_.getName(), *module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (hidden)
    for (unsigned i = 0; i < 6; ++i)
      gridArguments_.push_back(function_->getArg(kernel_.getNumArguments() + i));
  if (speaks)
    printBuffer_ = function_->getArg(unsigned(function_->arg_size()) - 1);
  lines_ = std::make_unique<SourceLines>(function_, kernel_, lineKind());
  b.SetCurrentDebugLocation(lines_->at(kernel_.getLoc())); // for instructions that belong to no op
  entry_ = newBlock("entry");
  b.SetInsertPoint(entry_);
  for (BlockArgument argument : kernel_.getArguments()) {
    llvm::Argument *given = function_->getArg(argument.getArgNumber());
    llvm::Value *value = given;
    if (isa<tile::DescType>(argument.getType())) {
      bool parts = passedInParts(argument);
      llvm::Type *held = parts ? descriptorParts(b, argument.getType()) : descriptorParameter(kernel_);
      passByValue(given, held);
      given->addAttr(llvm::Attribute::getWithAlignment(b.getContext(), llvm::Align(parts ? 8 : 64)));
    } else if (isa<tile::PtrType>(argument.getType())) {
      if (auto known = kernel_.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::kDivisibilityAttr))
        if (llvm::isPowerOf2_64(known.getInt()) && known.getInt() <= (1 << 20))
          given->addAttr(llvm::Attribute::getWithAlignment(b.getContext(), llvm::Align(known.getInt())));
    } else if (argument.getType().isInteger(1)) {
      value = b.CreateTrunc(given, b.getInt1Ty());
    }
    describeParameter(given, argument.getType());
    set(argument, value);
  }
}

std::unique_ptr<llvm::Module> Printer::print(Artifact &artifact) {
  createFunction(artifact);
  declareKernel();
  llvm::BasicBlock *body = newBlock("body");
  b.SetInsertPoint(b.CreateBr(body)); // atEntry() inserts values before this branch
  b.SetInsertPoint(body);
  printBlock(kernel_.getBody().front());
  b.CreateRetVoid();
  lines_->finish();
  artifact.threads = uint32_t(kernelThreads());
  artifact.sharedBytes = uint32_t(simt::sharedBytes(kernel_));
  if (auto cluster = kernel_->getAttrOfType<IntegerAttr>(simt::kClusterAttr))
    artifact.clusterSize = uint32_t(cluster.getInt());
  if (auto most = kernel_->getAttrOfType<IntegerAttr>(simt::kMaxRegistersAttr))
    artifact.registerCap = uint32_t(most.getInt());
  return std::move(module_);
}

void Printer::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    printOp(&op);
}

void Printer::printOp(Operation *op) {
  if (printed_.erase(op))
    return;
  llvm::DebugLoc around = b.getCurrentDebugLocation();
  if (llvm::DILocation *line = lines_->at(op->getLoc())) // otherwise the enclosing op's line stays, such as a loop's
    b.SetCurrentDebugLocation(line);
  if (!printControl(op) && !printElementwise(op) && !printRegisters(op) && !printThreads(op) && !printMemory(op) &&
      !printPointers(op) && !printShared(op) && !printAtomics(op) && !printTargetOp(op))
    failMissing(op);
  b.SetCurrentDebugLocation(around);
}

} // namespace tegula::llvmir
