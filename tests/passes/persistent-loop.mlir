// RUN: tegula-opt --simt-set-target=fields={shared_bytes=65536} --tile-persistent-loop %s | FileCheck %s

#stored = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                              warp (16,0) (32,0)>
#accumulators = #layout.distributed<register (0,1) (0,8) (0,16) (0,32) (0,64) (0,128) (8,0),
                                    lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>
#wide = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,64) (0,128)>
#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0)>

// The producer and the kernel's own code execute several programs; the rings' places go on from one to the next.
// CHECK-LABEL: func.func @programs
// CHECK-SAME: simt.resident
func.func @programs(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  %empty = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  simt.start_barriers %empty count 4 : !simt.barriers<2>
  // CHECK: %[[RESULT:.*]] = simt.shared_alloc : <64x64xf16, #shared>
  // CHECK: simt.producer
  // CHECK: %[[FIRST:.*]] = simt.resident_id
  // CHECK: %[[STEP:.*]] = simt.residents
  // CHECK: scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP]] iter_args(%[[STAGE0:.*]] = %{{.*}}, %[[PHASE0:.*]] = %{{.*}}) -> (i32, i32)
  // CHECK-NOT: tile.program_id
  // In a grid along axis 0 alone there is nothing to divide.
  // CHECK: scf.if %{{.*}} -> (i32, i32, i32) {
  // CHECK-NEXT: scf.yield %[[PROGRAM]], %c0{{.*}}, %c0{{.*}} : i32, i32, i32
  // CHECK-NEXT: } else {
  // CHECK: arith.remui
  // CHECK: %[[END:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[STAGE0]], %{{.*}} = %[[PHASE0]]) -> (i32, i32)
  // CHECK: scf.yield %[[END]]#0, %[[END]]#1 : i32, i32
  // CHECK: } {simt.divergent}
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
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
      simt.barrier_wait %pempty[%stage], %phase : !simt.barriers<2>
      %to = simt.stage %pring[%stage] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
      %copied = simt.copy_tile %pa[%row, %i] to %to on %pfull[%stage] phase %phase if %true
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<2>
      %next = arith.xori %stage, %p1 : i32
      %turn = arith.xori %phase, %stage : i32
      scf.yield %next, %turn : i32, i32
    } {simt.divergent}
  }
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[STAGE1:.*]] = %{{.*}}, %[[PHASE1:.*]] = %{{.*}}) -> (i32, i32)
  // The position that a user's loop carries begins anew.
  // CHECK: %[[DONE:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[STAGE1]], %{{.*}} = %[[PHASE1]], %{{.*}} = %c0{{.*}}) -> (i32, i32, i32)
  // The result's place is computed, and its buffer's last copy waited for, beside the last products.
  // CHECK: arith.remui
  // CHECK: simt.wait_copy_out pending 0
  // CHECK-NEXT: simt.shared_store %[[RESULT]],
  // CHECK: simt.copy_out %[[RESULT]] to {{.*}} later
  // CHECK: scf.yield %[[DONE]]#0, %[[DONE]]#1 : i32, i32
  // CHECK: } {simt.uniform}
  // CHECK-NEXT: simt.wait_copy_out pending 0
  // CHECK-NEXT: simt.end_barriers
  %x = tile.program_id 0
  %row = arith.muli %x, %c64 : i32
  %r:3 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0, %at = %c0) -> (i32, i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %turn, %further : i32, i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #stored>
  simt.shared_store %result, %zeros : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  simt.copy_out %result to %c[%row, %r#2] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}

// A program that could wait for another one.
// CHECK-LABEL: func.func @atomic
// CHECK-NOT: simt.resident
func.func @atomic(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
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
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
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
  %r:3 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0, %at = %c0) -> (i32, i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %turn, %further : i32, i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.fence async
  tile.barrier
  simt.copy_out %result to %c[%row, %r#2] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}

// It does not fit as a whole, but in parts of its columns, which alternate between two halves of a buffer.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: simt.resident
// CHECK: %[[HALVES:.*]] = simt.shared_alloc : <2x64x64xf16, #shared1>
// CHECK: simt.producer
// CHECK: %[[FIRST:.*]] = simt.stage %[[HALVES]][%c0{{.*}}]
// CHECK: simt.wait_copy_out pending 1
// CHECK-NEXT: simt.shared_store %[[FIRST]], %{{.*}} part 0
// CHECK: simt.copy_out %[[FIRST]] to {{.*}} later
// CHECK: %[[SECOND:.*]] = simt.stage %[[HALVES]][%c1{{.*}}]
// CHECK: simt.wait_copy_out pending 1
// CHECK-NEXT: simt.shared_store %[[SECOND]], %{{.*}} part 1
// CHECK: simt.shared_store %{{.*}}, %{{.*}} part 2
// CHECK: simt.shared_store %{{.*}}, %{{.*}} part 3
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %c192
// CHECK: simt.copy_out %{{.*}} to %{{.*}}[%{{.*}}, %[[COLUMN]]] later
// CHECK: simt.wait_copy_out pending 0
// CHECK-NEXT: simt.end_barriers
func.func @parts(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x256xf16>, %k: i32)
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
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
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
  %r:3 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0, %at = %c0) -> (i32, i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %turn, %further : i32, i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %spare = simt.shared_alloc : !simt.shared<3x64x64xf16, #ring>
  %result = simt.shared_alloc : !simt.shared<64x256xf16, #wide>
  %zeros = arith.constant dense<0.0> : tensor<64x256xf16, #accumulators>
  simt.shared_store %result, %zeros : !simt.shared<64x256xf16, #wide>, tensor<64x256xf16, #accumulators>
  simt.fence async
  simt.copy_out %result to %c[%row, %r#2] : !simt.shared<64x256xf16, #wide>, !tile.desc<64x256xf16>
  return
}

// The result does not fit beside the rings.
// CHECK-LABEL: func.func @large
// CHECK-NOT: simt.resident
func.func @large(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
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
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
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
  %r:3 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0, %at = %c0) -> (i32, i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %turn, %further : i32, i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %spare = simt.shared_alloc : !simt.shared<6x64x64xf16, #ring>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.fence async
  simt.copy_out %result to %c[%row, %r#2] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}

// A ring that is read outside of the loop.
// CHECK-LABEL: func.func @outside
// CHECK-NOT: simt.resident
func.func @outside(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
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
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
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
  %r:3 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0, %at = %c0) -> (i32, i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %turn, %further : i32, i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.barrier_wait %full[%c0], %c0 : !simt.barriers<2>
  simt.fence async
  simt.copy_out %result to %c[%row, %r#2] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}

// Programs with different work.
// CHECK-LABEL: func.func @differ
// CHECK-NOT: simt.resident
func.func @differ(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32)
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
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
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
  %r:3 = scf.for %i = %c0 to %row step %c64 iter_args(%stage = %c0, %phase = %c0, %at = %c0) -> (i32, i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %turn, %further : i32, i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.fence async
  simt.copy_out %result to %c[%row, %r#2] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}
