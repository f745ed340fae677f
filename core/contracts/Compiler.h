// The interface between runtime and compiler: requests and results. The runtime library links no compiler: it opens
// libtegula-compiler when a kernel must be inspected or compiled, and finds `tegulaCompiler` in it. Both libraries come
// from one build (the build ids are compared), so their interface may use C++ types. Exceptions do not cross it:
// failures are returned in results.
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

/// The value of a `tl.constexpr` parameter. A dtype is passed as ScalarType.
using ConstantValue = std::variant<std::monostate /*None*/, bool, int64_t, double, std::string, ScalarType>;
using Constants = std::map<std::string, ConstantValue, std::less<>>;

/// One `triton.Config`; `line` is its line in the file.
struct KernelConfig {
  Constants constants;
  std::optional<int> numWarps, numStages, numCtas, maxRegisters;
  bool hasHook = false; // `pre_hook`
  uint32_t line = 0;
};

/// A heuristic, such as `@triton.heuristics({'EVEN_K': lambda args: args['K'] % args['BLOCK_K'] == 0})`: the body as
/// text of the host expression language (core/runtime/HostExpression.h), in which `args['X']` is replaced by the name
/// X.
struct KernelHeuristic {
  std::string name;
  std::string expression; // empty if the language cannot express it: `problem` has the reason
  std::string problem;    // a formatted diagnostic, thrown when the value is needed
};

/// The interface of a jit function, independent of the types of its arguments.
struct KernelInfo {
  struct Param {
    std::string name;
    bool isConstexpr = false; // annotated, or used where only a constant is allowed
    std::optional<ConstantValue> defaultValue;
    std::optional<ScalarType> annotatedType; // from `n: tl.int64`, `n: "i64"`
    bool isAnnotatedPointer = false;         // from `p: "*fp16"`: annotatedType is the pointee's type
    uint32_t line = 0, column = 0;
  };
  std::string name;
  std::string level;                 // the IR level of the file: "tile", "simt"; empty for source
  std::string text;                  // hash of the kernel's normalised text: see lang::textHash
  std::vector<Param> params;         // in order, including constexpr parameters
  std::vector<KernelConfig> configs; // of @triton.autotune, in order; may be empty
  std::vector<std::string> autotuneKey;
  std::vector<std::string> resetToZero, restoreValue; // parameters whose buffers tuning clears, or restores
  std::optional<double> tuneMilliseconds;             // `rep`: how long the launches of a candidate are timed
  bool prunesConfigs = false;                         // `prune_configs_by`: see Compiler::prune
  std::vector<std::string>
      hooks; // `pre_hook` and `post_hook` of @triton.autotune: Python code, which Tegula does not run
  std::vector<KernelHeuristic> heuristics;
  /// A formatted diagnostic, if the configurations are not literals; thrown when one of their constants is needed.
  std::string configsProblem;
  /// A formatted diagnostic, if the names in a dictionary of heuristics cannot be determined.
  std::string heuristicsProblem;
  /// The reason why the name denotes no kernel: several definitions exist, and it is unknown which one is used. Thrown
  /// when the kernel is requested.
  std::optional<Diagnostic> problem;
  uint32_t line = 0;
};

/// The type of an argument, or the value of a specialised one.
struct ParamType {
  enum class Kind : uint8_t {
    Scalar,
    Pointer,
    Descriptor,
    Constant /* specialised: the argument is `value` */,
    PointerToPointers
  };
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::I32; // of the scalar, of the pointee, or of the descriptor's elements
  uint32_t divisibility = 1;         // a power of two that divides the value, or the address in bytes
  bool isOne = false;                // an integer known to be 1, such as a stride; the code may rely on it
  std::vector<int64_t> block;        // extents of a descriptor's block
  ConstantValue value;               // of Kind::Constant; of a scalar on a command line, the value that heuristics see
  bool operator==(const ParamType &) const = default;
};

struct CompileRequest {
  std::string path;   // as the user gave it, for messages
  std::string source; // the text of the whole file
  std::string kernel;
  std::string target;               // "cpu", ...
  std::vector<ParamType> signature; // of the parameters that are not constexpr, in order
  bool hasSignature = true;         // false: `source` is IR, which states its own types
  Constants constants;              // the value of every constexpr parameter, by name
  int numWarps = 4, numStages = 3;
  /// The levels whose text is returned in CompileResult::prints, in order: "ast", "tile", "bytecode", ... If `emitOnly`
  /// is set, the compilation stops after the last one.
  std::vector<std::string> emit;
  bool emitOnly = false;
  bool explain = false;      // return CompileResult::remarks
  bool conditional = true;   // the code may have Artifact::conditions
  bool portable = false;     // code, IR and metadata name files by portablePath, for use on other machines
  std::string startFrom;     // KernelInfo::level: empty, or the IR level of `source`
  Surroundings surroundings; // those of InspectResult for this source; the compilation reads nothing else
  /// If set, called with the name of each stage and pass that begins, such as "the pass tile-to-simt". It does not
  /// influence results.
  std::function<void(const std::string &step)> onStep;
};

struct CompileResult {
  std::optional<Artifact> artifact; // empty on failure, and if emitOnly stopped the compilation earlier
  std::optional<Diagnostic> error;  // an error that the user can fix
  std::string internalError;        // a defect of Tegula
  std::vector<Diagnostic> warnings;
  std::vector<Diagnostic> remarks;                         // passes' explanations of their decisions: "TOPIC: ..."
  std::vector<std::string> prints;                         // one for each entry of `emit`
  std::string staticOutput;                                // of static_print
  std::vector<std::pair<std::string, double>> passSeconds; // stage and its seconds, in order
};

/// True for a file of IR, which is recognised by its name: "softmax.mlir".
inline bool isIrFile(std::string_view path) { return path.ends_with(".mlir"); }

struct InspectResult {
  std::vector<KernelInfo> kernels; // the jit functions of the file that could be kernels, in order
  Surroundings surroundings;       // data from outside of the file that the kernels or their definitions depend on
  std::optional<Diagnostic> error;
  std::string internalError;
};

/// Asks which configurations of an autotuned kernel are worth measuring for one launch: `prune_configs_by`.
struct PruneRequest {
  /// An argument, or a constant of the call.
  struct Value {
    std::string name;
    std::optional<ConstantValue> constant; // the value of a scalar; empty for a tensor
    ScalarType type = ScalarType::F32;     // of a tensor's elements
    std::vector<int64_t> shape, strides;   // of a tensor, in elements
  };
  std::string path, source, kernel;
  Surroundings surroundings; // those of InspectResult
  std::vector<Value> values;
};
struct PruneResult {
  std::vector<uint32_t> kept;      // indices of KernelInfo::configs; if the kernel ranks them, best first
  std::optional<Diagnostic> error; // set if the host code cannot be evaluated
  std::string internalError;
};

class Compiler {
public:
  virtual ~Compiler() = default;
  /// Reads the modules that the kernels use from files. Of `start`, only the module path and the given names are used.
  virtual InspectResult inspect(const std::string &path, const std::string &source, const Surroundings &start) = 0;
  /// Evaluates the kernel's own host code, as far as that is possible without Python. Thread-safe.
  virtual PruneResult prune(const PruneRequest &request) = 0;
  /// Thread-safe.
  virtual CompileResult compile(const CompileRequest &request) = 0;
  /// The targets that the built backends accept, for messages and help.
  virtual std::vector<std::string> targets() = 0;
  /// As CodeGenerator::bundledWith.
  virtual std::vector<std::string> bundledWith(const std::string &target) { return {}; }
  /// The levels that `CompileRequest::emit` accepts for a target, in order.
  virtual std::vector<std::string> levels(const std::string &target) { return {"ast", "tile"}; }
  /// Versions that the compiler is built with, and the external programs that its code generators run.
  virtual std::vector<Finding> examine() { return {}; }
};

/// Exported by libtegula-compiler. Returns null if `buildId` is not the library's own.
extern "C" Compiler *tegulaCompiler(const char *buildId);

/// Identifies this build: it changes if any source of the compiler changes. Every cache key contains it.
const char *buildId();

} // namespace tegula
