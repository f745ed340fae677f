// RUN: tegula-opt --simt-set-target='fields={copies_async=true}' --tile-hoist-loads %s | FileCheck %s
// RUN: tegula-opt --tile-hoist-loads %s | FileCheck %s --check-prefix=OFF
// OFF-NOT: arith.andi
// OFF-NOT: arith.xori

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {

// The flag, and the index that it is, are read ahead; the second operand's block is another one where the branch is not
// taken.
// CHECK-LABEL: func.func @both_arms
// CHECK: %[[FLAG:.*]] = tile.load
// CHECK: %[[TAKEN:.*]] = arith.cmpi ne, %[[FLAG]]
// CHECK: %[[INDEX:.*]] = tile.load %{{.*}} mask %[[TAKEN]] other %{{.*}} : !tile.ptr<i32>
// CHECK: %[[P:.*]] = tile.addptr %arg0, %[[INDEX]]
// CHECK: %[[PS:.*]] = tile.splat %[[P]]
// CHECK: %[[MASK:.*]] = tile.splat %[[TAKEN]] : i1 -> tensor<16x16xi1>
// CHECK: %[[A:.*]] = tile.load %[[PS]] mask %[[MASK]] other
// CHECK: %[[NOT:.*]] = arith.xori %[[TAKEN]], %true
// CHECK: %[[NOTS:.*]] = tile.splat %[[NOT]]
// CHECK: %[[OTHER:.*]] = tile.load %{{.*}} mask %[[NOTS]]
// CHECK: scf.if %[[TAKEN]]
// CHECK-NOT: tile.load
// CHECK: tile.dot %[[A]], %[[A]]
// CHECK: else
// CHECK: tile.dot %[[OTHER]], %[[OTHER]]
func.func @both_arms(%x: !tile.ptr<f16>, %flags: !tile.ptr<i32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %fp = tile.addptr %flags, %i : !tile.ptr<i32>, i32
    %flag = tile.load %fp : !tile.ptr<i32>
    %taken = arith.cmpi ne, %flag, %c0 : i32
    %d = scf.if %taken -> (tensor<16x16xf32>) {
      %ip = tile.addptr %flags, %flag : !tile.ptr<i32>, i32
      %index = tile.load %ip : !tile.ptr<i32>
      %p = tile.addptr %x, %index : !tile.ptr<f16>, i32
      %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
      %a = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
      %s = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %s : tensor<16x16xf32>
    } else {
      %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
      %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
      %a = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
      %s = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %s : tensor<16x16xf32>
    }
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// What stays: a load behind a store; one whose address divides by a number, which may be zero where the branch is not
// taken; one whose address is promised to be aligned there only.
// CHECK-LABEL: func.func @stay
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: scf.if
// CHECK: tile.load
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.load
func.func @stay(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32, %by: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %taken = arith.cmpi ne, %i, %by : i32
    %d = scf.if %taken -> (tensor<16x16xf32>) {
      %q = arith.divsi %i, %by : i32
      %p = tile.addptr %x, %q : !tile.ptr<f16>, i32
      %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
      %a = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
      %h = tile.hint %i divisibility [16] : i32
      %ph = tile.addptr %x, %h : !tile.ptr<f16>, i32
      %phs = tile.splat %ph : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
      %b = tile.load %phs : tensor<16x16x!tile.ptr<f16>>
      tile.store %ys, %a : tensor<16x16x!tile.ptr<f16>>
      %pi = tile.addptr %x, %i : !tile.ptr<f16>, i32
      %pis = tile.splat %pi : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
      %c = tile.load %pis : tensor<16x16x!tile.ptr<f16>>
      %s = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %t = tile.dot %c, %b, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %t : tensor<16x16xf32>
    } else {
      scf.yield %acc : tensor<16x16xf32>
    }
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A volatile load keeps the order of what is around it.
// CHECK-LABEL: func.func @volatile
// CHECK: scf.if
// CHECK: tile.load
// CHECK: tile.load
// CHECK: return
func.func @volatile(%x: !tile.ptr<f16>, %flags: !tile.ptr<i32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %taken = arith.cmpi ne, %i, %c1 : i32
    %d = scf.if %taken -> (tensor<16x16xf32>) {
      %flag = tile.load %flags volatile : !tile.ptr<i32>
      %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
      %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
      %a = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
      %s = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %s : tensor<16x16xf32>
    } else {
      scf.yield %acc : tensor<16x16xf32>
    }
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A product stands outside of the branch: its loads may be copied by hardware, and threads' copies would take the
// producer from them.
// CHECK-LABEL: func.func @outside
// CHECK: scf.if
// CHECK: tile.load
// CHECK: return
func.func @outside(%x: !tile.ptr<f16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
    %s = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %taken = arith.cmpi eq, %i, %c1 : i32
    %d = scf.if %taken -> (tensor<16x16xf32>) {
      %b = tile.load %ps : tensor<16x16x!tile.ptr<f16>>
      %t = tile.dot %b, %a, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %t : tensor<16x16xf32>
    } else {
      scf.yield %s : tensor<16x16xf32>
    }
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

}
