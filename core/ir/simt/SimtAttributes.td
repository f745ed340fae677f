// Enumerations of the simt level.
#ifndef TEGULA_SIMT_ATTRIBUTES
#define TEGULA_SIMT_ATTRIBUTES

include "mlir/IR/EnumAttr.td"

class Simt_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::simt";
}

def Simt_FragmentUse : Simt_Enum<"FragmentUse", "what a fragment is in a matrix product", [
  I32EnumAttrCase<"A", 0, "a">,
  I32EnumAttrCase<"B", 1, "b">,
  I32EnumAttrCase<"Accumulator", 2, "acc">,
]>;

def Simt_FragmentOrder : Simt_Enum<"FragmentOrder", "which index of a matrix in memory is contiguous", [
  I32EnumAttrCase<"RowMajor", 0, "row">,
  I32EnumAttrCase<"ColumnMajor", 1, "column">,
]>;

def Simt_ShuffleMode : Simt_Enum<"ShuffleMode", "which lane a shuffle reads from", [
  I32EnumAttrCase<"Index", 0, "index">,
  I32EnumAttrCase<"Xor", 1, "xor">,
  I32EnumAttrCase<"Up", 2, "up">,
  I32EnumAttrCase<"Down", 3, "down">,
]>;

def Simt_VoteKind : Simt_Enum<"VoteKind", "what a vote of a warp's lanes asks", [
  I32EnumAttrCase<"Any", 0, "any">,
  I32EnumAttrCase<"All", 1, "all">,
]>;

def Simt_FenceKind : Simt_Enum<"FenceKind", "what a fence puts in order", [
  I32EnumAttrCase<"Workgroup", 0, "workgroup">,
  I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"Async", 2, "async">,
  I32EnumAttrCase<"BarrierInit", 3, "barrier_init">,
  I32EnumAttrCase<"AsyncDevice", 4, "async_device">,
]>;

def Simt_Issuer : Simt_Enum<"Issuer", "who executes an op of a loop", [
  I32EnumAttrCase<"Own", 0, "own">,
  I32EnumAttrCase<"Producer", 1, "producer">,
  I32EnumAttrCase<"Turns", 2, "turns">,
]>;

def Simt_HiddenKind : Simt_Enum<"HiddenKind", "what a launch supplies", [
  I32EnumAttrCase<"PrintBuffer", 0, "print_buffer">,
]>;

def Simt_CombineKind : Simt_Enum<"CombineKind", "how two elements of a reduction become one", [
  I32EnumAttrCase<"AddF", 0, "addf">,
  I32EnumAttrCase<"MulF", 1, "mulf">,
  I32EnumAttrCase<"MaxNumF", 2, "maxnumf">,
  I32EnumAttrCase<"MinNumF", 3, "minnumf">,
  I32EnumAttrCase<"MaximumF", 4, "maximumf">,
  I32EnumAttrCase<"MinimumF", 5, "minimumf">,
  I32EnumAttrCase<"AddI", 6, "addi">,
  I32EnumAttrCase<"MulI", 7, "muli">,
  I32EnumAttrCase<"MaxSI", 8, "maxsi">,
  I32EnumAttrCase<"MinSI", 9, "minsi">,
  I32EnumAttrCase<"MaxUI", 10, "maxui">,
  I32EnumAttrCase<"MinUI", 11, "minui">,
  I32EnumAttrCase<"AndI", 12, "andi">,
  I32EnumAttrCase<"OrI", 13, "ori">,
  I32EnumAttrCase<"XOrI", 14, "xori">,
]>;

#endif
