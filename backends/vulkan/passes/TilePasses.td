// The Vulkan backend's passes on tiles.
#ifndef TEGULA_VULKAN_TILE_PASSES
#define TEGULA_VULKAN_TILE_PASSES

include "mlir/Pass/PassBase.td"

def LoadFragments : Pass<"tile-load-fragments"> {
  let summary = "lets matrix instructions load fragments of their operands from global memory";
  let description = [{
    For dots that tile-select-products marked. An operand is a matrix in memory if it is loaded right before the dot
    from addresses of the form base plus one step along each axis, where one step is 1. If its mask is true for all
    elements, the dot loads fragments of this matrix itself. A scalar condition, evaluated once for the tile, tests
    whether the mask is true everywhere and no 32-bit sum wraps; if not, the original load is executed.

    Before:
    ```mlir
    %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %c {simt.instruction = #instruction} : ...
    ```
    After:
    ```mlir
    %whole = ... // the last row and column of %m
    %d = scf.if %whole -> (tensor<64x64xf32>) {
      %a = tile.load_strided %base stride %s : !tile.ptr<f16> -> tensor<64x32xf16>
      %x = tile.dot %a, %b, %c {simt.instruction = #instruction} : ...
      scf.yield %x : tensor<64x64xf32>
    } else {
      %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
      ...
    }
    ```

    It does nothing to an operand that is loaded in another block, used twice, converted before the dot, batched, or
    smaller than a fragment; nor if an op between load and dot may write memory, or the matrix's lines are not known to
    begin at multiples of 16 bytes. Remarks of the topic `dot` list the operands, and give the reason for the others.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TEGULA_VULKAN_TILE_PASSES
