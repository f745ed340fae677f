// NVIDIA's assembler, run as a process where it is installed: PTX text to a binary, and the assembler's report on the
// kernel. Part of the compiler's half: the runtime starts no process. Without an assembler the artifact holds the text,
// and the driver assembles it.
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
    bool lacksRegisters = false;                        // the code does not fit into the registers of a thread,
    uint32_t registersNeeded = 0, registersAllowed = 0; // of which it needs so many; 0: unknown
  };
  std::vector<Kernel> kernels;
  std::vector<Remark> remarks;
  std::vector<Failure> failures;

  /// Null where the report does not name the kernel.
  const Kernel *find(std::string_view kernel) const;
  bool serializesMatmul() const;
};

/// Parses the assembler's output; unknown lines are skipped.
PtxasReport parsePtxasReport(std::string_view output);

/// $TRITON_PTXAS_PATH, else `ptxas` in $PATH, else in /usr/local/cuda/bin; nothing if there is none. Throws
/// tegula::Error where the variable names no program.
std::optional<std::string> findPtxas();

/// Its version and place, asked of the program; what it means that there is none.
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

/// Throws tegula::Error with the assembler's failures, located in the text, or with the reason why it could not run.
/// Thread-safe; temporary files lie in a directory of their own that only the user can read, and are removed.
Assembled assemble(const std::string &ptxas, const AssembleRequest &request);

/// Sets the artifact's binary: `text` assembled for the artifact's target and register cap, or `text` itself without an
/// assembler. Returns the assembler's report, if one ran. `loadedBytes`: bytes that a program loads from global memory
/// and others do not (MorePrograms.h); 0 where that is not known.
std::optional<PtxasReport> setCode(Artifact &artifact, const std::string &text,
                                   const std::optional<std::string> &ptxas = findPtxas(), uint64_t loadedBytes = 0);

} // namespace tegula::cuda
