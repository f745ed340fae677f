// A block that is loaded behind a loop with a producer, and joined with the loop's result: the producer copies it in
// parts of its columns through the stages of a ring.
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-expand-schedules --canonicalize --cse %s 2>/dev/null | FileCheck %s
// Programs of the grid one after another: the rings go on behind the parts.
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-assign-layouts --tile-persistent-loop --tile-expand-schedules %s 2>/dev/null | FileCheck %s --check-prefix=PROGRAMS
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-assign-layouts --tile-persistent-loop --tile-expand-schedules --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s 2>/dev/null | FileCheck %s --check-prefix=SIMT
// What leaves the block to threads: elements of another type than the ring's; lines, or their
// distance, that are not known to be aligned; a position that may be negative, or comes from memory; what may wait
// before it; another loop before it; another use than with other elements in their places; a launch that derives
// nothing.
// RUN: sed '/residual/s/f16/bf16/g' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/ptr<f16> {tile.divisibility = 16/ptr<f16> {tile.divisibility = 8/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/%n: i32 {tile.divisibility = 16 : i64}/%n: i32/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/%row = arith.muli %program/%row = arith.subi %program/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/muli %column0, %c64/muli %found, %c64/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/^    %r0 =/    %waited = tile.load %places volatile : !tile.ptr<i32> %r0 =/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/^    %r0 =/    scf.for %again = %c0 to %k step %c32 : i32 { tile.assume %more : i1 } %r0 =/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/%wide = tile.fp_cast %block/%turned = tile.sort %block signed : tensor<128x64xf16> %wide = tile.fp_cast %turned/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/conditional = true/conditional = false/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies 2>/dev/null | FileCheck %s --check-prefix=LOADED
// A policy that the kernel asks for.
// RUN: sed 's/other %none :/other %none eviction(first) :/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-expand-schedules 2>/dev/null | FileCheck %s --check-prefix=FIRST
// FIRST-COUNT-2: simt.copy_tile %{{.*}} once %{{.*}} : !tile.desc<128x32xf16>
// Blocks of four parts pass three stages, too.
// RUN: sed 's/x32xf16/x16xf16/g; s/x32xi1/x16xi1/g; s/c32 = arith.constant 32/c32 = arith.constant 16/; s/tensor<32x64xf16>/tensor<16x64xf16>/g' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-expand-schedules 2>/dev/null | FileCheck %s --check-prefix=FOUR
// FOUR: simt.join_parts %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
// LOADED-NOT: simt.join_parts
// LOADED: tile.load %{{.*}} mask
// LOADED-NOT: simt.join_parts
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 8 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, moves_registers = true,
                                  loads_matrices = true, conditional = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  // Two copies fill a stage of the rings; beside the copy of a part, the producer arrives once itself. The product of
  // an iteration runs on: its stage is handed back before the parts are waited for, the last part's by the next
  // program.
  // CHECK-LABEL: func.func @joined
  // CHECK-SAME: !tile.desc<128x32xf16> {tile.name = "residual (derived)", tile.tensor = {axes = [{extent = array<i64: 1, 5>, stride = array<i64: 1, 6>}, {extent = array<i64: 1, 6>, stride = array<i64: 1>}], narrow, pointer = 3 : i64}}
  // CHECK: simt.producer(
  // CHECK:   %[[NEXT:.*]] = arith.addi %[[COLUMN:.*]], %c32
  // CHECK:   %[[C:.*]]:2 = scf.for
  // CHECK:   simt.barrier_wait %[[E:.*]][%[[C]]#0]
  // CHECK:   simt.copy_tile %[[RESIDUAL:.*]][%[[ROW:.*]], %[[COLUMN]]] to %{{.*}} on %[[F:.*]][%[[C]]#0] phase %[[C]]#1
  // CHECK:   simt.arrive_warps %[[F]][%[[C]]#0]
  // CHECK:   simt.barrier_wait %[[E]][%[[S1:.*]]], %{{.*}}
  // CHECK:   simt.copy_tile %[[RESIDUAL]][%[[ROW]], %[[NEXT]]] to %{{.*}} on %[[F]][%[[S1]]] phase %[[P1:.*]] if
  // CHECK:   simt.arrive_warps %[[F]][%[[S1]]]
  // CHECK: %[[R:.*]]:3 = scf.for
  // CHECK: simt.wait_products %[[R]]#0
  // CHECK: %[[BEFORE:.*]] = arith.select
  // CHECK: simt.arrive_warps %[[EMPTY:.*]][%[[BEFORE]]] :
  // CHECK: simt.barrier_wait %[[FULL:.*]][%[[R]]#1], %[[R]]#2
  // CHECK: %[[A:.*]] = simt.stage %[[RING:.*]][%[[R]]#1]
  // CHECK: %[[LEFT:.*]] = simt.shared_load %[[A]]
  // CHECK: simt.arrive_warps %[[EMPTY]][%{{.*}}] loaded
  // CHECK: simt.barrier_wait %[[FULL]]
  // CHECK: %[[B:.*]] = simt.stage %[[RING]]
  // CHECK: %[[RIGHT:.*]] = simt.shared_load %[[B]]
  // CHECK-NOT: simt.arrive_warps
  // CHECK: simt.end_barriers
  // CHECK: %[[BLOCK:.*]] = simt.join_parts %[[LEFT]], %[[RIGHT]]
  // CHECK-NOT: tile.load %{{.*}} mask
  // CHECK: tile.fp_cast %[[BLOCK]]
  // CHECK: simt.copy_out

  // PROGRAMS-LABEL: func.func @joined
  // PROGRAMS-SAME: simt.resident
  // PROGRAMS: simt.producer
  // PROGRAMS: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32)
  // PROGRAMS:   %{{.*}}:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[S]], %{{.*}} = %[[P]]) -> (i32, i32)
  // PROGRAMS-COUNT-2: simt.copy_tile
  // PROGRAMS:   %[[NEXTS:.*]] = arith.select
  // PROGRAMS:   %[[NEXTP:.*]] = arith.select
  // PROGRAMS:   scf.yield %[[NEXTS]], %[[NEXTP]] : i32, i32
  // PROGRAMS: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i32)
  // PROGRAMS-COUNT-2: simt.shared_load
  // PROGRAMS:   %[[OWNS:.*]] = arith.select
  // PROGRAMS:   %[[OWNP:.*]] = arith.select
  // PROGRAMS:   scf.yield %[[OWNS]], %[[OWNP]] : i32, i32

  // The threads of a warp have loaded the stage, and each has executed a fence, before it is handed back.
  // SIMT-LABEL: func.func @joined
  // SIMT: simt.matmul_wait 0
  // SIMT: simt.load_matrix
  // SIMT: simt.fence async
  // SIMT-NEXT: simt.barrier warps 1
  // SIMT: simt.barrier_arrive
  // SIMT: simt.store_tile
  // The producer's thread.
  // SIMT: group warps 4 registers 40 (
  // SIMT: simt.barrier_expect %{{.*}} bytes 8192
  // SIMT-NEXT: simt.load_tile
  // SIMT: simt.barrier_expect %{{.*}} bytes 8192
  // SIMT-NEXT: simt.load_tile
  // SIMT-NEXT: simt.barrier_arrive
  func.func @joined(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %o: !tile.desc<128x64xf16>,
      %residual: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "residual"}, %k: i32, %m: i32,
      %n: i32 {tile.divisibility = 16 : i64}, %places: !tile.ptr<i32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %program = tile.program_id 0
    %row = arith.muli %program, %c128 : i32
    %column0 = tile.program_id 1
    %found = tile.load %places : !tile.ptr<i32>
    %column = arith.muli %column0, %c64 : i32
    %more = arith.cmpi sgt, %k, %c0 : i32
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %r0 = tile.make_range 0 to 128 : tensor<128xi32>
    %r1 = tile.expand_dims %r0 axis 1 : tensor<128xi32>
    %rowss = tile.splat %row : i32 -> tensor<128x1xi32>
    %rows = arith.addi %rowss, %r1 : tensor<128x1xi32>
    %c1 = tile.make_range 0 to 64 : tensor<64xi32>
    %c2 = tile.expand_dims %c1 axis 0 : tensor<64xi32>
    %columnss = tile.splat %column : i32 -> tensor<1x64xi32>
    %columns = arith.addi %columnss, %c2 : tensor<1x64xi32>
    %ms = tile.splat %m : i32 -> tensor<128x1xi32>
    %ns = tile.splat %n : i32 -> tensor<128x1xi32>
    %nsc = tile.splat %n : i32 -> tensor<1x64xi32>
    %isrow = arith.cmpi slt, %rows, %ms : tensor<128x1xi32>
    %iscolumn = arith.cmpi slt, %columns, %nsc : tensor<1x64xi32>
    %isrowb = tile.broadcast %isrow : tensor<128x1xi1> -> tensor<128x64xi1>
    %iscolumnb = tile.broadcast %iscolumn : tensor<1x64xi1> -> tensor<128x64xi1>
    %inside = arith.andi %isrowb, %iscolumnb : tensor<128x64xi1>
    %lines = arith.muli %rows, %ns : tensor<128x1xi32>
    %linesb = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x64xi32>
    %columnsb = tile.broadcast %columns : tensor<1x64xi32> -> tensor<128x64xi32>
    %at = arith.addi %linesb, %columnsb : tensor<128x64xi32>
    %base = tile.splat %residual : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32> // residual
    %none = arith.constant dense<0.0> : tensor<128x64xf16> // residual
    %block = tile.load %p mask %inside other %none : tensor<128x64x!tile.ptr<f16>> // residual
    %wide = tile.fp_cast %block : tensor<128x64xf16> -> tensor<128x64xf32> // residual
    %joined = arith.addf %sum, %wide : tensor<128x64xf32>
    %narrow = tile.fp_cast %joined : tensor<128x64xf32> -> tensor<128x64xf16>
    tile.desc_store %o[%row, %column], %narrow : !tile.desc<128x64xf16>, tensor<128x64xf16>
    return
  }
}
