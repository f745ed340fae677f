// RUN: tegula-opt --simt-set-target='fields={rows_in_fragments=true}' --tile-place-fragments %s --split-input-file | FileCheck %s
// 2 warps of 8 lanes, fragments of 8x8: a warp has 8 whole rows of 16.

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// A loop's row maximum and sum of products stay in fragments, and the first product's result becomes the left operand
// of the second. The left operand of the first product is loaded before the loop. The mask is recomputed from its
// range; a row in a distributed layout is converted through shared memory, once.
// CHECK: #[[F:.*]] = #layout.fragments<8x8xf32, warps [2, 1]>
// CHECK: #[[C:.*]] = #layout.fragments<8x8xf32, warps [2, 1], column>
// CHECK: #[[A:.*]] = #layout.fragments<8x8xf16, warps [2, 1], operand>
// CHECK: #[[R:.*]] = #layout.fragments<8x8xf32, warps [2, 1], row>
// CHECK-LABEL: func.func @rows
// CHECK: %[[Q:.*]] = simt.convert_layout %{{.*}} -> tensor<16x8xf16, #[[A]]>
// CHECK: %[[J:.*]] = tile.make_range 0 to 16 : tensor<16xi32, #[[R]]>
// CHECK: %[[O:.*]]:2 = scf.for {{.*}} -> (tensor<16xf32, #[[C]]>, tensor<16x16xf32, #[[F]]>)
// CHECK: %[[S:.*]] = tile.dot %[[Q]], %{{.*}} tensor<16x16xf32, #[[F]]>
// CHECK: %[[B:.*]] = simt.convert_layout %{{.*}} -> tensor<1x16xf32, #[[R]]>
// CHECK: %[[BS:.*]] = tile.broadcast %[[B]] : tensor<1x16xf32, #[[R]]> -> tensor<16x16xf32, #[[F]]>
// CHECK: arith.addf %[[S]], %[[BS]]
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[J]] : tensor<16xi32, #[[R]]>
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[AT]], %{{.*}} : tensor<16xi32, #[[R]]>
// CHECK: tile.expand_dims %[[IN]] axis 0 : tensor<16xi1, #[[R]]>
// CHECK: tile.broadcast %{{.*}} : tensor<1x16xi1, #[[R]]> -> tensor<16x16xi1, #[[F]]>
// CHECK: %[[L:.*]] = arith.select {{.*}} : tensor<16x16xi1, #[[F]]>, tensor<16x16xf32, #[[F]]>
// CHECK: %[[M:.*]] = tile.reduce(%[[L]]) axis 1 : (tensor<16x16xf32, #[[F]]>) -> tensor<16xf32, #[[C]]>
// CHECK: %[[N:.*]] = arith.maxnumf %{{.*}}, %[[M]] : tensor<16xf32, #[[C]]>
// CHECK: %[[N1:.*]] = tile.expand_dims %[[N]] axis 1 : tensor<16xf32, #[[C]]>
// CHECK: tile.broadcast %[[N1]] : tensor<16x1xf32, #[[C]]> -> tensor<16x16xf32, #[[F]]>
// CHECK: %[[P:.*]] = tile.fp_cast %{{.*}} : tensor<16x16xf32, #[[F]]> -> tensor<16x16xf16, #[[F]]>
// CHECK: %[[PA:.*]] = simt.convert_layout %[[P]] : tensor<16x16xf16, #[[F]]> -> tensor<16x16xf16, #[[A]]>
// CHECK: %[[D:.*]] = tile.dot %[[PA]], %{{.*}} tensor<16x16xf32, #[[F]]>
// CHECK: scf.yield %[[N]], %[[D]]
// CHECK: %[[T:.*]] = simt.convert_layout %[[O]]#0 : tensor<16xf32, #[[C]]> -> tensor<16xf32, #[[T1:.*]]>
// CHECK: tile.store %{{.*}}, %[[T]]
#l = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (1,0), warp (2,0)>
#r = #layout.distributed<register (4) (8), lane (0) (0) (1), warp (2)>
#r1 = #layout.distributed<register (4,0) (8,0), lane (0,0) (0,0) (1,0), warp (2,0)>
#c = #layout.distributed<register (1) (2), lane (4) (8) (0), warp (0)>
#c1 = #layout.distributed<register (0,1) (0,2), lane (0,4) (0,8) (0,0), warp (0,0)>
#q = #layout.distributed<register (0,1) (0,2) (8,0), lane (0,4) (1,0) (2,0), warp (4,0)>
#k = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (0,8) (1,0), warp (2,0)>
module {
func.func @rows(%x: !tile.ptr<f16>, %o: !tile.ptr<f32>, %count: i32, %bias: tensor<16xf32, #c>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #l>
  %low = arith.constant dense<-64.0> : tensor<16x16xf32, #l>
  %start = arith.constant dense<-1.0> : tensor<16xf32, #r>
  %qs = tile.splat %x : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>, #q>
  %ks = tile.splat %x : !tile.ptr<f16> -> tensor<8x16x!tile.ptr<f16>, #k>
  %vs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #l>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #r>
  %q = tile.load %qs : tensor<16x8x!tile.ptr<f16>, #q>
  %j = tile.make_range 0 to 16 : tensor<16xi32, #c>
  %r:2 = scf.for %i = %c0 to %count step %c16 iter_args(%top = %start, %sum = %zero)
      -> (tensor<16xf32, #r>, tensor<16x16xf32, #l>) : i32 {
    %k = tile.load %ks : tensor<8x16x!tile.ptr<f16>, #k>
    %s0 = tile.dot %q, %k, %zero {simt.instruction = #instruction}
        : tensor<16x8xf16, #q>, tensor<8x16xf16, #k>, tensor<16x16xf32, #l>
    %b1 = tile.expand_dims %bias axis 0 : tensor<16xf32, #c>
    %b = tile.broadcast %b1 : tensor<1x16xf32, #c1> -> tensor<16x16xf32, #l>
    %s1 = arith.addf %s0, %b : tensor<16x16xf32, #l>
    %is = tile.splat %i : i32 -> tensor<16xi32, #c>
    %at = arith.addi %is, %j : tensor<16xi32, #c>
    %counts = tile.splat %count : i32 -> tensor<16xi32, #c>
    %in0 = arith.cmpi slt, %at, %counts : tensor<16xi32, #c>
    %in1 = tile.expand_dims %in0 axis 0 : tensor<16xi1, #c>
    %in = tile.broadcast %in1 : tensor<1x16xi1, #c1> -> tensor<16x16xi1, #l>
    %s = arith.select %in, %s1, %low : tensor<16x16xi1, #l>, tensor<16x16xf32, #l>
    %m = tile.reduce(%s) axis 1 : (tensor<16x16xf32, #l>) -> tensor<16xf32, #r> {
    ^bb0(%a: f32, %b0: f32):
      %max = arith.maxnumf %a, %b0 : f32
      tile.yield %max : f32
    }
    %next = arith.maxnumf %top, %m : tensor<16xf32, #r>
    %m1 = tile.expand_dims %next axis 1 : tensor<16xf32, #r>
    %ms = tile.broadcast %m1 : tensor<16x1xf32, #r1> -> tensor<16x16xf32, #l>
    %d = arith.subf %s, %ms : tensor<16x16xf32, #l>
    %e = math.exp2 %d : tensor<16x16xf32, #l>
    %p = tile.fp_cast %e : tensor<16x16xf32, #l> -> tensor<16x16xf16, #l>
    %v = tile.load %vs : tensor<16x16x!tile.ptr<f16>, #l>
    %next2 = tile.dot %p, %v, %sum {simt.instruction = #instruction}
        : tensor<16x16xf16, #l>, tensor<16x16xf16, #l>, tensor<16x16xf32, #l>
    scf.yield %next, %next2 : tensor<16xf32, #r>, tensor<16x16xf32, #l>
  } {simt.uniform}
  tile.store %os, %r#0 : tensor<16x!tile.ptr<f32>, #r>
  return
}
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// The future left operand is also stored in the loop, in a type that cannot leave fragments: rows leave fragments, and
// warps divide the product into squares as far as possible.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: operand>
// CHECK: %[[S:.*]] = tile.dot {{.*}} tensor<16x16xf32, #[[F:.*]]>
// CHECK: simt.convert_layout %[[S]] : tensor<16x16xf32, #[[F]]> -> tensor<16x16xf32, #[[L:.*]]>
// CHECK: tile.fp_cast %{{.*}} : tensor<16x16xf32, #[[L]]> -> tensor<16x16xf16, #[[L]]>
#l = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (1,0), warp (2,0)>
#q = #layout.distributed<register (0,1) (0,2) (8,0), lane (0,4) (1,0) (2,0), warp (4,0)>
#k = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (0,8) (1,0), warp (2,0)>
module {
func.func @stored(%x: !tile.ptr<f16>, %q: tensor<16x8xf16, #q>, %k: tensor<8x16xf16, #k>, %v: tensor<16x16xf16, #l>,
    %y: !tile.ptr<f32>, %count: i32) attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #l>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #l>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32, #l>) : i32 {
    %s = tile.dot %q, %k, %zero {simt.instruction = #instruction}
        : tensor<16x8xf16, #q>, tensor<8x16xf16, #k>, tensor<16x16xf32, #l>
    %p = tile.fp_cast %s : tensor<16x16xf32, #l> -> tensor<16x16xf16, #l>
    tile.store %xs, %p : tensor<16x16x!tile.ptr<f16>, #l>
    %d = tile.dot %p, %v, %sum {simt.instruction = #instruction}
        : tensor<16x16xf16, #l>, tensor<16x16xf16, #l>, tensor<16x16xf32, #l>
    scf.yield %d : tensor<16x16xf32, #l>
  } {simt.uniform}
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #l>
  tile.store %ys, %r : tensor<16x16x!tile.ptr<f32>, #l>
  return
}
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// Fewer rows than needed for whole rows in each warp: rows stay out of fragments.
// CHECK: #[[F:.*]] = #layout.fragments<8x8xf32, warps [1, 2]>
// CHECK-LABEL: func.func @few
// CHECK-NOT: operand>
// CHECK: tile.dot {{.*}} tensor<8x16xf32, #[[F]]>
#l = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (0,8) (1,0), warp (2,0)>
#q = #layout.distributed<register (0,1) (0,2), lane (0,4) (1,0) (2,0), warp (4,0)>
#v = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (1,0), warp (2,0)>
module {
func.func @few(%q: tensor<8x8xf16, #q>, %k: tensor<8x16xf16, #l>, %v: tensor<16x16xf16, #v>,
    %zero: tensor<8x16xf32, #l>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %s = tile.dot %q, %k, %zero {simt.instruction = #instruction}
      : tensor<8x8xf16, #q>, tensor<8x16xf16, #l>, tensor<8x16xf32, #l>
  %p = tile.fp_cast %s : tensor<8x16xf32, #l> -> tensor<8x16xf16, #l>
  %d = tile.dot %p, %v, %zero {simt.instruction = #instruction}
      : tensor<8x16xf16, #l>, tensor<16x16xf16, #v>, tensor<8x16xf32, #l>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x16x!tile.ptr<f32>, #l>
  tile.store %ys, %d : tensor<8x16x!tile.ptr<f32>, #l>
  return
}
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// A loop-carried left operand comes in a distributed layout, in a type that cannot leave fragments: it stays
// distributed.
// CHECK-LABEL: func.func @handed_in
// CHECK-NOT: operand>
// CHECK: scf.for {{.*}} -> (tensor<16x16xf16, #[[L:.*]]>)
// CHECK: tile.dot %{{.*}} : tensor<16x16xf16, #[[L]]>
#l = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (1,0), warp (2,0)>
module {
func.func @handed_in(%x: !tile.ptr<f16>, %w: tensor<16x16xf16, #l>, %count: i32)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #l>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #l>
  %first = tile.load %xs : tensor<16x16x!tile.ptr<f16>, #l>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%h = %first) -> (tensor<16x16xf16, #l>) : i32 {
    %s = tile.dot %h, %w, %zero {simt.instruction = #instruction}
        : tensor<16x16xf16, #l>, tensor<16x16xf16, #l>, tensor<16x16xf32, #l>
    %p = tile.fp_cast %s : tensor<16x16xf32, #l> -> tensor<16x16xf16, #l>
    scf.yield %p : tensor<16x16xf16, #l>
  } {simt.uniform}
  tile.store %xs, %r : tensor<16x16x!tile.ptr<f16>, #l>
  return
}
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// Fewer columns than the instruction's k: columns beyond them would have to be zero.
// CHECK-LABEL: func.func @shallow
// CHECK-NOT: operand>
// CHECK: tile.dot %{{.*}} : tensor<16x4xf16, #
#l = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (1,0), warp (2,0)>
#r = #layout.distributed<register (4) (8), lane (0) (0) (1), warp (2)>
#r1 = #layout.distributed<register (4,0) (8,0), lane (0,0) (0,0) (1,0), warp (2,0)>
#s = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,0) (0,0) (1,0), warp (2,0)>
#v = #layout.distributed<register (0,1) (0,2), lane (0,4) (0,8) (1,0), warp (2,0)>
module {
func.func @shallow(%x: !tile.ptr<f32>, %h: tensor<16x16xf16, #l>, %v: tensor<4x16xf16, #v>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #l>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #l>
  %s = tile.dot %h, %h, %zero {simt.instruction = #instruction}
      : tensor<16x16xf16, #l>, tensor<16x16xf16, #l>, tensor<16x16xf32, #l>
  %m = tile.reduce(%s) axis 1 : (tensor<16x16xf32, #l>) -> tensor<16xf32, #r> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maxnumf %a, %b : f32
    tile.yield %max : f32
  }
  %m1 = tile.expand_dims %m axis 1 : tensor<16xf32, #r>
  %ms = tile.broadcast %m1 : tensor<16x1xf32, #r1> -> tensor<16x4xf32, #s>
  %p = tile.fp_cast %ms : tensor<16x4xf32, #s> -> tensor<16x4xf16, #s>
  %d = tile.dot %p, %v, %zero {simt.instruction = #instruction}
      : tensor<16x4xf16, #s>, tensor<4x16xf16, #v>, tensor<16x16xf32, #l>
  tile.store %xs, %d : tensor<16x16x!tile.ptr<f32>, #l>
  return
}
}
