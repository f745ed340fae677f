// RUN: tegula-opt --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s
// Warps of 4 lanes. In the source each lane has half of the elements that both lanes of a pair, l and l + 2, need.

// Both lanes give all their registers, and take two vectors of them by their bit: registers 2 and 3 of the upper lane
// are the first ones of the lower lane.
// CHECK-LABEL: func.func @pairs
// CHECK-DAG: %[[BIT:.*]] = arith.constant 2 : i32
// CHECK: %[[V:.*]] = simt.load
// CHECK-NOT: simt.shared
// CHECK: %[[PEER:.*]] = simt.shuffle xor %[[V]], %[[BIT]] : vector<2xf16>
// CHECK: %[[BOTH:.*]] = simt.concat %[[V]], %[[PEER]] : vector<2xf16>, vector<2xf16> -> vector<4xf16>
// CHECK: %[[ISUPPER:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK: %[[UPPER:.*]] = simt.pick %[[BOTH]] [2, 3, 0, 1] : vector<4xf16> -> vector<4xf16>
// CHECK: arith.select %[[ISUPPER]], %[[UPPER]], %[[BOTH]] : vector<4xf16>
// CHECK-NOT: simt.shared
#from = #layout.distributed<register (1), lane (4) (2), warp>
#to = #layout.distributed<register (1) (2), lane (4) (0), warp>
module attributes {
  tile.num_warps = 1 : i32,
  simt.target = {warp_size = 4 : i64, threads_per_warp = 4 : i64, exchanges_pairs = true}
} {
func.func @pairs(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 8 : tensor<8xi32, #from>
  %b = tile.splat %x : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>, #from>
  %p = tile.addptr %b, %r : tensor<8x!tile.ptr<f16>, #from>, tensor<8xi32, #from>
  %v = tile.load %p : tensor<8x!tile.ptr<f16>, #from>
  %c = simt.convert_layout %v : tensor<8xf16, #from> -> tensor<8xf16, #to>
  %s = tile.make_range 0 to 8 : tensor<8xi32, #to>
  %d = tile.splat %y : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>, #to>
  %q = tile.addptr %d, %s : tensor<8x!tile.ptr<f16>, #to>, tensor<8xi32, #to>
  tile.store %q, %c : tensor<8x!tile.ptr<f16>, #to>
  return
}
}

// -----

// Without the policy, through shared memory.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: simt.shuffle
// CHECK: simt.shared_store
// CHECK: simt.shared_load
#from = #layout.distributed<register (1), lane (4) (2), warp>
#to = #layout.distributed<register (1) (2), lane (4) (0), warp>
module attributes {tile.num_warps = 1 : i32, simt.target = {warp_size = 4 : i64, threads_per_warp = 4 : i64}} {
func.func @shared(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 8 : tensor<8xi32, #from>
  %b = tile.splat %x : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>, #from>
  %p = tile.addptr %b, %r : tensor<8x!tile.ptr<f16>, #from>, tensor<8xi32, #from>
  %v = tile.load %p : tensor<8x!tile.ptr<f16>, #from>
  %c = simt.convert_layout %v : tensor<8xf16, #from> -> tensor<8xf16, #to>
  %s = tile.make_range 0 to 8 : tensor<8xi32, #to>
  %d = tile.splat %y : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>, #to>
  %q = tile.addptr %d, %s : tensor<8x!tile.ptr<f16>, #to>, tensor<8xi32, #to>
  tile.store %q, %c : tensor<8x!tile.ptr<f16>, #to>
  return
}
}
