// RUN: tegula-opt --tile-scalarize-uniform %s | FileCheck %s

// CHECK-LABEL: func.func @once_for_all
func.func @once_for_all(%x: f32, %n: i32) -> (tensor<64xf32>, tensor<64xi1>) {
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i32
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %five = arith.constant dense<5> : tensor<64xi32>
  %xs = tile.splat %x : f32 -> tensor<64xf32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: %[[M:.*]] = arith.mulf %arg0, %[[TWO]] : f32
  %m = arith.mulf %xs, %two : tensor<64xf32>
  // CHECK: %[[E:.*]] = math.exp %[[M]] : f32
  %e = math.exp %m : tensor<64xf32>
  // CHECK: %[[L:.*]] = arith.cmpi slt, %arg1, %[[FIVE]] : i32
  // CHECK: %[[LS:.*]] = tile.splat %[[L]] : i1 -> tensor<64xi1>
  %l = arith.cmpi slt, %ns, %five : tensor<64xi32>
  // CHECK: %[[S:.*]] = arith.select %[[L]], %[[E]], %arg0 : f32
  // CHECK: %[[SS:.*]] = tile.splat %[[S]] : f32 -> tensor<64xf32>
  %s = arith.select %l, %e, %xs : tensor<64xi1>, tensor<64xf32>
  // CHECK: return %[[SS]], %[[LS]]
  return %s, %l : tensor<64xf32>, tensor<64xi1>
}

// A block's start is a multiple of 64, so adding a value below 64 cannot wrap.
// CHECK-LABEL: func.func @block
func.func @block(%x: !tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>> {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  // CHECK: %[[START:.*]] = arith.muli
  %start = arith.muli %pid, %c64 : i32
  // CHECK: %[[RANGE:.*]] = tile.make_range 0 to 64
  %range = tile.make_range 0 to 64
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %at = arith.addi %starts, %range : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // CHECK: %[[BASE:.*]] = tile.addptr %arg0, %[[START]] : !tile.ptr<f32>, i32
  // CHECK: %[[BASES:.*]] = tile.splat %[[BASE]]
  // CHECK: tile.addptr %[[BASES]], %[[RANGE]]
  %p = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  return %p : tensor<64x!tile.ptr<f32>>
}

// The start may be just below 2^31, so the sum stays. A declared fact would exclude it but is not used.
// CHECK-LABEL: func.func @may_wrap
func.func @may_wrap(%x: !tile.ptr<f32>, %start: i32 {tile.divisibility = 64 : i64}) -> tensor<64x!tile.ptr<f32>> {
  %range = tile.make_range 0 to 64
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<64xi32>
  %at = arith.addi %starts, %range : tensor<64xi32>
  // CHECK: %[[BASES:.*]] = tile.splat %arg0
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // CHECK: tile.addptr %[[BASES]], %[[AT]]
  %p = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  return %p : tensor<64x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @does_not_wrap_by_promise
func.func @does_not_wrap_by_promise(%x: !tile.ptr<f32>, %start: i32) -> tensor<64x!tile.ptr<f32>> {
  %range = tile.make_range 0 to 64
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %at = arith.addi %starts, %range overflow<nsw> : tensor<64xi32>
  // CHECK: tile.addptr %arg0, %arg1 : !tile.ptr<f32>, i32
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  return %p : tensor<64x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @chain
func.func @chain(%x: !tile.ptr<f32>, %rows: tensor<4xi64>, %k: i32) -> tensor<4x8x!tile.ptr<f32>> {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x1x!tile.ptr<f32>>
  %r = tile.expand_dims %rows axis 1 : tensor<4xi64>
  %p = tile.addptr %xs, %r : tensor<4x1x!tile.ptr<f32>>, tensor<4x1xi64>
  %q = tile.broadcast %p : tensor<4x1x!tile.ptr<f32>> -> tensor<4x8x!tile.ptr<f32>>
  %ks = tile.splat %k : i32 -> tensor<4x8xi32>
  // CHECK: %[[BASE:.*]] = tile.addptr %arg0, %arg2 : !tile.ptr<f32>, i32
  // CHECK: %[[BASES:.*]] = tile.splat %[[BASE]] : !tile.ptr<f32> -> tensor<4x8x!tile.ptr<f32>>
  // CHECK: tile.addptr %[[BASES]], %{{.*}} : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi64>
  %s = tile.addptr %q, %ks : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  return %s : tensor<4x8x!tile.ptr<f32>>
}

// Both loops carry the pointer and an index as scalars; the tensors are rebuilt after the loops.
// CHECK-LABEL: func.func @nested
func.func @nested(%x: !tile.ptr<f32>, %n: i32) -> tensor<64x!tile.ptr<f32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  // CHECK: %[[RANGE:.*]] = tile.make_range 0 to 64
  %range = tile.make_range 0 to 64
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p0 = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[B:.*]] = %arg0, %[[I:.*]] = %c0_i32) -> (!tile.ptr<f32>, i32)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %at = %range)
      -> (tensor<64x!tile.ptr<f32>>, tensor<64xi32>) : i32 {
    // CHECK: %[[IN:.*]]:2 = scf.for {{.*}} iter_args(%[[C:.*]] = %[[B]], %[[J:.*]] = %[[I]]) -> (!tile.ptr<f32>, i32)
    %in:2 = scf.for %j = %c0 to %i step %c1 iter_args(%q = %p, %to = %at) -> (tensor<64x!tile.ptr<f32>>, tensor<64xi32>)
        : i32 {
      // CHECK-DAG: %[[CS:.*]] = tile.splat %[[C]]
      // CHECK-DAG: %[[Q:.*]] = tile.addptr %[[CS]], %[[RANGE]]
      // CHECK-DAG: %[[JS:.*]] = tile.splat %[[J]] : i32 -> tensor<64xi32>
      // CHECK-DAG: %[[TO:.*]] = arith.addi %[[RANGE]], %[[JS]] : tensor<64xi32>
      // CHECK: tile.store %[[Q]]
      %v = arith.sitofp %to : tensor<64xi32> to tensor<64xf32>
      tile.store %q, %v : tensor<64x!tile.ptr<f32>>
      // CHECK: scf.yield %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
      %q1 = tile.addptr %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      %to1 = arith.addi %step, %to : tensor<64xi32>
      scf.yield %q1, %to1 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    }
    // CHECK: %[[NEXT:.*]] = tile.addptr %[[IN]]#0, %{{.*}} : !tile.ptr<f32>, i32
    // CHECK: scf.yield %[[NEXT]], %[[IN]]#1 : !tile.ptr<f32>, i32
    %p1 = tile.addptr %in#0, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %p1, %in#1 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: } {tile.num_stages = 4 : i32}
  } {tile.num_stages = 4 : i32}
  // CHECK: %[[S:.*]] = tile.splat %[[R]]#0
  // CHECK: %[[P:.*]] = tile.addptr %[[S]], %[[RANGE]]
  // CHECK: return %[[P]]
  return %r#0 : tensor<64x!tile.ptr<f32>>
}

// Unchanged: steps that differ between elements, pointers without a common base, tensors that are no sums.
// CHECK-LABEL: func.func @stays
func.func @stays(%x: !tile.ptr<f32>, %loaded: tensor<64x!tile.ptr<f32>>, %n: i32) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %range = tile.make_range 0 to 64
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // CHECK: -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>, tensor<64xi32>)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %xs, %q = %loaded, %a = %range)
      -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>, tensor<64xi32>) : i32 {
    // CHECK: tile.addptr %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %p1 = tile.addptr %p, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    // CHECK: tile.addptr %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %q1 = tile.addptr %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    // CHECK: arith.muli %{{.*}} : tensor<64xi32>
    %a1 = arith.muli %a, %step : tensor<64xi32>
    %v = tile.load %p : tensor<64x!tile.ptr<f32>>
    tile.store %q, %v : tensor<64x!tile.ptr<f32>>
    scf.yield %p1, %q1, %a1 : tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  }
  return %r#2 : tensor<64xi32>
}
