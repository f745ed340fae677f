#include "backends/cpu/kernels/KernelTable.h"

namespace tegula::cpu {

namespace baseline {
void fill(KernelTable &table);
}
#ifdef TEGULA_CPU_X86_KERNELS
namespace x86_64_v3 {
void fill(KernelTable &table);
}
namespace x86_64_v4 {
void fill(KernelTable &table);
}
#endif

namespace {

struct Tables {
  KernelTable table[3];
  size_t count = 0;

  Tables() {
    baseline::fill(table[count++]);
#ifdef TEGULA_CPU_X86_KERNELS
    // The levels of the x86-64 psABI, detected by the features that the kernels use.
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    if (v3)
      x86_64_v3::fill(table[count++]);
    if (v3 && v4)
      x86_64_v4::fill(table[count++]);
#endif
  }
};

const Tables &tables() {
  static const Tables instance;
  return instance;
}

} // namespace

const KernelTable &kernels() {
  static const KernelTable &best = tables().table[tables().count - 1];
  return best;
}

KernelTables availableKernels() {
  KernelTables result;
  for (; result.count < tables().count; ++result.count)
    result.tables[result.count] = &tables().table[result.count];
  return result;
}

} // namespace tegula::cpu
