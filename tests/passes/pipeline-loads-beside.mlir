// Loads beside products, whose values change layout before they are combined with a product's result.
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192}' --tile-assign-layouts --tile-pipeline-loads=beside-products=true --canonicalize --cse %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192}' --tile-assign-layouts --tile-pipeline-loads=beside-products=true --verify-diagnostics -o /dev/null %s

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {

// The scales of rows, whose places are loaded, so that the scales are converted: the loop carries the next ones. The
// first ones are masked off if the loop does not run. Scales of columns are loaded as the product's result needs them,
// and need no conversion; the bias has too many elements.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32)
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]]
// CHECK: %[[ANY:.*]] = tile.splat %[[RUNS]]
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %[[ANY]] : tensor<64x!tile.ptr<f32>
// CHECK: scf.for {{.*}} %[[SCALES:[a-z0-9]+]] = %[[FIRST]])
// CHECK:   %[[NEXT:.*]] = tile.load %{{.*}} mask %{{.*}} : tensor<64x!tile.ptr<f32>
// CHECK:   simt.convert_layout %[[SCALES]]
// CHECK:   tile.load %{{.*}} : tensor<64x!tile.ptr<f32>
// CHECK:   tile.dot
// CHECK:   tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>
// CHECK:   scf.yield %{{.*}}, %[[NEXT]]
func.func @scaled(%places: !tile.ptr<i32>, %s: !tile.ptr<f32>, %bias: !tile.ptr<f32>, %x: !tile.ptr<f16>, %n: i32)
    attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = arith.constant dense<1.0> : tensor<64x32xf16>
  %b = arith.constant dense<2.0> : tensor<32x64xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %pp = tile.splat %places : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pr = tile.addptr %pp, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %rows = tile.load %pr : tensor<64x!tile.ptr<i32>>
  // expected-remark @below {{pipeline: loads issued one iteration ahead whose values are combined with products' results: 1}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %sp = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %ss = tile.splat %sp : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %sr = tile.addptr %ss, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %scales = tile.load %sr : tensor<64x!tile.ptr<f32>>
    %columns = tile.load %ss : tensor<64x!tile.ptr<f32>>
    %d = tile.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %e = tile.expand_dims %scales axis 1 : tensor<64xf32>
    %w = tile.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %d, %w : tensor<64x64xf32>
    %f = tile.expand_dims %columns axis 0 : tensor<64xf32>
    %v = tile.broadcast %f : tensor<1x64xf32> -> tensor<64x64xf32>
    %twice = arith.mulf %scaled, %v : tensor<64x64xf32>
    %bp = tile.addptr %bias, %i : !tile.ptr<f32>, i32
    %bs = tile.splat %bp : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %more = tile.load %bs : tensor<64x64x!tile.ptr<f32>>
    %both = arith.addf %twice, %more : tensor<64x64xf32>
    %next = arith.addf %acc, %both : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.print "" is_signed [true](%sum) : tensor<64x64xf32>
  return
}

}
