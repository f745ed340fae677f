#include "backends/cpu/DriverInfo.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sched.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace tegula::cpu {
namespace {

std::string modelName() {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen("/proc/cpuinfo", "re"), std::fclose);
  char text[256];
  while (file && std::fgets(text, sizeof text, file.get())) {
    std::string_view line = text;
    size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos && colon + 2 <= line.size())
      return std::string(line.substr(colon + 2, line.find('\n') - colon - 2));
  }
  return {};
}

unsigned usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

std::string instructionSets() {
  std::string sets;
#if defined(__x86_64__)
  auto add = [&](bool has, const char *name) {
    if (has)
      sets += (sets.empty() ? "" : ", ") + std::string(name);
  };
  add(__builtin_cpu_supports("avx2"), "AVX2");
  add(__builtin_cpu_supports("fma"), "FMA");
  add(__builtin_cpu_supports("avx512f"), "AVX-512");
#elif defined(__aarch64__)
  sets = "NEON";
#endif
  return sets;
}

} // namespace

DeviceInfo describeHost() {
  DeviceInfo info;
  info.name = "cpu";
  info.target = "cpu";
  std::string model = modelName(), sets = instructionSets();
  unsigned cores = usableCores();
  info.description = (model.empty() ? "" : model + ", ") + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  if (!sets.empty())
    info.description += ", " + sets;
  long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageBytes > 0)
    info.memoryBytes = static_cast<uint64_t>(pages) * static_cast<uint64_t>(pageBytes);
  if (!model.empty())
    info.properties.emplace_back("model", model);
  info.properties.emplace_back("cores", std::to_string(cores));
  if (!sets.empty())
    info.properties.emplace_back("instruction sets", sets);
  info.properties.emplace_back("checked mode", "yes");
  return info;
}

} // namespace tegula::cpu
