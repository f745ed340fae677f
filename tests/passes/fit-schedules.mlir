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

// -----

#rows = #layout.distributed<lane (1) (2) (4) (8) (16), warp (0) (0)>
#each = #layout.distributed<register (1) (2) (4), lane (8) (16) (0) (0) (0), warp (0) (0)>

// A small value that is loaded ahead is converted at the beginning of the step, before its waits. What the iteration
// loads itself is not there so early.
// CHECK-LABEL: func.func @early_conversion
// CHECK: %[[AHEAD:.*]] = tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// CHECK: simt.convert_layout %[[AHEAD]] {simt.schedule = #simt.schedule<ahead 0, place -4>}
// CHECK: %[[NOW:.*]] = tile.load
// CHECK: simt.convert_layout %[[NOW]] :
func.func @early_conversion(%p: tensor<32x!tile.ptr<f32>, #rows>, %first: tensor<32xf32, #each>, %n: i32)
    -> tensor<32xf32, #each> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (tensor<32xf32, #each>) : i32 {
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<32x!tile.ptr<f32>, #rows>
    %b = simt.convert_layout %a : tensor<32xf32, #rows> -> tensor<32xf32, #each>
    %c = tile.load %p : tensor<32x!tile.ptr<f32>, #rows>
    %d = simt.convert_layout %c : tensor<32xf32, #rows> -> tensor<32xf32, #each>
    %sum = arith.addf %b, %d : tensor<32xf32, #each>
    scf.yield %sum : tensor<32xf32, #each>
  } {simt.uniform}
  return %last : tensor<32xf32, #each>
}

// -----

#lanes = #layout.distributed<register (32) (64) (128) (256), lane (1) (2) (4) (8) (16)>
#lines = #layout.distributed<register (1) (2) (4) (8), lane (16) (32) (64) (128) (256)>
#wide = #layout.distributed<register (1) (2) (4) (8) (16), lane (32) (64) (128) (256) (512)>
#lanes2 = #layout.distributed<register (32) (64) (128) (256) (512), lane (1) (2) (4) (8) (16)>

// 64 bytes of a thread are small, 128 are not.
// CHECK-LABEL: func.func @small
// CHECK: simt.convert_layout %{{.*}} {simt.schedule
// CHECK: simt.convert_layout %{{[0-9a-z]*}} : tensor<1024xf32
func.func @small(%p: tensor<512x!tile.ptr<f32>, #lanes>, %q: tensor<1024x!tile.ptr<f32>, #lanes2>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<512x!tile.ptr<f32>, #lanes>
    %b = simt.convert_layout %a : tensor<512xf32, #lanes> -> tensor<512xf32, #lines>
    %c = tile.load %q {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<1024x!tile.ptr<f32>, #lanes2>
    %d = simt.convert_layout %c : tensor<1024xf32, #lanes2> -> tensor<1024xf32, #wide>
  } {simt.uniform}
  return
}
