// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4,vector_atomics=["fadd.f32x4","fadd.f16x2"]}' --tile-assign-layouts --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4}' --tile-assign-layouts --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s --check-prefix=NONE
// 2 warps of 4 lanes, with and without atomics of neighbours.

// Four neighbours of a thread are one atomic, and the launch checks that the array is aligned to them.
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME: %arg0: !tile.ptr<f32> {tile.divisibility = 16 : i64}
// CHECK: simt.atomic_rmw fadd acq_rel device %arg0[%{{.*}}], %{{.*}} : <f32>, vector<2xi32>, vector<8xf32>
// Single ones are shared by lanes so that these have neighbours, and rely on no fact.
// NONE-LABEL: func.func @neighbours
// NONE-SAME: %arg0: !tile.ptr<f32>, %arg1: f32
// NONE: simt.atomic_rmw fadd acq_rel device %arg0[%{{.*}}], %{{.*}} : <f32>, vector<8xi32>, vector<8xf32>
module attributes {tile.num_warps = 2 : i32} {
func.func @neighbours(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %s: f32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %old = tile.atomic_rmw fadd acq_rel device %p, %v : tensor<64x!tile.ptr<f32>>
  return
}
}

// -----

// A mask that holds for whole groups of eight: one of its elements counts for each atomic. Pairs of f16, of which the
// target has no more; the results are the old elements.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: %arg0: !tile.ptr<f16> {tile.divisibility = 16 : i64}
// CHECK: %[[OLD:.*]] = simt.atomic_rmw fadd relaxed device %arg0[%{{.*}}], %{{.*}} mask %{{.*}} : <f16>, vector<4xi32>, vector<8xf16>, vector<4xi1>
// CHECK: simt.store %arg1[%{{.*}}], %[[OLD]] mask
module attributes {tile.num_warps = 2 : i32} {
func.func @masked(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %n: i32 {tile.divisibility = 16 : i64}, %s: f16) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %end : tensor<64xi32>
  %b = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %b, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %c = tile.splat %y : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %q = tile.addptr %c, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.splat %s : f16 -> tensor<64xf16>
  %old = tile.atomic_rmw fadd relaxed device %p, %v mask %m : tensor<64x!tile.ptr<f16>>
  tile.store %q, %old mask %m : tensor<64x!tile.ptr<f16>>
  return
}
}

// -----

// A mask that may end inside of a group, other kinds and other types: each element by itself.
// CHECK-LABEL: func.func @single
// CHECK: simt.atomic_rmw fadd {{.*}} : <f32>, vector<8xi32>, vector<8xf32>, vector<8xi1>
// CHECK: simt.atomic_rmw fmax {{.*}} : <f32>, vector<8xi32>, vector<8xf32>
// CHECK: simt.atomic_rmw add {{.*}} : <i32>, vector<8xi32>, vector<8xi32>
module attributes {tile.num_warps = 2 : i32} {
func.func @single(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %i: !tile.ptr<i32> {tile.divisibility = 16 : i64},
                  %n: i32, %s: f32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64
  %end = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %end : tensor<64xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %c = tile.splat %i : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %q = tile.addptr %c, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %a0 = tile.atomic_rmw fadd relaxed device %p, %v mask %m : tensor<64x!tile.ptr<f32>>
  %a1 = tile.atomic_rmw fmax relaxed device %p, %v : tensor<64x!tile.ptr<f32>>
  %a2 = tile.atomic_rmw add relaxed device %q, %r : tensor<64x!tile.ptr<i32>>
  return
}
}

// -----

// The values are in a layout of columns, which an exchange brings into rows where that makes wide atomics.
// CHECK-LABEL: func.func @turned
// CHECK: simt.load {{.*}} -> vector<8xf32>
// CHECK: simt.shared_store
// CHECK: simt.atomic_rmw fadd {{.*}} : <f32>, vector<2xi32>, vector<8xf32>
// NONE-LABEL: func.func @turned
// NONE-NOT: simt.shared_store
// NONE: simt.atomic_rmw fadd {{.*}} : <f32>, vector<8xi32>, vector<8xf32>
module attributes {tile.num_warps = 2 : i32} {
func.func @turned(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %s = arith.muli %r, %c8 : tensor<8xi32>
  %slow = tile.expand_dims %s axis 1 : tensor<8xi32>
  %fast = tile.expand_dims %r axis 0 : tensor<8xi32>
  %i = tile.broadcast %slow : tensor<8x1xi32> -> tensor<8x8xi32>
  %j = tile.broadcast %fast : tensor<1x8xi32> -> tensor<8x8xi32>
  %rows = arith.addi %i, %j : tensor<8x8xi32>
  %columns = tile.trans %rows order [1, 0] : tensor<8x8xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %p = tile.addptr %b, %columns : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %c = tile.splat %y : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %q = tile.addptr %c, %rows : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %p : tensor<8x8x!tile.ptr<f32>>
  %old = tile.atomic_rmw fadd relaxed device %q, %v : tensor<8x8x!tile.ptr<f32>>
  return
}
}
