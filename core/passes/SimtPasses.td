// Passes of the simt level. Each is a page: what it does with IR before and after.
#ifndef TEGULA_SIMT_PASSES
#define TEGULA_SIMT_PASSES

include "mlir/Pass/PassBase.td"

def SimplifySimt : Pass<"simt-simplify"> {
  let summary = "folds and canonicalizes, and keeps the marks of branches";
  let description = [{
    What `canonicalize` does, without the rewrites of `scf` ops: those make new branches and loops, without the
    marks that say who takes them.

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
  let summary = "canonicalizes, and gives branches and loops that are made again their marks";
  let description = [{
    What `canonicalize` does, also with `scf` ops: values that a loop carries and does not change become values from
    outside, results that nothing uses go. Upstream's rewrites make a new op for that, without the mark that says who
    takes it; here the new op has the old one's. It runs once, right behind tile-to-simt, whose loops carry offsets that
    turned out not to change; later passes rest on blocks that stay (simt-simplify).

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

    A branch or loop without a mark gets none, and one that no rewrite makes again is left alone.
  }];
}

def ExpandMath : Pass<"simt-expand-math"> {
  let summary = "replaces functions of floats that the target lacks, or has not well enough, by their algorithms";
  let description = [{
    core/math/Functions.h has the algorithms and their errors. `native` lists what stays, as `function.width`: the
    names of math's ops, `remf` for arith.remf; `f32`, `f64`, `narrow` for floats of 16 and 8 bits, which otherwise
    go by way of f32, and `fast` for ops of up to 32 bits that are marked `afn`. `fma.f32`: the target's multiply-add
    is rounded once; one that is marked `contract` becomes a product and a sum where it is not.

    Conversions of floats to integers saturate, and NaN gives 0, on every target: only numbers that the integers have
    are left to convert.

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
  let options = [
    ListOption<"native", "native", "std::string", "what the target has, as function.width">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::tegula::simt::SimtDialect"];
}

def AllocateShared : Pass<"simt-allocate-shared"> {
  let summary = "gives each buffer in shared memory its place; buffers that are not alive together share storage";
  let description = [{
    Each `simt.shared_alloc` without a place moves to the top of the kernel and gets one; places that are given
    stay. A buffer is alive from the first access to the last (core/passes/SharedLife.h says what loops, branches
    and asynchronous copies add to that). One allocated inside a loop is a new buffer in each iteration. A buffer
    that nothing uses is removed. Barrier objects without a place get one behind all buffers.

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
  let options = [
    Option<"shareWidths", "share-widths", "bool", "true",
           "whether buffers with elements of different width may share storage; without, each width has its own range">,
    Option<"limit", "limit", "int64_t", "0",
           "bytes that the target has: a kernel that needs more is an error; 0 stands for no limit">,
    Option<"spare", "spare", "int64_t", "0",
           "nothing is shared where all buffers together take no more bytes, and by no buffers of one loop where that "
           "takes no more bytes beside: what is shared needs barriers">,
  ];
}

def InsertBarriers : Pass<"simt-insert-barriers"> {
  let summary = "puts a barrier wherever two accesses to memory are unordered, and nowhere else";
  let description = [{
    Two accesses that may touch the same byte from different threads, one of them a write, need a barrier between
    them on every path from one to the other, those around loops included. It stands as late as possible before the
    second; before a branch in which threads part, because not all would come; before a loop where what comes before
    the loop is the only reason; before a branch where both of its arms need one. Barriers that are there count.
    None of those inserted can be taken away again.

    Buffers without a place share no storage. Accesses whose offsets depend on thread numbers only are evaluated:
    where each byte belongs to one thread there is no hazard. An asynchronous access counts from the wait for it on:
    what is still under way no barrier can order. Regions that wait on barrier objects order themselves and are left
    alone. Where two accesses in a branch in which threads part are in each other's way, no barrier can help: that
    is an error.

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
      simt.barrier                                                      // the iteration before has read
      simt.shared_store %a[%t], %v : !simt.shared<256xf32>, i32, f32
      simt.barrier
      %x = simt.shared_load %a[%u] : !simt.shared<256xf32>, i32 -> f32
      ...
    } {simt.uniform}
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def ExpandEffects : Pass<"simt-expand-effects"> {
  let summary = "turns prints and assertions into accesses of the launch's print buffer";
  let description = [{
    Each thread takes places in the buffer by one atomic addition for all elements that it prints, and stores a record
    for each; of an assertion one, where a condition is false. core/contracts/DeviceOutput.h draws the buffer and says how
    the host puts lines in order. The n-th print or assertion of the kernel's text writes message number n. Code
    generators run it before they print, so that a backend only has to hand over `simt.hidden_argument`; the simt level
    that people see keeps the ops. No barriers are needed: no thread reads what another writes.

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
    Changes nothing. From each access it follows all paths of the kernel, as a graph, up to the next barrier;
    meeting an access in its way is an error at the second with a note at the first. It shares with
    simt-insert-barriers what an access may touch (core/passes/SharedAccess.h), and none of the way in which order
    is found.

    ```mlir
    simt.shared_store %a[%t], %v : !simt.shared<256xf32>, i32, f32              // note: the other access is here
    %x = simt.shared_load %a[%u] : !simt.shared<256xf32>, i32 -> f32            // error: expected a barrier between ...
    ```
  }];
}

#endif
