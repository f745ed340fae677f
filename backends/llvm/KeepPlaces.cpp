#include "backends/llvm/KeepPlaces.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/DebugInfoMetadata.h"

#include <memory>

namespace tegula::llvmir {
namespace {

using Places = llvm::DenseMap<const llvm::MachineInstr *, llvm::DebugLoc>;

/// A machine pass that runs twice for a function. With `restores` false, it records the source locations of all
/// instructions; later, with `restores` true, it restores those that LLVM's passes have removed meanwhile.
class PlacesPass final : public llvm::MachineFunctionPass {
public:
  static char ID;
  PlacesPass(std::shared_ptr<Places> places, bool restores)
      : llvm::MachineFunctionPass(ID), places_(std::move(places)), restores_(restores) {}

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &instruction : block) {
        bool hasLine = instruction.getDebugLoc() && instruction.getDebugLoc().getLine();
        if (!restores_ && hasLine)
          (*places_)[&instruction] = instruction.getDebugLoc();
        else if (restores_ && !hasLine)
          if (auto known = places_->find(&instruction); known != places_->end())
            instruction.setDebugLoc(known->second);
      }
    if (restores_)
      places_->clear();
    return false; // locations only: the code is unchanged
  }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    llvm::MachineFunctionPass::getAnalysisUsage(usage);
  }
  llvm::StringRef getPassName() const override { return "places of moved instructions"; }

private:
  std::shared_ptr<Places> places_;
  bool restores_;
};
char PlacesPass::ID = 0;

} // namespace

/// Places one pass before and one pass after the LLVM passes that move instructions: EarlyMachineLICM and
/// MachineSinking.
void keepPlaces(llvm::TargetPassConfig &config) {
  auto places = std::make_shared<Places>();
  config.insertPass(&llvm::LocalStackSlotAllocationID, new PlacesPass(places, false));
  config.insertPass(&llvm::PeepholeOptimizerLegacyID, new PlacesPass(places, true));
}

} // namespace tegula::llvmir
