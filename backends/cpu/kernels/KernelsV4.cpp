#define TEGULA_ISA x86_64_v4
#define TEGULA_ISA_NAME "x86-64-v4"
#define TEGULA_VECTOR_BYTES 64
#include "backends/cpu/kernels/Isa.inc"
