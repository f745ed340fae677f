// RUN: tegula-opt --tile-defer-sums %s | FileCheck %s

// A factor that may be larger than 1: of the differences the other way round; of a maximum of others. One that must be
// multiplied with a rounding of its own. A first value that is negative.
// RUN: sed 's/subf %m, %new/subf %new, %m/' %s | tegula-opt --tile-defer-sums | FileCheck %s --check-prefix=STAY
// RUN: sed 's/maxnumf %m, %largest/maxnumf %largest, %largest/' %s | tegula-opt --tile-defer-sums | FileCheck %s --check-prefix=STAY
// RUN: sed 's/%t, %factor :/%t, %factor {tile.rounded} :/' %s | tegula-opt --tile-defer-sums | FileCheck %s --check-prefix=STAY
// RUN: sed 's/%zeros = arith.constant dense<0.0>/%zeros = arith.constant dense<-1.0>/' %s | tegula-opt --tile-defer-sums | FileCheck %s --check-prefix=STAY
// STAY-LABEL: func.func @softmax(
// STAY-NOT: tile.reshape
// STAY: return

#lanes = #layout.distributed<register (0,1) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (8,0)>
#line = #layout.distributed<lane (0) (0) (1) (2) (4), warp (8)>
#warps = #layout.distributed<register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (0,8)>
#linew = #layout.distributed<register (8), lane (0) (0) (1) (2) (4), warp (0)>
#own = #layout.distributed<register (0,1) (0,2) (0,4) (0,8), lane (1,0) (2,0) (4,0) (8,0) (0,0), warp (0,0)>
#lineo = #layout.distributed<lane (1) (2) (4) (8) (0), warp (0)>
#apart = #layout.distributed<register (0,2) (0,8), lane (0,1) (0,4) (1,0) (2,0) (4,0), warp (8,0)>

// Of 16 columns, four lanes have four each: bits 1 and 2 of a column's number.
// CHECK-DAG: #[[PARTIAL:.*]] = #layout.distributed<lane (0,1) (0,2) (1,0) (2,0) (4,0), warp (8,0)>
// CHECK-DAG: #[[LINE:.*]] = #layout.distributed<lane (0) (0) (1) (2) (4), warp (8)>

module attributes {tile.num_warps = 2 : i32} {
// A softmax' total: it begins with zeros, and shrinks where the largest element grows.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<16x4xf32, #[[PARTIAL]]>
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[TOTAL:.*]] = %[[ZEROS]])
// CHECK: %[[FACTOR:.*]] = math.exp2 %{{.*}} : tensor<16xf32, #[[LINE]]>
// CHECK: %[[POWERS:.*]] = math.exp2 %{{.*}} : tensor<16x16xf32
// CHECK: %[[DIVIDED:.*]] = tile.reshape %[[POWERS]] : tensor<16x16xf32, {{.*}}> -> tensor<16x2x4x2xf32
// CHECK: %[[INNER:.*]] = tile.reduce(%[[DIVIDED]]) axis 3 {{.*}} -> tensor<16x2x4xf32
// CHECK: %[[SUM:.*]] = tile.reduce(%[[INNER]]) axis 1 {{.*}} -> tensor<16x4xf32, #[[PARTIAL]]>
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[FACTOR]] axis 1
// CHECK: %[[FACTORS:.*]] = tile.broadcast %[[COLUMN]] : {{.*}} -> tensor<16x4xf32, #[[PARTIAL]]>
// CHECK: %[[SHRUNK:.*]] = arith.mulf %[[TOTAL]], %[[FACTORS]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[SHRUNK]], %[[SUM]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// CHECK: %[[ALL:.*]] = tile.reduce(%[[LOOP]]#1) axis 1 {{.*}} -> tensor<16xf32, #[[LINE]]>
// CHECK: return %[[ALL]]
func.func @softmax(%x: tensor<16x16xf32, #lanes>, %n: i32) -> tensor<16xf32, #line> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.constant dense<0xFF800000> : tensor<16xf32, #line>
  %zeros = arith.constant dense<0.0> : tensor<16xf32, #line>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %low, %t = %zeros)
      -> (tensor<16xf32, #line>, tensor<16xf32, #line>) : i32 {
    %largest = tile.reduce(%x) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %new = arith.maxnumf %m, %largest : tensor<16xf32, #line>
    %less = arith.subf %m, %new : tensor<16xf32, #line>
    %factor = math.exp2 %less : tensor<16xf32, #line>
    %e = math.exp2 %x : tensor<16x16xf32, #lanes>
    %s = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %u = arith.mulf %t, %factor : tensor<16xf32, #line>
    %v = arith.addf %u, %s : tensor<16xf32, #line>
    scf.yield %new, %v : tensor<16xf32, #line>, tensor<16xf32, #line>
  }
  return %r#1 : tensor<16xf32, #line>
}

// Lanes and warps divide the axis. The first part begins with the total's first value, the others with 0.
// CHECK-LABEL: func.func @squares(
// CHECK: %[[SQUARE:.*]] = arith.mulf %arg1, %arg1
// CHECK: %[[RANGE:.*]] = tile.make_range 0 to 8
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[RANGE]]
// CHECK: %[[ROW:.*]] = tile.expand_dims %[[IS]] axis 0
// CHECK: %[[FIRST:.*]] = tile.broadcast %[[ROW]]
// CHECK: %[[INIT:.*]] = tile.expand_dims %[[SQUARE]] axis 1
// CHECK: %[[INITS:.*]] = tile.broadcast %[[INIT]]
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32
// CHECK: %[[BEGIN:.*]] = arith.select %[[FIRST]], %[[INITS]], %[[NONE]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[BEGIN]]) -> (tensor<16x8xf32
// CHECK-NOT: arith.mulf %{{.*}} : tensor<16x8xf32
// CHECK: arith.addf %{{.*}} : tensor<16x8xf32
// CHECK: tile.reduce(%{{.*}}) axis 1 {{.*}} -> tensor<16xf32
func.func @squares(%x: tensor<16x16xf32, #warps>, %t0: tensor<16xf32, #linew>, %n: i32) -> tensor<16xf32, #linew>
    {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = arith.mulf %t0, %t0 : tensor<16xf32, #linew>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (tensor<16xf32, #linew>) : i32 {
    %e = arith.mulf %x, %x : tensor<16x16xf32, #warps>
    %s = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #warps>) -> tensor<16xf32, #linew> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %v = arith.addf %s, %t : tensor<16xf32, #linew>
    scf.yield %v : tensor<16xf32, #linew>
  }
  return %r : tensor<16xf32, #linew>
}

// Two loops: the second begins with the first one's total.
// CHECK-LABEL: func.func @twice(
// CHECK: scf.for
// CHECK: tile.reshape
// CHECK: %[[TOTAL:.*]] = tile.reduce({{.*}}) axis 1 {{.*}} -> tensor<16xf32, #[[LINE]]>
// CHECK: tile.expand_dims %[[TOTAL]] axis 1
// CHECK: scf.for
// CHECK: tile.reshape
// CHECK: tile.reduce({{.*}}) axis 1 {{.*}} -> tensor<16xf32, #[[LINE]]>
func.func @twice(%x: tensor<16x16xf32, #lanes>, %n: i32) -> tensor<16xf32, #line> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ones = arith.constant dense<1.0> : tensor<16xf32, #line>
  %e = math.exp2 %x : tensor<16x16xf32, #lanes>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %ones) -> (tensor<16xf32, #line>) : i32 {
    %s = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %u = arith.addf %t, %s : tensor<16xf32, #line>
    scf.yield %u : tensor<16xf32, #line>
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%t = %r) -> (tensor<16xf32, #line>) : i32 {
    %s = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %u = arith.addf %t, %s : tensor<16xf32, #line>
    scf.yield %u : tensor<16xf32, #line>
  }
  return %q : tensor<16xf32, #line>
}

// What stays: elements that may be negative; a factor that may be larger than 1; a total that the loop uses besides;
// a first value that may be negative; an addition that must be rounded by itself.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: tile.reshape
// CHECK: return
func.func @stay(%x: tensor<16x16xf32, #lanes>, %f: tensor<16xf32, #line>, %n: i32)
    -> (tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>,
        tensor<16xf32, #line>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<16xf32, #line>
  %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zeros, %u = %zeros, %v = %zeros, %w = %zeros, %y = %f,
      %z = %zeros) -> (tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>,
      tensor<16xf32, #line>, tensor<16xf32, #line>) : i32 {
    %e = math.exp2 %x : tensor<16x16xf32, #lanes>
    %s0 = tile.reduce(%x) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %t1 = arith.addf %t, %s0 : tensor<16xf32, #line>
    %s1 = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %g = math.exp2 %f : tensor<16xf32, #line>
    %u0 = arith.mulf %u, %g : tensor<16xf32, #line>
    %u1 = arith.addf %u0, %s1 : tensor<16xf32, #line>
    %s2 = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %v1 = arith.addf %v, %s2 : tensor<16xf32, #line>
    %w1 = arith.addf %w, %v : tensor<16xf32, #line>
    %s3 = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y1 = arith.addf %y, %s3 : tensor<16xf32, #line>
    %s4 = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #lanes>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %z1 = arith.addf %z, %s4 {tile.rounded} : tensor<16xf32, #line>
    scf.yield %t1, %u1, %v1, %w1, %y1, %z1 : tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>,
        tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>
  }
  return %r#0, %r#1, %r#3, %r#4, %r#5 : tensor<16xf32, #line>, tensor<16xf32, #line>, tensor<16xf32, #line>,
      tensor<16xf32, #line>, tensor<16xf32, #line>
}

// No thread divides the axis; threads divide it by bits 0 and 2.
// CHECK-LABEL: func.func @undivided(
// CHECK-NOT: tile.reshape
// CHECK: return
func.func @undivided(%x: tensor<16x16xf32, #own>, %y: tensor<16x16xf32, #apart>, %n: i32)
    -> (tensor<16xf32, #lineo>, tensor<16xf32, #line>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<16xf32, #lineo>
  %zeros1 = arith.constant dense<0.0> : tensor<16xf32, #line>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zeros, %u = %zeros1)
      -> (tensor<16xf32, #lineo>, tensor<16xf32, #line>) : i32 {
    %e = math.exp %x : tensor<16x16xf32, #own>
    %s = tile.reduce(%e) axis 1 : (tensor<16x16xf32, #own>) -> tensor<16xf32, #lineo> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %t1 = arith.addf %t, %s : tensor<16xf32, #lineo>
    %g = math.exp %y : tensor<16x16xf32, #apart>
    %s1 = tile.reduce(%g) axis 1 : (tensor<16x16xf32, #apart>) -> tensor<16xf32, #line> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %u1 = arith.addf %u, %s1 : tensor<16xf32, #line>
    scf.yield %t1, %u1 : tensor<16xf32, #lineo>, tensor<16xf32, #line>
  }
  return %r#0, %r#1 : tensor<16xf32, #lineo>, tensor<16xf32, #line>
}
}
