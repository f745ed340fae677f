#include "Flatten.h"

#include "core/support/Diagnostic.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt_test {

namespace {

FileLineColLoc fileLocation(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return fileLocation(call.getCallee());
  if (auto named = dyn_cast<NameLoc>(location))
    return fileLocation(named.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc found = fileLocation(part))
        return found;
  return dyn_cast<FileLineColLoc>(location);
}

} // namespace

std::string locationText(Location location) {
  FileLineColLoc at = fileLocation(location);
  if (!at)
    return "unknown place";
  return at.getFilename().str() + ':' + std::to_string(at.getLine()) + ':' + std::to_string(at.getColumn());
}

uint32_t locationLine(Location location) {
  FileLineColLoc at = fileLocation(location);
  return at ? at.getLine() : 0;
}

int64_t agreeingWarps(Operation *branch) {
  Attribute uniform = branch->getAttr(simt::kUniformAttr);
  if (!uniform)
    return -1;
  auto count = dyn_cast<IntegerAttr>(uniform);
  return count ? count.getInt() : 0;
}

Flattener::Flattener(func::FuncOp function, MatrixRows rows) : function_(function), rows_(std::move(rows)) {}

void Flattener::fail(Operation *op, const std::string &message) {
  throw Error(locationText(op->getLoc()) + ": " + op->getName().getStringRef().str() + ": " + message);
}

std::unique_ptr<Program> Flattener::run() {
  if (!simt::isKernel(function_) || !function_->hasAttr(simt::kWarpSizeAttr))
    throw Error("expected a simt kernel, a function with simt.warps and simt.warp_size");
  program_ = std::make_unique<Program>();
  program_->warps = static_cast<uint32_t>(simt::kernelWarps(function_));
  program_->warpSize = static_cast<uint32_t>(simt::kernelWarpSize(function_));
  if (auto cluster = function_->getAttrOfType<IntegerAttr>(simt::kClusterAttr))
    program_->cluster = static_cast<uint32_t>(cluster.getInt());
  program_->isResident = function_->hasAttr(simt::kResidentAttr);
  placeBuffers();
  collectInFlight();
  for (BlockArgument argument : function_.getArguments())
    program_->arguments.push_back(slot(argument));
  flattenBlock(function_.getBody().front());
  return std::move(program_);
}

/// Gives each buffer its offset: the planned one, or one behind all planned buffers.
void Flattener::placeBuffers() {
  constexpr int64_t kAlignment = 1024; // enough for any swizzle
  int64_t end = simt::sharedBytes(function_);
  int64_t narrowest = 4;
  auto seeElement = [&](Type type) {
    Type element;
    if (auto pointer = dyn_cast<tile::PtrType>(type))
      element = pointer.getPointee();
    else if (auto descriptor = dyn_cast<tile::DescType>(type))
      element = descriptor.getElementType();
    if (element)
      program_->globalGranule = std::min(program_->globalGranule, static_cast<uint32_t>(simt::elementBytes(element)));
  };
  for (Type type : function_.getArgumentTypes())
    seeElement(type);
  function_.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      seeElement(type);
    program_->hasAsyncLoads |= isa<simt::AsyncLoadOp>(op);
    program_->hasStores |= isa<simt::StoreTileOp, simt::CommitStoresOp>(op);
    auto buffer = dyn_cast<simt::SharedAllocOp>(op);
    if (!buffer)
      return;
    narrowest = std::min(narrowest, simt::elementBytes(buffer.getType().getElementType()));
    if (buffer.getOffset()) {
      places_[op] = *buffer.getOffset();
      return;
    }
    end = (end + kAlignment - 1) / kAlignment * kAlignment;
    places_[op] = end;
    end += buffer.getType().getBytes();
  });
  program_->sharedBytes = static_cast<uint32_t>(end);
  program_->granule = static_cast<uint32_t>(narrowest);
}

/// Collects the results of asynchronous products, through loops and branches.
void Flattener::collectInFlight() {
  SmallVector<Value> work;
  function_.walk([&](simt::AsyncMatmul start) { work.push_back(start.getAccumulatorOut()); });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!inFlight_.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (auto loop = dyn_cast<scf::ForOp>(user); loop && number >= loop.getNumControlOperands()) {
        work.push_back(loop.getRegionIterArg(number - loop.getNumControlOperands()));
        work.push_back(loop.getResult(number - loop.getNumControlOperands()));
      }
      if (!isa<scf::YieldOp>(user))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp())) {
        work.push_back(loop.getRegionIterArg(number));
        work.push_back(loop.getResult(number));
      }
      if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
        work.push_back(branch.getResult(number));
    }
  }
}

uint32_t Flattener::lanes(Type type) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return static_cast<uint32_t>(vector.getNumElements());
  if (auto fragment = dyn_cast<simt::FragmentType>(type)) {
    uint32_t elements = static_cast<uint32_t>(fragment.getRows() * fragment.getColumns());
    return (elements + program_->warpSize - 1) / program_->warpSize;
  }
  if (auto descriptor = dyn_cast<tile::DescType>(type))
    return 2 + 2 * static_cast<uint32_t>(descriptor.getShape().size());
  if (isa<TensorType>(type))
    throw Error("expected a simt kernel, whose values belong to one thread, found a tensor of the planned level");
  return 1;
}

Slot Flattener::slot(Value value) {
  if (!value)
    return {};
  auto [it, isNew] = slots_.try_emplace(value);
  if (isNew) {
    Type type = value.getType();
    Type element = isa<simt::FragmentType>(type) ? cast<simt::FragmentType>(type).getElementType() : type;
    it->second = {program_->registers, lanes(type), numberType(element)};
    program_->registers += it->second.lanes + 1;
  }
  return it->second;
}

Instruction &Flattener::emit(Operation *op, Handler handler) {
  Instruction instruction;
  instruction.handler = handler;
  instruction.op = op;
  instruction.number = here();
  for (Value operand : op->getOperands()) {
    instruction.operands.push_back(slot(operand));
    instruction.checksFlight |= inFlight_.contains(operand);
  }
  for (Value result : op->getResults())
    instruction.results.push_back(slot(result));
  return program_->code.emplace_back(std::move(instruction));
}

Instruction &Flattener::emit(Operation *op, Handler handler, std::initializer_list<Value> operands) {
  Instruction &instruction = emit(op, handler);
  instruction.operands.clear();
  for (Value operand : operands)
    instruction.operands.push_back(slot(operand));
  return instruction;
}

Instruction &Flattener::emitCollective(Operation *op, CollectiveHandler handler) {
  Instruction &instruction = emit(op, nullptr);
  instruction.collective = handler;
  instruction.collectiveWarps = static_cast<uint32_t>(cast<simt::Collective>(op).getCollectiveWarps());
  return instruction;
}

const SharedLayout *Flattener::layout(simt::SharedType type) {
  auto &entry = program_->layouts[type.getAsOpaquePointer()];
  if (!entry)
    entry = std::make_unique<SharedLayout>(type);
  return entry.get();
}

const MatrixUnit *Flattener::unit(Operation *op, StringRef instruction) {
  auto &entry = program_->units[instruction.str()];
  const MatrixInstruction *row = entry || !rows_ ? nullptr : rows_(instruction);
  if (row)
    entry = std::make_unique<MatrixUnit>(*row);
  if (!entry)
    fail(op, "expected a matrix instruction that some backend has a row for, found '" + instruction.str() + "'");
  return entry.get();
}

void Flattener::markUniform(Instruction &instruction, Operation *branch) {
  int64_t agreeing = agreeingWarps(branch);
  // A branch's k-th execution is comparable between warps only if they also agree on all enclosing branches and loops.
  for (Operation *parent = branch->getParentOp(); parent && agreeing >= 0; parent = parent->getParentOp()) {
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent))
      continue;
    int64_t outer = agreeingWarps(parent);
    if (outer < 0)
      agreeing = -1;
    else if (outer > 0)
      agreeing = agreeing == 0 ? outer : std::min(agreeing, outer);
  }
  if (agreeing < 0)
    return;
  instruction.branch = static_cast<int32_t>(program_->branches++);
  instruction.uniformWarps = static_cast<uint32_t>(agreeing);
}

void Flattener::flattenBlock(Block &block) {
  for (Operation &op : block)
    flattenOp(&op);
}

void Flattener::flattenOp(Operation *op) {
  for (auto family : {flattenControl, flattenIntegers, flattenFloats, flattenThreads, flattenGlobal, flattenShared,
                      flattenBarriers, flattenCopies, flattenMatrix, flattenFragments})
    if (family(*this, op))
      return;
  fail(op, "the executor has no such op");
}

} // namespace tegula::simt_test
