#include "backends/cuda/MorePrograms.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <future>

namespace tegula::cuda {
namespace {

constexpr const char *kOneProgram = ".minnctapersm 1", *kPrograms = ".minnctapersm ";
constexpr const char *kFixedRegisters = ".maxnreg"; // in texts of kernels whose warps hand registers to each other
constexpr uint32_t kRegisters = 65536, kRegisterUnit = 8; // a thread's registers are a multiple of the unit
constexpr uint32_t kLeastShared = 64 << 10;   // bytes of shared memory of a multiprocessor: the least of all targets
constexpr uint32_t kReservedShared = 1 << 10; // bytes of it for each program beside its own

/// The most threads and programs that are resident on one multiprocessor. Source: CUDA C++ Programming Guide, technical
/// specifications by compute capability. The register file is the same for all targets.
struct Residents {
  std::string_view target;
  uint32_t threads, programs, sharedKiB;
};
constexpr Residents kResidents[] = {{"sm_75", 1024, 16, 64},  {"sm_80", 2048, 32, 164}, {"sm_86", 1536, 16, 100},
                                    {"sm_87", 1536, 16, 164}, {"sm_89", 1536, 24, 100}, {"sm_90", 2048, 32, 228},
                                    {"sm_90a", 2048, 32, 228}};

const Residents *residentsOf(const Artifact &artifact) {
  const auto *found = std::ranges::find(kResidents, artifact.target, &Residents::target);
  return found == std::end(kResidents) ? nullptr : found;
}

/// An occupancy to try, in programs of a multiprocessor, and the most bytes that a thread may spill to reach it.
struct Wanted {
  uint32_t programs, mostSpilled;
};
/// A kernel is not assembled a second time if kEnoughPrograms programs run on a multiprocessor already and each of them
/// loads at least kEnoughBytes during its life: the second assembly takes as long as the first one and would gain
/// nothing. To saturate memory (3 TB/s, latency 700 ns), each of 132 multiprocessors needs 16 KiB of loads in flight,
/// and of four or more programs at least one is loading at any time. For programs that load 8 KiB each, the second
/// assembly gained 5% (docs/lab/2026-11-26-rows.md).
constexpr uint32_t kEnoughPrograms = 4;
constexpr uint64_t kEnoughBytes = 16 << 10;
constexpr uint32_t kSpilledForTwo = 64, kSpilledForMore = 32;

uint32_t programsWith(uint32_t registers, uint32_t threads) {
  uint32_t each = (registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  return kRegisters / std::max(each * threads, 1U);
}

struct Limits {
  uint32_t most = 1;          // programs that the target and the kernel's shared memory allow
  uint32_t worthSpilling = 1; // below 9/16 of the threads, one more program is worth some spilled registers
};

Limits limitsOf(const Artifact &artifact) {
  const Residents *found = residentsOf(artifact);
  if (!found || !artifact.threads || artifact.clusterSize != 1 || artifact.registerCap || artifact.products.served)
    return {};
  uint32_t shared = kLeastShared / (artifact.sharedBytes + kReservedShared);
  return {std::min({found->programs, found->threads / artifact.threads, shared}),
          found->threads * 9 / 16 / artifact.threads};
}

/// The occupancies to try, the largest first. If one program fits on a multiprocessor now, 2 is tried; otherwise the
/// occupancies that 8 or 16 registers fewer for each thread allow (one or two steps of kRegisterUnit). Empty if a
/// second assembly cannot raise occupancy or gains nothing.
std::vector<Wanted> wantedFor(const Artifact &artifact, uint32_t registers, uint64_t loadedBytes) {
  Limits limits = limitsOf(artifact);
  uint32_t now = programsWith(registers, artifact.threads);
  if (limits.most < 2 || now >= limits.most || (now >= kEnoughPrograms && loadedBytes >= kEnoughBytes))
    return {};
  if (now <= 1)
    return {{2, kSpilledForTwo}};
  std::vector<Wanted> wanted;
  for (uint32_t fewer : {kRegisterUnit, 2 * kRegisterUnit}) {
    uint32_t programs = std::min(limits.most, programsWith(registers - std::min(registers, fewer), artifact.threads));
    if (programs > now)
      wanted.insert(wanted.begin(), {programs, now < limits.worthSpilling ? kSpilledForMore : 0});
    now = programs;
  }
  return wanted;
}

/// How many programs run on a multiprocessor at a time if registers do not limit them; 0 for targets that kResidents
/// does not list, and for clusters.
uint32_t programsThatFit(const Artifact &artifact) {
  const Residents *found = residentsOf(artifact);
  if (!found || !artifact.threads || artifact.clusterSize != 1)
    return 0;
  return std::min({found->programs, found->threads / artifact.threads,
                   (found->sharedKiB << 10) / (artifact.sharedBytes + kReservedShared)});
}

/// The occupancy to try, in programs of a multiprocessor, for a kernel with matrix instructions that takes `registers`
/// and spills nothing: a third more than now, or 0 if fewer fit. With a third more, six public kernels became 9% to 19%
/// faster; with a fifth or a quarter more, one became 1% faster and one 10% slower. A single program stays alone: of 14
/// such kernels none reached two programs without spills (docs/lab/2026-12-03-more-programs.md).
uint32_t moreProductPrograms(const Artifact &artifact, uint32_t registers) {
  uint32_t now = programsWith(registers, artifact.threads), more = (4 * now + 2) / 3;
  return now > 1 && more <= programsThatFit(artifact) ? more : 0;
}

/// `text` with the directive at `at`, kOneProgram, asking for `programs` programs.
std::string askingFor(std::string text, size_t at, uint32_t programs) {
  return text.replace(at, std::string_view(kOneProgram).size(), kPrograms + std::to_string(programs));
}

} // namespace

Assembled assembleKernel(const std::string &ptxas, const Artifact &artifact, const std::string &text) {
  auto assembled = [&](const std::string &asking) {
    return assemble(ptxas, {asking, artifact.entry + ".ptx", artifact.target, artifact.registerCap});
  };
  size_t at = text.find(kOneProgram);
  if (at == std::string::npos || !artifact.products.served || artifact.registerCap || programsThatFit(artifact) < 2)
    return assembled(text);
  std::string free = text;
  free.erase(at, std::string_view(kOneProgram).size());

  auto spills = [&](const Assembled &one) {
    const PtxasReport::Kernel *kernel = one.report.find(artifact.entry);
    return kernel && kernel->spillStoreBytes > 0;
  };
  auto serializes = [](const Assembled &one) { return one.report.serializesMatmul(); };
  auto isGood = [&](const Assembled &one) { return !spills(one) && !serializes(one); };
  // Kernels that spill keep `.minnctapersm 1` although they may spill more with it: gradients of attention 128 wide,
  // which spill 13% fewer bytes without it, took 1.07 times as long (docs/lab/2026-12-01-public-kernels-again.md).
  auto chosen = [&](const Assembled &with, const Assembled &without) {
    return isGood(without) || (serializes(with) && !serializes(without)) ? without : with;
  };

  // ptxas takes seconds for a text of this length, and most of these kernels spill. If they do with the directive, they
  // are not assembled without it.
  constexpr size_t kLongText = 1 << 19;
  if (text.size() >= kLongText) {
    Assembled with = assembled(text);
    return spills(with) && !serializes(with) ? with : chosen(with, assembled(free));
  }
  Assembled without = assembled(free);
  if (!isGood(without))
    return chosen(assembled(text), without);
  const PtxasReport::Kernel *kernel = without.report.find(artifact.entry);
  bool isFixed = text.find(kFixedRegisters) != std::string::npos;
  uint32_t programs = kernel && !isFixed ? moreProductPrograms(artifact, kernel->registers) : 0;
  if (!programs)
    return without;
  try {
    Assembled more = assembled(askingFor(text, at, programs));
    return isGood(more) ? more : without;
  } catch (const Error &) {
    return without;
  }
}

std::optional<Assembled> assembleForMore(const std::string &ptxas, const Artifact &artifact, const std::string &text,
                                         const PtxasReport &report, uint64_t loadedBytes) {
  size_t at = text.find(kOneProgram);
  const PtxasReport::Kernel *kernel = report.find(artifact.entry);
  if (at == std::string::npos || !kernel)
    return std::nullopt;
  std::vector<Wanted> wanted = wantedFor(artifact, kernel->registers, loadedBytes);
  // Drops the occupancies whose spill limit the first assembly exceeds already: with fewer registers, the kernel would
  // not spill fewer bytes.
  std::erase_if(wanted, [&](const Wanted &want) { return kernel->spillStoreBytes > want.mostSpilled; });
  std::vector<std::future<std::optional<Assembled>>> made;
  for (const Wanted &want : wanted) // assembled in parallel, if the system can start threads
    made.push_back(std::async(std::launch::async | std::launch::deferred, [&, want]() -> std::optional<Assembled> {
      try {
        return assemble(ptxas, {askingFor(text, at, want.programs), artifact.entry + ".ptx", artifact.target});
      } catch (const Error &) {
        return std::nullopt; // the code with the registers of the first run of ptxas is used
      }
    }));
  std::optional<Assembled> best;
  for (size_t i = 0; i < made.size(); ++i) {
    std::optional<Assembled> one = made[i].get();
    const PtxasReport::Kernel *with = one ? one->report.find(artifact.entry) : nullptr;
    if (!best && with && with->spillStoreBytes <= wanted[i].mostSpilled &&
        programsWith(with->registers, artifact.threads) >= wanted[i].programs)
      best = std::move(one);
  }
  return best;
}

} // namespace tegula::cuda
