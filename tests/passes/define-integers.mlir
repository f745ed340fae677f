// RUN: tegula-opt --simt-define-integers %s | FileCheck %s

// CHECK-LABEL: func.func @unsigned
func.func @unsigned(%x: i32, %y: i32) -> (i32, i32) {
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %arg1, %c0
  // CHECK: %[[SPECIAL:.*]] = arith.muli %arg0, %arg1
  // CHECK: %[[SAFE:.*]] = arith.select %[[ZERO]], %c1{{.*}}, %arg1
  // CHECK: %[[QUOTIENT:.*]] = arith.divui %arg0, %[[SAFE]]
  // CHECK: %[[Q:.*]] = arith.select %[[ZERO]], %[[SPECIAL]], %[[QUOTIENT]]
  %q = arith.divui %x, %y : i32
  // CHECK: arith.andi %arg0
  // CHECK: arith.remui %arg0
  // CHECK: %[[R:.*]] = arith.select
  %r = arith.remui %x, %y : i32
  // CHECK: return %[[Q]], %[[R]]
  return %q, %r : i32, i32
}

// Divisors 0 and -1 are those whose successor is at most 1.
// CHECK-LABEL: func.func @signed
func.func @signed(%x: vector<4xi16>, %y: vector<4xi16>) -> vector<4xi16> {
  // CHECK: %[[NEXT:.*]] = arith.addi %arg1, %{{.*}} : vector<4xi16>
  // CHECK: arith.cmpi ule, %[[NEXT]]
  // CHECK: arith.divsi
  // CHECK: arith.select
  %q = arith.divsi %x, %y : vector<4xi16>
  return %q : vector<4xi16>
}

// CHECK-LABEL: func.func @shifts
func.func @shifts(%x: i32, %n: i32) -> (i32, i32) {
  // CHECK: %[[WITHIN:.*]] = arith.cmpi ult, %arg1, %c32
  // CHECK: %[[AMOUNT:.*]] = arith.andi %arg1, %c31
  // CHECK: %[[SHIFTED:.*]] = arith.shli %arg0, %[[AMOUNT]]
  // CHECK: arith.select %[[WITHIN]], %[[SHIFTED]], %c0
  %l = arith.shli %x, %n : i32
  // CHECK: %[[CLAMPED:.*]] = arith.select %{{.*}}, %arg1, %c31
  // CHECK: arith.shrsi %arg0, %[[CLAMPED]]
  %r = arith.shrsi %x, %n : i32
  return %l, %r : i32, i32
}

// One bit: x / y = x & y, x % y = x & ~y.
// CHECK-LABEL: func.func @bits
func.func @bits(%x: i1, %y: i1) -> (i1, i1) {
  // CHECK-NOT: arith.div
  // CHECK-NOT: arith.rem
  // CHECK: arith.andi %arg0, %arg1
  %q = arith.divsi %x, %y : i1
  // CHECK: %[[NOT:.*]] = arith.xori %arg1
  // CHECK: arith.andi %arg0, %[[NOT]]
  %r = arith.remui %x, %y : i1
  return %q, %r : i1, i1
}

// What a constant shows to be defined stays.
// CHECK-LABEL: func.func @defined
func.func @defined(%x: i32, %v: vector<2xi64>) -> (i32, i32, vector<2xi64>) {
  // CHECK-NOT: arith.select
  %c7 = arith.constant 7 : i32
  %c31 = arith.constant 31 : i32
  %ones = arith.constant dense<-1> : vector<2xi64>
  %q = arith.divsi %x, %c7 : i32
  %l = arith.shrui %x, %c31 : i32
  %u = arith.remui %v, %ones : vector<2xi64>
  // CHECK: return
  return %q, %l, %u : i32, i32, vector<2xi64>
}

// CHECK-LABEL: func.func @loops
func.func @loops(%low: i32, %high: i32, %step: i32, %p: i32) -> (i32, i32) {
  %c2 = arith.constant 2 : i32
  // CHECK: %[[RISES:.*]] = arith.cmpi sgt, %arg2, %c0
  // CHECK: %[[END:.*]] = arith.select %[[RISES]], %arg1, %arg0
  // CHECK: scf.for %{{.*}} = %arg0 to %[[END]] step %arg2
  %a = scf.for %i = %low to %high step %step iter_args(%s = %p) -> i32 : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  // CHECK-NOT: arith.select
  // CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %c2
  %b = scf.for %i = %low to %high step %c2 iter_args(%s = %p) -> i32 : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  return %a, %b : i32, i32
}
