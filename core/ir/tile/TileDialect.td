// The `tile` dialect: the meaning of a Triton-language kernel, independent of the target.
#ifndef TEGULA_TILE_DIALECT
#define TEGULA_TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tegula::tile";
  let summary = "whole-tile values, pointer tiles, no layouts, no target";
  let description = [{
    One program of a grid works on tiles: ranked tensors with static extents that are powers of two. Elementwise work is
    upstream `arith` and `math` on tensors and scalars, control flow is upstream `scf`, and a kernel is a `func.func`
    with the unit attribute `tile.kernel`. This dialect adds what upstream lacks: program ids, pointers and descriptors,
    memory, shape changes, reductions, matrix products, and the conversions of 8-bit floats.

    Attributes that the dialect gives a meaning to:

    | attribute | on | meaning |
    |---|---|---|
    | `tile.kernel` | `func.func` | unit: a grid of programs can run it |
    | `tile.conditions` | kernels | what the code needs of a launch (core/ir/tile/ConditionsAttr.h) |
    | `tile.apart` | kernels | pairs of pointers or descriptors whose memory must not overlap |
    | `tile.longest_first = 0 : i32` | kernels | programs were reversed on this axis: the first have most iterations |
    | `tile.depth_splits = 4 : i32` | kernels | parts that `tile-split-k` is to split the depth into |
    | `tile.grid_factor = 4 : i32` | kernels | programs along axis 0 for each of the grid that the caller asks for |
    | `tile.name = "x_ptr"` | its arguments | the parameter's name in the source |
    | `tile.divisibility = 16 : i64` | its arguments | a power of two that divides the value, or the address in bytes |
    | `tile.equals = 1 : i64` | its integer arguments | the value that each launch of this code passes |
    | `tile.nonnegative` | its integer arguments | unit: the value is at least 0 |
    | `tile.tensor` | its descriptor arguments | which tensor the launch describes (core/ir/tile/DerivedTensorAttr.h) |
    | `tile.workspace = 4096 : i64` | its pointer arguments | memory of the launch: bytes for each program |
    | `tile.zeroed` | such arguments | unit: the memory holds zeros, and does again when the launch has ended |
    | `tile.num_warps`, `tile.num_stages` : i32 | the module | 32 x num_warps threads; depth of software pipelines |
    | `tile.num_stages`, `tile.loop_unroll_factor` : i32 | `scf.for` | overrides for one loop |
    | `tile.flatten`, `tile.warp_specialize` | `scf.for` | units: hints |
    | `tile.disallow_acc_multi_buffer`, `tile.disable_licm` | `scf.for` | units: hints |

    The divisibilities and values that are still declared at the simt level become guards, which each launch checks.

    Example:

    ```mlir
    func.func @add(%x: !tile.ptr<f32> {tile.name = "x", tile.divisibility = 16 : i64}, %n: i32 {tile.name = "n"})
        attributes {tile.kernel} {
      %r = tile.make_range 0 to 64 : tensor<64xi32>
      %bound = tile.splat %n : i32 -> tensor<64xi32>
      %mask = arith.cmpi slt, %r, %bound : tensor<64xi32>
      %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
      %p = tile.addptr %base, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      %v = tile.load %p mask %mask : tensor<64x!tile.ptr<f32>>
      %s = arith.addf %v, %v : tensor<64xf32>
      tile.store %p, %s mask %mask : tensor<64x!tile.ptr<f32>>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerOps();
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

#endif
