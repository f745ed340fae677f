// Names and sizes of element kinds, opcodes and enumerations, for listings and messages.
#include "backends/cpu/bytecode/Bytecode.h"

#include "core/support/Diagnostic.h"

#include <array>

namespace tegula::cpu {

namespace {

constexpr std::array kOpcodeNames = {
    "ConstInt",   "ConstFloat", "ConstDense",     "Move",          "MakeRange", "Splat",
    "ExpandDims", "Broadcast",  "Reshape",        "Transpose",     "Join",      "Split",
    "Concat",     "ProgramId",  "NumPrograms",    "Add",           "Sub",       "Mul",
    "DivS",       "DivU",       "RemS",           "RemU",          "And",       "Or",
    "Xor",        "Shl",        "ShrS",           "ShrU",          "MinS",      "MaxS",
    "MinU",       "MaxU",       "MulHiS",         "MulHiU",        "AbsI",      "CmpI",
    "AddF",       "SubF",       "MulF",           "DivF",          "RemF",      "MinNumF",
    "MaxNumF",    "MinimumF",   "MaximumF",       "NegF",          "AbsF",      "Fma",
    "CmpF",       "Exp",        "Exp2",           "Log",           "Log2",      "Sin",
    "Cos",        "Tan",        "Tanh",           "Sinh",          "Cosh",      "Asin",
    "Acos",       "Atan",       "Atan2",          "Erf",           "Sqrt",      "Rsqrt",
    "Ceil",       "Floor",      "Round",          "Trunc",         "Pow",       "Expm1",
    "Log1p",      "Function",   "Select",         "ExtS",          "ExtU",      "TruncI",
    "SIToF",      "UIToF",      "FToSI",          "FToUI",         "ConvertF",  "Bitcast",
    "PtrToInt",   "IntToPtr",   "PtrCast",        "AddPtr",        "Load",      "Store",
    "AtomicRmw",  "AtomicCas",  "MakeDescriptor", "DescPart",      "DescLoad",  "DescStore",
    "DescAtomic", "DescGather", "DescScatter",    "Dot",           "Reduce",    "Scan",
    "Gather",     "Histogram",  "Sort",           "MapElements",   "Print",     "Assert",
    "Assume",     "Barrier",    "Jump",           "BranchIfFalse", "ForTest",   "Return"};
static_assert(kOpcodeNames.size() == static_cast<size_t>(Opcode::Return) + 1);

constexpr std::array kElementNames = {"i1",  "i8",     "i16",    "i32",        "i64",        "f16", "bf16", "f32",
                                      "f64", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "ptr", "desc"};
static_assert(kElementNames.size() == static_cast<size_t>(ElementKind::Descriptor) + 1);

} // namespace

std::string_view name(Opcode opcode) {
  const auto i = static_cast<size_t>(opcode);
  return i < kOpcodeNames.size() ? kOpcodeNames[i] : "unknown";
}

std::string_view name(ElementKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < kElementNames.size() ? kElementNames[i] : "unknown";
}

unsigned byteSize(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
  case ElementKind::F8E4M3:
  case ElementKind::F8E5M2:
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ: return 1;
  case ElementKind::I16:
  case ElementKind::F16:
  case ElementKind::BF16: return 2;
  case ElementKind::I32:
  case ElementKind::F32: return 4;
  case ElementKind::I64:
  case ElementKind::F64:
  case ElementKind::Pointer: return 8;
  case ElementKind::Descriptor: break;
  }
  throw InternalError("a descriptor has no element size");
}

} // namespace tegula::cpu
