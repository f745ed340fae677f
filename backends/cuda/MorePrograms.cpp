#include "backends/cuda/MorePrograms.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <future>

namespace tegula::cuda {
namespace {

constexpr const char *kOneProgram = ".minnctapersm 1", *kPrograms = ".minnctapersm ";
constexpr uint32_t kRegisters = 65536, kRegisterUnit = 8; // a thread's registers are rounded up to a multiple
constexpr uint32_t kLeastShared = 64 << 10, kReservedShared = 1 << 10; // bytes; reserved: for each program

/// Of a multiprocessor. Source: CUDA C++ Programming Guide, technical specifications by compute capability; registers
/// are the same for all, for shared memory the least is taken.
struct Residents {
  std::string_view target;
  uint32_t threads, programs;
};
constexpr Residents kResidents[] = {{"sm_75", 1024, 16}, {"sm_80", 2048, 32}, {"sm_86", 1536, 16}, {"sm_87", 1536, 16},
                                    {"sm_89", 1536, 24}, {"sm_90", 2048, 32}, {"sm_90a", 2048, 32}};

/// A number of programs, and the most bytes that a thread may spill for it.
struct Wanted {
  uint32_t programs, mostSpilled;
};
/// With so many programs on a multiprocessor that load so many bytes each, another assembly, which would take as long
/// as the first, gains nothing: 3 TB/s with a latency of 700 ns are 16 KiB under way for each of 132 multiprocessors,
/// and one program of four or more loads at any time. With 8 KiB each it gained 5% (docs/lab/2026-11-26-rows.md).
constexpr uint32_t kEnoughPrograms = 4;
constexpr uint64_t kEnoughBytes = 16 << 10;
constexpr uint32_t kSpilledForTwo = 64, kSpilledForMore = 32;

uint32_t programsWith(uint32_t registers, uint32_t threads) {
  uint32_t each = (registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  return kRegisters / std::max(each * threads, 1U);
}

struct Limits {
  uint32_t most = 1;          // programs that the target and the kernel's shared memory allow
  uint32_t worthSpilling = 1; // below this number, a program more is worth spilled registers; 9/16 of the threads
};

Limits limitsOf(const Artifact &artifact) {
  const auto *found = std::ranges::find(kResidents, artifact.target, &Residents::target);
  if (found == std::end(kResidents) || !artifact.threads || artifact.clusterSize != 1 || artifact.registerCap ||
      artifact.products.served)
    return {};
  uint32_t shared = kLeastShared / (artifact.sharedBytes + kReservedShared);
  return {std::min({found->programs, found->threads / artifact.threads, shared}),
          found->threads * 9 / 16 / artifact.threads};
}

/// The numbers of programs to try, the largest first: two where one runs, else those that two steps or one step of
/// kRegisterUnit registers fewer allow.
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

} // namespace

std::optional<Assembled> assembleForMore(const std::string &ptxas, const Artifact &artifact, const std::string &text,
                                         const PtxasReport &report, uint64_t loadedBytes) {
  size_t at = text.find(kOneProgram);
  const PtxasReport::Kernel *kernel = report.find(artifact.entry);
  if (at == std::string::npos || !kernel)
    return std::nullopt;
  std::vector<Wanted> wanted = wantedFor(artifact, kernel->registers, loadedBytes);
  // Fewer registers spill more.
  std::erase_if(wanted, [&](const Wanted &want) { return kernel->spillStoreBytes > want.mostSpilled; });
  std::vector<std::future<std::optional<Assembled>>> made;
  for (const Wanted &want : wanted) // in threads of their own, where the system has some
    made.push_back(std::async(std::launch::async | std::launch::deferred, [&, want]() -> std::optional<Assembled> {
      std::string asking = text;
      asking.replace(at, std::string_view(kOneProgram).size(), kPrograms + std::to_string(want.programs));
      try {
        return assemble(ptxas, {asking, artifact.entry + ".ptx", artifact.target});
      } catch (const Error &) {
        return std::nullopt; // the first assembly's code is good
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
