// RUN: tegula-opt --simt-set-target='fields={relaxes_quotients=true}' --tile-relax-quotients %s --split-input-file | FileCheck %s
// RUN: tegula-opt --tile-relax-quotients %s --split-input-file | FileCheck %s --check-prefix=OFF
// OFF-NOT: fastmath<

// Tensors, scalars and the functions of reductions, whatever the result is used for.
// CHECK-LABEL: func.func @quotients
// CHECK: arith.divf %{{.*}} fastmath<arcp> : tensor<64xf32>
// CHECK: tile.reduce
// CHECK: arith.divf %{{.*}} fastmath<arcp> : f32
// CHECK: arith.divf %{{.*}} fastmath<arcp> : f32
func.func @quotients(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: f32) -> f32 {
  %q = arith.divf %x, %y : tensor<64xf32>
  %r = tile.reduce(%q) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.divf %a, %b : f32
    tile.yield %c : f32
  }
  %s = arith.divf %r, %z : f32
  return %s : f32
}

// -----

// `tl.div_rn`, other types, and quotients of numbers of 16 bits.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: fastmath
// CHECK: return
func.func @rounded(%x: tensor<64xf32>, %y: tensor<64xf32>, %d: f64, %h: tensor<64xf16>, %g: tensor<64xf16>)
    -> (tensor<64xf32>, f64, tensor<64xf16>, tensor<64xf32>, tensor<64xf32>) {
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %q = arith.divf %x, %y {tile.rounded} : tensor<64xf32>
  %e = arith.divf %d, %d : f64
  %n = arith.divf %h, %g : tensor<64xf16>
  %a = arith.extf %h : tensor<64xf16> to tensor<64xf32>
  %b = arith.extf %g : tensor<64xf16> to tensor<64xf32>
  %w = arith.divf %a, %b : tensor<64xf32>
  %v = arith.divf %two, %b : tensor<64xf32>
  return %q, %e, %n, %w, %v : tensor<64xf32>, f64, tensor<64xf16>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Quotients of f16, also by a constant of f16, are correctly rounded; 1 / 3 is no constant of f16.
// CHECK-LABEL: func.func @halves
// CHECK: arith.divf %{{[^ ]*}}, %{{[^ ]*}} : tensor<64xf32>
// CHECK: arith.divf %{{[^ ]*}}, %{{[^ ]*}} : tensor<64xf32>
// CHECK: arith.divf %{{.*}} fastmath<arcp> : tensor<64xf32>
func.func @halves(%h: tensor<64xf16>, %s: f16) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
  %six = arith.constant dense<6.0> : tensor<64xf32>
  %third = arith.constant dense<0.333333343> : tensor<64xf32>
  %x = tile.fp_cast %h : tensor<64xf16> -> tensor<64xf32>
  %sx = tile.fp_cast %s : f16 -> f32
  %ss = tile.splat %sx : f32 -> tensor<64xf32>
  %p = arith.divf %x, %ss : tensor<64xf32>
  %a = tile.fp_cast %p : tensor<64xf32> -> tensor<64xf16>
  %q = arith.divf %x, %six : tensor<64xf32>
  %b = tile.fp_cast %q : tensor<64xf32> -> tensor<64xf16>
  %r = arith.divf %x, %third : tensor<64xf32>
  %c = tile.fp_cast %r : tensor<64xf32> -> tensor<64xf16>
  return %a, %b, %c : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
}
