// The compiling half of a backend: from a level of the IR to an artifact. See Backend.h for the other half.
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
class OpPassManager;
} // namespace mlir

namespace tegula {

/// The level of the IR that a code generator consumes.
enum class Level : uint8_t { Tile, Planned, Simt };

class CodeGenerator {
public:
  virtual ~CodeGenerator() = default;
  virtual std::string_view backend() const = 0;
  /// For help and messages: "cpu"; one for each generation of a vendor's devices.
  virtual std::vector<std::string> targets() const = 0;
  virtual bool accepts(std::string_view target) const = 0;
  /// Further targets of which a bundle for `target` gets the code, too, so that it runs on all devices that the
  /// target's name promises. A device takes the one that suits it best.
  virtual std::vector<std::string> bundledWith(std::string_view) const { return {}; }
  virtual Level consumes() const = 0;
  /// The target description that the shared passes read; used where `consumes()` is Simt.
  virtual TargetDescription describe(std::string_view) const { return {}; }
  /// Adds the backend's own passes; they run on a module at the level `consumes()`. At the simt level prints and
  /// assertions are still ops, and passes may add some.
  virtual void addPasses(mlir::OpPassManager &pipeline, std::string_view target) const = 0;
  /// Names of the levels below the IR that `print` accepts, highest first: {"bytecode"}, or {"llvm", ...}.
  virtual std::vector<std::string> emits() const = 0;
  /// The artifact's text at one of the levels of `emits()`. Throws tegula::Error where the artifact does not hold it.
  virtual std::string print(const Artifact &artifact, std::string_view level) const = 0;

  /// Receives a level's name and a function that makes its text; returns false where no later level is wanted.
  using PrintLevel = std::function<bool(std::string_view level, const std::function<std::string()> &text)>;
  /// Fills in the parts of the artifact that only the backend knows: binary, threads, shared bytes, hidden arguments.
  /// On entry `artifact` holds target, entry, params and guards. Passes each level of `emits()` to `onLevel`, in order.
  /// Returns false where `onLevel` did: then the artifact is incomplete. Throws tegula::Error (located) for an op that
  /// the target cannot execute.
  virtual bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &onLevel) const = 0;
  /// Makes a complete artifact smaller for a bundle: removes what no launch and no line of a message needs.
  virtual void trim(Artifact &) const {}

  /// The programs of others that it runs, looked for and started.
  virtual std::vector<Finding> tools() const { return {}; }

protected:
  /// The end of `generate` for a backend whose artifacts hold the text of every level: passes `print` of each level of
  /// `emits()` to `onLevel`. Always returns true. A level that an artifact does not hold (LLVM IR, for example) is
  /// passed to `onLevel` while it is being made instead.
  bool giveLevels(const Artifact &artifact, const PrintLevel &onLevel) const;
};

/// All code generators built into this library. Generated from the registration lines.
const std::vector<const CodeGenerator *> &codeGenerators();
/// Names of built backends that have a driver and no code generator, for messages.
const std::vector<std::string_view> &backendsWithoutCodeGenerator();

} // namespace tegula
