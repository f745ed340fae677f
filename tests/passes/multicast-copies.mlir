// RUN: tegula-opt --simt-set-target=fields={shared_bytes=65536,multicasts_tiles=true} --tile-persistent-loop --tile-multicast-copies %s | FileCheck %s

#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,64)>

// Two programs copy halves of a block to each other, if both read it: stages are empty if both have finished with them.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: simt.cluster = 2
// CHECK: simt.start_barriers %{{.*}} count 1
// CHECK-NEXT: simt.start_barriers %{{.*}} count 8
// CHECK-NEXT: simt.cluster_barrier
// CHECK-NEXT: simt.producer
// CHECK: scf.for %[[PROGRAM:.*]] = %{{.*}} to %[[ALL:.*]] step
// CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[PEER:.*]] = arith.xori %[[PROGRAM]], %c1
// CHECK: %[[PAIRED:.*]] = arith.cmpi ult, %[[PEER]], %[[ALL]]
// CHECK: scf.yield %[[PEER]]
// CHECK: %[[OTHER:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[COLUMN]], %[[OTHER]]
// CHECK: %[[SHARED:.*]] = arith.andi %[[PAIRED]], %[[SAME]]
// CHECK: simt.copy_tile {{.*}} multicast %[[SHARED]]
// CHECK: } {simt.divergent}
// CHECK: } {simt.divergent}
// CHECK: simt.barrier_wait
// CHECK: simt.barrier_wait
// CHECK-NOT: simt.barrier_wait
// CHECK: scf.for %[[OWN:.*]] = %{{.*}} to %[[COUNT:.*]] step
// CHECK: %[[OWNPEER:.*]] = arith.xori %[[OWN]], %c1
// CHECK: %[[OWNPAIRED:.*]] = arith.cmpi ult, %[[OWNPEER]], %[[COUNT]]
// CHECK: %[[RANK:.*]] = simt.cluster_rank
// CHECK: %[[NEXT:.*]] = arith.xori %[[RANK]], %c1
// CHECK: %[[TOLD:.*]] = arith.select %[[OWNPAIRED]], %[[NEXT]], %[[RANK]]
// CHECK: simt.arrive_warps %{{.*}} also of %[[TOLD]]
// CHECK-NOT: simt.end_barriers
// CHECK-NOT: simt.cluster_barrier
// CHECK: return
func.func @shared(%bp: !tile.ptr<f16>, %n: i32 {tile.divisibility = 8 : i64}, %k: i32,
    %b: !tile.desc<64x128xf16> {tile.tensor = {pointer = 0 : i64, axes = [
      {extent = array<i64: 1, 2>, stride = array<i64: 1, 1>}, {extent = array<i64: 1, 1>, stride = array<i64: 1>}]}})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32, tile.conditions = []} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ring = simt.shared_alloc : !simt.shared<2x64x128xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  %empty = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  simt.start_barriers %empty count 4 : !simt.barriers<2>
  simt.producer(%empty, %ring, %b, %full, %k, %n)
    : !simt.barriers<2>, !simt.shared<2x64x128xf16, #ring>, !tile.desc<64x128xf16>, !simt.barriers<2>, i32, i32
  group warps 4 registers 40 (%pempty: !simt.barriers<2>, %pring: !simt.shared<2x64x128xf16, #ring>,
    %pb: !tile.desc<64x128xf16>, %pfull: !simt.barriers<2>, %pk: i32, %pn: i32) {
    %p0 = arith.constant 0 : i32
    %p1 = arith.constant 1 : i32
    %p64 = arith.constant 64 : i32
    %p128 = arith.constant 128 : i32
    %true = arith.constant true
    %x = tile.program_id 0
    %tile = arith.divsi %x, %pn : i32
    %column = arith.muli %tile, %p128 : i32
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
      simt.barrier_wait %pempty[%stage], %phase : !simt.barriers<2>
      %to = simt.stage %pring[%stage] : !simt.shared<2x64x128xf16, #ring> -> !simt.shared<64x128xf16, #ring>
      %copied = simt.copy_tile %pb[%i, %column] to %to on %pfull[%stage] phase %phase if %true
        : !tile.desc<64x128xf16>, !simt.shared<64x128xf16, #ring>, !simt.barriers<2>
      %next = arith.xori %stage, %p1 : i32
      %turn = arith.xori %phase, %stage : i32
      scf.yield %next, %turn : i32, i32
    } {simt.divergent}
  }
  %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0) -> (i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    scf.yield %next, %turn : i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  return
}

// Rows are a multiple of 32 bytes apart.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT: cluster
// CHECK-NOT: multicast
func.func @aligned(%bp: !tile.ptr<f16>, %n: i32 {tile.divisibility = 16 : i64}, %k: i32,
    %b: !tile.desc<64x128xf16> {tile.tensor = {pointer = 0 : i64, axes = [
      {extent = array<i64: 1, 2>, stride = array<i64: 1, 1>}, {extent = array<i64: 1, 1>, stride = array<i64: 1>}]}})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32, tile.conditions = []} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ring = simt.shared_alloc : !simt.shared<2x64x128xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  %empty = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  simt.start_barriers %empty count 4 : !simt.barriers<2>
  simt.producer(%empty, %ring, %b, %full, %k, %n)
    : !simt.barriers<2>, !simt.shared<2x64x128xf16, #ring>, !tile.desc<64x128xf16>, !simt.barriers<2>, i32, i32
  group warps 4 registers 40 (%pempty: !simt.barriers<2>, %pring: !simt.shared<2x64x128xf16, #ring>,
    %pb: !tile.desc<64x128xf16>, %pfull: !simt.barriers<2>, %pk: i32, %pn: i32) {
    %p0 = arith.constant 0 : i32
    %p1 = arith.constant 1 : i32
    %p64 = arith.constant 64 : i32
    %p128 = arith.constant 128 : i32
    %true = arith.constant true
    %x = tile.program_id 0
    %tile = arith.divsi %x, %pn : i32
    %column = arith.muli %tile, %p128 : i32
    %r:2 = scf.for %i = %p0 to %pk step %p64 iter_args(%stage = %p0, %phase = %p0) -> (i32, i32) : i32 {
      simt.barrier_wait %pempty[%stage], %phase : !simt.barriers<2>
      %to = simt.stage %pring[%stage] : !simt.shared<2x64x128xf16, #ring> -> !simt.shared<64x128xf16, #ring>
      %copied = simt.copy_tile %pb[%i, %column] to %to on %pfull[%stage] phase %phase if %true
        : !tile.desc<64x128xf16>, !simt.shared<64x128xf16, #ring>, !simt.barriers<2>
      %next = arith.xori %stage, %p1 : i32
      %turn = arith.xori %phase, %stage : i32
      scf.yield %next, %turn : i32, i32
    } {simt.divergent}
  }
  %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%stage = %c0, %phase = %c0) -> (i32, i32) : i32 {
    simt.barrier_wait %full[%stage], %phase : !simt.barriers<2>
    simt.arrive_warps %empty[%stage] : !simt.barriers<2>
    %next = arith.xori %stage, %c1 : i32
    %turn = arith.xori %phase, %stage : i32
    scf.yield %next, %turn : i32, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  simt.end_barriers %empty : !simt.barriers<2>
  return
}
