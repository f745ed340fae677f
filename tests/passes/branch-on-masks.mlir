// RUN: tegula-opt --simt-branch-on-masks %s | FileCheck %s

// The mask is computed only where it decides something.
// CHECK-LABEL: func.func @skipped
// CHECK-NOT: arith.cmpi slt
// CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (vector<4xf32>) {
// CHECK-NEXT: scf.yield %arg0
// CHECK-NEXT: } else {
// CHECK:        %[[MASK:.*]] = arith.cmpi slt
// CHECK-NEXT:   %[[Z:.*]] = arith.select %[[MASK]], %arg0
// CHECK-NEXT:   scf.yield %[[Z]]
// CHECK-NEXT: } {simt.uniform}
// CHECK-NOT: arith.ori
func.func @skipped(%x: vector<4xf32>, %c: vector<4xi32>, %n: i32, %o: !tile.ptr<f32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %low = arith.constant dense<0xFF800000> : vector<4xf32>
  %c64 = arith.constant 64 : i32
  %ns = simt.splat %n : i32 -> vector<4xi32>
  %mask = arith.cmpi slt, %c, %ns : vector<4xi32>
  %all = arith.cmpi sge, %n, %c64 : i32
  %alls = simt.splat %all : i1 -> vector<4xi1>
  %either = arith.ori %mask, %alls : vector<4xi1>
  %y = arith.select %either, %x, %low : vector<4xi1>, vector<4xf32>
  simt.store %o[%c], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  return
}

// A scalar that depends on the thread: threads of a warp would part.
// CHECK-LABEL: func.func @of_a_thread
// CHECK-NOT: scf.if
// CHECK: arith.select
func.func @of_a_thread(%x: vector<4xf32>, %c: vector<4xi32>, %n: i32, %o: !tile.ptr<f32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %low = arith.constant dense<0xFF800000> : vector<4xf32>
  %ns = simt.splat %n : i32 -> vector<4xi32>
  %mask = arith.cmpi slt, %c, %ns : vector<4xi32>
  %t = simt.thread_id : i32
  %all = arith.cmpi sge, %n, %t : i32
  %alls = simt.splat %all : i1 -> vector<4xi1>
  %either = arith.ori %mask, %alls : vector<4xi1>
  %y = arith.select %either, %x, %low : vector<4xi1>, vector<4xf32>
  simt.store %o[%c], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  return
}

// A program of several that a launched one executes: its number is the same in all threads, and what a branch that all
// take computes from it, too.
// CHECK-LABEL: func.func @of_a_program
// CHECK: scf.for
// CHECK: scf.if %{{.*}} -> (vector<4xf32>) {
func.func @of_a_program(%x: vector<4xf32>, %c: vector<4xi32>, %n: i32, %o: !tile.ptr<f32>)
    attributes {simt.resident, simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %low = arith.constant dense<0xFF800000> : vector<4xf32>
  %ns = simt.splat %n : i32 -> vector<4xi32>
  %mask = arith.cmpi slt, %c, %ns : vector<4xi32>
  %first = simt.resident_id : i32
  %step = simt.residents : i32
  scf.for %p = %first to %n step %step : i32 {
    %short = arith.cmpi slt, %p, %step : i32
    %place = scf.if %short -> (i32) {
      scf.yield %p : i32
    } else {
      %rest = arith.remui %p, %step : i32
      scf.yield %rest : i32
    } {simt.uniform}
    %all = arith.cmpi sge, %n, %place : i32
    %alls = simt.splat %all : i1 -> vector<4xi1>
    %either = arith.ori %mask, %alls : vector<4xi1>
    %y = arith.select %either, %x, %low : vector<4xi1>, vector<4xf32>
    simt.store %o[%c], %y : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>
  } {simt.uniform}
  return
}

// A sum that is cleared where it is stored: the select becomes a result of the branch.
// CHECK-LABEL: func.func @cleared
// CHECK-NOT: arith.select
// CHECK: %[[N:.*]] = scf.if %arg1 -> (vector<32xf32>) {
// CHECK:   simt.store
// CHECK:   scf.yield %{{.*}} : vector<32xf32>
// CHECK: } else {
// CHECK:   scf.yield %arg0 : vector<32xf32>
// CHECK: } {simt.uniform}
// CHECK: simt.store %{{.*}}, %[[N]]
func.func @cleared(%sum: vector<32xf32>, %last: i1, %o: !tile.ptr<f32>, %at: vector<32xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %next = arith.select %last, %zero, %sum : vector<32xf32>
  scf.if %last {
    simt.store %o[%at], %sum : !tile.ptr<f32>, vector<32xi32>, vector<32xf32>
  } {simt.uniform}
  simt.store %o[%at], %next : !tile.ptr<f32>, vector<32xi32>, vector<32xf32>
  return
}

// Few elements, and a use before the branch: the selects stay.
// CHECK-LABEL: func.func @not_in_branch
// CHECK-COUNT-2: arith.select
func.func @not_in_branch(%sum: vector<32xf32>, %few: vector<2xf32>, %last: i1, %o: !tile.ptr<f32>,
                         %at: vector<32xi32>, %at2: vector<2xi32>)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %zeros = arith.constant dense<0.0> : vector<2xf32>
  %next = arith.select %last, %zero, %sum : vector<32xf32>
  %fewer = arith.select %last, %zeros, %few : vector<2xf32>
  simt.store %o[%at], %next : !tile.ptr<f32>, vector<32xi32>, vector<32xf32>
  scf.if %last {
    simt.store %o[%at], %sum : !tile.ptr<f32>, vector<32xi32>, vector<32xf32>
  } {simt.uniform}
  simt.store %o[%at2], %fewer : !tile.ptr<f32>, vector<2xi32>, vector<2xf32>
  return
}
