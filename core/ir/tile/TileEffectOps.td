// Ops with effects beyond their results: prints, assertions, barriers; and promises to the compiler.
#ifndef TEGULA_TILE_EFFECT_OPS
#define TEGULA_TILE_EFFECT_OPS

include "core/ir/tile/TileOpBase.td"

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints values from the device";
  let description = [{
    One line for each element: the program's ids, the element's index, the prefix and the value of each operand. `hex`
    prints the bits; `is_signed` says for each operand whether its integers are signed.

    ```mlir
    tile.print "x: " is_signed [true](%x) : tensor<64xi32>
    tile.print "x: " hex is_signed [false](%x) : tensor<64xi32>
    tile.print "here"
    ```
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<Tile_Value>:$values,
                       DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$is_signed);
  let assemblyFormat = [{
    $prefix (`hex` $hex^)? (`is_signed` $is_signed^)? attr-dict (`(` $values^ `)` `:` type($values))?
  }];
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "makes the launch fail if a condition is false";
  let description = [{
    The launch fails with the message if any element of the condition is false.

    ```mlir
    tile.assert %c, "n must be positive" : tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "promises that a condition holds";
  let description = [{
    The compiler may rely on it; a program in which it is false has no meaning (checked mode: a fault).

    ```mlir
    tile.assume %c : i1
    ```
  }];
  let arguments = (ins Tile_BoolLike:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the program wait for each other";
  let description = [{
    Accesses before it are visible to all threads of this program after it.

    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_MayNotEndOp : Tile_Op<"may_not_end", [MemoryEffects<[MemWrite]>]> {
  let summary = "keeps a loop that may never end";
  let description = [{
    Stands in the body of each `while` of the language, down to the simt level, except those that tile-count-loops makes
    for loops of, because their number of iterations is known. A loop that writes nothing and whose
    results are not used may still be endless; this op's effect keeps passes from removing it. No code is generated for
    it.

    ```mlir
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %again = arith.cmpi ne, %i, %n : i32
      scf.condition(%again) %i : i32
    } do {
    ^bb0(%i: i32):
      tile.may_not_end
      scf.yield %i : i32
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_HintOp : Tile_InferredOp<"hint", [Pure]> {
  let summary = "promises facts about a value";
  let description = [{
    `result = src`. Along axis `k`: groups of `contiguity[k]` elements are consecutive, the first of each group is
    divisible by `divisibility[k]`, and groups of `constancy[k]` elements are equal. A scalar has one entry. Each entry
    is a power of two.

    ```mlir
    %o = tile.hint %x divisibility [16] contiguity [64] : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_Value:$src, OptionalAttr<DenseI64ArrayAttr>:$divisibility,
                       OptionalAttr<DenseI64ArrayAttr>:$contiguity, OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $src (`divisibility` $divisibility^)? (`contiguity` $contiguity^)? (`constancy` $constancy^)?
    attr-dict `:` type($src)
  }];
  let hasVerifier = 1;
}

#endif
