// RUN: tegula-opt --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s
// Warps of 4 lanes. Bit 1 of the lanes and bit 1 of the registers change places: lanes that differ in it give each
// other one half of their registers.

// Lanes without the bit give registers 2 and 3 and get the peer's 0 and 1 for them.
// CHECK-LABEL: func.func @swap
// CHECK: %[[V:.*]] = simt.load
// CHECK-NOT: simt.shared
// CHECK: %[[ISUPPER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK: %[[LOW:.*]] = simt.pick %[[V]] [0, 1] : vector<4xf16> -> vector<2xf16>
// CHECK: %[[HIGH:.*]] = simt.pick %[[V]] [2, 3] : vector<4xf16> -> vector<2xf16>
// CHECK: %[[GIVEN:.*]] = arith.select %[[ISUPPER]], %[[LOW]], %[[HIGH]] : vector<2xf16>
// CHECK: %[[TAKEN:.*]] = simt.shuffle xor %[[GIVEN]], %{{.*}} : vector<2xf16>
// CHECK-DAG: %[[FIRST:.*]] = arith.select %[[ISUPPER]], %[[TAKEN]], %[[LOW]] : vector<2xf16>
// CHECK-DAG: %[[SECOND:.*]] = arith.select %[[ISUPPER]], %[[HIGH]], %[[TAKEN]] : vector<2xf16>
// CHECK: simt.concat %[[FIRST]], %[[SECOND]] : vector<2xf16>, vector<2xf16> -> vector<4xf16>
// CHECK-NOT: simt.shared
#from = #layout.distributed<register (1) (2), lane (4) (8), warp>
#to = #layout.distributed<register (1) (8), lane (4) (2), warp>
module attributes {
  tile.num_warps = 1 : i32,
  simt.target = {warp_size = 4 : i64, threads_per_warp = 4 : i64, shuffles_conversions = true}
} {
func.func @swap(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 16 : tensor<16xi32, #from>
  %b = tile.splat %x : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>, #from>
  %p = tile.addptr %b, %r : tensor<16x!tile.ptr<f16>, #from>, tensor<16xi32, #from>
  %v = tile.load %p : tensor<16x!tile.ptr<f16>, #from>
  %c = simt.convert_layout %v : tensor<16xf16, #from> -> tensor<16xf16, #to>
  %s = tile.make_range 0 to 16 : tensor<16xi32, #to>
  %d = tile.splat %y : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>, #to>
  %q = tile.addptr %d, %s : tensor<16x!tile.ptr<f16>, #to>, tensor<16xi32, #to>
  tile.store %q, %c : tensor<16x!tile.ptr<f16>, #to>
  return
}
}

// -----

// Lanes' bits change places with each other, in all warps: each lane takes both registers from one other lane.
// CHECK-LABEL: func.func @lanes
// CHECK: %[[V:.*]] = simt.load
// CHECK-NOT: arith.select
// CHECK: %[[NEW:.*]] = simt.shuffle index %[[V]], %{{.*}} : vector<2xf32>
// CHECK: simt.store %arg1[%{{.*}}], %[[NEW]]
#inner = #layout.distributed<register (1), lane (2) (4), warp (8)>
#outer = #layout.distributed<register (1), lane (4) (2), warp (8)>
module attributes {
  tile.num_warps = 2 : i32,
  simt.target = {warp_size = 4 : i64, threads_per_warp = 4 : i64, shuffles_conversions = true}
} {
func.func @lanes(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 16 : tensor<16xi32, #inner>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #inner>
  %p = tile.addptr %b, %r : tensor<16x!tile.ptr<f32>, #inner>, tensor<16xi32, #inner>
  %v = tile.load %p : tensor<16x!tile.ptr<f32>, #inner>
  %c = simt.convert_layout %v : tensor<16xf32, #inner> -> tensor<16xf32, #outer>
  %s = tile.make_range 0 to 16 : tensor<16xi32, #outer>
  %d = tile.splat %y : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #outer>
  %q = tile.addptr %d, %s : tensor<16x!tile.ptr<f32>, #outer>, tensor<16xi32, #outer>
  tile.store %q, %c : tensor<16x!tile.ptr<f32>, #outer>
  return
}
}
