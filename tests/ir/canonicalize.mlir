// Folders and canonicalization patterns of the dialect, each with a case in which it must not act.
// RUN: tegula-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @splats
func.func @splats(%x: f32) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>) {
  %c = arith.constant 2.0 : f32
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8xf32>
  %s = tile.splat %c : f32 -> tensor<8xf32>
  %e = tile.expand_dims %s axis 0 : tensor<8xf32>
  %b = tile.broadcast %e : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[B:.*]] = tile.splat %arg0 : f32 -> tensor<4x8xf32>
  %s2 = tile.splat %x : f32 -> tensor<8xf32>
  %e2 = tile.expand_dims %s2 axis 0 : tensor<8xf32>
  %b2 = tile.broadcast %e2 : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[T:.*]] = tile.splat %arg0 : f32 -> tensor<8x4xf32>
  %t = tile.trans %b2 order [1, 0] : tensor<4x8xf32>
  // CHECK-DAG: %[[R:.*]] = tile.splat %arg0 : f32 -> tensor<32xf32>
  %r = tile.reshape %b2 : tensor<4x8xf32> -> tensor<32xf32>
  %rb = tile.reshape %r allow_reorder : tensor<32xf32> -> tensor<4x8xf32>
  // CHECK: return %[[C]], %[[B]], %[[T]], %[[R]], %[[B2:.*]] :
  return %b, %b2, %t, %r, %rb : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pointer_splat_stays
func.func @pointer_splat_stays(%p: !tile.ptr<f32>) -> tensor<4x!tile.ptr<f32>> {
  // CHECK-NEXT: tile.splat
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  return %s : tensor<4x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<4x1xf32>, %y: tensor<4x8x2xf32>)
    -> (tensor<4x1xf32>, tensor<4x8xf32>, tensor<64xf32>, tensor<2x4x8xf32>, tensor<4x8x2xf32>) {
  // CHECK-DAG: %[[B:.*]] = tile.broadcast %arg0 : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[R:.*]] = tile.reshape %arg1 : tensor<4x8x2xf32> -> tensor<64xf32>
  // CHECK-DAG: %[[T:.*]] = tile.trans %arg1 order [2, 0, 1] : tensor<4x8x2xf32>
  %same = tile.broadcast %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %b = tile.broadcast %same : tensor<4x1xf32> -> tensor<4x8xf32>
  %r0 = tile.reshape %y : tensor<4x8x2xf32> -> tensor<8x8xf32>
  %r1 = tile.reshape %r0 : tensor<8x8xf32> -> tensor<64xf32>
  %t0 = tile.trans %y order [1, 2, 0] : tensor<4x8x2xf32>
  %t1 = tile.trans %t0 order [1, 2, 0] : tensor<8x2x4xf32>
  %t2 = tile.trans %t1 order [1, 2, 0] : tensor<2x4x8xf32>
  // CHECK: return %arg0, %[[B]], %[[R]], %[[T]], %arg1
  return %same, %b, %r1, %t1, %t2
      : tensor<4x1xf32>, tensor<4x8xf32>, tensor<64xf32>, tensor<2x4x8xf32>, tensor<4x8x2xf32>
}

// A reshape that may reorder, to its own shape, is a permutation and stays.
// CHECK-LABEL: func.func @reorder_stays
func.func @reorder_stays(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<8x8xf32>) {
  // CHECK-DAG: %[[A:.*]] = tile.reshape %arg0 allow_reorder : tensor<64xf32> -> tensor<64xf32>
  // CHECK-DAG: %[[B:.*]] = tile.reshape %arg0 allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
  %a = tile.reshape %x allow_reorder : tensor<64xf32> -> tensor<64xf32>
  %b = tile.reshape %a : tensor<64xf32> -> tensor<8x8xf32>
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : tensor<64xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @dense
func.func @dense() -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = tile.reshape %c : tensor<4xi32> -> tensor<2x2xi32>
  // CHECK: tile.trans %[[D]]
  %t = tile.trans %r order [1, 0] : tensor<2x2xi32>
  return %r, %t : tensor<2x2xi32>, tensor<2x2xi32>
}

// CHECK-LABEL: func.func @join_split
func.func @join_split(%x: tensor<4xf32>, %y: tensor<4xf32>, %j: tensor<4x2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tile.join %x, %y : tensor<4xf32>
  %a, %b = tile.split %0 : tensor<4x2xf32>
  // CHECK-NEXT: %[[S:.*]], %{{.*}} = tile.split %arg2
  %c, %d = tile.split %j : tensor<4x2xf32>
  // CHECK-NEXT: return %arg1, %arg0, %[[S]]
  return %b, %a, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @pointers
func.func @pointers(%p: !tile.ptr<f32>, %o: i32) -> (!tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<i8>) {
  %c0 = arith.constant 0 : i32
  %a = tile.addptr %p, %c0 : !tile.ptr<f32>, i32
  // CHECK-NEXT: %[[A:.*]] = tile.addptr %arg0, %arg1
  %b = tile.addptr %p, %o : !tile.ptr<f32>, i32
  %c = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
  %d = tile.ptr_cast %c : !tile.ptr<i32> -> !tile.ptr<f32>
  // CHECK-NEXT: %[[C:.*]] = tile.ptr_cast %arg0 : !tile.ptr<f32> -> !tile.ptr<i8>
  %e = tile.ptr_cast %c : !tile.ptr<i32> -> !tile.ptr<i8>
  // CHECK-NEXT: return %arg0, %[[A]], %arg0, %[[C]]
  return %a, %b, %d, %e : !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<i8>
}

// CHECK-LABEL: func.func @masks
func.func @masks(%p: tensor<4x!tile.ptr<f32>>, %q: tensor<4x!tile.ptr<!tile.ptr<f32>>>, %o: tensor<4xf32>,
    %m: tensor<4xi1>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x!tile.ptr<f32>>) {
  %t = arith.constant dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant dense<false> : tensor<4xi1>
  %f = arith.constant dense<false> : tensor<4xi1>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[A:.*]] = tile.load %arg0 cache(cg) : tensor<4x!tile.ptr<f32>>
  %a = tile.load %p mask %t other %o cache(cg) : tensor<4x!tile.ptr<f32>>
  %b = tile.load %p mask %f other %o : tensor<4x!tile.ptr<f32>>
  %c = tile.load %p mask %f : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: %[[D:.*]] = tile.load %arg0 mask %arg3 other %arg2
  %d = tile.load %p mask %m other %o : tensor<4x!tile.ptr<f32>>
  // There are no constant pointers to replace the load by.
  // CHECK-NEXT: %[[E:.*]] = tile.load %arg1 mask %[[FALSE]]
  %e = tile.load %q mask %f : tensor<4x!tile.ptr<!tile.ptr<f32>>>
  // CHECK-NEXT: tile.store %arg0, %arg2 : tensor
  tile.store %p, %o mask %t : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: tile.store %arg0, %arg2 mask %arg3 : tensor
  tile.store %p, %o mask %m : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: return %[[A]], %arg2, %[[ZERO]], %[[D]], %[[E]]
  tile.store %p, %o mask %f : tensor<4x!tile.ptr<f32>>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @fp_casts
func.func @fp_casts(%x: f32) -> (f32, f16, f16, f64) {
  // CHECK-DAG: %[[UP:.*]] = arith.constant 1.000980e+00 : f16
  // CHECK-DAG: %[[DOWN:.*]] = arith.constant 1.000000e+00 : f16
  // CHECK-DAG: %[[WIDE:.*]] = arith.constant 1.000900e+00 : f64
  %c = arith.constant 1.0009 : f32
  %w = arith.constant 1.0009 : f64
  %same = tile.fp_cast %x : f32 -> f32
  %up = tile.fp_cast %c : f32 -> f16
  %down = tile.fp_cast %c rounding(rtz) : f32 -> f16
  // CHECK: return %arg0, %[[UP]], %[[DOWN]], %[[WIDE]]
  return %same, %up, %down, %w : f32, f16, f16, f64
}

// Casts of constants to 8-bit floats saturate, with both roundings; NaN stays, and formats without -0 get 0.
// CHECK-LABEL: func.func @casts_to_fp8
func.func @casts_to_fp8() -> (f8E4M3FN, f8E5M2, f8E5M2, tensor<4xf8E4M3FNUZ>, f8E5M2FNUZ, f8E4M3FN, f8E4M3FNUZ) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
  // CHECK-DAG: %[[B:.*]] = arith.constant -5.734400e+04 : f8E5M2
  // CHECK-DAG: %[[C:.*]] = arith.constant 5.734400e+04 : f8E5M2
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<-2.400000e+02> : tensor<4xf8E4M3FNUZ>
  // CHECK-DAG: %[[E:.*]] = arith.constant 5.734400e+04 : f8E5M2FNUZ
  // CHECK-DAG: %[[F:.*]] = arith.constant 0x{{7F|FF}} : f8E4M3FN
  // CHECK-DAG: %[[G:.*]] = arith.constant 0.000000e+00 : f8E4M3FNUZ
  %inf = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %large = arith.constant 1.0e+06 : f64
  %less = arith.constant dense<-300.0> : tensor<4xf16>
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant -0.0 : f32
  %a = tile.fp_cast %inf : f32 -> f8E4M3FN
  %b = tile.fp_cast %low rounding(rtz) : f32 -> f8E5M2
  %c = tile.fp_cast %large : f64 -> f8E5M2
  %d = tile.fp_cast %less : tensor<4xf16> -> tensor<4xf8E4M3FNUZ>
  %e = tile.fp_cast %inf : f32 -> f8E5M2FNUZ
  %f = tile.fp_cast %nan : f32 -> f8E4M3FN
  %g = tile.fp_cast %zero : f32 -> f8E4M3FNUZ
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[G]]
  return %a, %b, %c, %d, %e, %f, %g
      : f8E4M3FN, f8E5M2, f8E5M2, tensor<4xf8E4M3FNUZ>, f8E5M2FNUZ, f8E4M3FN, f8E4M3FNUZ
}

// CHECK-LABEL: func.func @promises
func.func @promises(%c: i1) {
  %t = arith.constant true
  %f = arith.constant false
  // CHECK-NOT: arith.constant true
  tile.assert %t, "holds"
    : i1
  tile.assume %t : i1
  // CHECK: tile.assert %false, "never"
  tile.assert %f, "never" : i1
  // CHECK-NEXT: tile.assume %arg0
  tile.assume %c : i1
  return
}

// Constants stay inside the regions of reduce, which are isolated from above.
// CHECK-LABEL: func.func @isolated
func.func @isolated(%x: tensor<4xi32>) -> i32 {
  // CHECK: tile.reduce
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.constant 7 : i32
  %r = tile.reduce(%x) axis 0 : (tensor<4xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.constant 7 : i32
    %m = arith.xori %a, %b : i32
    %n = arith.andi %m, %c : i32
    tile.yield %n : i32
  }
  return %r : i32
}
