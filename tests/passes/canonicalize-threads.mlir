// RUN: tegula-opt --simt-canonicalize-threads %s | FileCheck %s

// A loop with an invariant carried value and a branch with an unused result are rebuilt with their marks.
// CHECK-LABEL: func.func @marks
// CHECK-SAME: %[[O:[a-z0-9_]+]]: !tile.ptr<i32>, %[[P:[a-z0-9_]+]]: i1, %[[Q:[a-z0-9_]+]]: i1, %[[N:[a-z0-9_]+]]: i32, %[[A:[a-z0-9_]+]]: i32
func.func @marks(%o: !tile.ptr<i32>, %p: i1, %q: i1, %n: i32, %a: i32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[R:[a-z0-9_]+]] = scf.for {{.*}} iter_args(%[[S:[a-z0-9_]+]] = %{{.*}}) -> (i32)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %s = %c0) -> (i32, i32) : i32 {
    // CHECK-NEXT: %[[T:[a-z0-9_]+]] = arith.addi %[[S]], %[[A]] : i32
    %t = arith.addi %s, %x : i32
    // CHECK-NEXT: scf.yield %[[T]] : i32
    scf.yield %x, %t : i32, i32
  // CHECK-NEXT: } {simt.uniform}
  } {simt.uniform}
  // CHECK: %[[V:[a-z0-9_]+]] = scf.if %[[P]] -> (i32) {
  %v:2 = scf.if %p -> (i32, i32) {
    %t = simt.thread_id : i32
    simt.store %o[%t], %r#1 : !tile.ptr<i32>, i32, i32
    scf.yield %t, %r#0 : i32, i32
  } else {
    scf.yield %c0, %c1 : i32, i32
  // CHECK: } {simt.divergent}
  } {simt.divergent}
  // CHECK: scf.if %[[Q]] {
  %w = scf.if %q -> (i32) {
    simt.store %o[%v#0], %c1 : !tile.ptr<i32>, i32, i32
    scf.yield %c1 : i32
  } else {
    scf.yield %c0 : i32
  // CHECK: } {simt.uniform = 1 : i32}
  } {simt.uniform = 1 : i32}
  return
}

// Ops in canonical form stay, marked or not; an unmarked loop that is rebuilt gets no mark.
// CHECK-LABEL: func.func @stays
func.func @stays(%o: !tile.ptr<i32>, %p: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK-NEXT: simt.store
    simt.store %o[%i], %i : !tile.ptr<i32>, i32, i32
  // CHECK-NEXT: } {simt.divergent}
  } {simt.divergent}
  // CHECK-NEXT: scf.for {{.*}} : i32 {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %n) -> (i32) : i32 {
    simt.store %o[%i], %x : !tile.ptr<i32>, i32, i32
    scf.yield %x : i32
  }
  // CHECK-NEXT: simt.store
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  return
}
