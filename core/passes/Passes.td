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

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "says for every tensor which thread holds which element";
  let description = [{
    From the tile to the planned level: each tensor type of a kernel gets a `#layout.distributed`, an element that changes
    hands goes through `simt.convert_layout`, and kernels say how many threads run them. Loads and stores move full
    vectors, a warp's accesses whole lines. Ranges, splats and what is computed of them is not converted but made again in
    each layout that is asked for. Branches and loops are marked: conditions of the tile level are one scalar for the
    program, so all threads agree; those within a `tile.map_elementwise`, `tile.reduce` or `tile.scan` are each thread's.

    Before (2 warps of 4 lanes):
    ```mlir
    %r = tile.make_range 0 to 32
    %p = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %v = tile.load %p : tensor<32x!tile.ptr<f32>>
    ```
    After, where %base is aligned:
    ```mlir
    #l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
    %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
    %p = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
    %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
    ```

    It does nothing with functions that are no kernels, and with kernels that have layouts already.
  }];
  let options = [
    Option<"warpSize", "warp-size", "int64_t", "32", "lanes of a warp, a power of two">,
    Option<"threadsPerWarp", "threads-per-warp", "int64_t", "32", "threads for each of the module's tile.num_warps">,
  ];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def TileToSimt : Pass<"tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "says what one thread does";
  let description = [{
    From the planned to the simt level. A tensor becomes the vector of registers that its layout gives a thread, a tensor of
    pointers a base address and offsets. Threads exchange elements by shuffles within a warp and through shared buffers
    beyond; the buffers have no place yet and no barriers stand between accesses.

    Before (2 warps of 4 lanes, #l as in tile-assign-layouts):
    ```mlir
    %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
    %s = tile.reduce(%v) axis 0 : (tensor<32xf32, #l>) -> f32 { ... }
    ```
    After:
    ```mlir
    %v = simt.load %base[%offset] : !tile.ptr<f32>, vector<1xi32> -> vector<4xf32>
    %a = arith.addf ...                              // registers: 4, 2, 1
    %b = simt.shuffle xor %a, %c1 : vector<1xf32>    // lanes
    simt.shared_store %t[%thread], %c : ...          // warps
    %d = simt.shared_load %t[%peer] : ...
    ```

    It does nothing with functions that have no layouts.
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152", "shared memory that one exchange may use">,
  ];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif
