// RUN: tegula-opt --tile-split-k --canonicalize --cse %s --split-input-file | FileCheck %s

// A sum of 8-bit floats, which each iteration rounds, is a sum of parts, too.

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: !tile.ptr<f8E4M3FN> {{{.*}}tile.name = "partial sums 0"
// CHECK: scf.if
// CHECK: arith.addf %{{.*}}, %{{.*}} : f8E4M3FN
  func.func @narrow(%x: !tile.ptr<f8E4M3FN> {tile.name = "x"}, %n: i32 {tile.name = "n"})
      attributes {tile.depth_splits = 2 : i32, tile.kernel} {
    %zero = arith.constant 0.0 : f8E4M3FN
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero) -> (f8E4M3FN) : i32 {
      %p = tile.addptr %x, %k : !tile.ptr<f8E4M3FN>, i32
      %e = tile.load %p : !tile.ptr<f8E4M3FN>
      %wide = tile.fp_cast %a : f8E4M3FN -> f32
      %b = tile.fp_cast %e : f8E4M3FN -> f32
      %c = arith.addf %wide, %b : f32
      %next = tile.fp_cast %c : f32 -> f8E4M3FN
      scf.yield %next : f8E4M3FN
    }
    tile.store %x, %sum : !tile.ptr<f8E4M3FN>
    return
  }

// -----

// Three parts of a loop that carries a sum, a pointer and a number that falls. What stands behind the loop uses the sum
// and the end of the number.

// CHECK-LABEL: func.func @moving(
// CHECK-SAME: %[[X:[^:]+]]: !tile.ptr<f32> {tile.name = "x"}
// CHECK-SAME: %[[N:[^:]+]]: i32
// CHECK-SAME: %[[SUMS:[^:]+]]: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "partial sums 0", tile.workspace = 256 : i64}
// CHECK-SAME: %[[ARRIVED:[^:]+]]: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.name = "parts that arrived", tile.workspace = 4 : i64, tile.zeroed}
// CHECK-SAME: attributes {tile.grid_factor = 3 : i32, tile.kernel}
  func.func @moving(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32 {tile.name = "n"}, %y: !tile.ptr<f32>, %s: i32)
      attributes {tile.depth_splits = 3 : i32, tile.kernel} {
    // CHECK-DAG: %[[LAUNCHED:.*]] = tile.program_id 0
    // CHECK-DAG: %[[ROW:.*]] = tile.num_programs 0
    // CHECK-DAG: %[[BLOCK:.*]] = arith.divsi %[[LAUNCHED]], %c3_i32
    // CHECK-DAG: %[[BLOCKS:.*]] = arith.divsi %[[ROW]], %c3_i32
    // CHECK-DAG: %[[PART:.*]] = arith.remsi %[[LAUNCHED]], %c3_i32
    // CHECK-DAG: %[[PLANE:.*]] = tile.program_id 2
    // CHECK-DAG: %[[LINE:.*]] = tile.program_id 1
    // CHECK: %[[OWN:.*]] = arith.subi %[[LAUNCHED]], %[[PART]]
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[OWN]] : i32 to i64
    // CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[WIDE]] : i64
    // CHECK: arith.addi %[[BLOCK]], %[[BLOCKS]]
    // CHECK: %[[LONGER:.*]] = arith.remsi %[[COUNT:.*]], %c3_i32
    // CHECK: %[[START:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
    // CHECK: %[[END:.*]] = arith.muli %{{.*}}, %c2_i32
    // CHECK: %[[SHIFT:.*]] = arith.muli %[[START]], %c2_i32
    // CHECK: %[[BEGIN:.*]] = tile.addptr %[[X]], %{{.*}} : !tile.ptr<f32>, i64
    // CHECK: %[[ALL:.*]] = arith.muli %[[COUNT]], %c5_i32
    // CHECK: %[[LAST:.*]] = arith.subi %[[N]], %[[ALL]]
    // CHECK: scf.for %[[I:.*]] = %c0_i32 to %[[END]] step %c2_i32 iter_args(%{{.*}} = %cst, %{{.*}} = %[[BEGIN]]
    // CHECK-NEXT: %[[K:.*]] = arith.addi %[[I]], %[[SHIFT]]
    // CHECK-NEXT: arith.addi %[[K]], %{{.*}}
    // CHECK: tile.store %{{.*}}, %{{.*}}#0 : tensor<64x!tile.ptr<f32>>
    // CHECK: %[[COUNTER:.*]] = tile.addptr %[[ARRIVED]], %[[FIRST]]
    // CHECK: %[[OLD:.*]] = tile.atomic_rmw add acq_rel device %[[COUNTER]], %c1_i32
    // CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[OLD]], %c2_i32
    // CHECK: scf.if %[[IS_LAST]] {
    // CHECK-NEXT: tile.store %[[COUNTER]], %c0_i32
    // CHECK: %[[ONE:.*]] = tile.load
    // CHECK: %[[TOTAL:.*]] = scf.for %{{.*}} = %c1_i32 to %c3_i32 step %c1_i32 iter_args(%[[BEFORE:.*]] = %[[ONE]])
    // CHECK: %[[NEXT:.*]] = tile.load
    // CHECK-NEXT: arith.addf %[[BEFORE]], %[[NEXT]]
    // CHECK: tile.splat %[[LAST]]
    // CHECK: tile.store %{{.*}}, %[[TOTAL]]
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c5 = arith.constant 5 : i32
    %range = tile.make_range 0 to 64
    %program = tile.program_id 0
    %programs = tile.num_programs 0
    %line = arith.addi %program, %programs : i32
    %start = tile.addptr %x, %line : !tile.ptr<f32>, i32
    %sum:3 = scf.for %k = %c0 to %n step %c2 iter_args(%a = %zero, %p = %x, %left = %n)
        -> (tensor<64xf32>, !tile.ptr<f32>, i32) : i32 {
      %far = arith.addi %k, %left : i32
      %q = tile.addptr %p, %far : !tile.ptr<f32>, i32
      %splat = tile.splat %q : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
      %ptrs = tile.addptr %splat, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      %v = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
      %a1 = arith.addf %a, %v : tensor<64xf32>
      %a2 = arith.addf %v, %a1 : tensor<64xf32>
      %p1 = tile.addptr %p, %s : !tile.ptr<f32>, i32
      %left1 = arith.subi %left, %c5 : i32
      scf.yield %a2, %p1, %left1 : tensor<64xf32>, !tile.ptr<f32>, i32
    }
    %ends = tile.splat %sum#2 : i32 -> tensor<64xi32>
    %to = tile.splat %start : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %out = tile.addptr %to, %ends : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %out, %sum#0 : tensor<64x!tile.ptr<f32>>
    return
  }

// -----

// A loop from a number that may be below zero counts in 64 bits; what the sum begins with is added to the first part.

// CHECK-LABEL: func.func @from(
// CHECK-SAME: %[[LOW:[^:]+]]: i32, %[[HIGH:[^:]+]]: i32
// CHECK: %[[WIDE_LOW:.*]] = arith.extsi %[[LOW]] : i32 to i64
// CHECK: %[[WIDE_HIGH:.*]] = arith.extsi %[[HIGH]] : i32 to i64
// CHECK: %[[END:.*]] = arith.maxsi %[[WIDE_HIGH]], %[[WIDE_LOW]] : i64
// CHECK: arith.subi %[[END]], %[[WIDE_LOW]] : i64
// CHECK: scf.for %[[I:.*]] = %c0_i64 to %{{.*}} step %c1_i64 iter_args(%{{.*}} = %c0_i32) -> (i32) : i64
// CHECK-NEXT: %[[K:.*]] = arith.addi %[[I]], %{{.*}} : i64
// CHECK-NEXT: %[[NARROW:.*]] = arith.trunci %[[K]] : i64 to i32
// CHECK-NEXT: tile.addptr %{{.*}}, %[[NARROW]]
// CHECK: scf.if
// CHECK: %[[ONE:.*]] = tile.load
// CHECK: %[[BEGUN:.*]] = arith.addi %[[ONE]], %c7_i32
// CHECK: %[[TWO:.*]] = tile.load
// CHECK: %[[TOTAL:.*]] = arith.addi %[[BEGUN]], %[[TWO]]
// CHECK: tile.store %{{.*}}, %[[TOTAL]]
  func.func @from(%low: i32, %high: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %sum = scf.for %k = %low to %high step %c1 iter_args(%a = %c7) -> (i32) : i32 {
      %p = tile.addptr %x, %k : !tile.ptr<i32>, i32
      %v = tile.load %p : !tile.ptr<i32>
      %a1 = arith.addi %a, %v : i32
      scf.yield %a1 : i32
    }
    tile.store %x, %sum : !tile.ptr<i32>
    return
  }

// -----

// Nobody uses the second sum: it stays in the loop, and there is no memory for it.

// CHECK-LABEL: func.func @unused(
// CHECK-SAME: tile.name = "partial sums 0"
// CHECK-NOT: tile.name = "partial sums 1"
// CHECK: scf.for
// CHECK: arith.addi
// CHECK: arith.addi
func.func @unused(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    %b1 = arith.addi %k, %b : i32
    scf.yield %a1, %b1 : i32, i32
  }
  tile.store %x, %sum#0 : !tile.ptr<i32>
  return
}

// -----

// Without the attribute nothing happens.

// CHECK-LABEL: func.func @whole(
// CHECK-NOT: atomic_rmw
func.func @whole(%n: i32, %x: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    scf.yield %a1 : i32
  }
  tile.store %x, %sum : !tile.ptr<i32>
  return
}
