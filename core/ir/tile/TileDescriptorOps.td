// Accesses of blocks through tensor descriptors. Offsets are in elements and may lie outside of the tensor: a load
// returns the descriptor's padding for such elements, a store skips them.
#ifndef TEGULA_TILE_DESCRIPTOR_OPS
#define TEGULA_TILE_DESCRIPTOR_OPS

include "core/ir/tile/TileOpBase.td"

def Tile_MakeDescOp : Tile_Op<"make_desc", [Pure, AttrSizedOperandSegments]> {
  let summary = "describes a tensor in global memory";
  let description = [{
    The tensor `t[i, j, ..] = *(base + i * strides[0] + j * strides[1] + ..)` for `0 <= i < shape[0]`, and so on.
    Extents and strides are in elements; the last stride is 1.

    ```mlir
    %d = tile.make_desc %p, [%m, %k], [%sm, %one] : !tile.ptr<f16> -> !tile.desc<64x32xf16>
    %d = tile.make_desc %p, [%m, %k], [%sm, %one] padding(nan) : !tile.ptr<f16> -> !tile.desc<64x32xf16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<Tile_Padding, "Padding::Zero">:$padding);
  let results = (outs Tile_DescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` (`padding` `(` $padding^ `)`)? attr-dict `:`
    qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

class Tile_DescAxisOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_DescType:$desc, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$desc `axis` $axis attr-dict `:` qualified(type($desc))";
  let hasVerifier = 1;
}

def Tile_DescBaseOp : Tile_InferredOp<"desc_base", [Pure]> {
  let summary = "where a descriptor's tensor begins";
  let description = [{
    `result = base`: the address of the element whose indices are zero. This op and the three that follow read the parts
    of descriptors that are arguments of the kernel.

    ```mlir
    %p = tile.desc_base %d : !tile.desc<64x32xf16>        // !tile.ptr<f16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc);
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "$desc attr-dict `:` qualified(type($desc))";
}

def Tile_DescExtentOp : Tile_DescAxisOp<"desc_extent"> {
  let summary = "elements of a descriptor's tensor along an axis";
  let description = [{
    `result = shape[axis]`, not negative.

    ```mlir
    %m = tile.desc_extent %d axis 0 : !tile.desc<64x32xf16>        // i64
    ```
  }];
}

def Tile_DescStrideOp : Tile_DescAxisOp<"desc_stride"> {
  let summary = "distance of neighbours along an axis of a descriptor's tensor";
  let description = [{
    `result = strides[axis]`, in elements.

    ```mlir
    %s = tile.desc_stride %d axis 0 : !tile.desc<64x32xf16>        // i64
    ```
  }];
}

def Tile_DescPadsNanOp : Tile_Op<"desc_pads_nan", [Pure]> {
  let summary = "whether a descriptor reads NaN outside its tensor";
  let description = [{
    True if elements outside the tensor read as NaN, false if they read as zero; always false for integers.

    ```mlir
    %n = tile.desc_pads_nan %d : !tile.desc<64x32xf16>        // i1
    ```
  }];
  let arguments = (ins Tile_DescType:$desc);
  let results = (outs I1:$result);
  let assemblyFormat = "$desc attr-dict `:` qualified(type($desc))";
}

def Tile_DescLoadOp : Tile_Op<"desc_load", [MemoryEffects<[MemRead]>]> {
  let summary = "reads a block";
  let description = [{
    `result[i, j, ..] = t[offset0 + i, offset1 + j, ..]`. The result has the block's shape; leading axes of extent 1
    may be dropped from it.

    ```mlir
    %a = tile.desc_load %d[%i, %k] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$offsets);
  let results = (outs Tile_NumberTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::ValueRange":$offsets)>];
  let assemblyFormat = "$desc `[` $offsets `]` attr-dict `:` qualified(type($desc)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_DescStoreOp : Tile_Op<"desc_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a block";
  let description = [{
    `t[offset0 + i, offset1 + j, ..] = value[i, j, ..]` where that element exists. Leading axes of extent 1 may be
    missing from the value.

    ```mlir
    tile.desc_store %d[%i, %j], %v : !tile.desc<64x32xf16>, tensor<64x32xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc, Tile_NumberTensor:$value, Variadic<I32>:$offsets);
  let assemblyFormat = "$desc `[` $offsets `]` `,` $value attr-dict `:` qualified(type($desc)) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_DescGatherOp : Tile_InferredOp<"desc_gather", [MemoryEffects<[MemRead]>]> {
  let summary = "reads rows chosen one by one";
  let description = [{
    `result[i, j] = t[rows[i], column + j]`; the block is `1xC`.

    ```mlir
    %a = tile.desc_gather %d[%rows, %k] : !tile.desc<1x32xf16>, tensor<16xi32>        // tensor<16x32xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc, Tile_IntTensor:$rows, I32:$column);
  let results = (outs Tile_NumberTensor:$result);
  let assemblyFormat = "$desc `[` $rows `,` $column `]` attr-dict `:` qualified(type($desc)) `,` type($rows)";
}

def Tile_DescScatterOp : Tile_Op<"desc_scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes rows chosen one by one";
  let description = [{
    `t[rows[i], column + j] = value[i, j]` where that element exists; the block is `1xC`.

    ```mlir
    tile.desc_scatter %d[%rows, %k], %v : !tile.desc<1x32xf16>, tensor<16xi32>, tensor<16x32xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc, Tile_NumberTensor:$value, Tile_IntTensor:$rows, I32:$column);
  let assemblyFormat = [{
    $desc `[` $rows `,` $column `]` `,` $value attr-dict `:` qualified(type($desc)) `,` type($rows) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_DescAtomicOp : Tile_Op<"desc_atomic", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a block into memory";
  let description = [{
    `t[offset0 + i, ..] = kind(t[offset0 + i, ..], value[i, ..])` where that element exists, each element
    atomically, relaxed, at device scope.

    ```mlir
    tile.desc_atomic fadd %d[%i, %j], %v : !tile.desc<64x32xf32>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_DescType:$desc, Tile_NumberTensor:$value, Variadic<I32>:$offsets);
  let assemblyFormat = "$kind $desc `[` $offsets `]` `,` $value attr-dict `:` qualified(type($desc)) `,` type($value)";
  let hasVerifier = 1;
}

#endif
