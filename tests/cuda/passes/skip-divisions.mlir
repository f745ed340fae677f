// RUN: tegula-opt --simt-skip-divisions %s | FileCheck %s

// The divisor is the constant of the minimum, if that is less than the other operand.
// CHECK-LABEL: func.func @bounded
// CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %[[LEFT:.*]], %c8_i32
// CHECK-NEXT: %[[BOTH:.*]]:2 = scf.if %[[WHOLE]] -> (i32, i32) {
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[X:.*]], %c8_i32
// CHECK-NEXT: %[[R:.*]] = arith.remsi %[[X]], %c8_i32
// CHECK-NEXT: scf.yield %[[Q]], %[[R]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[X]], %[[Y:.*]] :
// CHECK-NEXT: %[[R:.*]] = arith.remsi %[[X]], %[[Y]] :
// CHECK-NEXT: scf.yield %[[Q]], %[[R]]
// CHECK-NEXT: } {simt.divergent}
// CHECK-NEXT: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @bounded(%x: i32, %left: i32) -> (i32, i32) {
  %c8_i32 = arith.constant 8 : i32
  %y = arith.minsi %left, %c8_i32 : i32
  %q = arith.divsi %x, %y : i32
  %r = arith.remsi %x, %y : i32
  return %q, %r : i32, i32
}

// 0 <= x < y: the quotient is 0, the remainder x.
// CHECK-LABEL: func.func @small
// CHECK: %[[ZERO:.*]] = arith.constant 0
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %[[X:.*]], %[[Y:.*]] :
// CHECK: %[[POSITIVE:.*]] = arith.cmpi sgt, %[[Y]], %[[ZERO]]
// CHECK: %[[KNOWN:.*]] = arith.andi %[[BELOW]], %[[POSITIVE]]
// CHECK: scf.if %[[KNOWN]] -> (i32, i32) {
// CHECK-NEXT: scf.yield %[[X]], %[[ZERO]]
func.func @small(%x: i32, %y: i32) -> (i32, i32) {
  %r = arith.remsi %x, %y : i32
  %q = arith.divsi %x, %y : i32
  return %r, %q : i32, i32
}

// Unsigned numbers need one comparison. A signed minimum says nothing of an unsigned divisor.
// CHECK-LABEL: func.func @unsigned
// CHECK: arith.minsi
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: %[[BELOW:.*]] = arith.cmpi ult
// CHECK-NEXT: scf.if %[[BELOW]]
func.func @unsigned(%x: i32, %left: i32) -> i32 {
  %c8_i32 = arith.constant 8 : i32
  %y = arith.minsi %left, %c8_i32 : i32
  %q = arith.divui %x, %y : i32
  return %q : i32
}

// Divisions by constants are cheap; those of vectors have results of many numbers.
// CHECK-LABEL: func.func @left
// CHECK-NOT: scf.if
func.func @left(%x: i32, %v: vector<4xi32>, %w: vector<4xi32>) -> (i32, vector<4xi32>) {
  %c7_i32 = arith.constant 7 : i32
  %q = arith.divsi %x, %c7_i32 : i32
  %r = arith.remsi %v, %w : vector<4xi32>
  return %q, %r : i32, vector<4xi32>
}
