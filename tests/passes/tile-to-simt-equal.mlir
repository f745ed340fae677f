// RUN: tegula-opt --tile-stage-operands --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s
// 2 warps of 4 lanes; loads of which a thread reads one address in several registers.

// Four elements of a group of four have one address, which each thread loads once.
// CHECK-LABEL: func.func @scales
// CHECK: %[[FIRST:.*]] = simt.pick %{{.*}} [0] : vector<4xi32> -> vector<1xi32>
// CHECK: %[[V:.*]] = simt.load %arg0[%[[FIRST]]]{{.*}} : <f32>, vector<1xi32> -> vector<1xf32>
// CHECK: simt.pick %[[V]] [0, 0, 0, 0] : vector<1xf32> -> vector<4xf32>
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @scales(%x: !tile.ptr<f32>, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %four = arith.constant dense<4> : tensor<32xi32, #l>
  %g = arith.divsi %r, %four : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %g : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
  %c = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %q = tile.addptr %c, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  tile.store %q, %v : tensor<32x!tile.ptr<f32>, #l>
  return
}
}

// -----

// Groups of two, in a thread's registers 0 and 1, 2 and 3.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[AT:.*]] = simt.pick %{{.*}} [0, 2] : vector<4xi32> -> vector<2xi32>
// CHECK: %[[V:.*]] = simt.load %arg0[%[[AT]]]{{.*}} : <f32>, vector<2xi32> -> vector<2xf32>
// CHECK: simt.pick %[[V]] [0, 0, 1, 1] : vector<2xf32> -> vector<4xf32>
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @pairs(%x: !tile.ptr<f32>, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %two = arith.constant dense<2> : tensor<32xi32, #l>
  %g = arith.divsi %r, %two : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %g : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
  %c = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %q = tile.addptr %c, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  tile.store %q, %v : tensor<32x!tile.ptr<f32>, #l>
  return
}
}

// -----

// Each element has a mask of its own, so each is loaded; so is each element of a volatile load.
// CHECK-LABEL: func.func @apart
// CHECK: simt.load %arg0[%{{.*}}] mask %{{.*}} : <f32>, vector<4xi32>, vector<4xi1> -> vector<4xf32>
// CHECK: simt.load %arg0[%{{.*}}] {{.*}}volatile{{.*}} : <f32>, vector<4xi32> -> vector<4xf32>
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @apart(%x: !tile.ptr<f32>, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %four = arith.constant dense<4> : tensor<32xi32, #l>
  %g = arith.divsi %r, %four : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %g : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<32xi32, #l>
  %m = arith.cmpi slt, %r, %ns : tensor<32xi32, #l>
  %v = tile.load %p mask %m : tensor<32x!tile.ptr<f32>, #l>
  %u = tile.load %p volatile : tensor<32x!tile.ptr<f32>, #l>
  %w = arith.addf %v, %u : tensor<32xf32, #l>
  %c = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %q = tile.addptr %c, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  tile.store %q, %w : tensor<32x!tile.ptr<f32>, #l>
  return
}
}
