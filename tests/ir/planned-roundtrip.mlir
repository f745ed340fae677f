// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// The planned level as tile-assign-layouts makes it: 2 warps of 4 lanes.
// CHECK-DAG: #[[ALL:.*]] = #layout.distributed<lane (1) (2), warp (4)>
// CHECK-DAG: #[[SLICE:.*]] = #layout.distributed<register (4), lane (0) (1), warp (2)>
// CHECK-DAG: #[[ROWS:.*]] = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (1,0), warp (2,0)>
#all = #layout.distributed<lane (1) (2), warp (4)>
#slice = #layout.distributed<register (4), lane (0) (1), warp (2)>
#column = #layout.distributed<register (4,0), lane (0,0) (1,0), warp (2,0)>
#rows = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (1,0), warp (2,0)>

// CHECK-LABEL: func.func @rows
func.func @rows(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: arith.constant dense<0.000000e+00> : tensor<8xf32, #[[SLICE]]>
  %zero = arith.constant dense<0.0> : tensor<8xf32, #slice>
  // CHECK: tile.make_range 0 to 8 : tensor<8xi32, #[[SLICE]]>
  %r = tile.make_range 0 to 8 : tensor<8xi32, #slice>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<8xi32, #[[SLICE]]>
  %e = tile.expand_dims %r axis 1 : tensor<8xi32, #slice>
  // CHECK: tile.broadcast %{{.*}} : tensor<8x1xi32, #{{.*}}> -> tensor<8x8xi32, #[[ROWS]]>
  %at = tile.broadcast %e : tensor<8x1xi32, #column> -> tensor<8x8xi32, #rows>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #[[ROWS]]>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #rows>
  // CHECK: tile.addptr %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[ROWS]]>, tensor<8x8xi32, #[[ROWS]]>
  %p = tile.addptr %b, %at : tensor<8x8x!tile.ptr<f32>, #rows>, tensor<8x8xi32, #rows>
  // CHECK: scf.for {{.*}} -> (tensor<8xf32, #[[SLICE]]>)
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<8xf32, #slice>) : i32 {
    // CHECK: tile.load %{{.*}} : tensor<8x8x!tile.ptr<f32>, #[[ROWS]]>
    %v = tile.load %p : tensor<8x8x!tile.ptr<f32>, #rows>
    // CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<8x8xf32, #[[ROWS]]>) -> tensor<8xf32, #[[SLICE]]>
    %t = tile.reduce(%v) axis 1 : (tensor<8x8xf32, #rows>) -> tensor<8xf32, #slice> {
    ^bb0(%l: f32, %m: f32):
      %o = arith.addf %l, %m : f32
      tile.yield %o : f32
    }
    // CHECK: arith.addf %{{.*}} : tensor<8xf32, #[[SLICE]]>
    %w = arith.addf %a, %t : tensor<8xf32, #slice>
    scf.yield %w : tensor<8xf32, #slice>
  // CHECK: } {simt.uniform}
  } {simt.uniform}
  // CHECK: simt.convert_layout %{{.*}} : tensor<8xf32, #[[SLICE]]> -> tensor<8xf32, #[[ALL]]>
  %u = simt.convert_layout %s : tensor<8xf32, #slice> -> tensor<8xf32, #all>
  %q = tile.make_range 0 to 8 : tensor<8xi32, #all>
  %c = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #all>
  %d = tile.addptr %c, %q : tensor<8x!tile.ptr<f32>, #all>, tensor<8xi32, #all>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>, #[[ALL]]>
  tile.store %d, %u : tensor<8x!tile.ptr<f32>, #all>
  return
}
