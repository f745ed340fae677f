// The dialect's two types, and the constraints on operands that ops use.
#ifndef TEGULA_TILE_TYPES
#define TEGULA_TILE_TYPES

include "core/ir/tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "address of an element in global memory";
  let description = [{
    A 64-bit byte address. The pointee is a scalar or another pointer; its size is the step of `tile.addptr`, and it is
    the type that `tile.load` reads.

    ```mlir
    !tile.ptr<f32>
    !tile.ptr<!tile.ptr<f16>>
    tensor<64x!tile.ptr<i8>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Tile_DescType : Tile_Type<"Desc", "desc"> {
  let summary = "descriptor of a tensor in global memory, read and written in blocks";
  let description = [{
    Base address, extents and strides of a tensor, together with the shape of the block that one access moves.

    ```mlir
    !tile.desc<64x64xf16>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let builders = [TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
                                                      "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), shape, elementType);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The tensor that one access moves.
    ::mlir::RankedTensorType getBlockType() const {
      return ::mlir::RankedTensorType::get(getShape(), getElementType());
    }
  }];
}

// --- constraints ---

def Tile_Int : Type<CPred<"::tegula::tile::isIntScalar($_self)">, "i1, i8, i16, i32 or i64">;
def Tile_Float : Type<CPred<"::tegula::tile::isFloatScalar($_self)">,
                      "f16, bf16, f32, f64 or an 8-bit float (E4M3FN, E5M2 or their FNUZ forms)">;
def Tile_Scalar : Type<CPred<"::tegula::tile::isScalar($_self)">, "integer, float or pointer scalar">;

class Tile_TensorOf<string predicate, string element>
    : Type<CPred<"::tegula::tile::isTensorOf($_self, " # predicate # ")">,
           "tensor of " # element # " with power-of-two extents and at most 1048576 elements",
           "::mlir::RankedTensorType">;
class Tile_ScalarOrTensorOf<string predicate, string element>
    : Type<CPred<"(" # predicate # "($_self) || ::tegula::tile::isTensorOf($_self, " # predicate # "))">,
           element # ", or a tensor of it with power-of-two extents and at most 1048576 elements">;

def Tile_Tensor : Tile_TensorOf<"::tegula::tile::isScalar", "integers, floats or pointers">;
def Tile_IntTensor : Tile_TensorOf<"::tegula::tile::isIntScalar", "integers">;
def Tile_NumberTensor : Tile_TensorOf<"::tegula::tile::isNumberScalar", "integers or floats">;
def Tile_BoolTensor : Tile_TensorOf<"::tegula::tile::isBoolScalar", "i1">;
def Tile_Value : Tile_ScalarOrTensorOf<"::tegula::tile::isScalar", "integer, float or pointer">;
def Tile_NumberLike : Tile_ScalarOrTensorOf<"::tegula::tile::isNumberScalar", "integer or float">;
def Tile_IntLike : Tile_ScalarOrTensorOf<"::tegula::tile::isIntScalar", "integer">;
def Tile_FloatLike : Tile_ScalarOrTensorOf<"::tegula::tile::isFloatScalar", "float">;
def Tile_PtrLike : Tile_ScalarOrTensorOf<"::tegula::tile::isPtrScalar", "!tile.ptr">;
def Tile_BoolLike : Tile_ScalarOrTensorOf<"::tegula::tile::isBoolScalar", "i1">;

#endif
