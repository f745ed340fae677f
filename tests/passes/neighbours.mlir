// Along which axis the lanes of a warp lie where no access says so, or only a part of the way to it is known.
// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4}' --tile-assign-layouts %s --split-input-file | FileCheck %s

// Neither stride is known. The first one is divisible by 16, so it is taken for the outer one: lanes lie along the
// second axis.
// CHECK: #[[L:.*]] = #layout.distributed<register (0,4) (1,0) (2,0) (4,0), lane (0,1) (0,2)>
// CHECK-LABEL: func.func @near_columns
// CHECK: tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[L]]>
module attributes {tile.num_warps = 1 : i32} {
func.func @near_columns(%x: !tile.ptr<f32>, %far: i32 {tile.divisibility = 16 : i64}, %near: i32)
    attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %f = tile.splat %far : i32 -> tensor<8x1xi32>
  %n = tile.splat %near : i32 -> tensor<1x8xi32>
  %i = arith.muli %rows, %f : tensor<8x1xi32>
  %j = arith.muli %columns, %n : tensor<1x8xi32>
  %ii = tile.broadcast %i : tensor<8x1xi32> -> tensor<8x8xi32>
  %jj = tile.broadcast %j : tensor<1x8xi32> -> tensor<8x8xi32>
  %k = arith.addi %ii, %jj : tensor<8x8xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %p = tile.addptr %b, %k : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %p : tensor<8x8x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<8x8xf32>
  tile.store %p, %w : tensor<8x8x!tile.ptr<f32>>
  return
}
}

// -----

// The same with the strides exchanged: lanes lie along the first axis.
// CHECK: #[[L:.*]] = #layout.distributed<register (4,0) (0,1) (0,2) (0,4), lane (1,0) (2,0)>
// CHECK-LABEL: func.func @near_rows
// CHECK: tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[L]]>
module attributes {tile.num_warps = 1 : i32} {
func.func @near_rows(%x: !tile.ptr<f32>, %far: i32 {tile.divisibility = 16 : i64}, %near: i32)
    attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %n = tile.splat %near : i32 -> tensor<8x1xi32>
  %f = tile.splat %far : i32 -> tensor<1x8xi32>
  %i = arith.muli %rows, %n : tensor<8x1xi32>
  %j = arith.muli %columns, %f : tensor<1x8xi32>
  %ii = tile.broadcast %i : tensor<8x1xi32> -> tensor<8x8xi32>
  %jj = tile.broadcast %j : tensor<1x8xi32> -> tensor<8x8xi32>
  %k = arith.addi %ii, %jj : tensor<8x8xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %p = tile.addptr %b, %k : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %p : tensor<8x8x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<8x8xf32>
  tile.store %p, %w : tensor<8x8x!tile.ptr<f32>>
  return
}
}

// -----

// What passes from one buffer of shared memory to another has no access to global memory. Its neighbours are those of
// the buffers, whose lines lie along the first axis.
#lines = #layout.shared<(1,0) (2,0) (4,0) (0,1) (0,2) (0,4)>
// CHECK: #[[L:.*]] = #layout.distributed<register (1,0) (2,0) (0,2) (0,4), lane (4,0) (0,1)>
// CHECK-LABEL: func.func @between_buffers
// CHECK: arith.mulf %{{.*}} : tensor<8x8xf32, #[[L]]>
// CHECK: simt.shared_store %{{.*}} : !simt.shared<8x8xf32, #{{.*}}>, tensor<8x8xf32, #[[L]]>
module attributes {tile.num_warps = 1 : i32} {
func.func @between_buffers() attributes {tile.kernel} {
  %from = simt.shared_alloc : <8x8xf32, #lines>
  %to = simt.shared_alloc : <8x8xf32, #lines>
  %v = simt.shared_load %from : <8x8xf32, #lines> -> tensor<8x8xf32>
  %w = arith.mulf %v, %v : tensor<8x8xf32>
  simt.shared_store %to, %w : !simt.shared<8x8xf32, #lines>, tensor<8x8xf32>
  return
}
}

// -----

// Loaded element by element, lanes along the first axis, and stored to a buffer whose lines lie along the second one: a
// thread takes eight neighbours along the lines, so that a store has 16 bytes.
#lines = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0)>
// CHECK: #[[L:.*]] = #layout.distributed<register (0,1) (0,2) (0,4) {{.*}}, lane (1,0) (2,0)>
// CHECK-LABEL: func.func @narrow_to_lines
// CHECK: tile.load %{{.*}} : tensor<16x16x!tile.ptr<f16>, #[[L]]>
// CHECK: simt.shared_store %{{.*}} : !simt.shared<16x16xf16, #{{.*}}>, tensor<16x16xf16, #[[L]]>
module attributes {tile.num_warps = 1 : i32} {
func.func @narrow_to_lines(%x: !tile.ptr<f16>, %far: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 16
  %rows = tile.expand_dims %r axis 1 : tensor<16xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<16xi32>
  %f = tile.splat %far : i32 -> tensor<1x16xi32>
  %j = arith.muli %columns, %f : tensor<1x16xi32>
  %ii = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %jj = tile.broadcast %j : tensor<1x16xi32> -> tensor<16x16xi32>
  %k = arith.addi %ii, %jj : tensor<16x16xi32>
  %b = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %p = tile.addptr %b, %k : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %v = tile.load %p : tensor<16x16x!tile.ptr<f16>>
  %to = simt.shared_alloc : <16x16xf16, #lines>
  simt.shared_store %to, %v : !simt.shared<16x16xf16, #lines>, tensor<16x16xf16>
  return
}
}

// -----

// Packed integers are recomputed in any layout and belong to no group; what is converted from them follows the buffer
// that they come from.
#lines = #layout.shared<(1,0) (2,0) (4,0) (0,1) (0,2) (0,4)>
// CHECK: #[[L:.*]] = #layout.distributed<register (1,0) (2,0) {{.*}}, lane (4,0) (0,1)>
// CHECK-LABEL: func.func @unpacked
// CHECK: arith.sitofp %{{.*}} : tensor<8x8xi8, #[[L]]> to tensor<8x8xf32, #[[L]]>
module attributes {tile.num_warps = 1 : i32} {
func.func @unpacked(%o: tensor<8x8x!tile.ptr<f32>>) attributes {tile.kernel} {
  %from = simt.shared_alloc : <8x8xi8, #lines>
  %four = arith.constant dense<4> : tensor<8x8xi8>
  %v = simt.shared_load %from : <8x8xi8, #lines> -> tensor<8x8xi8>
  %high = arith.shrsi %v, %four : tensor<8x8xi8>
  %f = arith.sitofp %high : tensor<8x8xi8> to tensor<8x8xf32>
  %sum = tile.reduce(%f) axis 1 : (tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.print "" is_signed [true](%sum) : tensor<8xf32>
  return
}
}
