// RUN: tegula-opt --tile-place-fragments %s --split-input-file | FileCheck %s
// 4 warps of 8 lanes.

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// A loop carries its accumulator in fragments and scales it by a column there; ops after the loop are not in fragments.
// CHECK: #[[F:.*]] = #layout.fragments<8x8xf32, warps [2, 2]>
// CHECK-LABEL: func.func @loop
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<32x32xf32, #[[F]]>
// CHECK-DAG: %[[S:.*]] = tile.broadcast %{{.*}} : tensor<32x1xf32, #{{.*}}> -> tensor<32x32xf32, #[[F]]>
// CHECK: %[[R:.*]] = scf.for {{.*}} -> (tensor<32x32xf32, #[[F]]>)
// CHECK-NOT: convert_layout
// CHECK: %[[M:.*]] = arith.mulf %{{.*}}, %[[S]] : tensor<32x32xf32, #[[F]]>
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[M]]
// CHECK: scf.yield %[[D]] : tensor<32x32xf32, #[[F]]>
// CHECK: %[[O:.*]] = simt.convert_layout %[[R]] : tensor<32x32xf32, #[[F]]> -> tensor<32x32xf32, #[[L:.*]]>
// CHECK: arith.addf %[[O]], %[[O]] : tensor<32x32xf32, #[[L]]>
#l = #layout.distributed<register (0,1) (0,2) (4,0) (8,0) (16,0), lane (0,4) (0,8) (0,16), warp (1,0) (2,0)>
#k = #layout.distributed<register (0,1) (0,2) (0,4) (0,8), lane (1,0) (2,0) (4,0), warp (8,0) (16,0)>
#n = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (0,16), warp (1,0) (2,0)>
#r = #layout.distributed<register (4,0) (8,0) (16,0), lane (0,0) (0,0) (0,0), warp (1,0) (2,0)>
module {
func.func @loop(%p: !tile.ptr<f32>, %count: i32)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #l>
  %a = arith.constant dense<1.0> : tensor<32x16xf16, #k>
  %b = arith.constant dense<2.0> : tensor<16x32xf16, #n>
  %one = arith.constant dense<0.5> : tensor<32x1xf32, #r>
  %column = arith.addf %one, %one : tensor<32x1xf32, #r>
  %wide = tile.broadcast %column : tensor<32x1xf32, #r> -> tensor<32x32xf32, #l>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%c = %zero) -> (tensor<32x32xf32, #l>) : i32 {
    %m = arith.mulf %c, %wide : tensor<32x32xf32, #l>
    %d = tile.dot %a, %b, %m {simt.instruction = #instruction}
        : tensor<32x16xf16, #k>, tensor<16x32xf16, #n>, tensor<32x32xf32, #l>
    scf.yield %d : tensor<32x32xf32, #l>
  } {simt.uniform}
  %o = arith.addf %r, %r : tensor<32x32xf32, #l>
  return
}
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// An initial accumulator from elsewhere is converted; where the loop also adds a whole tensor, the accumulator leaves
// fragments.
// CHECK: #[[F:.*]] = #layout.fragments<8x8xf32, warps [1, 2]>
// CHECK-LABEL: func.func @converted
// CHECK: %[[C:.*]] = simt.convert_layout %{{.*}} : tensor<8x16xf32, #{{.*}}> -> tensor<8x16xf32, #[[F]]>
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[C]]
// CHECK: simt.convert_layout %[[D]] : tensor<8x16xf32, #[[F]]> -> tensor<8x16xf32, #{{.*}}>
#l = #layout.distributed<register (0,1) (0,2), lane (0,4) (0,8) (1,0), warp (2,0) (4,0)>
#a = #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0), warp (2,0) (4,0)>
module {
func.func @converted(%p: !tile.ptr<f32>) attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %x = arith.constant dense<1.0> : tensor<8x16xf32, #l>
  %c = math.exp %x : tensor<8x16xf32, #l>
  %a = arith.constant dense<1.0> : tensor<8x8xf16, #a>
  %b = arith.constant dense<2.0> : tensor<8x16xf16, #l>
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<8x8xf16, #a>, tensor<8x16xf16, #l>, tensor<8x16xf32, #l>
  %e = arith.addf %d, %c : tensor<8x16xf32, #l>
  return
}
}

// -----

// Unchanged: no instruction fits the product.
// CHECK-LABEL: func.func @none
// CHECK-NOT: fragments
#l = #layout.distributed<register (0,1) (0,2), lane (0,4) (1,0) (2,0), warp (4,0) (0,0)>
module {
func.func @none(%p: !tile.ptr<f32>) attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %c = arith.constant dense<1.0> : tensor<8x8xf32, #l>
  %d = tile.dot %c, %c, %c : tensor<8x8xf32, #l>, tensor<8x8xf32, #l>, tensor<8x8xf32, #l>
  return
}
}
