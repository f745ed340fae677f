// RUN: tegula-opt --simt-set-target='fields={warp_size=4,threads_per_warp=4}' --tile-assign-layouts %s --split-input-file | FileCheck %s
// 2 warps of 4 lanes.

// Four adjacent elements are one access of 16 bytes.
// CHECK: #[[L:.*]] = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
// CHECK-LABEL: func.func @aligned
// CHECK-SAME: simt.warp_size = 4 : i32, simt.warps = 2 : i32
// CHECK: tile.make_range 0 to 32 : tensor<32xi32, #[[L]]>
// CHECK: tile.load %{{.*}} : tensor<32x!tile.ptr<f32>, #[[L]]>
// CHECK: arith.addf %{{.*}} : tensor<32xf32, #[[L]]>
// CHECK: tile.store %{{.*}} : tensor<32x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: convert_layout
module attributes {tile.num_warps = 2 : i32} {
func.func @aligned(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<32xf32>
  tile.store %p, %w : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// No fact allows wide accesses: a warp's lanes get adjacent elements.
// CHECK: #[[L:.*]] = #layout.distributed<register (8) (16), lane (1) (2), warp (4)>
// CHECK-LABEL: func.func @unaligned
// CHECK: tile.load %{{.*}} : tensor<32x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: convert_layout
module attributes {tile.num_warps = 2 : i32} {
func.func @unaligned(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>>
  tile.store %p, %v : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// A function that may not commute needs the axis in the order registers, lanes, warps; a sum, or any order, does not.
// CHECK-DAG: #[[L:.*]] = #layout.distributed<register (8) (16), lane (1) (2), warp (4)>
// CHECK-DAG: #[[ORDERED:.*]] = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
// CHECK-LABEL: func.func @axis_order
// CHECK: %[[V:.*]] = arith.addf %{{.*}} : tensor<32xf32, #[[L]]>
// CHECK: %[[O:.*]] = simt.convert_layout %[[V]] : tensor<32xf32, #[[L]]> -> tensor<32xf32, #[[ORDERED]]>
// CHECK-NOT: convert_layout
// CHECK: tile.reduce(%[[O]]) axis 0 :
// CHECK: tile.reduce(%[[V]]) axis 0 any_order :
// CHECK: tile.reduce(%[[V]]) axis 0 :
module attributes {tile.num_warps = 2 : i32} {
func.func @axis_order(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %u = tile.load %p : tensor<32x!tile.ptr<f32>>
  %v = arith.addf %u, %u : tensor<32xf32>
  %last = tile.reduce(%v) axis 0 : (tensor<32xf32>) -> f32 {
  ^bb0(%l: f32, %m: f32):
    tile.yield %m : f32
  }
  %any = tile.reduce(%v) axis 0 any_order : (tensor<32xf32>) -> f32 {
  ^bb0(%l: f32, %m: f32):
    tile.yield %m : f32
  }
  %sum = tile.reduce(%v) axis 0 : (tensor<32xf32>) -> f32 {
  ^bb0(%l: f32, %m: f32):
    %o = arith.addf %l, %m : f32
    tile.yield %o : f32
  }
  tile.store %x, %last : !tile.ptr<f32>
  tile.store %x, %any : !tile.ptr<f32>
  tile.store %x, %sum : !tile.ptr<f32>
  return
}
}

// -----

// Loads and stores both run along rows; the value between them is converted once.
// CHECK-DAG: #[[ROWS:.*]] = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (1,0), warp (2,0)>
// CHECK-DAG: #[[COLUMNS:.*]] = #layout.distributed<register (1,0) (2,0) (0,4), lane (4,0) (0,1), warp (0,2)>
// CHECK-LABEL: func.func @transposed
// CHECK: %[[V:.*]] = tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[ROWS]]>
// CHECK: %[[T:.*]] = simt.convert_layout %[[V]] : tensor<8x8xf32, #[[ROWS]]> -> tensor<8x8xf32, #[[COLUMNS]]>
// CHECK: tile.trans %[[T]] order [1, 0] : tensor<8x8xf32, #[[COLUMNS]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[ROWS]]>
module attributes {tile.num_warps = 2 : i32} {
func.func @transposed(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %c8 = arith.constant dense<8> : tensor<8x1xi32>
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %far = arith.muli %rows, %c8 : tensor<8x1xi32>
  %fars = tile.broadcast %far : tensor<8x1xi32> -> tensor<8x8xi32>
  %nears = tile.broadcast %columns : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %fars, %nears : tensor<8x8xi32>
  %bx = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %px = tile.addptr %bx, %at : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %px : tensor<8x8x!tile.ptr<f32>>
  %t = tile.trans %v order [1, 0] : tensor<8x8xf32>
  %by = tile.splat %y : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %py = tile.addptr %by, %at : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  tile.store %py, %t : tensor<8x8x!tile.ptr<f32>>
  return
}
}

// -----

// A loop-carried value has the layout of its summand, from its constant initial value on.
// CHECK: #[[L:.*]] = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
// CHECK-LABEL: func.func @carried
// CHECK: arith.constant dense<0.000000e+00> : tensor<32xf32, #[[L]]>
// CHECK-NOT: convert_layout
// CHECK: scf.for {{.*}} -> (tensor<32xf32, #[[L]]>)
// CHECK: scf.yield %{{.*}} : tensor<32xf32, #[[L]]>
// CHECK: } {simt.uniform}
// CHECK-NOT: convert_layout
module attributes {tile.num_warps = 2 : i32} {
func.func @carried(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %r = tile.make_range 0 to 32
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<32xf32>) : i32 {
    %v = tile.load %p : tensor<32x!tile.ptr<f32>>
    %w = arith.addf %a, %v : tensor<32xf32>
    scf.yield %w : tensor<32xf32>
  }
  tile.store %p, %s : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// A row sum stays with the row's threads; indices are recomputed in each layout, only the sum is converted.
// CHECK-DAG: #[[ROWS:.*]] = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (1,0), warp (2,0)>
// CHECK-DAG: #[[SLICE:.*]] = #layout.distributed<register (4), lane (0) (1), warp (2)>
// CHECK-DAG: #[[ALL:.*]] = #layout.distributed<lane (1) (2), warp (4)>
// CHECK-LABEL: func.func @sliced
// CHECK-DAG: tile.make_range 0 to 8 : tensor<8xi32, #[[ALL]]>
// CHECK-DAG: tile.make_range 0 to 8 : tensor<8xi32, #[[SLICE]]>
// CHECK-NOT: convert_layout
// CHECK: %[[S:.*]] = tile.reduce(%{{.*}}) axis 1 : (tensor<8x8xf32, #[[ROWS]]>) -> tensor<8xf32, #[[SLICE]]>
// CHECK: simt.convert_layout %[[S]] : tensor<8xf32, #[[SLICE]]> -> tensor<8xf32, #[[ALL]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}} : tensor<8x!tile.ptr<f32>, #[[ALL]]>
module attributes {tile.num_warps = 2 : i32} {
func.func @sliced(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %c8 = arith.constant dense<8> : tensor<8x1xi32>
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %far = arith.muli %rows, %c8 : tensor<8x1xi32>
  %fars = tile.broadcast %far : tensor<8x1xi32> -> tensor<8x8xi32>
  %nears = tile.broadcast %columns : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %fars, %nears : tensor<8x8xi32>
  %bx = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %px = tile.addptr %bx, %at : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %px : tensor<8x8x!tile.ptr<f32>>
  %s = tile.reduce(%v) axis 1 : (tensor<8x8xf32>) -> tensor<8xf32> {
  ^bb0(%l: f32, %m: f32):
    %o = arith.addf %l, %m : f32
    tile.yield %o : f32
  }
  %by = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %py = tile.addptr %by, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %py, %s : tensor<8x!tile.ptr<f32>>
  return
}
}

// -----

// Both elements of a pair are in one thread.
// CHECK-DAG: #[[L:.*]] = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
// CHECK-DAG: #[[PAIRS:.*]] = #layout.distributed<register (0,1) (1,0), lane (2,0) (4,0), warp (8,0)>
// CHECK-DAG: #[[HALF:.*]] = #layout.distributed<register (1), lane (2) (4), warp (8)>
// CHECK-LABEL: func.func @halves
// CHECK: tile.split %{{.*}} : tensor<16x2xf32, #[[PAIRS]]>
// CHECK: tile.join %{{.*}} : tensor<16xf32, #[[HALF]]>
// CHECK-NOT: convert_layout
module attributes {tile.num_warps = 2 : i32} {
func.func @halves(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>>
  %pairs = tile.reshape %v : tensor<32xf32> -> tensor<16x2xf32>
  %l, %m = tile.split %pairs : tensor<16x2xf32>
  %j = tile.join %m, %l : tensor<16xf32>
  %w = tile.reshape %j : tensor<16x2xf32> -> tensor<32xf32>
  tile.store %p, %w : tensor<32x!tile.ptr<f32>>
  return
}
}

// -----

// Unchanged: a function that is no kernel; a kernel of scalars, which needs no layouts.
// CHECK-LABEL: func.func private @helper(%arg0: tensor<32xf32>) -> tensor<32xf32> {
// CHECK-NEXT: arith.addf %{{.*}} : tensor<32xf32>
// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: tile.load %arg0 : !tile.ptr<f32>
// CHECK-NEXT: tile.store %arg0
module attributes {tile.num_warps = 2 : i32} {
func.func private @helper(%v: tensor<32xf32>) -> tensor<32xf32> {
  %w = arith.addf %v, %v : tensor<32xf32>
  return %w : tensor<32xf32>
}
func.func @scalars(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  tile.store %x, %v : !tile.ptr<f32>
  return
}
}

// -----

// Unchanged: the function has layouts already.
// CHECK: #[[L:.*]] = #layout.distributed<register (16) (2), lane (4) (8), warp (1)>
// CHECK-LABEL: func.func @has_layouts
// CHECK-NEXT: tile.make_range 0 to 32 : tensor<32xi32, #[[L]]>
#l = #layout.distributed<register (16) (2), lane (4) (8), warp (1)>
module attributes {tile.num_warps = 2 : i32} {
func.func @has_layouts(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  return
}
}

// -----

// A tensor of no more elements than there are threads would gain no width from a layout of its own: it is loaded in the
// slice of the large one's.
// CHECK-DAG: #[[ROWS:.*]] = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (1,0), warp (2,0)>
// CHECK-DAG: #[[SLICE:.*]] = #layout.distributed<register (4), lane (0) (1), warp (2)>
// CHECK-LABEL: func.func @small_follows
// CHECK: %[[S:.*]] = tile.load %{{.*}} : tensor<8x!tile.ptr<f32>, #[[SLICE]]>
// CHECK-NOT: convert_layout
// CHECK: tile.expand_dims %[[S]] axis 1 : tensor<8xf32, #[[SLICE]]>
// CHECK-NOT: convert_layout
// CHECK: arith.addf %{{.*}} : tensor<8x8xf32, #[[ROWS]]>
// CHECK-NOT: convert_layout
module attributes {tile.num_warps = 2 : i32} {
func.func @small_follows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %c8 = arith.constant dense<8> : tensor<8x1xi32>
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %far = arith.muli %rows, %c8 : tensor<8x1xi32>
  %fars = tile.broadcast %far : tensor<8x1xi32> -> tensor<8x8xi32>
  %nears = tile.broadcast %columns : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %fars, %nears : tensor<8x8xi32>
  %by = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %py = tile.addptr %by, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %s = tile.load %py : tensor<8x!tile.ptr<f32>>
  %e = tile.expand_dims %s axis 1 : tensor<8xf32>
  %w = tile.broadcast %e : tensor<8x1xf32> -> tensor<8x8xf32>
  %bx = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %px = tile.addptr %bx, %at : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %px : tensor<8x8x!tile.ptr<f32>>
  %u = arith.addf %v, %w : tensor<8x8xf32>
  tile.store %px, %u : tensor<8x8x!tile.ptr<f32>>
  return
}
}

// -----

// A load that asks for what memory holds now is executed once, also where nothing uses it.
// CHECK-LABEL: func.func @volatile_is_converted
// CHECK-DAG: %[[S:.*]] = tile.load %[[P:.*]] volatile : tensor<8x!tile.ptr<f32>, #[[OWN:.*]]>
// CHECK-DAG: tile.load %[[P]] volatile : tensor<8x!tile.ptr<f32>, #[[OWN]]>
// CHECK-DAG: %[[C:.*]] = tile.load %[[P]] cache(cv) : tensor<8x!tile.ptr<f32>, #[[OWN]]>
// CHECK-NOT: tile.load {{.*}}tensor<8x!
// CHECK: arith.addf
module attributes {tile.num_warps = 2 : i32} {
func.func @volatile_is_converted(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %c8 = arith.constant dense<8> : tensor<8x1xi32>
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %far = arith.muli %rows, %c8 : tensor<8x1xi32>
  %fars = tile.broadcast %far : tensor<8x1xi32> -> tensor<8x8xi32>
  %nears = tile.broadcast %columns : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %fars, %nears : tensor<8x8xi32>
  %by = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %py = tile.addptr %by, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %s = tile.load %py volatile : tensor<8x!tile.ptr<f32>>
  %unused = tile.load %py volatile : tensor<8x!tile.ptr<f32>>
  %c = tile.load %py cache(cv) : tensor<8x!tile.ptr<f32>>
  %t = arith.addf %s, %c : tensor<8xf32>
  %e = tile.expand_dims %t axis 1 : tensor<8xf32>
  %w = tile.broadcast %e : tensor<8x1xf32> -> tensor<8x8xf32>
  %bx = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %px = tile.addptr %bx, %at : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %px : tensor<8x8x!tile.ptr<f32>>
  %u = arith.addf %v, %w : tensor<8x8xf32>
  tile.store %px, %u : tensor<8x8x!tile.ptr<f32>>
  return
}
}
// -----

// One of more elements, which are read four at a time, is loaded in its own layout and converted once, while small.
// CHECK-DAG: #[[WIDE:.*]] = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
// CHECK-LABEL: func.func @wide_is_converted
// CHECK: %[[S:.*]] = tile.load %{{.*}} : tensor<32x!tile.ptr<f32>, #[[WIDE]]>
// CHECK: %[[C:.*]] = simt.convert_layout %[[S]]
// CHECK: tile.expand_dims %[[C]] axis 1
// CHECK-NOT: convert_layout
module attributes {tile.num_warps = 2 : i32} {
func.func @wide_is_converted(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %c8 = arith.constant dense<8> : tensor<32x1xi32>
  %long = tile.make_range 0 to 32
  %rows = tile.expand_dims %long axis 1 : tensor<32xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %far = arith.muli %rows, %c8 : tensor<32x1xi32>
  %fars = tile.broadcast %far : tensor<32x1xi32> -> tensor<32x8xi32>
  %nears = tile.broadcast %columns : tensor<1x8xi32> -> tensor<32x8xi32>
  %at = arith.addi %fars, %nears : tensor<32x8xi32>
  %by = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %py = tile.addptr %by, %long : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %s = tile.load %py : tensor<32x!tile.ptr<f32>>
  %e = tile.expand_dims %s axis 1 : tensor<32xf32>
  %w = tile.broadcast %e : tensor<32x1xf32> -> tensor<32x8xf32>
  %bx = tile.splat %x : !tile.ptr<f32> -> tensor<32x8x!tile.ptr<f32>>
  %px = tile.addptr %bx, %at : tensor<32x8x!tile.ptr<f32>>, tensor<32x8xi32>
  %v = tile.load %px : tensor<32x8x!tile.ptr<f32>>
  %u = arith.addf %v, %w : tensor<32x8xf32>
  tile.store %px, %u : tensor<32x8x!tile.ptr<f32>>
  return
}
}

// -----

// A small load in a loop, through indices from before it, is executed in the layout of its user: the indices, to which
// another user gives a layout, are there in both before the loop (here loaded twice), and the loop exchanges nothing.
// CHECK-LABEL: func.func @indices_from_before
// CHECK-NOT: convert_layout
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.load %{{.*}} : tensor<8x!tile.ptr<f32>, #[[ROWS:.*]]>
// CHECK-NOT: convert_layout
// CHECK: tile.expand_dims %[[S]] axis 1 : tensor<8xf32, #[[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: scf.yield
module attributes {tile.num_warps = 2 : i32} {
func.func @indices_from_before(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %y: !tile.ptr<f32>, %z: !tile.ptr<i32>, %w: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<8x1xi32>
  %r = tile.make_range 0 to 8
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32>
  %columns = tile.expand_dims %r axis 0 : tensor<8xi32>
  %far = arith.muli %rows, %c8 : tensor<8x1xi32>
  %fars = tile.broadcast %far : tensor<8x1xi32> -> tensor<8x8xi32>
  %nears = tile.broadcast %columns : tensor<1x8xi32> -> tensor<8x8xi32>
  %at = arith.addi %fars, %nears : tensor<8x8xi32>
  %bz = tile.splat %z : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %pz = tile.addptr %bz, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %ids = tile.load %pz : tensor<8x!tile.ptr<i32>>
  %across = tile.expand_dims %ids axis 0 : tensor<8xi32>
  %wide = tile.broadcast %across : tensor<1x8xi32> -> tensor<8x8xi32>
  %where = arith.addi %wide, %fars : tensor<8x8xi32>
  %bw = tile.splat %w : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %pw = tile.addptr %bw, %where : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %first = tile.load %pw : tensor<8x8x!tile.ptr<f32>>
  %bx = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %px = tile.addptr %bx, %at : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (tensor<8x8xf32>) : i32 {
    %yi = tile.addptr %y, %i : !tile.ptr<f32>, i32
    %by = tile.splat %yi : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
    %py = tile.addptr %by, %ids : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %s = tile.load %py : tensor<8x!tile.ptr<f32>>
    %e = tile.expand_dims %s axis 1 : tensor<8xf32>
    %v = tile.broadcast %e : tensor<8x1xf32> -> tensor<8x8xf32>
    %u = arith.addf %sum, %v : tensor<8x8xf32>
    scf.yield %u : tensor<8x8xf32>
  }
  tile.store %px, %last : tensor<8x8x!tile.ptr<f32>>
  return
}
}

// -----

// A thread that holds 8 neighbours of 16 bits holds 8 of 32 bits as well, and loads them by two accesses side by side.
// CHECK-DAG: #[[ROW:.*]] = #layout.distributed<register (1) (2) (4), lane (8) (16), warp (32)>
// CHECK-LABEL: func.func @two_types
// CHECK-DAG: tile.load %{{.*}} : tensor<64x!tile.ptr<f16>, #[[ROW]]>
// CHECK-DAG: tile.load %{{.*}} : tensor<64x!tile.ptr<f32>, #[[ROW]]>
// CHECK-NOT: convert_layout
// CHECK: return
module attributes {tile.num_warps = 2 : i32} {
func.func @two_types(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %w: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64
  %bx = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %px = tile.addptr %bx, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %bw = tile.splat %w : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pw = tile.addptr %bw, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %h = tile.load %px : tensor<64x!tile.ptr<f16>>
  %f = tile.load %pw : tensor<64x!tile.ptr<f32>>
  %e = arith.extf %h : tensor<64xf16> to tensor<64xf32>
  %y = arith.mulf %e, %f : tensor<64xf32>
  %n = arith.truncf %y : tensor<64xf32> to tensor<64xf16>
  tile.store %px, %n : tensor<64x!tile.ptr<f16>>
  return
}
}

// -----

// Images of w columns, element by element in one axis, channels in the other: the first has no contiguous groups, but
// its neighbours are next to each other, so lanes go along it.
// CHECK-DAG: #[[PIXELS:.*]] = #layout.distributed<register (4,0) (0,2) (0,4), lane (1,0) (2,0), warp (0,1)>
// CHECK-LABEL: func.func @channels_first
// CHECK: tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[PIXELS]]>
module attributes {tile.num_warps = 2 : i32} {
func.func @channels_first(%x: !tile.ptr<f32>, %w: i32, %far: i32, %stride: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %ws = tile.splat %w : i32 -> tensor<8xi32>
  %strides = tile.splat %stride : i32 -> tensor<8xi32>
  %line = arith.divsi %r, %ws : tensor<8xi32>
  %column = arith.remsi %r, %ws : tensor<8xi32>
  %lines = arith.muli %line, %strides : tensor<8xi32>
  %at = arith.addi %lines, %column : tensor<8xi32>
  %pixels = tile.expand_dims %at axis 1 : tensor<8xi32>
  %fars = tile.splat %far : i32 -> tensor<8xi32>
  %plane = arith.muli %r, %fars : tensor<8xi32>
  %planes = tile.expand_dims %plane axis 0 : tensor<8xi32>
  %all = tile.broadcast %pixels : tensor<8x1xi32> -> tensor<8x8xi32>
  %each = tile.broadcast %planes : tensor<1x8xi32> -> tensor<8x8xi32>
  %place = arith.addi %all, %each : tensor<8x8xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %p = tile.addptr %b, %place : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %p : tensor<8x8x!tile.ptr<f32>>
  tile.store %p, %v : tensor<8x8x!tile.ptr<f32>>
  return
}
}

// -----

// The halves of a split that a lane's bit selects: this bit and the highest of the registers change places, which moves
// half of the elements. The halves and what is computed from them need no other conversion.
// CHECK-DAG: #[[ROW:.*]] = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
// CHECK-DAG: #[[LANE:.*]] = #layout.distributed<register (1,0) (2,0), lane (4,0) (0,1), warp (8,0)>
// CHECK-DAG: #[[HALVES:.*]] = #layout.distributed<register (1,0) (0,1), lane (4,0) (2,0), warp (8,0)>
// CHECK-LABEL: func.func @halves_of_lanes
// CHECK: %[[V:.*]] = tile.load %{{.*}} : tensor<32x!tile.ptr<f32>, #[[ROW]]>
// CHECK: simt.convert_layout %{{.*}} -> tensor<16x2xf32, #[[HALVES]]>
// CHECK: tile.split
// CHECK-NOT: convert_layout
// CHECK: arith.addf
module attributes {tile.num_warps = 2 : i32} {
func.func @halves_of_lanes(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>>
  %m = tile.reshape %v : tensor<32xf32> -> tensor<2x2x8xf32>
  %t = tile.trans %m order [0, 2, 1] : tensor<2x2x8xf32>
  %h = tile.reshape %t : tensor<2x8x2xf32> -> tensor<16x2xf32>
  %l, %u = tile.split %h : tensor<16x2xf32>
  %s = arith.addf %l, %u : tensor<16xf32>
  %d = tile.reduce(%s) axis 0 : (tensor<16xf32>) -> f32 {
  ^bb0(%e: f32, %f: f32):
    %g = arith.addf %e, %f : f32
    tile.yield %g : f32
  }
  tile.store %x, %d : !tile.ptr<f32>
  return
}
}

// -----

// Two loads have nothing in common but a mask of rows, which one broadcast spreads for both: each gets the layout of
// its own order in memory.
// CHECK-DAG: #[[ROWS:.*]] = #layout.distributed<register (0,4) (2,0) (4,0), lane (0,1) (0,2), warp (1,0)>
// CHECK-DAG: #[[COLUMNS:.*]] = #layout.distributed<register (4,0) (0,2) (0,4), lane (1,0) (2,0), warp (0,1)>
// CHECK-LABEL: func.func @one_mask
// CHECK: tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[ROWS]]>
// CHECK: tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[COLUMNS]]>
module attributes {tile.num_warps = 2 : i32} {
func.func @one_mask(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8
  %eight = arith.constant dense<8> : tensor<8xi32>
  %s = arith.muli %r, %eight : tensor<8xi32>
  %down = tile.expand_dims %r axis 1 : tensor<8xi32>
  %across = tile.expand_dims %r axis 0 : tensor<8xi32>
  %steps_down = tile.expand_dims %s axis 1 : tensor<8xi32>
  %steps_across = tile.expand_dims %s axis 0 : tensor<8xi32>
  %d = tile.broadcast %down : tensor<8x1xi32> -> tensor<8x8xi32>
  %a = tile.broadcast %across : tensor<1x8xi32> -> tensor<8x8xi32>
  %sd = tile.broadcast %steps_down : tensor<8x1xi32> -> tensor<8x8xi32>
  %sa = tile.broadcast %steps_across : tensor<1x8xi32> -> tensor<8x8xi32>
  %by_rows = arith.addi %sd, %a : tensor<8x8xi32>
  %by_columns = arith.addi %d, %sa : tensor<8x8xi32>
  %nb = tile.splat %n : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %np = tile.addptr %nb, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %limits = tile.load %np : tensor<8x!tile.ptr<i32>>
  %inside = arith.cmpi slt, %limits, %eight : tensor<8xi32>
  %column = tile.expand_dims %inside axis 1 : tensor<8xi1>
  %mask = tile.broadcast %column : tensor<8x1xi1> -> tensor<8x8xi1>
  %first = arith.cmpi slt, %d, %a : tensor<8x8xi32>
  %second = arith.cmpi sgt, %d, %a : tensor<8x8xi32>
  %m1 = arith.andi %mask, %first : tensor<8x8xi1>
  %m2 = arith.andi %mask, %second : tensor<8x8xi1>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
  %p = tile.addptr %b, %by_rows : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %q = tile.addptr %b, %by_columns : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  %v = tile.load %p mask %m1 : tensor<8x8x!tile.ptr<f32>>
  %w = tile.load %q mask %m2 : tensor<8x8x!tile.ptr<f32>>
  tile.store %p, %v mask %m1 : tensor<8x8x!tile.ptr<f32>>
  tile.store %q, %w mask %m2 : tensor<8x8x!tile.ptr<f32>>
  return
}
}
