// RUN: tegula-opt --tile-relax-narrowed %s --split-input-file | FileCheck %s

// A softmax: the exponential is summed with others, divided and rounded.
// CHECK-LABEL: func.func @softmax
// CHECK: math.exp %{{.*}} fastmath<afn> : tensor<64xf32>
// CHECK-NOT: fastmath
func.func @softmax(%x: tensor<64xf32>) -> tensor<64xf16> {
  %e = math.exp %x : tensor<64xf32>
  %s = tile.reduce(%e) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %all = tile.splat %s : f32 -> tensor<64xf32>
  %q = arith.divf %e, %all : tensor<64xf32>
  %y = tile.fp_cast %q : tensor<64xf32> -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

// x / (1 + exp(-x)), rounded: 1 is not negative.
// CHECK-LABEL: func.func @silu
// CHECK: math.exp %{{.*}} fastmath<afn>
func.func @silu(%x: tensor<64xf32>) -> tensor<64xbf16> {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %minus = arith.negf %x : tensor<64xf32>
  %e = math.exp %minus : tensor<64xf32>
  %d = arith.addf %one, %e : tensor<64xf32>
  %q = arith.divf %x, %d : tensor<64xf32>
  %y = tile.fp_cast %q : tensor<64xf32> -> tensor<64xbf16>
  return %y : tensor<64xbf16>
}

// -----

// Scaled scores, masked, without their row's maximum: the exponent's product may be fused with the difference.
// CHECK-LABEL: func.func @exponent
// CHECK: arith.mulf %{{.*}} fastmath<contract>
// CHECK: arith.subf %{{.*}} fastmath<contract>
// CHECK: math.exp2
func.func @exponent(%x: tensor<64x64xf32>, %scale: f32, %mask: tensor<64x64xi1>, %most: tensor<64x64xf32>)
    -> tensor<64x64xf16> {
  %low = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %scales = tile.splat %scale : f32 -> tensor<64x64xf32>
  %p = arith.mulf %x, %scales : tensor<64x64xf32>
  %s = arith.select %mask, %p, %low : tensor<64x64xi1>, tensor<64x64xf32>
  %d = arith.subf %s, %most : tensor<64x64xf32>
  %e = math.exp2 %d : tensor<64x64xf32>
  %y = tile.fp_cast %e : tensor<64x64xf32> -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

// -----

// The difference of two products, one of them repeated along an axis, is 0 where they are equal.
// CHECK-LABEL: func.func @exponent_of_products
// CHECK-NOT: fastmath
func.func @exponent_of_products(%x: tensor<64x64xf32>, %scale: f32, %most: tensor<64xf32>) -> tensor<64x64xf32> {
  %scales = tile.splat %scale : f32 -> tensor<64x64xf32>
  %few = tile.splat %scale : f32 -> tensor<64xf32>
  %p = arith.mulf %x, %scales : tensor<64x64xf32>
  %q = arith.mulf %most, %few : tensor<64xf32>
  %c = tile.expand_dims %q axis 1 : tensor<64xf32>
  %qs = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x64xf32>
  %d = arith.subf %p, %qs : tensor<64x64xf32>
  %e = math.exp2 %d : tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}

// -----

// exp(x) - 1 may be much smaller than its operands. The sum of a product may be fused: its error becomes smaller.
// CHECK-LABEL: func.func @difference
// CHECK: math.exp %arg0 : tensor<64xf32>
// CHECK: arith.mulf %{{.*}} fastmath<contract>
// CHECK: arith.subf %{{.*}} fastmath<contract>
func.func @difference(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf16> {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %e = math.exp %x : tensor<64xf32>
  %p = arith.mulf %e, %w : tensor<64xf32>
  %d = arith.subf %p, %one : tensor<64xf32>
  %y = tile.fp_cast %d : tensor<64xf32> -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

// A summand of unknown sign; the sum itself is seen in f32.
// CHECK-LABEL: func.func @seen
// CHECK-NOT: fastmath
func.func @seen(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<64xf16>, tensor<64xf32>) {
  %e = math.exp %x : tensor<64xf32>
  %d = arith.addf %e, %w : tensor<64xf32>
  %y = tile.fp_cast %d : tensor<64xf32> -> tensor<64xf16>
  %p = arith.mulf %x, %w : tensor<64xf32>
  %s = arith.addf %p, %x : tensor<64xf32>
  return %y, %s : tensor<64xf16>, tensor<64xf32>
}

// -----

// Rounded toward zero: each error shows.
// CHECK-LABEL: func.func @toward_zero
// CHECK-NOT: fastmath
func.func @toward_zero(%x: tensor<64xf32>) -> tensor<64xf16> {
  %e = math.exp %x : tensor<64xf32>
  %y = tile.fp_cast %e rounding(rtz) : tensor<64xf32> -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

// The fourth product: each may have doubled the error.
// CHECK-LABEL: func.func @powers
// CHECK: math.exp %arg0 : tensor<64xf32>
// CHECK: math.exp %arg1 fastmath<afn>
func.func @powers(%x: tensor<64xf32>, %z: tensor<64xf32>) -> (tensor<64xf16>, tensor<64xf16>) {
  %e = math.exp %x : tensor<64xf32>
  %2 = arith.mulf %e, %e : tensor<64xf32>
  %4 = arith.mulf %2, %2 : tensor<64xf32>
  %8 = arith.mulf %4, %4 : tensor<64xf32>
  %16 = arith.mulf %8, %8 : tensor<64xf32>
  %y = tile.fp_cast %16 : tensor<64xf32> -> tensor<64xf16>
  %f = math.exp %z : tensor<64xf32>
  %f2 = arith.mulf %f, %f : tensor<64xf32>
  %f4 = arith.mulf %f2, %f2 : tensor<64xf32>
  %f8 = arith.mulf %f4, %f4 : tensor<64xf32>
  %v = tile.fp_cast %f8 : tensor<64xf32> -> tensor<64xf16>
  return %y, %v : tensor<64xf16>, tensor<64xf16>
}

// -----

// Two products: equal ones must cancel.
// CHECK-LABEL: func.func @two_products
// CHECK-NOT: fastmath
func.func @two_products(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf16> {
  %p = arith.mulf %x, %x : tensor<64xf32>
  %q = arith.mulf %w, %w : tensor<64xf32>
  %d = arith.subf %p, %q : tensor<64xf32>
  %y = tile.fp_cast %d : tensor<64xf32> -> tensor<64xf16>
  return %y : tensor<64xf16>
}

// -----

// Rounded by themselves, as the program says.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: fastmath
func.func @rounded(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<64xf16>, tensor<64xf16>) {
  %p = arith.mulf %x, %w {tile.rounded} : tensor<64xf32>
  %s = arith.addf %p, %x : tensor<64xf32>
  %y = tile.fp_cast %s : tensor<64xf32> -> tensor<64xf16>
  %q = arith.mulf %w, %w : tensor<64xf32>
  %d = arith.subf %q, %x {tile.rounded} : tensor<64xf32>
  %v = tile.fp_cast %d : tensor<64xf32> -> tensor<64xf16>
  return %y, %v : tensor<64xf16>, tensor<64xf16>
}

// -----

// A reduction adds products of a single use, whatever the sum is for. %p has two uses; the last reduction is a maximum.
// CHECK-LABEL: func.func @squares
// CHECK: %[[S:.*]] = arith.mulf %arg0, %arg0 fastmath<contract>
// CHECK: tile.reduce(%[[S]])
// CHECK: arith.addf %{{.*}} fastmath<contract>
// CHECK-NOT: fastmath
func.func @squares(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (f32, f32, f32, tensor<64xf32>) {
  %s = arith.mulf %x, %x : tensor<64xf32>
  %sum = tile.reduce(%s) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %p = arith.mulf %x, %w : tensor<64xf32>
  %products = tile.reduce(%p) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %q = arith.mulf %w, %w : tensor<64xf32>
  %most = tile.reduce(%q) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %sum, %products, %most, %p : f32, f32, f32, tensor<64xf32>
}

// -----

// A sum that a loop carries, rounded behind it: each iteration may fuse its product.
// CHECK-LABEL: func.func @around_loop
// CHECK: arith.mulf %{{.*}} fastmath<contract>
// CHECK: arith.addf %{{.*}} fastmath<contract>
func.func @around_loop(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: index) -> tensor<64xf16> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<64xf32>) {
    %m = arith.mulf %x, %y : tensor<64xf32>
    %s = arith.addf %before, %m : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  %r = tile.fp_cast %sum : tensor<64xf32> -> tensor<64xf16>
  return %r : tensor<64xf16>
}

// -----

// The sum before the last iteration is seen as f32.
// CHECK-LABEL: func.func @seen_in_loop
// CHECK-NOT: fastmath
func.func @seen_in_loop(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: index, %p: tensor<64x!tile.ptr<f32>>)
    -> tensor<64xf16> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<64xf32>) {
    tile.store %p, %before : tensor<64x!tile.ptr<f32>>
    %m = arith.mulf %x, %y : tensor<64xf32>
    %s = arith.addf %before, %m : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  %r = tile.fp_cast %sum : tensor<64xf32> -> tensor<64xf16>
  return %r : tensor<64xf16>
}
