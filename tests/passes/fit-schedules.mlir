// RUN: tegula-opt --tile-fit-schedules %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-fit-schedules --verify-diagnostics -o /dev/null %s --split-input-file

// One load's address depends on a sum of the same iteration: no op of the loop keeps its schedule.
// CHECK-LABEL: func.func @given_up
// CHECK-NOT: simt.schedule
func.func @given_up(%x: !tile.ptr<i32>, %p: tensor<16x!tile.ptr<i32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: the loop's schedule is given up: each iteration waits for its own loads and copies}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %all = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<i32>>
    %sum = tile.reduce(%all) axis 0 : (tensor<16xi32>) -> i32 {
    ^bb0(%l: i32, %o: i32):
      %s = arith.addi %l, %o : i32
      tile.yield %s : i32
    }
    %xp = tile.addptr %x, %sum : !tile.ptr<i32>, i32
    // expected-note @below {{it depends on 'tile.reduce' in the loop}}
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<i32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @kept
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
func.func @kept(%p: tensor<16x!tile.ptr<i32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<16x!tile.ptr<i32>>
  }
  return
}
