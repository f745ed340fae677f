// Definitions that all op families of the simt level share.
#ifndef TEGULA_SIMT_OP_BASE
#define TEGULA_SIMT_OP_BASE

include "core/ir/simt/SimtTypes.td"
include "core/ir/simt/SimtInterfaces.td"
include "core/ir/tile/TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

/// An op that all threads of an aligned set of `warps` warps execute together; 0: all threads of the region.
class Simt_CollectiveOp<string mnemonic, int warps, list<Trait> traits = []>
    : Simt_Op<mnemonic, traits # [Simt_Collective]> {
  code collectiveWarps = "int64_t getCollectiveWarps() { return " # warps # "; }";
  let extraClassDeclaration = collectiveWarps;
}

#endif
