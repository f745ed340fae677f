// NVIDIA's assembler, run as a process where it is installed: PTX text to a binary, and what it says about the kernel.
// Part of the compiler's half: the runtime starts no process. Where there is no assembler an artifact keeps the text,
// and the driver assembles it.
#pragma once

#include "core/runtime/Artifact.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::cuda {

/// What the assembler reports, as `ptxas -v` prints it.
struct PtxasReport {
  struct Kernel {
    std::string name;
    uint32_t registers = 0; // of a thread
    uint32_t barriers = 0;
    uint32_t sharedBytes = 0; // declared in the code
    uint32_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  };
  /// A warning, or a hint with a number.
  struct Remark {
    std::string code; // "C7515", or empty
    std::string text;
    bool serializesMatmul = false; // asynchronous matrix multiplies wait for each other
  };
  struct Failure {
    uint32_t line = 0; // of the text; 0 where unknown
    std::string text;
  };
  std::vector<Kernel> kernels;
  std::vector<Remark> remarks;
  std::vector<Failure> failures;

  /// Null where the assembler did not name it.
  const Kernel *find(std::string_view kernel) const;
  bool serializesMatmul() const;
};

/// Lines of other forms are left out.
PtxasReport parsePtxasReport(std::string_view output);

/// $TRITON_PTXAS_PATH, else `ptxas` in $PATH, else in /usr/local/cuda/bin. Throws tegula::Error where the variable
/// names no program.
std::optional<std::string> findPtxas();

struct AssembleRequest {
  std::string_view text;    // PTX
  std::string name;         // of the text, for messages: "add_kernel.ptx"
  std::string target;       // "sm_90a"
  uint32_t registerCap = 0; // 0: none
};

struct Assembled {
  std::vector<uint8_t> binary;
  PtxasReport report;
};

/// Throws tegula::Error: what the assembler refuses, located in the text; or why it could not be run. Thread-safe;
/// temporary files are in a directory of their own that only the user can read, and are gone afterwards.
Assembled assemble(const std::string &ptxas, const AssembleRequest &request);

/// Fills in the artifact's binary from text for its target and with its register cap, assembled where there is an
/// assembler; else the text itself. The assembler's report, where there is one.
std::optional<PtxasReport> setCode(Artifact &artifact, const std::string &text,
                                   const std::optional<std::string> &ptxas = findPtxas());

} // namespace tegula::cuda
