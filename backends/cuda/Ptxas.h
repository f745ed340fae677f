// Runs NVIDIA's assembler ptxas as a process, if it is installed: it assembles PTX text to a binary and reports on the
// kernel. Part of the compiler's half; the runtime starts no process. Without an assembler the artifact holds the PTX
// text, and the driver assembles it.
#pragma once

#include "core/contracts/Artifact.h"
#include "core/contracts/Finding.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::cuda {

/// The assembler's report, parsed from the output of `ptxas -v`.
struct PtxasReport {
  struct Kernel {
    std::string name;
    uint32_t registers = 0; // registers of one thread
    uint32_t barriers = 0;
    uint32_t sharedBytes = 0; // declared in the code
    uint32_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  };
  /// A warning, or an advisory with a code.
  struct Remark {
    std::string code; // "C7515", or empty
    std::string text;
    bool serializesMatmul = false; // the advisory says that asynchronous matrix instructions wait for each other
  };
  struct Failure {
    uint32_t line = 0; // in the PTX text; 0: unknown
    std::string text;
    bool lacksRegisters = false;                        // an instruction or the kernel needs too many registers
    uint32_t registersNeeded = 0, registersAllowed = 0; // of one thread; 0: unknown
  };
  std::vector<Kernel> kernels;
  std::vector<Remark> remarks;
  std::vector<Failure> failures;

  /// Null if the report does not name the kernel.
  const Kernel *find(std::string_view kernel) const;
  bool serializesMatmul() const;
};

/// Parses the assembler's output; unknown lines are skipped.
PtxasReport parsePtxasReport(std::string_view output);

/// The path in $TRITON_PTXAS_PATH, or else `ptxas` in $PATH, or else in /usr/local/cuda/bin; nothing if none exists.
/// Throws tegula::Error if the variable names no program.
std::optional<std::string> findPtxas();

/// What `tegula doctor` shows about the assembler: its version and path; or, if there is no assembler, what does not
/// work without it.
Finding examinePtxas();

struct AssembleRequest {
  std::string_view text;    // PTX
  std::string name;         // name of the text in messages: "add_kernel.ptx"
  std::string target;       // "sm_90a"
  uint32_t registerCap = 0; // 0: none
};

struct Assembled {
  std::vector<uint8_t> binary;
  PtxasReport report;
};

/// Runs ptxas on the text. Throws tegula::Error with the assembler's errors, located in the text, or with the reason
/// why ptxas could not run. Thread-safe. Temporary files lie in a directory of their own that only the user can read,
/// and are removed.
Assembled assemble(const std::string &ptxas, const AssembleRequest &request);

/// Sets the artifact's binary: `text` assembled for the artifact's target and register cap, or `text` itself if there
/// is no assembler. Returns the assembler's report, if it ran. `loadedBytes`: bytes that one program loads from global
/// memory and that other programs do not load (see MorePrograms.h); 0 if unknown.
std::optional<PtxasReport> setCode(Artifact &artifact, const std::string &text,
                                   const std::optional<std::string> &ptxas = findPtxas(), uint64_t loadedBytes = 0);

} // namespace tegula::cuda
