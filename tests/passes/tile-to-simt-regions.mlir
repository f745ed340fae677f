// RUN: tegula-opt --tile-to-simt %s --split-input-file --verify-diagnostics | FileCheck %s
// The functions of reductions, scans and maps. 2 warps of 4 lanes.

// An assertion in a scan is checked for the elements that are combined: of two registers the upper one, of two lanes or
// warps the upper one. The two registers of a lane have one partner in another lane or warp, which is exchanged once.
// CHECK-LABEL: func.func @asserted_scan
// CHECK: simt.assert %{{.*}}, "small" : vector<1xi1>
// CHECK: arith.addi %{{.*}} : vector<1xi32>
// CHECK: simt.shuffle {{.*}}vector<1xi32>
// CHECK: %[[ONE:.*]] = arith.cmpi ne
// CHECK: simt.assert %{{.*}}, "small" where %[[ONE]] : vector<2xi1>
// CHECK: simt.shuffle {{.*}}vector<1xi32>
// CHECK: %[[TWO:.*]] = arith.cmpi ne
// CHECK: simt.assert %{{.*}}, "small" where %[[TWO]] : vector<2xi1>
// CHECK: simt.shared_alloc : <8xi32>
// CHECK: %[[THREE:.*]] = arith.cmpi ne
// CHECK: simt.assert %{{.*}}, "small" where %[[THREE]] : vector<2xi1>
// CHECK-NOT: tile.assert
// CHECK-NOT: tile.assume
#l = #layout.distributed<register (1), lane (2) (4), warp (8)>
module attributes {tile.num_warps = 2 : i32} {
func.func @asserted_scan(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 16 : tensor<16xi32, #l>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #l>
  %p = tile.addptr %b, %r : tensor<16x!tile.ptr<i32>, #l>, tensor<16xi32, #l>
  %v = tile.load %p : tensor<16x!tile.ptr<i32>, #l>
  %s = tile.scan(%v) axis 0 : (tensor<16xi32, #l>) -> tensor<16xi32, #l> {
  ^bb0(%a: i32, %c: i32):
    %limit = arith.constant 9 : i32
    %small = arith.cmpi slt, %c, %limit : i32
    tile.assume %small : i1
    tile.assert %small, "small" : i1
    %o = arith.addi %a, %c : i32
    tile.yield %o : i32
  }
  tile.store %p, %s : tensor<16x!tile.ptr<i32>, #l>
  return
}
}

// -----

// Two assertions: the host reports the failure that came first, so barriers separate each step's failures from those of
// the next step.
// CHECK-LABEL: func.func @two_assertions
// CHECK: simt.barrier
// CHECK: simt.assert %{{.*}}, "first" : vector<1xi1>
// CHECK: simt.assert %{{.*}}, "second" : vector<1xi1>
// CHECK: simt.shuffle
// CHECK: simt.barrier
// CHECK: simt.assert %{{.*}}, "first" : vector<1xi1>
#l = #layout.distributed<register (1), lane (2)>
module attributes {tile.num_warps = 1 : i32} {
func.func @two_assertions(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 2 : i32} {
  %r = tile.make_range 0 to 4 : tensor<4xi32, #l>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>, #l>
  %p = tile.addptr %b, %r : tensor<4x!tile.ptr<i32>, #l>, tensor<4xi32, #l>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>, #l>
  %s = tile.reduce(%v) axis 0 : (tensor<4xi32, #l>) -> i32 {
  ^bb0(%a: i32, %c: i32):
    %o = arith.addi %a, %c : i32
    %limit = arith.constant 9 : i32
    %one = arith.cmpi slt, %o, %limit : i32
    %two = arith.cmpi ne, %o, %limit : i32
    tile.assert %one, "first" : i1
    tile.assert %two, "second" : i1
    tile.yield %o : i32
  }
  tile.store %x, %s : !tile.ptr<i32>
  return
}
}

// -----

// Within a branch a function is applied element by element.
// CHECK-LABEL: func.func @asserted_branch
// CHECK: scf.if
// CHECK: simt.assert %{{.*}}, "small" : i1
// CHECK: scf.if
// CHECK: simt.assert %{{.*}}, "small" : i1
// CHECK-NOT: tile.assert
#l = #layout.distributed<register (1), lane (2)>
module attributes {tile.num_warps = 1 : i32} {
func.func @asserted_branch(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 2 : i32} {
  %r = tile.make_range 0 to 4 : tensor<4xi32, #l>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>, #l>
  %p = tile.addptr %b, %r : tensor<4x!tile.ptr<i32>, #l>, tensor<4xi32, #l>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>, #l>
  %s = tile.map_elementwise(%v) : (tensor<4xi32, #l>) -> tensor<4xi32, #l> {
  ^bb0(%a: i32):
    %zero = arith.constant 0 : i32
    %limit = arith.constant 9 : i32
    %positive = arith.cmpi sgt, %a, %zero : i32
    scf.if %positive {
      %small = arith.cmpi slt, %a, %limit : i32
      tile.assert %small, "small" : i1
    } {simt.divergent}
    tile.yield %a : i32
  }
  tile.store %p, %s : tensor<4x!tile.ptr<i32>, #l>
  return
}
}

// -----

// tile-assign-layouts gives such a function a layout in the axis' order.
#l = #layout.distributed<register (2), lane (1)>
module attributes {tile.num_warps = 1 : i32} {
func.func @not_in_order(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 2 : i32} {
  %r = tile.make_range 0 to 4 : tensor<4xi32, #l>
  // expected-error @below {{expected a layout whose registers hold the lowest bits of the coordinate along axis 0 and whose warps hold the highest, for a function that may not commute, found #layout.distributed<register (2), lane (1)>}}
  %s = tile.reduce(%r) axis 0 : (tensor<4xi32, #l>) -> i32 {
  ^bb0(%a: i32, %c: i32):
    tile.yield %c : i32
  }
  tile.store %x, %s : !tile.ptr<i32>
  return
}
}
