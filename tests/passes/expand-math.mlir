// RUN: tegula-opt --simt-expand-math %s | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={native_math=["exp.f32","exp2.f32","exp2.narrow","fma.f32","fma.f64","sin.fast","remf.f64"]}' --simt-expand-math %s | FileCheck %s --check-prefix=NATIVE
// RUN: tegula-opt --simt-set-target='fields={native_math=["exp2.f32","fma.f32"]}' --simt-expand-math %s | FileCheck %s --check-prefix=EXP2

// CHECK-LABEL: func.func @functions
// NATIVE-LABEL: func.func @functions
// EXP2-LABEL: func.func @functions
func.func @functions(%x: vector<4xf32>, %d: f64, %h: vector<2xf16>)
    -> (vector<4xf32>, f64, vector<2xf16>, vector<4xf32>) {
  // CHECK-NOT: math.exp
  // NATIVE: math.exp %{{.*}} : vector<4xf32>
  // By the target's exp2, corrected by the product's rounding error.
  // EXP2: arith.mulf
  // EXP2: math.exp2 %{{.*}} : vector<4xf32>
  // EXP2: arith.mulf
  // EXP2: arith.addf
  %a = math.exp %x : vector<4xf32>
  // The target lacks exp2 of this width.
  // NATIVE-NOT: math.exp2 %{{.*}} : f64
  %b = math.exp2 %d : f64
  // Narrow floats are computed in f32.
  // CHECK: arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
  // CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
  // NATIVE: math.exp2 %{{.*}} : vector<2xf16>
  %c = math.exp2 %h : vector<2xf16>
  // Of the ops that allow approximation, only those with a target function stay.
  // CHECK-NOT: math.sin
  // NATIVE: math.sin %{{.*}} fastmath<afn> : vector<4xf32>
  %s = math.sin %x fastmath<afn> : vector<4xf32>
  return %a, %b, %c, %s : vector<4xf32>, f64, vector<2xf16>, vector<4xf32>
}

// CHECK-LABEL: func.func @fused
// NATIVE-LABEL: func.func @fused
func.func @fused(%x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  // With two roundings allowed it becomes a product and a sum.
  // CHECK: arith.mulf %{{.*}} fastmath<contract>
  // CHECK-NEXT: arith.addf %{{.*}} fastmath<contract>
  // NATIVE: math.fma
  // NATIVE-NEXT: math.fma
  %a = math.fma %x, %x, %x fastmath<contract> : vector<4xf32>
  // CHECK-NOT: math.fma
  %b = math.fma %x, %x, %x : vector<4xf32>
  return %a, %b : vector<4xf32>, vector<4xf32>
}

// Every target has the rounding functions, roots and quotients.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.floor
// CHECK-NEXT: math.absf
// CHECK-NEXT: arith.divf
// CHECK-NEXT: return
func.func @kept(%x: vector<4xf32>) -> vector<4xf32> {
  %a = math.sqrt %x : vector<4xf32>
  %b = math.floor %a : vector<4xf32>
  %c = math.absf %b : vector<4xf32>
  %d = arith.divf %c, %x : vector<4xf32>
  return %d : vector<4xf32>
}

// A divergent loop that ends when no element of the thread has significand bits left.
// CHECK-LABEL: func.func @remainder
// CHECK: scf.while
// CHECK: simt.reduce_registers ori
// CHECK: simt.pick
// CHECK: scf.condition
// CHECK: arith.remui
// CHECK: } attributes {simt.divergent}
// NATIVE-LABEL: func.func @remainder
// NATIVE-NEXT: arith.remf
func.func @remainder(%x: vector<4xf64>, %y: vector<4xf64>) -> vector<4xf64> {
  %r = arith.remf %x, %y : vector<4xf64>
  return %r : vector<4xf64>
}

// CHECK-LABEL: func.func @saturates
// CHECK: arith.fptosi %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.fptoui %{{.*}} : f32 to i8
// CHECK: arith.cmpi ne
func.func @saturates(%x: vector<4xf32>, %h: f16) -> (vector<4xi32>, i1) {
  %a = arith.fptosi %x : vector<4xf32> to vector<4xi32>
  %b = arith.fptoui %h : f16 to i1
  return %a, %b : vector<4xi32>, i1
}

// A multiply-add of 8-bit floats is expanded even where the target has one of narrow floats, and rounds once, from f32.
// NATIVE-LABEL: func.func @fused_fp8
func.func @fused_fp8(%x: vector<4xf8E4M3FN>) -> vector<4xf8E4M3FN> {
  // NATIVE: arith.mulf %{{.*}} : vector<4xf32>
  // NATIVE-NOT: math.fma
  // NATIVE: tile.fp_cast %{{.*}} : vector<4xf32> -> vector<4xf8E4M3FN>
  %y = math.fma %x, %x, %x fastmath<contract> : vector<4xf8E4M3FN>
  return %y : vector<4xf8E4M3FN>
}
