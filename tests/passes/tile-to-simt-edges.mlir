// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4,narrows_edges=true}' --tile-assign-layouts --tile-to-simt --canonicalize --cse %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4}' --tile-assign-layouts --tile-to-simt --canonicalize --cse %s --split-input-file | FileCheck %s --check-prefix=OFF
// 2 warps of 4 lanes, four elements each: one group of four.

// A group whose first and last element are inside is one access; else, if one of them is, its elements are accessed one
// by one, under their own masks.
// CHECK-LABEL: func.func @end
// CHECK-SAME: tile.divisibility = 16
// CHECK: %[[M0:.*]] = arith.cmpi slt, %[[FIRST:.*]], %{{.*}} : vector<1xi32>
// CHECK: %[[M3:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<1xi32>
// CHECK: %[[WHOLE:.*]] = arith.andi %[[M0]], %[[M3]] : vector<1xi1>
// CHECK: %[[ANY:.*]] = arith.ori %[[M0]], %[[M3]] : vector<1xi1>
// CHECK: %[[NOT:.*]] = arith.xori %[[WHOLE]],
// CHECK: %[[EDGE:.*]] = arith.andi %[[ANY]], %[[NOT]] : vector<1xi1>
// CHECK: %[[WIDE:.*]] = simt.load %arg0[%[[FIRST]]] mask %[[WHOLE]] other %{{.*}} {simt.part = 0 : i32, simt.sole} : <f32>, vector<1xi32>, vector<1xi1>, other vector<4xf32> -> vector<4xf32>
// CHECK: %[[E:.*]] = simt.pick %[[EDGE]] [0]
// CHECK: %[[V:.*]] = scf.if %[[E]] -> (vector<4xf32>) {
// CHECK:   %[[N:.*]] = simt.load %arg0[%{{.*}}] mask %{{.*}} other %{{.*}} {simt.part = 0 : i32, simt.sole} : <f32>, vector<4xi32>, vector<4xi1>, other vector<4xf32> -> vector<4xf32>
// CHECK:   scf.yield %[[N]]
// CHECK: } else {
// CHECK:   scf.yield %[[WIDE]]
// CHECK: } {simt.divergent}
// CHECK: simt.store %arg1[%[[FIRST]]], %[[V]] mask %[[WHOLE]] {simt.part = 0 : i32} : <f32>, vector<1xi32>, vector<4xf32>, vector<1xi1>
// CHECK: scf.if %[[E]] {
// CHECK:   simt.store %arg1[%{{.*}}], %[[V]] mask %{{.*}} {simt.part = 0 : i32} : <f32>, vector<4xi32>, vector<4xf32>, vector<4xi1>
// CHECK: } {simt.divergent}
// OFF-LABEL: func.func @end
// OFF-NOT: scf.if
// OFF: simt.load %{{.*}} : <f32>, vector<4xi32>, vector<4xi1>, other vector<4xf32> -> vector<4xf32>
module attributes {tile.num_warps = 2 : i32} {
func.func @end(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
               %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 32
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<32xi32>
  %fives = arith.constant dense<5.0> : tensor<32xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %px mask %mask other %fives : tensor<32x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %py = tile.addptr %ys, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %py, %v mask %mask : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// With a bound on each side, a group may have elements although its first and last one are masked off.
// CHECK-LABEL: func.func @between
// CHECK-NOT: arith.ori
// CHECK: simt.load {{.*}}simt.part
// CHECK: scf.if
module attributes {tile.num_warps = 2 : i32} {
func.func @between(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %low: i32, %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 32
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %lows = tile.splat %low : i32 -> tensor<32xi32>
  %below = arith.cmpi slt, %range, %ns : tensor<32xi32>
  %above = arith.cmpi sge, %range, %lows : tensor<32xi32>
  %mask = arith.andi %below, %above : tensor<32xi1>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %px mask %mask : tensor<32x!tile.ptr<f32>>
  tile.store %px, %v mask %mask : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// Masks with holes: a comparison for equality, a loaded mask, a comparison of numbers that do not count up.
// CHECK-LABEL: func.func @holes
// CHECK-NOT: simt.part
module attributes {tile.num_warps = 2 : i32} {
func.func @holes(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %m: !tile.ptr<i1>, %n: i32)
    attributes {tile.kernel} {
  %range = tile.make_range 0 to 32
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %odd = arith.cmpi ne, %range, %ns : tensor<32xi32>
  %twice = arith.muli %range, %range : tensor<32xi32>
  %far = arith.cmpi slt, %twice, %ns : tensor<32xi32>
  %ms = tile.splat %m : !tile.ptr<i1> -> tensor<32x!tile.ptr<i1>>
  %pm = tile.addptr %ms, %range : tensor<32x!tile.ptr<i1>>, tensor<32xi32>
  %loaded = tile.load %pm : tensor<32x!tile.ptr<i1>>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %a = tile.load %px mask %odd : tensor<32x!tile.ptr<f32>>
  %b = tile.load %px mask %far : tensor<32x!tile.ptr<f32>>
  %c = tile.load %px mask %loaded : tensor<32x!tile.ptr<f32>>
  %ab = arith.addf %a, %b : tensor<32xf32>
  %abc = arith.addf %ab, %c : tensor<32xf32>
  tile.store %px, %abc mask %odd : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// Rotated for %x: of its own groups it is known that they are aligned; those of %y are tested at run time. The group in
// which the range wraps is no access. No fact about an argument is needed.
// CHECK-LABEL: func.func @rotated
// CHECK-NOT: tile.divisibility
// CHECK: arith.andi %{{.*}}, %{{.*}} : vector<1xi32>
// CHECK: %[[FIRST:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<1xi32>
// CHECK-NEXT: %[[STEPS:.*]] = arith.subi %{{.*}}, %[[FIRST]] : vector<1xi32>
// CHECK-NEXT: %[[RUN:.*]] = arith.cmpi eq, %[[STEPS]], %{{.*}} : vector<1xi32>
// CHECK: %[[WIDE:.*]] = simt.load %arg0[%[[FIRST]]] mask %[[RUN]] {simt.part = 0 : i32, simt.sole}
// CHECK: scf.if
// CHECK:   simt.load %arg0[%{{.*}}] {simt.part = 0 : i32, simt.sole} : <f32>, vector<4xi32> -> vector<4xf32>
// CHECK: tile.ptr_to_int %arg1
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32 : i32
// CHECK: scf.if %[[ALIGNED]] {
// CHECK:   simt.store %arg1[%{{.*}}], %{{.*}} mask %{{.*}} {simt.part = 0 : i32} : <f32>, vector<1xi32>, vector<4xf32>, vector<1xi1>
// CHECK: } else {
// CHECK:   simt.store %arg1[%{{.*}}], %{{.*}} {simt.part = 0 : i32} : <f32>, vector<4xi32>, vector<4xf32>
// CHECK: } {simt.uniform}
module attributes {tile.num_warps = 2 : i32} {
func.func @rotated(%x: !tile.ptr<f32> {tile.divisibility = 4 : i64}, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 32
  %address = tile.ptr_to_int %x : !tile.ptr<f32> -> i64
  %low = arith.trunci %address : i64 to i32
  %c31 = arith.constant 31 : i32
  %c2 = arith.constant 2 : i32
  %last = arith.constant dense<31> : tensor<32xi32>
  %behind = arith.andi %low, %c31 : i32
  %shift = arith.shrui %behind, %c2 : i32
  %shifts = tile.splat %shift : i32 -> tensor<32xi32>
  %moved = arith.subi %range, %shifts : tensor<32xi32>
  %at = arith.andi %moved, %last : tensor<32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %px = tile.addptr %xs, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %px : tensor<32x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %py = tile.addptr %ys, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %py, %v : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// What a masked load gives instead of its elements is computed by 44 ops, each from the two before it: it is picked
// from, not computed again for the edges, where the number of ops would grow exponentially.
// CHECK-LABEL: func.func @long_other
// CHECK-COUNT-44: arith.muli {{.*}} : vector<4xi32>
// CHECK-NOT: arith.muli {{.*}} : vector<4xi32>
// CHECK: simt.load %arg0[{{.*}}] mask {{.*}} other
module attributes {tile.num_warps = 2 : i32} {
func.func @long_other(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64},
                      %y: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<32xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %py = tile.addptr %ys, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %a0 = tile.load %py : tensor<32x!tile.ptr<i32>>
  %a1 = arith.muli %a0, %r : tensor<32xi32>
  %a2 = arith.muli %a1, %a0 : tensor<32xi32>
  %a3 = arith.muli %a2, %a1 : tensor<32xi32>
  %a4 = arith.muli %a3, %a2 : tensor<32xi32>
  %a5 = arith.muli %a4, %a3 : tensor<32xi32>
  %a6 = arith.muli %a5, %a4 : tensor<32xi32>
  %a7 = arith.muli %a6, %a5 : tensor<32xi32>
  %a8 = arith.muli %a7, %a6 : tensor<32xi32>
  %a9 = arith.muli %a8, %a7 : tensor<32xi32>
  %a10 = arith.muli %a9, %a8 : tensor<32xi32>
  %a11 = arith.muli %a10, %a9 : tensor<32xi32>
  %a12 = arith.muli %a11, %a10 : tensor<32xi32>
  %a13 = arith.muli %a12, %a11 : tensor<32xi32>
  %a14 = arith.muli %a13, %a12 : tensor<32xi32>
  %a15 = arith.muli %a14, %a13 : tensor<32xi32>
  %a16 = arith.muli %a15, %a14 : tensor<32xi32>
  %a17 = arith.muli %a16, %a15 : tensor<32xi32>
  %a18 = arith.muli %a17, %a16 : tensor<32xi32>
  %a19 = arith.muli %a18, %a17 : tensor<32xi32>
  %a20 = arith.muli %a19, %a18 : tensor<32xi32>
  %a21 = arith.muli %a20, %a19 : tensor<32xi32>
  %a22 = arith.muli %a21, %a20 : tensor<32xi32>
  %a23 = arith.muli %a22, %a21 : tensor<32xi32>
  %a24 = arith.muli %a23, %a22 : tensor<32xi32>
  %a25 = arith.muli %a24, %a23 : tensor<32xi32>
  %a26 = arith.muli %a25, %a24 : tensor<32xi32>
  %a27 = arith.muli %a26, %a25 : tensor<32xi32>
  %a28 = arith.muli %a27, %a26 : tensor<32xi32>
  %a29 = arith.muli %a28, %a27 : tensor<32xi32>
  %a30 = arith.muli %a29, %a28 : tensor<32xi32>
  %a31 = arith.muli %a30, %a29 : tensor<32xi32>
  %a32 = arith.muli %a31, %a30 : tensor<32xi32>
  %a33 = arith.muli %a32, %a31 : tensor<32xi32>
  %a34 = arith.muli %a33, %a32 : tensor<32xi32>
  %a35 = arith.muli %a34, %a33 : tensor<32xi32>
  %a36 = arith.muli %a35, %a34 : tensor<32xi32>
  %a37 = arith.muli %a36, %a35 : tensor<32xi32>
  %a38 = arith.muli %a37, %a36 : tensor<32xi32>
  %a39 = arith.muli %a38, %a37 : tensor<32xi32>
  %a40 = arith.muli %a39, %a38 : tensor<32xi32>
  %a41 = arith.muli %a40, %a39 : tensor<32xi32>
  %a42 = arith.muli %a41, %a40 : tensor<32xi32>
  %a43 = arith.muli %a42, %a41 : tensor<32xi32>
  %a44 = arith.muli %a43, %a42 : tensor<32xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %px = tile.addptr %xs, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %v = tile.load %px mask %mask other %a44 : tensor<32x!tile.ptr<i32>>
  tile.store %py, %v : tensor<32x!tile.ptr<i32>>
  return
}
}
