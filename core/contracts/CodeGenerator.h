// The compiler's half of a backend: from one level of the IR to an artifact. Backend.h describes the other half.
#pragma once

#include "core/contracts/Artifact.h"
#include "core/contracts/Compiler.h"
#include "core/target/TargetDescription.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class ModuleOp;
class Operation;
class OpPassManager;
} // namespace mlir

namespace tegula {

/// The level of the IR that a code generator consumes.
enum class Level : uint8_t { Tile, Planned, Simt };

/// A step on the way from the tile level to the code of one thread: to the planned level; the same without schedules;
/// to the simt level; without prints and assertions, which become stores to buffers that the launch passes.
enum class Lowering : uint8_t { Plan, Expand, Threads, Effects };

class CodeGenerator {
public:
  virtual ~CodeGenerator() = default;
  virtual std::string_view backend() const = 0;
  /// Names of targets for help and messages: "cpu"; for a vendor's devices, one for each generation.
  virtual std::vector<std::string> targets() const = 0;
  virtual bool accepts(std::string_view target) const = 0;
  /// Further targets for which a bundle for `target` gets code, so that it runs on all devices that the target's name
  /// promises. A device runs the code that suits it best.
  virtual std::vector<std::string> bundledWith(std::string_view) const { return {}; }
  virtual Level consumes() const = 0;
  /// The target description that the shared passes read; used only if `consumes()` is Simt.
  virtual TargetDescription describe(std::string_view) const { return {}; }
  /// Adds the passes of one step; used only if `consumes()` is Simt. `name` is the target's, `target` its description
  /// as this compilation uses it, which the module has as an attribute.
  virtual void addLowering(Lowering, std::string_view /*name*/, const TargetDescription & /*target*/,
                           mlir::OpPassManager &) const;
  /// Counts the products (tl.dot) of a module at the planned level.
  virtual ProductCount countProducts(mlir::Operation * /*module*/) const { return {}; }
  /// Makes the backend's passes known to MLIR's command line by their names.
  virtual void registerPasses() const {}
  /// Adds the backend's own passes, which run on a module at the level `consumes()`. At the simt level, prints and
  /// assertions are still ops, and passes may add some.
  virtual void addPasses(mlir::OpPassManager &pipeline, std::string_view target) const = 0;
  /// Names of the levels below the IR that `print` accepts, highest first: {"bytecode"}, or {"llvm", ...}.
  virtual std::vector<std::string> emits() const = 0;
  /// The artifact's text at one of the levels of `emits()`. Throws tegula::Error if the artifact does not contain it.
  virtual std::string print(const Artifact &artifact, std::string_view level) const = 0;

  /// Receives a level's name and a function that makes the level's text; returns false if no later level is wanted.
  using PrintLevel = std::function<bool(std::string_view level, const std::function<std::string()> &text)>;
  /// Fills in the parts of the artifact that only the backend knows: binary, threads, shared bytes, hidden arguments.
  /// On entry `artifact` has target, entry, params and guards. Passes each level of `emits()` to `onLevel`, in order.
  /// Returns false if `onLevel` did; then the artifact is incomplete. Throws tegula::Error, located, for an op that the
  /// target cannot execute.
  virtual bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &onLevel) const = 0;
  /// Makes a complete artifact smaller for a bundle: removes data that neither launches nor locations in messages need.
  virtual void trim(Artifact &) const {}

  /// The external programs that the code generator runs; they are looked up and started.
  virtual std::vector<Finding> tools() const { return {}; }

protected:
  /// Ends `generate` for a backend whose artifacts contain the text of every level: passes each level of `emits()`,
  /// made by `print`, to `onLevel`. Always returns true. A level that artifacts do not contain, such as LLVM IR, is
  /// passed to `onLevel` while it is generated.
  bool giveLevels(const Artifact &artifact, const PrintLevel &onLevel) const;
};

/// All code generators that are built into this library. Generated from the registration lines.
const std::vector<const CodeGenerator *> &codeGenerators();
/// Names of built backends that have a driver but no code generator, for messages.
const std::vector<std::string_view> &backendsWithoutCodeGenerator();

} // namespace tegula
