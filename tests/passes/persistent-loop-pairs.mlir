// RUN: tegula-opt --simt-set-target=fields={shared_bytes=262144} --tile-persistent-loop %s | FileCheck %s
// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=262144,moves_registers=true}' --tile-persistent-loop --tile-expand-schedules --cse %s | FileCheck %s --check-prefix=EXPANDED
// Too little room for two stages of the block, and for the result beside the rings.
// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=40000,moves_registers=true}' --tile-persistent-loop --tile-expand-schedules --cse %s | FileCheck %s --check-prefix=ONE
// ONE-LABEL: func.func @pairs
// ONE-SAME: simt.pairs
// ONE: simt.shared_alloc : <64x64xf16, #shared>
// ONE: %[[BLOCK:.*]] = simt.shared_alloc : <64x64xf16, #shared>
// ONE-NEXT: simt.barrier_alloc : <1>
// ONE-NEXT: simt.barrier_alloc : <1>
// ONE: } {simt.divergent}
// ONE: simt.shared_load %[[BLOCK]]
// RUN: tegula-opt --simt-set-target=fields={shared_bytes=30000} --tile-persistent-loop %s | FileCheck %s --check-prefix=FULL
// FULL-NOT: simt.resident
// Two programs fit a multiprocessor before, but not with the result beside the rings.
// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=262144,thread_register_bytes=1020}' --tile-persistent-loop %s | FileCheck %s --check-prefix=FULL
// With equally many iterations the device takes such programs one by one.
// RUN: sed 's/%end = arith.subi %k, %row/%end = arith.addi %k, %c64/' %s | tegula-opt --simt-set-target=fields={shared_bytes=262144} --tile-persistent-loop | FileCheck %s --check-prefix=FULL
// Also if they have different numbers of iterations, in no known order.
// RUN: sed 's/tile.longest_first = 0 : i32, //' %s | tegula-opt --simt-set-target=fields={shared_bytes=262144} --tile-persistent-loop | FileCheck %s --check-prefix=FULL

#stored = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                              warp (16,0) (32,0)>
#sums = #layout.distributed<register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0),
                            warp (16,0) (32,0)>
#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// The loop has ever fewer iterations along axis 0, so programs are executed in pairs. A block is copied before the
// loop: it becomes a ring of two stages, of which the unexpanded code names stage 0.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: simt.pairs, simt.resident
// CHECK: %[[Q:.*]] = simt.shared_alloc : <2x64x64xf16, #shared>
// CHECK: %[[COPIED:.*]] = simt.barrier_alloc : <2>
// CHECK: %[[ARE:.*]] = arith.cmpi ult, %[[N:.*]], %[[ALL:.*]] : i32
// CHECK: %[[EACH:.*]] = arith.select %[[ARE]], %c2{{.*}}, %c1
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[EACH]]
// CHECK: %[[AFTER:.*]] = arith.addi %[[FIRST]], %[[EACH]]
// CHECK: %[[END:.*]] = arith.minui %[[ALL]], %[[AFTER]]
// CHECK: scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %[[END]] step %c1
// Line after line, but for the last 16 lines.
// CHECK: %[[VIEW:.*]] = simt.stage %[[Q]][%c0
// CHECK: %[[BEFORE:.*]] = arith.cmpi ult, %[[PROGRAM]],
// CHECK: arith.select %[[BEFORE]], %[[PROGRAM]],
// CHECK: simt.copy_tile %{{.*}} to %[[VIEW]] on %[[COPIED]][%c0{{.*}}] phase %c0
// CHECK: scf.for
// CHECK: simt.shared_load %[[VIEW]]
// CHECK: } {simt.programs, simt.uniform}

// The kernel's own warps hand the block back behind all that reads it. The stage before the first iteration's is filled
// with zeros, for a product of the iteration before.
// EXPANDED-LABEL: func.func @pairs
// EXPANDED: %[[Q:.*]] = simt.shared_alloc : <2x64x64xf16, #shared>
// EXPANDED-NEXT: %[[COPIED:.*]] = simt.barrier_alloc : <2>
// EXPANDED-NEXT: %[[READ:.*]] = simt.barrier_alloc : <2>
// EXPANDED: simt.start_barriers %[[READ]] count 4 : <2>
// EXPANDED-NEXT: simt.start_barriers %[[COPIED]] count 1 : <2>
// EXPANDED: simt.producer(
// EXPANDED: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32, i32, i32)
// EXPANDED: %[[OTHER:.*]] = arith.xori %[[P]], %c1
// EXPANDED: simt.barrier_wait %{{.*}}[%[[S]]], %[[OTHER]]
// EXPANDED: %[[TO:.*]] = simt.stage %{{.*}}[%[[S]]]
// EXPANDED: simt.copy_tile %{{.*}} to %[[TO]] on %{{.*}}[%[[S]]] phase %[[P]]
// EXPANDED: scf.for
// EXPANDED: } {simt.divergent}
// EXPANDED: scf.for %{{.*}} iter_args(%[[STAGE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[P1:.*]] = %{{.*}}) -> (i32, i32, i32, i32)
// EXPANDED: %[[VIEW:.*]] = simt.stage %[[Q]][%[[S1]]]
// EXPANDED: %[[IS0:.*]] = arith.cmpi eq, %[[STAGE]], %c0
// EXPANDED: %[[LOWER:.*]] = arith.subi %[[STAGE]], %c1
// EXPANDED: %[[LAST:.*]] = arith.select %[[IS0]], %c1{{.*}}, %[[LOWER]]
// EXPANDED: simt.stage %{{.*}}[%[[LAST]]]
// EXPANDED: simt.barrier_wait %[[COPIED]][%[[S1]]], %[[P1]]
// EXPANDED: scf.for
// EXPANDED: simt.shared_load %[[VIEW]]
// EXPANDED: } {simt.uniform}
// EXPANDED: simt.arrive_warps %[[READ]][%[[S1]]] loaded
// EXPANDED: scf.yield
// EXPANDED: } {simt.uniform}
// EXPANDED-DAG: simt.end_barriers %[[COPIED]]
// EXPANDED-DAG: simt.end_barriers %[[READ]]
func.func @pairs(%q: !tile.desc<64x64xf16>, %a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
    attributes {tile.kernel, tile.longest_first = 0 : i32, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #stored>
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %block = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  %once = simt.barrier_alloc : !simt.barriers<1>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %once count 1 : !simt.barriers<1>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  %x = tile.program_id 0
  %row = arith.muli %x, %c64 : i32
  %u = simt.copy_tile %q[%row, %c0] to %block on %once[%c0] phase %c0 if %true
    {simt.schedule = #simt.schedule<ahead 0, producer>}
    : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<1>
  %cleared = simt.stage %ring[%c1] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
  simt.shared_store %cleared, %zeros : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  simt.wait_tiles %u on %once : !simt.barriers<1>
  simt.end_barriers %once : !simt.barriers<1>
  %end = arith.subi %k, %row : i32
  %stage = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
  %r:2 = scf.for %i = %c0 to %end step %c64 iter_args(%sum = %none, %total = %zeros)
      -> (tensor<64x64xf32, #sums>, tensor<64x64xf16, #stored>) : i32 {
    %t = simt.copy_tile %a[%row, %i] to %stage on %full[%c0] phase %c0 if %true
      {simt.schedule = #simt.schedule<ahead 1, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<2>
    simt.wait_tiles %t on %full : !simt.barriers<2>
    %left = simt.shared_load %block : !simt.shared<64x64xf16, #ring> -> tensor<64x64xf16, #stored>
    %next = arith.addf %total, %left : tensor<64x64xf16, #stored>
    %d = simt.product %stage, %stage, %sum instruction #group
      : !simt.shared<64x64xf16, #ring>, !simt.shared<64x64xf16, #ring>, tensor<64x64xf32, #sums>
    %w = simt.wait_products %d {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32, #sums>
    scf.yield %w, %next : tensor<64x64xf32, #sums>, tensor<64x64xf16, #stored>
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.shared_store %result, %r#1 : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  simt.copy_out %result to %c[%row, %c0] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}
