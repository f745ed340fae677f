// Ops on whole tiles: products, reductions, scans, permutations; and conversions between float types.
#ifndef TEGULA_TILE_COMPUTE_OPS
#define TEGULA_TILE_COMPUTE_OPS

include "core/ir/tile/TileOpBase.td"

def Tile_DotOp : Tile_InferredOp<"dot", [Pure]> {
  let summary = "matrix product with accumulator";
  let description = [{
    `result[i, j] = c[i, j] + sum over k of a[i, k] * b[k, j]`, and the same for each index of a leading batch axis.
    Floats accumulate in f32 (f64 in f64) and are rounded once to c's type; i8 operands accumulate into i32 exactly.
    The precision says how f32 operands may be rounded; `max_num_imprecise_acc` is the largest number of products of
    8-bit floats that may be summed before the sum is added to the accumulator (0: the target decides).

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d = tile.dot %a, %b, %c precision(tf32) : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Tile_NumberTensor:$a, Tile_NumberTensor:$b, Tile_NumberTensor:$c,
                       DefaultValuedAttr<Tile_InputPrecision, "InputPrecision::Ieee">:$input_precision,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$max_num_imprecise_acc);
  let results = (outs Tile_NumberTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`precision` `(` $input_precision^ `)`)? (`max_imprecise` `(` $max_num_imprecise_acc^ `)`)?
    attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

class Tile_CombineOp<string mnemonic> : Tile_InferredOp<mnemonic,
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let regions = (region SizedRegion<1>:$combine);
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_CombineOp<"reduce"> {
  let summary = "combines all elements along an axis";
  let description = [{
    `result[..] = src[.., 0, ..] (+) src[.., 1, ..] (+) ...` along `axis`. (+) is the region's operation, which is
    associative. Its arguments are scalars: one accumulator for each operand, then one element for each operand. The
    result does not have the axis; for an operand of rank 1 it is a scalar. Elements are combined in the order of the
    axis, but it is not specified which neighbours are combined first. If (+) is known to commute (`commutes`), they may
    be combined in any order. `any_order`: any order is allowed, even if the result depends on it.

    ```mlir
    %s = tile.reduce(%x) axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%acc: f32, %e: f32):
      %sum = arith.addf %acc, %e : f32
      tile.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis, UnitAttr:$any_order);
  let results = (outs Variadic<Tile_Value>:$results);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int64_t":$axis, "::tegula::tile::CombineBody":$body)>];
  let assemblyFormat = [{
    `(` $srcs `)` `axis` $axis (`any_order` $any_order^)? attr-dict `:` functional-type($srcs, $results) $combine
  }];
  let extraClassDeclaration = [{
    /// True if elements may be combined in any order: by `any_order`, or because the function is proved to commute, bit
    /// for bit or, if it computes with floats, up to rounding (CombineOrder.cpp).
    bool commutes();
    /// True if the function is a single commutative op on its two arguments.
    bool isOneCommutativeOp();
  }];
}

def Tile_ScanOp : Tile_CombineOp<"scan"> {
  let summary = "running combinations along an axis";
  let description = [{
    `result[.., i, ..] = src[.., 0, ..] (+) ... (+) src[.., i, ..]` along `axis` (inclusive), or from the end with
    `reverse`. The region has the arguments of `tile.reduce`; its operation is associative.

    ```mlir
    %c = tile.scan(%x) axis 0 reverse : (tensor<64xi32>) -> tensor<64xi32> {
    ^bb0(%acc: i32, %e: i32):
      %sum = arith.addi %acc, %e : i32
      tile.yield %sum : i32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int64_t":$axis, "bool":$reverse,
                                 "::tegula::tile::CombineBody":$body)>];
  let assemblyFormat = [{
    `(` $srcs `)` `axis` $axis (`reverse` $reverse^)? attr-dict `:` functional-type($srcs, $results) $combine
  }];
}

def Tile_MapElementwiseOp : Tile_Op<"map_elementwise",
    [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "runs a scalar function on every element";
  let description = [{
    `result_k[i, ..] = f_k(src_0[i, ..], src_1[i, ..], ..)`. The region works on scalars and may branch (`scf`).

    ```mlir
    %r = tile.map_elementwise(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %b : f32
      tile.yield %m : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $srcs `)` attr-dict `:` functional-type($srcs, $results) $body";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ParentOneOf<["ReduceOp", "ScanOp", "MapElementwiseOp"]>]> {
  let summary = "ends the region of a reduce, scan or map_elementwise";
  let description = [{
    Gives the region's values, one scalar for each result of the surrounding op.

    ```mlir
    tile.yield %sum : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tile_GatherOp : Tile_InferredOp<"gather", [Pure]> {
  let summary = "picks elements along an axis";
  let description = [{
    `result[.., i, ..] = src[.., indices[.., i, ..], ..]`, with the index at position `axis`. Source and indices have
    the same rank and the same extents along all other axes. An index outside the axis is an error of the program.

    ```mlir
    %g = tile.gather %x[%i] axis 0 : tensor<64xf32>, tensor<32xi32>        // tensor<32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, Tile_IntTensor:$indices, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` `axis` $axis attr-dict `:` type($src) `,` type($indices)";
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "counts how often each value occurs";
  let description = [{
    `result[v] = number of i with src[i] == v (and mask[i])` for `0 <= v < bins`, the result's extent. Other values are
    not counted.

    ```mlir
    %h = tile.histogram %x : tensor<1024xi32> -> tensor<256xi32>
    %h = tile.histogram %x mask %m : tensor<1024xi32> -> tensor<256xi32>
    ```
  }];
  let arguments = (ins Tile_IntTensor:$src, Optional<Tile_BoolTensor>:$mask);
  let results = (outs Tile_IntTensor:$result);
  let assemblyFormat = [{
    $src (`mask` $mask^)? attr-dict `:` custom<HistogramTypes>(ref($mask), type($src), type($mask), type($result))
  }];
  let hasVerifier = 1;
}

def Tile_SortOp : Tile_InferredOp<"sort", [Pure]> {
  let summary = "sorts along the last axis";
  let description = [{
    Each row of the last axis in ascending order, or descending. `signed` says how integers compare. NaNs stand at the
    end of an ascending row and at the beginning of a descending one.

    ```mlir
    %s = tile.sort %x descending signed : tensor<4x64xi32>
    ```
  }];
  let arguments = (ins Tile_NumberTensor:$src, UnitAttr:$descending, UnitAttr:$is_signed);
  let results = (outs Tile_NumberTensor:$result);
  let assemblyFormat = "$src (`descending` $descending^)? (`signed` $is_signed^)? attr-dict `:` type($src)";
}

/// At the simt level, the operands are registers of a thread.
def Tile_FloatOrVector : AnyTypeOf<[Tile_FloatLike, VectorOfNonZeroRankOf<[AnyFloat]>],
                                   "float, or a tensor or vector of it">;

def Tile_FpCastOp : Tile_Op<"fp_cast", [Pure]> {
  let summary = "converts between float types";
  let description = [{
    `result = round(src)` to the result's type: exact where it widens, to the nearest even (`rtne`) or towards zero
    (`rtz`) where it narrows. Conversions to 8-bit floats saturate with both roundings: infinities and numbers beyond
    the range become the largest finite number, and NaN stays NaN. They stay this op at the simt level, too, because
    `arith.truncf`, whose folder does not saturate, would mean something else.

    ```mlir
    %h = tile.fp_cast %x : tensor<64xf32> -> tensor<64xf16>
    %q = tile.fp_cast %x rounding(rtz) : f32 -> f8E4M3FN
    ```
  }];
  let arguments = (ins Tile_FloatOrVector:$src,
                       DefaultValuedAttr<Tile_RoundingMode, "RoundingMode::NearestEven">:$rounding);
  let results = (outs Tile_FloatOrVector:$result);
  let assemblyFormat = "$src (`rounding` `(` $rounding^ `)`)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_FunctionOp : Tile_Op<"function", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "a function of floats that upstream's dialects lack";
  let description = [{
    `result = kind(args...)` for each element. `hypot` takes two arguments, `fma_rd`, `fma_ru` and `fma_rz`
    (`x * y + z` rounded once: down, up, towards zero) take three, all others one. docs/math.md has the errors.

    ```mlir
    %c = tile.function erfc(%x) : tensor<64xf32>
    %h = tile.function hypot(%x, %y) : f64
    ```
  }];
  let arguments = (ins Tile_FunctionKind:$kind, Variadic<Tile_FloatOrVector>:$args);
  let results = (outs Tile_FloatOrVector:$result);
  let assemblyFormat = "$kind `(` $args `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of arguments of a function.
    static unsigned arity(FunctionKind kind);
  }];
}

#endif
