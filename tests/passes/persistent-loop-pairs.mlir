// RUN: tegula-opt --simt-set-target=fields={shared_bytes=262144} --tile-persistent-loop %s | FileCheck %s
// Too little room for two stages of the block, and for the result beside the rings.
// RUN: tegula-opt --simt-set-target=fields={shared_bytes=40000} --tile-persistent-loop %s | FileCheck %s --check-prefix=ONE
// ONE-LABEL: func.func @pairs
// ONE-SAME: simt.pairs
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
// RUN: sed 's/%end = arith.subi %pk, %row/%end = arith.addi %pk, %p64/; s/%end = arith.subi %k, %row/%end = arith.addi %k, %c64/' %s | tegula-opt --simt-set-target=fields={shared_bytes=262144} --tile-persistent-loop | FileCheck %s --check-prefix=FULL

#stored = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                              warp (16,0) (32,0)>
#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0)>

// The loop has ever fewer iterations along axis 0, so programs are executed in pairs. A block is copied before the
// loop: it becomes a ring of two stages, which the kernel's own warps hand back behind all that reads it. The stage
// before the first iteration's is filled with zeros for a product of the iteration before, and the last one is read
// behind the loop.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: simt.pairs, simt.resident
func.func @pairs(%q: !tile.desc<64x64xf16>, %a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
    attributes {tile.kernel, tile.longest_first = 0 : i32, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #stored>
  // CHECK: %[[Q:.*]] = simt.shared_alloc : <2x64x64xf16, #shared>
  // CHECK-NEXT: %[[READ:.*]] = simt.barrier_alloc : <2>
  // CHECK-NEXT: %[[COPIED:.*]] = simt.barrier_alloc : <2>
  // CHECK: simt.start_barriers %[[READ]] count 4 : <2>
  // CHECK-NEXT: simt.start_barriers %[[COPIED]] count 1 : <2>
  %block = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  %once = simt.barrier_alloc : !simt.barriers<1>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  %empty = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %once count 1 : !simt.barriers<1>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  simt.start_barriers %empty count 4 : !simt.barriers<2>
  // CHECK: simt.producer(
  // CHECK-NEXT: group warps 4 registers 40 ({{.*}}%[[INQ:[a-z0-9]+]]: !simt.shared<2x64x64xf16, #shared>, %[[INCOPIED:[a-z0-9]+]]: !simt.barriers<2>, %[[INREAD:[a-z0-9]+]]: !simt.barriers<2>)
  // CHECK: %[[ARE:.*]] = arith.cmpi ult, %[[N:.*]], %[[ALL:.*]] : i32
  // CHECK: %[[EACH:.*]] = arith.select %[[ARE]], %c2{{.*}}, %c1
  // CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[EACH]]
  // CHECK: %[[AFTER:.*]] = arith.addi %[[FIRST]], %[[EACH]]
  // CHECK: %[[END:.*]] = arith.minui %[[ALL]], %[[AFTER]]
  // CHECK: scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %[[END]] step %c1{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32, i32, i32)
  // Line after line, but for the last 16 lines.
  // CHECK: %[[BEFORE:.*]] = arith.cmpi ult, %[[PROGRAM]],
  // CHECK: arith.select %[[BEFORE]], %[[PROGRAM]],
  // CHECK: %[[OTHER:.*]] = arith.xori %[[P]], %c1
  // CHECK: simt.barrier_wait %[[INREAD]][%[[S]]], %[[OTHER]]
  // CHECK: %[[TO:.*]] = simt.stage %[[INQ]][%[[S]]]
  // CHECK: simt.copy_tile %{{.*}} to %[[TO]] on %[[INCOPIED]][%[[S]]] phase %[[P]]
  // CHECK: scf.for
  simt.producer(%empty, %ring, %a, %full, %k, %q, %block, %once)
    : !simt.barriers<2>, !simt.shared<2x64x64xf16, #ring>, !tile.desc<64x64xf16>, !simt.barriers<2>, i32,
      !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<1>
  group warps 4 registers 40 (%pempty: !simt.barriers<2>, %pring: !simt.shared<2x64x64xf16, #ring>,
    %pa: !tile.desc<64x64xf16>, %pfull: !simt.barriers<2>, %pk: i32, %pq: !tile.desc<64x64xf16>,
    %pblock: !simt.shared<64x64xf16, #ring>, %ponce: !simt.barriers<1>) {
    %p0 = arith.constant 0 : i32
    %p1 = arith.constant 1 : i32
    %p64 = arith.constant 64 : i32
    %true = arith.constant true
    %x = tile.program_id 0
    %row = arith.muli %x, %p64 : i32
    %qcopied = simt.copy_tile %pq[%row, %p0] to %pblock on %ponce[%p0] phase %p0 if %true
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<1>
    %end = arith.subi %pk, %row : i32
    %r:2 = scf.for %i = %p0 to %end step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
      simt.barrier_wait %pempty[%stage], %phase : !simt.barriers<2>
      %to = simt.stage %pring[%stage] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
      %copied = simt.copy_tile %pa[%row, %i] to %to on %pfull[%stage] phase %phase if %true
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<2>
      %next = arith.xori %stage, %p1 : i32
      %turn = arith.xori %phase, %stage : i32
      scf.yield %next, %turn : i32, i32
    } {simt.divergent}
  }
  // CHECK: scf.for %{{.*}} iter_args(%[[STAGE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[P1:.*]] = %{{.*}}) -> (i32, i32, i32, i32)
  // CHECK: %[[VIEW:.*]] = simt.stage %[[Q]][%[[S1]]]
  // CHECK: %[[IS0:.*]] = arith.cmpi eq, %[[STAGE]], %c0
  // CHECK: %[[LOWER:.*]] = arith.subi %[[STAGE]], %c1
  // CHECK: %[[LAST:.*]] = arith.select %[[IS0]], %c1{{.*}}, %[[LOWER]]
  // CHECK: simt.stage %{{.*}}[%[[LAST]]]
  // CHECK: simt.barrier_wait %[[COPIED]][%[[S1]]], %[[P1]]
  // CHECK: scf.for
  // CHECK: simt.shared_load %[[VIEW]]
  // CHECK: }
  // CHECK: simt.arrive_warps %[[READ]][%[[S1]]] loaded
  // CHECK: scf.yield
  // CHECK: } {simt.uniform}
  // CHECK-DAG: simt.end_barriers %[[COPIED]]
  // CHECK-DAG: simt.end_barriers %[[READ]]
  %x = tile.program_id 0
  %row = arith.muli %x, %c64 : i32
  %cleared = simt.stage %ring[%c1] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
  simt.shared_store %cleared, %zeros : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  simt.barrier_wait %once[%c0], %c0 : !simt.barriers<1>
  simt.end_barriers %once : !simt.barriers<1>
  %end = arith.subi %k, %row : i32
  %r:2 = scf.for %i = %c0 to %end step %c64 iter_args(%stage = %c0, %phase = %c0) -> (i32, i32) : i32 {
    %read = simt.shared_load %block : !simt.shared<64x64xf16, #ring> -> tensor<64x64xf16, #stored>
    %before = arith.xori %stage, %c1 : i32
    simt.barrier_wait %full[%before], %phase : !simt.barriers<2>
    %view = simt.stage %ring[%before] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
    simt.arrive_warps %empty[%before] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    scf.yield %next, %turn : i32, i32
  } {simt.uniform}
  %before = arith.xori %r#0, %c1 : i32
  simt.barrier_wait %full[%before], %r#1 : !simt.barriers<2>
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.shared_store %result, %zeros : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  simt.copy_out %result to %c[%row, %c0] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}

// Programs have different numbers of iterations, in no known order: the device takes them one by one.
// CHECK-LABEL: func.func @unordered
// CHECK-NOT: simt.resident
func.func @unordered(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  %empty = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  simt.start_barriers %empty count 4 : !simt.barriers<2>
  simt.producer(%empty, %ring, %a, %full, %k)
    : !simt.barriers<2>, !simt.shared<2x64x64xf16, #ring>, !tile.desc<64x64xf16>, !simt.barriers<2>, i32
  group warps 4 registers 40 (%pempty: !simt.barriers<2>, %pring: !simt.shared<2x64x64xf16, #ring>,
    %pa: !tile.desc<64x64xf16>, %pfull: !simt.barriers<2>, %pk: i32) {
    %p0 = arith.constant 0 : i32
    %p1 = arith.constant 1 : i32
    %p64 = arith.constant 64 : i32
    %true = arith.constant true
    %x = tile.program_id 0
    %row = arith.muli %x, %p64 : i32
    %end = arith.remui %pk, %x : i32
    %r:2 = scf.for %i = %p0 to %end step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
      simt.barrier_wait %pempty[%stage], %phase : !simt.barriers<2>
      %to = simt.stage %pring[%stage] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
      %copied = simt.copy_tile %pa[%row, %i] to %to on %pfull[%stage] phase %phase if %true
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<2>
      %next = arith.xori %stage, %p1 : i32
      %turn = arith.xori %phase, %stage : i32
      scf.yield %next, %turn : i32, i32
    } {simt.divergent}
  }
  %x = tile.program_id 0
  %row = arith.muli %x, %c64 : i32
  %end = arith.remui %k, %x : i32
  %r:2 = scf.for %i = %c0 to %end step %c64 iter_args(%stage = %c0, %phase = %c0) -> (i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    scf.yield %next, %turn : i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #stored>
  simt.shared_store %result, %zeros : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  simt.copy_out %result to %c[%row, %c0] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}
