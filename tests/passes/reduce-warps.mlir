// RUN: tegula-opt --tile-to-simt --canonicalize --cse %s --split-input-file | FileCheck %s

// 16 warps: after the lanes have combined their values, all have the same. Each of 16 lanes then reads the value of
// another warp, and the lanes combine these: one round through shared memory.
// CHECK-LABEL: func.func @many
// CHECK-COUNT-4: simt.shuffle xor
// CHECK: %[[OWN:.*]] = arith.andi %[[T:.*]], %c15_i32 : i32
// CHECK: %[[WARP:.*]] = arith.shli %{{.*}}, %c4_i32 : i32
// CHECK: %[[FROM:.*]] = arith.ori %[[OWN]], %[[WARP]] : i32
// CHECK: %[[B:.*]] = simt.shared_alloc : <256xf32>
// CHECK: %[[PLACE:.*]] = simt.splat %[[T]]
// CHECK: simt.shared_store %[[B]][%[[PLACE]]]
// CHECK: %[[OTHER:.*]] = simt.splat %[[FROM]]
// CHECK: simt.shared_load %[[B]][%[[OTHER]]]
// CHECK-NOT: simt.shared
// CHECK-COUNT-4: simt.shuffle xor
// CHECK-NOT: simt.shuffle
// CHECK-NOT: simt.shared
// CHECK: return
#l = #layout.distributed<lane (1) (2) (4) (8), warp (16) (32) (64) (128)>
func.func @many(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 16 : i32, simt.warp_size = 16 : i32} {
  %r = tile.make_range 0 to 256 : tensor<256xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>, #l>
  %s = tile.reduce(%v) axis 0 : (tensor<256xf32, #l>) -> f32 {
  ^bb0(%a: f32, %c: f32):
    %o = arith.addf %a, %c : f32
    tile.yield %o : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}

// -----

// A function that does not commute: the lane with the lower number has the value of the lower warp, and comes first.
// Two values go through shared memory at the same time.
// CHECK-LABEL: func.func @ordered
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[NE:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK: %[[ISHIGH:.*]] = simt.splat %[[NE]]
// CHECK-COUNT-6: simt.shuffle xor
// CHECK: simt.shared_store
// CHECK: simt.shared_store
// CHECK: simt.shared_load
// CHECK: simt.shared_load
// CHECK: simt.shuffle xor %[[FACTOR:.*]], %c1_i32
// CHECK: arith.select %[[ISHIGH]], %{{.*}}, %[[FACTOR]]
// CHECK-NOT: simt.shared
// CHECK: return
#l = #layout.distributed<lane (1) (2) (4) (8), warp (16) (32) (64) (128)>
func.func @ordered(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 16 : i32, simt.warp_size = 16 : i32} {
  %r = tile.make_range 0 to 256 : tensor<256xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>, #l>
  %s:2 = tile.reduce(%v, %v) axis 0 : (tensor<256xf32, #l>, tensor<256xf32, #l>) -> (f32, f32) {
  ^bb0(%a: f32, %b1: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %n = arith.mulf %c, %b1 : f32
    %o = arith.addf %n, %d : f32
    tile.yield %m, %o : f32, f32
  }
  tile.store %y, %s#1 : !tile.ptr<f32>
  return
}

// -----

// Two lanes have the same values, which is too few for 16 warps: two rounds, of 8 warps and of 2.
// CHECK-LABEL: func.func @few_lanes
// CHECK: simt.shuffle xor
// CHECK: simt.shared_store
// CHECK-COUNT-8: simt.shared_load
// CHECK: simt.shared_store
// CHECK-COUNT-2: simt.shared_load
// CHECK-NOT: simt.shuffle
// CHECK: return
#l = #layout.distributed<lane (1,0) (2,0) (4,0) (0,1), warp (0,2) (0,4) (0,8) (0,16)>
#rows = #layout.distributed<lane (1) (2) (4) (0), warp (0) (0) (0) (0)>
func.func @few_lanes(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 16 : i32, simt.warp_size = 16 : i32} {
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<8x32x!tile.ptr<f32>, #l>
  %v = tile.load %p : tensor<8x32x!tile.ptr<f32>, #l>
  %s = tile.reduce(%v) axis 1 : (tensor<8x32xf32, #l>) -> tensor<8xf32, #rows> {
  ^bb0(%a: f32, %c: f32):
    %o = arith.addf %a, %c : f32
    tile.yield %o : f32
  }
  %q = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #rows>
  tile.store %q, %s : tensor<8x!tile.ptr<f32>, #rows>
  return
}
