// Our own passes. Each is a page: what it does with IR before and after.
#ifndef TEGULA_PASSES
#define TEGULA_PASSES

include "mlir/Pass/PassBase.td"

def FuseDot : Pass<"tile-fuse-dot"> {
  let summary = "lets tile.dot accumulate what is added to its result";
  let description = [{
    `c + dot(a, b, 0)` becomes `dot(a, b, c)`: matrix units accumulate for free, and a loop's `acc += tl.dot(a, b)` then
    carries its accumulator through the unit.

    Before:
    ```mlir
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tile.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %sum = arith.addf %acc, %d : tensor<64x64xf32>
    ```
    After:
    ```mlir
    %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    ```

    It does nothing where the product has another use, where its accumulator is not zero, and where the accumulator's
    type is narrower than f32, because the sum would then be rounded once instead of twice. Integer sums (`arith.addi`)
    are exact either way.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

#endif
