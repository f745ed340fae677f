// The CPU backend's bytecode: the text of `--emit=bytecode`, the content of an artifact for target `cpu`, and the
// executor's input. It is the tile level with control flow flattened to jumps: one instruction works on whole tiles.
// These files do not use MLIR.
//
// A function is a list of instructions over registers. A register holds a tile of one element type (a scalar is a tile
// of rank 0). Tiles are values: an instruction never changes a register that a later instruction can still read. Loops
// and branches become jumps and `Move`s. On every path, a register is defined before it is read.
//
//   acc = acc + dot(a, b), a loop of K/32 steps:
//
//        r9  = Move r8                 ; iv
//        r10 = Move r7                 ; acc
//    L1: ForTest r9, r5, r6 -> L2      ; leaves the loop when iv has passed the bound or the step is not positive
//        r11 = Load r3 ...
//        r10 = Dot r11!, r12!, r10!    ; '!' marks the last use: the executor may reuse the tile's storage
//        r9  = Add r9, r6
//        Jump L1
//    L2: ...
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::cpu {

/// The version of the bytecode. It must be raised when the meaning or the encoding of a declaration below changes; an
/// artifact of another version is compiled again.
inline constexpr uint32_t kBytecodeVersion = 4;
inline constexpr unsigned kMaxRank = 8;

using Register = uint32_t;
inline constexpr Register kNoRegister = ~0u;

/// The element type of a register. Integers are signless: the instruction chooses signedness. A pointer is a 64-bit
/// byte address (in checked mode tagged, see executor/Executor.h); `pointee` is the type that Load reads, and its size
/// is the step of AddPtr. A descriptor is a scalar of kind Descriptor.
// clang-format off
enum class ElementKind : uint8_t {
  I1, I8, I16, I32, I64, F16, BF16, F32, F64, F8E4M3, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, Pointer, Descriptor
};
// clang-format on

inline bool isInteger(ElementKind kind) { return kind <= ElementKind::I64; }
inline bool isFloat(ElementKind kind) { return kind >= ElementKind::F16 && kind <= ElementKind::F8E5M2FNUZ; }

/// The static type of a register. In a region function (see Reduce) `shape` is empty, and a register takes the shape of
/// the tiles that the function is called with.
struct TileType {
  ElementKind element = ElementKind::I32;
  ElementKind pointee = ElementKind::I8; // only for Pointer and Descriptor
  std::vector<int64_t> shape;            // for Descriptor: the shape of the block
  bool operator==(const TileType &) const = default;
};

/// The comment of an opcode gives its form as `results <- operands {attributes}`; r is a result, [..] an optional
/// operand, `...` a list of any length.
// clang-format off
enum class Opcode : uint16_t {
  // --- constants and shape ---
  ConstInt,    // r <- {value}                      a tile whose elements all equal value (any integer or pointer type)
  ConstFloat,  // r <- {bits of the f64}            rounded to the element type, to nearest even; f8e5m2 keeps infinity
  ConstDense,  // r <- {byteCount, index of first byte in Module::data}   row-major elements
  Move,        // r <- x
  MakeRange,   // r <- {start}                      start, start+1, ... along the only axis of r's shape
  Splat,       // r <- scalar                       to r's shape
  ExpandDims,  // r <- x {axis}
  Broadcast,   // r <- x                            axes of extent 1 repeat to r's shape (same rank)
  Reshape,     // r <- x                            row-major order kept
  Transpose,   // r <- x {order...}                 r.shape[i] = x.shape[order[i]]
  Join,        // r <- x, y                         new last axis of extent 2
  Split,       // r0, r1 <- x                       last axis of extent 2
  Concat,      // r <- x, y                         rank 1: x then y
  ProgramId,   // r <- {axis}
  NumPrograms, // r <- {axis}
  // --- elementwise, integer: operands and result share shape and type ---
  Add, Sub, Mul, DivS, DivU, RemS, RemU, // DivS/RemS truncate; x / 0 = 0, x % 0 = x; INT_MIN / -1 wraps
  And, Or, Xor, Shl, ShrS, ShrU,         // shifts by the width or more give 0 (ShrS: 0 or -1, the sign)
  MinS, MaxS, MinU, MaxU,
  MulHiS, MulHiU, // upper half of the double-width product
  AbsI,
  CmpI, // r(i1) <- x, y {IntPredicate}
  // --- elementwise, float: f16, bf16 and fp8 compute in f32 and round to nearest even ---
  AddF, SubF, MulF, DivF, RemF,
  MinNumF, MaxNumF, // a NaN operand yields the other operand
  MinimumF, MaximumF, // a NaN operand yields NaN
  NegF, AbsF,
  Fma, // r <- x, y, z
  CmpF, // r(i1) <- x, y {FloatPredicate}
  Exp, Exp2, Log, Log2, Sin, Cos, Tan, Tanh, Sinh, Cosh, Asin, Acos, Atan, Atan2, Erf, Sqrt, Rsqrt, Ceil, Floor,
  Round, Trunc, Pow, Expm1, Log1p,
  // Round: halves away from zero. Sqrt and the functions that round to an integer are correctly rounded; Rsqrt is
  // 1/sqrt, both steps correctly rounded; all other functions have libm's accuracy.
  Function, // r <- x [, y [, z]] {FunctionKind}
  Select, // r <- i1 condition, x, y
  // --- elementwise casts ---
  ExtS, ExtU, TruncI,       // integer widths (i1 counts as width 1)
  SIToF, UIToF, FToSI, FToUI, // to integer: truncates, saturates at the type's ends, NaN gives 0
  ConvertF,                 // r <- x {RoundingMode}   between float types
  Bitcast,                  // same width
  PtrToInt, IntToPtr, PtrCast,
  // --- memory ---
  AddPtr,  // r <- ptr, offset(i8..i64, signed, in elements of the pointee)
  Load,    // r <- ptr [, mask [, other]]  {hints}   masked-off elements without other read zero
  Store,   // <- ptr, value [, mask] {hints}
  AtomicRmw, // r <- ptr, value [, mask] {AtomicKind, MemoryOrder, Scope}   r: the old value (kNoRegister where unused)
  AtomicCas, // r <- ptr, compare, value {MemoryOrder, Scope}
  MakeDescriptor, // r <- base, shape x n (i32/i64), strides x n (i64, elements) {padding: 0 zero, 1 NaN}
  DescPart,    // r <- desc {part, axis}                  part 0: base; 1: extent (i64); 2: stride (i64, in elements);
               //                                         3: true if padding is NaN (i1); axis is 0 for parts 0 and 3
  DescLoad,    // r <- desc, offset x n (i32)             elements outside the tensor: the descriptor's padding; r's
               //                                         shape: the block's, possibly without axes of extent 1
  DescStore,   // <- desc, value, offset x n              elements outside the tensor are not written
  DescAtomic,  // <- desc, value, offset x n {AtomicKind}
  DescGather,  // r <- desc(block 1xC), row indices (1-D i32), column offset
  DescScatter, // <- desc, value, row indices, column offset
  // --- whole-tile ---
  Dot,       // r <- a [.., M, K], b [.., K, N], c [.., M, N] {InputPrecision}; rank 2 or 3 (batch). sums
             // are f64 if c is f64, i32 (exact) if c is an integer, else f32, rounded once to c's type
  Reduce,    // r... <- x... {axis, region function}      region: (acc..., elem...) -> acc...; associative
  Scan,      // r... <- x... {axis, region function, reverse}
  Gather,    // r <- x, indices {axis}                    r[.., i, ..] = x[.., indices[.., i, ..], ..]; indices are
             //                                         taken modulo the extent of the axis
  Histogram, // r <- x [, mask]                            counts of values 0..bins-1 (r's extent); others do not count
  Sort,      // r <- x {descending, signed}                along the last axis; NaN sorts last ascending
  MapElements, // r... <- x... {region function}           the region runs on each element alone and may branch
  // --- effects and control ---
  Print,   // <- x... {string, hex, then per operand: 1 signed / 0 unsigned}
  Assert,  // <- i1 condition {string}
  Assume,  // <- i1 condition                             false is a fault in checked mode
  Barrier,
  Jump,    // {target}
  BranchIfFalse, // <- i1 scalar {target}
  ForTest, // <- iv, bound, step {target, isUnsigned}     jumps if the loop ends: iv >= bound or step <= 0
  Return, // <- results of a region function; no operands in the kernel
};
// clang-format on

enum class IntPredicate : uint8_t { Eq, Ne, LtS, LeS, GtS, GeS, LtU, LeU, GtU, GeU };
/// If an operand is NaN, ordered predicates are false and unordered ones true.
enum class FloatPredicate : uint8_t { OEq, ONe, OLt, OLe, OGt, OGe, Ord, UEq, UNe, ULt, ULe, UGt, UGe, Uno };
/// Functions of floats that have no opcode of their own. All have one argument, except Hypot (two) and the
/// multiply-adds that round down, up and towards zero (three). Functions of one and two arguments are computed by libm
/// in a wider type, and the result is rounded.
enum class FunctionKind : uint8_t {
  Acosh,
  Asinh,
  Atanh,
  Cbrt,
  Cospi,
  Erfc,
  Erfcinv,
  Erfcx,
  Erfinv,
  Exp10,
  Hypot,
  Lgamma,
  Normcdf,
  Normcdfinv,
  Sinpi,
  Tgamma,
  FmaDown,
  FmaUp,
  FmaZero
};
inline constexpr int64_t kFunctionCount = static_cast<int64_t>(FunctionKind::FmaZero) + 1;
enum class RoundingMode : uint8_t { NearestEven, TowardZero };
enum class AtomicKind : uint8_t { Add, FAdd, Min, Max, UMin, UMax, FMin, FMax, And, Or, Xor, Exchange };
enum class MemoryOrder : uint8_t { Relaxed, Acquire, Release, AcquireRelease };
enum class Scope : uint8_t { Block, Device, System };
enum class InputPrecision : uint8_t { Ieee, Tf32, Tf32x3, Bf16x3, Bf16x6 }; // the CPU computes all in ieee f32

/// An instruction. Its results and operands are registers, listed from an index of Function::registersUsed on; its
/// attributes are numbers, listed from an index of Function::integers on. The top bit of an operand (kLastUse) marks
/// the last use of the register.
struct Instruction {
  Opcode opcode;
  uint8_t resultCount = 0;
  uint8_t operandCount = 0; // descriptors and prints have less than 256 operands, too
  uint32_t results = 0;     // index of the first one in Function::registersUsed
  uint32_t operands = 0;    // index of the first one in Function::registersUsed
  uint32_t attributes = 0;  // index of the first one in Function::integers
  uint32_t location = 0;    // in Module::locations
};
inline constexpr uint32_t kLastUse = 0x8000'0000u;

struct Function {
  std::string name;
  std::vector<TileType> types;         // type table
  std::vector<uint32_t> registers;     // register -> index of its type
  std::vector<uint32_t> params;        // registers of the parameters, in order
  std::vector<uint32_t> registersUsed; // pool of the instructions' results and operands
  std::vector<int64_t> integers;       // attributes
  std::vector<Instruction> code;

  const TileType &type(Register r) const { return types[registers[r]]; }
};

/// The source location of an instruction. If the instruction comes from an inlined function, `caller` is the location
/// of the call, so that a fault is reported with both locations.
struct Location {
  uint32_t line = 0, column = 0;
  int32_t caller = -1; // index of the call in Module::locations, or -1
  bool operator==(const Location &) const = default;
};

struct Module {
  std::string file;                    // path of the kernel's file as given, for messages
  std::vector<std::string> paramNames; // of the kernel's parameters, in order
  std::vector<Function> functions;     // [0] is the kernel; the others are region functions
  std::vector<std::string> strings;
  std::vector<uint8_t> data;
  std::vector<Location> locations; // [0] is "unknown"
};

/// Writes the module, little-endian, beginning with magic and version.
std::vector<uint8_t> serialize(const Module &module);

/// Reads and verifies a module: all indices are in range; operand counts, types and shapes are those of the table
/// above; jumps stay inside the function; registers are defined before use. Throws tegula::Error with the defect. A
/// module that was accepted cannot make the executor access its own data out of bounds.
Module deserialize(std::span<const uint8_t> bytes);

/// Throws tegula::Error with the function, the instruction and the reason.
void verify(const Module &module);

/// The text that `--emit=bytecode` prints.
std::string print(const Module &module);

std::string_view name(Opcode opcode);
std::string_view name(ElementKind kind);
/// The bytes of one element: 1 for I1, 8 for Pointer.
unsigned byteSize(ElementKind kind);

} // namespace tegula::cpu
