// RUN: tegula-opt --tile-hoist-invariants %s | FileCheck %s

// A loop of loops keeps its tensors; a scalar leaves both loops, and a tensor that the inner loop does not change
// leaves that one.
// CHECK-LABEL: func.func @nested
// CHECK: %[[TWICE:.*]] = arith.addi %arg1, %arg1 : i32
// CHECK-NEXT: scf.for
// CHECK-NEXT:   %[[COLUMNS:.*]] = arith.muli %arg0, %arg0 : tensor<64xi32>
// CHECK-NEXT:   %[[ROW:.*]] = tile.splat %{{.*}} : i32 -> tensor<64xi32>
// CHECK-NEXT:   %[[ROWS:.*]] = arith.addi %[[COLUMNS]], %[[ROW]] : tensor<64xi32>
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     tile.store %{{.*}}, %[[ROWS]]
func.func @nested(%a: tensor<64xi32>, %n: i32, %p: tensor<64x!tile.ptr<i32>>, %q: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %columns = arith.muli %a, %a : tensor<64xi32>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %row = tile.splat %i : i32 -> tensor<64xi32>
      %rows = arith.addi %columns, %row : tensor<64xi32>
      %twice = arith.addi %n, %n : i32
      tile.store %p, %rows : tensor<64x!tile.ptr<i32>>
      tile.store %q, %twice : !tile.ptr<i32>
    }
  }
  return
}

// A loop without loops keeps neither; what has an effect, or may fail, stays.
// CHECK-LABEL: func.func @single
// CHECK: arith.muli %arg0, %arg0 : tensor<64xi32>
// CHECK: scf.for
// CHECK-NEXT: %{{.*}} = tile.load
// CHECK-NEXT: arith.divsi
func.func @single(%a: tensor<64xi32>, %p: tensor<64x!tile.ptr<i32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %squares = arith.muli %a, %a : tensor<64xi32>
    %v = tile.load %p : tensor<64x!tile.ptr<i32>>
    %quotients = arith.divsi %squares, %a : tensor<64xi32>
    tile.store %p, %quotients : tensor<64x!tile.ptr<i32>>
    tile.store %p, %v : tensor<64x!tile.ptr<i32>>
  }
  return
}
