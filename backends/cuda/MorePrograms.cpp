#include "backends/cuda/MorePrograms.h"

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
constexpr uint32_t kSpilledForTwo = 64, kSpilledForMore = 32;

uint32_t programsWith(uint32_t registers, uint32_t threads) {
  uint32_t each = (registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  return kRegisters / std::max(each * threads, 1U);
}

/// The most programs that the target, and the kernel's shared memory, allow.
uint32_t mostPrograms(const Artifact &artifact) {
  const auto *found = std::ranges::find(kResidents, artifact.target, &Residents::target);
  if (found == std::end(kResidents) || !artifact.threads || artifact.clusterSize != 1 || artifact.registerCap ||
      artifact.products.served)
    return 1;
  return std::min(
      {found->programs, found->threads / artifact.threads, kLeastShared / (artifact.sharedBytes + kReservedShared)});
}

/// The best first: two programs in place of one, or what one or two steps of registers fewer allow.
std::vector<Wanted> wantedFor(const Artifact &artifact, uint32_t registers) {
  uint32_t most = mostPrograms(artifact), now = programsWith(registers, artifact.threads);
  std::vector<Wanted> wanted;
  if (now >= most)
    return wanted;
  if (now <= 1)
    return {{2, kSpilledForTwo}};
  for (uint32_t fewer : {2 * kRegisterUnit, kRegisterUnit}) {
    uint32_t programs = std::min(most, programsWith(registers - std::min(registers, fewer), artifact.threads));
    if (programs > now && (wanted.empty() || programs < wanted.back().programs))
      wanted.push_back({programs, kSpilledForMore});
  }
  return wanted;
}

} // namespace

std::optional<Assembled> assembleForMore(const std::string &ptxas, const Artifact &artifact, const std::string &text,
                                         const PtxasReport &report) {
  size_t at = text.find(kOneProgram);
  const PtxasReport::Kernel *kernel = report.find(artifact.entry);
  if (at == std::string::npos || !kernel)
    return std::nullopt;
  std::vector<Wanted> wanted = wantedFor(artifact, kernel->registers);
  std::vector<std::future<Assembled>> made;
  for (const Wanted &want : wanted)
    made.push_back(std::async(std::launch::async, [&, want] {
      std::string asking = text;
      asking.replace(at, std::string_view(kOneProgram).size(), kPrograms + std::to_string(want.programs));
      return assemble(ptxas, {asking, artifact.entry + ".ptx", artifact.target});
    }));
  std::optional<Assembled> best;
  for (size_t i = 0; i < made.size(); ++i) {
    Assembled one = made[i].get();
    const PtxasReport::Kernel *with = one.report.find(artifact.entry);
    if (!best && with && with->spillStoreBytes <= wanted[i].mostSpilled &&
        programsWith(with->registers, artifact.threads) >= wanted[i].programs)
      best = std::move(one);
  }
  return best;
}

} // namespace tegula::cuda
