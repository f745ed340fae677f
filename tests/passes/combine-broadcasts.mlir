// RUN: tegula-opt --tile-combine-broadcasts --cse %s --split-input-file | FileCheck %s

// Two conditions of rows with one of columns between them: rows are combined as rows.
// CHECK-LABEL: func.func @masks
// CHECK: %[[ROWS:.*]] = arith.andi %arg0, %arg2 : tensor<64x1xi1>
// CHECK: %[[ALL:.*]] = tile.broadcast %[[ROWS]] : tensor<64x1xi1> -> tensor<64x32xi1>
// CHECK: %[[SOME:.*]] = arith.andi %arg3, %{{.*}} : tensor<64x32xi1>
// CHECK: %[[R:.*]] = arith.andi %[[SOME]], %{{.*}} : tensor<64x32xi1>
// CHECK-NOT: arith.andi
// CHECK: return %[[R]]
func.func @masks(%row1: tensor<64x1xi1>, %column: tensor<1x32xi1>, %row2: tensor<64x1xi1>, %whole: tensor<64x32xi1>)
    -> tensor<64x32xi1> {
  %r1 = tile.broadcast %row1 : tensor<64x1xi1> -> tensor<64x32xi1>
  %c = tile.broadcast %column : tensor<1x32xi1> -> tensor<64x32xi1>
  %r2 = tile.broadcast %row2 : tensor<64x1xi1> -> tensor<64x32xi1>
  %a = arith.andi %r1, %c : tensor<64x32xi1>
  %b = arith.andi %a, %whole : tensor<64x32xi1>
  %m = arith.andi %b, %r2 : tensor<64x32xi1>
  return %m : tensor<64x32xi1>
}

// -----

// The inner conjunction has another use, so that it stays; one condition of each shape: nothing to combine.
// CHECK-LABEL: func.func @other_use
// CHECK-COUNT-2: arith.andi %{{.*}} : tensor<64x32xi1>
// CHECK-NOT: arith.andi
func.func @other_use(%row: tensor<64x1xi1>, %column: tensor<1x32xi1>, %row2: tensor<64x1xi1>)
    -> (tensor<64x32xi1>, tensor<64x32xi1>) {
  %r = tile.broadcast %row : tensor<64x1xi1> -> tensor<64x32xi1>
  %c = tile.broadcast %column : tensor<1x32xi1> -> tensor<64x32xi1>
  %r2 = tile.broadcast %row2 : tensor<64x1xi1> -> tensor<64x32xi1>
  %a = arith.andi %r, %c : tensor<64x32xi1>
  %m = arith.andi %a, %r2 : tensor<64x32xi1>
  return %a, %m : tensor<64x32xi1>, tensor<64x32xi1>
}

// -----

// Pointers of rows: what is added for each row is added before the broadcast, what is added for each column behind it.
// CHECK-LABEL: func.func @addresses
// CHECK: %[[ROWS:.*]] = tile.addptr %arg0, %arg2 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
// CHECK: %[[ALL:.*]] = tile.broadcast %[[ROWS]]
// CHECK: %[[P:.*]] = tile.addptr %[[ALL]], %{{.*}} : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi64>
// CHECK-NOT: tile.addptr
// CHECK: return %[[P]]
func.func @addresses(%base: tensor<64x1x!tile.ptr<f16>>, %column: tensor<1x32xi64>, %row: tensor<64x1xi32>)
    -> tensor<64x32x!tile.ptr<f16>> {
  %b = tile.broadcast %base : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  %c = tile.broadcast %column : tensor<1x32xi64> -> tensor<64x32xi64>
  %r = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %p = tile.addptr %b, %c : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi64>
  %q = tile.addptr %p, %r : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  return %q : tensor<64x32x!tile.ptr<f16>>
}
