// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4,narrows_edges=true}' '--tile-rotate-ranges=bytes=32' %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4}' --tile-rotate-ranges %s --split-input-file | FileCheck %s --check-prefix=OFF
// 2 warps of 4 lanes.

// Address, offset and mask follow the rotated range; the address is computed before it.
// OFF-NOT: tile.ptr_to_int
// CHECK-LABEL: func.func @softmax
// CHECK: %[[ROW:.*]] = tile.addptr %arg0, %{{.*}} : !tile.ptr<f16>, i32
// CHECK: %[[R:.*]] = tile.make_range 0 to 64
// CHECK: %[[A:.*]] = tile.ptr_to_int %[[ROW]]
// CHECK: %[[L:.*]] = arith.trunci %[[A]] : i64 to i32
// CHECK: %[[B:.*]] = arith.andi %[[L]], %c31_i32 : i32
// CHECK: %[[S:.*]] = arith.shrui %[[B]], %c1_i32 : i32
// CHECK: %[[SS:.*]] = tile.splat %[[S]] : i32 -> tensor<64xi32>
// CHECK: %[[M:.*]] = arith.subi %[[R]], %[[SS]] : tensor<64xi32>
// CHECK: %[[N:.*]] = arith.andi %[[M]], %{{.*}} : tensor<64xi32>
// CHECK: arith.cmpi slt, %[[N]],
// CHECK: tile.addptr %{{.*}}, %[[N]] :
// CHECK: tile.addptr %{{.*}}, %[[N]] :
module attributes {tile.num_warps = 2 : i32} {
func.func @softmax(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %stride: i32, %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %pid = tile.program_id 0
  %start = arith.muli %pid, %stride : i32
  %row = tile.addptr %x, %start : !tile.ptr<f16>, i32
  %rows = tile.splat %row : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %px = tile.addptr %rows, %range : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %px mask %mask : tensor<64x!tile.ptr<f16>>
  %most = tile.reduce(%v) axis 0 : (tensor<64xf16>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maxnumf %a, %b : f16
    tile.yield %c : f16
  }
  %all = tile.splat %most : f16 -> tensor<64xf16>
  %less = arith.subf %v, %all : tensor<64xf16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %py = tile.addptr %ys, %range : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  tile.store %py, %less mask %mask : tensor<64x!tile.ptr<f16>>
  return
}
}

// -----

// A loop carries the pointer and a tensor of sums: the range is rotated once, for the address before the loop.
// CHECK-LABEL: func.func @loop
// CHECK: tile.ptr_to_int %arg0 : !tile.ptr<f32>
// CHECK: %[[N:.*]] = arith.andi %{{.*}} : tensor<64xi32>
// CHECK: scf.for
// CHECK: tile.addptr %{{.*}}, %[[N]] :
module attributes {tile.num_warps = 2 : i32} {
func.func @loop(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %range = tile.make_range 0 to 64
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zeros, %p = %x) -> (tensor<64xf32>, !tile.ptr<f32>) : i32 {
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %at = tile.addptr %ps, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %v = tile.load %at : tensor<64x!tile.ptr<f32>>
    %more = arith.addf %sum, %v : tensor<64xf32>
    %next = tile.addptr %p, %c64 : !tile.ptr<f32>, i32
    scf.yield %more, %next : tensor<64xf32>, !tile.ptr<f32>
  }
  %total = tile.reduce(%r#0) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %total : !tile.ptr<f32>
  return
}
}

// -----

// A scan depends on the order of elements.
// CHECK-LABEL: func.func @scan
// CHECK-NOT: tile.ptr_to_int
module attributes {tile.num_warps = 2 : i32} {
func.func @scan(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %px : tensor<64x!tile.ptr<f32>>
  %w = tile.scan(%v) axis 0 : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %py = tile.addptr %ys, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %py, %w : tensor<64x!tile.ptr<f32>>
  return
}
}

// -----

// Differences depend on the order, too.
// CHECK-LABEL: func.func @not_commutative
// CHECK-NOT: tile.ptr_to_int
module attributes {tile.num_warps = 2 : i32} {
func.func @not_commutative(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %px : tensor<64x!tile.ptr<f32>>
  %total = tile.reduce(%v) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %total : !tile.ptr<f32>
  return
}
}

// -----

// The second row is aligned, and would not be with a range that is rotated for the first.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT: tile.ptr_to_int
module attributes {tile.num_warps = 2 : i32} {
func.func @aligned(%x: !tile.ptr<f32>, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %px : tensor<64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %py = tile.addptr %ys, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %py, %v : tensor<64x!tile.ptr<f32>>
  return
}
}

// -----

// Weights at the kernel's argument are the same for all programs: the range is rotated so that the four elements of a
// warp's access, 8 bytes, begin at a multiple of 8.
// CHECK-LABEL: func.func @weights
// CHECK: %[[A:.*]] = tile.ptr_to_int %{{.*}}
// CHECK: %[[L:.*]] = arith.trunci %[[A]]
// CHECK: arith.andi %[[L]], %c7_i32 : i32
module attributes {tile.num_warps = 2 : i32} {
func.func @weights(%x: !tile.ptr<f16>, %w: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %stride: i32)
    attributes {tile.kernel} {
  %range = tile.make_range 0 to 64
  %pid = tile.program_id 0
  %start = arith.muli %pid, %stride : i32
  %row = tile.addptr %x, %start : !tile.ptr<f16>, i32
  %xs = tile.splat %row : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %px : tensor<64x!tile.ptr<f16>>
  %ws = tile.splat %w : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %pw = tile.addptr %ws, %range : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %u = tile.load %pw : tensor<64x!tile.ptr<f16>>
  %sum = arith.addf %v, %u : tensor<64xf16>
  tile.store %px, %sum : tensor<64x!tile.ptr<f16>>
  return
}
}

// -----

// Eight threads have one element each; a tensor that another range numbers has an order of its own.
// CHECK-LABEL: func.func @few
// CHECK-NOT: tile.ptr_to_int
module attributes {tile.num_warps = 2 : i32} {
func.func @few(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %eight = tile.make_range 0 to 8
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %px = tile.addptr %xs, %eight : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %px : tensor<8x!tile.ptr<f32>>
  tile.store %px, %v : tensor<8x!tile.ptr<f32>>
  %range = tile.make_range 0 to 64
  %other = tile.make_range 64 to 128
  %sum = arith.addi %range, %other : tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %py = tile.addptr %ys, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %qy = tile.addptr %ys, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %w = tile.load %py : tensor<64x!tile.ptr<f32>>
  tile.store %qy, %w : tensor<64x!tile.ptr<f32>>
  return
}
}
