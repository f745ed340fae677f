// Loads pass a store through another argument of their element type where the launch checks that the memory of the two
// does not overlap (tile.apart).
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192,conditional=true}' --tile-schedule-loops %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192}' --tile-schedule-loops %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=ALWAYS
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192,conditional=true}' --tile-schedule-loops --tile-expand-schedules %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=EXPANDED
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192,conditional=true}' --tile-schedule-loops %s --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: issued one iteration ahead, 4 bytes a thread, if the memory of argument 0 and argument 1 does not overlap
// REMARK: issued one iteration ahead, 4 bytes a thread, if the memory of argument 1 and 'w' does not overlap
// REMARK: not issued ahead: the loop may write what it reads

// x is read an iteration ahead of what is written to y, but not ahead of the stores to x itself; z is of another type.
// CHECK-LABEL: func.func @two_arguments
// CHECK-SAME: tile.apart = [array<i64: 0, 1>, array<i64: 1, 3>], tile.kernel}
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<16x16x!tile.ptr<f16>>
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<16x16x!tile.ptr<f16>>
// CHECK: tile.load %{{[^ ]*}} : tensor<16x16x!tile.ptr<f16>>
// ALWAYS-LABEL: func.func @two_arguments
// ALWAYS-NOT: tile.apart
// ALWAYS-NOT: simt.schedule
// EXPANDED-LABEL: func.func @two_arguments
// EXPANDED-SAME: tile.apart = [array<i64: 0, 1>, array<i64: 1, 3>]
// EXPANDED: tile.load
// EXPANDED: tile.load
// EXPANDED: scf.for
func.func @two_arguments(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %z: !tile.ptr<f32>,
                          %w: !tile.ptr<f16> {tile.name = "w"}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %wp = tile.addptr %w, %i : !tile.ptr<f16>, i32
    %ws = tile.splat %wp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %b = tile.load %ws : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %yp = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %own = tile.load %ys : tensor<16x16x!tile.ptr<f16>>
    %e = tile.dot %own, %b, %d : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %v = arith.truncf %e : tensor<16x16xf32> to tensor<16x16xf16>
    tile.store %ys, %v : tensor<16x16x!tile.ptr<f16>>
    scf.yield %e : tensor<16x16xf32>
  } {tile.num_stages = 2 : i32}
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %zs, %r : tensor<16x16x!tile.ptr<f32>>
  return
}

// -----

// An address from memory may be anywhere: no launch can tell.
// CHECK-LABEL: func.func @from_memory
// CHECK-NOT: tile.apart
// CHECK-NOT: simt.schedule
func.func @from_memory(%x: !tile.ptr<f16>, %table: !tile.ptr<i64>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %address = tile.load %table : !tile.ptr<i64>
  %y = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %v = arith.truncf %d : tensor<16x16xf32> to tensor<16x16xf16>
    tile.store %ys, %v : tensor<16x16x!tile.ptr<f16>>
  } {tile.num_stages = 2 : i32}
  return
}
