// The passes of the simt level. Each has a description with IR before and after.
#ifndef TEGULA_SIMT_PASSES
#define TEGULA_SIMT_PASSES

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"simt-set-target", "::mlir::ModuleOp"> {
  let summary = "sets the target that later passes compile for (for tests of passes)";
  let description = [{
    Gives the module the attribute `simt.target`, as a compilation does for its target. The keys are listed in
    core/ir/simt/Target.h.

    Before, with `fields={warp_size=8,shared_bytes=32768}`:
    ```mlir
    module {
    ```
    After:
    ```mlir
    module attributes {simt.target = {shared_bytes = 32768 : i64, warp_size = 8 : i64}} {
    ```
  }];
  let options = [
    Option<"fields", "fields", "std::string", "", "the dictionary's entries">,
  ];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def SimplifySimt : Pass<"simt-simplify"> {
  let summary = "folds and canonicalizes, without changing branches and loops";
  let description = [{
    The `canonicalize` pass without the patterns of `scf` ops: these patterns create new branches and loops without the
    marks `simt.uniform` and `simt.divergent`. Registers picked from a constant become a constant.

    Before:
    ```mlir
    %a = arith.addi %t, %c0 : i32
    %v = scf.if %p -> (i32) { scf.yield %a : i32 } else { scf.yield %t : i32 } {simt.divergent}
    ```
    After:
    ```mlir
    %v = scf.if %p -> (i32) { scf.yield %t : i32 } else { scf.yield %t : i32 } {simt.divergent}
    ```
  }];
}

def CanonicalizeThreads : Pass<"simt-canonicalize-threads"> {
  let summary = "canonicalizes, and copies the marks of branches and loops to their replacements";
  let description = [{
    The `canonicalize` pass, with the patterns of `scf` ops: loop-carried values that do not change become values from
    outside the loop; results without uses are removed. Upstream's patterns replace the op for that, without its mark;
    this pass copies the mark to the new op. It runs once, right after tile-to-simt, whose loops may carry offsets that
    do not change. Later passes must not replace blocks and use simt-simplify.

    Before:
    ```mlir
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %s = %c0) -> (i32, i32) : i32 {
      %t = arith.addi %s, %x : i32
      scf.yield %x, %t : i32, i32
    } {simt.uniform}
    ```
    After:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
      %t = arith.addi %s, %a : i32
      scf.yield %t : i32
    } {simt.uniform}
    ```

    A branch or loop without a mark gets none.
  }];
}

def ExpandMath : Pass<"simt-expand-math"> {
  let summary = "expands functions of floats that the target lacks, or computes with too large errors";
  let description = [{
    The algorithms and their errors are listed in core/math/Functions.h. The target's `native_math` lists the functions
    that are not expanded, as `function.width`. The function is the name of an op of `math`, or `remf` for `arith.remf`.
    The width is `f32`, `f64`, `narrow` for floats of 16 bits (expanded in f32), or `fast` for ops of up to 32 bits that
    are marked `afn`. `fma.f32` says that the target's multiply-add rounds once; without it, a `math.fma` that is marked
    `contract` becomes a product and a sum. A `math.fma` of 8-bit floats, which no target has, is always expanded.

    Conversions of floats to integers saturate, and NaN gives 0, on every target: the pass clamps the float before the
    conversion, which then only gets numbers that the integer type represents.

    Before:
    ```mlir
    %r = math.rsqrt %x : vector<4xf32>
    %i = arith.fptoui %x : vector<4xf32> to vector<4xi32>
    ```
    After:
    ```mlir
    %root = math.sqrt %x : vector<4xf32>
    %r = arith.divf %one, %root : vector<4xf32>
    %below = arith.cmpf olt, %x, %limit : vector<4xf32>
    %above = arith.cmpf ogt, %x, %minusOne : vector<4xf32>
    %inside = arith.andi %below, %above : vector<4xi1>
    %number = arith.select %inside, %x, %zero : vector<4xi1>, vector<4xf32>
    %whole = arith.fptoui %number : vector<4xf32> to vector<4xi32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::tegula::simt::SimtDialect"];
}

def FoldScales : Pass<"simt-fold-scales"> {
  let summary = "scales the maxima of elements instead of the elements";
  let description = [{
    For multiplications by one number (the scale) that are marked `contract`, whose maxima are taken, and which are the
    minuends of subtractions with that mark, as in a softmax of scaled scores. Rounding is monotonic. So for a scale
    above 0 and below infinity, the largest product equals the product of the largest element, to the last bit, and the
    other products become fused multiply-adds. A mask may have replaced elements by minus infinity. For other scales a
    branch computes the products as before; the multiply-adds then multiply by 1, which is exact. In a loop, the branch
    is placed around the loop and a copy of it, since inside an attention's loop it costs 3%. A constant scale needs no
    branch.

    Before:
    ```mlir
    %s = arith.mulf %x, (splat %scale) fastmath<contract> : vector<64xf32>
    %m = (maxima of %s by simt.pick, simt.shuffle and arith.maxnumf) : vector<2xf32>
    %d = arith.subf %s, %y fastmath<contract> : vector<64xf32>
    ```
    After:
    ```mlir
    %r:3 = scf.if %keepsOrder -> (vector<64xf32>, f32, vector<2xf32>) {
      %l = (maxima of %x)
      %m = arith.mulf %l, (splat %scale) : vector<2xf32>
      scf.yield %x, %scale, %m
    } else {
      %s = arith.mulf %x, (splat %scale) : vector<64xf32>
      scf.yield %s, %one, (maxima of %s)
    } {simt.uniform}
    %d = math.fma %r#0, (splat %r#1), (negf %y) : vector<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def BranchOnMasks : Pass<"simt-branch-on-masks"> {
  let summary = "turns selects by a mask into branches where one scalar tells that the whole mask is true";
  let description = [{
    A select whose mask is `mask | splat(all)`, where the scalar `all` is the same in all threads (`tile-whole-masks`),
    becomes a branch: if `all` is true, there is no select, and the mask is not computed. A select of many elements by a
    scalar condition becomes a result of a branch behind it by the same condition. Example: at the end of each tile, a
    flattened loop stores its sum and clears it; `scf.if` became a select for the clearing and a branch for the store.

    Before:
    ```mlir
    %either = arith.ori %mask, (splat %all) : vector<64xi1>
    %y = arith.select %either, %x, %low : vector<64xi1>, vector<64xf32>
    ```
    After:
    ```mlir
    %y = scf.if %all -> (vector<64xf32>) {
      scf.yield %x
    } else {
      ...
      %z = arith.select %mask, %x, %low : vector<64xi1>, vector<64xf32>
      scf.yield %z
    } {simt.uniform}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def DefineIntegers : Pass<"simt-define-integers"> {
  let summary = "gives divisions, shifts and loops a defined result where the ops of arith and scf have none";
  let description = [{
    The results are the language's. An integer divided by zero gives 0, and the remainder is the dividend. The lowest
    number divided by -1 gives itself, remainder 0. A shift by the width or more gives 0, or -1 for negative numbers
    shifted right. A loop whose step is not positive has no iteration. An op whose constant operand proves that its
    result is defined is not changed.

    Before:
    ```mlir
    %q = arith.divui %x, %y : i32
    %s = arith.shli %x, %n : i32
    ```
    After:
    ```mlir
    %isZero = arith.cmpi eq, %y, %c0 : i32
    %product = arith.muli %x, %y : i32
    %divisor = arith.select %isZero, %c1, %y : i32
    %quotient = arith.divui %x, %divisor : i32
    %q = arith.select %isZero, %product, %quotient : i32
    %isWithin = arith.cmpi ult, %n, %c32 : i32
    %amount = arith.andi %n, %c31 : i32
    %shifted = arith.shli %x, %amount : i32
    %s = arith.select %isWithin, %shifted, %c0 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AllocateShared : Pass<"simt-allocate-shared"> {
  let summary = "assigns each shared buffer a place; buffers that are not alive at the same time share storage";
  let description = [{
    Each `simt.shared_alloc` without a place moves to the top of the kernel and gets a place; a place that is given
    stays. A buffer is alive from its first access to its last; loops, branches and asynchronous copies extend its life
    by the rules of core/passes/shared/SharedLife.h. A buffer that is allocated inside a loop is a new buffer in each
    iteration. A buffer without uses is removed. Barrier objects without a place get one after all buffers.

    Buffers with elements of different widths share storage only if the target `shares_widths`, else each width has its
    own range. A kernel that needs more than the target's `shared_bytes` is an error (0: no limit). Sharing storage
    costs barriers: buffers share none if all of them fit the target's `spare_bytes`, and buffers of one loop share none
    if that takes at most these bytes more.

    Before:
    ```mlir
    %a = simt.shared_alloc : !simt.shared<256xf32>
    simt.shared_store %a[%t], %v : !simt.shared<256xf32>, i32, f32
    %x = simt.shared_load %a[%u] : !simt.shared<256xf32>, i32 -> f32
    %b = simt.shared_alloc : !simt.shared<256xf32>
    simt.shared_store %b[%t], %w : !simt.shared<256xf32>, i32, f32
    %y = simt.shared_load %b[%u] : !simt.shared<256xf32>, i32 -> f32
    ```
    After:
    ```mlir
    %a = simt.shared_alloc at 0 : !simt.shared<256xf32>
    %b = simt.shared_alloc at 0 : !simt.shared<256xf32>
    ...
    ```
  }];
}

def InsertBarriers : Pass<"simt-insert-barriers"> {
  let summary = "inserts a barrier wherever two accesses to memory are unordered, and nowhere else";
  let description = [{
    Two accesses, at least one of which is a write, that may touch the same byte from different threads need a barrier
    between them on every path from one to the other, including paths around loops. The barrier is inserted as late as
    possible before the second access, but

    - before a divergent branch or loop, because not all threads would reach a barrier inside;
    - before a loop, if only accesses before the loop need it;
    - before a uniform branch, if both of its arms need it.

    A barrier of sets of four warps is inserted if the bytes that both accesses touch belong to threads of one set each.
    That is known of `simt.store_tile`s that a thread of each set starts, and of stores to their buffers.

    Barriers that the kernel already has count. No inserted barrier can be removed without leaving a hazard.

    Two accesses to global memory through the same pointers, which a loop moves, are to one thread's own elements in the
    same iteration, and may be to other threads' elements in another. Only in the second case they need a barrier.

    Buffers without a place share no storage. Accesses whose offsets depend on thread numbers only are evaluated: if
    each byte is touched by one thread only, there is no hazard. An asynchronous access counts as executed at its wait;
    before the wait, no barrier can order it. Copies by hardware need no barrier after the wait, since each reader waits
    itself. Regions that use barrier objects at which threads arrive order themselves and are not changed. If two
    accesses within a divergent branch conflict, no barrier can help: that is an error.

    A barrier between accesses of threads and a later copy by hardware to the same bytes gets a `simt.fence async`
    before it, unless a fence is there already: the barrier does not order them for the unit that copies. Of two such
    fences with nothing but loads and stores between, the second one stays.

    Before:
    ```mlir
    scf.for %i = %c0 to %n step %c1 : i32 {
      simt.shared_store %a[%t], %v : !simt.shared<256xf32>, i32, f32
      %x = simt.shared_load %a[%u] : !simt.shared<256xf32>, i32 -> f32
      ...
    } {simt.uniform}
    ```
    After:
    ```mlir
    scf.for %i = %c0 to %n step %c1 : i32 {
      simt.barrier                                           // all threads have read in the previous iteration
      simt.shared_store %a[%t], %v : !simt.shared<256xf32>, i32, f32
      simt.barrier
      %x = simt.shared_load %a[%u] : !simt.shared<256xf32>, i32 -> f32
      ...
    } {simt.uniform}
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def SpecializeWarps : Pass<"simt-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "specializes the warps of a kernel with a producer: a producer group and a consumer group";
  let description = [{
    The region of a `simt.producer` becomes one group of `simt.warp_groups`, executed by one thread of the group; the
    ops after it become another group, that of the consumer warps. All warps execute the ops before it: barrier objects
    and their initialisation. Ops without effects, such as thread numbers, are recomputed in each group that uses them.
    The kernel gets the warps of both groups and `simt.max_registers`; the consumer warps get all registers that the
    producer leaves.

    The pass chooses the occupancy by counting the values of loops with products. If these values fit a third of a
    multiprocessor's registers beside the producer's registers, and the buffers fit a third of the shared memory, the
    kernel is limited to a third: three programs run at a time, and some compute while another begins or ends. Else the
    kernel may be limited to half, and two programs run. Of a kernel with `simt.resident`, without `simt.pairs`, one
    program runs on a multiprocessor.

    Before:
    ```mlir
    func.func @k(%d: !tile.desc<64x64xf16>) attributes {simt.warps = 8 : i32, ...} {
      %t = simt.thread_id : i32
      %full = simt.barrier_alloc at 65536 : !simt.barriers<4>
      ...
      simt.producer(%d, %full) : !tile.desc<64x64xf16>, !simt.barriers<4>
      group warps 4 registers 40 (%d0: !tile.desc<64x64xf16>, %f0: !simt.barriers<4>) {
        ...
      }
      %u = arith.addi %t, %t : i32
      ...
    ```
    After:
    ```mlir
    func.func @k(%d: !tile.desc<64x64xf16>) attributes {simt.max_registers = 168 : i32, simt.warps = 12 : i32, ...} {
      %full = simt.barrier_alloc at 65536 : !simt.barriers<4>
      ...
      simt.warp_groups(%d, %full) : !tile.desc<64x64xf16>, !simt.barriers<4>
      group warps 8 registers 232 (%d0: !tile.desc<64x64xf16>, %f0: !simt.barriers<4>) {
        %t = simt.thread_id : i32
        %u = arith.addi %t, %t : i32
        ...
      }
      group warps 4 registers 40 (%d1: !tile.desc<64x64xf16>, %f1: !simt.barriers<4>) {
        %first = ... simt.thread_id equals 0 ...
        scf.if %first {
          ...
        } {simt.divergent}
      }
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandEffects : Pass<"simt-expand-effects"> {
  let summary = "lowers prints and assertions to accesses of the launch's print buffer";
  let description = [{
    A thread that prints reserves records for all its elements with one atomic addition, and stores one record for each
    element. A thread whose assertion fails stores one record. core/contracts/DeviceOutput.h describes the buffer and
    how the host orders the lines. The n-th print or assertion in the kernel's text writes message number n. The pass
    runs right before the code generator, so `--emit=simt` still shows the ops, and a backend only has to supply
    `simt.hidden_argument`. No barriers are needed: no thread reads another thread's record.

    Before:
    ```mlir
    simt.print " n: " where %zero (%n) : i32
    ```
    After:
    ```mlir
    scf.if %zero {
      %b = simt.hidden_argument print_buffer : !tile.ptr<i32>
      %before = simt.load %b[%c3] : !tile.ptr<i32>, i32 -> i32                         // room for failures
      %asked = simt.load %b[%c0] volatile : !tile.ptr<i32>, i32 -> i32
      %counts = arith.cmpi ult, %asked, %limit : i32
      %old = simt.atomic_rmw add relaxed device %b[%c0], %c1 mask %counts : !tile.ptr<i32>, i32, i32, i1
      ...
      %words = simt.pick %all [0, 1, 2, 3, 5, 4, 6, 7] : vector<8xi32> -> vector<8xi32>
      simt.store %b[%place], %words mask %room : !tile.ptr<i32>, vector<1xi32>, vector<8xi32>, vector<1xi1>
    } {simt.divergent}
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::scf::SCFDialect"];
}

def CheckBarriers : Pass<"simt-check-barriers"> {
  let summary = "reports each pair of accesses to memory that no barrier orders";
  let description = [{
    Changes nothing. From each access it follows all paths of the control flow graph up to the next barrier; a
    conflicting access on such a path is an error, with a note at the first access. It uses the same description of
    accesses as simt-insert-barriers (core/passes/shared/SharedAccess.h), but another algorithm.

    ```mlir
    simt.shared_store %a[%t], %v : !simt.shared<256xf32>, i32, f32              // note: the other access is here
    %x = simt.shared_load %a[%u] : !simt.shared<256xf32>, i32 -> f32            // error: expected a barrier between ...
    ```
  }];
}

#endif
