// Program ids, ranges, and changes of shape.
#ifndef TEGULA_TILE_SHAPE_OPS
#define TEGULA_TILE_SHAPE_OPS

include "core/ir/tile/TileOpBase.td"

class Tile_GridOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id"> {
  let summary = "index of this program along one axis of the grid";
  let description = [{
    `result = index of the running program along grid axis 'axis'`, from 0 to `num_programs - 1`.

    ```mlir
    %pid = tile.program_id 0
    ```
  }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs"> {
  let summary = "number of programs along one axis of the grid";
  let description = [{
    `result = extent of the grid along 'axis'`.

    ```mlir
    %n = tile.num_programs 1
    ```
  }];
}

def Tile_MakeRangeOp : Tile_Op<"make_range", [Pure, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "consecutive integers";
  let description = [{
    `result[i] = start + i` for `0 <= i < end - start`, a power of two.

    ```mlir
    %r = tile.make_range 0 to 64        // tensor<64xi32>
    %r = tile.make_range 0 to 64 : tensor<64xi32, #l>        // at the planned level
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Tile_IntTensor:$result);
  let assemblyFormat = "$start `to` $end attr-dict custom<RangeType>(ref($start), ref($end), type($result))";
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tensor of one scalar";
  let description = [{
    `result[i, ...] = src`.

    ```mlir
    %t = tile.splat %x : f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Scalar:$src);
  let results = (outs Tile_Tensor:$result);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src)>];
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_InferredOp<"expand_dims", [Pure]> {
  let summary = "inserts an axis of extent 1";
  let description = [{
    `result[.., 0, ..] = src[..]`, the new axis standing at `axis` of the result.

    ```mlir
    %c = tile.expand_dims %r axis 1 : tensor<64xi32>        // tensor<64x1xi32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src `axis` $axis attr-dict `:` type($src)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats axes of extent 1";
  let description = [{
    `result[i, j, ..] = src[i', j', ..]` with `i' = 0` where src's extent is 1 and `i' = i` elsewhere. The rank stays.

    ```mlir
    %b = tile.broadcast %c : tensor<64x1xi32> -> tensor<64x32xi32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src);
  let results = (outs Tile_Tensor:$result);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src)>];
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "another shape for the same elements";
  let description = [{
    Row-major order is kept: `result[k] = src[k]` for the linear index `k`. With `allow_reorder` any permutation of the
    elements is a correct result, which a target may use to avoid moving data.

    ```mlir
    %m = tile.reshape %v : tensor<64xf32> -> tensor<8x8xf32>
    %m = tile.reshape %v allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, UnitAttr:$allow_reorder);
  let results = (outs Tile_Tensor:$result);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src,
                                 CArg<"bool", "false">:$allowReorder)>];
  let assemblyFormat = "$src (`allow_reorder` $allow_reorder^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_TransOp : Tile_InferredOp<"trans", [Pure]> {
  let summary = "permutes the axes";
  let description = [{
    Axis `k` of the result is axis `order[k]` of the source: `result.shape[k] = src.shape[order[k]]`.

    ```mlir
    %t = tile.trans %a order [1, 0] : tensor<64x32xf16>        // tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src `order` $order attr-dict `:` type($src)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_JoinOp : Tile_InferredOp<"join", [Pure]> {
  let summary = "two tensors side by side in a new last axis";
  let description = [{
    `result[.., 0] = lhs[..]`, `result[.., 1] = rhs[..]`. Two scalars give a tensor of extent 2.

    ```mlir
    %j = tile.join %a, %b : tensor<64xf32>        // tensor<64x2xf32>
    ```
  }];
  let arguments = (ins Tile_Value:$lhs, Tile_Value:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<OneType>(type($lhs), type($rhs))";
}

def Tile_SplitOp : Tile_InferredOp<"split", [Pure]> {
  let summary = "takes a last axis of extent 2 apart";
  let description = [{
    `lhs[..] = src[.., 0]`, `rhs[..] = src[.., 1]`. The inverse of `tile.join`.

    ```mlir
    %a, %b = tile.split %j : tensor<64x2xf32>        // tensor<64xf32>, twice
    ```
  }];
  let arguments = (ins Tile_Tensor:$src);
  let results = (outs Tile_Value:$lhs, Tile_Value:$rhs);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasFolder = 1;
}

def Tile_CatOp : Tile_InferredOp<"cat", [Pure]> {
  let summary = "one rank-1 tensor after another";
  let description = [{
    `result[i] = lhs[i]` for `i < n`, `result[n + i] = rhs[i]`, `n` being the extent of each.

    ```mlir
    %c = tile.cat %a, %b : tensor<64xf32>        // tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<OneType>(type($lhs), type($rhs))";
}

#endif
