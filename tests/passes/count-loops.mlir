// RUN: tegula-opt --tile-count-loops %s | FileCheck %s
// RUN: tegula-opt --tile-count-loops --canonicalize %s | FileCheck --check-prefix=CLEAN %s

// The counter rises to a bound that is not known.
// CHECK-LABEL: func.func @up
// CHECK: %[[STEP:.*]] = arith.constant 4 : i32
// CHECK: scf.for %[[I:.*]] = %arg0 to %arg1 step %[[STEP]]
// CHECK-NOT: may_not_end
// CHECK: arith.addi %{{.*}}, %[[I]] : i32
// CLEAN-LABEL: func.func @up
// CLEAN: scf.for %{{.*}} = %arg0 to %arg1 step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32) : i32 {
func.func @up(%from: i32, %to: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %r:2 = scf.while (%i = %from, %sum = %c0) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %to : i32
    scf.condition(%c) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    tile.may_not_end
    %s = arith.addi %sum, %i : i32
    %next = arith.addi %i, %c4 : i32
    scf.yield %next, %s : i32, i32
  }
  return %r#1 : i32
}

// The counter falls to 7. The for loop counts how far it has fallen, which is never too large for the type: the highest
// value of the counter is at least 7.
// CLEAN-LABEL: func.func @down
// CLEAN-DAG: %[[SEVEN:.*]] = arith.constant 7 : i64
// CLEAN-DAG: %[[STEP:.*]] = arith.constant 64 : i64
// CLEAN-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CLEAN: %[[MOST:.*]] = arith.maxsi %arg0, %[[SEVEN]] : i64
// CLEAN: %[[FALL:.*]] = arith.subi %[[MOST]], %[[SEVEN]] : i64
// CLEAN: scf.for %[[I:.*]] = %[[ZERO]] to %[[FALL]] step %[[STEP]] iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (i64) : i64 {
// CLEAN: %[[LEFT:.*]] = arith.subi %arg0, %[[I]] : i64
// CLEAN: arith.addi %[[SUM]], %[[LEFT]] : i64
func.func @down(%from: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c7 = arith.constant 7 : i64
  %c64 = arith.constant 64 : i64
  %r:2 = scf.while (%left = %from, %sum = %c0) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi sgt, %left, %c7 : i64
    scf.condition(%c) %left, %sum : i64, i64
  } do {
  ^bb0(%left: i64, %sum: i64):
    tile.may_not_end
    %s = arith.addi %sum, %left : i64
    %next = arith.subi %left, %c64 : i64
    scf.yield %next, %s : i64, i64
  }
  return %r#1 : i64
}

// The test is written the other way round; the counter's last value is used, and the values change places.
// CHECK-LABEL: func.func @last
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} = %arg0 to %arg1 step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %arg0)
// CHECK: return %[[R]]#1, %[[R]]#0, %arg2
func.func @last(%from: i32, %to: i32, %given: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant -4 : i32
  %r:3 = scf.while (%sum = %c0, %i = %from) : (i32, i32) -> (i32, i32, i32) {
    %c = arith.cmpi sgt, %to, %i : i32
    scf.condition(%c) %i, %sum, %given : i32, i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32, %other: i32):
    %s = arith.addi %sum, %other : i32
    %next = arith.subi %i, %c4 : i32
    scf.yield %s, %next : i32, i32
  }
  return %r#0, %r#1, %r#2 : i32, i32, i32
}

// The loop of a program over tiles of the grid, with a loop inside.
// CHECK-LABEL: func.func @tiles
// CHECK: scf.for %{{.*}} = %{{.*}} to %arg0 step %{{.*}}
// CHECK: scf.for
// CHECK-NOT: scf.while
// CHECK: return
func.func @tiles(%tiles: i32, %depth: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %programs = tile.num_programs 0
  %program = tile.program_id 0
  scf.while (%tile = %program) : (i32) -> (i32) {
    %c = arith.cmpi slt, %tile, %tiles : i32
    scf.condition(%c) %tile : i32
  } do {
  ^bb0(%tile: i32):
    tile.may_not_end
    scf.while (%k = %c0) : (i32) -> (i32) {
      %c = arith.cmpi slt, %k, %depth : i32
      scf.condition(%c) %k : i32
    } do {
    ^bb0(%k: i32):
      tile.may_not_end
      tile.print "" is_signed [true, true](%tile, %k) : i32, i32
      %next = arith.addi %k, %c1 : i32
      scf.yield %next : i32
    }
    %next = arith.addi %programs, %tile : i32
    scf.yield %next : i32
  }
  return
}

// The bound is computed in the condition.
// CHECK-LABEL: func.func @computed
// CHECK: %[[TO:.*]] = arith.addi %arg0, %arg0 : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TO]] step
func.func @computed(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while (%i = %c0) : (i32) -> (i32) {
    %to = arith.addi %n, %n : i32
    %c = arith.cmpi slt, %i, %to : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    tile.print "" is_signed [true](%i) : i32
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  return
}

// A test with a region, which uses the loop's value, stays in the condition.
// CHECK-LABEL: func.func @region
// CHECK: scf.while
// CHECK: scf.if
func.func @region(%n: i32, %flag: i1) -> i32 {
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%i = %n, %limit = %n) : (i32, i32) -> (i32, i32) {
    %to = scf.if %flag -> (i32) {
      %one = arith.addi %limit, %c1 : i32
      scf.yield %one : i32
    } else {
      scf.yield %n : i32
    }
    %c = arith.cmpi slt, %i, %to : i32
    scf.condition(%c) %i, %limit : i32, i32
  } do {
  ^bb0(%i: i32, %limit: i32):
    %next = arith.addi %i, %c1 : i32
    %lower = arith.subi %limit, %c1 : i32
    scf.yield %next, %lower : i32, i32
  }
  return %r#0 : i32
}

// Loops that stay: the number of iterations is not known before they begin, or may be too large for the counter's type.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: scf.for
// CHECK: return
func.func @stay(%n: i32, %by: i32, %c0: i32, %narrow: i8) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %negative = arith.constant -1 : i32
  // a step of unknown sign
  scf.while (%i = %zero) : (i32) -> (i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %by : i32
    scf.yield %next : i32
  }
  // a step away from the bound
  scf.while (%i = %zero) : (i32) -> (i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.subi %i, %c1 : i32
    scf.yield %next : i32
  }
  // a difference of the step and the counter
  scf.while (%i = %zero) : (i32) -> (i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.subi %c1, %i : i32
    scf.yield %next : i32
  }
  // a lower bound that is not known, or negative
  scf.while (%i = %n) : (i32) -> (i32) {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.subi %i, %c1 : i32
    scf.yield %next : i32
  }
  scf.while (%i = %n) : (i32) -> (i32) {
    %c = arith.cmpi sgt, %i, %negative : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.subi %i, %c1 : i32
    scf.yield %next : i32
  }
  // a bound that is reached, which may be the largest number
  scf.while (%i = %zero) : (i32) -> (i32) {
    %c = arith.cmpi sle, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  // constants whose distance is no i32
  %low = arith.constant -2000000000 : i32
  %high = arith.constant 2000000000 : i32
  %large = arith.constant 500000000 : i32
  scf.while (%i = %low) : (i32) -> (i32) {
    %c = arith.cmpi slt, %i, %high : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %large : i32
    scf.yield %next : i32
  }
  // a step whose negation is itself
  %least = arith.constant -2147483648 : i32
  scf.while (%i = %zero) : (i32) -> (i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.subi %i, %least : i32
    scf.yield %next : i32
  }
  // a counter that wraps soon
  scf.while (%i = %narrow) : (i8) -> (i8) {
    %c = arith.cmpi slt, %i, %narrow : i8
    scf.condition(%c) %i : i8
  } do {
  ^bb0(%i: i8):
    %hundred = arith.constant 100 : i8
    %next = arith.addi %i, %hundred : i8
    scf.yield %next : i8
  }
  // numbers without sign
  scf.while (%i = %zero) : (i32) -> (i32) {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  // a bound that changes
  scf.while (%i = %zero, %end = %n) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %end : i32
    scf.condition(%c) %i, %end : i32, i32
  } do {
  ^bb0(%i: i32, %end: i32):
    %next = arith.addi %i, %c1 : i32
    %sooner = arith.subi %end, %c1 : i32
    scf.yield %next, %sooner : i32, i32
  }
  // a counter that does not always advance
  scf.while (%i = %zero, %j = %zero) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %j, %i : i32, i32
  } do {
  ^bb0(%i: i32, %j: i32):
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %j : i32, i32
  }
  // a condition with more than the test
  scf.while (%i = %zero, %more = %n) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %n : i32
    %d = arith.cmpi ne, %more, %c1 : i32
    %both = arith.andi %c, %d : i1
    scf.condition(%both) %i, %more : i32, i32
  } do {
  ^bb0(%i: i32, %more: i32):
    %next = arith.addi %i, %c1 : i32
    %m = arith.muli %more, %by : i32
    scf.yield %next, %m : i32, i32
  }
  return
}
