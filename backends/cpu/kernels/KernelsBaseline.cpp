#define TEGULA_ISA baseline
#define TEGULA_ISA_NAME "baseline"
#define TEGULA_VECTOR_BYTES 16
#include "backends/cpu/kernels/Isa.inc"
