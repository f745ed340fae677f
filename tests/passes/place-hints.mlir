// RUN: tegula-opt --tile-place-hints %s --split-input-file | FileCheck %s
// RUN: tegula-opt --tile-pipeline %s --split-input-file | FileCheck %s --check-prefix=KEPT

// A promise without an assignment, behind the load that needs it and behind sums with the value. Each of two promises
// about one value is kept.
// CHECK-LABEL: func.func @statement
// CHECK: %[[P:.*]] = tile.addptr
// CHECK-NEXT: %[[C:.*]] = tile.hint %[[P]] contiguity [64]
// CHECK-NEXT: %[[H:.*]] = tile.hint %[[C]] divisibility [16]
// CHECK: tile.load %[[H]]
// CHECK: tile.store %[[H]]
// KEPT-LABEL: func.func @statement
// KEPT: tile.hint %{{.*}} contiguity [64]
// KEPT: tile.hint %{{.*}} divisibility [16]
func.func @statement(%x: !tile.ptr<f16>, %o: tensor<64xi32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  %c = tile.hint %p contiguity [64] : tensor<64x!tile.ptr<f16>>
  %h = tile.hint %p divisibility [16] : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// -----

// A promise in one branch is about the uses behind it in this branch; one about an argument, or a value that a loop
// carries, is about all uses.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[N:.*]]: i32, %[[M:.*]]: i32
// CHECK: %[[K:.*]] = tile.hint %[[M]] divisibility [8]
// CHECK: scf.if
// CHECK: arith.addi %[[N]], %[[K]]
// CHECK: %[[H:.*]] = tile.hint %[[N]] divisibility [16]
// CHECK: arith.addi %[[H]], %[[K]]
// CHECK: scf.yield
// CHECK: arith.muli %[[N]], %[[K]]
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %
// CHECK-NEXT: %[[B:.*]] = tile.hint %[[A]] divisibility [4]
// CHECK: arith.addi %[[B]], %{{.*}}
func.func @branch(%n: i32, %m: i32, %c: i1) -> (i32, i32, i32) {
  %r = scf.if %c -> i32 {
    %a = arith.addi %n, %m : i32
    %h = tile.hint %n divisibility [16] : i32
    %b = arith.addi %n, %m : i32
    %d = arith.muli %a, %b : i32
    scf.yield %d : i32
  } else {
    scf.yield %m : i32
  }
  %s = arith.muli %n, %m : i32
  %h = tile.hint %m divisibility [8] : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %n : i32
    %g = tile.hint %a divisibility [4] : i32
    scf.yield %b : i32
  }
  return %r, %s, %t : i32, i32, i32
}
