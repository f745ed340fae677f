// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file %s | FileCheck %s
// The expanded loops, of the producer and of the kernel's warps.
// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072,moves_registers=true}' --tile-persistent-loop --tile-expand-schedules --cse --split-input-file %s | FileCheck %s --check-prefix=EXPANDED
// What leaves a kernel as it is: a program that could wait for another one, or whose loads could; a ring that no
// producer fills; products in turns; programs with different work; code that runs once and depends on the program; a
// result that does not fit beside the rings.
// RUN: sed 's/simt.fence async/tile.barrier/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/simt.fence async/%waited = tile.load %p volatile : !tile.ptr<i32>/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/, producer>/>/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/to %k step/to %row step/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/%c64 = arith.constant 64 : i32/%c64 = tile.program_id 2/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: tegula-opt '--simt-set-target=fields={shared_bytes=20000,register_bytes=131072}' --tile-persistent-loop --split-input-file %s | FileCheck %s --check-prefix=KEPT
// A kernel with a single set of warps, of whose programs two run on a multiprocessor at a time, is left as it is, too.
// RUN: sed '/^func.func @parts/,$d' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=262144}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=KEPT
// Few stages: a result that is stored in parts makes room for more.
// RUN: sed 's/5x64x64/2x64x64/; s/barriers<5>/barriers<2>/; s/ahead 4/ahead 1/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=55000,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=FEW
// An exchange of the kernel keeps its room.
// RUN: sed 's/^  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>/&\n  %moved = simt.convert_layout %r#0 : tensor<64x64xf16, #stored> -> tensor<64x64xf16, #other>/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=EXCHANGE
// Loads by threads in the loop keep the first-level cache.
// RUN: sed 's/^    simt.wait_tiles %t on %full : !simt.barriers<2>/    %loaded = tile.load %p : !tile.ptr<i32>\n&/' %s | tegula-opt '--simt-set-target=fields={shared_bytes=65536,register_bytes=131072}' --tile-persistent-loop --split-input-file | FileCheck %s --check-prefix=LOADS
// KEPT-NOT: simt.resident
// KEPT-NOT: simt.programs

#stored = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                              warp (16,0) (32,0)>
#other = #layout.distributed<register (1,0) (2,0) (4,0) (0,1) (0,2), lane (8,0) (16,0) (32,0) (0,4) (0,8),
                             warp (0,16) (0,32)>
#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0)>

// LOADS-LABEL: func.func @programs
// LOADS-SAME: simt.resident
// LOADS: simt.shared_alloc : <2x64x64xf16, #shared>

// EXCHANGE-LABEL: func.func @programs
// EXCHANGE: simt.shared_alloc : <5x64x64xf16, #shared>

// Buffers, barrier objects and their ends stay outside of the loop over programs. The loop over the ring is left as it
// is; a launched program computes the place of each of its programs in the grid.
// CHECK-LABEL: func.func @programs
// CHECK-SAME: simt.resident
// CHECK: %[[RESULT:.*]] = simt.shared_alloc : <64x64xf16, #shared>
// The ring gets as many stages as fit the multiprocessor's shared memory.
// CHECK: simt.shared_alloc : <6x64x64xf16, #shared>
// CHECK: simt.start_barriers %{{.*}} : <6>
// CHECK: %[[FIRST:.*]] = simt.resident_id
// CHECK: %[[STEP:.*]] = simt.residents
// CHECK: scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP]]
// CHECK-NOT: tile.program_id
// In a grid along axis 0 alone there is nothing to divide.
// CHECK: scf.if %{{.*}} -> (i32, i32, i32) {
// CHECK-NEXT: scf.yield %[[PROGRAM]], %c0{{.*}}, %c0{{.*}} : i32, i32, i32
// CHECK-NEXT: } else {
// CHECK: arith.remui
// CHECK: %[[DONE:.*]]:2 = scf.for
// CHECK: simt.copy_tile {{.*}} on %{{.*}}[%c0{{.*}}] phase %c0{{.*}}<ahead 5, place 1, producer>
// CHECK: } {simt.uniform}
// The result's place is computed, and its buffer's last copy waited for, beside the last products.
// CHECK: arith.muli %{{.*}}, %c32
// CHECK: simt.wait_copy_out pending 0
// CHECK-NEXT: simt.shared_store %[[RESULT]],
// CHECK: simt.copy_out %[[RESULT]] to {{.*}} later
// CHECK: } {simt.programs, simt.uniform}
// CHECK-NEXT: simt.wait_copy_out pending 0
// CHECK-NEXT: simt.end_barriers

// The rings' places go on from one program to the next; the position that a user's loop carries begins anew.
// EXPANDED-LABEL: func.func @programs
// EXPANDED: simt.producer
// EXPANDED: scf.for %{{.*}} iter_args(%[[STAGE0:.*]] = %{{.*}}, %[[PHASE0:.*]] = %{{.*}}) -> (i32, i32)
// EXPANDED: scf.if
// EXPANDED: } {simt.divergent}
// EXPANDED: %[[END:.*]]:2 = scf.for {{.*}} iter_args(%[[STAGE:.*]] = %[[STAGE0]], %{{.*}} = %[[PHASE0]]) -> (i32, i32)
// EXPANDED: simt.copy_tile {{.*}} on %{{.*}}[%[[STAGE]]]
// EXPANDED: scf.yield %[[END]]#0, %[[END]]#1 : i32, i32
// EXPANDED: } {simt.divergent}
// EXPANDED: scf.for %{{.*}} iter_args(%[[STAGE1:.*]] = %{{.*}}, %[[PHASE1:.*]] = %{{.*}}) -> (i32, i32)
// EXPANDED: %[[DONE:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %c0{{.*}}, %{{.*}} = %[[STAGE1]], %{{.*}} = %[[PHASE1]])
// EXPANDED: scf.yield %[[DONE]]#2, %[[DONE]]#3 : i32, i32
// EXPANDED: } {simt.uniform}
// EXPANDED: simt.end_barriers
// EXPANDED-NEXT: simt.end_barriers
func.func @programs(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x64xf16>, %k: i32, %p: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #stored>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %row = arith.muli %x, %c64 : i32
  %column = arith.muli %y, %c32 : i32
  %stage = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
  %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %zeros, %at = %c0)
      -> (tensor<64x64xf16, #stored>, i32) : i32 {
    %t = simt.copy_tile %a[%row, %i] to %stage on %full[%c0] phase %c0 if %true
      {simt.schedule = #simt.schedule<ahead 1, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<2>
    simt.wait_tiles %t on %full : !simt.barriers<2>
    %read = simt.shared_load %stage : !simt.shared<64x64xf16, #ring> -> tensor<64x64xf16, #stored>
    %next = arith.addf %sum, %read : tensor<64x64xf16, #stored>
    %further = arith.addi %at, %c64 : i32
    scf.yield %next, %further : tensor<64x64xf16, #stored>, i32
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<2>
  %result = simt.shared_alloc : !simt.shared<64x64xf16, #ring>
  simt.shared_store %result, %r#0 : !simt.shared<64x64xf16, #ring>, tensor<64x64xf16, #stored>
  simt.fence async
  %to = arith.addi %column, %r#1 : i32
  simt.copy_out %result to %c[%row, %to] : !simt.shared<64x64xf16, #ring>, !tile.desc<64x64xf16>
  return
}

// -----

#accumulators = #layout.distributed<register (0,1) (0,8) (0,16) (0,32) (0,64) (0,128) (8,0),
                                    lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>
#stored = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                              warp (16,0) (32,0)>
#wide = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,64) (0,128)>
#ring = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0)>

// FEW-LABEL: func.func @parts
// FEW: simt.shared_alloc : <2x64x64xf16, #shared>
// FEW: simt.shared_alloc : <4x64x64xf16, #shared1>

// It does not fit as a whole, but in parts of its columns, which alternate between two halves of a buffer.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: simt.resident
// CHECK: %[[HALVES:.*]] = simt.shared_alloc : <2x64x64xf16, #shared>
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
func.func @parts(%a: !tile.desc<64x64xf16>, %c: !tile.desc<64x256xf16>, %k: i32, %p: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %none = arith.constant dense<0.0> : tensor<64x64xf16, #stored>
  %zeros = arith.constant dense<0.0> : tensor<64x256xf16, #accumulators>
  %ring = simt.shared_alloc : !simt.shared<5x64x64xf16, #ring>
  %full = simt.barrier_alloc : !simt.barriers<5>
  simt.start_barriers %full count 1 : !simt.barriers<5>
  %x = tile.program_id 0
  %row = arith.muli %x, %c64 : i32
  %stage = simt.stage %ring[%c0] : !simt.shared<5x64x64xf16, #ring> -> !simt.shared<64x64xf16, #ring>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%sum = %none) -> (tensor<64x64xf16, #stored>) : i32 {
    %t = simt.copy_tile %a[%row, %i] to %stage on %full[%c0] phase %c0 if %true
      {simt.schedule = #simt.schedule<ahead 4, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #ring>, !simt.barriers<5>
    simt.wait_tiles %t on %full : !simt.barriers<5>
    %read = simt.shared_load %stage : !simt.shared<64x64xf16, #ring> -> tensor<64x64xf16, #stored>
    %next = arith.addf %sum, %read : tensor<64x64xf16, #stored>
    scf.yield %next : tensor<64x64xf16, #stored>
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<5>
  %result = simt.shared_alloc : !simt.shared<64x256xf16, #wide>
  simt.shared_store %result, %zeros : !simt.shared<64x256xf16, #wide>, tensor<64x256xf16, #accumulators>
  simt.fence async
  simt.copy_out %result to %c[%row, %c0] : !simt.shared<64x256xf16, #wide>, !tile.desc<64x256xf16>
  return
}
