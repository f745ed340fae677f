// The interface between runtime and compiler: requests and results. The runtime library links no compiler: it opens
// libtegula-compiler when a kernel must be inspected or compiled, and finds `tegulaCompiler` in it. Both libraries come
// from one build (the build id is compared), so plain C++ types may cross; exceptions do not: failures are results.
#pragma once

#include "core/contracts/Artifact.h"
#include "core/contracts/Finding.h"
#include "core/contracts/Surroundings.h"
#include "core/support/Diagnostic.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tegula {

/// The value of a `tl.constexpr` parameter. Dtypes are passed as ScalarType.
using ConstantValue = std::variant<std::monostate /*None*/, bool, int64_t, double, std::string, ScalarType>;
using Constants = std::map<std::string, ConstantValue, std::less<>>;

/// One `triton.Config`. `line` is where it stands.
struct KernelConfig {
  Constants constants;
  std::optional<int> numWarps, numStages, numCtas, maxRegisters;
  bool hasHook = false; // `pre_hook`
  uint32_t line = 0;
};

/// `@triton.heuristics({'EVEN_K': lambda args: args['K'] % args['BLOCK_K'] == 0})`: the body as text of the host
/// expression language (core/runtime/HostExpression.h), with `args['X']` already written as the name X.
struct KernelHeuristic {
  std::string name;
  std::string expression; // empty if it is outside the host expression language: `problem` has the reason
  std::string problem;    // a formatted diagnostic, raised when the value is needed
};

/// The interface of a jit function, before the types of its arguments are known.
struct KernelInfo {
  struct Param {
    std::string name;
    bool isConstexpr = false; // annotated, or used where only a constant can stand
    std::optional<ConstantValue> defaultValue;
    std::optional<ScalarType> annotatedType; // `n: tl.int64`, `n: "i64"`
    bool isAnnotatedPointer = false;         // `p: "*fp16"`: annotatedType is what it points to
    uint32_t line = 0, column = 0;
  };
  std::string name;
  std::string level;                 // of the IR that the file holds: "tile", "simt"; empty for source
  std::string text;                  // hash of the kernel's normalized text: see lang::textHash
  std::vector<Param> params;         // in order, constants among them
  std::vector<KernelConfig> configs; // of @triton.autotune, in order; empty without
  std::vector<std::string> autotuneKey;
  std::vector<std::string> resetToZero, restoreValue; // parameters: buffers that tuning clears, or puts back
  std::optional<double> tuneMilliseconds;             // `rep`: how long a candidate's launches are timed
  bool prunesConfigs = false;                         // `prune_configs_by`: see Compiler::prune
  std::vector<std::string>
      hooks; // `pre_hook` and `post_hook` of @triton.autotune: Python code, which nothing here runs
  std::vector<KernelHeuristic> heuristics;
  /// A formatted diagnostic where the configurations are not literals; raised when a constant of theirs is needed.
  std::string configsProblem;
  /// The same for a dictionary of heuristics whose names cannot be known.
  std::string heuristicsProblem;
  /// Why the name stands for no kernel, raised when it is asked for: several definitions and nobody knows which holds.
  std::optional<Diagnostic> problem;
  uint32_t line = 0;
};

/// The type of an argument that is not a constant.
struct ParamType {
  enum class Kind : uint8_t {
    Scalar,
    Pointer,
    Descriptor,
    Constant /* specialised away: equals `value` */,
    PointerToPointers
  };
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::I32; // of the scalar, the pointee or the descriptor's elements
  uint32_t divisibility = 1;         // a power of two: of the value, or of the address in bytes
  bool isOne = false;                // an integer whose value is 1, such as a stride: the code may be for 1 only
  std::vector<int64_t> block;        // of a descriptor
  ConstantValue value; // of Kind::Constant; of a scalar: what heuristics see on a command line that gives types
  bool operator==(const ParamType &) const = default;
};

struct CompileRequest {
  std::string path;   // as the user gave it, for messages
  std::string source; // the whole file
  std::string kernel;
  std::string target;               // "cpu", ...
  std::vector<ParamType> signature; // of the parameters that are not constants, in order
  bool hasSignature = true;         // false: `source` is IR, which has types of its own
  Constants constants;              // by name: every constexpr parameter
  int numWarps = 4, numStages = 3;
  /// Levels to print into CompileResult::prints, in order: "ast", "tile", "bytecode", ...; the compilation stops after
  /// the last one where `emitOnly` is set.
  std::vector<std::string> emit;
  bool emitOnly = false;
  bool explain = false;      // fill in CompileResult::remarks
  bool conditional = true;   // whether the code may have Artifact::conditions
  bool portable = false;     // whether code, IR and metadata name files by portablePath, for other machines
  std::string startFrom;     // KernelInfo::level: empty, or the level that `source` is the text of
  Surroundings surroundings; // as InspectResult gave them for this source: nothing else is read
  /// Where given: told each stage and pass that begins, e.g. "the pass tile-to-simt". No result depends on it.
  std::function<void(const std::string &step)> onStep;
};

struct CompileResult {
  std::optional<Artifact> artifact; // absent on failure and where emitOnly stopped early
  std::optional<Diagnostic> error;  // an error that the user can fix
  std::string internalError;        // a defect of ours
  std::vector<Diagnostic> warnings;
  std::vector<Diagnostic> remarks;                         // of passes on their decisions: "TOPIC: ..."
  std::vector<std::string> prints;                         // one per entry of `emit`
  std::string staticOutput;                                // of static_print
  std::vector<std::pair<std::string, double>> passSeconds; // stage -> seconds, in order
};

/// Files of IR are told by their name: "softmax.mlir".
inline bool isIrFile(std::string_view path) { return path.ends_with(".mlir"); }

struct InspectResult {
  std::vector<KernelInfo> kernels; // every jit function of the file that could be a kernel, in order
  Surroundings surroundings;       // what the kernels use of other files, and what decided between their definitions
  std::optional<Diagnostic> error;
  std::string internalError;
};

/// Which configurations of an autotuned kernel are worth a measurement for one launch: `prune_configs_by`.
struct PruneRequest {
  /// An argument or a constant that the call gives.
  struct Value {
    std::string name;
    std::optional<ConstantValue> constant; // of a scalar; none: a tensor
    ScalarType type = ScalarType::F32;     // of the tensor's elements
    std::vector<int64_t> shape, strides;   // of the tensor, in elements
  };
  std::string path, source, kernel;
  Surroundings surroundings; // as InspectResult gave them
  std::vector<Value> values;
};
struct PruneResult {
  std::vector<uint32_t> kept;      // indices of KernelInfo::configs, the most promising first where the kernel says so
  std::optional<Diagnostic> error; // the host code cannot be evaluated
  std::string internalError;
};

class Compiler {
public:
  virtual ~Compiler() = default;
  /// Reads the modules that the kernels use from files. Of `start`, the module path and the given names count.
  virtual InspectResult inspect(const std::string &path, const std::string &source, const Surroundings &start) = 0;
  /// Runs the kernel's own host code, as far as that can be known without Python. Thread-safe.
  virtual PruneResult prune(const PruneRequest &request) = 0;
  /// Thread-safe.
  virtual CompileResult compile(const CompileRequest &request) = 0;
  /// Targets the built backends accept, for messages and help.
  virtual std::vector<std::string> targets() = 0;
  /// As CodeGenerator::bundledWith.
  virtual std::vector<std::string> bundledWith(const std::string &target) { return {}; }
  /// Levels that `CompileRequest::emit` takes for a target, in order.
  virtual std::vector<std::string> levels(const std::string &target) { return {"ast", "tile"}; }
  /// What it is built with, and the programs of others that its code generators run.
  virtual std::vector<Finding> examine() { return {}; }
};

/// Exported by libtegula-compiler. Null where `buildId` is not that library's own.
extern "C" Compiler *tegulaCompiler(const char *buildId);

/// Identifies this build: changes whenever any source that the compiler is built from does. Enters every cache key.
const char *buildId();

} // namespace tegula
