// Enumerations of the ops' attributes. If the CPU bytecode has the same enumeration, the values are equal.
#ifndef TEGULA_TILE_ATTRIBUTES
#define TEGULA_TILE_ATTRIBUTES

include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::tile";
}

def Tile_CacheModifier : Tile_Enum<"CacheModifier", "which caches an access goes through", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"CacheAll", 1, "ca">,
  I32EnumAttrCase<"CacheGlobal", 2, "cg">,
  I32EnumAttrCase<"Streaming", 3, "cs">,
  I32EnumAttrCase<"Volatile", 4, "cv">,
  I32EnumAttrCase<"WriteBack", 5, "wb">,
  I32EnumAttrCase<"WriteThrough", 6, "wt">,
]>;

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", "how soon a cache line may go", [
  I32EnumAttrCase<"Normal", 0, "normal">,
  I32EnumAttrCase<"EvictFirst", 1, "first">,
  I32EnumAttrCase<"EvictLast", 2, "last">,
]>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic does with the old value and the operand", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"FAdd", 1, "fadd">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"UMin", 4, "umin">,
  I32EnumAttrCase<"UMax", 5, "umax">,
  I32EnumAttrCase<"FMin", 6, "fmin">,
  I32EnumAttrCase<"FMax", 7, "fmax">,
  I32EnumAttrCase<"And", 8, "and">,
  I32EnumAttrCase<"Or", 9, "or">,
  I32EnumAttrCase<"Xor", 10, "xor">,
  I32EnumAttrCase<"Exchange", 11, "xchg">,
]>;

def Tile_MemoryOrder : Tile_Enum<"MemoryOrder", "ordering of an atomic with the accesses around it", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">,
  I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">,
  I32EnumAttrCase<"AcquireRelease", 3, "acq_rel">,
]>;

def Tile_Scope : Tile_Enum<"Scope", "which threads an atomic is atomic for", [
  I32EnumAttrCase<"Block", 0, "block">,
  I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"System", 2, "system">,
]>;

def Tile_FunctionKind : Tile_Enum<"FunctionKind", "a function of floats", [
  I32EnumAttrCase<"Acosh", 0, "acosh">,
  I32EnumAttrCase<"Asinh", 1, "asinh">,
  I32EnumAttrCase<"Atanh", 2, "atanh">,
  I32EnumAttrCase<"Cbrt", 3, "cbrt">,
  I32EnumAttrCase<"Cospi", 4, "cospi">,
  I32EnumAttrCase<"Erfc", 5, "erfc">,
  I32EnumAttrCase<"Erfcinv", 6, "erfcinv">,
  I32EnumAttrCase<"Erfcx", 7, "erfcx">,
  I32EnumAttrCase<"Erfinv", 8, "erfinv">,
  I32EnumAttrCase<"Exp10", 9, "exp10">,
  I32EnumAttrCase<"Hypot", 10, "hypot">,
  I32EnumAttrCase<"Lgamma", 11, "lgamma">,
  I32EnumAttrCase<"Normcdf", 12, "normcdf">,
  I32EnumAttrCase<"Normcdfinv", 13, "normcdfinv">,
  I32EnumAttrCase<"Sinpi", 14, "sinpi">,
  I32EnumAttrCase<"Tgamma", 15, "tgamma">,
  I32EnumAttrCase<"FmaDown", 16, "fma_rd">,
  I32EnumAttrCase<"FmaUp", 17, "fma_ru">,
  I32EnumAttrCase<"FmaZero", 18, "fma_rz">,
]>;

def Tile_InputPrecision : Tile_Enum<"InputPrecision", "how f32 operands of a matrix product are rounded", [
  I32EnumAttrCase<"Ieee", 0, "ieee">,
  I32EnumAttrCase<"Tf32", 1, "tf32">,
  I32EnumAttrCase<"Tf32x3", 2, "tf32x3">,
  I32EnumAttrCase<"Bf16x3", 3, "bf16x3">,
  I32EnumAttrCase<"Bf16x6", 4, "bf16x6">,
]>;

def Tile_RoundingMode : Tile_Enum<"RoundingMode", "how a narrowing float conversion rounds", [
  I32EnumAttrCase<"NearestEven", 0, "rtne">,
  I32EnumAttrCase<"TowardZero", 1, "rtz">,
]>;

def Tile_Padding : Tile_Enum<"Padding", "what a descriptor reads outside its tensor", [
  I32EnumAttrCase<"Zero", 0, "zero">,
  I32EnumAttrCase<"NaN", 1, "nan">,
]>;

#endif
