// The passes that issue loads and copies of a loop ahead of their iterations; part of Passes.td.
#ifndef TEGULA_LOOP_PASSES
#define TEGULA_LOOP_PASSES

include "mlir/Pass/PassBase.td"

def HoistInvariants : Pass<"tile-hoist-invariants"> {
  let summary = "moves what a loop does not change before it";
  let description = [{
    Loop-invariant code motion for pure ops. Out of a loop that has loops inside, such as a persistent kernel's loop
    over tiles, only scalars move: a tensor would be held in registers for all of the inner loops, and computing it anew
    once for each of them costs little.

    Before:
    ```mlir
    scf.for %tile = %0 to %tiles step %1 : i32 {
      %columns = arith.muli %range, %strides : tensor<64xi32>
      scf.for %k = %0 to %n step %1 : i32 {
        %rows = arith.muli %tiles64, %strides : tensor<64xi32>     // of %tile
        ...
      }
    }
    ```
    After:
    ```mlir
    scf.for %tile = %0 to %tiles step %1 : i32 {
      %columns = arith.muli %range, %strides : tensor<64xi32>
      %rows = arith.muli %tiles64, %strides : tensor<64xi32>
      scf.for %k = %0 to %n step %1 : i32 {
        ...
      }
    }
    ```
  }];
}

def DescribeLoads : Pass<"tile-describe-loads", "::mlir::ModuleOp"> {
  let summary = "makes loads through descriptors of loads through pointers, for hardware to copy";
  let description = [{
    For targets whose hardware copies blocks of described tensors (`copies_tiles`), after tile-select-products. In an
    innermost loop of the kernel's body, all loads that feed products by instructions on shared memory become loads
    through descriptors, if hardware can copy all of them (tile-mark-tile-copies), and each reads blocks of a tensor:
    its addresses are a pointer argument plus positions times strides, which are products of arguments, one of them 1;
    its mask is made of upper limits along its axes, extents that are products of arguments minus the position; the
    elements beyond are 0. Rows wrapped by `% n` are those of a block where the block's extent divides n and the
    position. A stride with no limit, such as that of a batch, makes an axis of its own.

    The descriptor is a new argument, which the launch derives (`tile.tensor`; core/contracts/DerivedTensor.h).
    Positions must not be negative, unless their computation wraps: the code is conditional on that (`tile.conditions`).

    Beside such a loop, a load in the kernel's body whose block a product reads becomes one through a descriptor, too,
    if hardware can copy it once (tile-mark-tile-copies), it is neither transposed nor wrapped, and no position has to
    be tested for its sign.

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
  let summary = "makes a store through a descriptor of a store through pointers, for hardware to copy";
  let description = [{
    After tile-describe-loads, in kernels with loads through descriptors in loops. The kernel's only store through
    pointers becomes one through a descriptor, an argument that the launch derives, if it stands in the kernel's body,
    writes a block of a tensor as tile-describe-loads has it, neither transposed nor with wrapped rows, its address and
    its strides are known to be multiples of 16 bytes, threads load nothing from the array, and hardware can copy the
    block out (tile-mark-tile-copies). A value that is computed from a block that threads load, as a residual, is left
    to threads, unless the block is joined with it element by element, is read by rows in vectors of 16 bytes, and fits
    a thread's registers beside it: other loads want the layout of a store by threads.

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

def MarkTileCopies : Pass<"tile-mark-tile-copies", "::mlir::ModuleOp"> {
  let summary = "marks loads and stores through descriptors that hardware is to copy";
  let description = [{
    For targets whose hardware copies blocks of described tensors (`copies_tiles`), after tile-select-products. Marked
    with `tile.copied` are loads of matrices in innermost loops with `tile.num_stages` of 2 and more that only feed
    products by instructions on shared memory, if the descriptor is an argument of the kernel and has no other uses,
    blocks have at most 256 elements along an axis and lines of 32 bytes and more, and positions are known to be
    multiples of 16 bytes along lines. tile-lower-descriptors leaves them, and tile-pipeline-copies makes rings of them.
    So are loads in the kernel's body, if all loads of their descriptors stand there, the first loop, branch or product
    reads their blocks, and nothing up to that op writes memory or waits.

    Stores are marked in kernels with such products, if they stand in the kernel's body and the same holds for their
    blocks, positions and descriptors; a block is at most half the shared memory, that of a single store five eighths.
    Threads must write nothing to global memory, and read nothing from it behind the first store: so nothing has to be
    ordered with the copies. tile-plan-products makes the copies.

    Before:
    ```mlir
    scf.for %k = %c0 to %n step %c64 : i32 {
      %a = tile.desc_load %d[%row, %k] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
    After:
    ```mlir
    scf.for %k = %c0 to %n step %c64 : i32 {
      %a = tile.desc_load %d[%row, %k] {tile.copied} : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
  }];
}

def PipelineCopies : Pass<"tile-pipeline-copies", "::mlir::ModuleOp"> {
  let summary = "copies the operands of later iterations' products to shared memory while this one computes";
  let description = [{
    For targets whose threads copy from global to shared memory without waiting (`copies_async`). In innermost loops
    with `tile.num_stages` of 2 and more, a load becomes a ring of `num_stages` buffers if it only feeds products by
    instructions on registers, as it is or transposed, or if its only use is a buffer that products read
    (tile-plan-products). Each iteration waits for its own copy, starts that of the iteration `num_stages - 1` later,
    and reads its tile from the ring. Loads that tile-mark-tile-copies has marked are copied by hardware, if all loads
    of their descriptor are, in whichever loops: with one barrier object a stage (`simt.start_barriers`, `copy_tile`,
    `wait_tiles`, `end_barriers`; docs/matrix.md, "Copies by hardware"). Where the target's warps can move registers
    (`moves_registers`), hardware makes all copies of a loop in the kernel's body, and their positions and the loop's
    bounds depend on no load, a thread of four further warps starts them (`simt.producer`; docs/matrix.md, "A producer
    for copies by hardware"). Two groups of warps then start the products of a loop with a delayed product in turns.

    The producer also copies a block that the kernel loads through pointers behind such a loop, such as a residual, in
    parts of its columns through the stages of one ring, if

    - hardware copies the kernel's result out, the rings fill and empty together, and no product is delayed;
    - the block is only joined with other values element by element;
    - a stage has the block's rows and element type, and its columns divide the block's;
    - the launch can describe the tensor (as for tile-describe-loads), and facts of the arguments say that it is
      aligned;
    - neither the loop nor what stands between it and the load writes memory or waits for other threads, and no loop,
      product or buffer stands between them.

    ```mlir
    %block = tile.load %p mask %inside other %zeros : tensor<128x128x!tile.ptr<f16>>
    ```
    becomes, in the producer and in the kernel's own code,
    ```mlir
    simt.barrier_wait %empty0[%s0], %parity0                        // behind the loop, which ends with %s0 and %p0
    simt.copy_tile %residual[%row, %column] to ... stage %s0 of the ring ... on %full0[%s0] phase %p0 if %true
    simt.arrive_warps %full0[%s0]                                   // for the other ring, which has no copy
    ... the same of column %column + 64 for stage %s1 ...
    simt.move_ring %s0, %p0 to %s2, %p2

    simt.barrier_wait %full[%r], %p
    %left = simt.shared_load ... stage %r of the ring ... -> tensor<128x64xf16>
    simt.arrive_warps %empty[%r] loaded
    ... the same of the next stage ...
    %block = simt.join_parts %left, %right : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
    simt.move_ring %r, %p to %r2, %p2
    ```
    If the loop's product runs on, its last stage is handed back before the first part is waited for, each part's stage
    before the next, and the last part's by the ring's next iteration, which may be the next program's.

    Marked loads in the kernel's body are copied once: the copies start when the kernel begins, and threads wait for
    them before the first loop, branch or product.

    Before:
    ```mlir
    %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %p = %rows) -> (...) : i32 {
      %a = tile.load %p, %m, %zeros : tensor<64x32x!tile.ptr<f16>>
      %sum = tile.dot %a, %b, %acc {simt.instruction = #mma} : ...
      %q = tile.addptr %p, %step : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      scf.yield %sum, %q : ...
    }
    ```
    After, for three stages:
    ```mlir
    %ring = simt.shared_alloc : !simt.shared<3x64x32xf16, #sw>
    %t0 = ... simt.copy of iteration 0 to stage 0, masked by `%c0 < %n` ...
    %t1 = ... simt.copy of iteration 1 to stage 1 ...
    %r:7 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %takes_place = %m2, %j = %c64, %p = %rows2,
                                                      %read = %c0, %u0 = %t0, %u1 = %t1) -> (...) : i32 {
      simt.wait_copies %u0
      %write = ... %read + 2, modulo 3 ...
      %to = simt.stage %ring[%write] : ...
      %u2 = simt.copy %p to %to mask (%m & splat %takes_place) : ...
      %more = ... %takes_place and %n - %j > %c32 ...          // %j + %c32 < %n, without a wrap
      ...
      %from = simt.stage %ring[%read] : ...
      %a = simt.shared_load %from : !simt.shared<64x32xf16, #sw> -> tensor<64x32xf16>
      %sum = tile.dot %a, %b, %acc {simt.instruction = #mma} : ...
      scf.yield %sum, %more, (%j + %c32 where %more), %q, %read + 1 modulo 3, %u1, %u2 : ...
    }
    simt.wait_copies %r#5, %r#6
    ```
    The loop reads the same elements as before, and no others. If products read the ring, a `simt.fence async` follows
    the wait.

    Products that read shared memory overlap with other work, if the ring has room for one stage more than otherwise,
    which these products still read (copies by hardware alone start when products have ended, and need no stage more):

    - one whose result only the next iteration's product takes (`sum += dot(a, b)`) runs on: the iteration waits for the
      previous one's after it has started its own, and a wait follows the loop;
    - the last product of a chain (`s = dot(q, k)`; p computed from s; `sum = sum * f + dot(p, v)`) is delayed by one
      iteration if the loop's values fit `delayed_bytes` of registers, and the sum begins as zeros or is a sum of
      products itself; one at most where the loop has several products like s.

    Before, with a ring of v:
    ```mlir
    %r = scf.for ... iter_args(%sum = %zeros) -> (...) : i32 {
      %s0 = simt.product %q, %k, %zeros instruction #group : ...
      %s = simt.wait_products %s0 : ...
      %p, %f = ... from %s ...
      %c = arith.mulf %sum, %f : ...
      %d0 = simt.product %p, %v, %c instruction #group : ...
      %d = simt.wait_products %d0 : ...
      scf.yield %d : ...
    }
    ```
    After, without what the ring adds:
    ```mlir
    ... zeros in the stage before the first, by a copy that is masked off ...
    %r:3 = scf.for ... iter_args(%sum = %zeros, %left = %zeros16, %scale = %ones) -> (...) : i32 {
      %c = arith.mulf %sum, %scale : ...
      %s0 = simt.product %q, %k, %zeros instruction #group : ...
      %d0 = simt.product %left, %v_of_the_stage_before, %c instruction #group : ...
      %s = simt.wait_products %s0 : ...
      %p, %f = ... from %s ...
      %d = simt.wait_products %d0 : ...
      scf.yield %d, %p, %f : ...
    }
    %last = ... the product of %r#1 with the last stage of v, added to %r#0 * %r#2, and its wait ...
    ```

    A load is left to tile-pipeline-loads if

    - it may not be issued ahead, by the rules there, or its address cannot be computed for any number of iterations
      ahead;
    - pieces of 4 bytes or more are not known to be side by side and aligned, or there are fewer pieces than threads;
    - masked elements are not zero.

    Copies by threads drop an eviction policy. Copies by hardware keep `evict_first` alone.

    If the buffers do not fit shared memory, there are fewer, at least two (with two, no product overlaps); there are at
    most eight. Remarks have the topic `pipeline`.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LoopPrograms : Pass<"tile-loop-programs", "::mlir::ModuleOp"> {
  let summary = "one program of a kernel with a producer executes several of the grid";
  let description = [{
    Last of the planned level. In a kernel with a `simt.producer` and one loop over its rings, the producer's code and
    the kernel's own become loops over programs of the grid, and carry the rings' places from one to the next: the
    copies for the next program start while this one's result is stored. The kernel gets `simt.resident`. Barrier
    objects are started and ended once, and the buffers of results, which no longer share storage with the rings, are
    allocated once; their copies out are waited for before they are written again. What only the result needs is
    computed behind the loop over the rings. Programs are taken in groups of 16 along axis 0, so that those that run at
    a time share operands.

    Where programs have different numbers of iterations, and `tile.longest_first` says along which axis they have ever
    fewer, a launched program executes two that follow one another, or one (`simt.pairs`; docs/matrix.md, "A producer
    for copies by hardware"). Blocks that the producer copies before the loop then become rings, and a stage that is
    filled with zeros before the loop is the one before the program's first.

    Programs of a grid run in any order, so no guard is needed; but one program must not wait for another. Left as they
    are:

    - kernels with atomics, barriers, volatile loads, prints or assertions;
    - buffers that do not fit the target's shared memory side by side, not even with the result in parts of its columns,
      or that would leave room for fewer programs in pairs on a multiprocessor;
    - rings that something else than a delayed product uses outside of the loop without a `simt.move_ring`;
    - programs with different numbers of iterations in no known order;
    - programs with equally many iterations if blocks are copied before the loop or stages are filled with zeros;
    - code before the producer that depends on the program.

    Before:
    ```mlir
    simt.producer(...) group warps 4 registers 40 (...) {
      %m = tile.program_id 0
      %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0) -> (i32, i32) { ... copies ... }
    }
    %m = tile.program_id 0
    %s:3 = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %zeros, %stage = %c0, %phase = %c0) { ... products ... }
    simt.end_barriers %full : <3>
    ... store ...
    ```
    After:
    ```mlir
    simt.producer(...) group warps 4 registers 40 (...) {
      scf.for %p = %resident to %programs step %residents iter_args(%stage0 = %c0, %phase0 = %c0) -> (i32, i32) {
        %m = arith.remui %p, %columns : i32
        %r:2 = scf.for ... iter_args(%stage = %stage0, %phase = %phase0) -> (i32, i32) { ... copies ... }
        scf.yield %r#0, %r#1 : i32, i32
      } {simt.divergent}
    }
    scf.for %p = %resident to %programs step %residents iter_args(%stage0 = %c0, %phase0 = %c0) -> (i32, i32) {
      ... products, store ...
      scf.yield %s#1, %s#2 : i32, i32
    } {simt.uniform}
    simt.end_barriers %full : <3>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::simt::SimtDialect"];
}

def MulticastCopies : Pass<"tile-multicast-copies", "::mlir::ModuleOp"> {
  let summary = "two programs that read the same block copy one half each, to both";
  let description = [{
    After tile-loop-programs, for targets that can (`multicasts_tiles`). Where the rows of a tensor that the launch
    describes are known not to be a multiple of 32 bytes apart, which are a sector of the second-level cache, a
    producer's copies of it in the loop over rings become copies to a cluster of two programs, if lines of a block have
    a multiple of 256 bytes (docs/matrix.md, "A producer for copies by hardware"). Whether both programs read the same
    block is computed in each program; where they do not, each copies its own.

    The distance of rows is a product of a constant and arguments. Of an argument, a launch tells whether 16 divides it,
    or else whether 8 does; so the largest power of two in the product is known if each of them is divisible by 8 only.
    Remarks have the topic `copies`.

    Before:
    ```mlir
    simt.start_barriers %empty count 4 : !simt.barriers<4>
    simt.producer(...) group warps 4 registers 40 (...) {
      %r:2 = scf.for %program = %first to %all step %residents iter_args(...) -> (i32, i32) {
        %column = arith.muli %program, %c128
        %s:2 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = ..., %phase = ...) -> (i32, i32) {
          %t = simt.copy_tile %b[%i, %column] to ... on %full[%stage] phase %phase if %true
    ...
    scf.for %program = %first to %all step %residents iter_args(...) -> (i32, i32) {
      ... simt.arrive_warps %empty[%stage] ...
    ```
    After:
    ```mlir
    simt.start_barriers %empty count 8 : !simt.barriers<4>
    simt.cluster_barrier
    simt.producer(...) group warps 4 registers 40 (...) {
      %r:2 = scf.for %program = %first to %all step %residents iter_args(...) -> (i32, i32) {
        %peer = arith.xori %program, %c1
        %paired = arith.cmpi ult, %peer, %all
        %same = arith.cmpi eq, %column, %column_of_peer
        %shared = arith.andi %paired, %same
        %s:2 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = ..., %phase = ...) -> (i32, i32) {
          %t = simt.copy_tile %b[%i, %column] to ... on %full[%stage] phase %phase if %true multicast %shared
    ...
      ... simt.barrier_wait %empty[...] for each stage that is handed back ...
    }
    scf.for %program = %first to %all step %residents iter_args(...) -> (i32, i32) {
      ... simt.arrive_warps %empty[%stage] also of %rank_of_peer ...
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect"];
}

def OrderProducts : Pass<"tile-order-products"> {
  let summary = "starts products of a loop beside others that they do not depend on, and before copies";
  let description = [{
    In a loop of several asynchronous products whose results fit a thread's registers (`delayed_bytes`), a product
    starts right behind the first one that it need not follow: it depends on nothing behind that one, and nothing there
    writes shared memory or waits for copies. So it is computed beside what follows from that one. In the backward pass
    of an attention, the gradients of the probabilities are multiplied while exponentials of the scores are computed.
    Copies by hardware for later iterations then start behind the products that start together. Warps start a product
    together, so all would wait for the thread that starts copies.

    Before:
    ```mlir
    %u = simt.copy_tile %b[%later, %c0] to %b1 on %full[%write] phase %phase if %more : ...
    %x = simt.product %k, %q, %zero ...
    %s = simt.wait_products %x : tensor<128x32xf32>
    %p = math.exp2 %s : tensor<128x32xf32>
    %z = simt.product %w, %g, %zero ...
    %d = simt.wait_products %z : tensor<128x32xf32>
    ```
    After:
    ```mlir
    %x = simt.product %k, %q, %zero ...
    %z = simt.product %w, %g, %zero ...
    %u = simt.copy_tile %b[%later, %c0] to %b1 on %full[%write] phase %phase if %more : ...
    %s = simt.wait_products %x : tensor<128x32xf32>
    %p = math.exp2 %s : tensor<128x32xf32>
    %d = simt.wait_products %z : tensor<128x32xf32>
    ```
  }];
}

def LongestFirst : Pass<"tile-longest-first", "::mlir::ModuleOp"> {
  let summary = "programs with more iterations start first";
  let description = [{
    For targets with `starts_in_order`, which start programs in the order of their numbers. Where a loop has the more
    iterations, the later a program is along an axis of the grid, as in an attention with a causal mask, programs take
    the places of the axis from its end. The last ones to start are short then, and fewer multiprocessors wait at the
    end. Programs of a grid run in any order, so no guard is needed; a kernel in which the order could be seen, or a
    program could wait for another, is left as it is: atomics, volatile loads, barriers, prints, assertions, `while`.
    The kernel gets `tile.longest_first`, the axis.

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

def PipelineLoads : Pass<"tile-pipeline-loads"> {
  let summary = "loads the operands of a loop's next iteration before the products of this one";
  let description = [{
    In innermost loops with `tile.num_stages` of 2 and more (the loop's own, else the module's), loads whose values
    reach an operand of a `tile.dot` through casts, changes of shape and elementwise ops are issued one iteration ahead.
    The loop carries their values in registers.

    Before:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %p = tile.addptr %rows, (splat %i) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>>
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum : tensor<64x64xf32>
    }
    ```
    After:
    ```mlir
    %runs = arith.cmpi slt, %c0, %n : i32
    %first = scf.if %runs -> (tensor<64x32xf16>) { ... load at %c0 ... } else { zeros }
    %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %a = %first) -> (...) : i32 {
      %left = arith.subi %n, %i : i32
      %more = arith.cmpi ugt, %left, %c32 : i32        // %i + %c32 < %n, without a wrap
      %j = arith.select %more, (%i + %c32), %i : i32
      %next = ... load at %j, masked by %more ...
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum, %next : tensor<64x64xf32>, tensor<64x32xf16>
    }
    ```
    The loop reads the same elements as before, and no others.

    Loads are taken in source order while a thread holds no more than `ahead_bytes` of them (of the target,
    core/target/TargetDescription.h). Loads that do not fit are issued at the top of their own iteration, up to
    `early_bytes`. A load stays where it is if

    - it is volatile or names a cache, or stands in a branch;
    - its address or mask depends on another load of the loop, on a product, on a result of a branch with effects, or on
      a division by a value that the loop changes;
    - it may read an element that the loop writes.

    Loops that contain loops, barriers, assertions or ordering atomics are not changed. Remarks of the topic `pipeline`
    list the loads that were taken, and give the reason for the others.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
