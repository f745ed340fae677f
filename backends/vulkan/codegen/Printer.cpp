#include "backends/vulkan/codegen/Printer.h"
#include "core/ir/Locations.h"
#include "core/ir/Numbers.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tegula::vulkan {
namespace {

/// True if lanes of a warp communicate in the kernel.
bool usesSubgroups(func::FuncOp kernel, const Profile &profile) {
  return kernel
      .walk([&](Operation *op) {
        bool barrier = isa<simt::BarrierOp>(op) && cast<simt::BarrierOp>(op).getWarps() == 1u && profile.subgroupSize;
        bool talks = isa<simt::ShuffleOp, simt::VoteOp, simt::FragmentFillOp, simt::FragmentLoadOp,
                         simt::FragmentFromElementsOp>(op);
        return talks || barrier ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool hasMaskedLoads(func::FuncOp kernel) {
  return kernel.walk([](simt::LoadOp op) { return op.getMask() ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool speaks(func::FuncOp kernel) {
  return kernel.walk([](simt::HiddenArgumentOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The register type of a number; addresses are 64-bit integers.
std::optional<ScalarType> numberType(mlir::Type type) {
  return isa<tile::PtrType>(getElementTypeOrSelf(type)) ? ScalarType::I64 : tile::scalarType(type);
}

SharedPlan planShared(func::FuncOp kernel, const Profile &profile) {
  std::vector<SharedPlan::Buffer> buffers;
  kernel.walk([&](simt::SharedAllocOp op) {
    if (op.getOffset())
      buffers.push_back(
          {*op.getOffset(), uint32_t(op.getType().getBytes()), numberType(op.getType().getElementType()).value()});
  });
  return SharedPlan(std::move(buffers), profile);
}

} // namespace

Printer::Printer(func::FuncOp kernel, const Profile &profile)
    : kernel_(kernel), profile_(profile), target_(targetName(profile)), warps_(simt::kernelWarps(kernel)),
      warpSize_(simt::kernelWarpSize(kernel)), b(m), scalars(b, profile), shared_(planShared(kernel, profile)),
      usesSubgroups_(usesSubgroups(kernel, profile)) {}

void Printer::fail(Operation *op, const llvm::Twine &message) const { tile::failAt(op, message); }

void Printer::failMissing(Operation *op) const { fail(op, "target " + target_ + " has no code for this op"); }

void Printer::need(Operation *op, Feature feature) {
  if (!profile_.features.has(feature))
    fail(op,
         "target " + target_ + " has no " + llvm::Twine(std::string(featureName(feature))) + ", which this op needs");
}

ScalarType Printer::numberOf(Operation *op, mlir::Type type) const {
  if (std::optional<ScalarType> number = numberType(type))
    return *number;
  fail(op, "target " + target_ + " has no registers for the type " + debugString(type));
}

ScalarType Printer::scalarOf(mlir::Value value) const {
  Operation *maker = value.getDefiningOp();
  return numberOf(maker ? maker : value.getParentBlock()->getParentOp(), value.getType());
}

void Printer::set(mlir::Value value, Values elements) {
  bool fresh = values_.insert({value, std::move(elements)}).second;
  (void)fresh;
  assert(fresh && "a value is printed once");
}

void Printer::print(Artifact &artifact) {
  artifact.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize}; // any grid may be split into launches
  if (hasMaskedLoads(kernel_))
    artifact.hidden.push_back(HiddenArgument::SafeAddress);
  if (speaks(kernel_))
    artifact.hidden.push_back(HiddenArgument::PrintBuffer);
  // Arguments are push constants if they fit, otherwise they lie in a buffer.
  auto passing = ArgumentLayout(artifact.params, artifact.hidden).bytes <= profile_.pushBytes
                     ? KernelBinary::Passing::Push
                     : KernelBinary::Passing::Buffer;
  b.setLine(sourceLine(kernel_.getLoc())); // for instructions that belong to no op
  frame_ = std::make_unique<KernelFrame>(b, artifact.params, artifact.hidden, passing);
  if (hasMaskedLoads(kernel_))
    safe_ = frame_->hiddenAddress(HiddenArgument::SafeAddress);
  readIds();
  unknownZero_ = scalars.shiftRight(frame_->programCount(0), u32(31)); // a grid has fewer than 2^31 programs
  auto bytes = kernel_.walk([&](simt::PickOp op) {
    return byteSize(scalarOf(op.getResult())) == 1 ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (bytes.wasInterrupted())
    evenBytes_ = scalars.differ(unknownZero_, u32(0x00ff00ffU));
  readZero();
  noteNeeds(kernel_);
  for (BlockArgument argument : kernel_.getArguments()) {
    const ArtifactParam &param = artifact.params[argument.getArgNumber()];
    Id value = frame_->param(argument.getArgNumber());
    bool isNarrow = param.kind == ArtifactParam::Kind::Scalar && bitWidth(param.type) < 32;
    set(argument, isNarrow ? scalars.fromWord(param.type, value) : value);
  }

  artifact.threads = uint32_t(warps_ * warpSize_);
  artifact.sharedBytes = shared_.bytes();
  if (shared_.bytes() > profile_.sharedBytes)
    tile::failAt(kernel_,
                 "target " + target_ + " has " + llvm::Twine(profile_.sharedBytes) +
                     " bytes of shared memory, the kernel's buffers take " + llvm::Twine(shared_.bytes()),
                 {"shared memory", shared_.bytes(), profile_.sharedBytes});
  printBlock(kernel_.getBody().front());
  frame_->finish(artifact.entry, artifact.threads);
  artifact.binary = encode({passing, usesSubgroups_ ? uint32_t(warpSize_) : 0, m.words(), needs_});
}

void Printer::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    printOp(&op);
}

void Printer::noteNeeds(Operation *op) {
  if (noted_.size() == m.capabilities().size())
    return;
  for (spv::Capability capability : m.capabilities()) {
    if (!noted_.insert(capability).second)
      continue;
    for (Feature feature : featuresOfCapability(uint32_t(capability)))
      if (!profile_.features.has(feature) && !featureTable()[size_t(feature)].required) {
        SourceLocation place = tile::locationOf(op->getLoc()); // has no file if a pass created the op
        needs_.push_back({uint32_t(capability), place.file.empty() ? tile::locationOf(kernel_->getLoc()) : place});
        break;
      }
  }
}

spirv::SourceLine Printer::sourceLine(Location location) {
  FileLineColLoc place = tile::innermostPlace(location);
  if (!place)
    return {};
  return {m.file(place.getFilename().strref()), place.getLine(), place.getColumn()};
}

void Printer::printOp(Operation *op) {
  spirv::SourceLine line = sourceLine(op->getLoc()), around = b.setLine(line);
  if (!line.file) // use the location of the enclosing op, such as a loop
    b.setLine(around);
  if (!printControl(op) && !printElementwise(op) && !printRegisters(op) && !printThreads(op) && !printMemory(op) &&
      !printShared(op) && !printAtomics(op) && !printMatrix(op))
    failMissing(op);
  noteNeeds(op);
  b.setLine(around);
}

} // namespace tegula::vulkan
