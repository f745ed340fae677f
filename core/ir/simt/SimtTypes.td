// Types of the simt level, and the constraints that its ops put on operands.
#ifndef TEGULA_SIMT_TYPES
#define TEGULA_SIMT_TYPES

include "core/ir/simt/SimtDialect.td"
include "core/ir/simt/SimtAttributes.td"
include "core/ir/tile/TileTypes.td"
include "mlir/IR/AttrTypeBase.td"

class Simt_Type<string name, string typeMnemonic> : TypeDef<Simt_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Simt_SharedType : Simt_Type<"Shared", "shared"> {
  let summary = "a typed view of shared memory, with stages";
  let description = [{
    A tile of `shape` in shared memory, in the order of `layout`; row-major without a layout. If the shape has one
    dimension more than the layout, the first extent is the number of *stages*: tiles that lie one after another.

    ```mlir
    !simt.shared<128x64xf16>           // row-major
    !simt.shared<4x128x64xf16, #sw>    // four stages of a layout of rank 2
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::tegula::layout_ir::SharedAttr">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Number of stages; 1 if the type has no stage dimension.
    int64_t getStages() const;
    bool hasStages() const;
    /// The extents of one stage.
    ::llvm::ArrayRef<int64_t> getTileShape() const;
    /// The layout of one stage; row-major if the type has no layout.
    ::tegula::layout_ir::SharedAttr getTileLayout() const;
    /// Elements from one stage to the next, padding included.
    int64_t getStageElements() const;
    /// Bytes of all stages.
    int64_t getBytes() const;
    /// One stage: the type without the stage dimension.
    SharedType getStageType() const;
    /// The type of a part with these extents: bases within the part stay, bases outside of it become holes. Nothing if
    /// a basis lies partly within the part, because the parts' layouts then differ by more than a constant offset.
    ::std::optional<SharedType> getPartType(::llvm::ArrayRef<int64_t> extents) const;
    /// The type with its two dimensions exchanged.
    SharedType getTransposedType() const;
  }];
}

def Simt_BarriersType : Simt_Type<"Barriers", "barriers"> {
  let summary = "an array of barrier objects in shared memory";
  let description = [{
    A barrier object counts arrivals and expected bytes; when both are complete its *phase* ends and the next begins.
    Phases alternate between 0 and 1. An object takes 8 bytes.

    ```mlir
    !simt.barriers<4>
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes, and alignment, of one object.
    static constexpr int64_t kObjectBytes = 8;
    int64_t getBytes() const { return kObjectBytes * getCount(); }
  }];
}

def Simt_TokenType : Simt_Type<"Token", "token"> {
  let summary = "an asynchronous copy that was started, at the planned level";
  let description = "A wait names the copies that it waits for by their tokens. Loops may carry tokens.";
}

def Simt_ArrivalType : Simt_Type<"Arrival", "arrival"> {
  let summary = "the phase of a barrier object in which copies by hardware arrive, at the planned level";
  let description = [{
    `simt.copy_tile` returns it, and a `simt.wait_tiles` names it. Loops may carry arrivals. Below the planned level it
    is two i32: the number of the object in its array, and the phase's parity.
  }];
}

def Simt_FragmentType : Simt_Type<"Fragment", "fragment"> {
  let summary = "a matrix held by the lanes of one warp together";
  let description = [{
    A matrix of a product whose element mapping is opaque: it is loaded, multiplied and stored whole. `use` is its role
    in the product: left operand `a`, right operand `b`, or accumulator `acc`. A matrix whose element mapping is known
    is a register tile instead.

    ```mlir
    !simt.fragment<16x16xf16, a>
    !simt.fragment<16x16xf32, acc>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        "::tegula::simt::FragmentUse":$use);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// --- constraints ---

def Simt_RegisterTile : Type<CPred<"::tegula::simt::isRegisterTile($_self)">,
    "a vector of one dimension, or a tensor with a #layout.distributed encoding">;
def Simt_PlannedTile : Type<CPred<"::tegula::simt::isPlannedTile($_self)">,
    "a tensor with a #layout.distributed or #layout.fragments encoding">;
def Simt_Value : Type<CPred<"::tegula::tile::isNumberScalar($_self) || ::tegula::simt::isRegisterTile($_self)">,
    "a number or a register tile (a vector of one dimension, or a tensor with a #layout.distributed encoding)">;
def Simt_SharedValue : Type<CPred<"::tegula::tile::isNumberScalar($_self) || ::tegula::simt::isRegisterTile($_self) || "
                                  "::tegula::simt::isTileWithoutLayout($_self)">,
    "a number, a register tile, or a tensor before it gets a layout">;
def Simt_IntValue : Type<CPred<"::tegula::simt::isIndexValue($_self)">, "i32 or i64, or a vector of them">;
def Simt_SharedOffset : Type<CPred<"::tegula::simt::isSharedOffset($_self)">, "i32 or a vector of i32">;
def Simt_Mask : Type<CPred<"::tegula::tile::isBoolScalar($_self) || "
                           "::tegula::simt::isRegisterTileOf($_self, ::tegula::tile::isBoolScalar)">,
    "i1 or a register tile of i1">;

#endif
