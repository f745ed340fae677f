#define TEGULA_ISA x86_64_v3
#define TEGULA_ISA_NAME "x86-64-v3"
#define TEGULA_VECTOR_BYTES 32
#include "backends/cpu/kernels/Isa.inc"
