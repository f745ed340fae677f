// RUN: tegula-opt --simt-expand-effects %s --split-input-file | FileCheck %s

// Message 0: the two elements of a thread are two records; their words come from one vector.
// CHECK-LABEL: func.func @print
func.func @print(%v: vector<2xf16>, %e: vector<2xi32>, %first: i1, %n: i64)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  // CHECK: scf.if %arg2 {
  // CHECK: %[[B:.*]] = simt.hidden_argument print_buffer
  // CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : vector<2xf16> to vector<2xi16>
  // CHECK: arith.extui %[[BITS]] : vector<2xi16> to vector<2xi32>
  // CHECK: %[[ASKED:.*]] = simt.load %[[B]][%{{.*}}] volatile
  // CHECK: %[[COUNTS:.*]] = arith.cmpi ult, %[[ASKED]]
  // CHECK: simt.atomic_rmw add relaxed device %[[B]][%{{.*}}], %{{.*}} mask %[[COUNTS]]
  // CHECK: %[[ALL:.*]] = simt.concat {{.*}} -> vector<11xi32>
  // CHECK: %[[WORDS:.*]] = simt.pick %[[ALL]] [0, 1, 2, 3, 5, 4, 7, 9, 0, 1, 2, 3, 6, 4, 8, 10]
  // CHECK: simt.store %[[B]][%{{.*}}], %[[WORDS]] mask %{{.*}} : {{.*}}, vector<2xi32>, vector<16xi32>, vector<2xi1>
  // CHECK: } {simt.divergent}
  simt.print " x: " shape [128] where %first elements %e : vector<2xi32> (%v) : vector<2xf16>
  // Message 1: 64 bits are two words; all threads print.
  // CHECK-NOT: scf.if
  // CHECK: arith.shrui
  // CHECK: simt.store
  simt.print " n: " (%n) : i64
  // CHECK-NOT: simt.print
  // CHECK: return
  return
}

// -----

// At most one record for each thread: its lowest failing element.
// CHECK-LABEL: func.func @assert
func.func @assert(%ok: vector<4xi1>, %e: vector<4xi32>) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  // CHECK: %[[FAILING:.*]] = arith.select %arg0, %{{.*}}, %arg1 : vector<4xi1>, vector<4xi32>
  // CHECK: %[[LOWEST:.*]] = simt.reduce_registers minui %[[FAILING]] keep 0
  // CHECK: %[[ELEMENT:.*]] = simt.pick %[[LOWEST]] [0]
  // CHECK: %[[FAILS:.*]] = arith.cmpi ne, %[[ELEMENT]]
  // CHECK: scf.if %[[FAILS]]
  // CHECK: simt.store {{.*}}, vector<1xi32>, vector<8xi32>, vector<1xi1>
  // CHECK: } {simt.divergent}
  // CHECK-NOT: simt.assert
  simt.assert %ok, "in range" shape [256] elements %e : vector<4xi32> : vector<4xi1>
  return
}

// -----

// A limit of the device: its number in word 4, where it is the lowest.
// CHECK-LABEL: func.func @limit
func.func @limit(%ok: i1, %some: i1) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  // CHECK: %[[B:.*]] = simt.hidden_argument print_buffer
  // CHECK: %[[MET:.*]] = arith.xori %arg0, %{{.*}} : i1
  // CHECK: simt.atomic_rmw umin relaxed device %[[B]][%{{.*}}], %{{.*}} mask %[[MET]]
  // CHECK-NOT: simt.store
  simt.assert %ok, "the device can no more" limit : i1
  // CHECK: %[[BOTH:.*]] = arith.andi %arg1
  // CHECK: simt.atomic_rmw umin {{.*}} mask %[[BOTH]]
  simt.assert %ok, "nor here" limit where %some : i1
  return
}

// -----

// Unchanged.
// CHECK-LABEL: func.func @silent
// CHECK-NEXT: simt.thread_id
// CHECK-NEXT: return
func.func @silent() attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  return
}
