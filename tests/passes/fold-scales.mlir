// RUN: tegula-opt --simt-fold-scales %s --split-input-file | FileCheck %s

// Scaled scores, masked, with their maximum over the thread's registers and over pairs of lanes.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[POSITIVE:.*]] = arith.cmpf ogt, %arg1, %{{.*}} : f32
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %arg1, %{{.*}} : f32
// CHECK: %[[KEEPS:.*]] = arith.andi %[[POSITIVE]], %[[FINITE]] : i1
// CHECK: %[[R:.*]]:3 = scf.if %[[KEEPS]] -> (vector<4xf32>, f32, f32) {
// CHECK:   %[[S:.*]] = arith.select %arg2, %arg0, %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK:   simt.pick %[[S]] [0, 1]
// CHECK:   simt.pick %[[S]] [2, 3]
// CHECK:   %[[SHUFFLED:.*]] = simt.shuffle xor
// CHECK:   %[[MOST:.*]] = arith.maxnumf %{{.*}}, %[[SHUFFLED]] : f32
// CHECK:   %[[PRODUCT:.*]] = arith.mulf %[[MOST]], %arg1 : f32
// CHECK:   scf.yield %[[S]], %arg1, %[[PRODUCT]]
// CHECK: } else {
// CHECK:   %[[ALL:.*]] = arith.mulf %arg0, %{{.*}} : vector<4xf32>
// CHECK:   %[[MASKED:.*]] = arith.select %arg2, %[[ALL]]
// CHECK:   simt.pick %[[MASKED]] [0, 1]
// CHECK:   scf.yield %[[MASKED]], %cst{{.*}}, %{{.*}} : vector<4xf32>, f32, f32
// CHECK: } {simt.uniform}
// CHECK: %[[FACTORS:.*]] = simt.splat %[[R]]#1
// CHECK: simt.splat %[[R]]#2
// CHECK: %[[MINUS:.*]] = arith.negf
// CHECK: math.fma %[[R]]#0, %[[FACTORS]], %[[MINUS]]
// CHECK-NOT: arith.subf
func.func @softmax(%x: vector<4xf32>, %scale: f32, %mask: vector<4xi1>, %o: !tile.ptr<f32>, %at: vector<4xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %low = arith.constant dense<0xFF800000> : vector<4xf32>
  %c1 = arith.constant 1 : i32
  %scales = simt.splat %scale : f32 -> vector<4xf32>
  %p = arith.mulf %x, %scales fastmath<contract> : vector<4xf32>
  %s = arith.select %mask, %p, %low : vector<4xi1>, vector<4xf32>
  %a = simt.pick %s [0, 1] : vector<4xf32> -> vector<2xf32>
  %b = simt.pick %s [2, 3] : vector<4xf32> -> vector<2xf32>
  %ab = arith.maxnumf %a, %b : vector<2xf32>
  %c = simt.pick %ab [0] : vector<2xf32> -> f32
  %d = simt.pick %ab [1] : vector<2xf32> -> f32
  %cd = arith.maxnumf %c, %d : f32
  %e = simt.shuffle xor %cd, %c1 : f32
  %m = arith.maxnumf %cd, %e : f32
  %ms = simt.splat %m : f32 -> vector<4xf32>
  %y = arith.subf %s, %ms fastmath<contract> : vector<4xf32>
  simt.store %o[%at], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  return
}

// -----

// Masks and elements of other tensors are not maxima: here nothing but a difference reads the products.
// CHECK-LABEL: func.func @other_registers
// CHECK-NOT: math.fma
// CHECK: return
func.func @other_registers(%x: vector<4xf32>, %w: vector<4xf32>, %mask: vector<4xi1>, %o: !tile.ptr<f32>,
    %at: vector<4xi32>, %p: i1) attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %two = arith.constant dense<2.0> : vector<4xf32>
  %s = arith.mulf %x, %two fastmath<contract> : vector<4xf32>
  %inside = simt.pick %mask [0] : vector<4xi1> -> i1
  %first = simt.pick %w [0] : vector<4xf32> -> f32
  %firsts = simt.splat %first : f32 -> vector<4xf32>
  %y = arith.subf %s, %w fastmath<contract> : vector<4xf32>
  scf.if %inside {
    simt.store %o[%at], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
    simt.store %o[%at], %firsts : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  } {simt.divergent}
  return
}

// -----

// A maximum with something that the scale does not multiply, and a sum without the mark.
// CHECK-LABEL: func.func @unfit
// CHECK-NOT: scf.if
// CHECK-NOT: math.fma
// CHECK: return
func.func @unfit(%x: vector<4xf32>, %w: vector<2xf32>, %o: !tile.ptr<f32>, %at: vector<4xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %two = arith.constant dense<2.0> : vector<4xf32>
  %s = arith.mulf %x, %two fastmath<contract> : vector<4xf32>
  %a = simt.pick %s [0, 1] : vector<4xf32> -> vector<2xf32>
  %aw = arith.maxnumf %a, %w : vector<2xf32>
  %c = simt.pick %aw [0] : vector<2xf32> -> f32
  %cs = simt.splat %c : f32 -> vector<4xf32>
  %y = arith.subf %s, %cs fastmath<contract> : vector<4xf32>
  simt.store %o[%at], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  %t = arith.mulf %x, %two fastmath<contract> : vector<4xf32>
  %d = simt.pick %t [0] : vector<4xf32> -> f32
  %ds = simt.splat %d : f32 -> vector<4xf32>
  %z = arith.subf %t, %ds : vector<4xf32>
  simt.store %o[%at], %z : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  return
}

// -----

// In a loop, the branch is around the loop: the copy for scales that keep the order has no products of elements.
// CHECK-LABEL: func.func @loop
// CHECK: %[[KEEPS:.*]] = arith.andi
// CHECK: %[[R:.*]] = scf.if %[[KEEPS]] -> (f32) {
// CHECK:   scf.for
// CHECK-NOT: arith.mulf {{.*}}vector<4xf32>
// CHECK:     %[[MOST:.*]] = arith.maxnumf %{{.*}} : f32
// CHECK:     arith.mulf %[[MOST]], %arg1 : f32
// CHECK:     math.fma
// CHECK:   } {simt.uniform}
// CHECK: } else {
// CHECK:   scf.for
// CHECK:     arith.mulf {{.*}} fastmath<contract> : vector<4xf32>
// CHECK:     arith.subf
// CHECK:   } {simt.uniform}
// CHECK: } {simt.uniform}
// CHECK: simt.store %{{.*}}, %[[R]]
func.func @loop(%x: vector<4xf32>, %scale: f32, %n: i32, %o: !tile.ptr<f32>, %at: vector<4xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.constant 0xFF800000 : f32
  %scales = simt.splat %scale : f32 -> vector<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%most = %low) -> (f32) : i32 {
    %s = arith.mulf %x, %scales fastmath<contract> : vector<4xf32>
    %a = simt.pick %s [0, 1] : vector<4xf32> -> vector<2xf32>
    %b = simt.pick %s [2, 3] : vector<4xf32> -> vector<2xf32>
    %ab = arith.maxnumf %a, %b : vector<2xf32>
    %c = simt.pick %ab [0] : vector<2xf32> -> f32
    %d = simt.pick %ab [1] : vector<2xf32> -> f32
    %m = arith.maxnumf %c, %d : f32
    %ms = simt.splat %m : f32 -> vector<4xf32>
    %y = arith.subf %s, %ms fastmath<contract> : vector<4xf32>
    simt.store %o[%at], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
    scf.yield %m : f32
  } {simt.uniform}
  simt.store %o[%n], %r : !tile.ptr<f32>, i32, f32
  return
}

// -----

// A constant needs no question: 2 keeps the order, -2 does not.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: scf.if
// CHECK: math.fma
// CHECK-NOT: math.fma
// CHECK: arith.mulf {{.*}}vector<4xf32>
func.func @constants(%x: vector<4xf32>, %o: !tile.ptr<f32>, %at: vector<4xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %two = arith.constant dense<2.0> : vector<4xf32>
  %minus = arith.constant dense<-2.0> : vector<4xf32>
  %s = arith.mulf %x, %two fastmath<contract> : vector<4xf32>
  %a = simt.pick %s [0] : vector<4xf32> -> f32
  %as = simt.splat %a : f32 -> vector<4xf32>
  %y = arith.subf %s, %as fastmath<contract> : vector<4xf32>
  simt.store %o[%at], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  %t = arith.mulf %x, %minus fastmath<contract> : vector<4xf32>
  %b = simt.pick %t [0] : vector<4xf32> -> f32
  %bs = simt.splat %b : f32 -> vector<4xf32>
  %z = arith.subf %t, %bs fastmath<contract> : vector<4xf32>
  simt.store %o[%at], %z : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  return
}

// -----

// A loop without results; registers that repeat a maximum are no maxima.
// CHECK-LABEL: func.func @no_results
// CHECK: scf.if
// CHECK:   scf.for
// CHECK:     math.fma
// CHECK: } else {
// CHECK:   scf.for
// CHECK:     arith.subf
func.func @no_results(%x: vector<8xf32>, %scale: f32, %n: i32, %o: !tile.ptr<f32>, %at: vector<8xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %scales = simt.splat %scale : f32 -> vector<8xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = arith.mulf %x, %scales fastmath<contract> : vector<8xf32>
    %a = simt.pick %s [0, 1] : vector<8xf32> -> vector<2xf32>
    %b = simt.pick %s [2, 3] : vector<8xf32> -> vector<2xf32>
    %m = arith.maxnumf %a, %b : vector<2xf32>
    %ms = simt.pick %m [0, 1, 0, 1, 0, 1, 0, 1] : vector<2xf32> -> vector<8xf32>
    %y = arith.subf %s, %ms fastmath<contract> : vector<8xf32>
    simt.store %o[%at], %y : !tile.ptr<f32>, vector<8xi32>, vector<8xf32>
  } {simt.uniform}
  return
}

// -----

// The lane that a shuffle reads is computed behind the products: it reads the scaled maximum.
// CHECK-LABEL: func.func @lane_behind
// CHECK: %[[A:.*]] = simt.pick %arg0 [0]
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %{{.*}} : f32
// CHECK: simt.shuffle index %[[P]], %{{.*}} : f32
// CHECK: math.fma
func.func @lane_behind(%x: vector<4xf32>, %n: i32, %o: !tile.ptr<f32>, %at: vector<4xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %two = arith.constant dense<2.0> : vector<4xf32>
  %s = arith.mulf %x, %two fastmath<contract> : vector<4xf32>
  %a = simt.pick %s [0] : vector<4xf32> -> f32
  %lane = arith.addi %n, %n : i32
  %b = simt.shuffle index %a, %lane : f32
  %m = arith.maxnumf %a, %b : f32
  %ms = simt.splat %m : f32 -> vector<4xf32>
  %y = arith.subf %s, %ms fastmath<contract> : vector<4xf32>
  simt.store %o[%at], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  return
}
