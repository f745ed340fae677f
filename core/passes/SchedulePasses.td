// The passes that decide the schedules of loops and execute them (docs/schedules.md). Part of Passes.td.
#ifndef TEGULA_SCHEDULE_PASSES
#define TEGULA_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleLoops : Pass<"tile-schedule-loops"> {
  let summary = "decides in which iteration the loads of a loop's products are issued (software pipelining)";
  let description = [{
    In innermost loops with `tile.num_stages` of 2 and more (the loop's own, else the module's), schedules the loads
    whose values reach an operand of a `tile.dot` through casts, shape changes and elementwise ops: they get the
    attribute `simt.schedule` (docs/schedules.md). The pass changes no code.

    Before:
    ```mlir
    scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %p = tile.addptr %rows, (splat %i) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>>
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum : tensor<64x64xf32>
    }
    ```
    After:
    ```mlir
      %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<64x32x!tile.ptr<f16>>
    ```
    Loads are issued one iteration ahead, in source order, until a thread holds `ahead_bytes` of them in registers (of
    the target, core/target/TargetDescription.h). Further loads are issued at the top of their own iteration, up to
    `early_bytes`. A load stays in its place if

    - it is volatile or has a cache modifier, or is in a branch;
    - its address or mask depends on another load of the loop that is not issued ahead itself, on a product, on a result
      of a branch with effects, or on a division by a value that the loop changes;
    - it may read an element that the loop writes.

    Loops that contain loops, barriers, assertions or ordering atomics are not changed. Remarks of the topic `pipeline`
    list the loads that are issued ahead, and give the reason for the others.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def FitSchedules : Pass<"tile-fit-schedules"> {
  let summary = "fits schedules to the layouts, which were chosen after them";
  let description = [{
    Schedules are decided before layouts. If a conversion of layouts, or an op that was moved, makes the schedule of an
    op illegal by the rules of docs/schedules.md, all ops of its loop lose their schedules: the loop is right, but
    overlaps nothing. A remark of the topic `pipeline` says so. Loops with copies by hardware are left as they are, but
    their products lose their turns if warps must wait for each other between them.

    Before:
    ```mlir
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : ...   // %p: from an op that is not pure
    ```
    After:
    ```mlir
    %a = tile.load %p : ...
    ```

    Conversions of layouts are new since the decision. One of a small value that is loaded ahead runs at the beginning
    of its step, before waits for copies and products:
    ```mlir
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : ...
    %b = simt.convert_layout %a {simt.schedule = #simt.schedule<ahead 0, place -4>} : ...
    ```
  }];
}

def ExpandSchedules : Pass<"tile-expand-schedules"> {
  let summary = "executes the ops of scheduled loops when their schedules say";
  let description = [{
    Rewrites each loop with ops that have `simt.schedule` (docs/schedules.md). Such ops run at their place in the step
    of their iteration; what they need, addresses and masks, is computed there again. The loop carries the results of
    loads that run ahead and the tokens of copies, one for each iteration, and the loads and copies of the first
    iterations stand before it. It also carries the stage of its rings that it reads, the phase of copies by hardware,
    and, if copies run ahead, the state of the iteration to which they belong: its induction variable, whether it takes
    place, and the carried values from which addresses are computed. Waits of one place are one wait. A product of the
    previous iteration is waited for after the one of this iteration has started.

    Copies whose issuer is the producer leave the loop: a `simt.producer` at the top of the kernel has a loop of the
    same iterations that waits for empty stages and starts them. The loop waits for full stages, hands them back, and
    carries a stage and its phase (docs/matrix/producer.md).

    Before:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %p = tile.addptr %rows, (splat %i) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<64x32x!tile.ptr<f16>>
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum : tensor<64x64xf32>
    }
    ```
    After:
    ```mlir
    %runs = arith.cmpi slt, %c0, %n : i32
    %first = ... load at %c0, masked by %runs ...
    %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %a = %first) -> (...) : i32 {
      %left = arith.subi %n, %i : i32
      %more = arith.cmpi ugt, %left, %c32 : i32        // %i + %c32 < %n, without a wrap
      %j = arith.select %more, (%i + %c32), %i : i32
      %next = ... load at %j, masked by %more ...
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum, %next : tensor<64x64xf32>, tensor<64x32xf16>
    }
    ```
    The loop reads the same elements as before, and no others. A schedule that could change a result is an error at the
    op, with the reason.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
