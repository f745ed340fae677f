// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=48000,multicasts_tiles=true,moves_registers=true}' --tile-persistent-loop --tile-multicast-copies %s | FileCheck %s
// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=48000,multicasts_tiles=true,moves_registers=true}' --tile-persistent-loop --tile-multicast-copies --tile-expand-schedules --cse %s | FileCheck %s --check-prefix=EXPANDED
// Rows are a multiple of 32 bytes apart; or the launch executes pairs of programs.
// RUN: sed 's/tile.divisibility = 8/tile.divisibility = 16/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=48000,multicasts_tiles=true}' --tile-persistent-loop --tile-multicast-copies | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/{tile.kernel,/{tile.kernel, tile.longest_first = 0 : i32,/; s/to %k step/to %x step/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=48000,multicasts_tiles=true}' --tile-persistent-loop --tile-multicast-copies | FileCheck %s --check-prefix=ALONE
// ALONE: simt.resident
// ALONE-NOT: cluster
// ALONE-NOT: multicast

#stored = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0) (0,64), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                              warp (16,0) (32,0)>
#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,64)>

// Two programs copy halves of a block to each other, if both read it.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: simt.cluster = 2
// CHECK: scf.for %[[PROGRAM:.*]] = %{{.*}} to %[[ALL:.*]] step
// CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[PEER:.*]] = arith.xori %[[PROGRAM]], %c1
// CHECK: %[[PAIRED:.*]] = arith.cmpi ult, %[[PEER]], %[[ALL]]
// CHECK: scf.yield %[[PEER]]
// CHECK: %[[OTHER:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[COLUMN]], %[[OTHER]]
// CHECK: %[[SHARED:.*]] = arith.andi %[[PAIRED]], %[[SAME]]
// CHECK: scf.for
// CHECK: simt.copy_tile {{.*}} multicast %[[SHARED]]

// Stages are empty if both programs have finished with them. The producer waits for that at the kernel's end.
// EXPANDED-LABEL: func.func @shared
// EXPANDED: simt.start_barriers %{{.*}} count 1
// EXPANDED-NEXT: simt.start_barriers %{{.*}} count 8
// EXPANDED-NEXT: simt.cluster_barrier
// EXPANDED-NEXT: simt.producer
// EXPANDED: %[[SHARED:.*]] = arith.andi
// EXPANDED: simt.copy_tile {{.*}} multicast %[[SHARED]]
// EXPANDED: } {simt.divergent}
// EXPANDED: } {simt.divergent}
// EXPANDED: simt.barrier_wait
// EXPANDED: simt.barrier_wait
// EXPANDED-NOT: simt.barrier_wait
// EXPANDED: scf.for %[[OWN:.*]] = %{{.*}} to %[[COUNT:.*]] step
// EXPANDED: %[[OWNPEER:.*]] = arith.xori %[[OWN]], %c1
// EXPANDED: %[[OWNPAIRED:.*]] = arith.cmpi ult, %[[OWNPEER]], %[[COUNT]]
// EXPANDED: %[[RANK:.*]] = simt.cluster_rank
// EXPANDED: %[[NEXT:.*]] = arith.xori %[[RANK]], %c1
// EXPANDED: %[[TOLD:.*]] = arith.select %[[OWNPAIRED]], %[[NEXT]], %[[RANK]]
// EXPANDED: simt.arrive_warps %{{.*}} also of %[[TOLD]]
// EXPANDED-NOT: simt.end_barriers
// EXPANDED-NOT: simt.cluster_barrier
// EXPANDED: return
func.func @shared(%bp: !tile.ptr<f16>, %n: i32 {tile.divisibility = 8 : i64}, %k: i32,
    %b: !tile.desc<64x128xf16> {tile.tensor = {pointer = 0 : i64, axes = [
      {extent = array<i64: 1, 2>, stride = array<i64: 1, 1>}, {extent = array<i64: 1, 1>, stride = array<i64: 1>}]}})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32, tile.conditions = []} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<64x128xf16, #stored>
  %ring = simt.shared_alloc : !simt.shared<2x64x128xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  %x = tile.program_id 0
  %tile = arith.divsi %x, %n : i32
  %column = arith.muli %tile, %c128 : i32
  %stage = simt.stage %ring[%c0] : !simt.shared<2x64x128xf16, #ring> -> !simt.shared<64x128xf16, #ring>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %zeros) -> (tensor<64x128xf16, #stored>) : i32 {
    %t = simt.copy_tile %b[%i, %column] to %stage on %full[%c0] phase %c0 if %true
      {simt.schedule = #simt.schedule<ahead 1, place 1, producer>}
      : !tile.desc<64x128xf16>, !simt.shared<64x128xf16, #ring>, !simt.barriers<2>
    simt.wait_tiles %t on %full : !simt.barriers<2>
    %read = simt.shared_load %stage : !simt.shared<64x128xf16, #ring> -> tensor<64x128xf16, #stored>
    %next = arith.addf %sum, %read : tensor<64x128xf16, #stored>
    scf.yield %next : tensor<64x128xf16, #stored>
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  return
}
