// RUN: tegula-opt --simt-simplify %s | FileCheck %s

// Folds, and keeps the marks of branches and loops: an unused result and an invariant carried value stay, because
// upstream's patterns would build a new op.
// CHECK-LABEL: func.func @marks
func.func @marks(%o: !tile.ptr<i32>, %p: i1, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  // CHECK-NOT: arith.addi %{{.*}}, %c0
  %a = arith.addi %t, %c0 : i32
  %unused = arith.muli %a, %c1 : i32
  // CHECK: scf.if
  %u, %v = scf.if %p -> (i32, i32) {
    simt.store %o[%a], %a : !tile.ptr<i32>, i32, i32
    scf.yield %a, %c1 : i32, i32
  } else {
    scf.yield %c0, %c0 : i32, i32
  // CHECK: } {simt.divergent}
  } {simt.divergent}
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %u) -> (i32) : i32 {
    simt.store %o[%i], %x : !tile.ptr<i32>, i32, i32
    scf.yield %x : i32
  // CHECK: } {simt.uniform}
  } {simt.uniform}
  return
}

// Registers of a constant are a constant, and conversions of it fold.
// CHECK-LABEL: func.func @picked
// CHECK-DAG: arith.constant dense<[4.000000e+00, 2.000000e+00]> : vector<2xf32>
// CHECK-DAG: arith.constant 3 : i32
// CHECK-NOT: simt.pick
// CHECK: return
func.func @picked(%o: !tile.ptr<f32>, %q: !tile.ptr<i32>, %at: vector<2xi32>, %one: i32) {
  %c = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %p = simt.pick %c [3, 1] : vector<4xi32> -> vector<2xi32>
  %f = arith.sitofp %p : vector<2xi32> to vector<2xf32>
  simt.store %o[%at], %f : !tile.ptr<f32>, vector<2xi32>, vector<2xf32>
  %s = simt.pick %c [2] : vector<4xi32> -> i32
  simt.store %q[%one], %s : !tile.ptr<i32>, i32, i32
  return
}
