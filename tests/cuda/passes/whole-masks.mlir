// RUN: tegula-opt --tile-whole-masks %s | FileCheck %s

// Columns from %n on: all 64 of a block from %i on count if %i + 63 < %n. The diagonal: the first row, the last column.
// CHECK-LABEL: func.func @attention
// CHECK: scf.for
// CHECK: %[[EDGE:.*]] = arith.cmpi slt, %{{.*}} : tensor<64x64xi32>
// One comparison says that no element of a sum is beyond 32 bits.
// CHECK: arith.cmpi ult, %{{.*}}, %c4294967233_i64
// CHECK-NOT: arith.cmpi ult
// CHECK: %[[WHOLE:.*]] = tile.splat %{{.*}} : i1 -> tensor<64x64xi1>
// CHECK: %[[MASK:.*]] = arith.ori %[[EDGE]], %[[WHOLE]] : tensor<64x64xi1>
// CHECK: arith.select %[[MASK]]
// The rows' condition, which the loop does not change, comes before the columns'.
// CHECK: %[[DIAGONAL:.*]] = arith.cmpi sle, %{{.*}} : tensor<64x64xi32>
// CHECK: %[[COLUMNS:.*]] = arith.cmpi ult, %{{.*}} : i64
// CHECK: %[[ROWS:.*]] = arith.cmpi ult, %{{.*}} : i64
// CHECK: arith.andi %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[BELOW:.*]] = tile.splat %{{.*}} : i1 -> tensor<64x64xi1>
// CHECK: %[[MASK2:.*]] = arith.ori %[[DIAGONAL]], %[[BELOW]] : tensor<64x64xi1>
// CHECK: arith.select %[[MASK2]]
// CHECK: tile.dot
// A mask that no limits describe, and one outside of the loop, stay.
// CHECK: arith.select %arg2
// CHECK: }
// CHECK-NOT: arith.ori
// CHECK: return
module attributes {tile.num_warps = 4 : i32} {
func.func @attention(%x: tensor<64x64xf32>, %v: tensor<64x64xf16>, %any: tensor<64x64xi1>, %n: i32,
    %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %low = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32>
  %column = tile.expand_dims %range axis 1 : tensor<64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ns = tile.splat %n : i32 -> tensor<64x64xi32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %firsts = tile.splat %first : i32 -> tensor<64x1xi32>
  %rows1 = arith.addi %firsts, %column : tensor<64x1xi32>
  %rows = tile.broadcast %rows1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%c = %x) -> (tensor<64x64xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<64x64xi32>
    %at = arith.addi %is, %columns : tensor<64x64xi32>
    %edge = arith.cmpi slt, %at, %ns : tensor<64x64xi32>
    %s = arith.select %edge, %x, %low : tensor<64x64xi1>, tensor<64x64xf32>
    %diagonal = arith.cmpi sle, %at, %rows : tensor<64x64xi32>
    %t = arith.select %diagonal, %s, %low : tensor<64x64xi1>, tensor<64x64xf32>
    %p = tile.fp_cast %t : tensor<64x64xf32> -> tensor<64x64xf16>
    %d = tile.dot %p, %v, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %e = arith.select %any, %d, %low : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  %outside = arith.cmpi slt, %columns, %ns : tensor<64x64xi32>
  %y = arith.select %outside, %sum, %low : tensor<64x64xi1>, tensor<64x64xf32>
  %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %po = tile.addptr %so, %columns : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %po, %y : tensor<64x64x!tile.ptr<f32>>
  return
}

// Beside three products, as in the backward pass, masks stay as they are.
// CHECK-LABEL: func.func @gradients
// CHECK-NOT: arith.ori
// CHECK: return
func.func @gradients(%x: tensor<64x64xf32>, %v: tensor<64x64xf16>, %n: i32, %o: tensor<64x64x!tile.ptr<f32>>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ns = tile.splat %n : i32 -> tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%c = %x) -> (tensor<64x64xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<64x64xi32>
    %at = arith.addi %is, %columns : tensor<64x64xi32>
    %edge = arith.cmpi slt, %at, %ns : tensor<64x64xi32>
    %s = tile.dot %v, %v, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %g = tile.dot %v, %v, %x : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %t = arith.select %edge, %s, %g : tensor<64x64xi1>, tensor<64x64xf32>
    %p = tile.fp_cast %t : tensor<64x64xf32> -> tensor<64x64xf16>
    %d = tile.dot %p, %v, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %o, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
}
