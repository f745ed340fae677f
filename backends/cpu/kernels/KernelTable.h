// The innermost loops of the executor, compiled once for each instruction set and called through a table that is chosen
// when the process starts. A kernel works on rows of plain elements; it does not know shapes, strides or registers.
//
// i1 elements are bytes 0 or 1; f16, bf16 and fp8 elements are converted to f32 by the caller, in pieces, with the
// kernels of this table. Integer kernels are indexed by width: 0 i8, 1 i16, 2 i32, 3 i64; float kernels: 0 f32, 1 f64.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

#include <cstddef>
#include <cstdint>

namespace tegula::cpu {

inline constexpr size_t kOpcodeCount = static_cast<size_t>(Opcode::Return) + 1;
inline constexpr size_t kElementKindCount = static_cast<size_t>(ElementKind::F8E5M2FNUZ) + 1;

/// Computes out[i] = f(in[0][i], in[1][i], ...) for i < count. If bit k of `uniform` is set, in[k] is a single element
/// that is used for every i. `out` may equal one of the inputs, but must not partly overlap one.
using RowKernel = void (*)(void *out, const void *const *in, size_t count, unsigned uniform);

/// Computes *out = in[0] op in[1] op ...; count > 0. A float sum has many partial sums, so that its rounding error
/// grows more slowly than that of a sum from left to right.
using ReduceKernel = void (*)(void *out, const void *in, size_t count);

/// Computes out[i] = in[0] op ... op in[i]; `out` may equal `in`.
using ScanKernel = void (*)(void *out, const void *in, size_t count);

/// A tile product c = a b or c += a b, with strides in elements. Columns of b and c have unit stride.
struct DotTile {
  size_t m = 0, n = 0, k = 0;
  const void *a = nullptr;
  ptrdiff_t aRow = 0, aColumn = 0;
  const void *b = nullptr;
  ptrdiff_t bRow = 0;
  void *c = nullptr;
  ptrdiff_t cRow = 0;
  bool startFromZero = false; // c = a b: c is written without being read
  void *scratch = nullptr;    // dotScratchBytes(k) bytes, aligned to 64
};
/// The bytes of DotTile::scratch: it holds copies of the last columns of b (k rows) and of a micro-tile of c (at most
/// 16 rows), padded to a full vector if the columns do not fill one. 512 bytes for each row are more than any vector
/// has.
inline constexpr size_t dotScratchBytes(size_t k) { return (k + 16) * 512; }
using DotKernel = void (*)(const DotTile &);

/// Copies by stores that bypass the caches, for data that is not read again soon. The regions must not overlap.
using StreamKernel = void (*)(void *to, const void *from, size_t bytes);

struct KernelTable {
  const char *name = "";
  RowKernel elementwise[kOpcodeCount][4] = {}; // arithmetic opcodes; null if the type does not have one
  RowKernel functions[kFunctionCount] = {};    // FunctionKind of f32; null: by libm, see functionKernel
  RowKernel compareInt[10][4] = {};            // IntPredicate -> bytes
  RowKernel compareFloat[14][2] = {};          // FloatPredicate -> bytes
  RowKernel select[4] = {};                    // in: condition bytes, x, y; by log2 of the element's size
  RowKernel resize[2][4][4] = {};              // in: integers; a narrower result keeps the low bits; [signed][from][to]
  RowKernel lowBit[4] = {};                    // integer -> i1
  RowKernel negate[4] = {};                    // integer -> its negative
  RowKernel intToFloat[2][4][2] = {};          // [signed][from][f32, f64]; correctly rounded
  RowKernel intToF64Odd[2] = {};      // [signed] i64 -> f64, rounded to odd for a further rounding to at most 24 bits
  RowKernel floatToInt[2][2][4] = {}; // [f32, f64][signed][to]; truncates, saturates, NaN gives 0
  RowKernel toF32[kElementKindCount] = {};      // from the small formats
  RowKernel fromF32[2][kElementKindCount] = {}; // [RoundingMode] to the small formats
  RowKernel f32ToF64 = nullptr;
  RowKernel f64ToF32[2] = {};      // [RoundingMode]
  RowKernel f64ToF32Odd = nullptr; // f64 -> f32, rounded to odd for a further rounding to a smaller format
  ReduceKernel reduce[kOpcodeCount][4] = {};
  ScanKernel scan[kOpcodeCount][4] = {};
  StreamKernel stream = nullptr;
  DotKernel dotF32 = nullptr, dotF64 = nullptr, dotI32 = nullptr;
};

/// The table for the widest instruction set that this processor has.
const KernelTable &kernels();

/// The tables of all instruction sets that this processor has, narrowest first; for tests.
struct KernelTables {
  const KernelTable *tables[3] = {};
  size_t count = 0;
};
KernelTables availableKernels();

} // namespace tegula::cpu
