// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4}' --tile-assign-layouts %s --split-input-file | FileCheck %s

// Two stages of a butterfly over 16 elements, of which a thread has four. The load's layout has bits 0 and 1 in
// registers, the stages need bits 3 and 2: one exchange brings in both.
// CHECK-LABEL: func.func @two_stages
// CHECK: tile.load
// CHECK: simt.convert_layout
// CHECK: tile.split
// CHECK-NOT: simt.convert_layout
// CHECK: tile.split
// CHECK: tile.join
module attributes {tile.num_warps = 1 : i32} {
func.func @two_stages(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 16
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %p : tensor<16x!tile.ptr<f32>>
  %f1 = tile.reshape %v : tensor<16xf32> -> tensor<2x8xf32>
  %t1 = tile.trans %f1 order [1, 0] : tensor<2x8xf32>
  %l1, %r1 = tile.split %t1 : tensor<8x2xf32>
  %s1 = arith.addf %l1, %r1 : tensor<8xf32>
  %d1 = arith.subf %l1, %r1 : tensor<8xf32>
  %j1 = tile.join %s1, %d1 : tensor<8xf32>
  %u1 = tile.trans %j1 order [1, 0] : tensor<8x2xf32>
  %f2 = tile.reshape %u1 : tensor<2x8xf32> -> tensor<2x2x4xf32>
  %t2 = tile.trans %f2 order [0, 2, 1] : tensor<2x2x4xf32>
  %l2, %r2 = tile.split %t2 : tensor<2x4x2xf32>
  %s2 = arith.addf %l2, %r2 : tensor<2x4xf32>
  %d2 = arith.subf %l2, %r2 : tensor<2x4xf32>
  %j2 = tile.join %s2, %d2 : tensor<2x4xf32>
  %u2 = tile.trans %j2 order [0, 2, 1] : tensor<2x4x2xf32>
  %w = tile.reshape %u2 : tensor<2x2x4xf32> -> tensor<16xf32>
  tile.store %p, %w : tensor<16x!tile.ptr<f32>>
  return
}
}
