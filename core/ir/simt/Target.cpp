#include "core/ir/simt/Target.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::simt {
namespace {

constexpr StringLiteral kInstructions = "instructions";

/// Calls visit(key, field) for each field of both structs: the only place where the keys are listed. Fields are
/// int64_t, bool or std::vector<std::string>.
template <typename Features, typename Policies, typename Visit>
void visitFields(Features &features, Policies &policies, Visit visit) {
  visit("warp_size", features.warpSize);
  visit("threads_per_warp", features.threadsPerWarp);
  visit("shared_bytes", features.sharedBytes);
  visit("shares_widths", features.sharesWidths);
  visit("shared_element_bytes", features.sharedElementBytes);
  visit("loads_matrices", features.loadsMatrices);
  visit("copies_async", features.copiesAsync);
  visit("copies_tiles", features.copiesTiles);
  visit("moves_registers", features.movesRegisters);
  visit("multicasts_tiles", features.multicastsTiles);
  visit("register_bytes", features.registerBytes);
  visit("thread_register_bytes", features.threadRegisterBytes);
  visit("native_math", features.nativeMath);
  visit("vector_atomics", features.vectorAtomics);
  visit("ahead_bytes", policies.aheadBytes);
  visit("early_bytes", policies.earlyBytes);
  visit("rows_in_fragments", policies.rowsInFragments);
  visit("unrolled_instructions", policies.unrolledInstructions);
  visit("unrolled_from_memory", policies.unrolledFromMemory);
  visit("held_bytes", policies.heldBytes);
  visit("stores_carried_first", policies.storesCarriedFirst);
  visit("exchanges_pairs", policies.exchangesPairs);
  visit("shuffles_conversions", policies.shufflesConversions);
  visit("swapped_lane_bits", policies.swappedLaneBits);
  visit("delayed_bytes", policies.delayedBytes);
  visit("spare_bytes", policies.spareBytes);
  visit("narrows_edges", policies.narrowsEdges);
  visit("relaxes_quotients", policies.relaxesQuotients);
  visit("conditional", policies.conditional);
}

// --- a field as an attribute, and back; `read` returns false for an attribute of another kind ---

Attribute write(Builder &builder, int64_t value) { return builder.getI64IntegerAttr(value); }
Attribute write(Builder &builder, bool value) { return builder.getBoolAttr(value); }
Attribute write(Builder &builder, const std::vector<std::string> &values) {
  return builder.getStrArrayAttr(SmallVector<StringRef>(values.begin(), values.end()));
}

bool read(Attribute attribute, int64_t &value) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getType().isSignlessInteger(64) || number.getInt() < 0)
    return false;
  value = number.getInt();
  return true;
}
bool read(Attribute attribute, bool &value) {
  auto flag = dyn_cast<BoolAttr>(attribute);
  if (flag)
    value = flag.getValue();
  return bool(flag);
}
bool read(Attribute attribute, std::vector<std::string> &values) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list || !llvm::all_of(list, [](Attribute each) { return isa<StringAttr>(each); }))
    return false;
  values.clear();
  for (StringAttr each : list.getAsRange<StringAttr>())
    values.push_back(each.str());
  return true;
}

} // namespace

Target targetOf(Operation *op) {
  Target target;
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto fields = module ? module->getAttrOfType<DictionaryAttr>(kTargetAttr) : DictionaryAttr();
  if (!fields)
    return target;
  visitFields(target.features, target.policies, [&](StringRef key, auto &field) {
    if (Attribute attribute = fields.get(key))
      read(attribute, field);
  });
  if (auto instructions = fields.getAs<ArrayAttr>(kInstructions))
    llvm::append_range(target.instructions, instructions.getAsRange<InstructionAttr>());
  return target;
}

int64_t atomicWidth(const TargetFeatures &features, tile::AtomicKind kind, Type element) {
  std::string prefix;
  llvm::raw_string_ostream(prefix) << tile::stringifyAtomicKind(kind) << '.' << element << 'x';
  for (StringRef atomic : features.vectorAtomics)
    if (int64_t width = 0; atomic.consume_front(prefix) && !atomic.getAsInteger(10, width))
      return width;
  return 1;
}

DictionaryAttr targetAttr(MLIRContext *context, const TargetDescription &target) {
  Builder builder(context);
  NamedAttrList fields;
  visitFields(target.features, target.policies,
              [&](StringRef key, const auto &field) { fields.set(key, write(builder, field)); });
  // Fields with default values are omitted.
  const TargetDescription defaults;
  visitFields(defaults.features, defaults.policies, [&](StringRef key, const auto &field) {
    if (fields.get(key) == write(builder, field))
      fields.erase(key);
  });
  SmallVector<Attribute> instructions;
  for (const MatrixInstruction &instruction : target.instructions)
    instructions.push_back(InstructionAttr::get(context, instruction));
  if (!instructions.empty())
    fields.set(kInstructions, builder.getArrayAttr(instructions));
  return fields.getDictionary(context);
}

void setTarget(ModuleOp module, const TargetDescription &target) {
  module->setAttr(kTargetAttr, targetAttr(module.getContext(), target));
}

LogicalResult verifyTarget(Operation *op, Attribute attribute) {
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  if (!isa<ModuleOp>(op) || !fields)
    return op->emitOpError() << "expected '" << kTargetAttr << "' as a dictionary on a module only, found "
                             << attribute;
  Target target;
  for (NamedAttribute entry : fields) {
    StringRef name = entry.getName();
    bool isKnown = false, isRead = false;
    visitFields(target.features, target.policies, [&](StringRef key, auto &field) {
      if (key != name)
        return;
      isKnown = true;
      isRead = read(entry.getValue(), field);
    });
    if (name == kInstructions) {
      auto list = dyn_cast<ArrayAttr>(entry.getValue());
      isKnown = true;
      isRead = list && llvm::all_of(list, [](Attribute each) { return isa<InstructionAttr>(each); });
    }
    if (!isKnown)
      return op->emitOpError() << "found unknown key '" << name << "' in '" << kTargetAttr << "'";
    if (!isRead)
      return op->emitOpError() << "found " << entry.getValue() << " for '" << name << "' of '" << kTargetAttr
                               << "', which is of another kind";
  }
  if (!llvm::isPowerOf2_64(target.features.warpSize))
    return op->emitOpError() << "expected 'warp_size' of '" << kTargetAttr << "' to be a power of two, found "
                             << target.features.warpSize;
  for (StringRef atomic : target.features.vectorAtomics)
    if (int64_t width = 0;
        atomic.rsplit('x').second.getAsInteger(10, width) || width < 1 || !llvm::isPowerOf2_64(uint64_t(width)))
      return op->emitOpError() << "expected 'vector_atomics' of '" << kTargetAttr
                               << "' to end in a power of two, as 'fadd.f32x4', found '" << atomic << "'";
  if (auto instructions = fields.getAs<ArrayAttr>(kInstructions))
    for (InstructionAttr instruction : instructions.getAsRange<InstructionAttr>())
      if (layout_ir::DistributedAttr layout = instruction.getC().getLayout();
          layout && int64_t(1) << (layout.getLanes().size() / 2) != target.features.warpSize)
        return op->emitOpError() << "expected the instruction '" << instruction.getName() << "' of '" << kTargetAttr
                                 << "' to have as many lanes as a warp, " << target.features.warpSize;
  return success();
}

} // namespace tegula::simt
