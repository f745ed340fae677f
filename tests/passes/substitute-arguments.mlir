// RUN: tegula-opt --pass-pipeline='builtin.module(func.func(tile-substitute-arguments))' %s | FileCheck %s

// The declaration stays, so that launches check it.
// CHECK-LABEL: func.func @strided
// CHECK-SAME: %[[S:.*]]: i32 {tile.equals = 1 : i64, tile.name = "stride"}, %[[W:.*]]: i8 {tile.equals = -2 : i64}
func.func @strided(%stride: i32 {tile.name = "stride", tile.equals = 1 : i64}, %narrow: i8 {tile.equals = -2 : i64})
    -> (i32, i8) {
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[C2:.*]] = arith.constant -2 : i8
  // CHECK: arith.muli %[[C1]], %[[C1]]
  %square = arith.muli %stride, %stride : i32
  // CHECK: return %{{.*}}, %[[C2]]
  return %square, %narrow : i32, i8
}

// Code that does not use the value is valid for all values.
// CHECK-LABEL: func.func @unused
// CHECK-SAME: (%{{.*}}: i32 {tile.name = "n"})
func.func @unused(%n: i32 {tile.name = "n", tile.equals = 1 : i64}) {
  return
}

// An argument without a declared value stays.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME: %[[N:.*]]: i32
func.func @unknown(%n: i32 {tile.divisibility = 16 : i64}) -> i32 {
  // CHECK: return %[[N]]
  return %n : i32
}
