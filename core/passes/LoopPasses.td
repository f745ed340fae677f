// The passes for loops: software pipelining of loads and copies, the order of products, persistent kernels. Part of
// Passes.td.
#ifndef TEGULA_LOOP_PASSES
#define TEGULA_LOOP_PASSES

include "mlir/Pass/PassBase.td"

def HoistInvariants : Pass<"tile-hoist-invariants"> {
  let summary = "loop-invariant code motion";
  let description = [{
    Moves pure loop-invariant ops before their loop. Out of a loop that contains loops, such as a persistent kernel's
    loop over tiles, only scalars move: a tensor would occupy registers during all inner loops, while computing it again
    before each inner loop costs little.

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

def HoistLoads : Pass<"tile-hoist-loads", "::mlir::ModuleOp"> {
  let summary = "issues the loads for the products of a branch before the branch";
  let description = [{
    For targets with `copies_async`. If all products of an innermost loop stand in one branch, such as a loop that skips
    blocks, and the branch's condition can be computed for later iterations, the loads that feed the products move to
    before the branch, with the ops that compute their addresses. The condition becomes a part of their masks, so that
    they read no more than before. `tile-pipeline-copies` can then copy for later iterations, and iterations that skip
    their products read nothing.

    Before:
    ```mlir
    %d = scf.if %c -> (tensor<64x64xf32>) {
      %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
      ...
      %s = tile.dot %a, %b, %sum : ...
      scf.yield %s
    } else {
      scf.yield %sum
    }
    ```
    After:
    ```mlir
    %cs = tile.splat %c : i1 -> tensor<64x32xi1>
    %mc = arith.andi %m, %cs : tensor<64x32xi1>
    %a = tile.load %p mask %mc other %zero : tensor<64x32x!tile.ptr<f16>>
    ...
    %d = scf.if %c -> (tensor<64x64xf32>) {
      %s = tile.dot %a, %b, %sum : ...
    ```

    A load stays if a write or a volatile load stands before it in the branch, if it is volatile or names a cache, or if
    its address needs an op that is not cheap or may only be executed where the branch is taken: a division, a hint. All
    stay if something in the loop keeps the order of all accesses, such as a barrier.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def MarkTileCopies : Pass<"tile-mark-tile-copies", "::mlir::ModuleOp"> {
  let summary = "marks loads and stores through descriptors that hardware will copy";
  let description = [{
    For targets whose hardware copies blocks of described tensors (`copies_tiles`), after tile-select-products. Marks
    with `tile.copied` the loads of matrices in innermost loops with `tile.num_stages` of 2 and more that only feed
    products by instructions on shared memory. Conditions: the descriptor is an argument of the kernel and has no other
    uses; blocks have at most 256 elements along an axis and lines of 32 bytes or more; positions along lines are known
    to be multiples of 16 bytes. tile-lower-descriptors does not lower marked loads, and tile-pipeline-copies makes
    rings of them. Loads in the kernel's body are also marked, if all loads of their descriptors are there, the first
    loop, branch or product reads their blocks, and no op before it writes memory or waits.

    Stores are marked in kernels with such products, if they are in the kernel's body and meet the same conditions on
    blocks, positions and descriptors. Each block may take at most half of the shared memory, the block of a single
    store five eighths. Threads must write nothing to global memory, and must read nothing from it after the first
    store, so that the copies need no ordering with other accesses. tile-plan-products makes the copies.

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
  let summary = "software pipelining: copies the operands of later iterations' products to shared memory";
  let description = [{
    For targets whose threads copy from global to shared memory without waiting (`copies_async`). In innermost loops
    with `tile.num_stages` of 2 and more, the buffers of operands are multi-buffered: a load becomes a ring of
    `num_stages` buffers. The load must only feed products by instructions on registers, directly or transposed, or its
    only use must be a buffer that products read (tile-plan-products). Each iteration waits for its own copy, starts the
    copy for the iteration `num_stages - 1` later (the prefetch distance), and reads its tile from the ring. The pass
    says so by schedules (`simt.schedule`), which tile-expand-schedules executes.

    A load also becomes a ring if its value reaches a product through ops on single elements, such as a cast or a
    choice: what memory holds is copied, and threads load it from the ring to registers, where these ops have their
    operand. Threads make such copies where no loop of the kernel can have a producer.

    The address of threads' copies may depend on loads of the loop, such as the number of a page or the rows of an
    expert, which have at most a quarter of the tile's bytes. They are loaded one iteration before their copy starts, so
    that the copy does not wait for them.

    Hardware copies the loads that tile-mark-tile-copies has marked, if it copies all loads of their descriptor, in all
    loops. There is one barrier object for each stage (`simt.start_barriers`, `copy_tile`, `wait_tiles`, `end_barriers`;
    docs/matrix/rings.md, "Copies by hardware"). A producer, which is one thread of four additional warps, starts the
    copies if the target's warps can move registers (`moves_registers`), hardware makes all copies of a loop in the
    kernel's body, and their positions and the loop's bounds depend on no load (`simt.producer`;
    docs/matrix/producer.md). In a loop with a producer and a delayed product, two warp groups then issue their products
    in turns (ping-pong).

    The producer also copies an epilogue operand: a block, such as a residual, that the kernel loads through pointers
    after such a loop. The block is copied in parts of its columns through the stages of one ring, if

    - hardware copies the kernel's result out, the rings fill and empty together, and no product is delayed;
    - the block is only combined with other values element by element;
    - a stage has as many rows as the block and the same element type, and its number of columns divides the block's;
    - the launch can describe the tensor (as for tile-describe-loads), and facts of the arguments prove its alignment;
    - neither the loop nor the ops between the loop and the load write memory or wait for other threads, and no loop,
      product or buffer is between them.

    ```mlir
    %block = tile.load %p mask %inside other %zeros : tensor<128x128x!tile.ptr<f16>>
    ```
    becomes
    ```mlir
    %t = simt.copy_tile %residual[%row, %column] to %stage0 on %full[%c0] phase %c0 if %true
      {simt.schedule = #simt.schedule<ahead 0, producer>} : ...      // to the next stage, of which stage 0 is the name
    simt.wait_tiles %t on %full : ...
    %left = simt.shared_load %stage0 ... -> tensor<128x64xf16>
    ... the same of column %column + 64 ...
    %block = simt.join_parts %left, %right : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
    ```
    and when schedules are expanded, in the producer and in the consumer warps,
    ```mlir
    simt.barrier_wait %empty0[%s0], %parity0                        // behind the loop, which ends with %s0 and %p0
    simt.copy_tile %residual[%row, %column] to ... stage %s0 of the ring ... on %full0[%s0] phase %p0 if %true
    simt.arrive_warps %full0[%s0]                                   // for the other ring, which has no copy
    ... the same of column %column + 64 for stage %s1 ...

    simt.barrier_wait %full[%r], %p
    %left = simt.shared_load ... stage %r of the ring ... -> tensor<128x64xf16>
    simt.arrive_warps %empty[%r] loaded
    ... the same of the next stage ...
    %block = simt.join_parts %left, %right : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
    ```
    If the loop's product runs on, its last stage is handed back before the wait for the first part, each part's stage
    before the wait for the next part, and the last part's stage by the ring's next iteration, which may belong to the
    next program.

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
    %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %p = %rows) -> (...) : i32 {
      %stage = simt.stage %ring[%c0] : ...
      %u = simt.copy %p to %stage mask %m {simt.schedule = #simt.schedule<ahead 2, place -1>} : ...
      simt.wait_copies %u {simt.schedule = #simt.schedule<ahead 0, place -3>}
      %a = simt.shared_load %stage : !simt.shared<64x32xf16, #sw> -> tensor<64x32xf16>
      %sum = tile.dot %a, %b, %acc {simt.instruction = #mma} : ...
      %q = tile.addptr %p, %step : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      scf.yield %sum, %q : ...
    }
    ```
    If products read the ring, a `simt.fence async` follows the wait.

    Products that read shared memory overlap with other work if the ring has room for one more stage, which these
    products still read. (If all copies are by hardware, they start when products have ended, and no additional stage is
    needed. So do copies by threads if the stage that this saves lets one more program fit a multiprocessor on which
    fewer than 16 warps run.)

    - A product runs on if only the next iteration's product takes its result (`sum += dot(a, b)`): an iteration starts
      its own product before it waits for the previous iteration's, and a wait follows the loop.
    - The last product of a chain (`s = dot(q, k)`; p computed from s; `sum = sum * f + dot(p, v)`) is delayed by one
      iteration, if the loop's values fit `delayed_bytes` of registers, and the sum begins with zeros or is itself a sum
      of products. In a loop with several products like s, at most one product is delayed.

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
    After, the last product and its wait have `simt.schedule<ahead -1>`, and threads store zeros to the last stage of v
    before the loop. tile-expand-schedules makes of it, with the ring's own ops omitted:
    ```mlir
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

    A load is left to tile-schedule-loops if

    - it may not be issued ahead, by the rules of that pass, or its address cannot be computed for an arbitrary number
      of iterations ahead;
    - no pieces of 4 bytes or more are known to be contiguous and aligned, or there are fewer pieces than threads;
    - masked elements are not zero.

    Copies by threads ignore an eviction hint. Copies by hardware support `evict_first` only.

    There are at most eight stages. If the buffers do not fit shared memory, there are fewer, at least two; with two
    stages, no product overlaps. Remarks have the topic `pipeline`.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PersistentLoop : Pass<"tile-persistent-loop", "::mlir::ModuleOp"> {
  let summary = "makes a kernel with a producer persistent: a launched program executes several programs of the grid";
  let description = [{
    In a kernel with one loop whose copies a producer starts, the code behind the start of the barrier objects becomes
    the body of a loop over programs of the grid (`simt.programs`). The expander lets both
    loops over programs, the producer's and the one of the kernel's warps, carry the rings' places from one program to
    the next, so that the copies for the next program start while this program's result is stored. The kernel gets
    `simt.resident`. Barrier objects are started and ended once. The buffers of results are allocated once and no longer
    share storage with the rings; their copies out are waited for before the buffers are written again. Values that only
    the result needs are computed after the loop over the rings. The tile scheduler takes programs in groups of 16 along
    axis 0, so that programs that run at the same time share operands. A launched program is alone on a multiprocessor:
    its rings get as many stages as fit, up to eight, and the producer's copies run ahead accordingly.

    If programs have different iteration counts, and `tile.longest_first` names the axis along which the counts
    decrease, a launched program executes a pair of consecutive programs, or one (`simt.pairs`;
    docs/matrix/producer.md). Blocks that the producer copies before the loop then get a ring of two stages each, if
    there is room.

    Programs of a grid run in any order, so no guard is needed; but no program may wait for another. Kernels are left
    unchanged if they have

    - atomics, barriers, volatile loads, prints or assertions;
    - buffers that do not fit the target's shared memory without sharing storage, even if the result is stored in parts
      of its columns; or, in pairs, buffers that would reduce the number of programs on a multiprocessor;
    - copies that no producer starts, or products in turns;
    - different iteration counts in no known order of programs;
    - equal iteration counts in all programs, and blocks that are copied before the loop or delayed products;
    - code up to the start of the barrier objects that depends on the program;
    - equal iteration counts and a single set of warps, if several programs fit a multiprocessor's registers and shared
      memory: one program's products then run beside another's epilogue.

    Before:
    ```mlir
    simt.start_barriers %full count 2 : <3>
    %m = tile.program_id 0
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %zeros) { ... copies, products ... }
    simt.end_barriers %full : <3>
    %result = simt.shared_alloc : ...
    ... store to %result ...
    simt.copy_out %result to ...
    ```
    After:
    ```mlir
    %result = simt.shared_alloc : ...
    simt.start_barriers %full count 2 : <3>
    scf.for %p = %resident to %programs step %residents : i32 {
      %m = arith.remui %p, %columns : i32
      %r = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %zeros) { ... copies, products ... }
      simt.wait_copy_out pending 0
      ... store to %result ...
      simt.copy_out %result to ... later
    } {simt.programs, simt.uniform}
    simt.wait_copy_out pending 0
    simt.end_barriers %full : <3>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::simt::SimtDialect"];
}

def MulticastCopies : Pass<"tile-multicast-copies", "::mlir::ModuleOp"> {
  let summary = "two programs that read the same block each copy one half of it, to both programs";
  let description = [{
    After tile-persistent-loop, for targets that can (`multicasts_tiles`). Concerns tensors that the launch describes
    and whose row distance is known not to be a multiple of 32 bytes (a sector of the second-level cache). A producer's
    copies of such a tensor become copies to a cluster of two programs, if lines of a block have a multiple of 256 bytes
    (docs/matrix/producer.md). Each program tests whether both programs read the same block; if they do not, each copies
    its own block. The expander then makes a stage empty only when both programs have emptied it.

    The row distance is a product of a constant and arguments. A launch states for an argument that 16 divides it, or
    else that 8 divides it. So the largest power of two in the product is known only if every argument in it is stated
    to be divisible by 8, not by 16. Remarks have the topic `copies`.

    Before:
    ```mlir
    scf.for %program = %first to %all step %residents : i32 {
      %column = arith.muli %program, %c128
      scf.for %i = %c0 to %k step %c64 : i32 {
        %t = simt.copy_tile %b[%i, %column] to ... on %full[%c0] phase %c0 if %true {... producer>}
        ...
    ```
    After:
    ```mlir
    scf.for %program = %first to %all step %residents : i32 {
      %column = arith.muli %program, %c128
      %peer = arith.xori %program, %c1
      %paired = arith.cmpi ult, %peer, %all
      %same = arith.cmpi eq, %column, %column_of_peer
      %shared = arith.andi %paired, %same
      scf.for %i = %c0 to %k step %c64 : i32 {
        %t = simt.copy_tile %b[%i, %column] to ... on %full[%c0] phase %c0 if %true multicast %shared {... producer>}
        ...
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect"];
}

def OrderProducts : Pass<"tile-order-products"> {
  let summary = "starts a loop's products as early as their operands allow, and before copies";
  let description = [{
    In a loop of several asynchronous products whose results fit a thread's registers (`delayed_bytes`), a product moves
    up to right after the first product that it need not follow. It need not follow a product if it depends on no op
    after that product, and no op between the two writes shared memory or waits for copies. The product then runs at the
    same time as the ops that use the first product's result. Example: in the backward pass of an attention, the
    gradients of the probabilities are multiplied while exponentials of the scores are computed. Copies by hardware for
    later iterations start after the products that start together: they get place 0 and stand there, although the loop
    waits for them at a lower place. (The warps of a product start it together, so all of them would wait for the thread
    that starts copies.)

    Before:
    ```mlir
    %u = simt.copy_tile %b[%i, %c0] to %b0 ... {simt.schedule = #simt.schedule<ahead 1, place -1>} : ...
    simt.wait_tiles %u on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : ...
    %x = simt.product %k, %b0, %zero ...
    %s = simt.wait_products %x : tensor<128x32xf32>
    %p = math.exp2 %s : tensor<128x32xf32>
    %z = simt.product %w, %g, %zero ...
    %d = simt.wait_products %z : tensor<128x32xf32>
    ```
    After:
    ```mlir
    %x = simt.product %k, %b0, %zero ...
    %z = simt.product %w, %g, %zero ...
    %u = simt.copy_tile %b[%i, %c0] to %b0 ... {simt.schedule = #simt.schedule<ahead 1>} : ...
    simt.wait_tiles %u on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : ...
    %s = simt.wait_products %x : tensor<128x32xf32>
    %p = math.exp2 %s : tensor<128x32xf32>
    %d = simt.wait_products %z : tensor<128x32xf32>
    ```
  }];
}

#endif
