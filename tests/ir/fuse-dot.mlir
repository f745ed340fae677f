// RUN: tegula-opt --tile-fuse-dot %s | FileCheck %s

// CHECK-LABEL: func.func @fuses
func.func @fuses(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  // CHECK-NEXT: %[[L:.*]] = tile.dot %arg0, %arg1, %arg2 precision(tf32) :
  %d = tile.dot %a, %b, %zero precision(tf32) : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %l = arith.addf %acc, %d : tensor<4x4xf32>
  // CHECK-NEXT: %[[R:.*]] = tile.dot %arg0, %arg1, %[[L]] max_imprecise(32) :
  %e = tile.dot %a, %b, %zero max_imprecise(32) : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  %r = arith.addf %e, %l : tensor<4x4xf32>
  // CHECK-NEXT: return %[[L]], %[[R]]
  return %l, %r : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @integers
func.func @integers(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %acc: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  // CHECK-NEXT: tile.dot %arg0, %arg1, %arg2
  %d = tile.dot %a, %b, %zero : tensor<4x8xi8>, tensor<8x4xi8>, tensor<4x4xi32>
  %l = arith.addi %acc, %d : tensor<4x4xi32>
  return %l : tensor<4x4xi32>
}

// CHECK-LABEL: func.func @another_use
func.func @another_use(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = tile.dot %a, %b, %zero : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  // CHECK: arith.addf
  %l = arith.addf %acc, %d : tensor<4x4xf32>
  return %l, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @another_accumulator
func.func @another_accumulator(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %d = tile.dot %a, %b, %one : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf32>
  // CHECK: arith.addf
  %l = arith.addf %acc, %d : tensor<4x4xf32>
  return %l : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @narrow
func.func @narrow(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf16>
  %d = tile.dot %a, %b, %zero : tensor<4x8xf16>, tensor<8x4xf16>, tensor<4x4xf16>
  // CHECK: arith.addf
  %l = arith.addf %acc, %d : tensor<4x4xf16>
  return %l : tensor<4x4xf16>
}
