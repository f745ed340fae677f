// The CUDA backend's passes on tiles: what other targets do not gain from, or cannot do.
#ifndef TEGULA_CUDA_TILE_PASSES
#define TEGULA_CUDA_TILE_PASSES

include "mlir/Pass/PassBase.td"

def RelaxNarrowed : Pass<"tile-relax-narrowed", "::mlir::ModuleOp"> {
  let summary = "allows faster f32 arithmetic for results that are only used rounded to 16 bits or fewer";
  let description = [{
    An f32 result that is only used rounded to f16, bf16 or 8 bits need not be
    right to its last bits. The pass follows the uses of each exponential, sum and difference of f32 through ops that
    move, select, negate, multiply, divide or add, until all of them end in such a rounding. Uses of sums and
    differences are also followed out of branches and around loops.

    - `math.exp` gets the flag `afn` if its relative error cannot grow on the way: its result is only added to values
      that are not negative, and multiplied or divided at most three times.
    - Sums and differences, and the products of a single use that they add, get the flag `contract`: the product need
      not be rounded before it is added, so the error's bound becomes smaller. Not changed are sums and differences of
      two products, because equal products must cancel, and ops that must be rounded separately (`tile.rounded`, of
      libdevice's `mul_rn` and similar functions).

    - A difference that is only used as the argument of `math.exp` or `math.exp2`, and whose minuend is a product with
      one number for all elements, gets the flag `contract` together with its product. This holds for any use of the
      exponential, and even if maxima of the product are also taken: `exp2(score * scale - largest)`. All exponents of a
      row then have the same error, that of `largest`, which cancels in the quotients of the exponentials.
      `simt-fold-scales` depends on this flag.

    A `tile.reduce` by addition whose operand is a product with no other use gets the flag `contract` together with the
    product, for any use of its sum: like a `tile.dot`, it need not round the products before it adds them, and the
    order of its additions is not fixed either.

    Before:
    ```mlir
    %e = math.exp %x : tensor<64xf32>
    %s = tile.reduce(%e) axis 0 : (tensor<64xf32>) -> f32 { ... arith.addf ... }
    %q = arith.divf %e, (splat %s) : tensor<64xf32>
    %y = tile.fp_cast %q : tensor<64xf32> -> tensor<64xf16>
    ```
    After:
    ```mlir
    %e = math.exp %x fastmath<afn> : tensor<64xf32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WholeMasks : Pass<"tile-whole-masks", "::mlir::ModuleOp"> {
  let summary = "adds to masks near products a scalar condition under which the whole mask is true";
  let description = [{
    In an attention, the masks of scores are true for all elements, except in blocks at
    the diagonal or at an edge. If the mask of an `arith.select` in a loop with one or two products consists of limits
    along its axes (core/passes/analysis/LinearForm.h), the pass computes a scalar condition: the mask is true at the
    block's corners, and therefore everywhere. It adds the condition by `or`, which changes no element.
    `simt-branch-on-masks` later makes a branch of it; until then the select is an ordinary elementwise op.

    Before:
    ```mlir
    %s = arith.select %visible, %score, %low : tensor<128x128xi1>, tensor<128x128xf32>
    ```
    After:
    ```mlir
    %whole = tile.splat %all : i1 -> tensor<128x128xi1>
    %either = arith.ori %visible, %whole : tensor<128x128xi1>
    %s = arith.select %either, %score, %low : tensor<128x128xi1>, tensor<128x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DescribeLoads : Pass<"tile-describe-loads", "::mlir::ModuleOp"> {
  let summary = "replaces loads through pointers by loads through descriptors, which hardware can copy";
  let description = [{
    For targets whose hardware copies blocks of described tensors (`copies_tiles`), after tile-select-products. Rewrites
    innermost loops of the kernel's body: all loads that feed products by instructions on shared memory become loads
    through descriptors, if hardware can copy all of them (tile-mark-tile-copies) and each load reads a block of a
    tensor. A load reads a block of a tensor under these conditions:

    - its addresses are a pointer argument plus positions times strides; strides are products of arguments, and one
      stride is 1;
    - its mask consists of upper limits along its axes: an extent, which is a product of arguments, minus the position;
    - its masked elements are 0.

    Rows that wrap by `% n` form such a block if the block's extent divides n and the position. A stride without a
    limit, such as a batch's stride, becomes an axis of its own.

    The descriptor is a new argument, which the launch derives (`tile.tensor`; core/contracts/DerivedTensor.h).
    Positions must not be negative, unless their computation wraps: the code is conditional on that (`tile.conditions`).

    If a loop was rewritten, a load in the kernel's body whose block a product reads also becomes a load through a
    descriptor. Conditions: hardware can copy it once (tile-mark-tile-copies), it is neither transposed nor wrapped, and
    no position needs a test of its sign.

    Before:
    ```mlir
    scf.for %k = %c0 to %n step %c1 iter_args(%p = %a) : i32 {
      %pointers = ... %p + %rows * %stride + %columns
      %x = tile.load %pointers mask %inside : tensor<128x64x!tile.ptr<f16>>
    ```
    After:
    ```mlir
    func.func @k(..., %d: !tile.desc<128x64xf16> {tile.tensor = {pointer = 0 : i64, axes = [...]}}) {
    scf.for %k = %c0 to %n step %c1 : i32 {
      %column = arith.muli %k, %c64
      %x = tile.desc_load %d[%row, %column] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
  }];
}

def DescribeStores : Pass<"tile-describe-stores", "::mlir::ModuleOp"> {
  let summary = "replaces a store through pointers by a store through a descriptor, which hardware can copy";
  let description = [{
    After tile-describe-loads, in kernels with loads through descriptors in loops. The kernel's only store through
    pointers becomes a store through a descriptor, an argument that the launch derives. Conditions:

    - it is in the kernel's body and writes a block of a tensor (as in tile-describe-loads), neither transposed nor with
      wrapped rows;
    - its address and its strides are known to be multiples of 16 bytes;
    - threads load nothing from the same array, and hardware can copy the block out (tile-mark-tile-copies);
    - if the value is computed from a block that threads load, such as a residual: the block is combined with the value
      element by element, can be read by rows in vectors of 16 bytes, and fits a thread's registers together with the
      value. (Other loads are faster in the layout of a store by threads.)

    Before:
    ```mlir
    tile.store %pointers, %x mask %inside : tensor<128x64x!tile.ptr<f16>>
    ```
    After:
    ```mlir
    tile.desc_store %d[%row, %column], %x : !tile.desc<128x64xf16>, tensor<128x64xf16>
    ```
  }];
}

def LongestFirst : Pass<"tile-longest-first", "::mlir::ModuleOp"> {
  let summary = "gives programs with more iterations lower numbers, so that they start first";
  let description = [{
    For devices that start programs in the order of their numbers, axis 0 fastest. If a loop has more
    iterations the later a program is along an axis of the grid, as in an attention with a causal mask, the programs
    along this axis are numbered from its end. The programs that start last are then short, and fewer multiprocessors
    are idle at the end. Programs of a grid run in any order, so no guard is needed. A kernel is left unchanged if the
    order could be observed or a program could wait for another: if it has atomics, volatile loads, barriers, prints,
    assertions, or `while`. The kernel gets `tile.longest_first`, the axis.

    Before:
    ```mlir
    %m = tile.program_id 0 : i32
    %end = arith.muli %m, %c128 : i32
    scf.for %i = %c0 to %end step %c64 { ... }
    ```
    After:
    ```mlir
    %p = tile.program_id 0 : i32
    %n = tile.num_programs 0 : i32
    %m = arith.subi (arith.subi %n, %c1), %p : i32
    %end = arith.muli %m, %c128 : i32
    scf.for %i = %c0 to %end step %c64 { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RotateRanges : Pass<"tile-rotate-ranges", "::mlir::ModuleOp"> {
  let summary = "rotates the elements of rows so that accesses begin at aligned addresses";
  let description = [{
    For targets with `narrows_edges`. Concerns rows that begin at an address that is only known to be a multiple of the
    element size. Such a row has no aligned accesses of several elements, because each thread's elements begin at an
    unknown address. Elementwise ops, loads, stores and reductions of the whole row do not depend on which thread has
    which element. So the range that numbers the elements may be rotated, by the number of elements between the last
    multiple of `bytes` and the row's begin. The elements of each thread then begin at an aligned address,
    except in the one group in which the range wraps. Loads and stores stay wide; the group that wraps, and groups that
    are cut by a mask, are accessed element by element (docs/passes/edges.md).

    Before (%row: a scalar address of unknown alignment):
    ```mlir
    %r = tile.make_range 0 to 1024
    %p = tile.addptr (splat %row), %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    ```
    After, with `bytes` of 128:
    ```mlir
    %address = tile.ptr_to_int %row : !tile.ptr<f16> -> i64
    %behind = arith.andi (trunci %address), 127 : i32
    %shift = arith.shrui %behind, 1 : i32                       // in elements
    %moved = arith.subi %r, (splat %shift) : tensor<1024xi32>
    %rotated = arith.andi %moved, dense<1023> : tensor<1024xi32>
    %p = tile.addptr (splat %row), %rotated : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    ```

    All uses of the range change. A kernel may use the same range to load a row at an aligned argument that is the same
    for all programs, such as weights. The accesses to that row can then no longer be wide. In this case `bytes`
    is replaced by the bytes that a warp accesses at once with one element a lane, if these are fewer.

    It does nothing if a value computed from the range reaches an op for which the order of elements matters (a scan, a
    sort, a shape change, a reduction with an operation that does not commute, an atomic, a hint), if another row whose
    address is known to be aligned is accessed with the same range, or if threads have one element each. Sums of floats
    are added in another order, which depends on the address.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect"];
  let options = [Option<"bytes", "bytes", "int64_t", "128",
                        "a power of two: accesses begin at multiples of this number, where a warp's access of 512 "
                        "bytes then touches 4 cache lines of 128 bytes instead of 5">];
}

def DeferSums : Pass<"tile-defer-sums", "::mlir::ModuleOp"> {
  let summary = "lets a loop carry a total as one partial total for each thread, and adds these after the loop";
  let description = [{
    Runs after tile-assign-layouts. Rewrites loop-carried f32 or f64 totals to which the
    loop adds sums along an axis, such as the denominator of an online softmax. Each thread adds its own elements only,
    and these partial totals are added after the loop, so that iterations exchange no data for them. Before the
    addition, the total may be multiplied by `exp(m - max(m, ...))`, or the same with `exp2`: a factor from 0 to 1.

    Neither the elements nor the total's initial value may be negative; that must follow from their computation
    (exponentials, squares). Then no partial total is larger than the total, and if a partial total is infinite or NaN,
    so is the total. A total that overflows may stay finite in partial totals. Additions are in another order, which
    tile.reduce leaves open, and each partial total is multiplied instead of their sum. All rounded numbers are still
    not negative, so, apart from underflow, the relative error has the same bound. Totals with ops that must be rounded
    separately (`tile.rounded`) are not rewritten.

    tile.reshape divides the coordinates along the axis into the ones that a thread's registers hold and the ones that
    different threads hold. The first partial total begins with the total's initial value, the others with 0. A total is
    not rewritten if threads hold the axis by bits of the coordinate that are not consecutive (example: bits 0 and 2),
    or if it has other uses in the loop.

    Before, where four lanes divide the axis:
    ```mlir
    #l = #layout.distributed<register (0,1) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>
    %r = scf.for ... iter_args(%total = %zeros) -> (tensor<8xf32, #line>) {
      %s = tile.reduce(%e) axis 1 : (tensor<8x16xf32, #l>) -> tensor<8xf32, #line> { ... }
      %t = arith.mulf %total, %factor : tensor<8xf32, #line>
      %n = arith.addf %t, %s : tensor<8xf32, #line>
      scf.yield %n : tensor<8xf32, #line>
    }
    ```
    After:
    ```mlir
    #partial = #layout.distributed<lane (0,1) (0,2) (1,0) (2,0) (4,0)>
    %p = scf.for ... iter_args(%total = %zeros) -> (tensor<8x4xf32, #partial>) {
      %d = tile.reshape %e : tensor<8x16xf32, #l> -> tensor<8x2x4x2xf32, #d>
      %s0 = tile.reduce(%d) axis 3 : (tensor<8x2x4x2xf32, #d>) -> tensor<8x2x4xf32, #s> { ... }
      %s = tile.reduce(%s0) axis 1 : (tensor<8x2x4xf32, #s>) -> tensor<8x4xf32, #partial> { ... }
      %f = ... %factor, repeated : tensor<8x4xf32, #partial>
      %t = arith.mulf %total, %f : tensor<8x4xf32, #partial>
      %n = arith.addf %t, %s : tensor<8x4xf32, #partial>
      scf.yield %n : tensor<8x4xf32, #partial>
    }
    %r = tile.reduce(%p) axis 1 : (tensor<8x4xf32, #partial>) -> tensor<8xf32, #line> { ... }
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // TEGULA_CUDA_TILE_PASSES
