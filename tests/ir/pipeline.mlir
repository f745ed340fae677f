// The tile pipeline: its effect on calls, loops and loads, and ops that it must leave alone.
// RUN: tegula-opt --tile-pipeline %s | FileCheck %s
// RUN: tegula-opt --tile-pipeline --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck --check-prefix=LOCATIONS %s

// CHECK-LABEL: func.func @calls
// CHECK-NOT: call
// CHECK: arith.mulf
// LOCATIONS-LABEL: func.func @calls
// LOCATIONS: arith.mulf {{.*}} loc(callsite("k.py":7:3 at "k.py":20:5))
func.func @calls(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %y = func.call @square(%x) : (f32) -> f32 loc("k.py":20:5)
  tile.store %p, %y : !tile.ptr<f32>
  return
}

// CHECK-NOT: @square
func.func private @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32 loc("k.py":7:3)
  return %y : f32
}

// The product leaves the loop, the load must not: if the loop runs zero times, the pointer need not be valid.
// CHECK-LABEL: func.func @invariants
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NEXT: tile.load
func.func @invariants(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = arith.muli %n, %n : i32
    %v = tile.load %p : !tile.ptr<i32>
    %s = arith.addi %v, %m : i32
    %t = arith.addi %s, %i : i32
    %a = tile.addptr %q, %i : !tile.ptr<i32>, i32
    tile.store %a, %t : !tile.ptr<i32>
  }
  return
}

// Two equal loads become one, except across a write and where they are volatile.
// CHECK-LABEL: func.func @loads
// CHECK: %[[A:.*]] = tile.load %arg0 : !tile.ptr<i32>
// CHECK-NEXT: arith.addi %[[A]], %[[A]]
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load %arg0
// CHECK-NEXT: tile.load %arg0 volatile
// CHECK-NEXT: tile.load %arg0 volatile
func.func @loads(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %a = tile.load %p : !tile.ptr<i32>
  %b = tile.load %p : !tile.ptr<i32>
  %s = arith.addi %a, %b : i32
  tile.store %q, %s : !tile.ptr<i32>
  %c = tile.load %p : !tile.ptr<i32>
  %d = tile.load %p volatile : !tile.ptr<i32>
  %e = tile.load %p volatile : !tile.ptr<i32>
  tile.store %q, %c : !tile.ptr<i32>
  return
}

// A loop's sum becomes the matrix product's accumulator.
// CHECK-LABEL: func.func @accumulates
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK-NEXT: %[[D:.*]] = tile.dot %arg0, %arg1, %[[ACC]]
// CHECK-NEXT: scf.yield %[[D]]
// CHECK-NEXT: } {tile.num_stages = 2 : i32}
func.func @accumulates(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %n: i32, %p: tensor<4x4x!tile.ptr<f32>>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<4x4xf32>) : i32 {
    %z = arith.constant dense<0.0> : tensor<4x4xf32>
    %d = tile.dot %a, %b, %z : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
    %s = arith.addf %acc, %d : tensor<4x4xf32>
    scf.yield %s : tensor<4x4xf32>
  } {tile.num_stages = 2 : i32}
  tile.store %p, %r : tensor<4x4x!tile.ptr<f32>>
  return
}

// The number and order of effects stay.
// CHECK-LABEL: func.func @effects
// CHECK: tile.print "a"
// CHECK-NEXT: tile.atomic_rmw
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.print "a"
// CHECK-NEXT: tile.assert
func.func @effects(%p: !tile.ptr<i32>, %c: i1) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  tile.print "a"
  %old = tile.atomic_rmw add acq_rel device %p, %one : !tile.ptr<i32>
  tile.barrier
  tile.print "a"
  tile.assert %c, "c" : i1
  return
}

// A loop that may never end is no dead code, although it changes nothing.
// CHECK-LABEL: func.func @endless
// CHECK: scf.while
// CHECK: tile.may_not_end
// CHECK: tile.store %{{.*}}, %[[ZERO:.*]] : !tile.ptr<i32>
func.func @endless(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %again = arith.cmpi slt, %i, %n : i32
    scf.condition(%again) %i : i32
  } do {
  ^bb0(%i: i32):
    tile.may_not_end
    %same = arith.addi %i, %zero : i32
    scf.yield %same : i32
  }
  tile.store %p, %r : !tile.ptr<i32>
  return
}
