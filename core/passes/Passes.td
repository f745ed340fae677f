// The passes of the tile and planned levels. Each has a description with IR before and after.
#ifndef TEGULA_PASSES
#define TEGULA_PASSES

include "core/passes/LoopPasses.td"
include "core/passes/TilePasses.td"
include "mlir/Pass/PassBase.td"

def PlanProducts : Pass<"tile-plan-products", "::mlir::ModuleOp"> {
  let summary = "puts operands that matrix instructions read from shared memory into buffers";
  let description = [{
    For dots whose matrix instruction reads B, or A and B, from shared memory. Such an operand is stored to a shared
    buffer, in the order that it has in global memory; a transposed operand is a view. Where the left operand comes from
    another product, through ops on single elements, it stays in registers; where its elements have 8 or 32 bits and lie
    across the depth, it is loaded into registers from its buffer (`simt.shared_load`). The dot becomes `simt.product`,
    which the warps start and do not wait for, and the wait right after it; tile-pipeline-copies may move the wait.

    Before:
    ```mlir
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %bt = tile.trans %b [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %bt, %c {simt.instruction = #group} : ...
    ```
    After:
    ```mlir
    #sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
    %sa = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
    simt.shared_store %sa, %a : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async                    // asynchronous products see the stores
    %sb = ... the same for %b ...
    %vb = simt.transpose %sb : ...
    %r = simt.product %sa, %vb, %c instruction #group : ...
    %d = simt.wait_products %r : tensor<64x128xf32>
    ```

    An operand that is made in another block, such as before a loop, is stored there, once.

    A store through a descriptor that tile-mark-tile-copies has marked goes through a buffer, too, from which hardware
    copies it (`simt.copy_out`).
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def SelectProducts : Pass<"tile-select-products"> {
  let summary = "chooses the matrix instruction that computes a tile.dot";
  let description = [{
    A dot whose types one of the target's matrix instructions takes is marked with it. If the dot's result is narrower
    than the instruction's accumulator, the dot gets the accumulator's type, and its result is rounded once. Operands of
    8-bit floats become f16, which holds each of their values, if no instruction takes them as they are. A dot of f32
    whose precision is not `ieee` may get an instruction for tf32 or bf16; tile-to-simt then rounds or divides its
    operands.

    Before:
    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf16>
    ```
    After:
    ```mlir
    #instruction = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
    %wide = tile.fp_cast %c : tensor<64x64xf16> -> tensor<64x64xf32>
    %sum = tile.dot %a, %b, %wide {simt.instruction = #instruction}
      : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d = tile.fp_cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
    ```

    A dot whose right operand has 8 or 32 bits and lies across the depth in global memory is replaced by the dot of the
    transposed operands, if an instruction that reads shared memory then takes it, and a loop carries the sum for this
    dot alone; the loop then carries the transposed sum.

    It does nothing to dots whose types no matrix instruction takes, such as f64 sums of f16 operands.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect"];
}

def LoadFragments : Pass<"tile-load-fragments"> {
  let summary = "lets matrix instructions load their operands straight from global memory";
  let description = [{
    For dots that tile-select-products marked. An operand is a matrix in memory if it is loaded right before the dot
    from addresses that are a base plus one step along each axis, one of the steps 1. If its mask is true for all
    elements, the dot loads fragments of this matrix itself. A scalar condition, evaluated once for the tile, tests
    whether the mask is true everywhere and no 32-bit sum wraps; otherwise the original load is executed.

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

def PlaceFragments : Pass<"tile-place-fragments"> {
  let summary = "keeps accumulators of matrix instructions in fragments";
  let description = [{
    At the planned level. Results of the dots that tile-select-products marked get a `#layout.fragments`, and so do the
    values on a path from a dot's result to a dot's accumulator: values that loops carry, results of branches, and
    elementwise ops of one type whose other operands are splats or broadcasts of a row or a column. Values that enter or
    leave fragments elsewhere are converted.

    Before:
    ```mlir
    %r = scf.for ... iter_args(%c = %zero) -> (tensor<64x64xf32, #l>) {
      %d = tile.dot %a, %b, %c {simt.instruction = #instruction} : ..., tensor<64x64xf32, #l>
      scf.yield %d : tensor<64x64xf32, #l>
    }
    ```
    After, with 4 warps:
    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [2, 2]>
    %s = scf.for ... iter_args(%c = %zeros) -> (tensor<64x64xf32, #acc>) {
      %d = tile.dot %a, %b, %c {simt.instruction = #instruction} : ..., tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %r = simt.convert_layout %s : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #l>
    ```

    If the target's `rows_in_fragments` is set, and each warp can have whole rows of all results, more values stay in
    fragments: results of elementwise ops of any type, reductions of rows, columns that loops carry, and broadcasts of
    columns. Splats and values computed from ranges are recomputed in fragments, and a value that becomes a left operand
    is converted from fragments to fragments:

    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [4, 1]>
    #column = #layout.fragments<16x16xf32, warps [4, 1], column>
    #left = #layout.fragments<16x16xf16, warps [4, 1], operand>
    %s = tile.dot %q, %k, %zeros {simt.instruction = #instruction} : ..., tensor<64x64xf32, #acc>
    %m = tile.reduce(%s) axis 1 : (tensor<64x64xf32, #acc>) -> tensor<64xf32, #column> { ... }
    %p = tile.fp_cast %e : tensor<64x64xf32, #acc> -> tensor<64x64xf16, #acc>
    %a = simt.convert_layout %p : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #left>
    ```
    A left operand that a loop does not change is converted before the loop, if it is small.

    It does nothing in kernels without marked dots.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def RotateRanges : Pass<"tile-rotate-ranges", "::mlir::ModuleOp"> {
  let summary = "lets accesses to rows that begin anywhere begin at aligned addresses";
  let description = [{
    For targets with `rotated_bytes`. A row that begins at a multiple of its element only has no aligned accesses of
    several elements: each thread's elements begin at an unknown address. Which thread has which element does not matter
    to elementwise ops, loads, stores and reductions of the whole row, so the range that numbers the elements may be
    rotated, by as many elements as the row begins behind a multiple of `rotated_bytes`. The elements of a thread then
    begin at an aligned address, except in the one group where the range wraps. Loads and stores stay wide; the groups
    that wrap, or that a mask divides, are accessed element by element (docs/passes.md, "Rows that begin anywhere").

    Before (%row: a scalar address of unknown alignment):
    ```mlir
    %r = tile.make_range 0 to 1024
    %p = tile.addptr (splat %row), %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    ```
    After, with `rotated_bytes` of 128:
    ```mlir
    %address = tile.ptr_to_int %row : !tile.ptr<f16> -> i64
    %behind = arith.andi (trunci %address), 127 : i32
    %shift = arith.shrui %behind, 1 : i32                       // in elements
    %moved = arith.subi %r, (splat %shift) : tensor<1024xi32>
    %rotated = arith.andi %moved, dense<1023> : tensor<1024xi32>
    %p = tile.addptr (splat %row), %rotated : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    ```

    All uses of the range change. With the same range, a kernel may load a row at an aligned argument, which is the same
    for all programs, such as weights. Then no access can be wide, and the range is rotated by what a warp accesses at
    once, one element a lane, in place of `rotated_bytes` if that is less.

    It does nothing if a value computed from the range meets an op for which the order of elements matters (a scan, a
    sort, a change of shape, a reduction with an operation that is not commutative, an atomic, a hint), if another row
    is accessed with the same range whose address is known to be aligned, or if threads have one element each. Sums of
    floats are added in another order, which depends on the address.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "chooses the thread and register that hold each element of every tensor";
  let description = [{
    From the tile to the planned level: each tensor type of a kernel gets a `#layout.distributed`, elements move between
    threads in `simt.convert_layout` only, and a kernel has the number of its warps as an attribute. Layouts are chosen
    so that a thread's accesses are wide and a warp's accesses cover consecutive memory. On targets that load no
    matrices from shared memory, a thread that loads an operand of a matrix instruction across its depth also takes
    neighbours along the depth, which it can put side by side in registers. Operands of a reduction whose function may
    not commute are converted to a layout in which registers hold the lowest bits of the axis, lanes the next and warps
    the highest. Ranges, splats and values computed from them are not converted but recomputed in each layout that an op
    needs; a broadcast is made once for each user, so that it ties the layouts of no two users. Branches and loops are
    marked.
    A condition at the tile level is one scalar for the program, so it is uniform; a condition within a
    `tile.map_elementwise`, `tile.reduce` or `tile.scan` may differ between threads, so it is divergent.

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

    It does nothing with functions that are not kernels, and with kernels that have layouts already.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def DeferSums : Pass<"tile-defer-sums", "::mlir::ModuleOp"> {
  let summary = "keeps a total that a loop adds sums to as partial totals, which are added behind the loop";
  let description = [{
    Runs after tile-assign-layouts, for targets with `defers_sums`. Rewrites f32 or f64 totals that a loop carries and
    adds sums along an axis to, such as the denominator of a softmax computed block by block. Each thread adds its own
    elements only, and these partial totals are added behind the loop, so an iteration exchanges no data for them.
    Before the addition, the total may be multiplied by `exp(m - max(m, ...))` or the same with `exp2`: a factor from
    0 to 1. Neither the elements nor the total's first value may be negative, by how they are computed (exponentials,
    squares): no partial total is then larger than the total, and where one is infinite or NaN, the total is. A total
    that overflows may stay finite in partial totals. Additions are in another order, which tile.reduce leaves open,
    and each partial total is multiplied, not their sum: all roundings are still of numbers that are not negative, so,
    apart from underflow, the relative error has the same bound. Ops that must round by themselves (`tile.rounded`)
    stay.

    The coordinates along the axis are divided into those that a thread's registers hold and those that threads hold,
    by tile.reshape. The first partial total begins with the total's first value, the others with 0. Totals along an
    axis that threads hold by bits of the coordinate that are not consecutive (example: bits 0 and 2), or that have
    other uses in the loop, are left as they are.

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

def StageOperands : Pass<"tile-stage-operands", "::mlir::ModuleOp"> {
  let summary = "brings operands of matrix instructions from one layout to another through planned shared buffers";
  let description = [{
    For dots whose matrix instruction takes its operands from registers in a known layout: a conversion of such an
    operand that moves elements between threads becomes a shared buffer, a store and a load, right before the dot. An
    operand from outside of the dot's loop is stored there; it is loaded in the loop if more than `held_bytes` of
    registers would hold it otherwise. The buffer's lines run along the axis of the source's widest stores, and pieces
    of 16 bytes are swizzled so that neither the stores nor loads of 8x8 matrices have bank conflicts. A conversion that
    only renames registers stays.

    On targets that load no matrices from shared memory, threads load fragments themselves: the buffer has the layout
    that a conversion through shared memory would have (layout::planConversion), for which stores and loads are wide and
    have no conflicts. If results of dots that are alive together take more than half of a thread's registers, it is
    padded where it would be swizzled (layout::paddedInstead): all offsets of a thread are then one register and
    immediates. On these targets the operands of a dot outside of loops leave half of shared memory to a second
    workgroup. Where both together do not, and registers tell the parts of the depth apart, the dot becomes one for each
    part of the depth.

    If `stores_carried_first`, an operand that the loop carries is stored at the top of the body. An operand that stays
    in memory is loaded after the dot's other one, behind the barrier that the latter needs.

    Before:
    ```mlir
    %x = simt.convert_layout %a : tensor<128x32xf16, #l> -> tensor<128x32xf16, #left>
    %d = tile.dot %x, %b, %c {simt.instruction = #mma} : ...
    ```
    After:
    ```mlir
    #sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0) (16,0) (32,0) (64,0)>
    %t = simt.shared_alloc : !simt.shared<128x32xf16, #sw>
    simt.shared_store %t, %a : !simt.shared<128x32xf16, #sw>, tensor<128x32xf16, #l>
    %x = simt.shared_load %t : !simt.shared<128x32xf16, #sw> -> tensor<128x32xf16, #left>
    %d = tile.dot %x, %b, %c {simt.instruction = #mma} : ...
    ```

    Other operands that do not fit together keep their conversions, one after the other, which tile-to-simt divides into
    parts.

    For dots on opaque fragments: an operand that is neither in fragments nor in global memory (`tile.load_strided`) is
    stored to a buffer of padded lines, at least as large as the instruction's fragment, and loaded without a layout:
    the dot loads its fragments. If the buffers of both operands do not fit shared memory, the depth is halved until
    they do, and the dot becomes one for each part of the depth.

    Before:
    ```mlir
    %d = tile.dot %a, %b, %c {simt.instruction = #fragments}
        : tensor<16x128xf16, #a>, tensor<128x16xf16, #b>, tensor<16x16xf32, #acc>
    ```
    After, in two parts:
    ```mlir
    %t = simt.shared_alloc : !simt.shared<16x64xf16, #padded>
    simt.shared_store %t, %a part 0 : !simt.shared<16x64xf16, #padded>, tensor<16x128xf16, #a>
    %x = simt.shared_load %t : !simt.shared<16x64xf16, #padded> -> tensor<16x64xf16>
    ...
    %s = tile.dot %x, %y, %c {simt.instruction = #fragments} : ...
    ... // part 1
    %d = tile.dot %z, %w, %s {simt.instruction = #fragments} : ...
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def TileToSimt : Pass<"tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "turns a program on tensors into the code of one thread";
  let description = [{
    From the planned to the simt level. A tensor becomes the vector of registers that its layout gives a thread, a
    tensor of pointers a base address and offsets. Threads exchange elements by shuffles within a warp, and through
    shared buffers between warps; the buffers have no place yet, and no barriers stand between accesses.

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

    An exchange that needs more shared memory than is left for it is divided into parts: some registers, or some of the
    tensor's elements, at a time. Planned buffers that are alive around it reduce what it may use; where buffers of
    different element widths cannot share storage, the exchanges of each width have an equal share.

    A tensor of which a thread would hold more than 4,096 values is an error, and so is a kernel whose code has more
    than 524,288 operations for each thread: compilers of devices take minutes to hours for such code
    (core/passes/analysis/CodeSize.h).

    It does nothing with functions that have no layouts.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif
