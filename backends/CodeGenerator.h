// The compiling half of a backend: from a level of the IR to an artifact. See Backend.h for the other half.
#pragma once

#include "core/runtime/Artifact.h"
#include "core/runtime/Compiler.h"
#include "core/target/TargetRow.h"

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
  /// "cpu"; "sm_75", "sm_80", ...: for help and messages.
  virtual std::vector<std::string> targets() const = 0;
  virtual bool accepts(std::string_view target) const = 0;
  virtual Level consumes() const = 0;
  /// What the shared passes must know of the target; used where `consumes()` is Simt.
  virtual TargetRow row(std::string_view) const { return {}; }
  /// Adds the backend's own passes, which run when the module is at the level of `consumes()`.
  virtual void addPasses(mlir::OpPassManager &pipeline, std::string_view target) const = 0;
  /// Names of the levels below the IR that `print` knows, in order: "bytecode"; "llvm", "ptx", "cubin".
  virtual std::vector<std::string> emits() const = 0;
  /// Fills in what only the backend knows: binary, threads, shared bytes, hidden arguments. `artifact` arrives with
  /// target, entry, params and guards. Throws tegula::Error (located) for what the target cannot do.
  virtual void generate(mlir::ModuleOp module, Artifact &artifact) const = 0;
  /// The artifact's text at one of the levels of `emits()`. Throws tegula::Error where an artifact does not hold it.
  virtual std::string print(const Artifact &artifact, std::string_view level) const = 0;

  /// Gets a level's name and a way to its text; says whether anything beyond this level is wanted.
  using PrintLevel = std::function<bool(std::string_view level, const std::function<std::string()> &text)>;
  /// As `generate`, and gives each level of `emits()` to `print`, in order. False: nothing beyond a level was wanted,
  /// and the artifact is not complete. A generator whose artifacts do not hold all its levels gives them on the way.
  virtual bool generate(mlir::ModuleOp module, Artifact &artifact, const PrintLevel &print) const;
};

/// All code generators built into this library. Generated from the registration lines.
const std::vector<const CodeGenerator *> &codeGenerators();
/// Built backends that have a driver alone, for messages.
const std::vector<std::string_view> &backendsWithoutCodeGenerator();

} // namespace tegula
