// Definitions that all op families of the dialect share.
#ifndef TEGULA_TILE_OP_BASE
#define TEGULA_TILE_OP_BASE

include "core/ir/tile/TileTypes.td"
include "core/ir/tile/TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// An op whose result types follow from its operands and attributes: builders and the short textual form omit them.
class Tile_InferredOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits # [InferTypeOpAdaptor]>;

#endif
