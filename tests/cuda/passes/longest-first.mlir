// Programs whose loops have more iterations, the later they are in the grid, are taken from its end.
// RUN: tegula-opt --tile-longest-first %s --split-input-file | FileCheck %s

// As in an attention with a causal mask: one loop up to the diagonal, one at it.
// CHECK-LABEL: func.func @causal
// CHECK-SAME: tile.longest_first = 1 : i32
// CHECK: %[[P:.*]] = tile.program_id 1
// CHECK: %[[N:.*]] = tile.num_programs 1
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %{{.*}} : i32
// CHECK: %[[PLACE:.*]] = arith.subi %[[LAST]], %[[P]] : i32
// CHECK: arith.muli %[[PLACE]], %{{.*}} : i32
// CHECK: tile.program_id 0
// CHECK-NOT: tile.num_programs
func.func @causal(%n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 1
  %start = arith.muli %p, %c64 : i32
  %end = arith.addi %start, %c64 : i32
  %limit = arith.minsi %n, %end : i32
  %q = tile.program_id 0
  %at = tile.addptr %out, %q : !tile.ptr<f32>, i32
  scf.for %i = %c0 to %limit step %c64 : i32 {
    tile.store %at, %one : !tile.ptr<f32>
  }
  scf.for %i = %start to %end step %c64 : i32 {
    tile.store %at, %one : !tile.ptr<f32>
  }
  return
}

// -----

// Fewer iterations, as many, and a number that is not known.
// CHECK-LABEL: func.func @falling
// CHECK-NOT: tile.num_programs
func.func @falling(%n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 0
  %start = arith.muli %p, %c64 : i32
  scf.for %i = %start to %n step %c64 : i32 {
    tile.store %out, %one : !tile.ptr<f32>
  }
  return
}

// CHECK-LABEL: func.func @equal
// CHECK-NOT: tile.num_programs
func.func @equal(%n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 0
  %start = arith.muli %p, %c64 : i32
  %end = arith.addi %start, %n : i32
  scf.for %i = %start to %end step %c64 : i32 {
    tile.store %out, %one : !tile.ptr<f32>
  }
  return
}

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: tile.num_programs
func.func @unknown(%lengths: !tile.ptr<i32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 0
  %at = tile.addptr %lengths, %p : !tile.ptr<i32>, i32
  %end = tile.load %at : !tile.ptr<i32>
  scf.for %i = %c0 to %end step %c1 : i32 {
    tile.store %out, %one : !tile.ptr<f32>
  }
  return
}

// Programs that may wait for others keep their order.
// CHECK-LABEL: func.func @waits
// CHECK-NOT: tile.num_programs
func.func @waits(%flag: !tile.ptr<i32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 0
  %seen = tile.load %flag volatile : !tile.ptr<i32>
  scf.for %i = %c0 to %p step %c1 : i32 {
    tile.store %out, %one : !tile.ptr<f32>
  }
  return
}

// CHECK-LABEL: func.func @counts
// CHECK-NOT: tile.num_programs
func.func @counts(%counter: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tile.program_id 0
  scf.for %i = %c0 to %p step %c1 : i32 {
    %old = tile.atomic_rmw add relaxed device %counter, %c1 : !tile.ptr<i32>
  }
  return
}

// One loop grows, one falls, as in the backward pass of an attention.
// CHECK-LABEL: func.func @both
// CHECK-NOT: tile.num_programs
func.func @both(%n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %p = tile.program_id 0
  scf.for %i = %c0 to %p step %c1 : i32 {
    tile.store %out, %one : !tile.ptr<f32>
  }
  scf.for %i = %p to %n step %c1 : i32 {
    tile.store %out, %one : !tile.ptr<f32>
  }
  return
}
