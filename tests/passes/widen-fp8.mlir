// RUN: tegula-opt --tile-widen-fp8 %s | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK-SAME: %[[X:.*]]: tensor<64xf8E5M2>, %[[Y:.*]]: tensor<64xf8E5M2>
func.func @arithmetic(%x: tensor<64xf8E5M2>, %y: tensor<64xf8E5M2>) -> (tensor<64xf8E5M2>, tensor<64xi1>) {
  // CHECK-DAG: %[[A:.*]] = tile.fp_cast %[[X]] : tensor<64xf8E5M2> -> tensor<64xf32>
  // CHECK-DAG: %[[B:.*]] = tile.fp_cast %[[Y]] : tensor<64xf8E5M2> -> tensor<64xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] {tile.rounded} : tensor<64xf32>
  // CHECK: %[[ROUNDED:.*]] = tile.fp_cast %[[SUM]] : tensor<64xf32> -> tensor<64xf8E5M2>
  %sum = arith.addf %x, %y {tile.rounded} : tensor<64xf8E5M2>
  // CHECK: arith.maxnumf %{{.*}}, %{{.*}} : tensor<64xf32>
  %largest = arith.maxnumf %sum, %y : tensor<64xf8E5M2>
  // CHECK: math.sqrt %{{.*}} : tensor<64xf32>
  %root = math.sqrt %largest : tensor<64xf8E5M2>
  // CHECK: %[[COMPARED:.*]] = tile.fp_cast %[[ROUNDED]] : tensor<64xf8E5M2> -> tensor<64xf32>
  // CHECK: arith.cmpf olt, %[[COMPARED]], %{{.*}} : tensor<64xf32>
  %less = arith.cmpf olt, %sum, %x : tensor<64xf8E5M2>
  return %root, %less : tensor<64xf8E5M2>, tensor<64xi1>
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%i: i64, %x: f8E4M3FN, %f: f32) -> (f8E4M3FN, i32, f8E4M3FN) {
  // CHECK: %[[F:.*]] = arith.sitofp %{{.*}} : i64 to f32
  // CHECK: tile.fp_cast %[[F]] : f32 -> f8E4M3FN
  %a = arith.sitofp %i : i64 to f8E4M3FN
  // CHECK: arith.fptosi %{{.*}} : f32 to i32
  %b = arith.fptosi %x : f8E4M3FN to i32
  // CHECK: tile.fp_cast %{{.*}} rounding(rtz) : f32 -> f8E4M3FN
  %c = arith.truncf %f toward_zero : f32 to f8E4M3FN
  return %a, %b, %c : f8E4M3FN, i32, f8E4M3FN
}

// The sign bit; in a format without -0 it stays in zero and NaN.
// CHECK-LABEL: func.func @signs
func.func @signs(%x: tensor<8xf8E4M3FN>, %y: f8E5M2FNUZ) -> (tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>, f8E5M2FNUZ) {
  // CHECK: %[[CODE:.*]] = arith.bitcast %{{.*}} : tensor<8xf8E4M3FN> to tensor<8xi8>
  // CHECK: %[[SIGN:.*]] = arith.constant dense<-128> : tensor<8xi8>
  // CHECK: %[[FLIPPED:.*]] = arith.xori %[[CODE]], %[[SIGN]]
  // CHECK-NEXT: arith.bitcast %[[FLIPPED]] : tensor<8xi8> to tensor<8xf8E4M3FN>
  %a = arith.negf %x : tensor<8xf8E4M3FN>
  // CHECK: arith.andi
  // CHECK-NEXT: arith.bitcast
  %b = math.absf %x : tensor<8xf8E4M3FN>
  // CHECK: %[[ONE:.*]] = arith.bitcast %{{.*}} : f8E5M2FNUZ to i8
  // CHECK: %[[CHANGED:.*]] = arith.xori %[[ONE]], %{{.*}} : i8
  // CHECK: %[[ALONE:.*]] = arith.cmpi eq
  // CHECK: arith.select %[[ALONE]], %[[ONE]], %[[CHANGED]] : i8
  %c = arith.negf %y : f8E5M2FNUZ
  return %a, %b, %c : tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>, f8E5M2FNUZ
}

// One op combines in f32; each result is rounded once. Other regions round each of their ops.
// CHECK-LABEL: func.func @combinations
func.func @combinations(%x: tensor<32xf8E4M3FN>) -> (f8E4M3FN, tensor<32xf8E4M3FN>, f8E4M3FN) {
  // CHECK: %[[WIDE:.*]] = tile.fp_cast %{{.*}} : tensor<32xf8E4M3FN> -> tensor<32xf32>
  // CHECK: %[[SUM:.*]] = tile.reduce(%[[WIDE]]) axis 0 : (tensor<32xf32>) -> f32 {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[C]] : f32
  // CHECK: tile.fp_cast %[[SUM]] : f32 -> f8E4M3FN
  %sum = tile.reduce(%x) axis 0 : (tensor<32xf8E4M3FN>) -> f8E4M3FN {
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
    %c = arith.addf %a, %b : f8E4M3FN
    tile.yield %c : f8E4M3FN
  }
  // CHECK: tile.scan(%{{.*}}) axis 0 : (tensor<32xf32>) -> tensor<32xf32>
  // CHECK: tile.fp_cast %{{.*}} : tensor<32xf32> -> tensor<32xf8E4M3FN>
  %running = tile.scan(%x) axis 0 : (tensor<32xf8E4M3FN>) -> tensor<32xf8E4M3FN> {
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
    %c = arith.mulf %a, %b : f8E4M3FN
    tile.yield %c : f8E4M3FN
  }
  // CHECK: tile.reduce(%{{.*}}) axis 0 : (tensor<32xf8E4M3FN>) -> f8E4M3FN {
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: tile.fp_cast %{{.*}} : f32 -> f8E4M3FN
  // CHECK: arith.addf %{{.*}} : f32
  %two = tile.reduce(%x) axis 0 : (tensor<32xf8E4M3FN>) -> f8E4M3FN {
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
    %c = arith.addf %a, %b : f8E4M3FN
    %d = arith.addf %c, %b : f8E4M3FN
    tile.yield %d : f8E4M3FN
  }
  return %sum, %running, %two : f8E4M3FN, tensor<32xf8E4M3FN>, f8E4M3FN
}

// What keeps values, rounds once by itself, or computes with other types stays.
// CHECK-LABEL: func.func @left
// CHECK-NOT: f32
// CHECK: return
func.func @left(%c: i1, %x: f8E5M2, %y: f8E5M2, %h: f16) -> (f8E5M2, f16, i8, f8E5M2, f16) {
  %one = arith.constant 1.0 : f8E5M2
  %a = arith.select %c, %x, %one : f8E5M2
  %b = arith.extf %x : f8E5M2 to f16
  %d = arith.bitcast %y : f8E5M2 to i8
  %e = math.fma %x, %y, %a : f8E5M2
  %f = arith.addf %h, %b : f16
  return %a, %b, %d, %e, %f : f8E5M2, f16, i8, f8E5M2, f16
}
